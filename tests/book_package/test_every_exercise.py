"""The exercises of every chapter keep the rules of CONTRIBUTING.md, and their checkers know what they say they know."""

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import nbformat
import numpy as np
import pytest

from _ext.course_notebooks import chapter_paths
from _ext.exercises import (
    CHECKER,
    exercises_of,
    write_stubs,
    wrong_stub,
)
from chapter_tests import imports
from inorder.book.exercise import Exercise, Mistake, Verdict, _size


def slug_of(path: Path) -> str:
    return path.stem.partition("_")[2]


CHAPTERS = {slug_of(path): path for path in chapter_paths()}
BOOK = {slug: exercises_of(nbformat.read(path, 4)) for slug, path in CHAPTERS.items()}
CHECKED = {f"{slug}-{e.label}": (slug, e) for slug, all_ in BOOK.items() for e in all_ if e.checker}


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


@every_chapter
def test_every_exercise_has_a_solution_and_no_label_twice(slug):
    assert all(exercise.solution for exercise in BOOK[slug])
    labels = [exercise.label for exercises in BOOK.values() for exercise in exercises]
    assert len(set(labels)) == len(labels)


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
def test_a_solution_leaves_the_readers_function_alone(slug, exercise):
    """As by *Run All*: what the reader has handed to the checker is still there after the solution's cell."""
    if exercise.kind == "change":
        pytest.skip("the reader sets values, and reads the verdict below them")
    _, name = CHECKER.findall(exercise.stub.source)[-1]
    mine = object()
    scope = imports(CHAPTERS[slug]) | {name: mine}
    exec(exercise.answer.source, scope)
    assert scope[name] is mine


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
