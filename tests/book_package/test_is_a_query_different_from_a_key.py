"""The exercises and the figures on whether a query differs from a key."""

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.attention import attention_weights, scaled_dot_product_attention, softmax
from inorder.book.checks import is_a_query_different_from_a_key as checks
from inorder.book.figures import is_a_query_different_from_a_key as figures
from inorder.circuits import Head, head_weights, qk_circuit, reparametrise, swap

RUNS = ["SGD, float64", "Adam, float64", "Adam, float32"]
DRAWN = {
    "rows_and_columns": figures.rows_and_columns,
    "biases_in_training": lambda: figures.biases_in_training(
        np.arange(1, 301),
        query={name: np.linspace(0.01, 1, 300) * np.ones((2, 1)) for name in RUNS},
        key={
            name: np.linspace(0.01, 1, 300) * np.array([[size], [2 * size]])
            for name, size in zip(RUNS, (1e-17, 1e-10, 1e-2), strict=True)
        },
    ),
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def test_a_row_of_weights_adds_up_to_one_and_a_column_to_something_else():
    words = {text.get_text() for text in figures.rows_and_columns().axes[0].texts}
    column = sum(float(weights[0]) for weights in head_weights(*[np.eye(5)] * 2, figures.head_of()[2]))
    assert any("the sum is 1" in text for text in words) and any(f"the sum is {column:.2f}" in text for text in words)


def test_biases_draw_the_median_of_each_run():
    axes = DRAWN["biases_in_training"]().axes[0]
    ends = [line.get_ydata()[-1] for line in axes.lines]
    assert np.allclose(ends, [1, 1.5e-17, 1, 1.5e-10, 1, 1.5e-2])


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


@pytest.mark.parametrize(("heads", "message"), [(1, "half as many"), (2, "takes just as many"), (8, "4 times as many")])
def test_merging_pays_for_one_head_only(heads, message):
    bars, answer = figures.numbers_to_learn(heads)
    factored, merged, distinct = bars.parts["values"][0] * 1e6
    assert np.isclose(merged / factored, heads / 2) and distinct < factored
    assert message in answer.parts["words"]


def test_four_layers_of_one_table():
    rng = np.random.default_rng(4)
    query, key, value = rng.normal(size=(5, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    layers = figures.four_layers(query @ key.T / np.sqrt(3), value)
    assert np.allclose(layers["keys, keys"], scaled_dot_product_attention(query, key, value))
    assert np.allclose(layers["queries, queries"], scaled_dot_product_attention(key, query, value))
    assert np.allclose(layers["queries, keys"].sum(axis=0), value.sum(axis=0))
    assert np.allclose(layers["keys, queries"], attention_weights(query, key).T @ value)


def merged_weights(x, w_query, w_key):
    form = qk_circuit(Head(w_query, w_key)).T
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


@pytest.mark.parametrize(
    ("check", "student"),
    [
        (checks.swapped_weights, lambda x, w_query, w_key: head_weights(x, x, swap(Head(w_query, w_key)))),
        (checks.swapped_weights, merged_weights),
        (checks.swapped_weights, from_columns),
        (checks.matching_key, solved),
        (checks.matching_key, lambda w_key, g: reparametrise(Head(w_key, w_key), g).w_key),
        (checks.offset_query, by_loop),
        (checks.merged_scores, lambda x, w_query, w_key: x @ w_query @ (x @ w_key / w_key.shape[1] ** 0.5).T),
    ],
)
def test_other_right_ways_are_accepted(check, student):
    assert check(student).passed


def weights_transposed_last(x, w_query, w_key):
    return np.swapaxes(attention_weights(x @ w_query, x @ w_key), 0, 1)


def bug_of_the_page(x, w_query, w_key):
    merged = w_key @ w_query.T
    return x @ merged @ x.T / np.sqrt(merged.shape[1])


@pytest.mark.parametrize(
    ("check", "student", "says"),
    [
        (checks.swapped_weights, weights_transposed_last, "transposes the weights"),
        (checks.matching_key, lambda w_key, g: np.linalg.solve(g.T, w_key.T).T, "forgets the transpose"),
        (checks.offset_query, lambda n, offset, s: by_loop(n, offset, s).T, "looks the other way"),
        (checks.merged_scores, bug_of_the_page, "merges in the wrong order and divides by the root of d_model"),
    ],
)
def test_mistakes_in_other_words(check, student, says):
    assert check(student).mistake.says == says
