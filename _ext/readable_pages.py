"""The pages that a directive fills, as text: what lies beside a notebook is read by people, and no Sphinx fills it.

These are the questions and the bibliography. Each question and each entry has the anchor that it has on the site.
"""

import re
from collections.abc import Collection
from pathlib import Path

import nbformat
from pybtex.database import parse_file
from pybtex.style.formatting.plain import Style

from _ext.execution import ROOT
from _ext.questions import VERDICTS, read
from _ext.way import slug

QUESTIONS = re.compile(r"^:::\{questions\} (\S+)\n:::$", re.MULTILINE)
BIBLIOGRAPHY = re.compile(r"^```\{bibliography\}\n(?::.*\n)*```$", re.MULTILINE)
ESCAPED = re.compile(r"\\([^\\`*_\[\]<>])")  # Markdown needs no backslash before these


def readable(text: str, names: Collection[str]) -> str:
    """The text of a page with its directives filled; ``names`` are the files of the chapters that lie beside it."""
    text = QUESTIONS.sub(lambda match: questions(ROOT / "chapters" / match[1], names), text)
    return BIBLIOGRAPHY.sub(lambda _: bibliography(ROOT / "references.bib"), text)


def questions(path: Path, names: Collection[str]) -> str:
    """Every question and claim with its verdict, a section for each source."""
    catalogue, chapters = read(path), {slug(Path(name).stem): name for name in names}
    parts = []
    for key, source in catalogue["sources"].items():
        parts.append(f"## {source['name']}")
        parts += [f"<{source['address']}>"] if "address" in source else []
        entries = [entry for entry in catalogue["entries"] if entry["source"] == key]
        parts.append("\n".join(question(entry, chapters) for entry in entries))
    return "\n\n".join(parts)


def question(entry: dict, chapters: dict[str, str]) -> str:
    anchor = f'<a id="q{entry["id"].replace(".", "-")}"></a>'
    name = chapters.get(entry["chapter"])
    link = f" [{title_of(name)}]({name})" if name else ""
    return f"- {anchor}*{entry['asked']}* **{VERDICTS[entry['verdict']].capitalize()}.** {entry['answer']}{link}"


def title_of(name: str) -> str:
    """The title of a chapter, from its first cell."""
    first = nbformat.read(ROOT / "chapters" / name, 4).cells[0].source
    return re.search(r"^# (.+)$", first, re.MULTILINE)[1]


def bibliography(path: Path) -> str:
    """Every entry, by author and year."""
    entries = Style(sorting_style="author_year_title").format_entries(parse_file(path).entries.values())
    lines = []
    for entry in entries:
        words = ESCAPED.sub(r"\1", entry.text.render_as("markdown")).split()
        lines.append(f'- <a id="{entry.key}"></a>{" ".join(words)}')
    return "\n".join(lines)
