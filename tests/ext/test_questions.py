"""The page of questions: its file is whole, and what is wrong in such a file is said."""

import re

import pytest
import yaml

from _ext import questions
from harness.site import ROOT

FILE = ROOT / "chapters" / "data" / "questions.yml"
LAST = {"0": 18, "1": 12, "2": 12, "4": 41}  # how many questions and claims each source has; 3 is 2's text again


def test_no_question_of_the_sources_is_missing():
    result = [entry["id"] for entry in questions.read(FILE)["entries"]]
    assert result == [f"{source}.{n}" for source, last in LAST.items() for n in range(1, last + 1)]


def test_every_text_is_a_sentence():
    for entry in questions.read(FILE)["entries"]:
        for field in ("asked", "answer"):
            assert re.search(r"[.?!”]$", entry[field]) and entry[field][0].isupper(), entry["id"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "maybe"}, "'maybe'"),
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
