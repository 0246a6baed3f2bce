"""Probes: against scikit-learn and the formula, and what they must not depend on."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from inorder.lab.probes import (
    fit_probe,
    place_labels,
    position_accuracy,
    probe_accuracy,
)
from inorder.transformer import TransformerConfig, encode, init_parameters

SEEDS = st.integers(0, 1000)


def clouds(seed, n_sequences=30, n=5, d=7, noise=1.0):
    """Rows around one mean for each place: (sequence, n, d)."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + noise * rng.normal(size=(n_sequences, n, d))


def halves(seed, **arguments):
    both = clouds(seed, n_sequences=60, **arguments)
    return both[:30], both[30:]


@given(SEEDS)
def test_guesses_are_those_of_the_formula(seed):
    train, test = halves(seed)
    means = train.mean(axis=0)  # (n, d)
    inside = (train - means).reshape(-1, 7)
    covariance = inside.T @ inside / len(inside)
    to_class = np.linalg.solve(covariance, means.T)  # (d, n)
    scores = test.reshape(-1, 7) @ to_class - np.einsum("nd,dn->n", means, to_class) / 2
    probe = fit_probe(train, place_labels(train), shrinkage=0.0)
    np.testing.assert_array_equal(probe.predict(test.reshape(-1, 7)), scores.argmax(axis=1))


@given(SEEDS)
def test_guesses_are_those_of_another_solver(seed):
    train, test = halves(seed)
    oracle = LinearDiscriminantAnalysis(solver="eigen", shrinkage=1e-3)
    oracle.fit(train.reshape(-1, 7), place_labels(train).reshape(-1))
    expected = (oracle.predict(test.reshape(-1, 7)) == place_labels(test).reshape(-1)).mean()
    assert position_accuracy(train, test) == pytest.approx(expected, abs=0.02)


@given(SEEDS, st.sampled_from([1e-6, 1e-3, 1e3, 1e6]))
def test_size_turning_and_moving_change_nothing(seed, size):
    train, test = halves(seed)
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(7, 7)))
    shift = rng.normal(size=7)
    expected = position_accuracy(train, test)
    assert position_accuracy(size * train, size * test) == pytest.approx(expected, abs=0.01)
    assert position_accuracy(train @ turn + shift, test @ turn + shift) == pytest.approx(expected, abs=0.01)


def test_two_normal_classes_give_phi_of_half_their_distance():
    rng = np.random.default_rng(0)
    train, test = (np.array([[0.0], [2.0]]) + rng.normal(size=(20_000, 2, 1)) for _ in range(2))
    assert position_accuracy(train, test) == pytest.approx(0.8413, abs=0.006)


@given(SEEDS, st.integers(3, 7))
def test_a_model_blind_to_order_is_at_chance_exactly(seed, n):
    config = TransformerConfig(vocabulary_size=6, d_model=8, n_heads=2, d_ff=0, n_layers=2, norm="post")
    model = init_parameters(config, np.random.default_rng(seed))
    rng = np.random.default_rng([seed, 1])
    asked = rng.integers(6, size=(4, n))  # each with all its cyclic shifts: a word stands once at each position
    sets = rng.integers(6, size=(20, n)), np.concatenate([np.roll(asked, k, axis=1) for k in range(n)])
    train, test = (encode(tokens, model, config, positions=np.arange(n)) for tokens in sets)
    # equal rows may differ by rounding, and a guess near a border with them
    assert position_accuracy(train, test) == pytest.approx(1 / n, abs=2 / (4 * n))
    assert position_accuracy(train, test, within=1) <= 3 / n + 2 / (4 * n)


def test_rows_in_bfloat16_are_read():
    """NumPy has no such dtype, and a probe computes in float64 anyway."""
    rows = torch.tensor([[-1.0], [-2.0], [1.0], [2.0]], dtype=torch.bfloat16)
    probe = fit_probe(rows, torch.tensor([0, 0, 1, 1]))
    assert probe_accuracy(probe, rows, torch.tensor([0, 0, 1, 1])) == 1


ROWS, LABELS = np.eye(4, 3), np.array([0, 0, 1, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_probe(ROWS, LABELS[:3]), r"labels of shape \(4,\), one for each row, got \(3,\)"),
        (lambda: fit_probe(ROWS, 0 * LABELS), "two classes or more, got 1 in 4 rows"),
        (lambda: fit_probe(ROWS, LABELS, shrinkage=-0.1), "shrinkage from 0 to 1"),
        (lambda: probe_accuracy(fit_probe(ROWS, LABELS), ROWS[:, :2], LABELS), "rows of width 3, got 2"),
        (lambda: position_accuracy(np.ones((2, 3, 4)), np.ones((2, 5, 4))), "test sequences of 3 rows"),
    ],
)
def test_bad_input(call, message, types_unchecked):
    with pytest.raises(ValueError, match=message):
        call()
