"""The exercises and the figures on learning order."""

import pytest

from inorder.book.figures import learning_order as figures


@pytest.mark.parametrize("row", range(1, 8))
def test_what_a_row_can_know(row):
    bag, neighbours, left = (figures.probabilities(row, sees) for sees in figures.SIGHTS)
    for likely in (bag, neighbours, left):
        assert likely.sum() == pytest.approx(1)
    others = [word for k, word in enumerate(figures.TEXT) if k != row]
    assert bag.max() == pytest.approx(max(others.count(kind) for kind in figures.KINDS) / 7)
    assert figures.KINDS[left.argmax()] == figures.TEXT[row - 1] and left.max() == 1
    assert left.max() >= neighbours.max() >= 0.5
