"""The checkers accept another right way, written here with the package's functions, by loops, or by another formula."""

import importlib
from itertools import permutations

import numpy as np
import pytest

from induction_by_counting import induction_shares
from inorder.attention import attention_weights, causal_mask, scaled_dot_product_attention, softmax
from inorder.circuits import Head, head_weights, offset_head, swap
from inorder.encodings import frequencies, relative_positions, rotary_encoding, shift_matrix, sinusoidal_encoding
from inorder.symmetry import permutation_matrix, permute


def writing_weights(tokens, embedding, w_query, w_key):
    x = embedding[tokens]
    return attention_weights(x[-1:] @ w_query, x @ w_key)[0]


def clean_pair(first, second):
    counts = [sorted(p.tolist().count(token) for token in p) for p in (first, second)]
    same = sorted(first) == sorted(second) and counts[0] == counts[1]
    return int(same and first[-1] == second[-1] and (first != second).any())


def own_and_other(alpha, n, n_layers):
    rows = np.eye(n)
    for _ in range(n_layers):
        rows = alpha * rows + rows.mean(axis=0)
    return rows[1, [1, 0]]


def own_part_of(rows):
    return 1 - np.mean([a @ b / np.sqrt(a @ a * (b @ b)) for a, b in permutations(rows, 2)])


def looks_at(offset, n):
    p = sinusoidal_encoding(np.arange(n), 64)
    return head_weights(p, p, offset_head(offset, 64, sharpness=1.0)).argmax(axis=1)


def newest_rows(queries, keys, values, slope):
    """Of the full pass; the rows before them are not asked for."""
    n, place = len(keys), np.arange(len(keys))
    whole = np.concatenate([np.zeros((n - len(queries), queries.shape[1])), queries])
    bias = -slope * abs(relative_positions(place, place))
    return scaled_dot_product_attention(whole, keys, values, bias=bias, mask=causal_mask(n))[-len(queries) :]


def cross_attention(xq, xkv, wq, wk, wv):
    weights = np.exp(xq @ (wq @ wk.T) @ xkv.T)
    return (weights / weights.sum(axis=1, keepdims=True)) @ xkv @ wv


def merge_blocks(max_a, total_a, average_a, max_b, total_b, average_b):
    logs = np.array([max_a + np.log(total_a), max_b + np.log(total_b)])
    return softmax(logs) @ np.stack([average_a, average_b])


def prefix_shares(tokens, n_vocabulary):
    return [[list(tokens[: i + 1]).count(t) / (i + 1) for t in range(n_vocabulary)] for i in range(len(tokens))]


def running_attention(query, key, value):
    weights = np.tril(query @ key.T)
    return weights @ value / weights.sum(axis=1, keepdims=True)


RIGHT = {
    "ab_against_ba.writing_weights": writing_weights,
    "ab_against_ba.clean_pair": clean_pair,
    "add_or_concatenate.sum_of_projections": lambda x, p, w: np.einsum("nd,dm->nm", np.hstack([x, p]), w),
    "counters_and_waves.wavelengths": lambda d, base: 2 * np.pi / frequencies(d, base=base),
    "counters_and_waves.shifted": lambda rows, k, base: rows @ shift_matrix(k, rows.shape[1], base=base),
    "does_position_survive_the_layers.own_and_other": own_and_other,
    "does_position_survive_the_layers.own_part_of": own_part_of,
    "heads_built_by_hand.looks_at": looks_at,
    "heads_built_by_hand.next_word": lambda words, _: induction_shares(words.argmax(axis=1), words.shape[1]),
    "is_a_query_different_from_a_key.swapped_weights": lambda x, w_q, w_k: head_weights(x, x, swap(Head(w_q, w_k))),
    "is_a_query_different_from_a_key.merged_scores": lambda x, w_q, w_k: x @ w_q @ (x @ w_k / w_k.shape[1] ** 0.5).T,
    "longer_than_trained.mean_rank": lambda a: (a[None] >= a[:, None]).sum(axis=1).mean(axis=1),
    "longer_than_trained.lead_for": lambda w, n: -np.log((1 / w - 1) / (n - 1)),
    "longer_than_trained.squeezed": lambda n, most: np.floor(np.arange(n) * min(1, most / n) + 1e-9),
    "relative_position.newest_rows": newest_rows,
    "rotary_position.rope": lambda x, positions: rotary_encoding(x, positions, pairing="halves"),
    "softmax_qk_v.softmax": lambda s: np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True)),
    "softmax_qk_v.split_heads": lambda x, h: np.stack(np.split(x, h, axis=1)),
    "softmax_qk_v.masked_attention": lambda q, k, v, mask: scaled_dot_product_attention(q, k, v, mask=mask),
    "the_permutation_proof.unshuffle": lambda rows, order: permutation_matrix(order).T @ rows,
    "the_permutation_proof.equivariance_gap": lambda y, moved, order: np.abs(permute(y, order) - moved).max(),
    "what_a_causal_mask_knows.prefix_shares": prefix_shares,
    "what_a_causal_mask_knows.cached_mask": lambda n_query, n_key: causal_mask(n_query, n_key),
    "what_are_q_k_and_v.cross_attention": cross_attention,
    "what_does_attention_cost.merge_blocks": merge_blocks,
    "what_does_attention_cost.streamed": lambda scores, values: softmax(scores) @ values,
    "what_is_attention_for.collect": lambda q, k, v: scaled_dot_product_attention(q[None], k, v, scale=1.0)[0],
    "what_is_attention_for.all_shares": lambda q, k: [[np.exp(a @ b) / sum(np.exp(k @ a)) for b in k] for a in q],
    "who_else_knows_order.order_gap": lambda b, a, order: abs(a[np.argsort(order)] - b).max(),
    "who_else_knows_order.running_attention": running_attention,
    "why_not_just_a_number.left_share": lambda w: np.mean([w[i, i - 1] for i in range(1, len(w))]),
    "why_not_just_a_number.query_for": lambda t, b: b * np.array([2 * t, -1]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_another_right_way_is_accepted(name):
    chapter, _, checker = name.partition(".")
    verdict = getattr(importlib.import_module(f"inorder.book.checks.{chapter}"), checker)(RIGHT[name])
    assert verdict.passed, verdict
