"""The exercises on a model that generates."""

import numpy as np

from inorder.attention import causal_mask
from inorder.book.exercise import Exercise, Mistake, integers


def _blind_mask(n: int, first: int, second: int) -> np.ndarray:
    mask = np.array(causal_mask(n))
    mask[first : second + 1, first : second + 1] = True
    return mask


def _only_the_two(n: int, first: int, second: int) -> np.ndarray:
    mask = np.array(causal_mask(n))
    mask[first, second] = True
    return mask


def _one_row_short(n: int, first: int, second: int) -> np.ndarray:
    mask = np.array(causal_mask(n))
    mask[first:second, first:second] = True
    return mask


def _looks_ahead(n: int, first: int, second: int) -> np.ndarray:
    mask = np.array(causal_mask(n))
    mask[first : second + 1] = True
    return mask


blind_mask = Exercise(
    name="blind_mask",
    reference=_blind_mask,
    cases=[
        {"n": 6, "first": 1, "second": 4},
        {"n": 5, "first": 1, "second": 2},
        {"n": 9, "first": 2, "second": 6},
    ],
    mistakes=[
        Mistake(
            "lets only the two words see each other",
            "A word between the two sees the first and not the second. That difference tells their order.",
            _only_the_two,
            planted=True,
        ),
        Mistake(
            "stops one row short",
            "The second word belongs to the rows that are opened: a slice ends before its last number.",
            _one_row_short,
        ),
        Mistake(
            "lets them see what comes after both",
            "Open the columns of these rows only: the words after the second say nothing of the order.",
            _looks_ahead,
        ),
    ],
)


def _solved_both_ways(right: np.ndarray, threshold: float) -> np.ndarray:
    return (right.mean(axis=-1) >= threshold).all(axis=-1)


# (template, question, item): mostly the last name; at the threshold; above it
_ANSWERS = np.array(
    [[[1.0, 0, 0, 1, 0], [1, 1, 1, 1, 1]], [[1, 1, 0, 1, 0], [1, 0, 1, 1, 0]], [[1, 1, 0, 1, 1], [1, 1, 1, 1, 1]]]
)

solved_both_ways = Exercise(
    name="solved_both_ways",
    reference=_solved_both_ways,
    cases=[
        {"right": _ANSWERS, "threshold": 0.6},
        {"right": _ANSWERS[::-1, :, :4], "threshold": 0.75},
        {"right": (integers(92, 5, 2, 6) > 0).astype(float), "threshold": 0.5},
    ],
    mistakes=[
        Mistake(
            "averages over both questions",
            "“Always the name mentioned last” is right on every item of one question, so on half of all items. Judge "
            "each question by itself.",
            lambda right, threshold: right.mean(axis=(-1, -2)) >= threshold,
        ),
        Mistake(
            "is satisfied with one of the two questions",
            "Both have to reach the threshold: all, not any.",
            lambda right, threshold: (right.mean(axis=-1) >= threshold).any(axis=-1),
        ),
        Mistake(
            "asks for more than the threshold",
            "Exactly the threshold is enough: ≥.",
            lambda right, threshold: (right.mean(axis=-1) > threshold).all(axis=-1),
        ),
    ],
)
