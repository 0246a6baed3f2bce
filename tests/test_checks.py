"""The checkers accept what is right, and name what is wrong."""

import json
import re

import numpy as np
import pytest

from built_site import ROOT
from inorder import checks
from inorder.attention import softmax
from inorder.checks import Exercise, Mistake, check_masked_attention, check_softmax, check_split_heads

EXERCISES = {name: each for name, each in vars(checks).items() if isinstance(each, Exercise)}
MISTAKES = [(name, mistake) for name, exercise in EXERCISES.items() for mistake in exercise.mistakes]
DOUBLE = Exercise(
    name="double",
    reference=lambda x: 2 * x,
    cases=[{"x": np.arange(6.0).reshape(2, 3)}, {"x": np.array([3.0, 5.0])}],
    mistakes=[
        Mistake("squares", "Not times itself.", lambda x: x * x),
        Mistake("squares the small", "Only some.", lambda x: x * x if x.ndim == 1 else 2 * x),
    ],
)


def solutions() -> dict[str, str]:
    """Cells tagged `solution` in the chapters, by the checker that each calls."""
    cells = [cell for path in (ROOT / "chapters").glob("*.ipynb") for cell in json.loads(path.read_text())["cells"]]
    sources = ["".join(cell["source"]) for cell in cells if "solution" in cell["metadata"].get("tags", [])]
    return {re.search(r"(check_\w+)\(", source)[1]: source for source in sources}


@pytest.mark.parametrize("name", EXERCISES)
def test_solution_of_the_chapter_is_accepted(name):
    scope = {"np": np, "softmax": softmax, **EXERCISES}
    exec(solutions()[name], scope)
    verdict = scope["verdict"]
    assert verdict.passed and verdict.message.startswith("Correct")
    assert verdict.mistake is None


@pytest.mark.parametrize("name", EXERCISES)
def test_mistakes_are_at_least_three_and_told_apart(name):
    messages = {EXERCISES[name](mistake.wrong).message for mistake in EXERCISES[name].mistakes}
    assert len(messages) == len(EXERCISES[name].mistakes) >= 3


@pytest.mark.parametrize(("name", "mistake"), MISTAKES, ids=[f"{n}-{m.says}" for n, m in MISTAKES])
def test_known_mistake_is_named(name, mistake):
    verdict = EXERCISES[name](mistake.wrong)
    assert not verdict.passed
    assert verdict.mistake is mistake
    words = " ".join(verdict.message.split())
    assert words.startswith(f"Not yet: {EXERCISES[name].name} {mistake.says}. {mistake.hint} The smallest input")


def test_named_mistake_agrees_on_the_most_cases():
    assert DOUBLE(lambda x: x * x).mistake.says == "squares"
    assert DOUBLE(DOUBLE.mistakes[1].wrong).mistake.says == "squares the small"


def test_two_mistakes_at_once_name_one_of_them():
    assert check_softmax(lambda s: np.exp(s) / np.exp(s).sum(axis=-2, keepdims=True)).mistake.says == (
        "normalises over the wrong axis"
    )


def test_smallest_failing_input_is_shown_with_both_answers():
    message = DOUBLE(lambda x: 2 * x + 1).message
    assert "[3. 5.]" in message and "shape (2,)" in message  # the second case is the smaller one
    assert "expected, shape (2,)\n    [ 6. 10.]" in message
    assert "your function gave, shape (2,)\n    [ 7. 11.]" in message


def test_failure_on_a_larger_input_only_is_found():
    assert "shape (2, 3)" in DOUBLE(lambda x: 2 * x if x.ndim == 1 else 3 * x).message


def changes_its_input(x):
    x *= 2
    return x


@pytest.mark.parametrize(
    ("student", "said"),
    [
        (lambda x: None, "returned None. Is the `return` missing?"),
        (lambda x: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda: 0, "raised TypeError"),
        (lambda x: "six", "expected an array of numbers, your function returned str"),
        (lambda x: [[1], [1, 2]], "raised ValueError|expected an array of numbers"),
        (lambda x: x[None] + x, r"expected shape \(2,\), your function gave shape \(1, 2\)"),
        (lambda x: 2 * x + 1, "the numbers differ, and not in a way that this check knows"),
        (changes_its_input, "changes its input"),
        (np.array([6.0, 10.0]), "expected a function, got ndarray"),
    ],
)
def test_wrong_answer_of_no_known_kind(student, said):
    verdict = DOUBLE(student)
    assert not verdict.passed and verdict.mistake is None
    assert re.search(said, " ".join(verdict.message.split()))


def test_unwritten_function():
    def todo(x):
        raise NotImplementedError

    assert repr(DOUBLE(todo)) == "Not yet: double is still to be written."


def test_other_right_ways_are_accepted():
    assert DOUBLE(lambda x: (x + x).tolist()).passed
    assert check_softmax(lambda s: np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))).passed
    assert check_split_heads(lambda x, h: np.stack(np.split(x, h, axis=1))).passed

    def huge_penalty(query, key, value, mask):
        weights = np.exp(query @ key.T / np.sqrt(query.shape[-1]) - 1e6 * ~mask)
        return weights @ value / weights.sum(axis=1, keepdims=True)

    assert check_masked_attention(huge_penalty).passed
