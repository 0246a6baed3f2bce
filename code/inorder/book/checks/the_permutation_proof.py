"""The exercises on the permutation proof."""

from collections.abc import Sequence
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
    ],
)
