"""Which tests a change touches."""

import pytest

from harness.site import ROOT
from harness.touched import Touched

FILES = sorted({*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "code" / "inorder").rglob("*.py")})


def touched_by(*names: str) -> set[str]:
    touched = Touched("main", names)
    return {path.relative_to(ROOT).as_posix() for path in FILES if touched.touches(path)}


def test_nothing_changed_touches_nothing():
    assert touched_by() == set()
    assert not Touched("main", []).site


def test_a_module_touches_those_that_import_it():
    found = touched_by("code/inorder/symmetry.py")
    assert {"code/inorder/symmetry.py", "tests/test_symmetry.py"} <= found
    assert not found & {"code/inorder/attention/scores.py", "tests/test_attention.py", "tests/ext/test_publishing.py"}
    everything = touched_by("code/inorder/_arrays.py")
    assert found < everything
    assert "tests/test_attention.py" in everything


def test_a_conftest_touches_the_tests_below_it():
    found = touched_by("tests/widgets/conftest.py")
    assert found == {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests/widgets").glob("test_*.py")}


def test_a_chapter_touches_the_tests_of_the_site_on_its_page_alone():
    (name, *_) = (path.relative_to(ROOT).as_posix() for path in (ROOT / "chapters").glob("*.ipynb"))
    touched = Touched("main", [name])
    assert touched.site
    assert touched.pages == {name.replace(".ipynb", ".html")}
    assert "tests/book/test_site.py" in touched_by(name)
    assert "tests/test_attention.py" not in touched_by(name)


@pytest.mark.parametrize("name", ["_ext/lean_page/book.css", "_templates/layout.html", "_config.yml"])
def test_what_every_page_is_made_of_touches_every_page(name):
    touched = Touched("main", [name])
    assert touched.all_pages
    assert "tests/book/test_site.py" in touched_by(name)
