"""The exercises on adding and concatenating."""

from typing import Any

import numpy as np

from inorder.book.exercise import Exercise, Mistake, Verdict, integers
from inorder.circuits import Head, head_weights
from inorder.encodings import sinusoidal_encoding


def _projections(x: np.ndarray, p: np.ndarray, w: np.ndarray) -> np.ndarray:
    return x @ w[: x.shape[1]] + p @ w[x.shape[1] :]


sum_of_projections = Exercise(
    name="sum_of_projections",
    reference=_projections,
    cases=[
        {"x": integers(1, 1, 2), "p": integers(2, 1, 3), "w": integers(3, 5, 2)},
        {"x": integers(4, 3, 2), "p": integers(5, 3, 2), "w": integers(6, 4, 3)},
        {"x": integers(7, 2, 3), "p": integers(8, 2, 5), "w": integers(9, 8, 2)},
    ],
    mistakes=[
        Mistake(
            "gives the position the first rows of W",
            "[x; p] has the token first, so the first d_x rows of W meet the token.",
            lambda x, p, w: x @ w[p.shape[1] :] + p @ w[: p.shape[1]],
        ),
        Mistake(
            "multiplies both by the first rows of W",
            "That gives the position rows that belong to the token. Side by side, each part has rows of its own.",
            lambda x, p, w: x @ w[: x.shape[1]] + p @ w[: p.shape[1]],
            planted=True,
        ),
        Mistake(
            "leaves out the position",
            "Each part meets its own rows of W, and the results add up.",
            lambda x, p, w: x @ w[: x.shape[1]],
        ),
    ],
)


def _is_exact(x: np.ndarray, p: np.ndarray) -> bool:
    tokens, positions = x - x[0], p - p[0]
    both = np.concatenate([tokens, positions])
    return _rank(both) == _rank(tokens) + _rank(positions)


def _rank(matrix: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(matrix))


_E = np.eye(4)
_PLANE = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])

is_exact = Exercise(
    name="is_exact",
    reference=_is_exact,
    cases=[
        {"x": np.array([[1.0, 0.0], [2.0, 0.0]]), "p": np.array([[0.0, 0.0], [1.0, 0.0]])},  # one direction for both
        {
            "x": np.array([[3.0, 1.0], [1.0, 1.0]]),
            "p": np.array([[3.0, 1.0], [3.0, 2.0]]),
        },  # spans meet, differences not
        {"x": np.array([[1.0], [2.0], [4.0]]), "p": np.array([[0.0], [8.0]])},
        {"x": _PLANE, "p": np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])},
        {"x": _PLANE, "p": np.array([[0.0, 0.0, 5.0], [2.0, -1.0, 5.0]])},
        {"x": _E[:3], "p": 2 * _E[[3, 0]]},
        {"x": integers(1, 3, 4), "p": integers(2, 3, 4)},  # 3 + 3 − 2 = 4
        {"x": integers(3, 4, 4), "p": integers(4, 4, 4)},
        {"x": np.repeat(integers(5, 2, 4), 3, axis=0), "p": integers(6, 4, 4)},  # six tokens, but two kinds
    ],
    mistakes=[
        Mistake(
            "compares the spans of the rows",
            "An affine map has a bias, which takes care of anything that all rows share. Only differences count.",
            lambda x, p: _rank(np.concatenate([x, p])) == _rank(x) + _rank(p),
        ),
        Mistake(
            "counts rows instead of ranks",
            "n_vocab + n_pos − 2 ≤ d is the rule for tables in general position. A table may have fewer directions "
            "than rows, and two tables may share one.",
            lambda x, p: len(x) + len(p) - 2 <= x.shape[1],
        ),
        Mistake(
            "compares the ranks with the width",
            "Two small spans fit into a wide space and may still meet, like two copies of one line.",
            lambda x, p: _rank(x - x[0]) + _rank(p - p[0]) <= x.shape[1],
        ),
    ],
)


def own_word_tables() -> tuple[np.ndarray, np.ndarray]:
    """The vectors of 12 words, (12, 64), and the sinusoids of 40 positions, (40, 64), all equally long."""
    words = np.random.default_rng(12).normal(size=(12, 64))
    words *= np.sqrt(32) / np.linalg.norm(words, axis=1, keepdims=True)
    return words, sinusoidal_encoding(np.arange(40), 64)


def finds_its_own_word(readout: Any) -> Verdict:
    """Does a head that reads through this (64, 64) matrix share its attention evenly among equal words?

    >>> finds_its_own_word(np.eye(64)).passed
    False
    """
    try:
        readout = np.asarray(readout, dtype=float)
    except (TypeError, ValueError):
        return Verdict(False, f"Not yet: expected a matrix of numbers, got {type(readout).__name__}.")
    if readout.shape != (64, 64) or not np.isfinite(readout).all():
        return Verdict(False, f"Not yet: expected finite numbers in the shape (64, 64), got {readout.shape}.")
    words, positions = own_word_tables()
    text = np.random.default_rng(40).integers(12, size=40)
    x = words[text] + positions
    weights = head_weights(x, x, Head(readout, readout, 16.0))  # (query, key)
    same = text[:, None] == text
    on_own = (weights * same).sum(axis=1).min()
    fair = np.abs(np.where(same, weights - 1 / same.sum(axis=1, keepdims=True), 0)).max()
    if on_own > 0.99 and fair < 0.01:
        return Verdict(True, f"Correct: every row gives its own word at least {on_own:.3f}, shared evenly.")
    if np.abs(words @ readout).max() < 0.1:
        message = "this readout cancels the words. A head that looks for words must keep them."
    elif on_own > 0.99:
        message = "every row looks at its own word, but not evenly: it prefers the tokens that are near."
    else:
        message = f"some row gives its own word only {on_own:.2f} of its attention."
    return Verdict(False, f"Not yet: {message}")
