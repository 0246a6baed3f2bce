"""The build cannot lie: on a book of two pages, `make book` passes when all is well and fails when it is not."""

import re

import nbformat
import pytest

from _ext.course_notebooks import chapter_paths
from _ext.package_wheel import wheel_name
from harness.small_book import CHAPTER, WIDGET, make_book, make_small_book, write_chapter

BAD_TEX, NO_TEX = r"$\frac{1}$", ["this TeX does not typeset", "frac"]
DEAD, NO_ANSWER = "import ipywidgets\nipywidgets.IntSlider()", ["nothing on the built page answers IntSliderModel"]
NOWHERE = "See [](nowhere.md)."


@pytest.fixture
def small_book(tmp_path):
    return make_small_book(tmp_path)


def set_up_cell(book):
    """Put the set-up cell of a chapter of the book after the title."""
    path = book / f"{CHAPTER}.ipynb"
    notebook = nbformat.read(path, 4)
    notebook.cells.insert(1, nbformat.read(chapter_paths()[0], 4).cells[1])
    nbformat.write(notebook, path)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["Text.", "x = 1", "1/0"], ["ch03_softmax_qk_v.ipynb, code cell 2", "ZeroDivisionError"]),
        ([f"{BAD_TEX} {NOWHERE}", DEAD], [*NO_TEX, *NO_ANSWER, "nowhere.md"]),
    ],
    ids=["cell that raises", "three faults of a page"],
)
def test_a_fault_of_a_page_fails_and_is_named(small_book, cells, message):
    write_chapter(small_book, *cells)
    code, output = make_book(small_book)
    assert code != 0, output
    for words in message:
        assert words in output


def test_unchanged_executes_nothing_and_a_changed_function_reaches_the_page(small_book, monkeypatch):
    """The book of a fork, whose pages open the fork and whose notebooks install from it."""
    branch = "branch: trunk\n  url: https://github.com/someone/book"
    configuration = small_book / "_config.yml"
    configuration.write_text(configuration.read_text().replace("branch: main", branch))
    monkeypatch.setenv("BOOK_URL", "https://book.example/")
    source = "import numpy as np\nfrom inorder.attention import attention_scores\n"
    source += "print(f'score {attention_scores(np.ones((1, 4)), np.ones((1, 4))).item():.3f}')"
    write_chapter(small_book, "Text.", source, WIDGET)
    set_up_cell(small_book)
    (small_book / "chapters" / "more.md").write_text("# More\n\nText.\n")
    toc = small_book / "_toc.yml"
    toc.write_text(toc.read_text() + "  - file: chapters/more\n")
    page = small_book / "_build" / "html" / f"{CHAPTER}.html"
    for n_executed in (1, 0):
        code, output = make_book(small_book)
        assert code == 0, output
        assert f"{n_executed} to execute" in output
        assert "score 2.000" in page.read_text()
        assert page.with_name("more.html").exists()
    at = f"{CHAPTER}.ipynb"
    for address in (
        f"https://mybinder.org/v2/gh/someone/book/trunk?urlpath=lab/tree/{at}",
        f"https://colab.research.google.com/github/someone/book/blob/trunk/{at}",
    ):
        assert f'href="{address}"' in page.read_text()
    assert "%pip" not in page.read_text()
    downloaded = nbformat.read(small_book / "_build" / "html" / "_sources" / at, 4)
    assert f'"inorder[book] @ https://book.example/_static/{wheel_name()}"' in downloaded.cells[1].source

    for sheet in (small_book / "code").rglob("*.css"):
        sheet.write_text(sheet.read_text() + ".inorder-figure .probe { color: red }\n")
    toc.write_text(toc.read_text().replace("  - file: chapters/more\n", ""))
    attention = small_book / "code" / "inorder" / "attention" / "scores.py"
    text = attention.read_text()
    assert "return scale * query @ key.mT" in text
    attention.write_text(text.replace("return scale * query @ key.mT", "return 3 * scale * query @ key.mT"))
    code, output = make_book(small_book)
    assert code == 0, output
    assert "1 to execute" in output
    assert "score 6.000" in page.read_text()
    addresses = re.findall(r"_static/widgets/w\w+\.css", page.read_text())
    assert len(addresses) == 2, "the kit's sheet and the figure's"
    assert all("probe" in (small_book / "_build" / "html" / address).read_text() for address in addresses)
    assert not page.with_name("more.html").exists(), "a chapter that left the table of contents leaves the site"
