"""How long each section of a chapter takes, counted from its notebook: the directive ``section-times``.

The words of the main text count 150 a minute and a live figure three minutes, as in the chapters' own times. A formula
is read more slowly than a word, and counts half as many words as it has symbols; a proof is read twice. Folds are
counted separately. A section is core unless it reports a measurement, is one to play with, or comes after the argument.
Exercises are counted by kind. ``section-times`` makes one closed table for each chapter.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from docutils import nodes
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

import inorder.widgets
from _ext.exercises import exercises_of, tags_of
from _ext.folds import MakeFolds
from _ext.third_party import curly
from _ext.way import MINUTES_A_FIGURE, WORDS_A_MINUTE, duration, table_of_contents, the_way

OPTIONAL = ("Measured", "Play with", "Where it breaks", "Exercises", "Further reading")
READINGS_OF_A_PROOF = 2
MINUTES_AN_EXERCISE = {"in words": 5, "change": 5, "bug": 5, "write": 10}
HEADING = re.compile(r"^#{1,2} +(.+)$", re.MULTILINE)
BLOCK = re.compile(r"^(?P<fence>:{3,})\{(?P<kind>[\w:]+)\}[^\n]*\n(?:.*\n)*?(?P=fence) *$\n?", re.MULTILINE)
FOLDS = {"dropdown", "solution", "prf:proof", "exercise", "admonition"}
FOLDED = "<!-- fold -->"
END_OF_FOLD = "<!-- end of fold -->"
FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+\$", re.DOTALL)
SYMBOL = re.compile(r"\\[a-zA-Z]+|[^\s{}$\\&^_]")
SYNTAX = re.compile(r"^\(.+\)=$|^:[\w-]+:.*$|^:{3,}.*$|\]\([^)]*\)|<!--.*?-->", re.MULTILINE)
WORD = re.compile(r"\S*\w\S*")
LIVE = re.compile(rf"^(?:interact|{'|'.join(name for name in inorder.widgets.__all__ if name[0].isupper())})\(", re.M)


@dataclass
class Section:
    title: str
    words: int = 0
    figures: int = 0
    folded_words: int = 0
    folded_figures: int = 0

    @property
    def core(self) -> bool:
        return not self.title.startswith(OPTIONAL)

    @property
    def minutes(self) -> float:
        return self.words / WORDS_A_MINUTE + MINUTES_A_FIGURE * self.figures

    @property
    def folded_minutes(self) -> float:
        return self.folded_words / WORDS_A_MINUTE + MINUTES_A_FIGURE * self.folded_figures


def count_words(text: str) -> int:
    """The words of a Markdown text; a formula is one for every two of its symbols."""

    def as_words(formula: re.Match) -> str:
        return " formula" * max(1, len(SYMBOL.findall(formula[0])) // 2) + " "

    return len(WORD.findall(SYNTAX.sub(" ", FORMULA.sub(as_words, text))))


def split_folds(text: str) -> tuple[str, str]:
    """The text without its folds, and the folds; a question before its options stays."""
    folded = []

    def take(match: re.Match) -> str:
        if match["kind"] not in FOLDS:
            return match[0]
        if match["kind"] == "admonition":  # a prediction: its question is read, its options are folds
            main_text, inner = split_folds(match[0].partition("\n")[2].rpartition(match["fence"])[0])
            folded.append(inner)
            return main_text
        folded.extend([match[0]] * (READINGS_OF_A_PROOF if match["kind"] == "prf:proof" else 1))
        return ""

    main_text = BLOCK.sub(take, text)
    return main_text, "\n".join(folded)


def sections_of(notebook: NotebookNode) -> list[Section]:
    """The sections of a chapter, in their order; the first is what comes before the first heading."""
    sections, in_fold = [Section("The question")], False
    for cell in notebook.cells:
        if cell.cell_type == "code":
            caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")
            if in_fold:
                sections[-1].folded_words += count_words(caption)
            else:
                sections[-1].words += count_words(caption)
            if LIVE.search(cell.source) and "solution" not in tags_of(cell):
                sections[-1].folded_figures += in_fold
                sections[-1].figures += not in_fold
            continue
        parts = HEADING.split(cell.source)
        for i, part in enumerate(parts):
            if i % 2:
                if sections[-1].words or len(sections) > 1:
                    sections.append(Section(re.sub(r"[*`]", "", part)))
                continue
            while part:
                mark = END_OF_FOLD if in_fold else FOLDED
                here, separator, part = part.partition(mark)
                main_text, folded = ("", here) if in_fold else split_folds(here)
                sections[-1].words += count_words(main_text)
                sections[-1].folded_words += count_words(folded)
                in_fold ^= bool(separator)
    return sections


def exercise_minutes(notebook: NotebookNode) -> int:
    return sum(MINUTES_AN_EXERCISE[exercise.kind] for exercise in exercises_of(notebook))


# ------------------------------------------------------------------------------------------------------- the directive


class section_times(nodes.Element):
    """Holds the place of the tables until all chapters have their numbers."""


class SectionTimes(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        for path in Path(self.env.srcdir, "chapters").glob("ch*.ipynb"):
            self.env.note_dependency(str(path))
        return [section_times()]


class TableOfEachChapter(SphinxPostTransform):
    default_priority = MakeFolds.default_priority - 2  # before dropdowns become folds

    def run(self, **kwargs) -> None:
        for place in list(self.document.findall(section_times)):
            blocks = []
            for part in the_way(table_of_contents(self.env)):
                for chapter in part.chapters:
                    path = Path(self.env.doc2path(chapter.docname))
                    if path.suffix == ".ipynb":
                        page = self.app.builder.get_relative_uri(self.env.docname, chapter.docname)
                        title = f"{chapter.number}. {chapter.title}"
                        blocks.append(fold_of(title, page, nbformat.read(path, 4), chapter.minutes))
            place.replace_self(blocks)


def fold_of(title: str, page: str, notebook: NotebookNode, minutes: int) -> nodes.Node:
    sections = sections_of(notebook)
    rows = [("Section", "", "Main text", "In folds")]
    for section in sections:
        if section.title != "Exercises":
            kind = "core" if section.core else "optional"
            rows.append((section.title, kind, section.minutes, section.folded_minutes))
    n = len(exercises_of(notebook))
    core = sum(section.minutes for section in sections if section.core)
    times = f"{duration(minutes)}, {round(core)} core; {n} exercises, {duration(exercise_minutes(notebook))}"
    block = nodes.admonition("", nodes.title("", f"{title} · {times}"), classes=["dropdown"])
    block += table_of(rows, page)
    return block


def table_of(rows: list[tuple], page: str) -> nodes.table:
    group = nodes.tgroup("", *[nodes.colspec(colwidth=width) for width in (6, 2, 2, 2)], cols=4)
    head, body = nodes.thead(), nodes.tbody()
    for i, (title, kind, *numbers) in enumerate(rows):
        words = [in_minutes(number) if isinstance(number, float) else number for number in numbers]
        first = nodes.paragraph("", title)
        if i and i > 1:
            first = nodes.paragraph("", "", nodes.reference("", curly(title), refuri=f"{page}#{nodes.make_id(title)}"))
        entries = [first, *[nodes.paragraph("", text) for text in (kind, *words)]]
        (head if i == 0 else body).append(nodes.row("", *[nodes.entry("", entry) for entry in entries]))
    group += [head, body]
    return nodes.table("", group)


def in_minutes(number: float) -> str:
    return f"{max(1, round(number))}\N{NBSP}min" if number >= 0.25 else "–"


def setup(app: Sphinx):
    app.add_node(section_times)
    app.add_directive("section-times", SectionTimes)
    app.add_post_transform(TableOfEachChapter)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
