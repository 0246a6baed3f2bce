"""The figures' JavaScript is checked against the states and the sentences that Python declares."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "state_types.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("state_types", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_figure_has_the_parts_and_the_sentences_that_it_declares(tool):
    types = tool.state_types()
    assert "interface LoomState {\n  words: string[];\n  order: number[];\n  mask: boolean;\n" in types
    assert '  none: Sentence<"total">;\n' in types.partition("interface LoomSentences {")[2].partition("}")[0]


def test_a_sentence_names_its_parts(tool):
    assert tool.sentence_type("Row {row} of {n}, {row}.") == 'Sentence<"row" | "n">'
    assert tool.sentence_type("Nothing has moved.") == "string"


@pytest.mark.parametrize("template", ["{}", "{0}", "{x:.2f}", "{x!r}", "{x.y}"])
def test_what_javascript_cannot_fill_in_is_refused(tool, template):
    with pytest.raises(ValueError, match="expected fields that are names"):
        tool.sentence_type(template)
