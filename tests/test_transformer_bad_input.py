"""A wrong call of `inorder.transformer` is a ValueError that says what was expected and what it got."""

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
import torch

from inorder import transformer
from inorder.transformer import (
    SCHEMES,
    T5,
    Alibi,
    Binary,
    Learned,
    PositionScheme,
    Scalar,
    Shaw,
    Sinusoidal,
    TransformerConfig,
    block,
    decode,
    embed,
    encode,
    feed_forward,
    flatten_parameters,
    fresh_model,
    gelu,
    gelu_tanh,
    generate,
    init_parameters,
    layer_norm,
    layer_states,
    map_parameters,
    relu,
    residual,
    rms_norm,
    silu,
    unembed,
    unflatten_parameters,
)
from inorder.transformer.parameters import parameter_shapes
from strategies import options_by_position
from transformer_models import shaken_model, to_torch

SIZES = {"vocabulary_size": 11, "d_model": 24, "n_heads": 6, "d_ff": 20, "n_layers": 2}
X, RNG = np.ones((3, 4)), np.random.default_rng(0)
P, CONFIG = shaken_model()
TOKENS, POSITIONS = np.array([[3, 1, 4], [1, 5, 9]]), np.arange(3)
_, CACHE = decode(TOKENS, P, CONFIG, positions=POSITIONS)
P_CROSS, CROSS = shaken_model(cross_attention=True)
MEMORY = np.ones((2, 5, 24))


def changed(**settings: Any) -> TransformerConfig:
    return dataclasses.replace(CONFIG, **settings)


def with_block(**parts: Any) -> Any:
    return P._replace(blocks=(P.blocks[0]._replace(**parts), P.blocks[1]))


def at(scheme: PositionScheme | str) -> tuple:
    return shaken_model(scheme)


def config(**settings: Any) -> TransformerConfig:
    return TransformerConfig(**{**SIZES, **settings})


FFN = P.blocks[0].feed_forward
HIDDEN = np.ones((3, 24))
SINGLE, NAN = (map_parameters(f, FFN) for f in (lambda w: w.astype("f4"), lambda w: w * np.nan))
NAN_AT_THE_END = P._replace(blocks=(P.blocks[0], P.blocks[1]._replace(feed_forward=NAN)))
NAMES = ", ".join(SCHEMES)
FLAT = flatten_parameters(P)
ONE_BACK_END = "expected arrays of one back end, NumPy or torch, got numpy.ndarray and torch.Tensor"

# One line each: the function, its arguments, its options, and what the message must say.
WRONG: list[tuple[Any, tuple, dict, str]] = [
    (layer_norm, ([1.0],), {}, "expected NumPy arrays or torch tensors, got builtins.list"),
    (layer_norm, (np.array(1.0),), {}, "expected x of shape (..., d_model), got ()"),
    (layer_norm, (X[:, :0],), {}, "expected x of shape (..., d_model) with no empty axis, got (3, 0)"),
    (layer_norm, (X.astype(int),), {}, "expected x of a floating-point dtype, got int64"),
    (layer_norm, (X, np.ones(3)), {}, "expected gain of shape (4,), got (3,)"),
    (layer_norm, (X, np.ones(4), np.ones((1, 4))), {}, "expected bias of shape (4,), got (1, 4)"),
    (layer_norm, (X, np.ones(4, dtype="f4")), {}, "expected gain of x's dtype float64, got float32"),
    (layer_norm, (X, torch.ones(4)), {}, ONE_BACK_END),
    (layer_norm, (X,), {"eps": -1e-5}, "expected eps to be a number, 0 or more, got -1e-05"),
    (layer_norm, (X,), {"eps": np.inf}, "expected eps to be a number, 0 or more, got inf"),
    (layer_norm, (X,), {"eps": "0"}, "expected eps to be a number, 0 or more, got '0'"),
    (layer_norm, (X,), {"eps": 0.0}, "expected eps above 0 for a row of equal entries, got 0.0"),
    (rms_norm, ([1.0],), {}, "expected NumPy arrays or torch tensors, got builtins.list"),
    (rms_norm, (X[:, :0],), {}, "expected x of shape (..., d_model) with no empty axis, got (3, 0)"),
    (rms_norm, (X, np.ones(3)), {}, "expected gain of shape (4,), got (3,)"),
    (rms_norm, (X, np.ones(4, dtype="f4")), {}, "expected gain of x's dtype float64, got float32"),
    (rms_norm, (X,), {"eps": -1e-5}, "expected eps to be a number, 0 or more, got -1e-05"),
    (rms_norm, (0 * X,), {"eps": 0.0}, "expected eps above 0 for a row of zeros, got 0.0"),
    (gelu_tanh, (np.arange(3),), {}, "expected x of a floating-point dtype, got int64"),
    (silu, (np.arange(3),), {}, "expected x of a floating-point dtype, got int64"),
    (gelu, (np.arange(3),), {}, "expected x of a floating-point dtype, got int64"),
    (gelu, ([1.0],), {}, "expected NumPy arrays or torch tensors, got builtins.list"),
    (relu, (np.arange(3),), {}, "expected x of a floating-point dtype, got int64"),
    (relu, (1.0,), {}, "expected NumPy arrays or torch tensors, got builtins.float"),
    (feed_forward, (X, FFN), {}, "expected w_in of shape (4, d_ff), got (24, 20)"),
    (feed_forward, (HIDDEN, tuple(FFN)), {}, "expected FeedForwardParameters, got tuple"),
    (
        feed_forward,
        (HIDDEN, FFN),
        {"activation": "tanh"},
        "activation to be one of gelu, gelu_tanh, relu, silu, got",
    ),
    (feed_forward, (HIDDEN, FFN._replace(w_gate=X)), {}, "expected w_gate of shape (24, 20), got (3, 4)"),
    (feed_forward, (HIDDEN, FFN._replace(b_gate=FFN.b_in)), {}, "expected b_gate beside a w_gate, got it alone"),
    (
        feed_forward,
        (HIDDEN, FFN._replace(w_gate=FFN.w_in, b_gate=FFN.b_out)),
        {},
        "expected b_gate of shape (20,), got (24,)",
    ),
    (feed_forward, (HIDDEN, FFN._replace(w_out=np.ones((24, 20)))), {}, "expected w_out of shape (20, d_model)"),
    (residual, (X, X[:1]), {}, "expected change of shape (3, 4), got (1, 4)"),
    (residual, (X, X.astype("f4")), {}, "expected change of x's dtype float64, got float32"),
    (residual, (X, torch.ones(3, 4)), {}, ONE_BACK_END),
    (residual, (X, X), {"weight": np.nan}, "expected weight to be a finite number, got nan"),
    (residual, (X, X), {"weight": "1"}, "expected weight to be a finite number, got '1'"),
    (block, (HIDDEN, P, CONFIG), {"positions": POSITIONS}, "expected BlockParameters, got TransformerParameters"),
    (block, (HIDDEN, P.blocks[0], SIZES), {"positions": POSITIONS}, "expected a TransformerConfig, got dict"),
    (block, (X, P.blocks[0], CONFIG), {"positions": POSITIONS}, "expected x of shape (..., query, 24), got (3, 4)"),
    (
        block,
        (HIDDEN, P.blocks[0], CONFIG),
        {"positions": np.arange(4)},
        "same for all sequences (or (3, 2), for patches), got (4,)",
    ),
    (block, (HIDDEN, P.blocks[0], CONFIG), {"positions": POSITIONS / 1}, "positions of an integer dtype, got float64"),
    (block, (HIDDEN, P.blocks[0], CONFIG), {"positions": [0, 1, 2]}, "expected NumPy arrays or torch tensors"),
    (
        block,
        (HIDDEN, P.blocks[0], CONFIG),
        {"positions": POSITIONS, "memory": HIDDEN},
        "expected no memory, as cross_attention is False in the configuration, got one",
    ),
    (
        block,
        (HIDDEN, P.blocks[0], changed(position="t5")),
        {"positions": POSITIONS},
        "buckets of shape (32, 6), got none",
    ),
    (
        block,
        (HIDDEN, P.blocks[0], CONFIG),
        {"positions": POSITIONS, "tables": {"rows": X}},
        "expected parameters without rows, which this configuration leaves out, got shape (3, 4)",
    ),
    (unembed, (X, P), {}, "expected hidden of shape (..., 24), got (3, 4)"),
    (unembed, (X, P._replace(w_output=None)), {}, "expected hidden of shape (..., 24), got (3, 4)"),
    (unembed, (HIDDEN, tuple(P)), {}, "expected TransformerParameters, got tuple"),
    (init_parameters, (SIZES, RNG), {}, "expected a TransformerConfig, got dict"),
    (init_parameters, (CONFIG, None), {}, "expected rng to be a seed or a numpy.random.Generator, got None"),
    (init_parameters, (CONFIG, RNG), {"like": np.arange(3)}, "expected like of a floating-point dtype, got int64"),
    (init_parameters, (config(position=Learned(length=0)), RNG), {}, "length to be a positive whole number, got 0"),
    (init_parameters, (config(position=Binary(n_bits=-1)), RNG), {}, "n_bits to be a positive whole number, got -1"),
    (init_parameters, (config(position=T5(n_buckets=0)), RNG), {}, "n_buckets to be a positive whole number, got 0"),
    (init_parameters, (config(position=Shaw(max_distance=0)), RNG), {}, "max_distance to be a positive whole number"),
    (fresh_model, (None,), {}, "expected rng to be a seed or a numpy.random.Generator, got None"),
    (fresh_model, (0,), {"d_model": 0}, "expected d_model to be a positive whole number, got 0"),
    (unflatten_parameters, (FLAT, SIZES), {}, "expected a TransformerConfig, got dict"),
    (unflatten_parameters, ({}, CONFIG), {}, "expected embedding of shape (11, 24), got none"),
    (unflatten_parameters, (FLAT | {"w": X}, CONFIG), {}, "expected parameters without w, which this"),
    (unflatten_parameters, (FLAT | {"w_output": X}, CONFIG), {}, "expected w_output of shape (24, 11), got (3, 4)"),
    (unflatten_parameters, (FLAT | {"w_output": [1]}, CONFIG), {}, "w_output to be a NumPy array or a torch tensor"),
    (unflatten_parameters, (FLAT | {"b_output": torch.ones(11)}, CONFIG), {}, ONE_BACK_END),
    (parameter_shapes, (SIZES,), {}, "expected a TransformerConfig, got dict"),
    (generate, (TOKENS, P, CONFIG, 0), {}, "expected n_tokens to be a positive whole number, got 0"),
    (generate, (TOKENS, P, CONFIG, 2.0), {}, "expected n_tokens to be a positive whole number, got 2.0"),
    (generate, (TOKENS, P, CONFIG, 2), {"temperature": -1.0}, "temperature to be a number, 0 or more, got -1.0"),
    (generate, (TOKENS, P, CONFIG, 2), {"temperature": np.nan}, "temperature to be a number, 0 or more, got nan"),
    (generate, (TOKENS, P, CONFIG, 2), {"temperature": np.inf}, "temperature to be a number, 0 or more, got inf"),
    (
        generate,
        (TOKENS, P, CONFIG, 2),
        {"temperature": 1.0},
        "expected rng, a seed or a Generator, for a",
    ),
    (generate, (TOKENS, P, CONFIG, 2), {"rng": "3"}, "rng to be a seed or a numpy.random.Generator, got '3'"),
    (generate, (TOKENS, P, CONFIG, 2), {"lengths": np.array([1])}, "lengths of shape"),
    (
        generate,
        (TOKENS, P, CONFIG, 2),
        {"lengths": np.array([1.0, 2.0])},
        "lengths of whole numbers, got float64",
    ),
    (generate, (TOKENS, P, CONFIG, 2), {"lengths": np.array([1, 4])}, "lengths from 1 to the prompt's"),
    (generate, (TOKENS, P, CONFIG, 2), {"lengths": np.array([0, 3])}, "lengths from 1 to the prompt's"),
    (generate, (TOKENS, P, CONFIG, 2), {"top_k": 0}, "expected top_k to be a positive whole number, got 0"),
    (generate, (TOKENS, P, CONFIG, 2), {"eos": 11}, "expected eos to be a token below vocabulary_size = 11, got 11"),
    (generate, (TOKENS, P, CONFIG, 2), {"eos": 1.0}, "expected eos to be a token below vocabulary_size = 11, got 1.0"),
    (generate, (TOKENS, P, CONFIG, 2), {"cache": tuple(CACHE)}, "expected a KeyValueCache, got tuple"),
    (generate, (TOKENS, P, SIZES, 2), {}, "expected a TransformerConfig, got dict"),
    (generate, (TOKENS / 1, P, CONFIG, 2), {}, "expected prompt of an integer dtype, got float64"),
    (generate, (TOKENS[:, :0], P, CONFIG, 2), {}, "of shape (..., position) with no empty axis, got (2, 0)"),
    (generate, (TOKENS[0, 0], P, CONFIG, 2), {}, "expected prompt of shape (..., position), got ()"),
    (generate, (TOKENS + 7, P, CONFIG, 2), {}, "expected prompt below vocabulary_size = 11, got 16"),
    (generate, (TOKENS, P, changed(n_outputs=5), 2), {}, "expected n_outputs of vocabulary_size = 11, got 5"),
    (generate, (TOKENS, P, changed(n_outputs=12), 2), {}, "expected n_outputs of vocabulary_size = 11, got 12"),
    (generate, (TOKENS, *at(Learned(length=4)), 3), {}, "expected positions below 4, the table's length, got 4"),
    (generate, (TOKENS, P_CROSS, CROSS, 3), {}, "expected a memory, as cross_attention is True in the configuration"),
    # decode alone
    (decode, (TOKENS, P, CONFIG), {"cache": tuple(CACHE)}, "expected a KeyValueCache, got tuple"),
    (
        decode,
        (TOKENS, P, CONFIG),
        {"cache": CACHE._replace(layers=CACHE.layers[:1])},
        "expected a cache of 2 layers, got 1",
    ),
    (
        decode,
        (TOKENS[:1], P, CONFIG),
        {"cache": CACHE},
        "expected past_key of shape (1, 6, key, 4), got (2, 6, 3, 4)",
    ),
    (
        decode,
        (TOKENS[0], P, CONFIG),
        {"cache": CACHE},
        "expected past_key of shape (6, key, 4), got (2, 6, 3, 4)",
    ),
    (
        decode,
        (TOKENS, P_CROSS, CROSS),
        {},
        "expected a memory, as cross_attention is True in the configuration, got none",
    ),
    (decode, (TOKENS, P, CONFIG), {"memory": MEMORY}, "expected no memory, as cross_attention is False"),
    (
        decode,
        (TOKENS, P_CROSS, CROSS),
        {"memory": MEMORY[..., :7]},
        "expected memory of shape (2, memory, 24), got (2, 5, 7)",
    ),
    (decode, (TOKENS, P_CROSS, CROSS), {"memory": MEMORY[0]}, "expected memory of shape (2, memory, 24), got (5, 24)"),
    (decode, (TOKENS, P_CROSS, CROSS), {"memory": MEMORY[:, :0]}, "with no empty axis, got (2, 0, 24)"),
    (
        decode,
        (TOKENS, P_CROSS, CROSS),
        {"memory": MEMORY.astype("f4")},
        "expected memory of x's dtype float64, got float32",
    ),
    (decode, (TOKENS, P_CROSS, CROSS), {"memory": torch.from_numpy(MEMORY)}, ONE_BACK_END),
    # a mask goes to the encoder
    (encode, (TOKENS, P, CONFIG), {"mask": np.ones((3, 4), dtype=bool)}, "expected mask of shape (2, 6, 3, 3)"),
    (encode, (TOKENS, P, CONFIG), {"mask": np.ones((3, 3))}, "expected mask of dtype bool, got float64"),
    (encode, (TOKENS, P, CONFIG), {"mask": np.eye(3, dtype=bool)[::-1] & (POSITIONS > 0)}, "got a fully masked row"),
    (
        encode,
        (TOKENS, P_CROSS, CROSS),
        {},
        "expected a memory, as cross_attention is True in the configuration, got none",
    ),
    (layer_states, (TOKENS, P, CONFIG), {"cache": CACHE._replace(layers=())}, "expected a cache of 2 layers, got 0"),
    (layer_states, (TOKENS, P, CONFIG), {"memory": MEMORY}, "expected no memory, as cross_attention is False"),
]

# All that read tokens refuse the same things.
for function in (embed, layer_states, encode, decode):
    WRONG += [
        (function, (TOKENS.tolist(), P, CONFIG), {}, "expected NumPy arrays or torch tensors, got builtins.list"),
        (function, (TOKENS - 2, P, CONFIG), {}, "expected tokens of 0 or more, got -1"),
        (function, (TOKENS + 2, P, CONFIG), {}, "expected tokens below vocabulary_size = 11, got 11"),
        (function, (TOKENS > 2, P, CONFIG), {}, "expected tokens of an integer dtype, got bool"),
        (function, (TOKENS / 1, P, CONFIG), {}, "expected tokens of shape (..., position, 24), got (2, 3)"),
        (function, (HIDDEN.astype("f4"), P, CONFIG), {}, "expected tokens of embedding's dtype float64, got float32"),
        (function, (TOKENS[:, :0], P, CONFIG), {}, "no empty axis, got (2, 0)"),
        (function, (TOKENS[0, 0], P, CONFIG), {}, "expected tokens of shape (..., position), got ()"),
        (function, (torch.from_numpy(TOKENS), P, CONFIG), {}, ONE_BACK_END),
        (function, (TOKENS, P, CONFIG), {"positions": torch.arange(3)}, ONE_BACK_END),
        (function, (TOKENS, to_torch(P), CONFIG), {}, ONE_BACK_END),
        (function, (TOKENS, P, CONFIG), {"positions": [0, 1, 2]}, "expected NumPy arrays or torch tensors"),
        (
            function,
            (TOKENS, P, CONFIG),
            {"positions": np.arange(4)},
            "positions of shape (3,), one for each token",
        ),
        (
            function,
            (TOKENS, P, CONFIG),
            {"positions": np.array([0, 3])},
            "positions of shape (3,), one for each token",
        ),
        (
            function,
            (TOKENS, P, CONFIG),
            {"positions": np.zeros((4, 2), int)},
            "or (2, 3), those of each text, got (4, 2)",
        ),
        (
            function,
            (TOKENS, P, CONFIG),
            {"positions": np.zeros((3, 3), int)},
            "or (2, 3), those of each text, got (3, 3)",
        ),
        (function, (TOKENS, P, CONFIG), {"positions": POSITIONS + 0.5}, "positions of an integer dtype, got float64"),
        (function, (TOKENS, *at(Learned(length=2))), {}, "expected positions below 2, the table's length, got 2"),
        (function, (TOKENS, *at(Scalar(length=2))), {}, "expected positions below 2, the length, got 2"),
        (
            function,
            (TOKENS, *at(Binary(n_bits=1))),
            {},
            "expected positions below 2, as n_bits = 1 can count no further",
        ),
        (
            function,
            (TOKENS, *at("sinusoidal")),
            {"positions": POSITIONS - 1},
            "expected positions of 0 or more, got -1",
        ),
        (function, (TOKENS, *at(Sinusoidal(layout="up"))), {}, "layout to be one of interleaved, halves, got 'up'"),
        (function, (TOKENS, tuple(P), CONFIG), {}, "expected TransformerParameters, got tuple"),
        (function, (TOKENS, P, SIZES), {}, "expected a TransformerConfig, got dict"),
        (function, (TOKENS, P, changed(n_layers=3)), {}, "expected parameters of 3 blocks, got 2"),
        (function, (TOKENS, P, changed(vocabulary_size=9)), {}, "expected embedding of shape (9, 24), got (11, 24)"),
        (function, (TOKENS, P, changed(norm_embedding=True)), {}, "norm_embedding.gain of shape (24,), got none"),
        (
            function,
            (TOKENS, P, changed(norm="post")),
            {},
            "without norm_output.gain, which this configuration leaves out",
        ),
        (function, (TOKENS, P, changed(position="t5")), {}, "expected position.buckets of shape (32, 6), got none"),
        (
            function,
            (TOKENS, P._replace(b_output=np.ones(11, "f4")), CONFIG),
            {},
            "b_output of embedding's dtype float64",
        ),
    ]
for function in (encode, decode):
    WRONG += [
        (function, (TOKENS, *at(Alibi("up"))), {}, "direction to be one of symmetric, left, right, split, got 'up'"),
        (
            function,
            (TOKENS, P, changed(d_ff=0)),
            {},
            "without blocks.0.feed_forward.w_in, which this",
        ),
        (
            function,
            (TOKENS, P, changed(d_ff=7)),
            {},
            "blocks.0.feed_forward.w_in of shape (24, 7), got (24, 20)",
        ),
        (function, (TOKENS, with_block(feed_forward=None), CONFIG), {}, "w_in of shape (24, 20), got none"),
        (
            function,
            (TOKENS, with_block(feed_forward=SINGLE), CONFIG),
            {},
            "feed_forward.w_in of embedding's dtype float64",
        ),
        (
            function,
            (TOKENS, P._replace(embedding=P.embedding * np.nan), CONFIG),
            {},
            "a finite maximum, to take a softmax over, got NaN",
        ),
        (function, (TOKENS, with_block(feed_forward=NAN), CONFIG), {}, "to take a softmax over, got NaN or +inf"),
        (function, (TOKENS, NAN_AT_THE_END, CONFIG), {}, "expected hidden states of finite numbers, got NaN"),
    ]
WRONG += [
    (decode, (TOKENS, P, CROSS), {"memory": MEMORY}, "cross_attention.w_query of shape (24, 24), got none"),
    (
        encode,
        (TOKENS, P_CROSS, CONFIG),
        {},
        "without blocks.0.cross_attention.w_query, which",
    ),
]
NEEDS_POSITIONS = (embed, layer_states, encode, decode)

wrong_calls = pytest.mark.parametrize(
    ("function", "arrays", "options", "message"), WRONG, ids=[f"{f.__name__}: {m}" for f, _, _, m in WRONG]
)


def call(function: Any, arrays: tuple, options: dict) -> None:
    function(*arrays, **({"positions": POSITIONS} if function in NEEDS_POSITIONS else {}) | options)


@wrong_calls
@pytest.mark.usefixtures("types_unchecked")
def test_the_message_names_what_was_expected_and_what_came(function, arrays, options, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        call(function, arrays, options)
    assert str(error.value).startswith("expected ")


def test_every_public_function_is_in_the_table():
    """All but those that take any tree at all, and those whose wrong input stands in test_transformer_conversion.py."""
    any_tree = {"map_parameters", "flatten_parameters"}
    conversions = {"attention_from_torch", "block_from_torch", "encoder_from_torch", "model_from_state_dict"}
    public = {name for name in transformer.__all__ if not isinstance(getattr(transformer, name), type | dict)}
    public.add("parameter_shapes")
    assert public - any_tree - conversions == {function.__name__ for function, *_ in WRONG}


def test_options_go_by_their_names():
    parameters = {"layer_norm.gain", "layer_norm.bias", "rms_norm.gain"}
    assert options_by_position(transformer) == parameters


WRONG_SETTINGS: list[tuple[dict, str]] = [
    ({"vocabulary_size": 0}, "expected vocabulary_size to be a positive whole number, got 0"),
    ({"d_model": 24.0}, "expected d_model to be a positive whole number, got 24.0"),
    ({"n_heads": -1}, "expected n_heads to be a positive whole number, got -1"),
    ({"n_heads": 5}, "expected a d_model that n_heads = 5 divides, got 24"),
    ({"n_layers": 0}, "expected n_layers to be a positive whole number, got 0"),
    ({"d_ff": -1}, "expected d_ff to be a whole number, 0 or more, got -1"),
    ({"d_ff": 1.5}, "expected d_ff to be a whole number, 0 or more, got 1.5"),
    ({"n_outputs": 0}, "expected n_outputs to be a positive whole number, got 0"),
    ({"norm": "both"}, "expected norm to be one of pre, post, none, got 'both'"),
    ({"activation": "swish"}, "expected activation to be one of gelu, gelu_tanh, relu, silu, got 'swish'"),
    ({"norm_kind": "batch"}, "expected norm_kind to be one of layer, rms, got 'batch'"),
    ({"n_key_heads": 0}, "expected n_key_heads to be a positive whole number, got 0"),
    ({"n_key_heads": 4}, "expected an n_heads that n_key_heads = 4 divides, got 6"),
    ({"n_key_heads": 12}, "expected an n_heads that n_key_heads = 12 divides, got 6"),
    (
        {"tied_output": True, "n_outputs": 5},
        "expected an embedding of shape (11, 24), as tied_output needs, got (5, 24)",
    ),
    (
        {"tied_output": True, "position": Learned(concatenate=4)},
        "expected an embedding of shape (11, 24), as tied_output needs, got (11, 20)",
    ),
    ({"residual": "on"}, "expected residual to be a finite number, got 'on'"),
    ({"residual": np.inf}, "expected residual to be a finite number, got inf"),
    ({"eps": -1.0}, "expected eps to be a number, 0 or more, got -1.0"),
    ({"eps": np.inf}, "expected eps to be a number, 0 or more, got inf"),
    ({"position": ["rotary"]}, f"expected position to be a PositionScheme or one of {NAMES}, got ['rotary']"),
    ({"norm": ["pre"]}, "expected norm to be one of pre, post, none, got ['pre']"),
    ({"position": "rope"}, f"expected position to be a PositionScheme or one of {NAMES}, got 'rope'"),
    ({"position": Sinusoidal(concatenate=24)}, "a position scheme that leaves the token some of the 24 columns, got 0"),
]


@pytest.mark.usefixtures("types_unchecked")
@pytest.mark.parametrize(("settings", "message"), WRONG_SETTINGS, ids=[message for _, message in WRONG_SETTINGS])
def test_a_wrong_configuration_is_refused(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        config(**settings)


@pytest.mark.usefixtures("types_unchecked")
@pytest.mark.parametrize("columns", [-1, 1.5])
def test_a_scheme_takes_a_whole_number_of_columns(columns):
    message = f"expected concatenate to be a number of columns, 0 to add instead, got {columns}"
    with pytest.raises(ValueError, match=re.escape(message)):
        Learned(concatenate=columns)


def test_layer_states_complain_when_they_are_called():
    """And not when the first of them is asked for."""
    with pytest.raises(ValueError, match="expected tokens of 0 or more"):
        layer_states(np.array([-1]), P, CONFIG, positions=np.arange(1))
