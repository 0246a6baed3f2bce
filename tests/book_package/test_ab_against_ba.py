"""The exercises and the figures on [A, B] against [B, A]."""

from itertools import permutations

import numpy as np
import pytest

from inorder.book.figures import ab_against_ba as figures


def says(result):
    return result[-1].parts["words"], result[-1].parts["sign"]


@pytest.mark.parametrize("order", [", ".join(order) for order in permutations("ABC")])
def test_three_parts_arrive_where_they_arrive_in_every_order(order):
    plane, _, _ = result = figures.add_up(order)
    tips, tails = (np.array(plane.parts["layers"][0][name]) for name in ("xy", "tails"))
    np.testing.assert_allclose(tails, [[0, 0], *tips[:-1]], atol=1e-12)  # end to end
    np.testing.assert_allclose(tips[-1], [15, 18], rtol=1e-12)
    assert says(result) == ("You end up at (15, 18), as with A, B, C.", "=")
