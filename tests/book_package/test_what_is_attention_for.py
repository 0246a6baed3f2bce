"""The exercises on what attention is for, and the running sentence that they use."""

import numpy as np
import pytest

from inorder.attention import scaled_dot_product_attention
from inorder.book.figures import what_is_attention_for as figures
from inorder.book.sentence import KEYS


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ((2.0, 0.0), "“animal” gets most: a share of 0.93."),
        ((1.4, 1.4), "Both nouns get the same: a share of 0.46."),
        ((-1.0, -0.5), "The three other words get the same: a share of 0.29."),
        ((0.0, -0.5), "Four words get the same: a share of 0.23."),
        ((0.0, 0.0), "All words get the same: a share of 0.20."),
    ],
)
def test_the_threads_of_the_arrow_are_the_shares_of_attention(query, answer):
    plane, sentence_below = figures.turn_the_question(*query)
    threads, arrow = plane.parts["layers"]
    collected = scaled_dot_product_attention(np.array([query]), KEYS, np.eye(5), scale=1.0)[0]
    assert np.allclose(threads["shares"], collected, atol=1e-12) and np.array_equal(arrow["xy"], [query])
    assert np.array_equal(threads["xy"][[0, 2, 3]], KEYS[[0, 2, 3]]), "the nouns and “it” stand at their keys"
    assert sentence_below.parts["words"] == answer


@pytest.mark.parametrize("last", figures.SPEAKS_OF)
def test_the_second_question_is_what_the_first_round_collects(last):
    """By attention with the tables of both rounds written out."""
    values = np.zeros((5, 2))
    values[4] = figures.SPEAKS_OF[last]
    collected = scaled_dot_product_attention(np.array([[2.0]]), figures.DESCRIBES[:, None], values, scale=1.0)
    found = scaled_dot_product_attention(collected, KEYS, np.eye(5), scale=1.0)[0]
    first, question, second = figures.looks_of_it(last)
    assert np.allclose(question, collected[0], atol=1e-12) and np.allclose(second, found, atol=1e-12)
    assert np.isclose(first.sum(), 1) and first.argmax() == 4
