"""The page of questions: its file is whole, and what is wrong in such a file is said."""

import pytest
import yaml

from _ext import questions
from harness.site import ROOT

FILE = ROOT / "chapters" / "data" / "questions.yml"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "maybe"}, "'maybe'"),
        ({"verdict": "conditional"}, "condition"),
        ({"answer": "**If** it rains."}, "condition"),
        ({"source": "elsewhere"}, "'elsewhere'"),
        ({"id": "0.2"}, "twice"),
        ({"more": 1}, "fields"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path, change, message):
    result = yaml.safe_load(FILE.read_text(encoding="utf8"))
    result["entries"][0] |= change
    path = tmp_path / "questions.yml"
    path.write_text(yaml.safe_dump(result, allow_unicode=True), encoding="utf8")
    with pytest.raises(ValueError, match=message):
        questions.read(path)
