"""The exercises on a position that is one number."""

import numpy as np

from inorder.attention import softmax
from inorder.book.exercise import Exercise, Mistake, integers


def _rows(seed: int, n: int) -> np.ndarray:
    return softmax(integers(seed, n, n))


left_share = Exercise(
    name="left_share",
    reference=lambda weights: np.diagonal(weights, -1).mean(),
    cases=[{"weights": _rows(30, 2)}, {"weights": _rows(31, 3)}, {"weights": _rows(32, 6)}],
    mistakes=[
        Mistake(
            "counts row 0, too",
            "Row 0 has no left neighbour. In Python `weights[0, -1]` is the weight of the last word.",
            lambda weights: np.mean([weights[i, i - 1] for i in range(len(weights))]),
            planted=True,
        ),
        Mistake(
            "takes the right neighbour",
            "Rows are queries and columns are keys: the left neighbour of word i is in row i and column i − 1.",
            lambda weights: np.diagonal(weights, 1).mean(),
        ),
        Mistake(
            "divides by the number of words",
            "Of n words, n − 1 have a left neighbour.",
            lambda weights: np.diagonal(weights, -1).sum() / len(weights),
        ),
    ],
)


query_for = Exercise(
    name="query_for",
    reference=lambda target, sharpness: np.array([2 * sharpness * target, -sharpness]),
    cases=[
        {"target": 0.5, "sharpness": 1.0},
        {"target": 0.25, "sharpness": 100.0},
        {"target": 0.8, "sharpness": 30.0},
    ],
    mistakes=[
        Mistake(
            "opens the parabola upwards",
            "Then the target gets the least weight. The score is −sharpness · (s − target)².",
            lambda target, sharpness: np.array([-2 * sharpness * target, sharpness]),
        ),
        Mistake(
            "forgets the 2",
            "(s − t)² = s² − 2ts + t²: the term in s has a factor of 2.",
            lambda target, sharpness: np.array([sharpness * target, -sharpness]),
        ),
        Mistake(
            "returns the target and its square",
            "That is the target’s own key. With it the score is st + s²t², which keeps rising past the target.",
            lambda target, sharpness: sharpness * np.array([target, target**2]),
        ),
    ],
)
