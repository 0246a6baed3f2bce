"""The bibliography says each work once, and where to find it."""

import re
from pathlib import Path

import pytest
from pybtex.database import parse_file

ROOT = Path(__file__).parents[2]
ENTRIES = parse_file(ROOT / "references.bib").entries
IN_PRINT_ONLY = {"levesque2012winograd"}  # proceedings without a DOI, named by publisher and pages


def plain(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", title.lower().replace("{", "").replace("}", "")).strip()


def test_each_work_stands_once():
    for name in ("title", "doi", "eprint"):
        result = [plain(entry.fields[name]) for entry in ENTRIES.values() if name in entry.fields]
        assert len(set(result)) == len(result), name


@pytest.mark.parametrize("key", ENTRIES)
def test_each_work_can_be_found(key):
    fields = ENTRIES[key].fields
    assert {"title", "year"} <= set(map(str.lower, fields))
    assert {"doi", "eprint", "url"} & set(fields) or (key in IN_PRINT_ONLY and {"publisher", "pages"} <= set(fields))
    assert "eprint" not in fields or re.fullmatch(r"\d{4}\.\d{4,5}", fields["eprint"])
    assert "doi" not in fields or re.fullmatch(r"10\.\d{4,}/\S+", fields["doi"])


def test_letters_are_written_as_they_are():
    """Accents as TeX commands do not survive in every style: é, not {\\'e}."""
    assert "\\" not in (ROOT / "references.bib").read_text(encoding="utf8")
