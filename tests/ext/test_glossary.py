"""Every entry of the glossary is linked from a chapter; a term of several words, in the first chapter that has it.

Where chapters were dropped from the book, the link may have stood in one of these.
"""

import re
from functools import cache
from pathlib import Path

import nbformat
import pytest
import yaml

from _ext.chapter_text import text_of
from chapter_tests import dropped_chapters

ROOT = Path(__file__).parents[2]
ENTRY = re.compile(r"^(?![ :`#])(\S.*)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\([\w./]*glossary\.md#term-([\w-]+)\)")


def place(term: str) -> str:
    """What stands after `term-` in a link to the entry; Sphinx keeps capitals."""
    return re.sub(r"[^A-Za-z0-9]+", "-", term).strip("-")


def entries(glossary: str) -> list[str]:
    return ENTRY.findall(glossary.partition("```{glossary}")[2])


def linked(text: str) -> set[str]:
    return set(LINK.findall(text))


def says(text: str, term: str) -> bool:
    """Does the text have the words of the term, one of them or several?"""
    return bool(re.search(rf"\b{re.escape(term)}s?\b", " ".join(text.split()), re.IGNORECASE))


@cache
def chapters() -> dict[str, str]:
    """{chapter: its text}, in the order of the book."""
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))["parts"]
    files = [ROOT / f"{chapter['file']}.ipynb" for part in parts for chapter in part["chapters"]]
    return {path.stem: text_of(nbformat.read(path, 4)) for path in files if path.exists()}


TERMS = entries((ROOT / "chapters" / "glossary.md").read_text(encoding="utf8"))


def test_entries_and_links_are_found():
    glossary = "Words.\n\n```{glossary}\n:sorted:\n\nkey/value cache\n  Kept, see {term}`key`.\n\nkey\n  Shown.\n```\n"
    assert entries(glossary) == ["key/value cache", "key"]
    assert place("key/value cache") == "key-value-cache" and place("RMS norm") == "RMS-norm"
    assert linked("a [cache](glossary.md#term-key-value-cache), [b](../chapters/glossary.md#term-b)") == {
        "key-value-cache",
        "b",
    }
    assert says("Two residual\nstreams.", "residual stream") and not says("a stream", "residual stream")


@pytest.mark.parametrize("term", TERMS)
def test_every_entry_is_linked_from_a_chapter(term):
    is_linked = any(place(term) in linked(text) for text in chapters().values())
    assert is_linked or dropped_chapters(), f"no chapter links to term-{place(term)}"


@pytest.mark.parametrize("term", [term for term in TERMS if re.search(r"[ /-]", term)])
def test_a_term_of_several_words_is_linked_in_the_first_chapter_that_has_it(term):
    """Of a single word, such as *key* or *layer*, nobody can tell by its letters whether it is the term."""
    using = [name for name, text in chapters().items() if says(text, term) or place(term) in linked(text)]
    is_linked = using and place(term) in linked(chapters()[using[0]])
    assert is_linked or dropped_chapters(), f"{using[0]} has the words {term!r} and no link to them"


@pytest.mark.parametrize("page", [*chapters(), "index", "notation", "questions", "gallery"])
def test_links_to_the_glossary_lead_to_an_entry(page):
    names = (ROOT / f"{page}.md", ROOT / "chapters" / f"{page}.md")
    text = chapters().get(page) or next(path.read_text(encoding="utf8") for path in names if path.exists())
    assert linked(text) <= {place(term) for term in TERMS}
    words = {re.sub(r".*<(.*)>", r"\1", body) for body in re.findall(r"\{term\}`([^`]*)`", text)}
    assert words <= set(TERMS)


def test_entries_stand_once():
    assert len({place(term) for term in TERMS}) == len(TERMS)
