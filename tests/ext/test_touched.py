"""Which tests a change touches, and what is said where none runs, or not all."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from harness.site import ROOT
from harness.touched import SECONDS, Touched


def touched_by(*names: str) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in Touched("main", names).files}


def test_nothing_changed_touches_nothing():
    assert touched_by() == set()
    assert not Touched("main", []).site


def test_a_module_touches_those_that_import_it():
    result = touched_by("code/inorder/symmetry.py")
    assert {"code/inorder/symmetry.py", "tests/test_symmetry.py"} <= result
    assert not result & {"code/inorder/attention/scores.py", "tests/test_attention.py", "tests/ext/test_publishing.py"}
    everything = touched_by("code/inorder/_arrays.py")
    assert result < everything
    assert "tests/test_attention.py" in everything


def test_a_site_that_is_not_built_anew_is_not_tested():
    result = touched_by("code/inorder/_arrays.py", "code/inorder/widgets/kit/glide.js")
    assert not Touched("main", ["code/inorder/_arrays.py"]).site
    assert not [name for name in result if name.startswith("tests/book/")]


@pytest.mark.parametrize("name", ["tests/test_symmetry.py", "tests/widgets/test_kit.py", "tests/book/test_site.py"])
def test_a_file_of_tests_touches_itself_alone(name):
    assert touched_by(name) == {name}


class Item(NamedTuple):
    path: Path


def test_what_has_changed_runs_first_then_what_sees_least():
    files = [ROOT / "tests" / name for name in ("test_readme.py", "test_audit.py", "test_palette.py")]
    items = [Item(path) for path in files]
    config = SimpleNamespace(hook=SimpleNamespace(pytest_deselected=lambda items: None))
    Touched("main", ["tests/test_audit.py"]).pytest_collection_modifyitems(config, items)
    assert [item.path.name for item in items] == ["test_audit.py", "test_palette.py", "test_readme.py"]


def test_a_conftest_touches_the_tests_below_it():
    result = touched_by("tests/widgets/conftest.py")
    assert result == {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests/widgets").rglob("test_*.py")}


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


@pytest.mark.parametrize("names", [[], ["tests/test_symmetry.py"], ["code/inorder/_arrays.py"]])
def test_there_are_no_more_workers_than_files(request, monkeypatch, names):
    monkeypatch.setattr("harness.touched.changed_files", lambda since: set(names))
    config = SimpleNamespace(getoption={"touched": "main"}.get)
    workers = request.config.hook.pytest_xdist_auto_num_workers(config=config)
    assert workers == (0 if len(touched_by(*names)) < 2 else (os.cpu_count() or 1) + 1)


class Screen:
    """pytest's terminal reporter, as far as a summary needs it."""

    def __init__(self, **stats: list) -> None:
        self.stats, self.lines = stats, []

    def section(self, title: str, *_: object, **__: object) -> None:
        self.lines.append(title)

    line = section


TESTS = [f"tests/test_attention.py::test_{i}" for i in range(3)]


def ended(touched: Touched, exit_status: int, n_begun: int = 3, failed: int = 0, **stats: list) -> tuple[int, str]:
    """The exit status and the last words of a session in which so many of three tests had begun."""
    touched.pytest_collection_finish(SimpleNamespace(items=[SimpleNamespace(nodeid=name) for name in TESTS]))
    for name in TESTS[:n_begun]:
        touched.pytest_runtest_logstart(name)
    session, screen = SimpleNamespace(exitstatus=exit_status, testsfailed=failed), Screen(**stats)
    touched.pytest_sessionfinish(session)
    touched.pytest_terminal_summary(screen)
    return session.exitstatus, "\n".join(screen.lines)


def out_of_time() -> Touched:
    touched = Touched("main", ["x.py"])
    touched.start -= SECONDS
    return touched


def test_a_check_out_of_time_ends_fails_and_names_the_files():
    touched, session = out_of_time(), SimpleNamespace(shouldstop=False)
    status, text = ended(touched, 2, n_begun=1, passed=[1])
    assert status == 6
    assert "NOT ALL WAS TESTED" in text and "2 tests had not begun after 150 s" in text
    assert "tests/test_attention.py" in text
    touched.pytest_runtest_teardown(SimpleNamespace(session=session), None)  # the last test
    assert not session.shouldstop
    touched.pytest_runtest_teardown(SimpleNamespace(session=session), TESTS[2])
    assert session.shouldstop


def test_a_failure_keeps_its_exit_status_where_time_was_up_too():
    assert ended(out_of_time(), 2, n_begun=1, failed=1)[0] == 1


def test_a_check_that_was_stopped_by_hand_was_not_out_of_time():
    assert ended(Touched("main", ["x.py"]), 2, n_begun=1, passed=[1]) == (2, "")


@pytest.mark.parametrize(
    ("changed", "why", "status"),
    [([], "nothing has changed since main", 5), (["LICENSE"], "no test sees what has changed", 0)],
)
def test_a_check_with_nothing_to_do_says_so(changed, why, status):
    assert ended(Touched("main", changed), 5) == (status, f"NOTHING WAS TESTED: {why}")


def test_a_whole_check_says_nothing_more():
    assert ended(out_of_time(), 0, passed=[1]) == (0, "")
