"""The build cannot lie: on a book of two pages, `make book` passes when all is well and fails twice when it is not."""

import re

import pytest

from _ext.execution import TIME_LIMIT
from harness.small_book import CHAPTER, WIDGET, make_book, make_small_book, write_chapter

BAD_TEX, NO_TEX = r"$\frac{1}$", ["this TeX does not typeset", "frac"]
DEAD, NO_ANSWER = "import ipywidgets\nipywidgets.IntSlider()", ["nothing on the built page answers IntSliderModel"]
NOWHERE = "See [](nowhere.md)."


@pytest.fixture
def small_book(tmp_path):
    return make_small_book(tmp_path)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["Text.", "x = 1", "1/0"], ["ch03_softmax_qk_v.ipynb, code cell 2", "ZeroDivisionError"]),
        ([f"{BAD_TEX} {NOWHERE}", DEAD], [*NO_TEX, *NO_ANSWER, "nowhere.md"]),
        pytest.param([BAD_TEX], NO_TEX, marks=pytest.mark.nightly),
        pytest.param(["Text.", DEAD], NO_ANSWER, marks=pytest.mark.nightly),
        pytest.param([NOWHERE], ["nowhere.md"], marks=pytest.mark.nightly),
    ],
    ids=["cell that raises", "three faults of a page", "TeX that does not typeset", "dead control", "broken reference"],
)
def test_failure_fails_twice(small_book, cells, message):
    write_chapter(small_book, *cells)
    for _ in range(2):
        code, output = make_book(small_book)
        assert code != 0, output
        for words in message:
            assert words in output


def test_time_limit_names_the_notebook(small_book):
    write_chapter(small_book, "Text.", "import time\ntime.sleep(60)")
    path = small_book / "_ext" / "execution.py"
    path.write_text(path.read_text().replace(f"TIME_LIMIT = {TIME_LIMIT}", "TIME_LIMIT = 3"))
    code, output = make_book(small_book)
    assert code != 0
    assert "ch03_softmax_qk_v.ipynb: took longer than its limit of 3 s, in code cell 1" in output


def test_unchanged_executes_nothing_and_a_changed_function_reaches_the_page(small_book):
    source = "import numpy as np\nfrom inorder.attention import attention_scores\n"
    source += "print(f'score {attention_scores(np.ones((1, 4)), np.ones((1, 4))).item():.3f}')"
    write_chapter(small_book, "Text.", source, WIDGET)
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
