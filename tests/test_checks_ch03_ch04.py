"""The checkers of chapters 3 and 4: other right ways pass, and a wrong one is named also when written differently."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest

from inorder.attention import attention_weights
from inorder.checks import (
    check_distinct_orders,
    check_equivariance_gap,
    check_matching_key,
    check_offset_query,
    check_swapped_weights,
    check_unshuffle,
)
from inorder.circuits import Head, gauge, head_weights, merge, swap
from inorder.symmetry import permutation_matrix, permute


def merged_weights(x, w_query, w_key):
    form = merge(Head(w_query, w_key)).T
    exponentials = np.exp(x @ form @ x.T / np.sqrt(w_query.shape[1]))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def from_columns(x, w_query, w_key):
    exponentials = np.exp((x @ w_query) @ (x @ w_key).T / np.sqrt(w_query.shape[1]))
    return (exponentials / exponentials.sum(axis=0)).T


def solved(w_key, g):
    return np.linalg.solve(g, w_key.T).T


def by_loop(n, offset, sharpness):
    w = np.zeros((n, n))
    for i in range(n):
        if 0 <= i + offset < n:
            w[i, i + offset] = sharpness
    return w


def assigned(rows, order):
    result = np.empty_like(rows)
    result[order] = rows
    return result


def gap_of_the_unshuffled(y, y_shuffled, order):
    return max(abs(a - b).max() for a, b in zip(assigned(y_shuffled, order), y, strict=True))


def listed(tokens):
    if len(tokens) < 8:
        return len(set(permutations(tokens.tolist())))
    counts = [list(tokens).count(token) for token in set(tokens)]
    return factorial(len(tokens)) // np.prod([factorial(count) for count in counts])


@pytest.mark.parametrize(
    ("check", "student"),
    [
        (check_swapped_weights, lambda x, w_query, w_key: head_weights(x, x, swap(Head(w_query, w_key)))),
        (check_swapped_weights, merged_weights),
        (check_swapped_weights, from_columns),
        (check_matching_key, solved),
        (check_matching_key, lambda w_key, g: gauge(Head(w_key, w_key), g).w_key),
        (check_offset_query, by_loop),
        (check_unshuffle, assigned),
        (check_unshuffle, lambda rows, order: permutation_matrix(order).T @ rows),
        (check_equivariance_gap, gap_of_the_unshuffled),
        (check_equivariance_gap, lambda y, moved, order: np.abs(permute(y, order) - moved).max()),
        (check_distinct_orders, listed),
    ],
)
def test_other_right_ways_are_accepted(check, student):
    assert check(student).passed


def weights_transposed_last(x, w_query, w_key):
    return np.swapaxes(attention_weights(x @ w_query, x @ w_key), 0, 1)


@pytest.mark.parametrize(
    ("check", "student", "says"),
    [
        (check_swapped_weights, weights_transposed_last, "transposes the weights"),
        (check_matching_key, lambda w_key, g: np.linalg.solve(g.T, w_key.T).T, "forgets the transpose"),
        (check_offset_query, lambda n, offset, s: by_loop(n, offset, s).T, "looks the other way"),
        (check_unshuffle, lambda rows, order: permutation_matrix(order) @ rows, "shuffles once more"),
        (check_equivariance_gap, lambda y, moved, order: np.abs(moved - y).max(), "tests for invariance"),
        (check_distinct_orders, lambda tokens: factorial(len(tokens)), "counts orders that look alike"),
    ],
)
def test_mistakes_in_other_words(check, student, says):
    assert check(student).mistake.says == says


def test_a_mistake_that_is_not_known_is_not_named():
    verdict = check_distinct_orders(lambda tokens: len(tokens))
    assert not verdict.passed and verdict.mistake is None
