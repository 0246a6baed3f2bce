"""Linformer and Performer beside torch's attention, and what their docstrings prove."""

import numpy as np
import pytest
import torch

from inorder.attention import scaled_dot_product_attention
from inorder.mixers import linformer_attention, orthogonal_directions, performer_attention
from inorder.symmetry import equivariance_error

RNG = np.random.default_rng(0)
N, D_HEAD, D_VALUE = 9, 4, 3


def draw(*batch: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tuple(RNG.normal(size=(*batch, N, d)) for d in (D_HEAD, D_HEAD, D_VALUE))


def self_attention(attend, *more):
    """One array in, whose columns are query, key and value."""
    return lambda x: attend(x[:, :D_HEAD], x[:, D_HEAD : 2 * D_HEAD], x[:, 2 * D_HEAD :], *more)


def test_linformer_is_attention_to_mixtures() -> None:
    query, key, value = draw(2)
    e, f = RNG.normal(size=(2, 5, N))
    mixed = np.einsum("kn,bnd->bkd", e, key), np.einsum("kn,bnd->bkd", f, value)
    expected = torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (query, *mixed)))
    np.testing.assert_allclose(linformer_attention(query, key, value, e, f), expected.numpy(), atol=1e-13)


def test_linformer_is_equivariant_exactly_where_its_projection_knows_no_place() -> None:
    x = np.concatenate(draw(), axis=1)
    equal_columns = np.repeat(RNG.normal(size=(5, 1)), N, axis=1)
    commuting = 1.3 * np.eye(N) + 0.2
    for projection, equivariant in [(equal_columns, True), (commuting, True), (RNG.normal(size=(5, N)), False)]:
        error, _ = equivariance_error(self_attention(linformer_attention, projection, projection), x)
        assert error < 1e-12 if equivariant else error > 0.1


@pytest.mark.parametrize("causal", [False, True])
def test_performer_is_a_table_of_products_of_features(causal: bool) -> None:
    """The quadratic form: φ(Q) φ(K)ᵀ, masked, its rows divided by their sums."""
    query, key, value = draw(2)
    w = RNG.normal(size=(6, D_HEAD))

    def features(x: np.ndarray) -> np.ndarray:
        x = x / D_HEAD**0.25
        return np.exp(np.einsum("...d,md->...m", x, w) - (x**2).sum(-1, keepdims=True) / 2) / 6**0.5

    table = np.einsum("bim,bjm->bij", features(query), features(key))
    table = np.tril(table) if causal else table
    expected = table / table.sum(-1, keepdims=True) @ value
    ours = performer_attention(query, key, value, w, causal=causal)
    np.testing.assert_allclose(ours, expected, atol=1e-13)


def test_performer_comes_near_softmax_attention_as_features_grow() -> None:
    query, key, value = (x / 2 for x in draw())  # the error grows as exp(|q|² + |k|²)
    expected = scaled_dot_product_attention(query, key, value)
    errors = [
        np.mean(
            [
                abs(performer_attention(query, key, value, orthogonal_directions(m, D_HEAD, RNG)) - expected).max()
                for _ in range(8)
            ]
        )
        for m in (16, 1024, 65536)
    ]
    assert errors[0] > 2 * errors[1] > 6 * errors[2]
    assert errors[2] < 0.05


def test_performer_is_equivariant_however_coarse_and_not_with_features_drawn_anew() -> None:
    x = np.concatenate(draw(), axis=1)
    w = RNG.normal(size=(2, D_HEAD))
    assert equivariance_error(self_attention(performer_attention, w), x)[0] < 1e-14

    def redrawn(x: np.ndarray) -> np.ndarray:
        return self_attention(performer_attention, RNG.normal(size=(2, D_HEAD)))(x)

    with pytest.raises(ValueError, match=r"the same f\(x\) at each call"):
        equivariance_error(redrawn, x)


def test_performer_does_not_overflow() -> None:
    query, key, value = draw()
    w = orthogonal_directions(64, D_HEAD, np.random.default_rng(0))
    assert np.isfinite(performer_attention(30 * query, 30 * key, value, w)).all()


def test_orthogonal_directions_have_the_lengths_of_gaussian_ones() -> None:
    w = orthogonal_directions(4001, 5, np.random.default_rng(0))
    np.testing.assert_allclose(np.triu(w[:5] @ w[:5].T, 1), 0, atol=1e-12)
    assert abs((w**2).sum(-1).mean() - 5) < 0.2  # χ² of 5 degrees: mean 5, and standard error 0.05
    assert orthogonal_directions(3, 5, np.random.default_rng(0), like=torch.zeros(1)).dtype == torch.float32
