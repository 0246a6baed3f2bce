"""The exercises and the live figures on other layers that mix words."""

import numpy as np
import pytest

from inorder.book.figures import who_else_knows_order as figures
from inorder.mixers.catalogue import ARCHITECTURES

BY_NAME = {each.name: each for each in ARCHITECTURES}


@pytest.mark.parametrize("chunk_size", [None, 2, 4, 8])
@pytest.mark.parametrize("order", figures.ORDERS)
def test_weights_of_the_hash(order, chunk_size):
    weights = figures.looks(np.array(figures.ORDERS[order]), chunk_size)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    if chunk_size is None:
        kinds = np.repeat([0, 1, 2], [3, 3, 2])
        expected = (kinds[:, None] == kinds) & ~np.eye(8, dtype=bool)
        np.testing.assert_array_equal(weights > 1e-12, expected)
    if chunk_size == 8:  # one chunk: nothing is cut
        np.testing.assert_allclose(weights, figures.looks(np.arange(8), 8), atol=1e-12)


@pytest.mark.parametrize("change", figures.CHANGES)
def test_each_card_is_the_verdict_of_its_law(change):
    """Moved texts and new ends are tried in every way; the order is one in which nobody has luck."""
    _, cards, says = figures.all_layers("mercy bit men without dogs", change)
    lucky = {"Reformer, sorted chunks"} if change == "moved" else set()
    light = {name for name in BY_NAME if figures.CHANGES[change] in BY_NAME[name].laws} | lucky
    expected = ["(=)" if name in lucky else "=" if name in light else "≠" for name in cards.parts["rows"]]
    assert cards.parts["columns"]["old rows"] == expected and len(expected) == len(ARCHITECTURES)
    assert says.parts["words"].startswith(f"{len(light)} of 29 layers ")
