"""The still figures of chapters 3 and 4: examples for `test_figures`, and the numbers that they must show."""

from itertools import permutations

import numpy as np
import pytest

from inorder import figures
from inorder.attention import softmax

TOKENS = ["the", "cat", "sat"]
SCORES = np.array([[1.0, 0, 0], [0, 1, 1], [2, 0, 1]])  # in units of ln 2
WEIGHTS, SWAPPED = softmax(np.log(2) * SCORES), softmax(np.log(2) * SCORES.T)
X = np.array([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6], [0.7, -0.8, 0.9]])
ORDERS = list(permutations(range(5)))
BY_TOKEN = np.array([0.1, 0.5, -0.4, 0.9, -1.0])[np.array(ORDERS)]  # (order 120, row 5)
RUNS = ["SGD, float64", "Adam, float64", "Adam, float32"]
SIZES = 10.0 ** np.arange(-14, 1)

DRAWN = {
    "scores_and_transpose": lambda: figures.scores_and_transpose(TOKENS, SCORES, WEIGHTS, SWAPPED),
    "best_low_rank": lambda: figures.best_low_rank(
        np.array([0.125, 0.5, 1.0]),
        np.array([[0.78, 0.8], [0.32, 0.33], [0.0, 0.0]]),
        np.array([0.0, 0.125, 0.5, 1.0]),
        np.array([1.0, 0.79, 0.326, 0.0]),
    ),
    "biases_in_training": lambda: figures.biases_in_training(
        query={name: np.linspace(0.01, 1, 300) * np.ones((2, 1)) for name in RUNS},
        key={
            name: np.linspace(0.01, 1, 300) * np.array([[size], [2 * size]])
            for name, size in zip(RUNS, (1e-17, 1e-10, 1e-2), strict=True)
        },
    ),
    "commuting_square": lambda: figures.commuting_square(["dog", "bites", "man"], [2, 0, 1], X, 10 * X),
    "rows_and_labels": lambda: figures.rows_and_labels(
        ["the", "old", "dog", "bites", "man"], ORDERS, BY_TOKEN, BY_TOKEN + 0.1 * np.arange(5)
    ),
    "smallest_break": lambda: figures.smallest_break(
        SIZES, SIZES[:, None] * [0.2, 0.5], np.array([0.2, 0.5]), rounding=5e-16
    ),
}


def texts(name):
    return [text.get_text() for text in DRAWN[name]().axes[0].texts]


def test_scores_stand_beside_their_transpose():
    """Row by row, each table's nine numbers before its title."""
    said = texts("scores_and_transpose")
    assert said[:9] == ["1", "0", "0", "0", "1", "1", "2", "0", "1"]
    for title, numbers in (
        ("$S^\\top$: after the swap", ["1", "0", "2", "0", "1", "0", "0", "1", "1"]),
        ("$A$ = softmax($S$)", ["1/2", "1/4", "1/4", "1/5", "2/5", "2/5", "4/7", "1/7", "2/7"]),
        ("softmax($S^\\top$)", ["2/7", "1/7", "4/7", "1/4", "1/2", "1/4", "1/5", "2/5", "2/5"]),
        ("$A^\\top$: neither", ["1/2", "1/5", "4/7", "1/4", "2/5", "1/7", "1/4", "2/5", "2/7"]),
    ):
        at = said.index(title)
        assert said[at - 9 : at] == numbers
    assert [text for text in said if "." in text] == ["1.27", "0.79", "0.94"]


def test_low_rank_marks_one_head_of_eight():
    axes = DRAWN["best_low_rank"]().axes[0]
    assert [text.get_text() for text in axes.texts] == ["one head of eight: 0.79"]
    assert [0, 0.79, 0.79] in [list(line.get_ydata()) for line in axes.lines]


def test_biases_draw_the_median_of_each_run():
    axes = DRAWN["biases_in_training"]().axes[0]
    ends = [line.get_ydata()[-1] for line in axes.lines]
    assert np.allclose(ends, [1, 1.5e-17, 1, 1.5e-10, 1, 1.5e-2])


def test_square_moves_whole_rows():
    said = texts("commuting_square")
    for title, rows in (
        ("$X$", ["dog", "0.1", "−0.2", "0.3", "bites", "0.4", "0.5", "−0.6", "man", "0.7", "−0.8", "0.9"]),
        ("$PX$", ["man", "0.7", "−0.8", "0.9", "dog", "0.1", "−0.2", "0.3", "bites", "0.4", "0.5", "−0.6"]),
        (
            "$f(PX) = P\\,f(X)$",
            ["man", "7.0", "−8.0", "9.0", "dog", "1.0", "−2.0", "3.0", "bites", "4.0", "5.0", "−6.0"],
        ),
    ):
        at = said.index(title) + 1
        assert said[at : at + 12] == rows


def test_rows_are_sorted_by_number_and_by_token():
    by_row, by_token, spread = DRAWN["rows_and_labels"]().axes
    for t, line in enumerate(by_row.lines):
        assert set(line.get_xdata()) == set(range(5))
        assert set(line.get_ydata()) == {BY_TOKEN[0, t]}
    for t, line in enumerate(by_token.lines):
        assert set(line.get_xdata()) == {t} and len(line.get_ydata()) == len(ORDERS)
    assert [len(set(np.round(line.get_ydata(), 6))) for line in spread.lines] == [5] * 5


@pytest.mark.parametrize("seed", [0, 1])
def test_smallest_break_draws_each_seed_on_its_line(seed):
    axes = DRAWN["smallest_break"]().axes[0]
    derived, measured = axes.lines[2 * seed : 2 * seed + 2]
    assert np.allclose(derived.get_ydata(), measured.get_ydata())
    assert axes.lines[-1].get_ydata()[0] == 5e-16
