"""Each card of the evidence says in five short parts what was measured, and names a record and a command that exist."""

import re
from importlib.util import find_spec

import nbformat
import pytest

from _ext.chapter_text import text_of
from harness.site import ROOT
from inorder.stored import stored

PARTS = ["Claim", "Set-up", "Control", "Not shown", "Record"]
LONGEST, MOST = 90, 60
PAGE = nbformat.read(ROOT / "chapters" / "evidence.ipynb", 4)
SOURCE = "\n\n".join(cell.source for cell in PAGE.cells if cell.cell_type == "markdown")
CARDS = dict(re.findall(r"^\((card-[\w-]+)\)=\n## .*\n((?:.*\n?)*?)(?=^\(card-|\Z)", SOURCE, re.MULTILINE))


def test_there_are_cards_and_not_too_many():
    assert 3 <= len(CARDS) <= MOST and len(CARDS) == len(re.findall(r"^## ", SOURCE, re.MULTILINE))


@pytest.mark.parametrize("card", CARDS)
def test_a_card_has_its_parts_and_is_short(card):
    assert re.findall(r"^- \*\*(.+?)\.\*\* \S", CARDS[card], re.MULTILINE) == PARTS
    assert "Also tried:" in CARDS[card]
    assert len(re.sub(r"\]\([^)]*\)", "]", CARDS[card]).split()) <= LONGEST


@pytest.mark.parametrize("card", CARDS)
def test_a_card_names_a_record_and_a_command_that_exist(card):
    record, command = re.search(r"\*\*Record\.\*\* `(\S+)`, from `python -m (\S+)", CARDS[card]).groups()
    assert stored(record).is_file() and find_spec(command.rstrip("`."))


@pytest.mark.parametrize("card", CARDS)
def test_the_text_that_makes_the_claim_links_to_its_card(card):
    (chapter,) = re.findall(r"\*Used in\* \[[^\]]+\]\((\w+\.ipynb)\)", CARDS[card])
    assert f"(evidence.ipynb#{card})" in text_of(nbformat.read(ROOT / "chapters" / chapter, 4))
