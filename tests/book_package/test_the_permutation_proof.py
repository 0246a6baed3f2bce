"""The exercises and the figures on the permutation proof."""

from itertools import permutations

import numpy as np
import pytest

from inorder.attention import attention_weights
from inorder.book.figures import the_permutation_proof as figures
from inorder.symmetry import permutation_matrix

ORDERS_OF_WORDS = [" ".join(order) for order in permutations(figures.WORDS)]


def says(result):
    return result[-1].parts["words"], result[-1].parts["sign"]


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
