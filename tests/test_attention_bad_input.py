"""A wrong call of `inorder.attention` is a ValueError that says what was expected and what it got."""

import inspect
import re
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from inorder import attention
from inorder._checked import TORCH_NAMES as ADVICE
from inorder.attention import (
    AttentionParameters,
    attention_scores,
    attention_weights,
    causal_mask,
    linear,
    merge_heads,
    multi_head_attention,
    padding_mask,
    prefix_mask,
    project_heads,
    repeat_heads,
    scaled_dot_product_attention,
    softmax,
    split_heads,
    streaming_attention,
)
from strategies import options_by_position

Q, K, V = np.ones((2, 3, 4)), np.ones((2, 5, 4)), np.ones((2, 5, 6))
MASK, BIAS = np.ones((3, 5), dtype=bool), np.zeros((3, 5))
X, MEMORY, W = np.ones((3, 4)), np.ones((5, 6)), AttentionParameters(*map(np.ones, [(4, 8), (6, 8), (6, 2), (2, 4)]))


def changed(x: np.ndarray, entry: Any, value: float) -> np.ndarray:
    x = x.copy()
    x[entry] = value
    return x


def part(x: np.ndarray, length: int) -> np.ndarray:
    return x[..., :length, :]


# One line each: the function, its arguments, its options, and what the message must say.
WRONG: list[tuple[Any, tuple, dict, str]] = [
    (softmax, ([1.0, 2.0],), {}, "expected NumPy arrays or torch tensors, got builtins.list"),
    (softmax, (np.arange(3),), {}, "expected x of a floating-point dtype, got int64"),
    (softmax, (np.ones(3, dtype=complex),), {}, "expected x of a floating-point dtype, got complex128"),
    (softmax, (np.ones(3),), {"axis": 1}, "expected an axis of the 1 that x has, got 1"),
    (softmax, (np.ones(3),), {"axis": 2}, "expected an axis of the 1 that x has, got 2"),
    (softmax, (np.ones(3),), {"axis": -2}, "expected an axis of the 1 that x has, got -2"),
    (softmax, (np.ones((2, 0)),), {}, "expected at least one entry along axis -1, got shape (2, 0)"),
    (softmax, (1.5,), {}, "expected NumPy arrays or torch tensors, got builtins.float as x"),
    (softmax, (np.array([0, np.nan]),), {}, "got NaN or +inf"),
    (softmax, (np.array([0, np.inf]),), {}, "got NaN or +inf"),
    (softmax, (np.full(3, -np.inf),), {}, "got a fully masked row (nothing but -inf)"),
    (attention_scores, (Q[0, 0], K), {}, "expected query of shape (..., query, d_head), got (4,)"),
    (attention_scores, (Q, K[..., :3]), {}, "expected key of shape (2, key, 4), got (2, 5, 3)"),
    (attention_scores, (Q, K[0]), {}, "expected key of shape (2, key, 4), got (5, 4)"),
    (attention_scores, (Q, K[:1]), {}, "expected key of shape (2, key, 4), got (1, 5, 4)"),
    (attention_scores, (np.ones((2, 9, 3, 4)), K), {}, "expected key of shape (2, 9, key, 4), got (2, 5, 4)"),
    (attention_scores, (Q, None), {}, "expected key to be a NumPy array or a torch tensor, got NoneType"),
    (attention_scores, (part(Q, 0), K), {}, "shape (..., query, d_head) with no empty axis, got (2, 0, 4)"),
    (attention_scores, (Q, part(K, 0)), {}, "expected key of shape (2, key, 4) with no empty axis, got (2, 0, 4)"),
    (attention_scores, (Q[..., :0], K[..., :0]), {}, "with no empty axis, got (2, 3, 0)"),
    (attention_scores, (Q, torch.ones(2, 5, 4)), {}, "one back end, NumPy or torch, got numpy.ndarray and torch.T"),
    (attention_scores, (None, K), {}, "expected query to be a NumPy array or a torch tensor, got NoneType"),
    (attention_scores, (Q.tolist(), K), {}, "got builtins.list as query"),
    (attention_scores, (Q, K.astype("float32")), {}, "expected key of query's dtype float64, got float32"),
    (attention_scores, (Q.astype(int), K.astype(int)), {}, "expected query of a floating-point dtype, got int64"),
    (attention_scores, (changed(Q, (0, 0, 0), np.nan), K), {}, "expected query of finite numbers, got NaN"),
    (attention_scores, (Q, changed(K, (1, 4, 3), -np.inf)), {}, "expected key of finite numbers, got NaN or an inf"),
    (attention_scores, (Q, K), {"scale": np.inf}, "expected scale to be a finite number, got inf"),
    (attention_scores, (Q, K), {"scale": "1"}, "expected scale to be a finite number, got '1'"),
    (attention_scores, (Q, K), {"scale": np.ones(2)}, "expected scale to be a finite number, got array([1., 1.])"),
    (causal_mask, (0,), {}, "expected n_query to be a positive whole number, got 0"),
    (causal_mask, (2.0,), {}, "expected n_query to be a positive whole number, got 2.0"),
    (causal_mask, (2, -1), {}, "expected n_key to be a positive whole number, got -1"),
    (causal_mask, (3, 2), {}, "expected n_key of at least n_query = 3, or the first rows are fully masked, got 2"),
    (causal_mask, (3,), {"like": [0.0]}, "expected NumPy arrays or torch tensors, got builtins.list"),
    (split_heads, (np.ones(4), 2), {}, "expected x of shape (..., position, d), got (4,)"),
    (split_heads, (np.ones((2, 5, 4)), 3), {}, "expected a width divisible by n_heads = 3, got 4"),
    (split_heads, (np.ones((3, 4)), 0), {}, "expected n_heads to be a positive whole number, got 0"),
    (split_heads, (np.ones((3, 4)), 2.0), {}, "expected n_heads to be a positive whole number, got 2.0"),
    (split_heads, ([[1.0]], 1), {}, "expected NumPy arrays or torch tensors, got builtins.list"),
    (padding_mask, (MASK.tolist(),), {}, "expected NumPy arrays or torch tensors, got builtins.list as keep"),
    (padding_mask, (MASK.astype(int),), {}, "keep of dtype bool, True for a token and False for padding, got int64"),
    (padding_mask, (MASK[:, :0],), {}, "expected keep of shape (..., key) with no empty axis, got (3, 0)"),
    (padding_mask, (changed(MASK, 1, False),), {}, "keep to be True somewhere in every sequence"),
    (padding_mask, (MASK, 0), {}, "expected n_query to be a positive whole number, got 0"),
    (linear, (X[0, 0], X), {}, "expected x of shape (..., d_in), got ()"),
    (linear, (X, X), {}, "expected weight of shape (4, d_out), got (3, 4)"),
    (linear, (X, X.T[None]), {}, "expected weight of shape (4, d_out), got (1, 4, 3)"),
    (linear, (X, X.T, np.ones(4)), {}, "expected bias of shape (3,), got (4,)"),
    (linear, (X, X.T.astype("f4")), {}, "expected weight of x's dtype float64, got float32"),
    (linear, (X, X.T, np.ones(3, dtype="f4")), {}, "expected bias of x's dtype float64, got float32"),
    (linear, (X, torch.ones(4, 3)), {}, "expected arrays of one back end"),
    (prefix_mask, (0, 0), {}, "expected n to be a positive whole number, got 0"),
    (prefix_mask, (3, 4), {}, "expected n_prefix to be a whole number from 0 to n = 3, got 4"),
    (prefix_mask, (3, -1), {}, "expected n_prefix to be a whole number from 0 to n = 3, got -1"),
    (prefix_mask, (3, 1.0), {}, "expected n_prefix to be a whole number from 0 to n = 3, got 1.0"),
    (project_heads, (X, MEMORY, W, 3), {}, "expected a width divisible by n_heads = 3, got 8"),
    (project_heads, (X, X, W, 2), {}, "expected w_key of shape (4, 8), got (6, 8)"),
    (project_heads, (X, MEMORY, W, 2), {"n_key_heads": 3}, "expected n_key_heads to divide n_heads = 2, got 3"),
    (project_heads, (X, MEMORY, W, 2), {"n_key_heads": 0}, "expected n_key_heads to be a positive whole number, got 0"),
    (project_heads, (X, MEMORY, W, 2), {"n_key_heads": 1}, "expected w_key of shape (6, 4), got (6, 8)"),
    (repeat_heads, (np.ones((3, 4)), 2), {}, "expected x of shape (..., head, position, d_head), got (3, 4)"),
    (repeat_heads, (np.ones((3, 5, 4)), 4), {}, "expected n_heads to be a multiple of 3, got 4"),
    (repeat_heads, (np.ones((3, 5, 4)), 0), {}, "expected n_heads to be a positive whole number, got 0"),
    (merge_heads, (np.ones((3, 4)),), {}, "expected x of shape (..., head, position, d_head), got (3, 4)"),
    (merge_heads, (np.ones((2, 0, 4)),), {}, "with no empty axis, got (2, 0, 4)"),
    (multi_head_attention, (X, MEMORY, W, 3), {}, "expected a width divisible by n_heads = 3, got 8"),
    (multi_head_attention, (X, MEMORY, W, 4), {}, "expected a width divisible by n_heads = 4, got 2"),
    (multi_head_attention, (X, X, W, 2), {}, "expected w_key of shape (4, 8), got (6, 8)"),
    (multi_head_attention, (X[0], MEMORY, W, 2), {}, "expected x_query of shape (..., query, d_model), got (4,)"),
    (multi_head_attention, (X[None], MEMORY, W, 2), {}, "expected x_key_value of shape (1, key, d_memory), got (5, 6)"),
    (multi_head_attention, (X, MEMORY, tuple(W), 2), {}, "expected AttentionParameters, got tuple"),
    (multi_head_attention, (X, MEMORY, W._replace(w_output=np.ones((3, 4))), 2), {}, "w_output of shape (2, d_output)"),
    (multi_head_attention, (X, MEMORY, W._replace(b_key=np.ones(4)), 2), {}, "expected b_key of shape (8,), got (4,)"),
    (multi_head_attention, (X, MEMORY, W._replace(b_key=np.ones(8, dtype="f4")), 2), {}, "b_key of x_query's dtype"),
    (multi_head_attention, (X, MEMORY, W._replace(w_output=np.full((2, 4), np.nan)), 2), {}, "w_output of finite"),
    (multi_head_attention, (X, changed(MEMORY, 0, np.nan), W, 2), {}, "expected x_key_value of finite numbers"),
    (multi_head_attention, (torch.ones(3, 4), MEMORY, W, 2), {}, "expected arrays of one back end"),
    (multi_head_attention, (X, MEMORY, W, 2), {"mask": MASK[:, :3]}, "expected mask of shape (2, 3, 5)"),
]

# The three that take a mask and a bias refuse the same things.
for function, arrays in [
    (attention_weights, (Q, K)),
    (scaled_dot_product_attention, (Q, K, V)),
    (streaming_attention, (Q, K, V)),
]:
    shape = "of shape (2, 3, 5), its leading axes 1 or left out, got "
    WRONG += [
        (function, (Q[..., :2], *arrays[1:]), {}, "expected key of shape (2, key, 2), got (2, 5, 4)"),
        (function, (torch.ones(2, 3, 4), *arrays[1:]), {}, "expected arrays of one back end"),
        (function, (changed(Q, 0, np.nan), *arrays[1:]), {}, "expected query of finite numbers, got NaN"),
        (function, arrays, {"scale": np.nan}, "expected scale to be a finite number, got nan"),
        (function, arrays, {"mask": MASK.T}, f"expected mask {shape}(5, 3)"),
        (function, arrays, {"mask": MASK[:1]}, f"expected mask {shape}(1, 5)"),
        (function, arrays, {"mask": MASK[0]}, f"expected mask {shape}(5,)"),
        (function, arrays, {"mask": np.ones((3, 3, 5), dtype=bool)}, f"expected mask {shape}(3, 3, 5)"),
        (function, arrays, {"mask": np.ones((1, 2, 3, 5), dtype=bool)}, f"expected mask {shape}(1, 2, 3, 5)"),
        (
            function,
            tuple(np.stack([x, x]) for x in arrays),
            {"mask": np.ones((3, 2, 3, 5), dtype=bool)},
            "expected mask of shape (2, 2, 3, 5), its leading axes 1 or left out, got (3, 2, 3, 5)",
        ),
        (
            function,
            arrays,
            {"mask": MASK.astype(float)},
            "mask of dtype bool, got float64: what is added to the scores is bias=",
        ),
        (function, arrays, {"mask": MASK.astype(int)}, "expected mask of dtype bool, got int64"),
        (function, arrays, {"mask": torch.ones(3, 5, dtype=bool)}, "expected arrays of one back end"),
        (function, arrays, {"mask": MASK.tolist()}, "expected NumPy arrays or torch tensors, got builtins.list"),
        (function, arrays, {"mask": changed(MASK, 1, False)}, "got a fully masked row"),
        (function, arrays, {"bias": changed(BIAS, 1, -np.inf)}, "got a fully masked row"),
        (function, arrays, {"bias": BIAS[:, :1]}, f"expected bias {shape}(3, 1)"),
        (function, arrays, {"bias": BIAS.astype(int)}, "expected bias of a floating-point dtype, got int64"),
        (function, arrays, {"bias": BIAS.astype("float32")}, "expected bias of query's dtype float64, got float32"),
        (function, arrays, {"bias": changed(BIAS, (0, 0), np.nan)}, "expected bias of numbers or -inf, got NaN"),
        (function, arrays, {"bias": changed(BIAS, (0, 0), np.inf)}, "expected bias of numbers or -inf, got NaN"),
        (
            function,
            arrays,
            {"bias": changed(BIAS, (0, 0), np.nan), "mask": changed(MASK, (0, 0), False)},
            "expected bias of numbers or -inf",
        ),
    ]
for function in (scaled_dot_product_attention, streaming_attention):
    WRONG += [
        (function, (Q, K, part(V, 4)), {}, "expected value of shape (2, 5, d_value), got (2, 4, 6)"),
        (function, (Q, K, V[..., :0]), {}, "expected value of shape (2, 5, d_value) with no empty axis, got (2, 5, 0)"),
        (function, (Q, K, torch.ones(2, 5, 6)), {}, "expected arrays of one back end"),
        (function, (Q, K, V.astype("float32")), {}, "expected value of key's dtype float64, got float32"),
        (function, (Q, K, changed(V, 0, np.inf)), {}, "expected value of finite numbers, got NaN or an infinity"),
    ]
WRONG += [
    (streaming_attention, (Q, K, V), {"block_size": 0}, "expected block_size to be a positive whole number, got 0"),
    (streaming_attention, (Q, K, V), {"block_size": 2.5}, "expected block_size to be a positive whole number, got 2.5"),
]

wrong_calls = pytest.mark.parametrize(
    ("function", "arrays", "options", "message"), WRONG, ids=[f"{f.__name__}: {m}" for f, _, _, m in WRONG]
)


@wrong_calls
@pytest.mark.usefixtures("types_unchecked")
def test_the_message_names_what_was_expected_and_what_came(function, arrays, options, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        function(*arrays, **options)
    assert str(error.value).startswith("expected ")


def test_every_public_function_is_in_the_table():
    public = set(attention.__all__) - {"AttentionParameters"}
    assert public == {function.__name__ for function, *_ in WRONG}


def test_options_go_by_their_names():
    assert options_by_position(attention) == {"causal_mask.n_key", "padding_mask.n_query", "linear.bias"}


def in_torch(x: Any) -> Any:
    return torch.from_numpy(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize(
    ("arrays", "options", "message"),
    [(a, o, m) for f, a, o, m in WRONG if f is streaming_attention and "back end" not in m and "list" not in m],
)
@pytest.mark.usefixtures("types_unchecked")
def test_torch_tensors_meet_the_same_message(arrays, options, message):
    message = re.sub("float32|float64|int64", r"torch.\g<0>", message)
    with pytest.raises(ValueError, match=re.escape(message)):
        streaming_attention(*map(in_torch, arrays), **{name: in_torch(x) for name, x in options.items()})


@pytest.mark.usefixtures("types_unchecked")
def test_keys_that_query_heads_share_are_told_of_repeat_heads():
    query, key = np.ones((2, 9, 3, 4)), np.ones((2, 3, 5, 4))
    message = "expected key of shape (2, 9, key, 4), got (2, 3, 5, 4); for query heads that share a key, first repeat_"
    with pytest.raises(ValueError, match=re.escape(message)):
        scaled_dot_product_attention(query, key, key)
    for n_heads in (1, 2):  # no number of heads that divides 9, or none that is meant to be shared
        with pytest.raises(ValueError, match=rf"got \(2, {n_heads}, 5, 4\)$"):
            attention_scores(query, key[:, :n_heads])
    shared = repeat_heads(key, 9)
    assert scaled_dot_product_attention(query, shared, shared).shape == query.shape


@pytest.mark.parametrize("name", ADVICE)
@pytest.mark.usefixtures("types_unchecked")
def test_keywords_of_torch_are_refused_with_ours(name):
    calls = [(attention_weights, (Q, K)), (scaled_dot_product_attention, (Q, K, V)), (streaming_attention, (Q, K, V))]
    for function, arrays in [*calls, (multi_head_attention, (X, MEMORY, W, 2))]:
        message = f"{function.__name__}() got an unexpected keyword argument {name!r}: {ADVICE[name]}"
        with pytest.raises(TypeError, match=re.escape(message)):
            function(*arrays, **{name: MASK})
        with pytest.raises(TypeError, match=r"unexpected keyword argument 'nothing'$"):
            function(*arrays, nothing=MASK)
    theirs = inspect.signature(nn.functional.multi_head_attention_forward).parameters | dict.fromkeys(
        re.findall(r"(\w+)=", nn.functional.scaled_dot_product_attention.__doc__)
    )
    assert name in theirs


def test_two_devices_are_an_error():
    query = torch.ones(3, 4)
    with pytest.raises(ValueError, match="expected arrays on one device, got cpu and meta"):
        attention_weights(query, query, mask=torch.ones(3, 3, dtype=torch.bool, device="meta"))


def test_streaming_refuses_to_drop_a_gradient():
    query = torch.ones(3, 4)
    with pytest.raises(ValueError, match=r"expected inputs that record no gradient \(call under torch.no_grad\(\)\)"):
        streaming_attention(query, query, query.clone().requires_grad_())


def test_overflow_is_reported_instead_of_nan():
    x = np.full((2, 4), 1e200)
    for function in (scaled_dot_product_attention, streaming_attention):
        with np.errstate(all="ignore"), pytest.raises(ValueError, match="by overflow"):
            function(x, x, x)
