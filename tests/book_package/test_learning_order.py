"""The exercises and the figures on learning order."""

import numpy as np
import pytest

from inorder.book.figures import learning_order as figures


def answer(display):
    return display[-1].parts


def test_learning_curves_are_means_of_ten_steps_over_the_floor():
    curve = np.r_[np.zeros(10), np.ones(30)]
    plane, message = figures.learning([curve, 1 - curve], 0.5, [0.5, 0.75], 1000)
    layer = plane.parts["layers"][0]
    np.testing.assert_array_equal(layer["x"], [10, 20, 30, 40])
    np.testing.assert_array_equal(layer["y"], [[0, 1, 1, 1], [1, 0, 0, 0], [0.5] * 4])
    assert message.parts["words"] == "Tested on 1,000 new texts, 500 and 750 answers are right."
    assert message.parts["sign"] == "✓"
    assert answer(figures.learning([curve], 0.5, [0.5], 1000))["sign"] == "×"


@pytest.mark.parametrize("row", range(1, 8))
def test_what_a_row_can_know(row):
    bag, neighbours, left = (figures.probabilities(row, sees) for sees in figures.SIGHTS)
    for likely in (bag, neighbours, left):
        assert likely.sum() == pytest.approx(1)
    others = [word for k, word in enumerate(figures.TEXT) if k != row]
    assert bag.max() == pytest.approx(max(others.count(kind) for kind in figures.KINDS) / 7)
    assert figures.KINDS[left.argmax()] == figures.TEXT[row - 1] and left.max() == 1
    assert left.max() >= neighbours.max() >= 0.5
