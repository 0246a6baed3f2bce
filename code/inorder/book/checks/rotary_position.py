"""The exercises on rotary position."""

from typing import Any

import numpy as np

from inorder.book.exercise import Exercise, Mistake, Verdict, integers
from inorder.encodings import rotary_encoding


def _rope(x: np.ndarray, positions: np.ndarray, *, sign: int = 1) -> np.ndarray:
    """Each pair, columns j and d/2 + j, as one complex number."""
    first, second = np.split(x, 2, axis=1)
    omega = 10_000.0 ** (-np.arange(first.shape[1]) / first.shape[1])
    turned = (first + 1j * second) * np.exp(sign * 1j * np.outer(positions, omega))
    return np.concatenate([turned.real, turned.imag], axis=1)


def _with_angles(x: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Columns half a head apart, turned by one angle for each column, (n, d), as `rotate_half` does it."""
    first, second = np.split(x, 2, axis=1)
    return x * np.cos(angles) + np.concatenate([-second, first], axis=1) * np.sin(angles)


def _angles(x: np.ndarray, positions: np.ndarray, of_columns: np.ndarray) -> np.ndarray:
    """The angle of each column, whose pair is that number."""
    return np.outer(positions, 10_000.0 ** (-2 * of_columns / x.shape[1]))


def _in_halves(x: np.ndarray) -> np.ndarray:
    return np.arange(x.shape[1]) % (x.shape[1] // 2)


def _neighbours(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    order = np.arange(x.shape[1]).reshape(-1, 2).T.ravel()  # evens, then odds
    return _rope(x[:, order], positions)[:, np.argsort(order)]


rope = Exercise(
    name="rope",
    reference=_rope,
    cases=[
        {"x": integers(1, 3, 2), "positions": np.array([0, 1, 2])},
        {"x": integers(2, 2, 4), "positions": np.array([1, 3])},
        {"x": integers(3, 4, 8), "positions": np.array([5, 0, 2, 40])},
    ],
    mistakes=[
        Mistake(
            "gives neighbouring columns one angle",
            "A pair is columns j and d/2 + j: those two need the same angle.",
            lambda x, positions: _with_angles(x, _angles(x, positions, np.arange(x.shape[1]) // 2)),
            planted=True,
        ),
        Mistake(
            "turns pairs of neighbours",
            "Here a pair is half a head apart: column j and column d/2 + j.",
            _neighbours,
        ),
        Mistake(
            "turns the other way",
            "Minus one goes with the second half: (x1, x2) becomes (x1 cos − x2 sin, x2 cos + x1 sin).",
            lambda x, positions: _rope(x, positions, sign=-1),
        ),
        Mistake(
            "turns all pairs at one speed",
            "Pair j turns by 10,000^(−2j/d) at each position, not all of them by 1.",
            lambda x, positions: _with_angles(x, _angles(x, positions, 0 * _in_halves(x))),
        ),
    ],
)


def looks_left(query: Any, key: Any) -> Verdict:
    """Does RoPE make every word but the first look most at the word to its left, if all have this query and this key?

    >>> looks_left(np.ones(8), np.ones(8))
    Not yet: the word at position 1 looks most at itself. Query and key agree best at distance 0.
    >>> looks_left(rotary_encoding(np.ones((1, 8)), np.array([-1]))[0], np.ones(8)).passed
    True
    """
    rows = [np.asarray(row, dtype=float) for row in (query, key)]
    for name, row in zip(("query", "key"), rows, strict=True):
        if row.shape != (8,):
            return Verdict(False, f"Not yet: expected a {name} of shape (8,), got {row.shape}.")
    place = np.arange(12)
    turned = [rotary_encoding(np.tile(row, (len(place), 1)), place) for row in rows]
    scores = turned[0] @ turned[1].T  # (query, key)
    for i in place[1:]:
        best = int(scores[i].argmax())
        if best == i - 1 and scores[i, i - 1] > np.delete(scores[i], i - 1).max() + 1e-9:
            continue
        if np.ptp(scores[i]) < 1e-9:
            return Verdict(False, f"Not yet: the word at position {i} looks at all words equally.")
        if best == i:
            message = f"the word at position {i} looks most at itself. Query and key agree best at distance 0."
        else:
            side = "right" if best > i else "left"
            message = f"the word at position {i} looks most {abs(best - i)} to the {side}."
        return Verdict(False, f"Not yet: {message}")
    return Verdict(True, "Correct: every word but the first looks most at the word to its left.")
