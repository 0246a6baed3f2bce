"""`inorder.circuits`: heads that do what they were built for, and what scores can and cannot see of W_Q and W_K."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from induction_by_counting import induction_shares
from inorder.attention import attention_scores, attention_weights, causal_mask
from inorder.circuits import (
    Head,
    first_token_head,
    head_scores,
    head_weights,
    induction_weights,
    offset_head,
    position_readout,
    qk_circuit,
    rank,
    read_through,
    reparametrise,
    swap,
)
from inorder.encodings import rotary_encoding, sinusoidal_encoding
from strategies import assert_close, back_ends, no_warnings, seeds, sizes, to_back_end, to_numpy

pytestmark = no_warnings

heads = pytest.mark.parametrize(
    "make",
    [
        lambda **options: offset_head(-2, 64, **options),
        lambda **options: offset_head(3, 64, d_head=8, **options),
        lambda **options: first_token_head(64, **options),
    ],
)


def positions(start: int, n: int, d_model: int = 64) -> np.ndarray:
    return sinusoidal_encoding(np.arange(start, start + n), d_model)


@st.composite
def random_heads(draw: st.DrawFn) -> tuple[np.random.Generator, Head]:
    """Random weights, of unlike widths for queries and keys."""
    rng = np.random.default_rng(draw(seeds))
    d_model, d_memory, d_head = draw(sizes), draw(sizes), draw(sizes)
    sharpness = draw(st.sampled_from([None, 0.5, 3.0]))
    return rng, Head(rng.standard_normal((d_model, d_head)), rng.standard_normal((d_memory, d_head)), sharpness)


def inputs(rng: np.random.Generator, head: Head, *leading: int) -> tuple[np.ndarray, np.ndarray]:
    x_query = rng.standard_normal((*leading, 3, head.w_query.shape[0]))
    return x_query, rng.standard_normal((*leading, 5, head.w_key.shape[0]))


# Heads built by hand


@pytest.mark.parametrize("start", [0, 250_000])
@pytest.mark.parametrize("offset", [-5, 0, 2])
@pytest.mark.parametrize("d_head", [None, 8])
def test_offset_head_looks_where_it_should_at_any_position(start, offset, d_head):
    n = 40
    x = positions(start, n)
    weights = head_weights(x, x, offset_head(offset, 64, d_head=d_head))
    targets = np.arange(n) + offset
    inside = (targets >= 0) & (targets < n)
    assert weights[inside, targets[inside]].min() > 0.999
    if abs(offset) <= 2 and d_head is None:
        nearest = targets.clip(0, n - 1)
        assert np.array_equal(weights.argmax(axis=-1), nearest)


@given(st.integers(-50, 50), st.integers(0, 5000), st.integers(1, 8))
def test_offset_scores_are_a_sum_of_cosines(offset, start, half):
    x = positions(start, 7, d_model=16)
    scores = head_scores(x, x, offset_head(offset, 16, d_head=2 * half, sharpness=2.0))
    distance = np.arange(7)[:, None] + offset - np.arange(7)
    omega = 10_000.0 ** (-np.arange(half) / 8)
    np.testing.assert_allclose(scores, 2 * np.cos(distance[..., None] * omega).sum(-1), atol=1e-10)


def test_first_token_head_looks_at_position_zero_from_everywhere():
    x = positions(0, 3000)
    head = first_token_head(64)
    assert rank(head) == head.w_query.shape[1] == 1
    weights = head_weights(x[[0, 7, 1000, 2999]], x, head)
    assert weights[:, 0].min() > 0.999


def test_first_token_head_fails_beyond_a_quarter_of_the_longest_wavelength():
    quarter = math.pi / 2 * 10_000 ** (62 / 64)
    assert int(quarter) == 11_779
    near, far = (sinusoidal_encoding(np.array([p]), 64) for p in (int(quarter), int(quarter) + 1))
    assert head_scores(near, positions(0, 1), first_token_head(64)) > 0
    assert head_scores(far, positions(0, 1), first_token_head(64)) < 0


@heads
def test_a_head_follows_its_options_and_its_back_end(make):
    for like in (np.zeros(1, "float32"), torch.zeros(1), torch.zeros(1, dtype=torch.float64)):
        head = make(sharpness=2.0, like=like)
        for ours, double in zip(head[:2], make()[:2], strict=True):
            assert type(ours) is type(like) and ours.dtype == like.dtype
            np.testing.assert_allclose(to_numpy(ours), double, atol=1e-6)
        x = to_back_end(
            positions(0, 20).astype(to_numpy(like).dtype), "torch" if isinstance(like, torch.Tensor) else "numpy"
        )
        assert head_weights(x, x, head).dtype == like.dtype
        assert head.sharpness == 2


# Reading positions under content


@given(seeds, st.integers(1, 3), st.integers(1, 3), st.integers(0, 2), back_ends)
def test_the_readout_is_exact_if_the_spans_meet_only_in_zero(seed, n_tokens, n_positions, spare, back_end):
    rng = np.random.default_rng(seed)
    tokens, encoding = (rng.standard_normal((n, n_tokens + n_positions + spare)) for n in (n_tokens, n_positions))
    d = to_numpy(position_readout(to_back_end(tokens, back_end), to_back_end(encoding, back_end)))
    np.testing.assert_allclose(tokens @ d, 0, atol=1e-8)
    np.testing.assert_allclose(encoding @ d, encoding, atol=1e-8)


@given(random_heads())
def test_reading_through_a_matrix_is_multiplying_the_input(case):
    rng, head = case
    head = head._replace(w_key=rng.standard_normal(head.w_query.shape))
    x, readout = rng.standard_normal((3, 7)), rng.standard_normal((7, head.w_query.shape[0]))
    expected = head_scores(x @ readout, x @ readout, head)
    np.testing.assert_allclose(head_scores(x, x, read_through(head, readout)), expected, atol=1e-11)


# What the scores see


@given(random_heads(), st.lists(sizes, max_size=2), back_ends)
def test_scores_and_weights_are_those_of_attention(case, leading, back_end):
    rng, head = case
    x_query, x_key = inputs(rng, head, *leading)
    query, key = x_query @ head.w_query, x_key @ head.w_key
    causal = causal_mask(3, 5)
    head = Head(*(to_back_end(w, back_end) for w in head[:2]), head.sharpness)
    x_query, x_key, theirs = (to_back_end(x, back_end) for x in (x_query, x_key, causal))
    assert_close(to_numpy(head_scores(x_query, x_key, head)), attention_scores(query, key, scale=head.sharpness))
    for mask, ours in ((None, None), (causal, theirs)):
        expected = attention_weights(query, key, scale=head.sharpness, mask=mask)
        assert_close(to_numpy(head_weights(x_query, x_key, head, mask=ours)), expected)


@given(random_heads())
def test_merged_scores_are_the_same(case):
    rng, head = case
    x_query, x_key = inputs(rng, head)
    scale = head.sharpness or 1 / math.sqrt(head.w_query.shape[1])
    expected = scale * x_query @ qk_circuit(head) @ x_key.T
    np.testing.assert_allclose(head_scores(x_query, x_key, head), expected, atol=1e-11)
    assert rank(head) == min(head.w_query.shape + head.w_key.shape)


@given(random_heads())
def test_the_gauge_changes_the_matrices_and_not_the_scores(case):
    rng, head = case
    g = rng.standard_normal((head.w_query.shape[1],) * 2) + 4 * np.eye(head.w_query.shape[1])
    other = reparametrise(head, g)
    x_query, x_key = inputs(rng, head)
    assert other.sharpness == head.sharpness
    assert_close(other.w_query, head.w_query @ g)
    np.testing.assert_allclose(other.w_key, head.w_key @ np.linalg.inv(g).T, atol=1e-9)
    np.testing.assert_allclose(head_scores(x_query, x_key, other), head_scores(x_query, x_key, head), atol=1e-9)
    back = reparametrise(other, np.linalg.inv(g))
    np.testing.assert_allclose(back.w_key, head.w_key, atol=1e-9)


def test_rotary_leaves_only_the_gauges_that_commute_with_its_rotations():
    rng = np.random.default_rng(0)
    x, p = rng.standard_normal((6, 4)), np.arange(6)
    head = Head(rng.standard_normal((4, 4)), rng.standard_normal((4, 4)))

    def scores(head: Head) -> Any:
        return attention_scores(rotary_encoding(x @ head.w_query, p), rotary_encoding(x @ head.w_key, p))

    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    commutes = np.block([[2 * turn, np.zeros((2, 2))], [np.zeros((2, 2)), 5 * turn.T]])
    np.testing.assert_allclose(scores(reparametrise(head, commutes)), scores(head), atol=1e-12)
    assert abs(scores(reparametrise(head, np.diag([1.0, 2.0, 3.0, 4.0]))) - scores(head)).max() > 0.1


@given(random_heads())
def test_a_swap_transposes_the_scores(case):
    rng, head = case
    x_query, x_key = inputs(rng, head)
    swapped = swap(head)
    assert_close(head_scores(x_key, x_query, swapped), head_scores(x_query, x_key, head).T)
    assert_close(qk_circuit(swapped), qk_circuit(head).T)
    assert swap(swapped) is not None and all(a is b for a, b in zip(swap(swapped), head, strict=True))


# Induction heads

texts = st.lists(st.integers(0, 4), min_size=1, max_size=14).map(np.array)
sharpnesses = st.sampled_from([0.5, 2.0, 8.0, 40.0])


def looking_back(n: int, steps: int = 1) -> np.ndarray:
    """Each row looks so many rows back, as far as there are any: (n, n)."""
    return np.eye(n)[np.maximum(np.arange(n) - steps, 0)]


@given(tokens=texts, sharpness=sharpnesses, back_end=back_ends)
def test_an_induction_head_brings_what_followed_so_far(tokens, sharpness, back_end):
    n = len(tokens)
    words, back = (to_back_end(x, back_end) for x in (np.eye(5)[tokens], looking_back(n)))
    weights = induction_weights(words, back, sharpness=sharpness)
    assert_close(to_numpy(weights @ words), induction_shares(tokens, 5, sharpness=sharpness))


@given(tokens=texts, seed=seeds, sharpness=sharpnesses)
def test_what_leaks_is_bounded_by_both_sharpnesses(tokens, seed, sharpness):
    """(n/m − 1) e^(−β(1 − 2ε)), where the first head gives its target at least 1 − ε of its weight."""
    n, rng = len(tokens), np.random.default_rng(seed)
    back = np.tril(rng.dirichlet(np.ones(n), size=n) * 0.3) + 0.6 * looking_back(n)
    back /= back.sum(axis=1, keepdims=True)
    most = 1 - back[np.arange(n), np.maximum(np.arange(n) - 1, 0)].min()
    words = np.eye(5)[tokens]
    weights = induction_weights(words, back, sharpness=sharpness)
    for row in range(n):
        follows = tokens[np.maximum(np.arange(row + 1) - 1, 0)] == tokens[row]
        m = follows.sum()
        if m:
            leak = weights[row, : row + 1][~follows].sum()
            assert leak <= ((row + 1) / m - 1) * math.exp(-sharpness * (1 - 2 * most)) + 1e-12


@settings(max_examples=10)  # of nineteen steps
@given(order=st.permutations(range(1, 9)), length=st.integers(1, 8))
def test_a_list_seen_once_is_continued_around_and_around(order, length):
    words = order[:length]
    tokens = [0, *words, words[0]]
    for step in range(1, 20):
        n = len(tokens)
        p = positions(0, n)
        back = head_weights(p, p, offset_head(-1, 64), mask=causal_mask(n))
        shares = induction_weights(np.eye(9)[tokens], back)[-1] @ np.eye(9)[tokens]
        assert shares.argmax() == words[step % length]
        tokens.append(int(shares.argmax()))


@given(tokens=texts, seed=seeds)
def test_without_notes_the_second_head_knows_no_order(tokens, seed):
    n, rng = len(tokens), np.random.default_rng(seed)
    words = np.eye(5)[tokens]
    weights = induction_weights(words, np.zeros((n, n)))
    np.testing.assert_allclose(weights, np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None])
    order = np.append(rng.permutation(n - 1), n - 1)  # the last word stays
    moved = induction_weights(words[order], np.zeros((n, n)))[-1] @ words[order]
    np.testing.assert_allclose(moved, weights[-1] @ words)
