"""The exercises on the permutation proof."""

from collections.abc import Sequence
from math import factorial, prod
from typing import Any

import numpy as np

from inorder.book.exercise import Exercise, Mistake, integers


def _shuffled_case(seed: int, order: Sequence[int], d: int) -> dict[str, Any]:
    return {"rows": integers(seed, len(order), d), "order": np.array(order)}


unshuffle = Exercise(
    name="unshuffle",
    reference=lambda rows, order: rows[np.argsort(order)],
    cases=[
        _shuffled_case(130, [2, 0, 1], 2),
        _shuffled_case(131, [1, 3, 0, 2], 3),
        _shuffled_case(132, [4, 2, 0, 1, 3], 2),
    ],
    mistakes=[
        Mistake(
            "shuffles once more",
            "Row i of the shuffled table is row order[i] of the original. Taking rows[order] again shuffles further.",
            lambda rows, order: rows[order],
        ),
        Mistake(
            "returns the rows as they came",
            "They are still in the shuffled order.",
            lambda rows, order: rows,
        ),
        Mistake(
            "reads the order backwards",
            "Reversing the list does not invert the permutation. np.argsort(order) does.",
            lambda rows, order: rows[order[::-1]],
        ),
        Mistake(
            "sorts the numbers",
            "Rows must stay whole. Sort the order, not the rows, and see where each entry came from.",
            lambda rows, order: np.sort(rows, axis=0),
        ),
    ],
)


def _gap_case(seed: int, order: Sequence[int], d: int) -> dict[str, Any]:
    y = integers(seed, len(order), d)
    return {"y": y, "y_shuffled": y[list(order)] + integers(seed + 1, len(order), d) / 2, "order": np.array(order)}


def _largest_gap(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


equivariance_gap = Exercise(
    name="equivariance_gap",
    reference=lambda y, y_shuffled, order: _largest_gap(y_shuffled, y[order]),
    cases=[
        _gap_case(138, [2, 0, 1], 2),
        _gap_case(212, [1, 2, 3, 0], 3),
        _gap_case(148, [3, 2, 4, 0, 1], 2),
    ],
    mistakes=[
        Mistake(
            "tests for invariance",
            "f(PX) = f(X) says that nothing changes. Equivariance compares f(PX) with P f(X).",
            lambda y, y_shuffled, order: _largest_gap(y_shuffled, y),
        ),
        Mistake(
            "moves the wrong one of the two",
            "f(PX) is in the new order already. It is f(X) that has to be brought into that order.",
            lambda y, y_shuffled, order: _largest_gap(y_shuffled[order], y),
        ),
        Mistake(
            "compares the numbers regardless of their rows",
            "Sorting makes any two tables with the same numbers agree. Rows must match row by row.",
            lambda y, y_shuffled, order: _largest_gap(np.sort(y_shuffled, axis=0), np.sort(y, axis=0)),
        ),
        Mistake(
            "lets differences of opposite sign cancel",
            "Take the absolute value of each difference before you look for the largest.",
            lambda y, y_shuffled, order: abs(float((y_shuffled - y[order]).sum())),
            planted=True,
        ),
        Mistake(
            "takes the mean instead of the largest",
            "One wrong row must not be hidden by many right ones.",
            lambda y, y_shuffled, order: float(np.abs(y_shuffled - y[order]).mean()),
        ),
    ],
)


def _counts(tokens: np.ndarray) -> list[int]:
    return np.unique(tokens, return_counts=True)[1].tolist()


def _divided(number: int, counts: list[int]) -> float:
    """number / Πₜ mₜ!, in whole numbers of any size, as a float that an array can hold."""
    return float(number // prod(factorial(count) for count in counts))


def _in_64_bits(tokens: np.ndarray) -> np.integer:
    number = np.prod(np.arange(1, len(tokens) + 1))
    for count in _counts(tokens):
        number = number // np.prod(np.arange(1, count + 1))
    return number


distinct_orders = Exercise(
    name="distinct_orders",
    reference=lambda tokens: _divided(factorial(len(tokens)), _counts(tokens)),
    cases=[
        {"tokens": np.array([0, 0, 1])},
        {"tokens": np.array([4, 7, 4, 4])},
        {"tokens": np.array([2, 1, 2, 1, 0])},
        {"tokens": np.arange(6)},
        {"tokens": np.array([5, 5, 5, 5, 3, 3, 9, 9])},
        {"tokens": np.array([*range(20), 0, 1])},
    ],
    mistakes=[
        Mistake(
            "counts orders that look the same",
            "Swapping two equal tokens gives the same text: divide by the factorial of each token’s count.",
            lambda tokens: float(factorial(len(tokens))),
        ),
        Mistake(
            "orders the kinds of token, not the tokens",
            "Each occurrence takes its own place.",
            lambda tokens: float(factorial(len(_counts(tokens)))),
        ),
        Mistake(
            "divides by the counts, not by their factorials",
            "Three equal tokens can be swapped among themselves in 3! ways, not in 3.",
            lambda tokens: factorial(len(tokens)) / prod(_counts(tokens)),
        ),
        Mistake(
            "counts texts of any tokens",
            "The tokens are known; only their order is not. No token may be used more often than it occurs.",
            lambda tokens: float(len(_counts(tokens)) ** len(tokens)),
        ),
        Mistake(
            "has overflowed",
            "21! does not fit into 64 bits, and NumPy says nothing. Python’s own whole numbers have no limit: "
            "use them, or math.factorial.",
            _in_64_bits,
        ),
    ],
)
