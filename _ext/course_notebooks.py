"""Writes a course for nbgrader into ``_build/notebooks``: ``python -m _ext.course_notebooks``, or ``make notebooks``.

``source`` has an assignment for each chapter: its set-up, imports and exercises. ``students.zip`` has the same
notebooks beside the package's wheel, which they install; ``instructors`` has them solved. Files are written
again, and nothing is deleted: the folder holds the gradebook and what students hand in, too.
"""

import ast
import os
import re
import tempfile
import zipfile
from pathlib import Path
from urllib.parse import urljoin

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from _ext.execution import ROOT, documents
from _ext.exercises import CHECKER, BookExercise, as_written_by_reader, exercises_of, tags_of
from _ext.package_wheel import SET_UP, build_wheel, package_address, with_address
from _ext.repository import site_address

OUT = ROOT / "_build" / "notebooks"
MODEL_PROJECT = ROOT / "projects" / "model_project.ipynb"
POINTS_IN_WORDS = 3  # by the table on the page on teaching
REFERENCE = re.compile(r"\{(?P<role>eq|ref|prf:ref)\}`(?P<label>[\w-]+)`")
EQUATION = re.compile(r"^\$\$\n((?:(?!\$\$).*\n)+?)\$\$ \(([\w-]+)\)$", re.MULTILINE)
STATEMENT = re.compile(r"^:{3,}\{prf:(\w+)\} ?(.*)\n:label: +(\S+)$", re.MULTILINE)
HEADING = re.compile(r"^\(([\w-]+)\)=\n#+ (.+)$", re.MULTILINE)
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?:([\w./-]+)\.(?:ipynb|md))?(#[^()\s]*)?\)")
COLOUR = re.compile(r"\\textcolor\{\w+\}\{((?:[^{}]|\{[^{}]*\})*)\}")
CHECK = """\
# This cell gives the point: {limit}
import runpy

grade = runpy.run_module("inorder.book.grading")["grade"]
grade("{chapter}", "{checker}", {answers}{may_call})"""
CONFIGURATION = """\
# A course for nbgrader 0.9.6. `make notebooks` writes this file once: what you add here stays.
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "attention_in_order"
c.Execute.timeout = 20  # seconds that a cell may run; a loop without an end costs its own point, and no other
# The stubs are the chapters' own: there is no solution to clear.
c.GenerateAssignment.preprocessors = [
    each for each in GenerateAssignment.preprocessors.default() if each is not ClearSolutions
]
"""


def chapter_paths() -> list[Path]:
    """The chapters of the table of contents, in its order: notebooks with a number (the evidence has none)."""
    paths = [ROOT / f"{document}.ipynb" for document in documents()]
    return [path for path in paths if path.exists() and path.name.startswith("ch")]


def assignment(path: Path) -> NotebookNode:
    """A chapter's exercises with nbgrader's metadata: a point for each check, some for each answer in words."""
    chapter = nbformat.read(path, 4)
    exercises = exercises_of(chapter)
    (set_up,) = [cell for cell in chapter.cells if SET_UP in tags_of(cell)]
    cells = [
        new_markdown_cell(f"# {title_of(chapter)}: exercises", id="title"),
        new_code_cell(with_address(set_up.source.replace(",lab]", "]"), package_address(site_address())), id=SET_UP),
    ]
    if imports := imports_of(chapter, exercises):
        cells.append(new_code_cell("\n".join(imports), id="imports"))
    for exercise in exercises:
        text = f"## {exercise.title}\n\n{exercise.text}"
        if exercise.hint:
            text += f"\n\n<details><summary>Hint</summary>\n\n{exercise.hint}\n\n</details>"
        cells.append(new_markdown_cell(plain(text, path, chapter), id=f"{exercise.label}-text"))
        if exercise.checker:
            check = check_of(exercise, path.stem.partition("_")[2], chapter)
            cells.append(new_code_cell(exercise.stub.source, metadata=for_nbgrader(exercise.label, solution=True)))
            cells.append(new_code_cell(check, metadata=for_nbgrader(f"{exercise.label}-check", points=1)))
        else:
            metadata = for_nbgrader(exercise.label, solution=True, points=POINTS_IN_WORDS)
            cells.append(new_markdown_cell("**Your answer:**", metadata=metadata))
    for cell in cells:
        if "nbgrader" in cell.metadata:
            cell.id = cell.metadata["nbgrader"]["grade_id"]
    metadata = {name: chapter.metadata[name] for name in ("kernelspec", "language_info")}
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)


def title_of(chapter: NotebookNode) -> str:
    return re.search(r"^# (.+)$", chapter.cells[0].source, re.MULTILINE)[1]


def imports_of(chapter: NotebookNode, exercises: list[BookExercise]) -> list[str]:
    """What these exercises use of the imports of the chapter's first cell after the set-up."""
    sources = [cell.source for each in exercises for cell in (each.stub, each.answer) if cell]
    used = {node.id for source in sources for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    first = next(cell for cell in chapter.cells if cell.cell_type == "code" and SET_UP not in tags_of(cell))
    lines = []
    for node in ast.parse(first.source).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if (alias.asname or alias.name).partition(".")[0] in used]
            lines += [ast.unparse(node)] if node.names else []
    return lines


def check_of(exercise: BookExercise, slug: str, chapter: NotebookNode) -> str:
    """The locked cell that gives the point for an exercise."""
    _, answers = CHECKER.findall(exercise.stub.source)[-1]
    package = [ast.parse(line).body[0] for line in imports_of(chapter, [exercise])]
    imported = [node for node in package if isinstance(node, ast.ImportFrom) and node.module.startswith("inorder.")]
    allowed = [alias.name for node in imported if not node.module.startswith("inorder.book") for alias in node.names]
    limit = f"of the package, only {', '.join(allowed)} may be called." if allowed else "the lines must be your own."
    may_call = f", may_call={allowed}" if allowed else ""
    return CHECK.format(limit=limit, chapter=slug, checker=exercise.checker, answers=answers, may_call=may_call)


def for_nbgrader(name: str, *, solution: bool = False, points: int | None = None) -> dict:
    """The metadata of a cell, of nbgrader's schema 3: a student writes into it, or it is locked; it may give points."""
    marks = {"grade": points is not None, "solution": solution, "locked": not solution, "task": False}
    return {"nbgrader": {"schema_version": 3, "grade_id": name, **marks} | ({"points": points} if points else {})}


def solved(path: Path) -> NotebookNode:
    """The assignment with the book's own solutions in it."""
    notebook, chapter = assignment(path), nbformat.read(path, 4)
    cells = {cell.id: cell for cell in notebook.cells}
    for exercise in exercises_of(chapter):
        if exercise.checker:
            cells[exercise.label].source = as_written_by_reader(exercise.answer.source)
        else:
            cells[exercise.label].source += f"\n\n{plain(exercise.solution, path, chapter)}"
    return notebook


def plain(text: str, path: Path, chapter: NotebookNode) -> str:
    """The text with formulas, titles and links to the site in place of MyST's references, and without colours.

    Where the site's address isn't known, a link is its words.
    """
    whole = "\n\n".join(cell.source for cell in chapter.cells if cell.cell_type == "markdown")
    formulas = {label: " ".join(formula.split()).rstrip(" .,") for formula, label in EQUATION.findall(whole)}
    names = {label: f"the {kind} [{title}]" for kind, title, label in STATEMENT.findall(whole)}
    names |= {label: f"[{title}]" for label, title in HEADING.findall(whole)}
    site = site_address()

    def named(match: re.Match) -> str:
        label = match["label"]
        return f"${formulas[label]}$" if match["role"] == "eq" else f"{names[label]}(#{label})"

    def linked(match: re.Match) -> str:
        words, page, fragment = match.groups()
        if not (page or fragment):
            return match[0]
        address = urljoin(f"{site}chapters/", f"{page or path.stem}.html{fragment or ''}")
        return f"[{words}]({address})" if site else words

    text = LINK.sub(linked, REFERENCE.sub(named, text))
    while (without := COLOUR.sub(r"\1", text)) != text:
        text = without
    return text


def write(out: Path = OUT) -> None:
    """Write the course again, apart from the configuration that is there."""
    paths = chapter_paths()
    for folder in ("instructors", *(f"source/{path.stem}" for path in paths)):
        (out / folder).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out / "students.zip", "w", zipfile.ZIP_DEFLATED) as students:
        for path in paths:
            source = out / "source" / path.stem / path.name
            nbformat.write(assignment(path), source)
            nbformat.write(solved(path), out / "instructors" / path.name)
            students.write(source, path.name)
        students.write(MODEL_PROJECT, MODEL_PROJECT.name)
        with tempfile.TemporaryDirectory() as folder:
            wheel = build_wheel(Path(folder))
            students.write(wheel, wheel.name)
    if not (out / "nbgrader_config.py").exists():
        (out / "nbgrader_config.py").write_text(CONFIGURATION, encoding="utf8")


if __name__ == "__main__":
    write()
    for name, what in (
        ("students.zip", "assignments, with the wheel that they install"),
        ("instructors", "the same with solutions"),
        ("source", "the same for nbgrader, whose commands are on the page on teaching"),
    ):
        print(f"{os.path.relpath(OUT / name)}: {what}")
