"""Writes the notebooks of a course: ``python -m _ext.course_notebooks``, or ``make notebooks``.

Students get the chapters without solutions, with the stubs and a place for each answer in words; instructors get them
with the solutions open, and a key with nothing else. Both install the package from the repository, where its address
is known, and both lie beside the pages that they link to and the package's wheel. With ``NBGRADER=1`` there is a course
for nbgrader, too: the students' notebooks with its metadata, an assignment for each chapter.
"""

import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from _ext import repository
from _ext.execution import ROOT, documents
from _ext.exercises import CHECKER, DIRECTIVE, BookExercise, exercises_of, tags_of
from _ext.links import without_dropped
from _ext.package_wheel import build_wheel
from _ext.readable_pages import readable
from _ext.set_up_cell import set_up_cells, with_address

OUT = ROOT / "_build" / "notebooks"
CHECKS = "checks"  # a tag of the last cell of a chapter, which knows the answers
OTHER_CHAPTER = re.compile(r"\]\((ch\d\d_\w+)\.ipynb\b")
LINKED = re.compile(r"\]\((\w+\.md)\b")
FOLDED = re.compile(r"^:class: dropdown\n", re.MULTILINE)
REFERENCE = re.compile(r"\{(?P<role>eq|ref|prf:ref)\}`(?P<label>[\w-]+)`")
EQUATION = re.compile(r"^\$\$\n((?:(?!\$\$).*\n)+?)\$\$ \(([\w-]+)\)$", re.MULTILINE)
STATEMENT = re.compile(r"^:{3,}\{prf:(\w+)\} ?(.*)\n:label: +(\S+)$", re.MULTILINE)
HEADING = re.compile(r"^\(([\w-]+)\)=\n#+ (.+)$", re.MULTILINE)
COLOUR = re.compile(r"\\textcolor\{\w+\}\{((?:[^{}]|\{[^{}]*\})*)\}")
RUBRICS = {  # of the exercises in words, by a word of the title: a point for each line
    "Criticise": (
        "It says which part of the claim is right, or what was really observed.",
        "It names the step that does not follow, and gives the reason. “That is wrong” alone gets nothing.",
        "It ends in the claim that would stand, or in the control that would decide.",
    ),
    "forum": (
        "The question that was asked is answered, and answered correctly.",
        "The reason is there, in words that the person who asked knows.",
        "Nothing in it is false, and it keeps to the number of sentences.",
    ),
    "With the figure": (
        "The link opens the figure in the state that was asked for.",
        "What is read off the figure is what it shows.",
        "The reason is there, and not the reading alone.",
    ),
    "": (
        "The beginning is right: the formula, the definition or the case from which the answer follows.",
        "The result is right. A slip in arithmetic that is carried on correctly costs this point, and no other.",
        "Each step has its reason, and every part of the question is answered.",
    ),
}
MODEL_PROJECT = ROOT / "projects" / "model_project.ipynb"
KEY = ROOT / "chapters" / "teaching_key.md"  # to the questions of teaching.md
NBGRADER_SCHEMA = 3  # of nbgrader 0.9
POINTS_IN_WORDS = 3  # a point for each line of the rubric
NBGRADER_CONFIG = """\
# A course for nbgrader 0.9.6. In this folder: nbgrader generate_assignment ch03_softmax_qk_v
# Its stubs are the chapters' own, so nothing is cleared from the source notebooks.
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "attention_in_order"
c.GenerateAssignment.preprocessors = [
    each for each in GenerateAssignment.preprocessors.default() if each is not ClearSolutions
]
"""
ANSWER = "**Your answer** to *{title}*:\n\n"
NAME_CELL = "**Your name:**"
EXERCISE, NAME = "exercise", "student_name"  # in the metadata of a student's cells: which exercise's it is


def chapter_paths() -> list[Path]:
    """The chapters of the table of contents, in its order: notebooks with a number (the evidence has none)."""
    paths = [ROOT / f"{document}.ipynb" for document in documents()]
    return [path for path in paths if path.exists() and path.name.startswith("ch")]


def student_notebook(chapter: NotebookNode) -> NotebookNode:
    """The chapter without solutions; an exercise that has no stub gets a cell for the answer."""
    exercises = {exercise.label: exercise for exercise in exercises_of(chapter)}
    stubs = {id(exercise.stub): exercise.label for exercise in exercises.values() if exercise.stub}
    cells = [new_markdown_cell(f"{NAME_CELL} ", metadata={NAME: True})]
    for cell in chapter.cells:
        if cell.cell_type == "markdown":
            cells += without_solutions(cell.source, exercises)
        elif "solution" not in tags_of(cell) and CHECKS not in tags_of(cell):
            label = {EXERCISE: stubs[id(cell)]} if id(cell) in stubs else {}
            cells.append(new_code_cell(cell.source, metadata=cell.metadata | label))
    return renumbered(chapter, cells)


def without_solutions(text: str, exercises: dict[str, BookExercise]) -> list[NotebookNode]:
    """The cells that replace a Markdown cell: without its solutions, and with a cell for an answer where needed."""
    cells, rest = [], 0
    for match in DIRECTIVE.finditer(text):
        if match["kind"] != "solution":
            continue
        exercise = exercises[match["title"]]
        cells.append((text[rest : match.start()], {}))
        if exercise.stub is None:
            cells.append((ANSWER.format(title=exercise.title), {EXERCISE: exercise.label}))
        rest = match.end()
    cells.append((text[rest:], {}))
    return [new_markdown_cell(source.strip("\n"), metadata=metadata) for source, metadata in cells if source.strip()]


def instructor_notebook(chapter: NotebookNode) -> NotebookNode:
    """The chapter with its solutions open."""
    cells = []
    for cell in chapter.cells:
        if cell.cell_type == "markdown":
            cells.append(new_markdown_cell(DIRECTIVE.sub(opened, cell.source)))
        elif CHECKS not in tags_of(cell):
            metadata = {name: value for name, value in cell.metadata.items() if name != "jupyter"}
            cells.append(new_code_cell(cell.source, metadata=metadata))
    return renumbered(chapter, cells)


def opened(match: re.Match) -> str:
    return FOLDED.sub("", match[0]) if match["kind"] == "solution" else match[0]


def renumbered(chapter: NotebookNode, cells: list[NotebookNode]) -> NotebookNode:
    for i, cell in enumerate(cells):
        cell.id = cell.metadata.get(EXERCISE, str(i))
    notebook = nbformat.from_dict(chapter | {"cells": cells})
    for cell in set_up_cells(notebook):
        address = repository.package_address()
        cell.source = with_address(cell.source, address) if address else cell.source
    return notebook


def nbgrader_notebook(chapter: NotebookNode) -> NotebookNode:
    """The students' notebook with nbgrader's metadata: a point for each check, some for each answer in words."""
    exercises = {exercise.label: exercise for exercise in exercises_of(chapter)}
    notebook = student_notebook(chapter)
    cells = []
    for cell in notebook.cells:
        cells.append(cell)
        exercise = exercises.get(cell.metadata.get(EXERCISE))
        if exercise is None:
            continue
        if not exercise.checker:  # a person gives the points
            cell.metadata["nbgrader"] = for_nbgrader(exercise.label, solution=True, points=POINTS_IN_WORDS)
            continue
        cell.metadata["nbgrader"] = for_nbgrader(exercise.label, solution=True)
        _, handed_over = CHECKER.findall(exercise.stub.source)[-1]
        check = f"verdict = checks.{exercise.checker}({handed_over})\nassert verdict.passed, verdict"
        metadata = {"nbgrader": for_nbgrader(f"{exercise.label}-check", points=1)}
        cells.append(new_code_cell(check, id=f"{exercise.label}-check", metadata=metadata))
    notebook.cells = cells
    return notebook


def for_nbgrader(name: str, *, solution: bool = False, points: int | None = None) -> dict:
    """The metadata of a cell: a student writes into it, or it is locked; it gives points, or none."""
    grade = {"grade": points is not None, "solution": solution, "locked": not solution, "task": False}
    return {"schema_version": NBGRADER_SCHEMA, "grade_id": name, **grade} | ({"points": points} if points else {})


def write_nbgrader(out: Path = OUT) -> Path:
    """Write the course for nbgrader again, and return its folder."""
    course = out / "nbgrader"
    shutil.rmtree(course, ignore_errors=True)
    names = {path.name for path in chapter_paths()}

    @cache
    def text_of(page: str) -> str:
        text = without_dropped(readable((ROOT / "chapters" / page).read_text(encoding="utf8"), names), names)
        return OTHER_CHAPTER.sub(r"](../\1/\1.ipynb", text)

    for path in chapter_paths():
        folder = course / "source" / path.stem
        folder.mkdir(parents=True)
        chapter = nbformat.read(path, 4)
        for cell in chapter.cells:
            if cell.cell_type == "markdown":
                cell.source = OTHER_CHAPTER.sub(r"](../\1/\1.ipynb", without_dropped(cell.source, names))
        nbformat.write(nbgrader_notebook(chapter), folder / path.name)
        for page in sorted(set(LINKED.findall(path.read_text(encoding="utf8")))):
            (folder / page).write_text(text_of(page), encoding="utf8")
    (course / "nbgrader_config.py").write_text(NBGRADER_CONFIG, encoding="utf8")
    return course


def key_of(name: str, chapter: NotebookNode) -> str:
    """The exercises of a chapter with stubs, solutions and points, as Markdown that any reader shows."""
    title = re.search(r"^# (.+)$", chapter.cells[0].source, re.MULTILINE)[1]
    parts = [f"## [{title}]({name})"]
    for exercise in exercises_of(chapter):
        parts += [f"### {exercise.title}", exercise.text]
        parts += [f"```python\n{exercise.stub.source}\n```"] if exercise.stub else []
        parts += ["**Solution.**", exercise.solution]
        parts += [f"```python\n{cell.source}\n```" for cell in exercise.cells]
        lines = [f"{i}. {line}" for i, line in enumerate(rubric_of(exercise), 1)]
        parts.append(
            "**Points.** One, by code." if exercise.checker else "\n".join(["**Points.** One for each:\n", *lines])
        )
    return plain_references("\n\n".join(part for part in parts if part), name, chapter)


def rubric_of(exercise: BookExercise) -> tuple[str, str, str]:
    """What an answer in words must have, a point each."""
    return next(rubric for words, rubric in RUBRICS.items() if re.search(words, exercise.title))


def plain_references(text: str, name: str, chapter: NotebookNode) -> str:
    """The text with formulas and titles in place of MyST's references, and without the colours of its formulas."""
    whole = "\n\n".join(cell.source for cell in chapter.cells if cell.cell_type == "markdown")
    formulas = {label: " ".join(formula.split()).rstrip(" .,") for formula, label in EQUATION.findall(whole)}
    names = {label: f"the {kind} [{title}]" for kind, title, label in STATEMENT.findall(whole)}
    names |= {label: f"[{title}]" for label, title in HEADING.findall(whole)}

    def plain(match: re.Match) -> str:
        label = match["label"]
        return f"${formulas[label]}$" if match["role"] == "eq" else f"{names[label]}({name}#{label})"

    text = REFERENCE.sub(plain, text).replace("](#", f"]({name}#")
    while (without := COLOUR.sub(r"\1", text)) != text:
        text = without
    return text


def write(out: Path = OUT) -> tuple[Path, Path]:
    """Write the students' folder and the instructors' folder again, and return them."""
    shutil.rmtree(out, ignore_errors=True)
    makers = {"students": student_notebook, "instructors": instructor_notebook}
    chapters = {path: nbformat.read(path, 4) for path in chapter_paths()}
    names = {path.name for path in chapters}
    for cell in [cell for chapter in chapters.values() for cell in chapter.cells if cell.cell_type == "markdown"]:
        cell.source = without_dropped(cell.source, names)
    linked = {page for path in chapters for page in LINKED.findall(path.read_text(encoding="utf8"))}
    for folder, make in makers.items():
        target = out / folder
        target.mkdir(parents=True)
        for path, chapter in chapters.items():
            nbformat.write(make(chapter), target / path.name)
        for page in sorted(linked):
            text = readable((ROOT / "chapters" / page).read_text(encoding="utf8"), names)
            (target / page).write_text(without_dropped(text, names), encoding="utf8")
        shutil.copy(MODEL_PROJECT, target)
        build_wheel(target)
    keys = [key_of(path.name, chapter) for path, chapter in chapters.items()]
    text = "\n\n".join(["# Key to the exercises", *keys]) + "\n"
    (out / "instructors" / "key.md").write_text(text, encoding="utf8")
    shutil.copy(KEY, out / "instructors")
    shutil.make_archive(str(out / "students"), "zip", out / "students")
    return out / "students", out / "instructors"


def commit(folder: Path, branch: str, repository: Path = ROOT) -> None:
    """Make the folder the newest commit of a branch that holds nothing else. No file of the checkout is touched."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(repository), f"--work-tree={folder}", *arguments]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()

    with tempfile.TemporaryDirectory() as scratch:
        environment = os.environ | {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git("add", "--all", "--force", str(folder))
        tree = git("write-tree")
        before = git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")
        parent = ["-p", before] if before else []
        git("update-ref", f"refs/heads/{branch}", git("commit-tree", tree, *parent, "-m", "Notebooks for students"))


if __name__ == "__main__":
    students, instructors = (os.path.relpath(folder) for folder in write())
    print(f"Notebooks for students, without solutions:  {students}")
    print(f"for instructors, with solutions and key.md: {instructors}")
    if os.environ.get("BRANCH"):
        commit(ROOT / students, os.environ["BRANCH"])
        print(f"on the branch {os.environ['BRANCH']}, to be pushed: git push origin {os.environ['BRANCH']}")
    if os.environ.get("NBGRADER"):
        print(f"a course for nbgrader:                      {os.path.relpath(write_nbgrader())}")
