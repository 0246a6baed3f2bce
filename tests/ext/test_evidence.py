"""Each card of the evidence says in five short parts what was measured, and names a record and a command that exist."""

import re
from importlib.util import find_spec

import nbformat
import pytest

from _ext.chapter_text import text_of
from harness.site import ROOT
from inorder.stored import stored

PAGE = nbformat.read(ROOT / "chapters" / "evidence.ipynb", 4)
SOURCE = "\n\n".join(cell.source for cell in PAGE.cells if cell.cell_type == "markdown")
CARDS = dict(re.findall(r"^\((card-[\w-]+)\)=\n## .*\n((?:.*\n?)*?)(?=^\(card-|\Z)", SOURCE, re.MULTILINE))


@pytest.mark.parametrize("card", CARDS)
def test_a_card_names_a_record_and_a_command_that_exist(card):
    record, command = re.search(r"\*\*Record\.\*\* `(\S+)`, from `python -m (\S+)", CARDS[card]).groups()
    assert stored(record).is_file() and find_spec(command.rstrip("`."))


@pytest.mark.parametrize("card", CARDS)
def test_the_text_that_makes_the_claim_links_to_its_card(card):
    (chapter,) = re.findall(r"\*Used in\* \[[^\]]+\]\((\w+\.ipynb)\)", CARDS[card])
    assert f"(evidence.ipynb#{card})" in text_of(nbformat.read(ROOT / "chapters" / chapter, 4))
