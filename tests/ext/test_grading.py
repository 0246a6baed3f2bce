"""`make grade`: seven students, of whom some are careless and some are not honest, from their files to the table."""

import csv
import shutil
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat import NotebookNode

from _ext.course_notebooks import EXERCISE, NAME, NAME_CELL, chapter_paths, student_notebook
from _ext.exercises import BookExercise, as_written_by_reader, exercises_of
from chapter_tests import CHAPTERS, chapter_path
from tools.grading.child import decode, encode
from tools.grading.grade import Chapter, main
from tools.grading.sandbox import NoWall, Sandbox, Stopped

SLUG = "softmax_qk_v"


def wall_is_missing() -> str:
    try:
        with Sandbox([], "inorder.book.checks.none"):
            return ""
    except NoWall as error:
        return str(error)


@pytest.fixture(scope="module")
def wall():
    if why := wall_is_missing():
        pytest.skip(why)


@pytest.fixture
def sandbox(wall):
    with Sandbox(["import numpy as np"], "inorder.book.checks.none", seconds=1, memory=2**28) as sandbox:
        yield sandbox


def value_of(sandbox: Sandbox, source: str) -> object:
    with sandbox.run([source], ["x"]) as run:
        return run.values[0] if not run.missing else run.error


# ---- the wall


def test_there_is_no_file_no_network_and_no_way_out(sandbox, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("the key")
    key = CHAPTERS / "teaching_key.md"
    for path in (secret, key, Path("/etc/passwd"), Path("/proc/1/environ"), Path("/dev/null"), Path("/run")):
        assert "Error" in str(value_of(sandbox, f"x = open({str(path)!r}).read()")), path
    assert "Error" in str(value_of(sandbox, f"import shutil\nshutil.rmtree({str(tmp_path)!r})\nx = 1"))
    for place in ("/", "/usr", "/tmp", str(Path(np.__file__).parent)):
        assert "Error" in str(value_of(sandbox, f"open({place!r} + '/mine.txt', 'w')\nx = 1")), place
    network = "import socket\nx = socket.create_connection(('127.0.0.1', 22), timeout=1)"
    assert "Network is unreachable" in str(value_of(sandbox, network))
    assert "Error" in str(value_of(sandbox, "from inorder.book.checks import softmax_qk_v\nx = 1"))
    mount = "import ctypes\nx = ctypes.CDLL(None).umount2(b'/usr', 2)"
    assert value_of(sandbox, mount) == -1
    assert secret.read_text() == "the key"


def test_what_takes_too_long_or_too_much_is_stopped_and_the_next_runs(sandbox):
    with pytest.raises(Stopped, match="too long"):
        value_of(sandbox, "while True:\n    pass")
    assert "MemoryError" in str(value_of(sandbox, "x = np.ones(2**28)"))
    with pytest.raises(Stopped, match="ended the process"):
        value_of(sandbox, "import os\nos._exit(0)")
    children = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\nx = 1"
    assert value_of(sandbox, children) == 1
    with sandbox.run(["def x(n):\n    while True:\n        pass"], ["x"]) as run, pytest.raises(Stopped):
        run.values[0](3)
    assert value_of(sandbox, "x = 2") == 2


def test_a_closed_sandbox_keeps_no_socket():
    with Sandbox([], "inorder.book.checks.none", protected=False) as sandbox:
        assert sandbox.control.fileno() >= 0
    assert sandbox.control.fileno() == -1


@pytest.mark.parametrize("value", [None, True, 3, 0.1, "a", [[1], [2.5]], np.eye(2), np.array([True]), np.float32(0.1)])
def test_values_cross_the_wall_as_they_are(sandbox, value):
    assert np.array_equal(decode(encode(value)), value) and type(decode(encode(value))) is type(value)
    with sandbox.run(["def x(value):\n    return value"], ["x"]) as run:
        back = run.values[0](value)
    assert np.array_equal(back, value) and type(back) is type(value)


def test_objects_cross_the_wall_by_name_only_and_a_changed_input_is_seen(sandbox):
    class Thing:
        pass

    assert type(decode(encode(Thing()))).__name__ == "Thing"
    assert encode(np.array([Thing()])) == {"type": "ndarray"}
    array = np.arange(3.0)
    with sandbox.run(
        ["def x(a):\n    a[0] = 7\n    raise KeyError('b')", "def y(a):\n    a[0] = 7"], ["x", "y"]
    ) as run:
        with pytest.raises(KeyError, match="b"):
            run.values[0](array)
        run.values[1](array)
    assert array[0] == 7


# ---- from the files to the table


def handed_out() -> tuple[NotebookNode, dict[str, str], dict[str, str]]:
    """A student's notebook, and by label the code of the solutions and of the stubs."""
    chapter = nbformat.read(chapter_path(SLUG), 4)
    exercises = [exercise for exercise in exercises_of(chapter) if exercise.checker]
    solutions = {each.label: as_handed_in(each) for each in exercises}
    return student_notebook(chapter), solutions, {each.label: each.stub.source for each in exercises}


def as_handed_in(exercise: BookExercise) -> str:
    """The code of a solution as a student would hand it in."""
    return as_written_by_reader(exercise.answer.source).replace("assert verdict.passed\n", "")


def hand_in(path: Path, answers: dict[str, str], *, name: str = "", first: str = "", words: str = "") -> None:
    notebook = handed_out()[0]
    for cell in notebook.cells:
        label = cell.metadata.get(EXERCISE)
        if cell.metadata.get(NAME):
            cell.source = f"{NAME_CELL} {name}"
        elif label in answers:
            cell.source = answers[label]
        elif label and cell.cell_type == "markdown":
            cell.source += words
    if first:
        notebook.cells.insert(1, nbformat.v4.new_code_cell(first))
    path.parent.mkdir(parents=True)
    nbformat.write(notebook, path)


BORROWER = {
    "ex-split-heads": "import inorder.attention as a\ndef my_split_heads(x, n):\n    return a.split_heads(x, n)",
    "ex-softmax": "from inorder.attention import softmax as my_softmax",
    "ex-window-mask": "from inorder.book.checks import softmax_qk_v\nwindow_mask = softmax_qk_v.window_mask.reference",
}


@pytest.fixture(scope="module")
def graded(wall, tmp_path_factory):
    """Seven students and a borrower, graded: the folder, the table's rows by student, and what was there."""
    folder, out = tmp_path_factory.mktemp("submissions"), tmp_path_factory.mktemp("out")
    _, right, stubs = handed_out()
    file = "ch03.ipynb"
    spin = right["ex-softmax"].replace("):\n", "):\n    while True: pass\n", 1)
    delete = f"import shutil, os\nshutil.rmtree({str(folder)!r}, ignore_errors=True)\nos.system('rm -rf {folder}')"
    redefine = (
        "from inorder.book import exercise\nfrom inorder.book.exercise import Verdict\n"
        "exercise.Exercise.__call__ = lambda *_: Verdict(True, 'Correct')\n"
        "class Checks:\n    def __getattr__(self, name):\n        return lambda *_: Verdict(True, 'Correct')\n"
        "checks = Checks()\nimport sys\nsys.modules['inorder.book.checks.softmax_qk_v'] = checks"
    )
    hand_in(folder / "right" / file, right, name="=Ada()", words="\n\nBecause <b>the sum</b> is 1.")
    hand_in(
        folder / "two_wrong" / file, right | {label: stubs[label] for label in ("ex-masked-attention", "ex-softmax")}
    )
    hand_in(folder / "empty" / file, {})
    hand_in(folder / "endless" / file, right | {"ex-softmax": spin})
    hand_in(folder / "deleter" / file, right, first=delete + "\nhelper = 1")
    hand_in(folder / "cheater" / file, {"ex-split-heads": right["ex-split-heads"]}, first=redefine)
    hand_in(folder / "no_syntax" / file, right | {"ex-softmax": "def softmax(x:\n    return x"})
    hand_in(folder / "borrower" / file, BORROWER)
    (folder / "no_notebook").mkdir()
    (folder / "no_notebook" / file).write_text("{ this is no notebook")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    main(["--chapter", chapter_path(SLUG).stem, "--from", str(folder), "--out", str(out), "--seconds", "2"])
    with (out / "grades.csv").open(encoding="utf-8-sig") as table:
        rows = {row["student"]: row for row in csv.DictReader(table)}
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return out, rows, before, after


def test_nobody_is_lost_and_nobodys_file_is_touched(graded):
    _, rows, before, after = graded
    assert before == after
    assert set(rows) == {path.parent.name for path in before}


def test_each_gets_what_the_code_is_worth(graded):
    _, rows, *_ = graded
    points = {student: row["by code"] for student, row in rows.items()}
    assert points == {
        "right": "4",
        "two_wrong": "2",
        "empty": "0",
        "endless": "3",
        "deleter": "4",
        "cheater": "1",
        "no_syntax": "3",
        "borrower": "0",
        "no_notebook": "0",
    }
    assert rows["cheater"]["ex-split-heads"] == "1"
    assert "can't be read" in rows["no_notebook"]["note"]


def test_feedback_says_why_and_a_person_gets_the_words(graded):
    out, rows, *_ = graded
    pages = {path.stem: path.read_text() for path in (out / "feedback").iterdir()}
    assert set(pages) == set(rows)
    assert pages["right"].count("Correct:") == 4 and "Not yet" not in pages["right"]
    assert "Not yet: it takes too long" in pages["endless"] and pages["endless"].count("Correct:") == 3
    assert "SyntaxError" in pages["no_syntax"]
    assert pages["borrower"].count("Write it yourself") == 2
    assert "hasn’t been written yet" in pages["empty"]
    to_read = (out / "to_read.html").read_text()
    in_words = [label for label, value in rows["right"].items() if label.startswith("ex-") and value == "read"]
    assert len(in_words) >= 1 and all(label in to_read for label in in_words)
    assert "&lt;b&gt;the sum&lt;/b&gt;" in to_read and "<b>" not in to_read
    assert rows["right"]["name"] == "'=Ada()"  # no formula for a spreadsheet


@pytest.mark.nightly
@pytest.mark.parametrize("path", chapter_paths(), ids=lambda path: path.stem)
def test_the_solutions_of_every_chapter_pass_behind_the_wall_and_its_stubs_do_not(path, wall):
    chapter = Chapter(path)
    with Sandbox(chapter.imports, chapter.checks_name, chapter.constants()) as sandbox:
        for exercise in chapter.by_code:
            solution = as_handed_in(exercise)
            verdict = chapter.tried(exercise, [solution], sandbox)
            assert verdict.passed, f"{exercise.label}: {verdict}"
            assert not chapter.tried(exercise, [exercise.stub.source], sandbox).passed


def test_an_editor_that_loses_the_metadata_loses_no_points(tmp_path):
    chapter = Chapter(chapter_path(SLUG))
    hand_in(tmp_path / "a" / "x.ipynb", handed_out()[1], words="\n\nSo.")
    notebook = nbformat.read(tmp_path / "a" / "x.ipynb", 4)
    with_metadata = chapter.read(tmp_path / "a" / "x.ipynb", "a")
    for cell in notebook.cells:
        cell.metadata = {}
    nbformat.write(notebook, tmp_path / "a" / "x.ipynb")
    without = chapter.read(tmp_path / "a" / "x.ipynb", "a")
    assert without.cells == with_metadata.cells and not without.error and not without.own


def test_without_a_wall_nothing_runs(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(NoWall, match="UNPROTECTED=1"):
        Sandbox([], "inorder.book.checks.none")
