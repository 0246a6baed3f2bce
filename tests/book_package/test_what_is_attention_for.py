"""The exercises on what attention is for, and the running sentence that they use."""

import numpy as np
import pytest

from inorder.attention import scaled_dot_product_attention
from inorder.book.checks import what_is_attention_for as checks
from inorder.book.figures import what_is_attention_for as figures
from inorder.book.sentence import KEYS, sentence


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
    assert checks.collect(lambda q, k, v: scaled_dot_product_attention(q[None], k, v, scale=1.0)[0]).passed
    assert checks.all_shares(lambda q, k: [[np.exp(a @ b) / sum(np.exp(k @ a)) for b in k] for a in q]).passed


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


@pytest.mark.parametrize("order", ["animal first", "street first"])
@pytest.mark.parametrize("last", figures.LAST_WORDS)
def test_the_real_model_reads_the_last_word_unless_its_view_is_blocked(last, order):
    shares = {view: figures.real_it(last, order, view)[0].parts for view in ("open", "blocked")}
    words = shares["open"]["labels"]
    assert shares["open"]["values"][0].argmax() == words.index(last)
    assert shares["blocked"]["values"][0, words.index(last)] == 0
