"""The exercises and the figures on [A, B] against [B, A]."""

from itertools import permutations

import numpy as np
import pytest
import torch

from inorder.attention import attention_weights
from inorder.book.checks import ab_against_ba as checks
from inorder.book.figures import ab_against_ba as figures

THIRDS, HALVES, SEVENTHS = np.array([1, 2]) / 3, np.array([1, 1]) / 2, np.array([1, 2, 4]) / 7
BARS = [
    ("AB", THIRDS, np.array([7.0, 14.0])),
    ("BA", HALVES, np.array([10.5, 10.5])),
    ("ABC", SEVENTHS, np.array([15.0, 18.0])),
    ("BAC", SEVENTHS[[1, 0, 2]], np.array([15.0, 18.0])),
]


def says(result):
    return result[-1].parts["words"], result[-1].parts["sign"]


def test_weights_are_those_of_the_prompt_in_its_order():
    for prompt, weights, output in BARS:
        got = figures.weights_and_output(prompt, asks=prompt[-1])
        np.testing.assert_allclose(got[0], weights, rtol=1e-12)
        np.testing.assert_allclose(got[1], output, rtol=1e-12)


@pytest.mark.parametrize("order", [", ".join(order) for order in permutations("ABC")])
def test_three_parts_arrive_where_they_arrive_in_every_order(order):
    plane, _, _ = result = figures.add_up(order)
    tips, tails = (np.array(plane.parts["layers"][0][name]) for name in ("xy", "tails"))
    np.testing.assert_allclose(tails, [[0, 0], *tips[:-1]], atol=1e-12)  # end to end
    np.testing.assert_allclose(tips[-1], [15, 18], rtol=1e-12)
    assert says(result) == ("You end up at (15, 18), as with A, B, C.", "=")


def test_the_staircase_is_the_mask_of_torch():
    axes = figures.staircase().axes[0]
    crosses = {(int(text.get_position()[1]), int(text.get_position()[0])) for text in axes.texts if text.get_text()}
    closed = torch.nn.Transformer.generate_square_subsequent_mask(3).isinf()
    assert crosses == {tuple(cell) for cell in closed.nonzero().tolist()}
    rows = [label.get_text() for label in axes.get_yticklabels()]
    assert rows == ["row 0, of A, predicts B", "row 1, of B, predicts C", "row 2, of C, predicts ?"]


def test_other_right_ways_are_accepted():
    def by_inorder(tokens, embedding, w_query, w_key):
        x = embedding[tokens]
        return attention_weights(x[-1:] @ w_query, x @ w_key)[0]

    def by_counting(first, second):
        counts = [sorted(p.tolist().count(token) for token in p) for p in (first, second)]
        same = sorted(first) == sorted(second) and counts[0] == counts[1]
        return int(same and first[-1] == second[-1] and (first != second).any())

    assert checks.writing_weights(by_inorder).passed
    assert checks.clean_pair(by_counting).passed
