"""The exercises on how position survives the layers."""

import numpy as np

from inorder.book.exercise import Exercise, Mistake, integers


def _own_and_other(alpha: float, n: int, n_layers: int) -> np.ndarray:
    other = ((1 + alpha) ** n_layers - alpha**n_layers) / n
    return np.array([alpha**n_layers + other, other])


own_and_other = Exercise(
    name="own_and_other",
    reference=_own_and_other,
    cases=[
        {"alpha": 1.0, "n": 4, "n_layers": 1},
        {"alpha": 2.0, "n": 4, "n_layers": 2},
        {"alpha": 0.5, "n": 5, "n_layers": 3},
        {"alpha": 0.0, "n": 3, "n_layers": 2},
    ],
    mistakes=[
        Mistake(
            "leaves out the token’s own share of the average",
            "The average runs over all n tokens, the row’s own among them.",
            lambda alpha, n, n_layers: _own_and_other(alpha, n, n_layers) - [_own_and_other(alpha, n, n_layers)[1], 0],
        ),
        Mistake(
            "counts one layer only",
            "Every layer multiplies by αI + J/n once more, and J/n times J/n is J/n.",
            lambda alpha, n, n_layers: _own_and_other(alpha, n, 1),
        ),
        Mistake(
            "adds up the layers one by one",
            "A layer averages rows that are mixtures already: the coefficients multiply, they do not add.",
            lambda alpha, n, n_layers: np.array([alpha**n_layers + n_layers / n, n_layers / n]),
        ),
    ],
)


def _all_shifts(tokens: np.ndarray) -> np.ndarray:
    return np.array([np.roll(tokens, k) for k in range(len(tokens))])


all_shifts = Exercise(
    name="all_shifts",
    reference=_all_shifts,
    cases=[
        {"tokens": np.array([7, 8, 9])},
        {"tokens": np.array([1, 1, 2, 5])},
        {"tokens": np.array([3, 0, 4, 1, 5, 9])},
    ],
    mistakes=[
        Mistake(
            "shifts the wrong way",
            "Row k is shifted k positions to the right: row 1 begins with the last token.",
            lambda tokens: np.array([np.roll(tokens, -k) for k in range(len(tokens))]),
        ),
        Mistake(
            "leaves the sequence itself out",
            "A shift by 0 is one of the n shifts. Without it each token misses one position.",
            lambda tokens: _all_shifts(tokens)[1:],
        ),
        Mistake(
            "lets tokens fall off the end",
            "What leaves on the right comes back in on the left, or the multiset changes.",
            lambda tokens: np.array(
                [np.concatenate([0 * tokens[:k], tokens[: len(tokens) - k]]) for k in range(len(tokens))]
            ),
        ),
    ],
)


def _cosines(rows: np.ndarray) -> np.ndarray:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def _own_part(rows: np.ndarray) -> float:
    n = len(rows)
    return 1 - (_cosines(rows).sum() - n) / (n * (n - 1))


own_part_of = Exercise(
    name="own_part_of",
    reference=_own_part,
    cases=[
        {"rows": np.array([[2.0, 0.0, 0.0], [3.0, 0.0, 4.0]])},
        {"rows": np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 0.0]])},
        {"rows": integers(5, 5, 3) + np.array([7.0, 0.0, 0.0])},
    ],
    mistakes=[
        Mistake(
            "compares each row with itself too",
            "The cosine of a row with itself is 1. Leave the diagonal out: n(n − 1) pairs remain.",
            lambda rows: 1 - _cosines(rows).mean(),
            planted=True,
        ),
        Mistake(
            "mistakes products for cosines",
            "Divide each row by its norm first.",
            lambda rows: 1 - ((rows @ rows.T).sum() - (rows**2).sum()) / (len(rows) * (len(rows) - 1)),
        ),
        Mistake(
            "returns what the rows share",
            "The own part is 1 minus the mean cosine.",
            lambda rows: 1 - _own_part(rows),
        ),
    ],
)
