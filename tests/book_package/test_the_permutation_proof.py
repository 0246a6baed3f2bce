"""The exercises and the still figures on the permutation proof."""

from itertools import permutations
from math import factorial, prod

import numpy as np
import pytest
import torch

from chapter_tests import ChapterTests
from inorder.book.checks import the_permutation_proof as checks
from inorder.book.figures import the_permutation_proof as figures
from inorder.symmetry import permutation_matrix, permute

X = np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6], [0.7, -0.8, 0.9]])
ORDERS = list(permutations(range(5)))
BY_TOKEN = np.array([0.1, 0.5, -0.4, 0.9, -1.0])[np.array(ORDERS)]  # (order 120, row 5)
DRAWN = {
    "commuting_square": lambda: figures.commuting_square(["dog", "bites", "man"], [2, 0, 1], X, 10 * X),
    "rows_and_labels": lambda: figures.rows_and_labels(
        ["the", "old", "dog", "bites", "man"], ORDERS, BY_TOKEN, BY_TOKEN + 0.1 * np.arange(5)
    ),
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def texts(name):
    return [text.get_text() for text in DRAWN[name]().axes[0].texts]


def test_square_moves_whole_rows():
    message = texts("commuting_square")
    for title, rows in (
        ("$X$", ["dog", "0.1", "−0.2", "0.3", "bites", "0.4", "0.5", "−0.6", "man", "0.7", "−0.8", "0.9"]),
        ("$PX$", ["man", "0.7", "−0.8", "0.9", "dog", "0.1", "−0.2", "0.3", "bites", "0.4", "0.5", "−0.6"]),
        (
            "$f(PX) = P\\,f(X)$",
            ["man", "7.0", "−8.0", "9.0", "dog", "1.0", "−2.0", "3.0", "bites", "4.0", "5.0", "−6.0"],
        ),
    ):
        at = message.index(title) + 1
        assert message[at : at + 12] == rows


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


@pytest.mark.parametrize("order", ORDERS_OF_WORDS)
def test_shuffled_words_take_their_rows_along(order):
    before, after, _ = result = figures.shuffle_words(order)
    rows = dict(zip(figures.WORDS, before.parts["values"], strict=True))
    assert np.allclose(after.parts["values"], [rows[word] for word in order.split()], atol=1e-12)
    assert says(result) == ("Each word has brought its row along.", "=")


def test_a_marked_first_word_tells_bites_who_bites():
    result = figures.shuffle_words("man bites dog", "marked")
    assert says(result) == ("The rows have changed: “bites” had 25.6 of animal and has 5.3 now.", "≠")
    assert says(figures.shuffle_words("dog bites man", "marked"))[1] == "="


@pytest.mark.parametrize("order", ORDERS_OF_WORDS)
def test_weights_meet_the_values_of_their_own_words(order):
    weights, values, output, _ = result = figures.values_meet(order)
    assert says(result)[1] == "="
    assert weights.parts["columns"] == values.parts["rows"] == order.split()
    np.testing.assert_allclose(weights.parts["values"] @ values.parts["values"], output.parts["values"], atol=1e-12)
    broken = figures.values_meet(order, "as they were")
    assert (says(broken)[1] == "≠") == (order != " ".join(figures.WORDS))


def test_the_input_is_moved_by_rows():
    first, moved = (figures.shuffled_input(order)[0].parts["values"] for order in ("dog bites man", "man dog bites"))
    assert np.array_equal(moved, first[[2, 0, 1]])
    assert "that of “man”" in figures.shuffled_input("man dog bites")[-1].parts["words"]


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
