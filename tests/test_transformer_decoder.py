"""The causal decoder: what a later token cannot change, the cache, and generation."""

from typing import Any

import numpy as np
import pytest
import scipy.stats
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from inorder.attention import causal_mask, prefix_mask, softmax
from inorder.transformer import (
    KeyValueCache,
    decode,
    encode,
    flatten_parameters,
    generate,
    map_parameters,
    unembed,
)
from inorder.transformer.block import LayerCache
from strategies import assert_close, dtypes, no_warnings, seeds, to_back_end, to_numpy
from transformer_models import ALL_SCHEMES, WAYS_IN, shaken_model, to_torch, todays_model

pytestmark = [no_warnings, pytest.mark.usefixtures("types_unchecked")]  # the encoder's tests check types
every_scheme = pytest.mark.parametrize("scheme", ALL_SCHEMES.values(), ids=ALL_SCHEMES)
each_way_in = pytest.mark.parametrize("scheme", WAYS_IN.values(), ids=WAYS_IN)
both_back_ends = pytest.mark.parametrize("back_end", ["numpy", "torch"])
few = settings(max_examples=4)
EXACT = {"rtol": 1e-10, "atol": 1e-10}


def largest(x: Any) -> float:
    return float(abs(x).max())


def step_by_step(tokens: Any, positions: Any, pieces: list[int], *model: Any, **options: Any) -> Any:
    """The logits of the whole text, which comes in pieces of these lengths."""
    logits, cache, start = [], None, 0
    for length in pieces:
        end = start + length
        piece, cache = decode(tokens[..., start:end], *model, positions=positions[start:end], cache=cache, **options)
        logits.append(to_numpy(piece))
        start = end
    return np.concatenate(logits, axis=-2)


# What a later token cannot change


@each_way_in
@few
@given(seed=seeds, n=st.integers(2, 9), dtype=dtypes, back_end=st.sampled_from(["numpy", "torch"]), data=st.data())
def test_no_token_changes_what_stood_before_it(scheme, seed, n, dtype, back_end, data):
    """Not even in the last bit."""
    parameters, config = shaken_model(scheme, seed=seed)
    parameters = map_parameters(lambda w: to_back_end(w.astype(dtype), back_end), parameters)
    tokens = np.random.default_rng(seed).integers(11, size=(2, n))
    changed = tokens.copy()
    t = data.draw(st.integers(1, n - 1))
    changed[:, t] = (tokens[:, t] + data.draw(st.integers(1, 10))) % 11
    before, after = (
        to_numpy(decode(to_back_end(x, back_end), parameters, config, positions=to_back_end(np.arange(n), back_end))[0])
        for x in (tokens, changed)
    )
    assert (before[:, :t] == after[:, :t]).all()
    assert (before[:, t] != after[:, t]).any()


@each_way_in
def test_the_decoder_is_the_encoder_with_a_causal_mask(scheme):
    parameters, config = shaken_model(scheme)
    tokens, positions = np.arange(10).reshape(2, 5), np.array([0, 1, 2, 5, 6])
    logits, _ = decode(tokens, parameters, config, positions=positions)
    hidden = encode(tokens, parameters, config, positions=positions, mask=causal_mask(5))
    assert (logits == unembed(hidden, parameters)).all()


@pytest.mark.parametrize("n_prefix", [0, 3, 5])
def test_a_prefix_sees_itself_and_nothing_after_it(n_prefix):
    mask = prefix_mask(5, n_prefix)
    expected = [[j <= i or j < n_prefix for j in range(5)] for i in range(5)]
    assert (mask == expected).all()
    assert (prefix_mask(5, n_prefix, like=torch.empty(0)).numpy() == expected).all()


# The cache


@each_way_in
@few
@given(
    seed=seeds,
    n_layers=st.integers(1, 4),
    pieces=st.lists(st.integers(1, 4), min_size=2, max_size=5),
    norm=st.sampled_from(["pre", "post"]),
    cross_attention=st.booleans(),
    leading=st.sampled_from([(), (2,)]),
    back_end=st.sampled_from(["numpy", "torch"]),
)
def test_step_by_step_is_the_full_pass(scheme, seed, n_layers, pieces, norm, cross_attention, leading, back_end):
    """At any depth, with the text cut anywhere, and with positions that start anywhere and leave gaps."""
    parameters, config = shaken_model(scheme, seed=seed, n_layers=n_layers, norm=norm, cross_attention=cross_attention)
    rng, n = np.random.default_rng(seed), sum(pieces)
    tokens = to_back_end(rng.integers(11, size=(*leading, n)), back_end)
    positions = to_back_end(np.sort(rng.permutation(30)[:n]), back_end)
    parameters = map_parameters(lambda w: to_back_end(w, back_end), parameters)
    memory = to_back_end(rng.normal(size=(*leading, 3, 24)), back_end) if cross_attention else None
    whole, _ = decode(tokens, parameters, config, positions=positions, memory=memory)
    stepwise = step_by_step(tokens, positions, pieces, parameters, config, memory=memory)
    np.testing.assert_allclose(stepwise, to_numpy(whole), **EXACT)


def test_positions_that_restart_at_each_step_give_another_answer():
    """A well-known bug, and why positions are an argument: a decoder that counts its input finds one token, at 0."""
    parameters, config = shaken_model("rotary")
    tokens, positions = np.array([3, 1, 4, 1]), np.arange(4)
    whole, _ = decode(tokens, parameters, config, positions=positions)
    right = step_by_step(tokens, positions, [1] * 4, parameters, config)
    wrong = step_by_step(tokens, 0 * positions, [1] * 4, parameters, config)
    np.testing.assert_allclose(right, whole, **EXACT)
    assert largest(wrong - whole) > 1e-2


@each_way_in
def test_a_cache_is_a_set_of_rows_with_their_positions(scheme):
    """Reorder keys, values and positions together: no later query can tell."""
    parameters, config = shaken_model(scheme, n_layers=3)
    order = np.array([4, 0, 3, 1, 2])
    _, cache = decode(np.array([3, 1, 4, 1, 5]), parameters, config, positions=np.arange(5))
    layers = [LayerCache(r.positions[order], r.key[:, order], r.value[:, order]) for r in cache.layers]
    call = {"positions": np.array([5, 6])}
    expected, _ = decode(np.array([9, 2]), parameters, config, cache=cache, **call)
    actual, _ = decode(np.array([9, 2]), parameters, config, cache=KeyValueCache(tuple(layers)), **call)
    assert_close(actual, expected)


def test_decode_leaves_the_cache_as_it_was():
    """So two continuations can share it."""
    parameters, config = shaken_model("shaw")
    prompt, places, one, other, next_place = map(np.array, ([3, 1, 4], [0, 1, 2], [7], [8], [3]))
    _, cache = decode(prompt, parameters, config, positions=places)
    copies = [x.copy() for x in flatten_parameters(cache).values()]
    first, longer = decode(one, parameters, config, positions=next_place, cache=cache)
    decode(other, parameters, config, positions=next_place, cache=cache)
    again, _ = decode(one, parameters, config, positions=next_place, cache=cache)
    assert (first == again).all()
    for x, copy in zip(flatten_parameters(cache).values(), copies, strict=True):
        assert (x == copy).all()
    for rows, more in zip(cache.layers, longer.layers, strict=True):
        assert rows.positions.tolist() == [0, 1, 2] and more.positions.tolist() == [0, 1, 2, 3]
        assert (more.key[:, :3] == rows.key).all() and (more.value[:, :3] == rows.value).all()


# Generation


@each_way_in
@pytest.mark.parametrize(("model", "back_end"), [(shaken_model, "numpy"), (todays_model, "torch")])
def test_greedy_generation_takes_the_largest_logit_of_full_passes(scheme, back_end, model):
    parameters, config = model(scheme, cross_attention=True, n_layers=1)
    parameters = map_parameters(lambda w: to_back_end(w, back_end), parameters)
    prompt, memory = np.array([[3, 1, 4], [1, 5, 9]]), np.random.default_rng(0).normal(size=(2, 4, 24))
    prompt, memory = to_back_end(prompt, back_end), to_back_end(memory, back_end)
    tokens = to_numpy(generate(prompt, parameters, config, 4, memory=memory))
    expected = to_numpy(prompt)
    for n in range(3, 7):
        text, positions = to_back_end(expected, back_end), to_back_end(np.arange(n), back_end)
        logits, _ = decode(text, parameters, config, positions=positions, memory=memory)
        expected = np.concatenate([expected, to_numpy(logits)[:, -1].argmax(-1)[:, None]], axis=1)
    assert tokens.tolist() == expected.tolist()


def test_the_same_seed_draws_the_same_text_in_both_back_ends():
    parameters, config = shaken_model("rotary")
    prompt = np.array([[3, 1, 4], [1, 5, 9]])

    def sample(seed: int) -> list:
        return generate(prompt, parameters, config, 9, temperature=2.0, rng=np.random.default_rng(seed)).tolist()

    in_torch = generate(
        torch.from_numpy(prompt), to_torch(parameters), config, 9, temperature=2.0, rng=np.random.default_rng(5)
    )
    assert sample(5) == sample(5) == in_torch.tolist()
    assert sample(5) != sample(6)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_samples_follow_softmax_at_that_temperature(temperature):
    """20 000 continuations of one prompt, as a batch; a fair one fails this in one of a thousand seeds."""
    parameters, config = shaken_model("sinusoidal", d_model=6, n_heads=1, n_layers=1)
    n, prompt = 20_000, np.array([3, 1])
    logits, _ = decode(prompt, parameters, config, positions=np.arange(2))
    batch = np.broadcast_to(prompt, (n, 2))
    tokens = generate(batch, parameters, config, 1, temperature=temperature, rng=np.random.default_rng(0))
    counts = np.bincount(tokens[:, 2], minlength=11)
    expected = n * softmax(logits[-1] / temperature)
    rare = expected < 5  # a chi-square test wants at least five in each class
    counts, expected = ([*x[~rare], x[rare].sum()] if rare.any() else x for x in (counts, expected))
    assert scipy.stats.chisquare(counts, expected).pvalue > 1e-3


def test_a_temperature_near_zero_is_greedy():
    parameters, config = shaken_model("t5")
    cold = generate(np.array([3]), parameters, config, 9, temperature=1e-9, rng=np.random.default_rng(0))
    greedy = generate(np.array([3]), parameters, config, 9)
    assert cold.tolist() == greedy.tolist()
    ignored = generate(np.array([3]), parameters, config, 9, rng=np.random.default_rng(0))
    assert ignored.tolist() == greedy.tolist()


@both_back_ends
def test_a_cache_is_the_beginning_of_a_text(back_end):
    """Generating after it is generating after the whole; it starts where the cache ends, and two may share it."""
    parameters, config = shaken_model("rotary")
    parameters = map_parameters(lambda w: to_back_end(w, back_end), parameters)
    text, positions = np.array([[3, 1, 4, 1], [1, 5, 9, 2]]), np.arange(4)
    whole = to_numpy(generate(to_back_end(text, back_end), parameters, config, 3))
    for cut in (1, 3):
        start, rest = (to_back_end(x, back_end) for x in (text[:, :cut], text[:, cut:]))
        _, cache = decode(start, parameters, config, positions=to_back_end(positions[:cut], back_end))
        for _ in range(2):
            assert (to_numpy(generate(rest, parameters, config, 3, cache=cache)) == whole[:, cut:]).all()


@both_back_ends
def test_after_its_end_a_sequence_says_nothing_else(back_end):
    parameters, config = shaken_model("rotary")
    parameters = map_parameters(lambda w: to_back_end(w, back_end), parameters)
    prompt = to_back_end(np.arange(10)[:, None], back_end)
    free = to_numpy(generate(prompt, parameters, config, 6, temperature=1.0, rng=3))
    eos = int(free[0, 2])
    ended = to_numpy(generate(prompt, parameters, config, 6, temperature=1.0, rng=3, eos=eos))
    assert ended.shape == free.shape
    for row, other in zip(ended, free, strict=True):
        n = list(other[1:]).index(eos) + 2 if eos in other[1:] else 7
        assert (row[:n] == other[:n]).all() and (row[n:] == eos).all()
    one = to_numpy(generate(prompt[:1], parameters, config, 6, temperature=0.0))
    stopped = to_numpy(generate(prompt[:1], parameters, config, 6, eos=int(one[0, 1])))
    assert stopped[0, 1:].tolist() == [one[0, 1]] * 6


@pytest.mark.parametrize("top_k", [1, 3, 50])
def test_only_the_k_most_likely_are_drawn(top_k):
    parameters, config = shaken_model("sinusoidal", d_model=6, n_heads=1, n_layers=1)
    prompt = np.array([3, 1])
    logits, _ = decode(prompt, parameters, config, positions=np.arange(2))
    allowed = set(np.argsort(logits[-1])[-top_k:].tolist())
    batch = np.broadcast_to(prompt, (2000, 2))
    tokens = generate(batch, parameters, config, 1, temperature=20.0, top_k=top_k, rng=0)
    assert set(tokens[:, 2].tolist()) == allowed


@every_scheme
def test_half_precision_stays_half(scheme, dtype=torch.bfloat16):
    """And says what double precision says, to its few digits."""
    parameters, config = shaken_model(scheme, n_layers=1)
    tokens, positions = torch.tensor([[3, 1, 4, 1, 5]]), torch.arange(5)
    expected, _ = decode(tokens, to_torch(parameters), config, positions=positions)
    half = map_parameters(lambda w: torch.from_numpy(w).to(dtype), parameters)
    logits, cache = decode(tokens, half, config, positions=positions)
    assert logits.dtype == cache.layers[0].key.dtype == dtype
    assert (logits.double() - expected).abs().max() < 0.2 * expected.abs().max()
    assert generate(tokens, half, config, 2).shape == (1, 7)


@every_scheme
def test_vmap_is_a_loop(scheme):
    """Checks of numbers are left out there, where numbers cannot be read."""
    parameters, config = shaken_model(scheme, n_layers=1)
    parameters, tokens, positions = to_torch(parameters), torch.tensor([[3, 1, 4], [1, 5, 9]]), torch.arange(3)

    def logits(tokens: Any) -> Any:
        return decode(tokens, parameters, config, positions=positions)[0]

    torch.testing.assert_close(torch.func.vmap(logits)(tokens), logits(tokens))
