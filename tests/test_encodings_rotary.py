"""`inorder.encodings.rotary` against complex numbers, and against what must hold whatever the numbers."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inorder.attention import attention_scores
from inorder.encodings import layout_permutation, rotary_encoding, rotary_encoding_2d, shift_matrix
from strategies import (
    TOLERANCE,
    assert_close,
    back_ends,
    dtype_name,
    dtypes,
    no_warnings,
    seeds,
    sizes,
    to_back_end,
    to_numpy,
)

pytestmark = no_warnings

pairings = st.sampled_from(["interleaved", "halves"])
bases = st.sampled_from([2.0, 100.0, 10_000.0, 5e5])
widths = st.integers(1, 6).map(lambda n: 2 * n)
leading_axes = st.lists(st.integers(1, 3), max_size=2).map(tuple)
both_pairings = pytest.mark.parametrize("pairing", ["interleaved", "halves"])


def whole_numbers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-300, 300, size=shape)


@given(seeds, leading_axes, sizes, widths, bases, dtypes, back_ends)
def test_rotation_is_multiplication_by_a_complex_number(seed, leading, n, d_head, base, dtype, back_end):
    rng = np.random.default_rng(seed)
    x, p = rng.standard_normal((*leading, n, d_head)).astype(dtype), whole_numbers(rng, n)
    actual = to_numpy(rotary_encoding(to_back_end(x, back_end), to_back_end(p, back_end), base=base))
    omega = np.array([base ** (-2 * j / d_head) for j in range(d_head // 2)])
    turned = (x[..., 0::2] + 1j * x[..., 1::2].astype(float)) * np.exp(1j * p[:, None] * omega)
    expected = np.empty(x.shape)
    expected[..., 0::2], expected[..., 1::2] = turned.real, turned.imag
    assert_close(actual, expected.astype(dtype))


@given(seeds, leading_axes, sizes, widths, bases)
def test_halves_is_interleaved_with_the_columns_reordered(seed, leading, n, d_head, base):
    rng = np.random.default_rng(seed)
    x, p, order = rng.standard_normal((*leading, n, d_head)), whole_numbers(rng, n), layout_permutation(d_head)
    expected = rotary_encoding(x, p, base=base)[..., order]
    assert_close(rotary_encoding(x[..., order], p, base=base, pairing="halves"), expected)


@given(seeds, leading_axes, sizes, sizes, widths, bases, pairings, st.integers(-1000, 1000))
def test_scores_depend_on_differences_of_position_alone(seed, leading, n, m, d_head, base, pairing, offset):
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((*leading, n, d_head)), rng.standard_normal((*leading, m, d_head))
    p, q = whole_numbers(rng, n), whole_numbers(rng, m)

    def scores(offset: int) -> Any:
        rotated = (rotary_encoding(x, r + offset, base=base, pairing=pairing) for x, r in ((query, p), (key, q)))
        return attention_scores(*rotated)

    np.testing.assert_allclose(scores(offset), scores(0), atol=1e-11)


@given(seeds, sizes, widths, bases, pairings)
def test_rotations_keep_lengths_and_add_up_and_undo(seed, n, d_head, base, pairing):
    rng = np.random.default_rng(seed)
    x, p, q = rng.standard_normal((n, d_head)), whole_numbers(rng, n), whole_numbers(rng, n)

    def turn(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        return rotary_encoding(x, positions, base=base, pairing=pairing)

    assert np.array_equal(turn(x, 0 * p), x)
    np.testing.assert_allclose(np.linalg.norm(turn(x, p), axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-12)
    np.testing.assert_allclose(turn(turn(x, p), q), turn(x, p + q), atol=1e-11)
    np.testing.assert_allclose(turn(turn(x, p), -p), x, atol=1e-12)


@given(seeds, widths, bases, pairings, st.integers(-300, 300))
def test_a_rotation_by_p_is_the_sinusoids_shift_by_minus_p(seed, d_head, base, pairing, position):
    x = np.random.default_rng(seed).standard_normal((1, d_head))
    expected = x @ shift_matrix(-position, d_head, base=base, layout=pairing)
    np.testing.assert_allclose(
        rotary_encoding(x, np.array([position]), base=base, pairing=pairing), expected, atol=1e-12
    )


@given(seeds, leading_axes, sizes, st.integers(1, 3), bases, pairings, dtypes, back_ends)
def test_a_patch_turns_half_by_its_row_and_half_by_its_column(
    seed, leading, n, quarter, base, pairing, dtype, back_end
):
    rng = np.random.default_rng(seed)
    x, p = rng.standard_normal((*leading, n, 4 * quarter)).astype(dtype), whole_numbers(rng, n, 2)
    actual = rotary_encoding_2d(to_back_end(x, back_end), to_back_end(p, back_end), base=base, pairing=pairing)
    for axis, half in enumerate((slice(0, 2 * quarter), slice(2 * quarter, None))):
        expected = rotary_encoding(x[..., half], p[:, axis], base=base, pairing=pairing)
        assert_close(to_numpy(actual)[..., half], expected)


@both_pairings
@pytest.mark.parametrize("back_end", ["numpy", "torch"])
def test_float32_stays_float32_and_far_positions_stay_exact(pairing, back_end):
    x = np.random.default_rng(0).standard_normal((3, 8))
    p = np.array([1_000_000, 20_000_000, -5_000_000])
    single = rotary_encoding(to_back_end(x.astype("float32"), back_end), to_back_end(p, back_end), pairing=pairing)
    assert dtype_name(single) == "float32"
    tolerance = TOLERANCE["float32"]
    np.testing.assert_allclose(to_numpy(single), rotary_encoding(x, p, pairing=pairing), atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32"])
def test_small_integer_positions_do_not_wrap(dtype):
    x, p = np.random.default_rng(0).standard_normal((3, 4)), np.array([0, 100, 127])
    assert np.array_equal(rotary_encoding(x, p.astype(dtype)), rotary_encoding(x, p))
