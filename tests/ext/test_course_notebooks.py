"""The assignments: what nbgrader needs, nothing that tells a solution, and full marks for the book's own."""

import ast
import re
import zipfile

import nbformat
import pytest

from _ext import course_notebooks
from _ext.course_notebooks import assignment, chapter_paths, solved, write
from _ext.exercises import exercises_of
from _ext.package_wheel import wheel_name

CHAPTERS = chapter_paths()
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
FOR_SPHINX = re.compile(r"^:::|\{[a-z:]+\}`|\\textcolor|\]\(#|\.ipynb\b|\.md\b", re.MULTILINE)


def run(notebook) -> dict:
    """What each cell that gives a point returns, if all cells but the set-up run in their order."""
    scope, points = {}, {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.id != "set-up":
            *body, last = ast.parse(cell.source).body
            exec(ast.unparse(body), scope)
            if cell.id.endswith("-check"):
                points[cell.id] = eval(ast.unparse(last), scope)
            else:
                exec(ast.unparse(last), scope)
    return points


@every_chapter
def test_the_books_solutions_get_full_marks_and_the_stubs_none(path, imports_unchecked, capsys):
    marks = [exercise.label + "-check" for exercise in exercises_of(nbformat.read(path, 4)) if exercise.checker]
    assert run(solved(path)) == dict.fromkeys(marks, 1)
    assert run(assignment(path)) == dict.fromkeys(marks, 0)


@every_chapter
def test_an_assignment_has_every_exercise_and_no_solution(path):
    notebook = assignment(path)
    nbformat.validate(notebook)
    text = "\n\n".join(cell.source for cell in notebook.cells)
    for exercise in exercises_of(nbformat.read(path, 4)):
        assert f"## {exercise.title}\n" in text
        assert exercise.solution not in text
        assert all(cell.source not in text for cell in exercise.cells)
    words = [cell.source for cell in [*notebook.cells, *solved(path).cells] if cell.cell_type == "markdown"]
    for source in words:
        assert not FOR_SPHINX.search(source), source


@every_chapter
def test_cells_have_what_nbgrader_asks_of_them(path):
    """The rules of its schema 3."""
    cells = [cell for cell in assignment(path).cells if "nbgrader" in cell.metadata]
    metadata = [cell.metadata["nbgrader"] for cell in cells]
    assert len({each["grade_id"] for each in metadata}) == len(metadata)
    for cell, each in zip(cells, metadata, strict=True):
        assert each["schema_version"] == 3 and re.fullmatch(r"[\w-]+", each["grade_id"])
        assert each["grade"] == ("points" in each) and each["locked"] != each["solution"]
        assert cell.cell_type == "code" or (each["grade"] and each["solution"])


def test_writing_the_course_again_deletes_nothing(tmp_path, monkeypatch):
    two = CHAPTERS[:2]
    monkeypatch.setattr(course_notebooks, "chapter_paths", lambda: two)
    write(tmp_path)
    kept = [tmp_path / name for name in ("gradebook.db", "submitted/ada/x.ipynb", "nbgrader_config.py")]
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    write(tmp_path)
    assert [path.read_text() for path in kept] == ["mine"] * 3
    with zipfile.ZipFile(tmp_path / "students.zip") as students:
        assert {wheel_name(), *(path.name for path in two)} < set(students.namelist())
    assert {path.name for path in two} == {path.name for path in (tmp_path / "instructors").iterdir()}
