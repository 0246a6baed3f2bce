"""The exercises on other layers that mix words."""

import numpy as np

from inorder.book.exercise import Exercise, Mistake, integers


def _gap(before: np.ndarray, after: np.ndarray, order: np.ndarray) -> float:
    return np.abs(after - before[order]).max()


order_gap = Exercise(
    name="order_gap",
    reference=_gap,
    cases=[
        {"before": integers(50, 3, 1), "after": integers(50, 3, 1)[[2, 0, 1]], "order": np.array([2, 0, 1])},
        {"before": integers(51, 4, 2), "after": integers(52, 4, 2), "order": np.array([1, 2, 3, 0])},
        {"before": integers(53, 5, 3), "after": integers(54, 5, 3), "order": np.array([3, 0, 4, 1, 2])},
    ],
    mistakes=[
        Mistake(
            "shuffles the output once more",
            "f(PX) has been shuffled already. It is f(X) that still needs its P.",
            lambda before, after, order: np.abs(after[order] - before).max(),
            planted=True,
        ),
        Mistake(
            "does not move the old output at all",
            "That asks whether the layer is invariant, f(PX) = f(X). Equivariance is f(PX) = P f(X).",
            lambda before, after, order: np.abs(after - before).max(),
        ),
        Mistake(
            "compares sums over the rows",
            "A sum over the rows hides every shuffle. Compare row by row.",
            lambda before, after, order: np.abs(after.sum(axis=0) - before.sum(axis=0)).max(),
        ),
    ],
)


def _linear_attention(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    """(n, m), (n, m), (n, d_value): each row sees itself and what comes before it."""
    summary = np.cumsum(key[:, :, None] * value[:, None, :], axis=0)  # (n, m, d_value)
    total = np.cumsum(key, axis=0)  # (n, m)
    return np.einsum("im,imd->id", query, summary) / (query * total).sum(axis=1, keepdims=True)


def _features(seed: int, n: int, m: int) -> np.ndarray:
    return np.abs(integers(seed, n, m)) + 1.0


running_attention = Exercise(
    name="running_attention",
    reference=_linear_attention,
    cases=[
        {"query": _features(60, n, m), "key": _features(61, n, m), "value": integers(62, n, d)}
        for n, m, d in ((2, 1, 1), (3, 2, 1), (5, 3, 2))
    ],
    mistakes=[
        Mistake(
            "lets every word see the whole text",
            "A word may see itself and what comes before it: both have to be running sums.",
            lambda query, key, value: (query @ (key.T @ value)) / (query @ key.sum(axis=0))[:, None],
        ),
        Mistake(
            "forgets to divide",
            "The weights of a row have to add up to 1: divide by the query times the running sum of the keys.",
            lambda query, key, value: np.einsum(
                "im,imd->id", query, np.cumsum(key[:, :, None] * value[:, None, :], axis=0)
            ),
        ),
        Mistake(
            "divides by the sum over the whole text",
            "The sum in the denominator must stop at the word itself, as the one in the numerator does.",
            lambda query, key, value: (
                np.einsum("im,imd->id", query, np.cumsum(key[:, :, None] * value[:, None, :], axis=0))
                / (query @ key.sum(axis=0))[:, None]
            ),
        ),
    ],
)
