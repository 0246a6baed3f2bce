"""The exercises on what attention is for, and the running sentence that they use."""

import numpy as np
import pytest

from inorder.attention import scaled_dot_product_attention
from inorder.book.checks import what_is_attention_for as checks
from inorder.book.sentence import KEYS, QUERIES, VALUES, WORDS, sentence


def test_it_asks_for_what_the_last_word_is_said_of():
    for last, noun in (("tired", "animal"), ("wide", "street")):
        words, keys, queries, values = sentence(last)
        assert words[-1] == last and keys.shape == queries.shape == values.shape == (5, 2)
        assert words[(keys @ queries[words.index("it")]).argmax()] == noun


def test_the_first_row_of_it_does_not_depend_on_the_last_word():
    tired, wide = sentence("tired"), sentence("wide")
    for before, after in zip(tired[1::2], wide[1::2], strict=True):  # keys and values, all words but the last
        assert np.array_equal(before[:-1], after[:-1])


def test_an_unknown_last_word_is_refused():
    with pytest.raises(ValueError, match="'long'"):
        sentence("long")


def test_other_right_ways_are_accepted():
    assert checks.take_home(lambda q, k, v: scaled_dot_product_attention(q[None], k, v, scale=1.0)[0]).passed
    assert checks.shares(lambda q, k: [np.exp(a @ q) / sum(np.exp(b @ q) for b in k) for a in k]).passed


@pytest.mark.parametrize(
    ("query", "message"),
    [([2, 0], "0.93"), ([0, 5], "“street”"), ([1, 2, 3], "(3,)"), ([[3, 0]], "(1, 2)")],
)
def test_a_query_that_does_not_find_the_animal_is_told_why(query, message):
    verdict = checks.sure_of_the_animal(query)
    assert not verdict.passed and message in verdict.message


def test_the_sentence_is_the_one_with_tired():
    assert WORDS[-1] == "tired" and all(
        np.array_equal(a, b) for a, b in zip((KEYS, QUERIES, VALUES), sentence()[1:], strict=True)
    )
