"""RMS norm, the gated feed-forward, shared keys and values, the tied output: what must hold, whatever the numbers."""

import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inorder.attention import AttentionParameters
from inorder.transformer import (
    decode,
    encode,
    flatten_parameters,
    map_parameters,
    unembed,
)
from strategies import no_warnings, seeds, to_back_end
from transformer_models import WAYS_IN, shaken_model

pytestmark = [no_warnings, pytest.mark.usefixtures("types_unchecked")]
each_way_in = pytest.mark.parametrize("scheme", WAYS_IN.values(), ids=WAYS_IN)
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


@each_way_in
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


# The block, whole


ONE_GRAPH = """
import torch
from inorder.attention import causal_mask, scaled_dot_product_attention
from inorder.transformer import *


def causal(query, key, value):
    return scaled_dot_product_attention(query, key, value, mask=causal_mask(5, 7, like=query))


query, key, value = (torch.randn(3, 2, n, 4) for n in (5, 7, 7))
for f in (scaled_dot_product_attention, causal):
    assert torch.equal(torch.compile(f, backend="eager", fullgraph=True)(query, key, value), f(query, key, value))

settings = {"norm_kind": "rms", "gated": True, "activation": "silu", "n_key_heads": 2, "tied_output": True}
model = fresh_model(0, n_layers=1, position=Rotary(pairing="halves"), like=torch.empty(0), **settings)


def logits(tokens):
    return decode(tokens, *model, positions=torch.arange(4))[0]


tokens = torch.tensor([[3, 1, 4, 1]])
torch.testing.assert_close(torch.compile(logits, backend="eager", fullgraph=True)(tokens), logits(tokens))
"""


@pytest.mark.nightly
def test_attention_and_the_block_of_today_compile_in_one_graph():
    """In a process of their own: the type checker of the tests is nothing that torch can trace."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", ONE_GRAPH], check=True, timeout=300)
