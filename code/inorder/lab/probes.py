"""Probes: a linear read-out, fitted to the rows of a model, that says what can be read there (and is no part of it).

[1] Alain and Bengio 2016, Understanding Intermediate Layers Using Linear Classifier Probes,
    https://arxiv.org/abs/1610.01644
[2] Hastie, Tibshirani and Friedman 2009, The Elements of Statistical Learning, section 4.3
    https://doi.org/10.1007/978-0-387-84858-7
[3] Belinkov 2022, Probing Classifiers: Promises, Shortcomings, and Advances, https://arxiv.org/abs/2102.12452
"""

from numbers import Integral

import numpy as np
from jaxtyping import Float, Integer

from inorder._arrays import Array, expect
from inorder._extras import extra

with extra("lab", needed_by="inorder.lab.probes"):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

__all__ = [
    "fit_probe",
    "place_labels",
    "position_accuracy",
    "probe_accuracy",
]

SHRINKAGE = 1e-3


def fit_probe(
    rows: Float[Array, "*batch d"], labels: Integer[Array, "*batch"], *, shrinkage: float = SHRINKAGE
) -> LinearDiscriminantAnalysis:
    """Linear discriminant analysis [2]: the class whose mean is nearest, in units of the deviation within the classes.

        guess(x) = argmax_k  x Σ⁻¹ μ_kᵀ − μ_k Σ⁻¹ μ_kᵀ/2 + log(share of class k)

    μ_k is the mean of the rows of class k and Σ the covariance within the classes, mixed with `shrinkage` parts of a
    multiple of the identity, so that it has an inverse. A closed form: no start, no step size, no seed; and rows that
    are all multiplied by one number, turned, or moved give the same guesses.

    Raises ValueError: rows and labels whose shapes do not fit; fewer than two classes; labels that are not whole
    numbers; NaN or ∞; a shrinkage outside 0 … 1.

    >>> rows = np.array([[-1.1], [-0.9], [0.9], [1.1]])
    >>> fit_probe(rows, np.array([0, 0, 1, 1])).predict(np.array([[-0.1], [0.1]]))
    array([0, 1])
    """
    rows, labels = _flatten(rows, labels)
    expect(0 <= shrinkage <= 1, "a shrinkage from 0 to 1", shrinkage)
    expect(len(np.unique(labels)) > 1, "rows of two classes or more", f"{len(np.unique(labels))} in {len(labels)} rows")
    scale = rows.std() or 1.0  # scikit-learn's solver has an absolute tolerance
    probe = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(rows / scale, labels)
    probe.coef_ /= scale
    return probe


def probe_accuracy(
    probe: LinearDiscriminantAnalysis,
    rows: Float[Array, "*batch d"],
    labels: Integer[Array, "*batch"],
    *,
    within: int = 0,
) -> float:
    """The share of the rows whose label the probe guesses, give or take `within`.

    Raises ValueError: as `fit_probe`; a width that is not the probe's; a within that is not a whole number, 0 or more.

    >>> probe = fit_probe(np.array([[0.0], [0.2], [1.0], [1.2], [2.0], [2.2]]), np.array([0, 0, 1, 1, 2, 2]))
    >>> rows, labels = np.array([[0.1], [1.9]]), np.array([0, 1])
    >>> probe_accuracy(probe, rows, labels), probe_accuracy(probe, rows, labels, within=1)
    (0.5, 1.0)
    """
    rows, labels = _flatten(rows, labels)
    expect(rows.shape[1] == probe.n_features_in_, f"rows of width {probe.n_features_in_}", rows.shape[1])
    expect(isinstance(within, Integral) and within >= 0, "within to be a whole number, 0 or more", repr(within))
    return float(np.mean(np.abs(probe.predict(rows) - labels) <= within))


def position_accuracy(
    train: Float[Array, "batch position d"],
    test: Float[Array, "test_batch position d"],
    *,
    within: int = 0,
) -> float:
    """Can a linear probe tell which row it is reading? Fitted on the rows of `train`, accuracy on those of `test`.

    Raises ValueError: as `fit_probe` and `probe_accuracy`; train and test that differ in length.

    >>> rng = np.random.default_rng(0)
    >>> places = np.eye(4, 6)  # (position, d)
    >>> train, test = (places + 0.01 * rng.normal(size=(20, 4, 6)) for _ in range(2))
    >>> position_accuracy(train, test)
    1.0
    """
    n = train.shape[-2]
    expect(test.shape[-2] == n, f"test sequences of {n} rows, as in training", test.shape[-2])
    probe = fit_probe(train, place_labels(train))
    return probe_accuracy(probe, test, place_labels(test), within=within)


def place_labels(rows: Float[Array, "*batch position d"]) -> Integer[np.ndarray, "*batch position"]:
    """0, 1, 2 … for the rows of every sequence: the labels of a position probe."""
    return np.broadcast_to(np.arange(rows.shape[-2]), rows.shape[:-1])


def _flatten(rows: Array, labels: Array) -> tuple[np.ndarray, np.ndarray]:
    """(n, d) in float64 and (n,), checked."""
    rows, labels = _as_numpy(rows), _as_numpy(labels)
    expect(rows.ndim >= 2 and rows.size > 0, "rows of shape (..., d) with no empty axis", rows.shape)
    expect(labels.shape == rows.shape[:-1], f"labels of shape {rows.shape[:-1]}, one for each row", labels.shape)
    expect(np.issubdtype(labels.dtype, np.integer), "labels that are whole numbers", labels.dtype)
    rows = rows.reshape(-1, rows.shape[-1]).astype(np.float64)
    expect(np.isfinite(rows).all(), "finite rows", "NaN or ∞")
    return rows, labels.reshape(-1)


def _as_numpy(x: Array) -> np.ndarray:
    if not hasattr(x, "detach"):
        return np.asarray(x)
    x = x.detach().cpu()
    return (x.double() if x.is_floating_point() else x).numpy()  # (NumPy has no bfloat16)
