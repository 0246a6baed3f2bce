"""`inorder.encodings.biases` against loops and published numbers, and against what must hold whatever the numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inorder.encodings import alibi_bias, alibi_slopes, relative_positions, shaw_bias, t5_bias, t5_buckets
from strategies import assert_close, back_ends, dtype_name, dtypes, no_warnings, seeds, sizes, to_back_end, to_numpy

pytestmark = no_warnings

leading_axes = st.lists(st.integers(1, 3), max_size=2).map(tuple)
directions = st.sampled_from(["symmetric", "left", "right", "split"])


@st.composite
def two_positions(draw: st.DrawFn, span: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Those of some queries and of some keys: not sorted, not as many, negative ones too."""
    rng = np.random.default_rng(draw(seeds))
    dtype = draw(st.sampled_from(["int32", "int64"]))
    return tuple(rng.integers(-span, span, size=draw(sizes)).astype(dtype) for _ in range(2))


@given(two_positions(), back_ends)
def test_relative_position_is_key_minus_query(positions, back_end):
    queries, keys = positions
    relative = relative_positions(*(to_back_end(p, back_end) for p in positions))
    assert dtype_name(relative) == "int64"
    assert relative.tolist() == [[k - q for k in keys.tolist()] for q in queries.tolist()]


def test_unsigned_positions_do_not_wrap():
    p = np.array([0, 200], dtype="uint8")
    assert relative_positions(p, p).tolist() == [[0, 200], [-200, 0]]
    assert alibi_bias(1, p, p).min() == -200 / 256
    assert t5_buckets(np.array([200], dtype="uint8"), max_distance=300).tolist() == [31]


# ALiBi


def test_published_slopes():
    assert alibi_slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]  # section 3
    assert alibi_slopes(16)[[0, 1, -1]] == pytest.approx([2**-0.5, 0.5, 1 / 256])  # section 3
    assert alibi_slopes(1).tolist() == [1 / 256]
    expected = [*(2.0**-h for h in range(1, 9)), 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5]
    assert alibi_slopes(12).tolist() == pytest.approx(expected, rel=1e-15)


@given(two_positions(), st.integers(1, 4).map(lambda n: 2 * n), directions, back_ends)
def test_alibi_is_its_definition(positions, n_heads, direction, back_end):
    queries, keys = (p.tolist() for p in positions)
    bias = alibi_bias(n_heads, *(to_back_end(p, back_end) for p in positions), direction=direction)
    expected = np.empty((n_heads, len(queries), len(keys)))
    for h in range(n_heads):
        slope, looks = alibi_slopes(n_heads)[h], direction
        if direction == "split":
            slope, looks = alibi_slopes(n_heads // 2)[h % (n_heads // 2)], "left" if h < n_heads // 2 else "right"
        for i, q in enumerate(queries):
            for j, k in enumerate(keys):
                hidden = (looks == "left" and k > q) or (looks == "right" and k < q)
                expected[h, i, j] = -math.inf if hidden else -slope * abs(q - k)
    assert_close(to_numpy(bias), expected.astype(dtype_name(bias)))


@given(two_positions(), st.integers(1, 9), st.integers(-1000, 1000))
def test_alibi_symmetries(positions, n_heads, offset):
    queries, keys = positions
    bias = alibi_bias(n_heads, queries, keys)
    assert np.array_equal(bias.mT, alibi_bias(n_heads, keys, queries))
    assert np.array_equal(bias, alibi_bias(n_heads, -queries, -keys))  # it is blind to left and right
    assert np.array_equal(bias, alibi_bias(n_heads, queries + offset, keys + offset))
    left, right = (alibi_bias(n_heads, queries, keys, direction=side) for side in ("left", "right"))
    assert np.array_equal(left, alibi_bias(n_heads, -queries, -keys, direction="right"))
    assert np.array_equal(np.maximum(left, right), bias)


# T5

bucket_options = st.one_of(
    st.tuples(st.integers(2, 20).map(lambda n: 2 * n), st.integers(11, 500), st.just(True)),
    st.tuples(st.integers(2, 40), st.integers(21, 500), st.just(False)),
)


def bucket_in_whole_numbers(distance: int, n: int, max_distance: int) -> int:
    """One side's bucket without a logarithm: r lies at or beyond e·(D/e)^(b/m) iff r^m e^b ≥ D^b e^m."""
    e, m = n // 2, n - n // 2
    if distance < e:
        return distance
    return e + max(b for b in range(m) if distance**m * e**b >= max_distance**b * e**m)


@given(bucket_options, st.lists(st.integers(-700, 700), min_size=1, max_size=20), back_ends)
def test_buckets_are_the_definition_in_whole_numbers(options, relative, back_end):
    n_buckets, max_distance, bidirectional = options
    expected = []
    for r in relative:
        if bidirectional:
            side = n_buckets // 2
            expected.append(bucket_in_whole_numbers(abs(r), side, max_distance) + (side if r > 0 else 0))
        else:
            expected.append(bucket_in_whole_numbers(max(-r, 0), n_buckets, max_distance))
    actual = t5_buckets(
        to_back_end(np.array(relative), back_end),
        n_buckets=n_buckets,
        max_distance=max_distance,
        bidirectional=bidirectional,
    )
    assert dtype_name(actual) == "int64"
    assert actual.tolist() == expected


def test_a_distance_on_a_border_is_in_the_farther_bucket():
    """5, 10, 20 … 160 are 5·32^(b/5): the logarithm is whole there, and in float64 comes out just below."""
    borders = -np.array([5, 10, 20, 40, 80, 160])
    farther = t5_buckets(borders, n_buckets=10, max_distance=160, bidirectional=False)
    assert farther.tolist() == [5, 6, 7, 8, 9, 9]
    assert t5_buckets(borders + 1, n_buckets=10, max_distance=160, bidirectional=False).tolist() == [4, 5, 6, 7, 8, 9]


def test_the_smallest_tables_that_make_sense():
    relative = np.array([-9, -2, -1, 0, 1, 2, 9])
    assert t5_buckets(relative, n_buckets=4, max_distance=2).tolist() == [1, 1, 1, 0, 3, 3, 3]
    assert t5_buckets(relative, n_buckets=2, max_distance=2, bidirectional=False).tolist() == [1, 1, 1, 0, 0, 0, 0]


@given(seeds, two_positions(), bucket_options, sizes, dtypes, back_ends)
def test_t5_bias_reads_the_table(seed, positions, options, n_heads, dtype, back_end):
    n_buckets, max_distance, bidirectional = options
    table = np.random.default_rng(seed).standard_normal((n_buckets, n_heads)).astype(dtype)
    bias = t5_bias(
        *(to_back_end(x, back_end) for x in (table, *positions)),
        max_distance=max_distance,
        bidirectional=bidirectional,
    )
    buckets = t5_buckets(
        relative_positions(*positions), n_buckets=n_buckets, max_distance=max_distance, bidirectional=bidirectional
    )
    expected = np.stack([[[table[b, h] for b in row] for row in buckets] for h in range(n_heads)])
    assert_close(to_numpy(bias), expected)


# Shaw


@given(seeds, leading_axes, two_positions(span=6), sizes, st.integers(1, 7), dtypes, back_ends)
def test_shaw_is_its_definition(seed, leading, positions, d_head, max_distance, dtype, back_end):
    rng = np.random.default_rng(seed)
    queries, keys = positions
    query = rng.standard_normal((*leading, len(queries), d_head)).astype(dtype)
    relative_keys = rng.standard_normal((2 * max_distance + 1, d_head)).astype(dtype)
    actual = shaw_bias(
        *(to_back_end(x, back_end) for x in (query, relative_keys, queries, keys)), max_distance=max_distance
    )
    expected = np.empty((*leading, len(queries), len(keys)))
    for i, q in enumerate(queries.tolist()):
        for j, k in enumerate(keys.tolist()):
            vector = relative_keys[max_distance + max(-max_distance, min(max_distance, k - q))]
            expected[..., i, j] = query[..., i, :] @ vector / math.sqrt(d_head)
    assert_close(to_numpy(actual), expected.astype(dtype))
