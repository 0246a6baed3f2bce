"""The checkers of chapter 1: other right ways pass, and a wrong one is named also when it is written differently."""

import numpy as np
import pytest

from inorder.attention import scaled_dot_product_attention
from inorder.checks import check_cross_attention, check_soft_lookup


def by_loops(query, key, value, sharpness):
    rows = []
    for q in query:
        weights = [float(np.exp(sharpness * q @ k)) for k in key]
        rows.append(sum(w * v for w, v in zip(weights, value, strict=True)) / sum(weights))
    return rows


def test_other_right_ways_are_accepted():
    assert check_soft_lookup(by_loops).passed
    assert check_soft_lookup(lambda q, k, v, beta: scaled_dot_product_attention(q, k, v, scale=beta)).passed

    def merged(xq, xkv, wq, wk, wv):
        weights = np.exp(xq @ (wq @ wk.T) @ xkv.T)
        return (weights / weights.sum(axis=1, keepdims=True)) @ xkv @ wv

    assert check_cross_attention(merged).passed


def of_columns(query, key, value, sharpness):
    weights = np.exp(sharpness * query @ key.T)
    return weights / weights.sum(axis=0) @ value


def unscaled(query, key, value, sharpness):
    return scaled_dot_product_attention(query, key, value, scale=1.0)


def with_default_scale(x_query, x_key_value, w_query, w_key, w_value):
    return scaled_dot_product_attention(x_query @ w_query, x_key_value @ w_key, x_key_value @ w_value)


def bare(x_query, x_key_value, w_query, w_key, w_value):
    return scaled_dot_product_attention(x_query, x_key_value, x_key_value, scale=1.0)


@pytest.mark.parametrize(
    ("check", "student", "says"),
    [
        (check_soft_lookup, of_columns, "shares out the weights among the queries"),
        (check_soft_lookup, unscaled, "ignores the sharpness"),
        (check_cross_attention, bare, "projects nothing"),
    ],
)
def test_mistakes_in_other_words(check, student, says):
    assert check(student).mistake.says == says


def test_a_mistake_that_is_not_known_is_not_named():
    verdict = check_cross_attention(with_default_scale)
    assert not verdict.passed and verdict.mistake is None
