"""What holds for the still figures of every chapter, and what the tests know of the chapters in the book.

Their exercises are in `book_package/test_every_exercise.py`.
"""

import inspect
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import matplotlib as mpl
import nbformat
import pytest
from matplotlib.text import Text

from _ext.course_notebooks import chapter_paths
from harness.chapter import run_chapter
from inorder.book.drawing import STYLE, Picture

CHAPTERS = Path(__file__).parents[1] / "chapters"


def whole_chapters() -> list[Path]:
    """The chapters of the book that state their minutes; a page added for a day need not have what a whole one has."""
    return [path for path in chapter_paths() if "minutes" in nbformat.read(path, 4).metadata]


def stills(module: ModuleType) -> list[str]:
    """The names of the functions of a module of `inorder.book.figures` that return a `Picture`; others are live."""
    functions = inspect.getmembers(module, inspect.isfunction)
    return [
        name for name, f in functions if f.__module__ == module.__name__ and f.__annotations__.get("return") is Picture
    ]


@cache
def picture_of(draw: Callable[[], Picture]) -> tuple[Picture, dict, dict]:
    """A still, and what it shows itself as: drawn once for all tests that look at it."""
    figure = draw()
    return figure, *figure._repr_mimebundle_()


def chapter_path(slug: str) -> Path:
    """The notebook of the chapter of that name, whatever its number; a skipped test where it was taken out."""
    result = list(CHAPTERS.glob(f"ch??_{slug}.ipynb"))
    if not result:
        pytest.skip(f"there is no chapter ch??_{slug}.ipynb")
    return result[0]


def code_cells(slug: str) -> list[dict]:
    """The code cells of a chapter."""
    cells = json.loads(chapter_path(slug).read_text())["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in cells if cell["cell_type"] == "code"]


HIDDEN_PACKAGE = """\
from importlib import metadata

distribution_of = metadata.distribution


def distribution(name):
    if name == {package!r}:
        raise metadata.PackageNotFoundError(name)
    return distribution_of(name)


metadata.distribution = distribution
"""


def printed_without(package: str, slug: str, before: str = "") -> str:
    """What a chapter prints where ``package`` isn't found and ``before`` has run; its checks hold there, too."""
    done = run_chapter(slug, HIDDEN_PACKAGE.format(package=package) + before)
    assert not any(done.results.values()), done.results
    return done.printed


class ChapterTests:
    """A chapter's tests subclass this, and say its module of figures and how each of its stills is drawn."""

    figures: ClassVar[ModuleType]
    drawn: ClassVar[dict]

    def pytest_generate_tests(self, metafunc):
        if "draw" in metafunc.fixturenames:
            metafunc.parametrize("draw", self.drawn.values(), ids=self.drawn)

    def test_every_still_is_drawn_here_and_shown_with_a_caption(self):
        assert sorted(self.drawn) == stills(self.figures)
        cells = [(re.search(r"^figures\.(\w+)\(", cell["source"], re.M), cell) for cell in code_cells(self.slug())]
        display = {call[1]: cell["metadata"]["mystnb"] for call, cell in cells if call}
        assert sorted(display) == stills(self.figures)
        for metadata in display.values():
            assert metadata["figure"]["name"].startswith("fig-")
            assert metadata["figure"]["caption"].startswith("**")

    def test_still_shows_itself_as_svg_with_its_alt_text(self, draw):
        figure, data, metadata = picture_of(draw)
        assert data["text/plain"] == metadata["image/svg+xml"]["alt"] == figure.alt_text
        assert data["image/png"].startswith(b"\x89PNG")
        assert draw()._repr_mimebundle_()[0]["image/svg+xml"] == data["image/svg+xml"]  # the same text each time

    def test_still_reads_on_a_phone(self, draw):
        """No wider than 6 inches, nothing cut off at an edge, no text under 10.5 points, no ground of its own."""
        figure, *_ = picture_of(draw)
        assert figure.get_figwidth() <= 6
        assert figure.get_facecolor()[3] == 0
        with mpl.rc_context(STYLE):
            box = figure.get_tightbbox()
        assert box.x0 >= -0.02 and box.y0 >= -0.02
        assert box.x1 <= figure.get_figwidth() + 0.02 and box.y1 <= figure.get_figheight() + 0.02
        assert min(text.get_fontsize() for text in figure.findobj(Text) if text.get_text()) >= 10.5

    def slug(self) -> str:
        return self.figures.__name__.rpartition(".")[2]
