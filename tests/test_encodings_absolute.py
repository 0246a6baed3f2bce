"""`inorder.encodings.absolute` and `.waves` against their definitions, and what must hold whatever the numbers."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from inorder.encodings import (
    binary_encoding,
    concatenate_encoding,
    frequencies,
    layout_permutation,
    look_up,
    scalar_encoding,
    shift_matrix,
    sinusoidal_encoding,
)
from strategies import assert_close, back_ends, dtype_name, no_warnings, seeds, sizes, to_back_end, to_numpy

pytestmark = no_warnings

layouts = st.sampled_from(["interleaved", "halves"])
bases = st.sampled_from([2.0, 100.0, 10_000.0, 5e5, 0.5])
widths = st.integers(1, 6).map(lambda n: 2 * n)
integer_dtypes = st.sampled_from(["uint8", "int32", "int64"])
both_back_ends = pytest.mark.parametrize("back_end", ["numpy", "torch"])


@st.composite
def positions(draw: st.DrawFn, largest: int = 255) -> np.ndarray:
    """Some positions in any order, some twice."""
    rng = np.random.default_rng(draw(seeds))
    return rng.integers(0, largest, size=draw(sizes), endpoint=True).astype(draw(integer_dtypes))


# Frequencies and the two layouts


@both_back_ends
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("make", [frequencies, lambda d, like: shift_matrix(3, d, like=like)])
def test_what_is_made_from_no_array_is_like_the_one_given(make, back_end, dtype):
    like = to_back_end(np.zeros(1, dtype=dtype), back_end)
    made = make(6, like=like)
    assert type(made) is type(like)
    assert_close(to_numpy(made), make(6, like=None).astype(dtype))


@given(widths)
def test_layout_permutation_lists_evens_then_odds_and_back(d_model):
    order = layout_permutation(d_model)
    assert order.tolist() == [*range(0, d_model, 2), *range(1, d_model, 2)]
    assert order[layout_permutation(d_model, to="interleaved")].tolist() == list(range(d_model))
    assert layout_permutation(d_model, like=torch.zeros(1)).tolist() == order.tolist()


# Sinusoids


@given(positions(), widths, bases, back_ends)
def test_sinusoid_is_its_definition(p, d_model, base, back_end):
    pe = to_numpy(sinusoidal_encoding(to_back_end(p, back_end), d_model, base=base))
    for row, position in enumerate(p.tolist()):
        for j in range(d_model // 2):
            angle = position / base ** (2 * j / d_model)
            # An angle is right to its last bit, and near 10⁸ (base 0.5) that bit is worth 1e-8.
            tolerance = 1e-7 if back_end == "torch" else 1e-14 * (1 + angle)
            assert pe[row, 2 * j] == pytest.approx(math.sin(angle), abs=tolerance)
            assert pe[row, 2 * j + 1] == pytest.approx(math.cos(angle), abs=tolerance)


@given(positions(), widths, bases)
def test_halves_is_a_reordering_of_interleaved(p, d_model, base):
    interleaved = sinusoidal_encoding(p, d_model, base=base)
    halves = sinusoidal_encoding(p, d_model, base=base, layout="halves")
    assert np.array_equal(halves, interleaved[:, layout_permutation(d_model)])
    assert np.array_equal(halves[:, layout_permutation(d_model, to="interleaved")], interleaved)
    assert np.array_equal(halves[:, 0], np.sin(p.astype(float)))


@given(positions(), st.integers(-255, 10_000), widths, st.sampled_from([2.0, 1e4]), layouts, back_ends)
def test_a_shift_is_one_matrix_for_all_positions(p, offset, d_model, base, layout, back_end):
    p = p[p.astype(int) + offset >= 0].astype(int)
    assume(len(p))
    options: dict[str, Any] = {"base": base, "layout": layout}
    p = to_back_end(p, back_end)
    pe, shifted = (
        sinusoidal_encoding(q, d_model, dtype=torch.float64 if back_end == "torch" else np.float64, **options)
        for q in (p, p + offset)
    )
    m = shift_matrix(offset, d_model, like=pe, **options)
    np.testing.assert_allclose(to_numpy(pe @ m), to_numpy(shifted), rtol=0, atol=1e-11)


@given(st.integers(-500, 500), st.integers(-500, 500), widths, layouts)
def test_shifts_are_a_group_of_rotations(k, l, d_model, layout):  # noqa: E741
    m_k, m_l, both = (shift_matrix(offset, d_model, layout=layout) for offset in (k, l, k + l))
    np.testing.assert_allclose(m_k @ m_l, both, atol=1e-12)
    np.testing.assert_allclose(m_k @ m_k.T, np.eye(d_model), atol=1e-12)
    np.testing.assert_allclose(shift_matrix(-k, d_model, layout=layout), m_k.T, atol=1e-12)
    assert np.linalg.det(m_k) == pytest.approx(1)
    assert np.array_equal(shift_matrix(0, d_model, layout=layout), np.eye(d_model))


@given(positions(), positions(), st.integers(0, 1000), widths)
def test_products_of_sinusoids_depend_on_the_distance_alone(p, q, offset, d_model):
    def gram(shift: int) -> np.ndarray:
        return (
            sinusoidal_encoding(p.astype(int) + shift, d_model) @ sinusoidal_encoding(q.astype(int) + shift, d_model).T
        )

    distance = p.astype(int)[:, None] - q.astype(int)[None, :]
    expected = np.cos(distance[:, :, None] * frequencies(d_model)).sum(axis=-1)
    np.testing.assert_allclose(gram(0), expected, atol=1e-11)
    np.testing.assert_allclose(gram(offset), expected, atol=1e-11)


def test_angles_are_computed_in_float64():
    far = np.array([1_000_000, 123_456_789])
    exact = sinusoidal_encoding(far, 8)
    for single in (
        sinusoidal_encoding(far, 8, dtype=np.float32),
        sinusoidal_encoding(torch.from_numpy(far), 8),
    ):
        assert dtype_name(single) == "float32"
        np.testing.assert_allclose(to_numpy(single), exact, atol=1e-7)


# Scalar and binary


@given(st.integers(2, 300), back_ends)
def test_scalar_runs_evenly_from_zero_to_one(length, back_end):
    scalar = to_numpy(scalar_encoding(to_back_end(np.arange(length), back_end), length))
    assert_close(scalar, np.linspace(0, 1, length).astype(scalar.dtype)[:, None])
    assert scalar[-1] == 1


@given(positions(), st.integers(8, 63), back_ends)
def test_binary_is_pythons(p, n_bits, back_end):
    bits = to_numpy(binary_encoding(to_back_end(p, back_end), n_bits))
    for row, position in zip(bits, p.tolist(), strict=True):
        assert "".join(str(int(bit)) for bit in row[::-1]) == format(position, f"0{n_bits}b")


def test_binary_counts_to_the_last_position_there_is():
    last = 2**63 - 1
    assert binary_encoding(np.array([last]), 63).tolist() == [[1.0] * 63]
    assert binary_encoding(np.array([last, 2**40]), 63)[1].nonzero()[0].tolist() == [40]
    assert binary_encoding(np.array([0, 1]), 1).tolist() == [[0.0], [1.0]]


# The learned table


@given(seeds, positions(largest=5), sizes, back_ends)
def test_looking_up_picks_rows(seed, p, d_model, back_end):
    table = np.random.default_rng(seed).standard_normal((6, d_model))
    rows = look_up(to_back_end(table, back_end), to_back_end(p, back_end))
    assert_close(to_numpy(rows), np.stack([table[i] for i in p.tolist()]))


# Beside the token


@given(seeds, st.lists(sizes, max_size=2), sizes, sizes, sizes, back_ends)
def test_a_weight_on_the_concatenation_is_two_weights(seed, leading, n, d_token, d_position, back_end):
    rng = np.random.default_rng(seed)
    x, encoding = rng.standard_normal((*leading, n, d_token)), rng.standard_normal((n, d_position))
    w = rng.standard_normal((d_token + d_position, 3))
    both = to_numpy(concatenate_encoding(to_back_end(x, back_end), to_back_end(encoding, back_end)))
    assert_close(both @ w, x @ w[:d_token] + encoding @ w[d_token:])
