"""A wrong call of `inorder.encodings` is a ValueError that says what was expected and what it got."""

import inspect
import re
from typing import Any

import numpy as np
import pytest
import torch

from inorder import encodings
from inorder.encodings import (
    alibi_bias,
    alibi_slopes,
    binary_encoding,
    concatenate_encoding,
    frequencies,
    interpolated_frequencies,
    layout_permutation,
    learned_table,
    llama3_frequencies,
    look_up,
    ntk_frequencies,
    relative_positions,
    rotary_encoding,
    rotary_encoding_2d,
    scalar_encoding,
    shaw_bias,
    shift_matrix,
    sinusoidal_encoding,
    sinusoidal_encoding_2d,
    t5_bias,
    t5_buckets,
    turn_pairs,
    yarn_frequencies,
    yarn_magnitude,
)

P, GRID, X, RNG = np.arange(3), np.zeros((3, 2), dtype=int), np.ones((2, 3, 4)), np.random.default_rng(0)
NAN = np.full((3, 4), np.nan)

# What every function of positions refuses, with the start of its arguments and a way to put the positions in.
POSITIONS: list[tuple[Any, Any]] = [
    (scalar_encoding, lambda p: (p, 9)),
    (binary_encoding, lambda p: (p, 4)),
    (sinusoidal_encoding, lambda p: (p, 4)),
    (look_up, lambda p: (np.ones((9, 4)), p)),
    (rotary_encoding, lambda p: (X, p)),
    (turn_pairs, lambda p: (X, p, np.ones(2))),
    (relative_positions, lambda p: (p, P)),
    (relative_positions, lambda p: (P, p)),
    (alibi_bias, lambda p: (2, p, P)),
    (t5_bias, lambda p: (np.ones((32, 2)), P, p)),
    (shaw_bias, lambda p: (X, np.ones((3, 4)), P, p)),
]
PATCHES: list[tuple[Any, Any]] = [
    (sinusoidal_encoding_2d, lambda p: (p, 4)),
    (rotary_encoding_2d, lambda p: (X, p)),
]
ABSOLUTE = [scalar_encoding, binary_encoding, sinusoidal_encoding, look_up, sinusoidal_encoding_2d]

# One line each: the function, its arguments, its options, and what the message must say.
WRONG: list[tuple[Any, tuple, dict, str]] = [
    (frequencies, (5,), {}, "expected d_model to be a multiple of 2, got 5"),
    (frequencies, (0,), {}, "expected d_model to be a positive whole number, got 0"),
    (frequencies, (4.0,), {}, "expected d_model to be a positive whole number, got 4.0"),
    (frequencies, (4,), {"base": 0.0}, "expected base to be a positive number, got 0.0"),
    (frequencies, (4,), {"base": -1.0}, "expected base to be a positive number, got -1.0"),
    (frequencies, (4,), {"base": np.inf}, "expected base to be a positive number, got inf"),
    (frequencies, (4,), {"base": np.nan}, "expected base to be a positive number, got nan"),
    (frequencies, (4,), {"base": "10"}, "expected base to be a positive number, got '10'"),
    (frequencies, (4,), {"like": P}, "expected like of a floating-point dtype, got int64"),
    (frequencies, (4,), {"like": [1.0]}, "expected NumPy arrays or torch tensors, got builtins.list"),
    (layout_permutation, (5,), {}, "expected d_model to be a multiple of 2, got 5"),
    (layout_permutation, (-2,), {}, "expected d_model to be a positive whole number, got -2"),
    (layout_permutation, (4,), {"to": "pairs"}, "expected layout to be one of interleaved, halves, got 'pairs'"),
    (layout_permutation, (4,), {"like": [1.0]}, "expected NumPy arrays or torch tensors, got builtins.list"),
    (scalar_encoding, (P, 2), {}, "expected positions below 2, the length, got 2"),
    (scalar_encoding, (P * 1000, 2), {}, "expected positions below 2, the length, got 2000"),
    (scalar_encoding, (P, 0), {}, "expected length to be a positive whole number, got 0"),
    (
        scalar_encoding,
        (P, 3),
        {"dtype": "float32"},
        "dtype of numpy, such as numpy.float32, got 'float32'",
    ),
    (
        scalar_encoding,
        (torch.arange(3), 3),
        {"dtype": np.float32},
        "floating-point dtype of torch, such as torch.float32, got <class",
    ),
    (binary_encoding, (P, 1), {}, "expected positions below 2, as n_bits = 1 can count no further, got 2"),
    (binary_encoding, (np.array([8]), 3), {}, "expected positions below 8, as n_bits = 3 can count no further, got 8"),
    (binary_encoding, (P, 0), {}, "expected n_bits to be a positive whole number, got 0"),
    (binary_encoding, (P, 64), {}, "expected at most 63 bits, which hold every position, got 64"),
    (
        binary_encoding,
        (P, 3),
        {"dtype": np.int64},
        "dtype of numpy, such as numpy.float32, got <class",
    ),
    (sinusoidal_encoding, (P, 5), {}, "expected d_model to be a multiple of 2, got 5"),
    (sinusoidal_encoding, (P, "4"), {}, "expected d_model to be a positive whole number, got '4'"),
    (sinusoidal_encoding, (P, 4), {"layout": "half"}, "layout to be one of interleaved, halves, got 'half'"),
    (sinusoidal_encoding, (P, 4), {"base": 0}, "expected base to be a positive number, got 0"),
    (
        sinusoidal_encoding,
        (P, 4),
        {"dtype": torch.float32},
        "dtype of numpy, such as numpy.float32, got torch.float32",
    ),
    (sinusoidal_encoding_2d, (GRID, 6), {}, "expected d_model to be a multiple of 4, got 6"),
    (sinusoidal_encoding_2d, (GRID, 0), {}, "expected d_model to be a positive whole number, got 0"),
    (sinusoidal_encoding_2d, (GRID, 4), {"layout": 2}, "expected layout to be one of interleaved, halves, got 2"),
    (sinusoidal_encoding_2d, (GRID, 4), {"base": -5.0}, "expected base to be a positive number, got -5.0"),
    (shift_matrix, (1.5, 4), {}, "expected offset to be a whole number, got 1.5"),
    (shift_matrix, (1, 3), {}, "expected d_model to be a multiple of 2, got 3"),
    (shift_matrix, (1, 4), {"layout": None}, "expected layout to be one of interleaved, halves, got None"),
    (shift_matrix, (1, 4), {"base": 0.0}, "expected base to be a positive number, got 0.0"),
    (shift_matrix, (1, 4), {"like": np.ones(2, dtype=bool)}, "expected like of a floating-point dtype, got bool"),
    (learned_table, (0, 4, RNG), {}, "expected length to be a positive whole number, got 0"),
    (learned_table, (4, -1, RNG), {}, "expected d_model to be a positive whole number, got -1"),
    (learned_table, (4, 4, None), {}, "expected rng to be a seed or a numpy.random.Generator, got None"),
    (learned_table, (4, 4, RNG), {"like": P}, "expected like of a floating-point dtype, got int64"),
    (look_up, (np.ones((2, 4)), P), {}, "expected positions below 2, the table's length, got 2"),
    (look_up, (np.ones((2, 4)), P * 1000), {}, "expected positions below 2, the table's length, got 2000"),
    (look_up, (np.ones(4), P), {}, "expected table of shape (length, d_model), got (4,)"),
    (look_up, (np.ones((0, 4)), P), {}, "expected table of shape (length, d_model) with no empty axis, got (0, 4)"),
    (look_up, (np.ones((3, 4), dtype=int), P), {}, "expected table of a floating-point dtype, got int64"),
    (look_up, (NAN, P), {}, "expected table of finite numbers, got NaN or an infinity"),
    (look_up, (torch.ones(3, 4), P), {}, "one back end, NumPy or torch, got numpy.nd"),
    (concatenate_encoding, (X, X), {}, "expected encoding of shape (3, d_position), got (2, 3, 4)"),
    (concatenate_encoding, (X, X[0, :2]), {}, "expected encoding of shape (3, d_position), got (2, 4)"),
    (concatenate_encoding, (X[0, 0], X[0]), {}, "expected x of shape (..., position, d_token), got (4,)"),
    (concatenate_encoding, (X, X[0].astype("float32")), {}, "expected encoding of x's dtype float64, got float32"),
    (concatenate_encoding, (X.astype(int), X[0]), {}, "expected x of a floating-point dtype, got int64"),
    (concatenate_encoding, (X, NAN), {}, "expected encoding of finite numbers, got NaN"),
    (concatenate_encoding, (NAN, X[0]), {}, "expected x of finite numbers, got NaN"),
    (
        concatenate_encoding,
        (X, torch.ones(3, 4)),
        {},
        "one back end, NumPy or torch, got numpy.nd",
    ),
    (rotary_encoding, (X[..., :3], P), {}, "expected d_head to be a multiple of 2, got 3"),
    (rotary_encoding, (X[0, 0], P), {}, "expected x of shape (..., position, d_head), got (4,)"),
    (rotary_encoding, (X, np.arange(4)), {}, "expected positions of shape (3,), got (4,)"),
    (rotary_encoding, (X.astype(int), P), {}, "expected x of a floating-point dtype, got int64"),
    (rotary_encoding, (NAN, P), {}, "expected x of finite numbers, got NaN or an infinity"),
    (rotary_encoding, (X, P), {"pairing": "gpt"}, "expected pairing to be one of interleaved, halves, got 'gpt'"),
    (rotary_encoding, (X, P), {"base": 0.0}, "expected base to be a positive number, got 0.0"),
    (rotary_encoding, (X, torch.arange(3)), {}, "one back end, NumPy or torch, got numpy.nd"),
    (interpolated_frequencies, (5, 2.0), {}, "expected d_model to be a multiple of 2, got 5"),
    (interpolated_frequencies, (4, 0.0), {}, "expected factor to be a positive number, got 0.0"),
    (ntk_frequencies, (2, 2.0), {}, "expected a d_head of 4 or more, with a fastest and a slowest frequency, got 2"),
    (ntk_frequencies, (3, 2.0), {}, "expected d_head to be a multiple of 2, got 3"),
    (ntk_frequencies, (4, -1.0), {}, "expected factor to be a positive number, got -1.0"),
    (ntk_frequencies, (4, 2.0), {"base": 0.0}, "expected base to be a positive number, got 0.0"),
    (llama3_frequencies, (5, 2.0, 9), {}, "expected d_model to be a multiple of 2, got 5"),
    (llama3_frequencies, (4, 2.0, 0), {}, "expected trained_length to be a positive whole number, got 0"),
    (llama3_frequencies, (4, 0.0, 9), {}, "expected factor to be a positive number, got 0.0"),
    (llama3_frequencies, (4, 2.0, 9), {"fast": 1.0}, "expected fast above slow, got 1.0 and 1.0"),
    (yarn_frequencies, (5, 2.0, 9), {}, "expected d_model to be a multiple of 2, got 5"),
    (yarn_frequencies, (4, 2.0, 0), {}, "expected trained_length to be a positive whole number, got 0"),
    (yarn_frequencies, (4, np.nan, 9), {}, "expected factor to be a positive number, got nan"),
    (yarn_frequencies, (4, 2.0, 9), {"fast": 1.0, "slow": 2.0}, "expected fast to be slow or more, got 1.0 and 2.0"),
    (yarn_frequencies, (4, 2.0, 9), {"base": 1.0}, "expected a base other than 1, with slower and faster fre"),
    (yarn_magnitude, (0.0,), {}, "expected factor to be a positive number, got 0.0"),
    (turn_pairs, (X, P, np.ones(3)), {}, "expected at most 2 frequencies, a pair of columns each, got 3"),
    (turn_pairs, (X, P, np.ones((2, 1))), {}, "expected omega of shape (frequency,), got (2, 1)"),
    (turn_pairs, (X, P, P), {}, "expected omega of a floating-point dtype, got int64"),
    (turn_pairs, (X, P, np.array([np.nan])), {}, "expected omega of finite numbers, got NaN or an infinity"),
    (turn_pairs, (NAN, P, np.ones(2)), {}, "expected x of finite numbers, got NaN or an infinity"),
    (turn_pairs, (X.astype(int), P, np.ones(2)), {}, "expected x of a floating-point dtype, got int64"),
    (turn_pairs, (X, P, np.ones(2)), {"magnitude": 0.0}, "expected magnitude to be a positive number, got 0.0"),
    (turn_pairs, (X, P, np.ones(2)), {"pairing": "x"}, "expected pairing to be one of interleaved, halves, got 'x'"),
    (turn_pairs, (X, P, np.ones(2)), {"axes": P[:2]}, "expected positions of shape (3, axis), got (3,)"),
    (turn_pairs, (X, GRID, np.ones(2)), {"axes": P}, "expected axes of shape (2,), got (3,)"),
    (turn_pairs, (X, GRID, np.ones(2)), {"axes": np.array([0, 2])}, "expected axes from 0 to 1, got [0 2]"),
    (turn_pairs, (X, GRID, np.ones(2)), {"axes": np.ones(2)}, "expected axes of an integer dtype, got float64"),
    (rotary_encoding_2d, (X[..., :2], GRID), {}, "expected d_head to be a multiple of 4, got 2"),
    (rotary_encoding_2d, (X[0, 0], GRID), {}, "expected x of shape (..., position, d_head), got (4,)"),
    (rotary_encoding_2d, (X, GRID[:2]), {}, "expected positions of shape (3, 2), got (2, 2)"),
    (rotary_encoding_2d, (NAN, GRID), {}, "expected x of finite numbers, got NaN or an infinity"),
    (rotary_encoding_2d, (X.astype(int), GRID), {}, "expected x of a floating-point dtype, got int64"),
    (rotary_encoding_2d, (X, GRID), {"pairing": ""}, "expected pairing to be one of interleaved, halves, got ''"),
    (rotary_encoding_2d, (X, GRID), {"base": np.nan}, "expected base to be a positive number, got nan"),
    (
        rotary_encoding_2d,
        (X, torch.zeros(3, 2)),
        {},
        "one back end, NumPy or torch, got numpy.nd",
    ),
    (relative_positions, (P, torch.arange(3)), {}, "one back end, NumPy or torch, got numpy.nd"),
    (alibi_slopes, (0,), {}, "expected n_heads to be a positive whole number, got 0"),
    (alibi_slopes, (8.0,), {}, "expected n_heads to be a positive whole number, got 8.0"),
    (alibi_slopes, (8,), {"like": P}, "expected like of a floating-point dtype, got int64"),
    (alibi_bias, (0, P, P), {}, "expected n_heads to be a positive whole number, got 0"),
    (alibi_bias, (3, P, P), {"direction": "split"}, "expected n_heads to be a multiple of 2, got 3"),
    (alibi_bias, (2, P, P), {"direction": "up"}, "direction to be one of symmetric, left, right, split, got 'up'"),
    (
        alibi_bias,
        (2, P, P),
        {"dtype": int},
        "dtype of numpy, such as numpy.float32, got <class 'int'>",
    ),
    (t5_buckets, (P * 1.0,), {}, "expected relative_positions of an integer dtype, got float64"),
    (t5_buckets, ([1],), {}, "expected NumPy arrays or torch tensors, got builtins.list"),
    (t5_buckets, (P,), {"n_buckets": 33}, "expected n_buckets to be a multiple of 2, got 33"),
    (t5_buckets, (P,), {"n_buckets": 0}, "expected n_buckets to be a positive whole number, got 0"),
    (t5_buckets, (P,), {"n_buckets": 2}, "expected at least 4 buckets, got 2"),
    (t5_buckets, (P,), {"n_buckets": 1, "bidirectional": False}, "expected at least 2 buckets, got 1"),
    (t5_buckets, (P,), {"max_distance": 8}, "max_distance above 8, the distances that have a bucket each, got 8"),
    (t5_buckets, (P,), {"max_distance": 16, "bidirectional": False}, "expected max_distance above 16, the dist"),
    (t5_buckets, (P,), {"max_distance": 20.5}, "expected max_distance to be a positive whole number, got 20.5"),
    (t5_bias, (np.ones(32), P, P), {}, "expected table of shape (n_buckets, head), got (32,)"),
    (
        t5_bias,
        (np.ones((32, 0)), P, P),
        {},
        "expected table of shape (n_buckets, head) with no empty axis, got",
    ),
    (t5_bias, (np.ones((32, 2), dtype=int), P, P), {}, "expected table of a floating-point dtype, got int64"),
    (t5_bias, (np.full((32, 2), np.inf), P, P), {}, "expected table of finite numbers, got NaN or an infinity"),
    (t5_bias, (np.ones((5, 2)), P, P), {}, "expected n_buckets to be a multiple of 2, got 5"),
    (t5_bias, (np.ones((32, 2)), P, P), {"max_distance": 7}, "expected max_distance above 8, the distances"),
    (t5_bias, (torch.ones(32, 2), P, P), {}, "one back end, NumPy or torch, got numpy.nd"),
    (shaw_bias, (X, np.ones((4, 4)), P, P), {}, "expected relative_keys of shape (3, 4), got (4, 4)"),
    (shaw_bias, (X, np.ones((3, 2)), P, P), {}, "expected relative_keys of shape (3, 4), got (3, 2)"),
    (shaw_bias, (X[0, 0], np.ones((3, 4)), P, P), {}, "expected query of shape (..., query, d_head), got (4,)"),
    (shaw_bias, (X, np.ones((3, 4)), P[:2], P), {}, "expected query_positions of shape (3,), got (2,)"),
    (shaw_bias, (X, np.ones((1, 4)), P, P), {"max_distance": 0}, "max_distance to be a positive whole number, got 0"),
    (shaw_bias, (X, np.ones((3, 4), "float32"), P, P), {}, "relative_keys of query's dtype float64, got float32"),
    (shaw_bias, (X.astype(int), np.ones((3, 4)), P, P), {}, "expected query of a floating-point dtype, got int64"),
    (shaw_bias, (NAN, np.ones((3, 4)), P, P), {}, "expected query of finite numbers, got NaN or an infinity"),
    (shaw_bias, (X, NAN, P, P), {}, "expected relative_keys of finite numbers, got NaN or an infinity"),
    (shaw_bias, (X, torch.ones(3, 4), P, P), {}, "one back end, NumPy or torch, got numpy.nd"),
]

for function, arguments in POSITIONS:
    WRONG += [
        (function, arguments(P.astype(float)), {}, "positions of an integer dtype, got float64"),
        (function, arguments(P > 0), {}, "positions of an integer dtype, got bool"),
        (function, arguments(GRID), {}, "positions of shape (position,), got (3, 2)"),
        (function, arguments(np.array(3)), {}, "positions of shape (position,), got ()"),
        (function, arguments(P[:0]), {}, "positions of shape (position,) with no empty axis, got (0,)"),
        (function, arguments([0, 1, 2]), {}, "expected NumPy arrays or torch tensors, got builtins.list"),
    ]
for function, arguments in PATCHES:
    WRONG += [
        (function, arguments(GRID.astype(float)), {}, "positions of an integer dtype, got float64"),
        (function, arguments(P), {}, "positions of shape (position, 2), got (3,)"),
        (function, arguments(np.zeros((3, 3), dtype=int)), {}, "positions of shape (position, 2), got (3, 3)"),
        (function, arguments(GRID[:0]), {}, "positions of shape (position, 2) with no empty axis, got (0, 2)"),
        (function, arguments([[0, 1]]), {}, "expected NumPy arrays or torch tensors, got builtins.list"),
    ]
for function, arguments in POSITIONS + PATCHES:
    if function in ABSOLUTE:
        negative = (GRID if function is sinusoidal_encoding_2d else P) - 2
        WRONG.append((function, arguments(negative), {}, "expected positions of 0 or more, got -2"))


@pytest.mark.usefixtures("types_unchecked")
@pytest.mark.parametrize(("function", "arguments", "options", "says"), WRONG)
def test_a_wrong_call_says_what_came(function, arguments, options, says):
    if function is shaw_bias:
        options = {"max_distance": 1, **options}
    with pytest.raises(ValueError, match=re.escape(says)):
        function(*arguments, **options)


def test_every_public_function_is_in_the_table():
    assert {function.__name__ for function, *_ in WRONG} == set(encodings.__all__)


def test_options_are_given_by_name_and_nothing_else_is():
    for function in {function for function, *_ in WRONG}:
        for option in inspect.signature(function).parameters.values():
            by_name = option.default is not option.empty or option.name == "max_distance"
            assert option.kind == (option.KEYWORD_ONLY if by_name else option.POSITIONAL_OR_KEYWORD)


def test_defaults_are_those_of_the_papers():
    papers = {"base": 10_000.0, "layout": "interleaved", "pairing": "interleaved", "n_buckets": 32, "max_distance": 128}
    for function in {function for function, *_ in WRONG}:
        for name, option in inspect.signature(function).parameters.items():
            if name in papers and option.default is not option.empty:
                assert option.default == papers[name]
