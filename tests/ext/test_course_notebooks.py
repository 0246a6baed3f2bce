"""The notebooks of a course: no solution for students, all of them for instructors, and both run from end to end."""

import contextlib
import importlib
import re
import subprocess

import nbformat
import pytest

from _ext.course_notebooks import (
    EXERCISE,
    NAME,
    NAME_CELL,
    chapter_paths,
    commit,
    instructor_notebook,
    key_of,
    nbgrader_notebook,
    plain_references,
    rubric_of,
    student_notebook,
    write,
    write_nbgrader,
)
from _ext.execution import ROOT, Chapter, execute
from _ext.exercises import exercises_of, tags_of
from _ext.questions import read
from _ext.readable_pages import readable
from _ext.set_up_cell import address_in, set_up_cells

CHAPTERS = chapter_paths()
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def markdown(notebook) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def code(notebook) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


@every_chapter
def test_students_get_stubs_and_hints_and_no_solution(path):
    chapter = nbformat.read(path, 4)
    students = student_notebook(chapter)
    nbformat.validate(students)
    text, sources = markdown(students), code(students)
    assert "{solution}" not in text and "sol-ex" not in text
    assert not any({"solution", "checks"} & set(tags_of(cell)) for cell in students.cells)
    for exercise in exercises_of(chapter):
        assert exercise.text in text and exercise.hint in text and exercise.solution not in text
        if exercise.stub is None:
            assert f"**Your answer** to *{exercise.title}*:" in text
        else:
            assert exercise.stub.source in sources
        for cell in exercise.cells:
            assert cell.source not in sources


@every_chapter
def test_cells_of_exercises_are_named_and_keep_their_names(path):
    """By the exercise's label, in the metadata and as the cell's id: graders go by it."""
    chapter = nbformat.read(path, 4)
    students = student_notebook(chapter)
    named = {cell.metadata[EXERCISE]: cell for cell in students.cells if EXERCISE in cell.metadata}
    assert list(named) == [exercise.label for exercise in exercises_of(chapter)]
    for exercise in exercises_of(chapter):
        cell = named[exercise.label]
        assert cell.id == exercise.label
        assert cell.source.startswith(exercise.stub.source if exercise.stub else "**Your answer**")
    (name,) = [cell for cell in students.cells if cell.metadata.get(NAME)]
    assert name.source.startswith(NAME_CELL)
    assert len({cell.id for cell in students.cells}) == len(students.cells)


@every_chapter
def test_instructors_get_every_solution_open_and_in_the_key(path):
    chapter = nbformat.read(path, 4)
    instructors, key = instructor_notebook(chapter), key_of(path.name, chapter)
    nbformat.validate(instructors)
    for solution in re.findall(r"^:{3,}\{solution\}(?:.*\n)*?:{3,}$", markdown(instructors), re.MULTILINE):
        assert ":class: dropdown" not in solution
    assert not any(cell.metadata.get("jupyter") for cell in instructors.cells)
    for exercise in exercises_of(chapter):
        assert exercise.solution in markdown(instructors)
        assert plain_references(exercise.solution, path.name, chapter) in key
        assert exercise.stub is None or exercise.stub.source in key  # a bug is found in the code that has it
        points = [line for line in rubric_of(exercise) if line in key]
        assert exercise.checker or len(points) == 3
        for cell in exercise.cells:
            assert cell.source in code(instructors) and cell.source in key


@every_chapter
def test_the_key_has_no_directives_and_no_references_that_only_the_book_resolves(path):
    key = key_of(path.name, nbformat.read(path, 4))
    prose = re.sub(r"^```(?:.*\n)*?```$", "", key, flags=re.MULTILINE)
    assert not re.search(r"\{[a-z:]+\}`|\\textcolor|\]\(#", prose)


def test_questions_and_bibliography_are_text():
    names = {path.name for path in chapter_paths()}
    pages = {name: (ROOT / "chapters" / f"{name}.md").read_text() for name in ("questions", "bibliography")}
    texts = {name: readable(page, names) for name, page in pages.items()}
    assert not any("{questions}" in text or "{bibliography}" in text for text in texts.values())
    catalogue = read(ROOT / "chapters" / "data" / "questions.yml")["entries"]
    assert all(entry["asked"] in texts["questions"] and entry["answer"] in texts["questions"] for entry in catalogue)
    linked = set(re.findall(r"\]\((ch\d\d_\w+\.ipynb)\)", texts["questions"]))
    assert linked and linked <= names
    keys = re.findall(r"^@\w+\{(.+),$", (ROOT / "references.bib").read_text(), re.MULTILINE)
    assert sorted(re.findall(r'<a id="(.+?)"></a>', texts["bibliography"])) == sorted(keys)
    assert "Attention is all you need" in texts["bibliography"] and not re.search(r"\\[.:-]", texts["bibliography"])
    assert not re.search(r"\]\(ch", readable(pages["questions"], set()))


@every_chapter
def test_the_rest_of_the_chapter_is_the_same(path):
    chapter = nbformat.read(path, 4)
    rest = [cell.source for cell in chapter.cells if not {"solution", "checks", "set-up"} & set(tags_of(cell))]
    rest = [source.strip("\n") for source in rest if "{solution}" not in source]
    sources = [cell.source for cell in student_notebook(chapter).cells]
    assert rest == [source for source in sources if source in set(rest)]
    assert len(rest) > 0.5 * len(chapter.cells)


@pytest.mark.parametrize(
    "path",
    [CHAPTERS[0], *(pytest.param(path, marks=pytest.mark.nightly) for path in CHAPTERS[1:])],
    ids=lambda path: path.stem,
)
@pytest.mark.timeout(900)
def test_a_student_notebook_runs_and_its_checks_say_not_yet(path):
    """As the students open it, before they have written a line; the result is kept like that of a chapter."""
    chapter = nbformat.read(path, 4)
    run = Chapter(path.with_stem(f"students_{path.stem}"), student_notebook(chapter))
    if not run.result.exists():
        execute(run)
    run.result.touch()
    executed = {cell.source: cell.outputs for cell in nbformat.read(run.result, 4).cells if cell.cell_type == "code"}
    for exercise in exercises_of(chapter):
        if exercise.checker:
            display = executed[exercise.stub.source][-1]["data"]["text/plain"]
            assert display.startswith("Not yet"), exercise.title


@every_chapter
def test_a_course_for_nbgrader_has_a_point_for_each_check_and_a_person_for_the_rest(path):
    """The rules of nbgrader's schema 3, and, where it is installed, nbgrader itself."""
    chapter = nbformat.read(path, 4)
    course = nbgrader_notebook(chapter)
    nbformat.validate(course)
    marked = {cell.metadata["nbgrader"]["grade_id"]: cell for cell in course.cells if "nbgrader" in cell.metadata}
    assert len(marked) == len([cell for cell in course.cells if "nbgrader" in cell.metadata])
    for name, cell in marked.items():
        metadata = cell.metadata["nbgrader"]
        assert metadata["schema_version"] == 3 and re.fullmatch(r"[\w-]+", name)
        assert metadata["grade"] == ("points" in metadata) and metadata["locked"] != metadata["solution"]
        assert cell.cell_type == "code" or (metadata["grade"] and metadata["solution"])
    for exercise in exercises_of(chapter):
        if exercise.checker:
            assert marked[exercise.label].source == exercise.stub.source
            assert f"checks.{exercise.checker}(" in marked[f"{exercise.label}-check"].source
        else:
            assert marked[exercise.label].metadata["nbgrader"]["points"] == 3
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module("nbgrader.nbgraderformat").MetadataValidator().validate_nb(course)


def test_the_course_for_nbgrader_is_complete(tmp_path):
    course = write_nbgrader(tmp_path)
    compile((course / "nbgrader_config.py").read_text(encoding="utf8"), "nbgrader_config.py", "exec")
    assert {path.stem for path in CHAPTERS} == {path.name for path in (course / "source").iterdir()}
    for path in CHAPTERS:
        folder = course / "source" / path.stem
        for link in re.findall(r"\]\(([\w./-]+\.(?:md|ipynb))", markdown(nbformat.read(folder / path.name, 4))):
            assert (folder / link).exists(), f"{path.name} links to {link}"
    assert not list(course.rglob("*key.md"))


def test_both_folders_are_complete(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY_URL", "https://github.com/someone/book")
    for folder in write(tmp_path):
        names = {path.name for path in folder.iterdir()}
        assert {path.name for path in CHAPTERS} <= names
        assert any(name.endswith(".whl") for name in names)
        for path in CHAPTERS:
            notebook = nbformat.read(folder / path.name, 4)
            (cell,) = set_up_cells(notebook)
            assert "someone/book" in address_in(cell.source)
            for page in re.findall(r"\]\(([\w-]+\.(?:md|ipynb))", markdown(notebook)):
                assert page in names, f"{path.name} links to {page}"
    for key in ("key.md", "teaching_key.md"):
        assert (tmp_path / "instructors" / key).is_file() and not (tmp_path / "students" / key).exists()


def test_a_branch_for_students_has_their_folder_and_nothing_else(tmp_path):
    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", book, *arguments], check=True, capture_output=True, text=True).stdout

    book, students = tmp_path / "book", tmp_path / "students"
    for folder, file in ((book, "teaching_key.md"), (students, "ch01.ipynb")):
        folder.mkdir()
        (folder / file).write_text("{}")
    git("init", "--quiet", "--initial-branch", "main")
    git("config", "user.email", "a@example.org")
    git("config", "user.name", "A")
    git("add", ".")
    git("commit", "--quiet", "--message", "The book")
    commit(students, "students", book)
    (students / "ch02.ipynb").write_text("{}")
    commit(students, "students", book)
    assert git("ls-tree", "--name-only", "-r", "students").split() == ["ch01.ipynb", "ch02.ipynb"]
    assert git("rev-list", "--count", "students").strip() == "2"  # it goes on, so that a pull can follow it
    assert git("status", "--porcelain") == "" and git("branch", "--show-current").strip() == "main"
