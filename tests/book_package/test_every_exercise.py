"""The exercises of every chapter keep the rules of CONTRIBUTING.md, and their checkers know what they say they know."""

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import nbformat
import numpy as np
import pytest

from _ext.course_notebooks import chapter_paths
from _ext.exercises import (
    BUG,
    CHECKER,
    BookExercise,
    as_written_by_reader,
    code_lines,
    exercises_of,
    stub_of,
    write_stubs,
    wrong_stub,
)
from chapter_tests import imports, whole_chapters
from inorder.book.exercise import Exercise, Mistake, Verdict, _size


def slug_of(path: Path) -> str:
    return path.stem.partition("_")[2]


CHAPTERS = {slug_of(path): path for path in chapter_paths()}
BOOK = {slug: exercises_of(nbformat.read(path, 4)) for slug, path in CHAPTERS.items()}
CHECKED = {f"{slug}-{e.label}": (slug, e) for slug, all_ in BOOK.items() for e in all_ if e.checker}
SLIPS = {", keepdims=True": "keepdims", ".T": ".T"}  # what people forget, and what a hint calls it


def checks_of(slug: str) -> ModuleType:
    """The checkers of a chapter; of one that has none, an empty module."""
    name = f"inorder.book.checks.{slug}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else ModuleType(name)


def catalogue() -> dict[str, Exercise]:
    """The exercises of all checkers' modules whose chapter is in the book."""
    return {
        f"{slug}-{name}": each
        for slug in CHAPTERS
        for name, each in vars(checks_of(slug)).items()
        if isinstance(each, Exercise)
    }


CATALOGUE = catalogue()
MISTAKES = [
    pytest.param(exercise, mistake, id=f"{name}-{mistake.says}")
    for name, exercise in CATALOGUE.items()
    for mistake in exercise.mistakes
]
every_whole_chapter = pytest.mark.parametrize("slug", [slug_of(path) for path in whole_chapters()])
every_chapter = pytest.mark.parametrize("slug", CHAPTERS)
every_checked = pytest.mark.parametrize(("slug", "exercise"), CHECKED.values(), ids=CHECKED)
every_checker = pytest.mark.parametrize("checker", CATALOGUE.values(), ids=CATALOGUE)


def verdict_of(slug: str, source: str) -> Verdict:
    """What a cell that ends in a verdict shows."""
    *body, last = ast.parse(source).body
    scope = dict(imports(CHAPTERS[slug]))
    exec(ast.unparse(body), scope)
    return eval(ast.unparse(last), scope)


# ---- the chapters


@every_whole_chapter
def test_a_chapter_has_four_exercises_one_checked_by_code_and_one_in_words(slug):
    kinds = [exercise.kind for exercise in BOOK[slug]]
    assert len(kinds) >= 4
    assert {"in words"} < set(kinds)


@every_chapter
def test_every_exercise_has_a_solution_and_no_label_twice(slug):
    assert all(exercise.solution for exercise in BOOK[slug])
    labels = [exercise.label for exercises in BOOK.values() for exercise in exercises]
    assert len(set(labels)) == len(labels)


@every_checked
def test_a_hint_stands_before_the_solution_and_asks(slug, exercise):
    assert exercise.hint, "no hint: a dropdown 'Hint' before the solution"
    if exercise.stub is not None and exercise.answer is not None:
        solution = as_written_by_reader(exercise.answer.source)
        given_away = [line.strip() for line in code_lines(solution) if line.strip() in exercise.hint]
        assert not [line for line in given_away if len(line) > 12]


# ---- stubs and solutions


@every_checked
def test_a_stub_is_its_solution_but_for_the_blanks(slug, exercise):
    assert list(wrong_stub(exercise)) == []


@every_checked
def test_a_stub_is_not_yet_right_and_a_known_mistake_if_it_has_a_bug(slug, exercise, capsys):
    verdict = verdict_of(slug, exercise.stub.source)
    assert not verdict.passed and verdict.message.startswith("Not yet")
    if exercise.kind == "bug":
        assert verdict.mistake is not None and verdict.mistake.planted, verdict
    assert verdict.mistake is None or verdict.mistake.says not in verdict.message


@every_checked
def test_a_solution_passes_its_check(slug, exercise):
    verdict = verdict_of(slug, exercise.answer.source)
    assert verdict.passed and verdict.message.startswith("Correct") and verdict.mistake is None


@every_checked
def test_a_solution_leaves_the_readers_function_alone(slug, exercise):
    """As by *Run All*: what the reader has handed to the checker is still there after the solution's cell."""
    if exercise.kind == "change":
        pytest.skip("the reader sets values, and reads the verdict below them")
    _, name = CHECKER.findall(exercise.stub.source)[-1]
    mine = object()
    scope = imports(CHAPTERS[slug]) | {name: mine}
    exec(exercise.answer.source, scope)
    assert scope[name] is mine


@every_checked
@pytest.mark.parametrize("slip", SLIPS)
def test_a_common_slip_in_a_solution_is_named(slug, exercise, slip):
    """Forgotten at any place where the solution has it, it is a known mistake or hinted at, or makes no difference."""
    if not isinstance(getattr(checks_of(slug), exercise.checker), Exercise):
        pytest.skip("it checks values and no function")
    source = exercise.answer.source.replace("assert verdict.passed\n", "")
    for result in re.finditer(re.escape(slip) + r"(?!\w)", source):
        verdict = verdict_of(slug, source[: result.start()] + source[result.end() :])
        named = verdict.mistake is not None or SLIPS[slip] in verdict.message
        assert verdict.passed or named, f"{source[: result.end()]}\n\n{verdict}"


def test_what_is_wrong_with_a_stub_is_said():
    def exercise(stub: str, solution: str, title: str = "Twice") -> BookExercise:
        folded = {"jupyter": {"outputs_hidden": True}}
        cells = [nbformat.v4.new_code_cell(source, metadata=folded) for source in (stub, solution)]
        return BookExercise("ex-twice", title, "", stub=cells[0], cells=[cells[1]])

    solution = (
        "# A solution\ndef solution_twice(x):\n    return 2 * x\n\n\nverdict = checks.twice(solution_twice)\nverdict"
    )
    stub = stub_of(solution)
    assert stub.splitlines()[:2] == ["def twice(x):", "    raise NotImplementedError  # your lines go here"]
    assert list(wrong_stub(exercise(stub, solution))) == []
    assert "no cell tagged" in next(wrong_stub(exercise(stub, solution.replace("checks.twice", "checks.thrice"))))
    assert "not the solution with a blank" in next(wrong_stub(exercise(stub.replace("(x)", "(y)", 1), solution)))
    assert "replace the reader's function" in next(wrong_stub(exercise(stub, solution.replace("solution_", ""))))
    shown = exercise(stub, solution)
    shown.cells[0].metadata.clear()
    assert "below the reader's own" in next(wrong_stub(shown))
    bug = stub.replace("raise NotImplementedError  # your lines go here", "return x * x")
    assert "'Find the bug'" in next(wrong_stub(exercise(bug, solution)))
    assert list(wrong_stub(exercise(bug, solution, title=BUG))) == []
    values = "n = 3\nx = 1  # change this\nchecks.even(x)", "# So\nn = 3\nx = 2\nverdict = checks.even(x)\nverdict"
    assert list(wrong_stub(exercise(*values))) == []
    assert "is missing" in next(wrong_stub(exercise(values[0], values[1].replace("n = 3\n", ""))))


def test_stubs_are_written_from_their_solutions(tmp_path):
    slug = next(iter(CHAPTERS))
    notebook = nbformat.read(CHAPTERS[slug], 4)
    path = tmp_path / "chapter.ipynb"
    for exercise in exercises_of(notebook):
        if exercise.kind == "write":
            exercise.stub.source = f"raise NotImplementedError\nchecks.{exercise.checker}({exercise.checker})"
    nbformat.write(notebook, path)
    assert write_stubs(path) and not write_stubs(path)
    assert nbformat.read(path, 4) == nbformat.read(CHAPTERS[slug], 4)


# ---- the checkers


@every_chapter
def test_every_checker_is_used_and_has_the_name_of_its_function(slug):
    checkers = {name: each for name, each in vars(checks_of(slug)).items() if isinstance(each, Exercise)}
    assert [each.name for each in checkers.values()] == list(checkers)
    assert checkers.keys() <= {exercise.checker for exercise in BOOK[slug]}


@every_checker
def test_mistakes_are_three_to_five_and_told_apart(checker):
    messages = {checker(mistake.wrong).message for mistake in checker.mistakes}
    assert len(messages) == len(checker.mistakes) in (3, 4, 5)


@pytest.mark.parametrize(("checker", "mistake"), MISTAKES)
def test_a_known_mistake_is_named_unless_planted_and_the_smallest_failing_input_shown(
    checker: Exercise, mistake: Mistake
):
    verdict = checker(mistake.wrong)
    assert not verdict.passed
    assert verdict.mistake is mistake
    words = " ".join(verdict.message.split())
    name = f"Not yet: {checker.name} {mistake.says}. {mistake.hint} "
    assert words.startswith(name) is not mistake.planted
    assert "The smallest input" in words


@every_checker
def test_cases_differ_in_shape_and_the_smallest_is_not_square(checker):
    cases = sorted(checker.cases, key=_size)
    assert len(cases) >= 3
    answers = [np.shape(checker.reference(*case.values())) for case in cases]
    shapes = {(*map(np.shape, case.values()), answer) for case, answer in zip(cases, answers, strict=True)}
    numbers = {tuple(np.ravel(value).tolist() for value in case.values()).__repr__() for case in cases}
    assert len(shapes) >= 2 or all(np.ndim(value) == 0 for case in cases for value in case.values())
    assert len(numbers) == len(cases)
    for name, value in cases[0].items():
        if not all(square(case[name]) for case in cases):
            assert not square(value), f"{name} is square: a missing transpose or a wrong axis may not show"


def square(value) -> bool:
    return np.ndim(value) >= 2 and np.shape(value)[-1] == np.shape(value)[-2] > 1
