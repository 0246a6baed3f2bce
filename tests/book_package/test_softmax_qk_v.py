"""The exercises and the figure on softmax(QKᵀ/√d)V."""

import numpy as np
import pytest

from inorder.book.checks import softmax_qk_v as checks
from inorder.book.figures import softmax_qk_v as figures
from inorder.book.sentence import KEYS, PLACES, QUERIES, WORDS


def test_other_right_ways_are_accepted():
    assert checks.softmax(lambda s: np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))).passed
    assert checks.split_heads(lambda x, h: np.stack(np.split(x, h, axis=1))).passed

    def huge_penalty(query, key, value, mask):
        weights = np.exp(query @ key.T / np.sqrt(query.shape[-1]) - 1e6 * ~mask)
        return weights @ value / weights.sum(axis=1, keepdims=True)

    assert checks.masked_attention(huge_penalty).passed


def by_loops(word, columns):
    """The weights of one word, from these columns of its query and of the keys."""
    query = QUERIES[WORDS.index(word)]
    scores = [sum(query[c] * key[c] for c in columns) / np.sqrt(len(columns)) for key in KEYS]
    return np.exp(scores) / np.exp(scores).sum()


@pytest.mark.parametrize("word", WORDS)
def test_each_head_weighs_by_its_own_columns(word):
    for heads, columns in (("one", [[0, 1]]), ("two", [[0], [1]])):
        line, _ = figures.two_heads(word, heads)
        rows = line.parts["weights"][:, line.parts["asks"], list(PLACES)]
        np.testing.assert_allclose(rows, [by_loops(word, used) for used in columns], rtol=1e-12)
