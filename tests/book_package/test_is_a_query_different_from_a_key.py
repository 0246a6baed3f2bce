"""The exercises and the figures on whether a query differs from a key."""

import numpy as np
import pytest

from inorder.attention import softmax
from inorder.book.checks import is_a_query_different_from_a_key as checks
from inorder.book.figures import is_a_query_different_from_a_key as figures
from inorder.circuits import Head, head_weights, qk_circuit, swap


@pytest.mark.parametrize(("last", "noun"), [("tired", "animal"), ("wide", "street")])
def test_the_swap_transposes_scores_and_not_weights(last, noun):
    (scores, transposed, same), (weights, after, other) = (
        [mark.parts for mark in figures.swapped(table, last)] for table in ("scores", "weights")
    )
    assert np.array_equal(transposed["values"], scores["values"].T) and same["sign"] == "="
    assert np.allclose(after["values"], softmax(transposed["values"])) and other["sign"] == "≠"
    assert np.allclose(weights["values"].sum(axis=1), 1) and not np.allclose(after["values"], weights["values"].T)
    assert f"“it” gave “{noun}” 0.81; “{noun}” now gives “it” 0.42" in other["words"]


@pytest.mark.parametrize("turn", [0, 45, 90, 180])
@pytest.mark.parametrize("stretch", [0.7, 1.0, 1.4])
def test_the_gauge_moves_arrows_and_no_weight(turn, stretch):
    plane, bars, answer = figures.turn_the_gauge(turn, stretch)
    at_rest = figures.turn_the_gauge()
    assert np.allclose(bars.parts["values"], at_rest[1].parts["values"], rtol=0, atol=1e-15)
    assert answer.parts["sign"] == "=" and "No weight has moved" in answer.parts["words"]
    same = np.allclose(plane.parts["layers"][0]["xy"], at_rest[0].parts["layers"][0]["xy"])
    assert same == (turn == 0 and stretch == 1)


def merged_weights(x, w_query, w_key):
    form = qk_circuit(Head(w_query, w_key)).T
    exponentials = np.exp(x @ form @ x.T / np.sqrt(w_query.shape[1]))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def from_columns(x, w_query, w_key):
    exponentials = np.exp((x @ w_query) @ (x @ w_key).T / np.sqrt(w_query.shape[1]))
    return (exponentials / exponentials.sum(axis=0)).T


@pytest.mark.parametrize(
    ("check", "student"),
    [
        (checks.swapped_weights, lambda x, w_query, w_key: head_weights(x, x, swap(Head(w_query, w_key)))),
        (checks.swapped_weights, merged_weights),
        (checks.swapped_weights, from_columns),
        (checks.merged_scores, lambda x, w_query, w_key: x @ w_query @ (x @ w_key / w_key.shape[1] ** 0.5).T),
    ],
)
def test_other_right_ways_are_accepted(check, student):
    assert check(student).passed
