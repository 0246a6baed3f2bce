"""The directive ``chapter-times``: how long each chapter takes, how many exercises it has, and how long these take.

An exercise counts as ten minutes if there is a function to write, and as five if not.
"""

from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.exercises import exercises_of
from _ext.way import Chapter, duration, table_of_contents, the_way

MINUTES_AN_EXERCISE = {"in words": 5, "change": 5, "bug": 5, "write": 10}


class chapter_times(nodes.Element):
    """Holds the place of the list until all chapters have their numbers."""


class ChapterTimes(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        for path in Path(self.env.srcdir, "chapters").glob("ch*.ipynb"):
            self.env.note_dependency(str(path))
        return [chapter_times()]


def times_of(chapter: Chapter, notebook: nbformat.NotebookNode) -> str:
    """``28 min; 10 exercises, 1 h 5 min``"""
    exercises = exercises_of(notebook)
    minutes = sum(MINUTES_AN_EXERCISE[exercise.kind] for exercise in exercises)
    return f"{duration(chapter.minutes)}; {len(exercises)} exercises, {duration(minutes)}"


def list_chapters(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for place in list(doctree.findall(chapter_times)):
        lines = nodes.bullet_list(bullet="-")
        for chapter in [chapter for part in the_way(table_of_contents(app.env)) for chapter in part.chapters]:
            path = Path(app.env.doc2path(chapter.docname))
            if path.suffix == ".ipynb":
                page = app.builder.get_relative_uri(docname, chapter.docname)
                title = nodes.reference("", f"{chapter.number}. {chapter.title}", refuri=page)
                times = nodes.Text(f" · {times_of(chapter, nbformat.read(path, 4))}")
                lines += nodes.list_item("", nodes.paragraph("", "", title, times))
        place.replace_self(lines)


def setup(app: Sphinx):
    app.add_node(chapter_times)
    app.add_directive("chapter-times", ChapterTimes)
    app.connect("doctree-resolved", list_chapters)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
