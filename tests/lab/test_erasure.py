"""Erasure beside the authors' package, and what it must leave: equal means, the smallest change."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from inorder.lab.erasure import Eraser, erase, fit_eraser
from inorder.lab.probes import fit_probe, probe_accuracy

CLASSES, D = 4, 7


def drawn(seed: int = 0, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Rows of four classes, unequally frequent, correlated, with means that differ by about their deviation."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(CLASSES, size=n, p=[0.4, 0.3, 0.2, 0.1])
    rows = rng.normal(size=(n, D)) @ rng.normal(size=(D, D)) + 2 * rng.normal(size=(CLASSES, D))[labels]
    return rows, labels


def test_no_linear_reader_beats_the_base_rate() -> None:
    rows, labels = drawn()
    base = np.bincount(labels).max() / len(labels)
    after = erase(rows, fit_eraser(rows, labels))
    readers = {
        "discriminant": lambda x: probe_accuracy(fit_probe(x, labels), x, labels),
        "logistic": lambda x: LogisticRegression(max_iter=2000).fit(x, labels).score(x, labels),
        "ridge": lambda x: RidgeClassifier().fit(x, labels).score(x, labels),
    }
    for name, accuracy in readers.items():
        assert accuracy(rows) > base + 0.1, name
        assert accuracy(after) == base, name


def test_afterwards_all_means_are_the_mean() -> None:
    rows, labels = drawn(1)
    after = erase(rows, fit_eraser(rows, labels))
    for label in range(CLASSES):
        np.testing.assert_allclose(after[labels == label].mean(axis=0), rows.mean(axis=0), atol=1e-12)


def test_it_is_the_authors_eraser() -> None:
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("concept_erasure")
    rows, labels = drawn(2)
    x, z = torch.tensor(rows), torch.nn.functional.one_hot(torch.tensor(labels)).double()
    fitter = theirs.LeaceFitter(D, CLASSES, dtype=x.dtype, shrinkage=False, constrain_cov_trace=False, svd_tol=1e-9)
    expected = fitter.update(x, z).eraser(x).numpy()
    np.testing.assert_allclose(erase(rows, fit_eraser(rows, labels)), expected, atol=1e-9)


def test_no_other_map_moves_the_rows_less() -> None:
    """Of affine maps that make the class means equal it is the least in mean square: a constrained least squares."""
    rows, labels = drawn(3)
    moved = ((erase(rows, fit_eraser(rows, labels)) - rows) ** 2).sum(axis=1).mean()
    x = rows - rows.mean(axis=0)
    means = np.stack([x[labels == label].mean(axis=0) for label in range(CLASSES)])
    # minimise tr (A − 1)ᵀ Σ (A − 1) over A with means A = 0: one Lagrange system for all columns
    sigma, zeros = x.T @ x / len(x), np.zeros((CLASSES, CLASSES))
    system = np.block([[sigma, means.T], [means, zeros]])
    a = np.linalg.lstsq(system, np.vstack([sigma, np.zeros((CLASSES, D))]), rcond=None)[0][:D]
    np.testing.assert_allclose(moved, ((x @ a - x) ** 2).sum(axis=1).mean(), rtol=1e-9)
    orthogonal = np.linalg.svd(means, full_matrices=False)[2][: CLASSES - 1]
    assert moved < ((x @ orthogonal.T) ** 2).sum(axis=1).mean()


def test_twice_is_once_and_other_rows_need_no_label() -> None:
    rows, labels = drawn(4)
    eraser = fit_eraser(rows[:300], labels[:300])
    once = erase(rows, eraser)
    np.testing.assert_allclose(erase(once, eraser), once, atol=1e-12)
    assert eraser.rank == CLASSES - 1
    single = erase(rows[0].astype(np.float32), eraser)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, once[0], rtol=1e-4)


def test_directions_without_variance_stay() -> None:
    rows, labels = drawn(5)
    flat = np.concatenate([rows, np.full((len(rows), 1), 3.0), rows[:, :1]], axis=1)
    after = erase(flat, fit_eraser(flat, labels))
    np.testing.assert_allclose(after[:, D], 3.0, rtol=1e-12)
    np.testing.assert_allclose(after[:, -1], after[:, 0], atol=1e-9)
    np.testing.assert_allclose(after[:, :D], erase(rows, fit_eraser(rows, labels)), atol=1e-9)


def test_equal_means_leave_nothing_to_erase() -> None:
    rows = np.repeat([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]], 2, axis=0)
    eraser = fit_eraser(rows, np.tile([0, 1], 4))
    assert eraser.rank == 0
    np.testing.assert_array_equal(erase(rows, eraser), rows)


def test_bad_input(types_unchecked: None) -> None:
    rows, labels = drawn()
    with pytest.raises(ValueError, match="expected rows of two classes or more, got 1 in 400 rows"):
        fit_eraser(rows, 0 * labels)
    with pytest.raises(ValueError, match="labels of shape"):
        fit_eraser(rows, labels[1:])
    with pytest.raises(ValueError, match="finite rows"):
        fit_eraser(np.where(rows > 1, np.nan, rows), labels)
    with pytest.raises(ValueError, match="expected an Eraser, got tuple"):
        erase(rows, tuple(fit_eraser(rows, labels)))
    with pytest.raises(ValueError, match=r"expected rows of width 7, got \(400, 6\)"):
        erase(rows[:, 1:], fit_eraser(rows, labels))
    assert isinstance(fit_eraser(rows, labels), Eraser)
