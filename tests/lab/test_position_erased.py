"""Position erased: the eraser beside its authors' package and what it must leave; the record beside the models."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from inorder.lab.probes import fit_probe, place_labels
from inorder.pretrained import decoder, encoder
from inorder.stored import read_record
from inorder.transformer import embed
from pretrained_files import why_missing
from studies.position_erased import N_LAYERS, fit_eraser, listed_pairs, run, sentence_rows

STORED = read_record("position_erased.json")
N_TEXTS, N_POSITIONS, D = 100, 4, 7


def drawn(seed: int = 0) -> np.ndarray:
    """Rows of four positions, correlated, with means that differ by about their deviation."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(N_TEXTS, N_POSITIONS, D)) @ rng.normal(size=(D, D))
    return noise + 2 * rng.normal(size=(N_POSITIONS, D))


def test_no_linear_reader_beats_a_guess():
    """Whatever is fitted to the erased rows, its coefficients are the same for every position."""
    rows = drawn()
    labels = place_labels(rows).ravel()
    readers = {
        "discriminant": fit_probe,
        "logistic": lambda x, labels: LogisticRegression(max_iter=2000, tol=1e-9).fit(x, labels),
        "ridge": lambda x, labels: RidgeClassifier().fit(x, labels),
    }
    for name, fit in readers.items():
        before, after = (fit(x.reshape(-1, D), labels).coef_ for x in (rows, fit_eraser(rows).erase(rows)))
        assert np.ptp(before, axis=0).max() > 0.1, name
        assert np.ptp(after, axis=0).max() < 1e-6, name


def test_afterwards_all_means_are_the_mean():
    rows = drawn(1)
    after = fit_eraser(rows).erase(rows)
    np.testing.assert_allclose(after.mean(axis=0), np.tile(rows.mean(axis=(0, 1)), (N_POSITIONS, 1)), atol=1e-12)


def test_it_is_the_authors_eraser():
    torch = pytest.importorskip("torch")
    theirs = pytest.importorskip("concept_erasure")
    rows = drawn(2)
    x = torch.tensor(rows.reshape(-1, D))
    z = torch.nn.functional.one_hot(torch.tensor(place_labels(rows).ravel().copy())).double()
    settings = {"dtype": x.dtype, "shrinkage": False, "constrain_cov_trace": False, "svd_tol": 1e-9}
    expected = theirs.LeaceFitter(D, N_POSITIONS, **settings).update(x, z).eraser(x).numpy()
    np.testing.assert_allclose(fit_eraser(rows).erase(rows).reshape(-1, D), expected, atol=1e-9)


def test_no_other_map_moves_the_rows_less():
    """Of affine maps that make the means equal it is the least in mean square: a constrained least squares."""
    rows = drawn(3)
    moved = ((fit_eraser(rows).erase(rows) - rows) ** 2).sum(axis=-1).mean()
    x = (rows - rows.mean(axis=(0, 1))).reshape(-1, D)
    means = x.reshape(rows.shape).mean(axis=0)
    # minimise tr (A − 1)ᵀ Σ (A − 1) over A with means A = 0: one Lagrange system for all columns
    sigma, zeros = x.T @ x / len(x), np.zeros((N_POSITIONS, N_POSITIONS))
    system = np.block([[sigma, means.T], [means, zeros]])
    a = np.linalg.lstsq(system, np.vstack([sigma, np.zeros((N_POSITIONS, D))]), rcond=None)[0][:D]
    np.testing.assert_allclose(moved, ((x @ a - x) ** 2).sum(axis=1).mean(), rtol=1e-9)
    orthogonal = np.linalg.svd(means, full_matrices=False)[2][: N_POSITIONS - 1]
    assert moved < ((x @ orthogonal.T) ** 2).sum(axis=1).mean()


@pytest.mark.skipif(why_missing() is not None, reason="no weights")
def test_the_untouched_record_is_what_the_encoder_gives():
    pretrained = encoder.load()
    for name, pairs in listed_pairs().items():
        vectors = [encoder.sentence_vector(list(side), pretrained) for side in zip(*pairs[:4], strict=True)]
        expected = 1 - (vectors[0] * vectors[1]).sum(axis=-1)
        np.testing.assert_allclose(STORED["two orders"]["untouched"][name][0][:4], expected, rtol=2e-3)


@pytest.mark.skipif(why_missing() is not None, reason="no weights")
def test_a_stream_in_two_parts_is_the_stream():
    pretrained = encoder.load()
    ((_, x),) = sentence_rows(["the dog bites the man"], pretrained).values()
    whole = list(run(x, pretrained.model, 0, N_LAYERS))
    (half,) = list(run(whole[3], pretrained.model, 3, N_LAYERS))[-1:]
    np.testing.assert_array_equal(half, whole[-1])
    states = encoder.states(encoder.tokenize("the dog bites the man", pretrained), pretrained)
    np.testing.assert_allclose(whole[-1], states[-1].hidden, atol=1e-6)


@pytest.mark.skipif(why_missing("decoder") is not None, reason="no weights")
def test_a_masked_stream_is_the_decoders():
    lm = decoder.load()
    ids = decoder.tokenize("The dog bites the man", lm).ids
    states = decoder.states("The dog bites the man", lm)
    x = embed(ids[None], *lm.model, positions=np.arange(len(ids)))
    mask = np.tril(np.ones((len(ids), len(ids)), dtype=bool))
    last = list(run(x, lm.model, 0, 3, mask))[-1]
    np.testing.assert_allclose(last[0], np.asarray(states[2].hidden).reshape(last[0].shape), atol=1e-4)
