"""An exercise accepts what is right, and names what is wrong."""

import re

import numpy as np
import pytest

from inorder.attention import softmax
from inorder.book.exercise import Exercise, Mistake

DOUBLE = Exercise(
    name="double",
    reference=lambda x: 2 * x,
    cases=[{"x": np.arange(6.0).reshape(2, 3)}, {"x": np.array([3.0, 5.0])}],
    mistakes=[
        Mistake("squares", "Not times itself.", lambda x: x * x),
        Mistake("squares the small", "Only some.", lambda x: x * x if x.ndim == 1 else 2 * x),
    ],
)


def test_named_mistake_agrees_on_the_most_cases():
    assert DOUBLE(lambda x: x * x).mistake.says == "squares"
    assert DOUBLE(DOUBLE.mistakes[1].wrong).mistake.says == "squares the small"


def test_the_planted_mistake_is_not_named_and_any_other_is():
    planted = Mistake("squares", "Not times itself.", lambda x: x * x, planted=True)
    found = Exercise("double", DOUBLE.reference, DOUBLE.cases, [planted, Mistake("halves", "Twice!", lambda x: x / 2)])
    verdict = found(lambda x: x * x)
    assert verdict.mistake is planted and "your function gave" in verdict.message
    assert "squares" not in verdict.message and "Not times" not in verdict.message
    assert "halves" in found(lambda x: x / 2).message


@pytest.mark.parametrize("function", [DOUBLE.reference, softmax], ids=["the reference", "the package's"])
def test_the_books_own_function_does_not_pass(function):
    own = Exercise("my_softmax", softmax, DOUBLE.cases, [])
    for exercise in (own, DOUBLE):
        if function in (exercise.reference, softmax):
            verdict = exercise(function)
            assert not verdict.passed and f"Write {exercise.name} yourself" in verdict.message
    assert own(lambda x: softmax(x)).passed


def test_a_slip_that_fails_is_named():
    """The sums of the rows without their axis: broadcasting fails wherever the table is not square."""
    shares = Exercise(
        name="shares",
        reference=lambda x: x / x.sum(axis=1, keepdims=True),
        cases=[{"x": np.arange(1.0, 7.0).reshape(2, 3)}],
        mistakes=[Mistake("forgets keepdims", "Keep the axis.", lambda x: x / x.sum(axis=1))],
    )
    verdict = shares(lambda x: x / x.sum(1))
    assert verdict.mistake.says == "forgets keepdims" and "ValueError: operands could not be" in verdict.message
    assert shares(lambda x: x[5]).mistake is None


def test_an_error_of_shapes_gets_the_usual_hint():
    table = {"x": np.arange(6.0).reshape(2, 3)}
    products = Exercise("products", lambda x: x @ x.T, [table], mistakes=[])
    assert "a transpose, `.T`, missing?" in " ".join(products(lambda x: x @ x).message.split())
    shares = Exercise("shares", lambda x: x / x.sum(axis=1, keepdims=True), [table], mistakes=[])
    assert "`keepdims=True`" in shares(lambda x: x / x.sum(axis=1)).message


def test_smallest_failing_input_is_shown_with_both_answers():
    message = DOUBLE(lambda x: 2 * x + 1).message
    assert "[3. 5.]" in message and "shape (2,)" in message  # the second case is the smaller one
    assert "expected, shape (2,)\n    [ 6. 10.]" in message
    assert "your function gave, shape (2,)\n    [ 7. 11.]" in message


def changes_its_input(x):
    x *= 2
    return x


@pytest.mark.parametrize(
    ("student", "message"),
    [
        (lambda x: None, "returned None. Is the `return` missing?"),
        (lambda x: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda: 0, "raised TypeError"),
        (lambda x: "six", "expected an array of numbers, your function returned str"),
        (lambda x: [[1], [1, 2]], "raised ValueError|expected an array of numbers"),
        (lambda x: x[None] + x, r"expected shape \(2,\), your function gave shape \(1, 2\)"),
        (lambda x: 2 * x + 1, "the numbers differ, in a way that this check doesn’t recognise"),
        (changes_its_input, "changes its input"),
        (np.array([6.0, 10.0]), "expected a function, got ndarray"),
    ],
)
def test_wrong_answer_of_no_known_kind(student, message):
    verdict = DOUBLE(student)
    assert not verdict.passed and verdict.mistake is None
    assert re.search(message, " ".join(verdict.message.split()))


def test_unwritten_function():
    def todo(x):
        raise NotImplementedError

    assert repr(DOUBLE(todo)) == "Not yet: double hasn’t been written yet."


def test_another_right_way_is_accepted():
    assert DOUBLE(lambda x: (x + x).tolist()).passed
