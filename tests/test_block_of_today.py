"""RMS norm, the gated feed-forward, shared keys and values, the tied output: what must hold, whatever the numbers."""

import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from inorder.attention import AttentionParameters, causal_mask, multi_head_attention, project_heads, repeat_heads
from inorder.transformer import (
    Alibi,
    Shaw,
    block,
    decode,
    encode,
    feed_forward,
    flatten_parameters,
    layer_states,
    map_parameters,
    rms_norm,
    unembed,
    unflatten_parameters,
)
from inorder.transformer.parameters import parameter_shapes
from strategies import assert_close, float_arrays, no_warnings, random_mask, seeds, to_back_end, to_numpy
from transformer_models import ALL_SCHEMES, TODAY, shaken_model, todays_model

pytestmark = no_warnings
UNTIED = {**TODAY, "tied_output": False}  # where a scheme takes columns from the token
every_scheme = pytest.mark.parametrize("scheme", ALL_SCHEMES.values(), ids=ALL_SCHEMES)
both_back_ends = pytest.mark.parametrize("back_end", ["numpy", "torch"])


def with_repeated_keys(parameters: Any, n_heads: int, n_key_heads: int) -> Any:
    """The columns of each key and value head, once for each query head that shares it."""

    def repeated(w: Any) -> Any:
        heads = w.reshape(*w.shape[:-1], n_key_heads, -1)
        return np.repeat(heads, n_heads // n_key_heads, axis=-2).reshape(*w.shape[:-1], -1)

    def whole(p: AttentionParameters | None) -> Any:
        if p is None:
            return None
        return p._replace(
            **{name: repeated(getattr(p, name)) for name in ("w_key", "w_value", "b_key", "b_value")},
        )

    blocks = tuple(
        b._replace(attention=whole(b.attention), cross_attention=whole(b.cross_attention)) for b in parameters.blocks
    )
    return parameters._replace(blocks=blocks)


# Shared keys and values


@every_scheme
@settings(max_examples=4)
@given(
    seed=seeds,
    n_key_heads=st.sampled_from([1, 2, 3, 6]),
    cross_attention=st.booleans(),
    pieces=st.lists(st.integers(1, 4), min_size=1, max_size=4),
)
def test_heads_that_share_a_key_are_heads_with_equal_keys(scheme, seed, n_key_heads, cross_attention, pieces):
    """In every scheme, with a cache and with a memory: a bias is each query head's own."""
    few, config = shaken_model(scheme, seed=seed, n_key_heads=n_key_heads, cross_attention=cross_attention)
    full, ordinary = with_repeated_keys(few, 6, n_key_heads), dataclasses.replace(config, n_key_heads=None)
    rng, n = np.random.default_rng(seed), sum(pieces)
    tokens, positions = rng.integers(11, size=(2, n)), np.sort(rng.permutation(30)[:n])
    memory = rng.normal(size=(2, 3, 24)) if cross_attention else None
    expected, _ = decode(tokens, full, ordinary, positions=positions, memory=memory)
    logits, cache, start = [], None, 0
    for length in pieces:
        piece = slice(start, start := start + length)
        rows, cache = decode(tokens[:, piece], few, config, positions=positions[piece], cache=cache, memory=memory)
        logits.append(rows)
    np.testing.assert_allclose(np.concatenate(logits, axis=1), expected, rtol=1e-10, atol=1e-10)
    assert cache.layers[0].key.shape == cache.layers[0].value.shape == (2, n_key_heads, n, 4)


@every_scheme
@both_back_ends
def test_as_many_keys_as_queries_is_ordinary_attention(scheme, back_end):
    """To the last bit."""
    parameters, config = shaken_model(scheme)
    parameters = map_parameters(lambda w: to_back_end(w, back_end), parameters)
    tokens, positions = (to_back_end(x, back_end) for x in (np.array([[3, 1, 4, 1, 5]]), np.arange(5)))
    expected, actual = (
        decode(tokens, parameters, dataclasses.replace(config, n_key_heads=n), positions=positions)[0]
        for n in (None, 6)
    )
    assert (expected == actual).all()


@given(
    seed=seeds,
    group=st.integers(1, 3),
    n_key_heads=st.integers(1, 3),
    back_end=st.sampled_from(["numpy", "torch"]),
    masked=st.booleans(),
)
def test_shared_keys_of_a_single_attention(seed, group, n_key_heads, back_end, masked):
    rng, n_heads = np.random.default_rng(seed), group * n_key_heads
    x, memory = rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 3, 6))
    shapes = [(4, n_heads * 2), (6, n_key_heads * 2), (6, n_key_heads * 3), (n_heads * 3, 4)]
    w = AttentionParameters(*(rng.normal(size=shape) for shape in shapes))
    mask = random_mask(rng, (n_heads, 5, 3)) if masked else None
    _, key, value = project_heads(x, memory, w, n_heads, n_key_heads=n_key_heads)
    assert key.shape == (2, n_key_heads, 3, 2) and value.shape == (2, n_key_heads, 3, 3)
    whole = w._replace(
        w_key=np.repeat(w.w_key.reshape(6, n_key_heads, 2), group, axis=1).reshape(6, -1),
        w_value=np.repeat(w.w_value.reshape(6, n_key_heads, 3), group, axis=1).reshape(6, -1),
    )
    expected = multi_head_attention(x, memory, whole, n_heads, mask=mask)
    inputs = [to_back_end(array, back_end) for array in (x, memory)]
    weights = map_parameters(lambda array: to_back_end(array, back_end), w)
    mask = None if mask is None else to_back_end(mask, back_end)
    actual = multi_head_attention(*inputs, weights, n_heads, n_key_heads=n_key_heads, mask=mask)
    assert_close(to_numpy(actual), expected)
    heads = np.repeat(key, group, axis=1)
    assert (to_numpy(repeat_heads(to_back_end(key, back_end), n_heads)) == heads).all()


def test_a_bias_is_each_query_heads_own():
    """Six heads share one key: their slopes, and what Shaw reads from their queries, still differ."""
    for scheme in (Alibi(), Shaw(max_distance=3)):
        parameters, config = shaken_model(scheme, n_key_heads=1, n_layers=1)
        attention = parameters.blocks[0].attention
        alike = np.tile(attention.w_query[:, :4], 6), np.tile(attention.b_query[:4], 6)
        attention = attention._replace(w_query=alike[0], b_query=alike[1])
        blocks = (parameters.blocks[0]._replace(attention=attention),)
        states = layer_states(np.arange(7), parameters._replace(blocks=blocks), config, positions=np.arange(7))
        weights = next(iter(states)).weights
        spread = abs(weights - weights[0]).max()
        assert spread > 1e-3 if isinstance(scheme, Alibi) else spread < 1e-12


# RMS norm


@given(x=float_arrays(), factor=st.floats(0.01, 100.0))
def test_a_scaled_row_has_the_same_rms_norm(x, factor):
    assert_close(to_numpy(rms_norm(float(factor) * x, eps=0.0)), to_numpy(rms_norm(x, eps=0.0)))


@given(x=float_arrays())
def test_rms_norm_leaves_a_mean_square_of_1(x):
    squares = to_numpy(rms_norm(x, eps=0.0)) ** 2
    np.testing.assert_allclose(squares.mean(-1), 1.0, rtol=1e-5)


@pytest.mark.parametrize("place", ["pre", "post"])
def test_the_whole_model_uses_its_kind_of_norm(place):
    """Without a bias in any of them, and a row of the last block of mean square 1."""
    parameters, config = shaken_model(
        norm=place, norm_kind="rms", norm_embedding=True, cross_attention=True, eps=0.0, linear_biases=False
    )
    names = list(parameter_shapes(config))
    assert not any(name.endswith(".bias") for name in names)
    ones = {name: np.ones_like(w) for name, w in flatten_parameters(parameters).items() if name.endswith("gain")}
    plain = unflatten_parameters(flatten_parameters(parameters) | ones, config)
    tokens, memory = np.arange(5), np.ones((3, 24))
    options = {"positions": np.arange(5), "memory": memory}
    last = list(layer_states(tokens, plain, config, mask=causal_mask(5), **options))[-1].hidden
    if place == "post":
        np.testing.assert_allclose((last**2).mean(-1), 1.0)
    logits, _ = decode(tokens, plain, config, **options)
    expected = rms_norm(last, eps=0.0) if place == "pre" else last
    assert_close(logits, expected @ plain.w_output)


# The tied output


@both_back_ends
@pytest.mark.parametrize("position", ["rotary", "learned"])
def test_a_tied_output_is_the_embedding_transposed(back_end, position):
    tied, config = shaken_model(position, tied_output=True)
    tied = map_parameters(lambda w: to_back_end(w, back_end), tied)
    untied = tied._replace(w_output=tied.embedding.T)
    tokens, positions = (to_back_end(x, back_end) for x in (np.array([[3, 1, 4, 1, 5]]), np.arange(5)))
    logits, _ = decode(tokens, tied, config, positions=positions)
    expected, _ = decode(tokens, untied, dataclasses.replace(config, tied_output=False), positions=positions)
    assert (logits == expected).all()
    hidden = encode(tokens, tied, config, positions=positions)
    assert (unembed(hidden, tied) == unembed(hidden, untied)).all()
    assert "w_output" not in flatten_parameters(tied)


def test_a_tied_output_learns_from_both_its_places():
    parameters, config = todays_model()
    parameters = map_parameters(lambda w: torch.from_numpy(w).requires_grad_(), parameters)
    logits, _ = decode(torch.tensor([3, 1, 4]), parameters, config, positions=torch.arange(3))
    logits[-1, 7].backward()  # token 7 is not in the text: its row is reached through the output alone
    gradient = parameters.embedding.grad
    assert all(gradient[token].abs().max() > 1e-6 for token in (3, 1, 4, 7)) and gradient[8].abs().max() == 0


# The block, whole


def test_the_block_of_today_written_out():
    parameters, config = todays_model("none", n_layers=1, eps=0.1, residual=0.5)
    p, x = parameters.blocks[0], np.random.default_rng(1).normal(size=(5, 24))
    source = rms_norm(x, p.norm_attention.gain, eps=0.1)
    y = 0.5 * x + multi_head_attention(source, source, p.attention, 6, n_key_heads=2)
    source = rms_norm(y, p.norm_feed_forward.gain, eps=0.1)
    w = p.feed_forward
    gate = source @ w.w_gate + w.b_gate
    hidden = gate / (1 + np.exp(-gate)) * (source @ w.w_in + w.b_in)
    expected = 0.5 * y + hidden @ w.w_out + w.b_out
    assert_close(block(x, p, config, positions=np.arange(5)).hidden, expected)


def test_a_gate_that_lets_all_through_is_no_gate():
    """ReLU of 1 is 1: with W_gate = 0 and b_gate = 1 what is left is linear."""
    parameters, _ = todays_model()
    p, x = parameters.blocks[0].feed_forward, np.random.default_rng(1).normal(size=(5, 24))
    p = p._replace(w_gate=0 * p.w_gate, b_gate=np.ones_like(p.b_gate))
    assert_close(feed_forward(x, p, activation="relu"), (x @ p.w_in + p.b_in) @ p.w_out + p.b_out)


ONE_GRAPH = """
import torch
from inorder.attention import causal_mask, scaled_dot_product_attention
from inorder.transformer import *


def causal(query, key, value):
    return scaled_dot_product_attention(query, key, value, mask=causal_mask(5, 7, like=query))


query, key, value = (torch.randn(3, 2, n, 4) for n in (5, 7, 7))
for f in (scaled_dot_product_attention, causal):
    assert torch.equal(torch.compile(f, backend="eager", fullgraph=True)(query, key, value), f(query, key, value))

for scheme in (Rotary(pairing="halves"), Shaw(max_distance=3)):
    settings = {"norm_kind": "rms", "gated": True, "activation": "silu", "n_key_heads": 2, "tied_output": True}
    model = fresh_model(0, position=scheme, like=torch.empty(0), **settings)

    def logits(tokens):
        return decode(tokens, *model, positions=torch.arange(4))[0]

    tokens = torch.tensor([[3, 1, 4, 1]])
    expected = logits(tokens)
    torch.testing.assert_close(torch.compile(logits, backend="eager", fullgraph=True)(tokens), expected)
"""


def test_attention_and_the_block_of_today_compile_in_one_graph():
    """In a process of their own: the type checker of the tests is nothing that torch can trace."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", ONE_GRAPH], check=True, timeout=300)


@both_back_ends
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_array_keeps_its_dtype(back_end, dtype):
    parameters, config = todays_model()
    parameters = map_parameters(lambda w: to_back_end(w.astype(dtype), back_end), parameters)
    tokens, positions = (to_back_end(x, back_end) for x in (np.array([3, 1, 4]), np.arange(3)))
    mask = to_back_end(causal_mask(3), back_end)
    for state in layer_states(tokens, parameters, config, positions=positions, mask=mask):
        for name, array in flatten_parameters(state).items():
            assert str(array.dtype).endswith("int64" if name == "cache.positions" else dtype), name
