"""The exercises on the block."""

from typing import Any

import numpy as np

from inorder.book.exercise import Exercise, Mistake, Verdict, integers
from inorder.book.sentence import VALUES, WORDS


def _normed_rows(x: np.ndarray, gain: np.ndarray, eps: float) -> np.ndarray:
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * gain


normed_rows = Exercise(
    name="normed_rows",
    reference=_normed_rows,
    cases=[
        {"x": np.array([[3.0, 4.0, 0.0]]), "gain": np.array([1.0, 2.0, 1.0]), "eps": 0.25},
        {"x": integers(71, 2, 4), "gain": np.ones(4), "eps": 1e-5},
        {"x": integers(72, 5, 6), "gain": integers(73, 6), "eps": 1e-5},
        {"x": np.zeros((2, 8)), "gain": np.ones(8), "eps": 1e-5},
    ],
    mistakes=[
        Mistake(
            "subtracts the mean first",
            "That is a layer norm. An RMS norm leaves the mean where it is.",
            lambda x, gain, eps: _normed_rows(x - x.mean(axis=-1, keepdims=True), gain, eps),
        ),
        Mistake(
            "takes one mean over the whole table",
            "Each row has a size of its own: take the mean along the last axis.",
            lambda x, gain, eps: x / np.sqrt((x**2).mean() + eps) * gain,
        ),
        Mistake(
            "divides by the norm of the row",
            "The norm is the root of the *sum* of the squares. Take the root of their mean.",
            lambda x, gain, eps: x / np.sqrt((x**2).sum(axis=-1, keepdims=True) + eps) * gain,
        ),
        Mistake(
            "leaves out the gain",
            "Each column of the result is multiplied by its gain.",
            lambda x, gain, eps: _normed_rows(x, np.ones_like(gain), eps),
        ),
    ],
)


def difference(w_in: Any, w_out: Any) -> Verdict:
    """Does max(0, x w_in) w_out tell by how much warm and large differ, |warm − large|, for every row x?

    >>> difference([[1], [-1]], [[1]])
    Not yet: “street” is (0, 3), so warm and large differ by 3, and your network says 0.
    >>> difference([[1, -1], [-1, 1]], [[1], [1]]).passed
    True
    """
    w_in, w_out = (np.asarray(w, dtype=float) for w in (w_in, w_out))
    if w_in.ndim != 2 or w_in.shape[0] != 2 or w_out.shape != (w_in.shape[1], 1):
        got = f"{w_in.shape} and {w_out.shape}"
        return Verdict(False, f"Not yet: expected w_in of shape (2, d_ff) and w_out of shape (d_ff, 1), got {got}.")
    others = integers(70, 40, 2)
    rows = np.vstack([VALUES[[0, 2, 4]], others])
    names = [f"“{WORDS[i]}”" for i in (0, 2, 4)] + ["a row"] * len(others)
    says = (np.maximum(0, rows @ w_in) @ w_out)[:, 0]
    for name, (warm, large), message in zip(names, rows, says, strict=True):
        if abs(message - abs(warm - large)) > 1e-9:
            about = f"{name} is ({warm:.0f}, {large:.0f}), so warm and large differ by {abs(warm - large):.0f}"
            return Verdict(False, f"Not yet: {about}, and your network says {message:.3g}.".replace("-", "−"))
    return Verdict(True, f"Correct: right on all {len(rows)} rows, with {w_in.shape[1]} hidden numbers.")
