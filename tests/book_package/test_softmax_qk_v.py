"""The exercises and the figure on softmax(QKᵀ/√d)V."""

import numpy as np
import pytest

from inorder.book.figures import softmax_qk_v as figures
from inorder.book.sentence import KEYS, PLACES, QUERIES, WORDS


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
