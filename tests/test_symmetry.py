"""`inorder.symmetry`: permutations as orders and as matrices, and what the errors must say of functions we know."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inorder.attention import causal_mask, scaled_dot_product_attention
from inorder.encodings import alibi_bias, rotary_encoding, sinusoidal_encoding
from inorder.symmetry import (
    equivariance_error,
    invariance_error,
    permutation_matrix,
    permute,
    permute_mask,
    random_order,
)
from strategies import assert_close, back_ends, no_warnings, random_mask, seeds, sizes, to_back_end, to_numpy

pytestmark = no_warnings

leading_axes = st.lists(st.integers(1, 3), max_size=2).map(tuple)
lengths = st.integers(2, 7)


@given(seeds, leading_axes, sizes, sizes, back_ends)
def test_permuting_is_multiplying_by_the_matrix(seed, leading, n, d, back_end):
    rng = np.random.default_rng(seed)
    x, order = rng.standard_normal((*leading, n, d)), rng.permutation(n)
    permuted = to_numpy(permute(to_back_end(x, back_end), to_back_end(order, back_end)))
    p = to_numpy(permutation_matrix(to_back_end(order, back_end)))
    assert_close(permuted, np.stack([x[..., i, :] for i in order], axis=-2))
    assert np.array_equal(p.astype(float) @ x, permuted)
    assert np.array_equal(p @ p.T, np.eye(n))


@given(seeds, leading_axes, sizes, back_ends)
def test_permuting_a_mask_is_multiplying_on_both_sides(seed, leading, n, back_end):
    rng = np.random.default_rng(seed)
    mask, order = rng.random((*leading, n, n)) < 0.5, rng.permutation(n)
    p = permutation_matrix(order)
    permuted = to_numpy(permute_mask(to_back_end(mask, back_end), to_back_end(order, back_end)))
    assert permuted.dtype == bool
    assert np.array_equal(permuted, p @ mask @ p.T == 1)


@given(seeds, lengths, back_ends)
def test_random_orders_are_permutations_but_never_the_identity(seed, n, back_end):
    order = random_order(n, seed, like=to_back_end(np.zeros(1), back_end)).tolist()
    assert sorted(order) == list(range(n)) != order


def test_every_order_but_the_identity_is_drawn_as_often_as_any_other():
    rng = np.random.default_rng(0)
    drawn, counts = np.unique([random_order(3, rng) for _ in range(2500)], axis=0, return_counts=True)
    assert len(drawn) == 5
    assert counts.min() > 400 and counts.max() < 600


def test_a_seed_gives_one_order_and_a_generator_moves_on():
    assert np.array_equal(random_order(9, 5), random_order(9, np.random.default_rng(5)))
    rng = np.random.default_rng(5)
    assert not np.array_equal(random_order(9, rng), random_order(9, rng))


# Functions whose error is known

position = np.arange(5)[:, None]
x = np.random.default_rng(0).standard_normal((2, 5, 4))


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (np.tanh, 0),
        (lambda x: x - x.mean(axis=-2, keepdims=True), 1e-14),
        (lambda x: scaled_dot_product_attention(x, x, x), 1e-14),
        (lambda x: x[..., ::-1], 0),  # columns are not positions
    ],
)
def test_what_is_equivariant(f, error):
    assert equivariance_error(f, x)[0] <= error
    assert invariance_error(f, x)[0] > 0.1


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x[..., ::-1, :],
        lambda x: x + position,
        lambda x: np.cumsum(x, axis=-2),
        lambda x: scaled_dot_product_attention(x, x, x, mask=causal_mask(5)),
        lambda x: scaled_dot_product_attention(x, x, x, bias=alibi_bias(2, position[:, 0], position[:, 0])),
        lambda x: scaled_dot_product_attention(*2 * (rotary_encoding(x, position[:, 0]),), x),
        lambda x: x + sinusoidal_encoding(position[:, 0], 4),
    ],
)
def test_what_is_not_equivariant(f):
    assert equivariance_error(f, x)[0] > 1e-3


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda x: x.max(axis=-2), 0),
        (lambda x: np.sort(x, axis=-2), 0),
        (lambda x: scaled_dot_product_attention(x, x, x).mean(axis=-2), 1e-14),
        (lambda x: x.sum(), 1e-14),
    ],
)
def test_what_is_invariant(f, error):
    assert invariance_error(f, x)[0] <= error


def test_what_is_not_invariant():
    assert invariance_error(lambda x: x[..., 0, :], x)[0] > 0.1
    assert invariance_error(lambda x: (x * position).sum(axis=-2), x)[0] > 0.1


@given(seeds, leading_axes, lengths, st.booleans(), back_ends)
def test_the_law_with_a_mask(seed, leading, n, batched, back_end):
    """f(P x; P M Pᵀ) = P f(x; M), whatever the mask; and it fails if the mask stays behind."""
    rng = np.random.default_rng(seed)
    x = to_back_end(rng.standard_normal((*leading, n, 3)), back_end)
    mask = to_back_end(random_mask(rng, (*leading, n, n) if batched else (n, n)), back_end)

    def attend(x: Any, mask: Any) -> Any:
        return scaled_dot_product_attention(x, x, x, mask=mask)

    assert equivariance_error(attend, x, mask=mask, rng=seed, n_orders=2)[0] < 1e-12
    assert invariance_error(lambda x, mask: attend(x, mask).sum(-2), x, mask=mask, rng=seed, n_orders=2)[0] < 1e-12


def test_a_mask_that_stays_behind_breaks_the_law():
    mask = causal_mask(5)
    assert equivariance_error(lambda x, _: scaled_dot_product_attention(x, x, x, mask=mask), x, mask=mask)[0] > 0.1


# The error itself


def test_the_error_is_relative_to_the_largest_entry_and_its_order_reproduces_it():
    rows = np.array([[1.0], [2.0], [4.0]])
    for error_of, f, target in (
        (equivariance_error, lambda x: 5 * x * [[0], [1], [1]], permute),
        (invariance_error, lambda x: -5 * x * [[0], [1], [1]], lambda y, order: y),
    ):
        error, order = error_of(f, rows, rng=3)
        difference = f(rows[order]) - target(f(rows), order)
        assert error == abs(difference).max() / 20  # f's largest entry, not x's
        assert error_of(lambda x, f=f: 1000 * f(x), rows, rng=3)[0] == pytest.approx(error)


def test_the_worst_order_is_reported():
    """Of two rows swapped, a function that reads one row notices; only such an order may be named."""
    rows = np.arange(1.0, 6.0)[:, None]

    def first(x: np.ndarray) -> np.ndarray:
        return x[0]

    error, order = invariance_error(first, rows, n_orders=50)
    assert error == 4 and order[0] == 4  # the first row replaced by the largest
    orders = [random_order(5, rng) for rng in [np.random.default_rng(7)] for _ in range(3)]
    error, order = invariance_error(first, rows, rng=7, n_orders=3)
    assert error == max(rows[o[0], 0] - 1 for o in orders)
    assert any(np.array_equal(order, o) for o in orders)


@pytest.mark.parametrize("error_of", [equivariance_error, invariance_error])
def test_as_many_orders_as_asked_for_and_eight_unless_told(error_of):
    for options, calls in (({}, 8), ({"n_orders": 3}, 3), ({"n_orders": 1}, 1)):
        seen: list[Any] = []
        error_of(lambda x, seen=seen: seen.append(x) or x, x, **options)
        assert len(seen) == 2 + calls  # twice on x: is f the same at each call?
        assert not any(np.array_equal(x, y) for y in seen[2:])


def test_torch_functions_with_parameters():
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dtype=torch.float64).eval()
    t = torch.randn(2, 5, 8, dtype=torch.float64)
    error, order = equivariance_error(layer, t)
    assert isinstance(error, float) and error < 1e-14
    assert isinstance(order, torch.Tensor)
    assert invariance_error(lambda x: layer(x)[:, 0], t)[0] > 1e-2


# Token ids


@pytest.mark.parametrize("leading", [(), (4,), (3, 2)])
@given(seed=seeds, n=lengths, back_end=back_ends)
def test_token_ids_are_permuted_along_their_only_axis(leading, seed, n, back_end):
    """Not along the batch, which every model treats alike: an embedding commutes, one with positions does not."""
    rng = np.random.default_rng(seed)
    table, places = rng.normal(size=(11, 3)), rng.normal(size=(n, 3))
    ids = np.stack([rng.permutation(11)[:n] for _ in range(math.prod(leading))]).reshape(*leading, n)
    ids, table, places = (to_back_end(x, back_end) for x in (ids, table, places))
    seen = []
    assert equivariance_error(lambda ids: seen.append(ids) or table[ids], ids, rng=seed, n_orders=2)[0] == 0
    assert equivariance_error(lambda ids: table[ids] + places, ids, rng=seed, n_orders=2)[0] > 1e-3
    assert invariance_error(lambda ids: table[ids].sum(-2), ids, rng=seed, n_orders=2)[0] < 1e-12
    assert invariance_error(lambda ids: (table[ids] * places).sum(-2), ids, rng=seed, n_orders=2)[0] > 1e-3
    first, _, *moved = map(to_numpy, seen)
    for x in moved:
        assert np.array_equal(np.sort(x), np.sort(first)) and not np.array_equal(x, first)


def test_a_function_that_writes_into_its_input_is_measured_and_a_random_one_refused():
    x = np.random.default_rng(0).normal(size=(5, 3))
    before = x.copy()
    in_place = equivariance_error(lambda x: np.cumsum(x, axis=-2, out=x), x)
    assert in_place[0] == equivariance_error(lambda x: np.cumsum(x, axis=-2), x)[0]
    np.testing.assert_array_equal(x, before)
    rng = np.random.default_rng(0)
    for error_of in (equivariance_error, invariance_error):
        with pytest.raises(ValueError, match=r"the same f.x. at each call, got another at the second"):
            error_of(lambda x: x + rng.normal(size=x.shape), x)


def test_a_function_with_a_buffer_or_small_whole_numbers_is_measured_as_one_without():
    buffer, mask = np.empty((5, 3)), np.tril(np.ones((5, 5), bool))
    x = np.random.default_rng(0).normal(size=(5, 3))
    places = np.arange(100, 200, 20)[:, None]

    def running_sum(x):
        return np.cumsum(x, axis=0, out=buffer)

    def writes_into_the_mask(x, mask):
        mask[:] = True
        return x

    for error in (equivariance_error, invariance_error):
        assert error(running_sum, x)[0] == error(lambda x: np.cumsum(x, axis=0), x)[0]
        for small in (np.uint8, np.int16, np.float16):
            assert error(lambda x, small=small: (x > 0) * places.astype(small), x)[0] == pytest.approx(
                error(lambda x: (x > 0) * places, x)[0]
            )
    assert equivariance_error(writes_into_the_mask, x, mask=mask)[0] == 0 and not mask.all()
