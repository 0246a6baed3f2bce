"""The checkers of chapters 5 and 6: other right ways pass, and a wrong one is named however it is written."""

import numpy as np
import pytest

from inorder.attention import attention_weights
from inorder.checks import (
    check_clean_pair,
    check_equal_to_rounding,
    check_order_weights,
    check_permuted_mask,
    check_prefix_shares,
    check_writing_weights,
)
from inorder.symmetry import permutation_matrix, permute_mask


def test_other_right_ways_are_accepted():
    def by_inorder(tokens, embedding, w_query, w_key):
        x = embedding[tokens]
        return attention_weights(x[-1:] @ w_query, x @ w_key)[0]

    def by_counting(first, second):
        counts = [sorted(p.tolist().count(token) for token in p) for p in (first, second)]
        same = sorted(first) == sorted(second) and counts[0] == counts[1]
        return int(same and first[-1] == second[-1] and (first != second).any())

    def in_units_of_epsilon(first, second):
        units = np.abs(first - second) / (np.finfo(first.dtype).eps * np.abs(first).max())
        return (units <= 100).all()

    def by_matrices(mask, order):
        p = permutation_matrix(order)
        return p @ mask @ p.T

    def by_loops(tokens, n_vocabulary):
        rows = [[list(tokens[: i + 1]).count(t) / (i + 1) for t in range(n_vocabulary)] for i in range(len(tokens))]
        return rows

    def by_sums(n):
        return [sum(1 / i for i in range(j, n + 1)) / n for j in range(1, n + 1)]

    assert check_writing_weights(by_inorder).passed
    assert check_clean_pair(by_counting).passed
    assert check_equal_to_rounding(in_units_of_epsilon).passed
    assert check_permuted_mask(by_matrices).passed
    assert check_permuted_mask(permute_mask).passed
    assert check_prefix_shares(by_loops).passed
    assert check_order_weights(by_sums).passed


def first_query(tokens, embedding, w_query, w_key):
    scores = embedding[tokens[0]] @ w_query @ (embedding[tokens] @ w_key).T / np.sqrt(w_key.shape[1])
    return np.exp(scores) / np.exp(scores).sum()


def full_table(tokens, embedding, w_query, w_key):
    x = embedding[tokens]
    return attention_weights(x @ w_query, x @ w_key)


def transposed(mask, order):
    return mask.T[order][:, order]


def growing(n):
    return np.cumsum(1 / np.arange(n, 0, -1)) / n


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (check_writing_weights, first_query, "asks with the first token's query"),
        (check_writing_weights, full_table, "returns the weights of every query"),
        (check_clean_pair, lambda a, b: sorted(a) == sorted(b), None),  # two mistakes at once
        (check_clean_pair, lambda a, b: sorted(a) == sorted(b) and a[-1] == b[-1], "accepts two equal prompts"),
        (check_equal_to_rounding, lambda a, b: (a == b).all(), "asks for equal bits"),
        (check_equal_to_rounding, lambda a, b: np.allclose(a, b, atol=0), "has one tolerance for every precision"),
        (check_permuted_mask, transposed, "mixes up queries and keys"),
        (check_permuted_mask, lambda m, o: m[o, o], None),
        (check_prefix_shares, lambda t, n: np.eye(n)[t].cumsum(0), "counts instead of taking shares"),
        (check_order_weights, growing, "has the order reversed"),
        (check_order_weights, lambda n: n * [1 / n], "gives every token the same weight"),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says == mistake
