"""A wrong call is a ValueError that says what was expected and what came: by the kind of check.

What annotations state is asked of all public functions in one way, so a function for each kind is called as it may be,
and then with one array spoilt. What a function adds by `@expects` or checks as it goes, has a line each.
"""

import dataclasses
import pickle
import re
from collections.abc import Iterator
from functools import partial
from inspect import isfunction, signature
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from inorder import attention, audit, circuits, encodings, mixers, symmetry, transformer
from inorder._checked import TORCH_NAMES
from inorder.attention import AttentionParameters
from inorder.circuits import Head
from inorder.mixers import GRUParameters
from inorder.transformer import (
    SCHEMES,
    FeedForwardParameters,
    Learned,
    Sinusoidal,
    TransformerConfig,
    flatten_parameters,
    map_parameters,
)
from transformer_models import shaken_model

pytestmark = pytest.mark.usefixtures("types_unchecked")

MODULES = (attention, audit, circuits, encodings, mixers, symmetry, transformer)
PUBLIC = {name: vars(module)[name] for module in MODULES for name in module.__all__ if isfunction(vars(module)[name])}
RNG = np.random.default_rng(0)
POSITIONS, GRID, ORDER = np.arange(3), np.zeros((3, 2), dtype=int), np.array([2, 0, 1])


def of(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape)


def tree(kind: Any, *shapes: tuple[int, ...]) -> Any:
    return kind(*(abs(of(*shape)) for shape in shapes))


Q, K, V = of(2, 3, 4), of(2, 5, 4), of(2, 5, 6)
MASKED = {"mask": np.ones((3, 5), dtype=bool), "bias": np.zeros((3, 5))}
X, MEMORY, HEAD = of(3, 4), of(5, 6), Head(of(4, 2), of(6, 2), 1.0)
W = tree(AttentionParameters, (4, 8), (6, 8), (6, 2), (2, 4), (8,), (8,), (2,), (4,))
FFN = tree(FeedForwardParameters, (4, 7), (7, 4), (7,), (4,), (4, 7), (7,))
P, CONFIG = shaken_model()
P_CROSS, CROSS = shaken_model(cross_attention=True)
TOKENS, LONG = np.array([[3, 1, 4], [1, 5, 9]]), of(2, 5, 24)
_, CACHE = transformer.decode(TOKENS, P, CONFIG, positions=POSITIONS)
ALL_SEE = np.ones((3, 3), dtype=bool)

# A legal call of a function for each kind of annotation.
CALLS: list[tuple[str, tuple, dict]] = [
    ("softmax", (X,), {}),
    ("attention_weights", (Q, K), MASKED),
    ("streaming_attention", (Q, K, V), MASKED),
    ("merge_heads", (Q,), {}),
    ("multi_head_attention", (X, MEMORY, W, 2), MASKED),
    ("padding_mask", (np.ones((2, 3), dtype=bool),), {}),
    ("head_weights", (X, MEMORY, HEAD), {"mask": MASKED["mask"]}),
    ("sinusoidal_encoding", (POSITIONS, 4), {}),
    ("sinusoidal_encoding_2d", (GRID, 4), {}),
    ("turn_pairs", (Q, GRID, of(2)), {"axes": np.array([0, 1])}),
    ("t5_buckets", (GRID,), {}),
    ("shaw_bias", (Q, of(3, 4), POSITIONS, np.arange(5)), {"max_distance": 1}),
    ("linformer_attention", (X, X, of(3, 6), of(2, 3), of(2, 3)), {}),
    ("gru", (X, tree(GRUParameters, (4, 15), (5, 15), (15,), (15,))), {}),
    ("permute", (X, ORDER), {}),
    ("equivariance_error", (lambda x, mask: x, X), {"mask": ALL_SEE}),
    ("decode", (TOKENS, P_CROSS, CROSS), {"positions": POSITIONS, "mask": ALL_SEE, "memory": LONG}),
]
NESTED = {"decode"}  # trees with trees in them
ANY_SHAPE = {"softmax", "t5_buckets"}  # these take an array of any shape
ANY_NUMBERS = {"merge_heads", "permute"}
ROWS_OR_IDS = {"equivariance_error", "decode"}


def spoilt(name: str, x: np.ndarray, others: str) -> Iterator[tuple[str, Any, str]]:
    """(kind, what comes instead, what the message must say) of an array beside others of these kinds."""
    said = re.escape(name)
    yield "no array", x.tolist(), rf"^expected NumPy arrays or torch tensors, got builtins.list as {said}$"
    yield "a matrix", np.matrix(x.reshape(-1, x.shape[-1])), rf"or torch tensors, got numpy.matrix as {said}$"
    if others:
        both = "numpy.ndarray and torch.Tensor"
        yield "back end", torch.from_numpy(x), rf"^expected arrays of one back end, NumPy or torch, got {both}$"
    yield "shape", x.reshape(-1)[0] * np.ones((), x.dtype), rf"^expected {said} of shape \(.*\).*, got \(\)"
    yield "shape", x[..., :0], rf"^expected {said} of shape \(.*\).*, got \(.*0,?\)"
    dtype = {"f": "(a floating-point dtype|.*'s dtype float64)", "i": "an integer dtype", "b": "dtype bool"}[
        x.dtype.kind
    ]
    other = x.astype({"f": int, "i": float, "b": float}[x.dtype.kind])
    yield "dtype", other, rf"^expected {said} of {dtype}, got (int64|float64)"
    if x.dtype.kind == "f":
        if "f" in others:
            yield (
                "numbers of 32 bits",
                x.astype("float32"),
                r"^expected .* of .*'s dtype float(32|64), got float(32|64)$",
            )
        for number in (np.nan, np.inf):
            numbers = np.where(np.arange(x.size).reshape(x.shape) == 0, number, x)
            message = rf"^expected {said} of (finite numbers|numbers or -inf), got NaN or (an infinity|\+inf)$"
            yield "not finite", numbers, message


def arrays_of(function: str, values: dict[str, Any]) -> Iterator[tuple[str, np.ndarray, Any]]:
    """Of a call: the name of each array, the array, and how to put another in its place."""
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            yield name, value, lambda new, name=name: {name: new}
        elif hasattr(value, "_fields") and function not in NESTED:
            for field, x in value._asdict().items():
                if isinstance(x, np.ndarray):
                    yield f"{name}.{field}", x, lambda x, n=name, v=value, f=field: {n: v._replace(**{f: x})}


@pytest.mark.parametrize(("function", "given", "options"), CALLS, ids=[name for name, *_ in CALLS])
def test_an_array_that_is_not_as_annotated_is_refused(function, given, options):
    values = dict(zip(signature(PUBLIC[function]).parameters, given, strict=False)) | options
    PUBLIC[function](**values)
    arrays = list(arrays_of(function, values))
    for name, array, put in arrays:
        others = "".join(other.dtype.kind for _, other, _ in arrays if other is not array)
        for kind, instead, message in spoilt(name, array, others):
            legal = (
                (function in ANY_SHAPE and kind == "shape")
                or (function in ANY_NUMBERS and kind in ("dtype", "numbers of 32 bits", "not finite"))
                or (
                    function in ROWS_OR_IDS and (name, kind) in {("x", "dtype"), ("tokens", "dtype"), ("mask", "dtype")}
                )
                or (function == "turn_pairs" and (kind == "numbers of 32 bits" or (name, kind) == ("omega", "dtype")))
            )
            if not legal:
                with pytest.raises(ValueError, match=message):
                    PUBLIC[function](**values | put(instead))


@pytest.mark.parametrize("function", PUBLIC.values(), ids=PUBLIC)
def test_every_public_function_stands_behind_its_checks_and_pickle_finds_it(function):
    assert vars(function.__wrapped__)["checked"] is function
    assert pickle.loads(pickle.dumps(function)) is function


# What annotations can't say: the function, its arguments, its options, and what the message must say.


def changed(**settings: Any) -> TransformerConfig:
    return dataclasses.replace(CONFIG, **settings)


def with_feed_forward(parameters: Any) -> Any:
    return P._replace(blocks=(P.blocks[0], P.blocks[1]._replace(feed_forward=parameters)))


HERE = {"positions": POSITIONS}
SIZES = {"vocabulary_size": 11, "d_model": 24, "n_heads": 6, "d_ff": 20, "n_layers": 2}
FLAT, OWN = flatten_parameters(P), P.blocks[0].feed_forward
SINGLE = map_parameters(lambda w: w.astype("f4"), OWN)
NAMES = ", ".join(SCHEMES)

WRONG: list[tuple[str, tuple, dict, str]] = [
    # a tree of another class
    ("multi_head_attention", (X, MEMORY, tuple(W), 2), {}, "expected AttentionParameters, got tuple"),
    ("encode", (TOKENS, P, SIZES), HERE, "expected a TransformerConfig, got dict"),
    # nothing where an array must be
    ("attention_scores", (Q, None), {}, "expected key to be a NumPy array or a torch tensor, got NoneType"),
    # axes that broadcast, or not
    ("attention_scores", (Q, K[:1]), {}, "expected key of shape (2, key, 4), got (1, 5, 4)"),
    (
        "attention_weights",
        (Q, K),
        {"mask": MASKED["mask"].T},
        "mask of shape (2, 3, 5), its leading axes 1 or left out",
    ),
    ("attention_weights", (Q, K), {"bias": np.zeros((3, 3, 5))}, "5), its leading axes 1 or left out, got (3, 3, 5)"),
    # axes that must be as long as others are, or follow from them
    ("linear", (X, of(3, 4)), {}, "expected weight of shape (4, d_out), got (3, 4)"),
    # whole numbers above 0, and what they must divide
    *(("causal_mask", (n,), {}, f"expected n_query to be a positive whole number, got {n!r}") for n in (0, 2.0, "4")),
    ("causal_mask", (3, 2), {}, "expected n_key of at least n_query = 3, or the first rows are fully masked, got 2"),
    ("prefix_mask", (3, 4), {}, "n_prefix to be a whole number from 0 to n = 3, got 4"),
    ("split_heads", (X, 3), {}, "expected a width divisible by n_heads = 3, got 4"),
    ("repeat_heads", (Q, 3), {}, "expected n_heads to be a multiple of 2, got 3"),
    ("project_heads", (X, MEMORY, W, 2), {"n_key_heads": 3}, "expected n_key_heads to divide n_heads = 2, got 3"),
    ("frequencies", (5,), {}, "expected d_model to be a multiple of 2, got 5"),
    ("binary_encoding", (POSITIONS, 64), {}, "expected at most 63 bits, which hold every position, got 64"),
    ("t5_buckets", (POSITIONS,), {"n_buckets": 2}, "expected at least 4 buckets, got 2"),
    ("t5_bias", (of(32, 2), POSITIONS, POSITIONS), {"max_distance": 8}, "above 8, the distances that have"),
    ("shaw_bias", (Q, of(4, 4), POSITIONS, POSITIONS), {"max_distance": 1}, "of shape (3, 4), got (4, 4)"),
    ("turn_pairs", (X, POSITIONS, of(3)), {}, "expected at most 2 frequencies, a pair of columns each, got 3"),
    ("shift_matrix", (1.5, 4), {}, "expected offset to be a whole number, got 1.5"),
    ("sliding_window_attention", (X, X, X), {"radius": -1}, "expected radius to be a whole number, 0 or more, got -1"),
    ("chunked_hashed_attention", (X, X, of(4, 2)), {"chunk_size": 2}, "a length that chunk_size = 2 divides, got 3"),
    # numbers
    *(("frequencies", (4,), {"base": b}, f"base to be a positive number, got {b!r}") for b in (0.0, np.nan, "10")),
    ("attention_weights", (Q, K), {"scale": np.inf}, "expected scale to be a finite number, got inf"),
    ("induction_weights", (X, of(3, 3)), {"sharpness": 0.0}, "expected sharpness to be a positive number, got 0.0"),
    ("yarn_frequencies", (4, 2.0, 9), {"fast": 1.0, "slow": 2.0}, "expected fast to be slow or more, got 1.0 and 2.0"),
    ("yarn_frequencies", (4, 2.0, 9), {"base": 1.0}, "expected a base other than 1, with slower and faster freque"),
    ("layer_norm", (X,), {"eps": -1e-5}, "eps to be a number, 0 or more, got -1e-05"),
    ("layer_norm", (0 * X + 1,), {"eps": 0.0}, "expected eps above 0 for a row of equal entries, got 0.0"),
    # one of a few words
    ("alibi_bias", (2, POSITIONS, POSITIONS), {"direction": "up"}, "to be one of symmetric, left, right, split"),
    ("feed_forward", (X, FFN), {"activation": "tanh"}, "to be one of gelu, gelu_tanh, relu, silu, got 'tanh'"),
    # a dtype, something to be like, a source of random numbers
    ("scalar_encoding", (POSITIONS, 3), {"dtype": "float32"}, "dtype of numpy, such as numpy.float32, got 'float32'"),
    ("alibi_bias", (2, POSITIONS, POSITIONS), {"dtype": torch.float32}, "such as numpy.float32, got torch.float32"),
    ("frequencies", (4,), {"like": POSITIONS}, "expected like of a floating-point dtype, got int64"),
    ("random_order", (3, "seed"), {}, "expected rng to be a seed or a numpy.random.Generator, got 'seed'"),
    # numbers in an array
    ("softmax", (np.full(3, -np.inf),), {}, "got a fully masked row (nothing but -inf)"),
    *(("softmax", (X,), {"axis": n}, f"expected an axis of the 2 that x has, got {n}") for n in (2, -3)),
    ("softmax", (X[:, :0],), {}, "expected at least one entry along axis -1, got shape (3, 0)"),
    ("padding_mask", (np.array([[True], [False]]),), {}, "expected keep to be True somewhere in every sequence"),
    ("look_up", (X, POSITIONS + 1), {}, "expected positions below 3, the table's length, got 3"),
    ("sinusoidal_encoding", (POSITIONS - 2, 4), {}, "positions of 0 or more, got -2"),
    ("turn_pairs", (X, GRID, of(2)), {"axes": np.array([0, 2])}, "expected axes from 0 to 1, got [0 2]"),
    ("reparametrise", (HEAD, np.ones((2, 2))), {}, "expected g of full rank 2, to have an inverse, got rank 1"),
    ("permute", (X, np.array([0, 1, 1])), {}, "expected order to hold each of 0 … 2 once, got [0 1 1]"),
    ("discretize", (of(2, 2), of(2), of(4, 2), of(4), 0 * of(4)), {}, "expected steps above 0, got"),
    # what a function that is measured returns
    ("random_order", (1, 0), {}, "expected 2 rows or more, or the identity is the only order, got 1"),
    ("equivariance_error", (lambda x: x.mean(-2), X), {}, "expected f(x) of shape (..., 3, d_output), got (4,)"),
    ("invariance_error", (lambda x: x[x[:, 0] > x[0, 0]], X), {}, "expected f(P x) of shape ("),
    ("invariance_error", (lambda x: 0 * x, X), {}, "expected f(x) with an entry that is not 0, got nothing but 0"),
    ("equivariance_error", (lambda x: x * np.nan, X), {}, "expected f(x) of finite numbers, got NaN or an infinity"),
    ("invariance_error", (lambda x: (x, x), X), {}, "got a tuple: choose one, as lambda x: f(x)[0]"),
    # parameters that do not fit their configuration
    ("feed_forward", (X, FFN._replace(w_gate=None)), {}, "expected b_gate beside a w_gate, got it alone"),
    ("token_mixing_mlp", (X, FFN), {}, "expected parameters.w_in of shape (3, d_ff), got (4, 7)"),
    ("unflatten_parameters", ({}, CONFIG), {}, "expected embedding of shape (11, 24), got none"),
    ("unflatten_parameters", (FLAT | {"w": X}, CONFIG), {}, "expected parameters without w, which this"),
    ("block", (X, P.blocks[0], CONFIG), HERE, "expected x of shape (..., query, 24), got (3, 4)"),
    ("block", (LONG[0, :3], P.blocks[0], changed(position="t5")), HERE, "buckets of shape (32, 6), got none"),
    ("encode", (TOKENS, P, changed(n_layers=3)), HERE, "expected parameters of 3 blocks, got 2"),
    ("encode", (TOKENS, with_feed_forward(None), CONFIG), HERE, "w_in of shape (24, 20), got none"),
    ("encode", (TOKENS, with_feed_forward(SINGLE), CONFIG), HERE, "feed_forward.w_in of embedding's dtype float64"),
    # a model's tokens, positions, masks, cache and memory
    ("encode", (TOKENS - 2, P, CONFIG), HERE, "expected tokens of 0 or more, got -1"),
    ("encode", (TOKENS + 2, P, CONFIG), HERE, "expected tokens below vocabulary_size = 11, got 11"),
    ("encode", (LONG.astype("f4"), P, CONFIG), HERE, "expected tokens of embedding's dtype float64, got float32"),
    ("block", (LONG[0, :3], P.blocks[0], CONFIG), {"positions": np.arange(4)}, "(or (3, 2), for patches), got (4,)"),
    ("encode", (TOKENS, P, CONFIG), {"positions": np.zeros((4, 2), int)}, "or (2, 3), those of each text, got (4, 2)"),
    ("encode", (TOKENS, P, CONFIG), HERE | {"mask": np.eye(3, dtype=bool)[::-1] & (POSITIONS > 0)}, "fully masked row"),
    ("encode", (TOKENS, P._replace(embedding=P.embedding * np.nan), CONFIG), HERE, "to take a softmax over, got NaN"),
    ("encode", (TOKENS, P_CROSS, CROSS), HERE, "a memory, as cross_attention is True in the configuration, got none"),
    ("layer_states", (TOKENS, P, CONFIG), HERE | {"memory": LONG}, "expected no memory, as cross_attention is False"),
    ("decode", (TOKENS, P, CONFIG), HERE | {"cache": CACHE._replace(layers=())}, "expected a cache of 2 layers, got 0"),
    ("decode", (TOKENS, P_CROSS, CROSS), HERE | {"memory": LONG[..., :7]}, "of shape (2, memory, 24), got (2, 5, 7)"),
    # how a text goes on
    ("generate", (TOKENS, P, CONFIG, 2), {"temperature": -1.0}, "0 or more, got -1.0"),
    ("generate", (TOKENS, P, CONFIG, 2), {"temperature": 1.0}, "expected rng, a seed or a Generator, for a"),
    ("generate", (TOKENS, P, CONFIG, 2), {"eos": 11}, "expected eos to be a token below vocabulary_size = 11, got 11"),
    ("generate", (TOKENS, P, changed(n_outputs=12), 2), {}, "expected n_outputs of vocabulary_size = 11, got 12"),
]


@pytest.mark.parametrize(
    ("function", "given", "options", "message"), WRONG, ids=lambda x: x if isinstance(x, str) else ""
)
def test_what_no_annotation_says_is_refused_too(function, given, options, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        PUBLIC[function](*given, **options)
    assert str(error.value).startswith("expected ")


WRONG_SETTINGS: list[tuple[dict, str]] = [
    ({"vocabulary_size": 0}, "expected vocabulary_size to be a positive whole number, got 0"),
    ({"n_heads": 5}, "expected a d_model that n_heads = 5 divides, got 24"),
    ({"norm": "both"}, "expected norm to be one of pre, post, none, got 'both'"),
    ({"tied_output": True, "position": Learned(concatenate=4)}, "shape (11, 24), as tied_output needs, got (11, 20)"),
    ({"eps": -1.0}, "expected eps to be a number, 0 or more, got -1.0"),
    ({"position": "rope"}, f"expected position to be a PositionScheme or one of {NAMES}, got 'rope'"),
    ({"position": Sinusoidal(concatenate=24)}, "a position scheme that leaves the token some of the 24 columns, got 0"),
]


@pytest.mark.parametrize(("settings", "message"), WRONG_SETTINGS, ids=[message for _, message in WRONG_SETTINGS])
def test_a_wrong_configuration_is_refused(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        TransformerConfig(**{**SIZES, **settings})


# Hints


@pytest.mark.parametrize("name", TORCH_NAMES)
def test_keywords_of_torch_are_refused_with_ours(name):
    calls = [
        ("attention_weights", (Q, K)),
        ("scaled_dot_product_attention", (Q, K, V)),
        ("streaming_attention", (Q, K, V)),
    ]
    for function, arrays in [*calls, ("multi_head_attention", (X, MEMORY, W, 2))]:
        message = f"{function}() got an unexpected keyword argument {name!r}: {TORCH_NAMES[name]}"
        with pytest.raises(TypeError, match=re.escape(message)):
            PUBLIC[function](*arrays, **{name: MASKED["mask"]})
        with pytest.raises(TypeError, match=r"unexpected keyword argument 'nothing'$"):
            PUBLIC[function](*arrays, nothing=MASKED["mask"])
    theirs = signature(nn.functional.multi_head_attention_forward).parameters | dict.fromkeys(
        re.findall(r"(\w+)=", nn.functional.scaled_dot_product_attention.__doc__)
    )
    assert name in theirs


def test_keys_that_query_heads_share_are_told_of_repeat_heads():
    query, key = of(2, 9, 3, 4), of(2, 3, 5, 4)
    message = "expected key of shape (2, 9, key, 4), got (2, 3, 5, 4); for query heads that share a key, first repeat_"
    with pytest.raises(ValueError, match=re.escape(message)):
        attention.scaled_dot_product_attention(query, key, key)
    for n_heads in (1, 2):  # no number of heads that divides 9, or none that is meant to be shared
        with pytest.raises(ValueError, match=rf"got \(2, {n_heads}, 5, 4\)$"):
            attention.attention_scores(query, key[:, :n_heads])
    shared = attention.repeat_heads(key, 9)
    assert attention.scaled_dot_product_attention(query, shared, shared).shape == query.shape


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (np.ones((3, 5)), "expected mask of dtype bool, got float64: what is added to the scores is bias="),
        (np.ones((2, 5), bool), "got (2, 5); one that says which keys are padding goes through padding_mask"),
        (np.array([[True], [False], [True]]) & MASKED["mask"], "got a fully masked row (nothing but -inf): row 0, 1"),
    ],
)
def test_a_mask_that_was_meant_otherwise_is_told_so(mask, message):
    for attend in (partial(attention.attention_weights, Q, K), partial(attention.streaming_attention, Q, K, V)):
        with pytest.raises(ValueError, match=re.escape(message)):
            attend(mask=mask)


def test_two_devices_are_an_error():
    query = torch.ones(3, 4)
    with pytest.raises(ValueError, match="expected arrays on one device, got cpu and meta"):
        attention.attention_weights(query, query, mask=torch.ones(3, 3, dtype=torch.bool, device="meta"))


def test_streaming_refuses_to_drop_a_gradient():
    query = torch.ones(3, 4)
    with pytest.raises(ValueError, match=r"expected inputs that record no gradient \(call under torch.no_grad\(\)\)"):
        attention.streaming_attention(query, query, query.clone().requires_grad_())


def test_overflow_is_reported_instead_of_nan():
    x = np.full((2, 4), 1e200)
    for function in (attention.scaled_dot_product_attention, attention.streaming_attention):
        with np.errstate(all="ignore"), pytest.raises(ValueError, match="by overflow"):
            function(x, x, x)


# The door itself


@pytest.mark.parametrize("function", PUBLIC.values(), ids=PUBLIC)
def test_a_wrong_call_is_an_error_of_the_function_that_was_called(function):
    name, parameters = re.escape(f"{function.__name__}()"), signature(function).parameters.values()
    if any(p.default is p.empty and p.kind is not p.VAR_KEYWORD for p in parameters):
        with pytest.raises(TypeError, match=rf"^{name} missing \d+ required "):
            function()
    if all(p.kind is not p.VAR_KEYWORD for p in parameters):
        with pytest.raises(TypeError, match=rf"^{name} got an unexpected keyword argument 'attn_mask'"):
            function(attn_mask=None)
