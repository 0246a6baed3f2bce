"""The exercises and the still figures on the permutation proof."""

from itertools import permutations
from math import factorial, prod

import numpy as np
import pytest
import torch

from chapter_tests import ChapterTests
from inorder.attention import attention_weights
from inorder.book.checks import the_permutation_proof as checks
from inorder.book.figures import the_permutation_proof as figures
from inorder.symmetry import permutation_matrix, permute

ORDERS = list(permutations(range(5)))
BY_TOKEN = np.array([0.1, 0.5, -0.4, 0.9, -1.0])[np.array(ORDERS)]  # (order 120, row 5)
DRAWN = {
    "rows_and_labels": lambda: figures.rows_and_labels(
        ["the", "old", "dog", "bites", "man"], ORDERS, BY_TOKEN, BY_TOKEN + 0.1 * np.arange(5)
    ),
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def test_rows_are_sorted_by_number_and_by_token():
    by_row, by_token, spread = DRAWN["rows_and_labels"]().axes
    for t, line in enumerate(by_row.lines):
        assert set(line.get_xdata()) == set(range(5))
        assert set(line.get_ydata()) == {BY_TOKEN[0, t]}
    for t, line in enumerate(by_token.lines):
        assert set(line.get_xdata()) == {t} and len(line.get_ydata()) == len(ORDERS)
    assert [len(set(np.round(line.get_ydata(), 6))) for line in spread.lines] == [5] * 5


ORDERS_OF_WORDS = [" ".join(order) for order in permutations(figures.WORDS)]


def says(result):
    return result[-1].parts["words"], result[-1].parts["sign"]


def rows_of(panel):
    return dict(zip(panel.parts["rows"], panel.parts["values"].tolist(), strict=True))


@pytest.mark.parametrize("order", ORDERS_OF_WORDS)
def test_both_routes_come_to_the_same_table(order):
    line, again, model, shuffled, _ = result = figures.shuffle_words(order)
    assert [line.parts["labels"][i] for i in np.argsort(line.parts["places"])] == order.split()
    assert shuffled.parts["rows"] == again.parts["rows"] == order.split()
    assert rows_of(model) == rows_of(shuffled)
    np.testing.assert_allclose(again.parts["values"], shuffled.parts["values"], atol=1e-12)
    assert says(result) == ("Both routes lead to the same table: each word has brought its row along.", "=")


def test_a_marked_first_word_tells_bites_who_bites():
    result = figures.shuffle_words("man bites dog", "marked")
    assert says(result) == ("The two results differ: “bites” had an animal number of 25.6, and now has 5.3.", "≠")
    assert says(figures.shuffle_words("dog bites man", "marked"))[1] == "="


@pytest.mark.parametrize("order", ORDERS_OF_WORDS)
def test_weights_meet_the_values_of_their_own_words(order):
    usual = attention_weights(figures.QUERIES, figures.KEYS) @ figures.VALUES
    words = order.split()
    for columns in figures.SHUFFLES[:2]:
        _, drawing, output, _ = result = figures.values_meet(order, columns)
        assert says(result)[1] == "="
        np.testing.assert_allclose(output.parts["values"], usual[figures.order_of(order)], atol=1e-12)
        stops = [layer["x"].tolist() for layer in drawing.parts["layers"] if layer["kind"] == "lines"]
        for word, (below, middle, above) in zip(figures.WORDS, stops, strict=True):
            assert below == above == figures.WORDS.index(word)
            assert middle == (words.index(word) if columns == "Pᵀ after P" else below)
    _, drawing, output, _ = broken = figures.values_meet(order, "without Pᵀ")
    assert (says(broken)[1] == "≠") == (order != " ".join(figures.WORDS))
    P = permutation_matrix(np.array(figures.order_of(order)))
    expected = P @ attention_weights(figures.QUERIES, figures.KEYS) @ P @ figures.VALUES
    np.testing.assert_allclose(output.parts["values"], expected, atol=1e-12)


def test_the_input_is_moved_by_rows():
    first, moved = (figures.shuffled_input(order)[1].parts["values"] for order in ("dog bites man", "man dog bites"))
    assert np.array_equal(moved, first[[2, 0, 1]])
    assert "belongs to “man”" in figures.shuffled_input("man dog bites")[-1].parts["words"]


@pytest.mark.parametrize("order", ORDERS_OF_WORDS)
def test_masks_that_look_the_same_after_every_shuffle(order):
    same = {mask for mask in figures.MASKS if says(figures.carried_along(order, mask))[1] == "="}
    harmless = {"none: each sees all", "each sees itself"}
    assert same == (set(figures.MASKS) if order == " ".join(figures.WORDS) else harmless)


@pytest.mark.parametrize(
    ("way", "norm", "left"),
    [
        ("added to every number", "layer norm", False),
        ("added to every number", "RMS norm", True),
        ("times the row", "layer norm", False),
        ("times the row", "RMS norm", False),
        ("along one direction", "layer norm", True),
        ("along one direction", "RMS norm", True),
        ("as sines and cosines", "layer norm", True),
        ("as sines and cosines", "RMS norm", True),
    ],
)
def test_what_a_norm_leaves_of_each_position(way, norm, left):
    for position in range(1, 13):
        assert says(figures.what_a_norm_leaves(position, way, norm))[1] == ("≠" if left else "="), position
    assert "no mark" in says(figures.what_a_norm_leaves(0, way, norm))[0]


def test_rms_norm_is_torchs():
    x = np.random.default_rng(0).normal(size=(3, 5))
    theirs = torch.nn.functional.rms_norm(torch.from_numpy(x), (5,), eps=1e-5).numpy()
    np.testing.assert_allclose(figures.rms_norm(x), theirs, rtol=1e-12)


@pytest.mark.parametrize("place", figures.PLACES)
def test_the_error_of_a_mark_is_proportional_to_it_and_ends_in_rounding(place):
    errors = figures.errors_of_marks()[place]
    slope = errors[6:-2] / 10.0 ** figures.POWERS[6:-2]
    np.testing.assert_allclose(slope, slope[-1], rtol=0.02)
    assert errors[0] < 1e-15
    sentence, sign = says(figures.smallest_mark(-18, place))
    assert sign == "=" and "lost in rounding" in sentence
    assert says(figures.smallest_mark(-12, place))[1] == "≠"


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
    return factorial(len(tokens)) // prod(factorial(count) for count in counts)


@pytest.mark.parametrize(
    ("check", "student"),
    [
        (checks.unshuffle, assigned),
        (checks.unshuffle, lambda rows, order: permutation_matrix(order).T @ rows),
        (checks.equivariance_gap, gap_of_the_unshuffled),
        (checks.equivariance_gap, lambda y, moved, order: np.abs(permute(y, order) - moved).max()),
        (checks.distinct_orders, listed),
    ],
)
def test_other_right_ways_are_accepted(check, student):
    assert check(student).passed


def by_gamma_in_64_bits(tokens):
    """The overflow that the chapter's own solution once had, and its checker accepted."""
    number = np.cumprod(np.arange(1, len(tokens) + 1))[-1]
    for count in np.unique(tokens, return_counts=True)[1]:
        number = number // np.cumprod(np.arange(1, count + 1))[-1]
    return number


@pytest.mark.parametrize(
    ("check", "student", "says"),
    [
        (checks.unshuffle, lambda rows, order: permutation_matrix(order) @ rows, "shuffles once more"),
        (checks.equivariance_gap, lambda y, moved, order: np.abs(moved - y).max(), "tests for invariance"),
        (checks.distinct_orders, lambda tokens: factorial(len(tokens)), "counts orders that look the same"),
        (checks.distinct_orders, by_gamma_in_64_bits, "has overflowed"),
    ],
)
def test_mistakes_in_other_words(check, student, says):
    assert check(student).mistake.says == says


def test_a_mistake_that_is_not_known_is_not_named():
    verdict = checks.distinct_orders(lambda tokens: len(tokens))
    assert not verdict.passed and verdict.mistake is None
