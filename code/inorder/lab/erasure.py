"""Erasure: take out of rows all that a linear reader can say about a label, and as little else as possible.

[1] Belrose et al. 2023, LEACE: Perfect linear concept erasure in closed form, https://arxiv.org/abs/2306.03819
[2] Elazar et al. 2021, Amnesic Probing, https://arxiv.org/abs/2006.00995
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder._arrays import Array, expect
from inorder.lab.probes import _flatten

__all__ = [
    "Eraser",
    "erase",
    "fit_eraser",
]

ROUNDING = 1e-10  # relative to the largest: what is smaller counts as 0


class Eraser(NamedTuple):
    """r(x) = x − (x − mean) reader writer: an affine map that needs no label."""

    mean: Float[np.ndarray, " d"]
    reader: Float[np.ndarray, "d rank"]
    writer: Float[np.ndarray, "rank d"]

    @property
    def rank(self) -> int:
        """How many directions it takes out: the number of classes less one, or fewer."""
        return self.reader.shape[1]


def fit_eraser(rows: Float[Array, "*batch d"], labels: Integer[Array, "*batch"]) -> Eraser:
    """LEACE [1]: of all affine maps that leave the classes equal means, the one that moves the rows least.

        r(x) = x − (x − μ) W U Uᵀ W⁺,    W = Σ^(−1/2), U an orthonormal basis of the class means after whitening by W

    Σ is the covariance of all rows and μ their mean. Afterwards all class means are μ, so on these rows no linear
    classifier fitted by a convex loss beats a constant ([1], theorem 3.1); and E|x − r(x)|² is the least possible
    (theorem 4.3). Directions in which the rows do not vary stay as they are.

    Raises ValueError: rows and labels whose shapes do not fit; fewer than two classes; labels that are not whole
    numbers; NaN or ∞.

    >>> rows = np.array([[0.0, 1.0], [0.0, -1.0], [4.0, 1.0], [4.0, -1.0]])
    >>> erase(rows, fit_eraser(rows, np.array([0, 0, 1, 1])))
    array([[ 2.,  1.],
           [ 2., -1.],
           [ 2.,  1.],
           [ 2., -1.]])
    """
    rows, labels = _flatten(rows, labels)
    classes, counts = np.unique(labels, return_counts=True)
    expect(len(classes) > 1, "rows of two classes or more", f"{len(classes)} in {len(labels)} rows")
    mean = rows.mean(axis=0)
    centred = rows - mean
    variances, axes = np.linalg.eigh(centred.T @ centred / len(rows))
    varying = variances > ROUNDING * variances.max()
    deviations, axes = np.sqrt(variances[varying]), axes[:, varying]  # (axis,), (d, axis)
    class_means = np.stack([centred[labels == label].mean(axis=0) for label in classes])
    whitened = np.sqrt(counts / len(rows))[:, None] * class_means @ axes / deviations  # (class, axis)
    _, sizes, directions = np.linalg.svd(whitened, full_matrices=False)
    directions = directions[sizes > ROUNDING * max(sizes.max(), 1.0)]  # (rank, axis), orthonormal
    return Eraser(mean, axes / deviations @ directions.T, directions * deviations @ axes.T)


def erase(rows: Float[Array, "*batch d"], eraser: Eraser) -> Float[np.ndarray, "*batch d"]:
    """r(x) for every row, in the dtype of the rows.

    Raises ValueError: an eraser that isn't one; rows of another width.

    >>> erase(np.array([[3.0, 5.0]]), Eraser(np.zeros(2), np.array([[1.0], [0.0]]), np.array([[1.0, 0.0]])))
    array([[0., 5.]])
    """
    expect(isinstance(eraser, Eraser), "an Eraser", type(eraser).__name__)
    rows = np.asarray(rows)
    width = len(eraser.mean)
    expect(rows.ndim >= 1 and rows.shape[-1] == width, f"rows of width {width}", rows.shape)
    return (rows - (rows - eraser.mean) @ eraser.reader @ eraser.writer).astype(rows.dtype)
