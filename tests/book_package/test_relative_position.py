"""The exercise and the figures on relative position."""

from importlib.metadata import version
from itertools import permutations, product

import numpy as np
import pytest

from inorder.book.figures import relative_position as figures
from inorder.stored import read_record
from studies import position_census


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_a_text_and_its_mirror_image_have_one_table_of_distances_and_two_of_offsets(order):
    (same, equal), (torn, different) = (figures.two_texts(order, side) for side in (False, True))
    for query, key in product(range(3), repeat=2):
        offset = order.index(key) - order.index(query)
        assert same.parts["left"][query, key] == same.parts["right"][query, key] == abs(offset)
        assert torn.parts["left"][query, key] == -torn.parts["right"][query, key] == offset
    assert (equal.parts["sign"], different.parts["sign"]) == ("=", "≠")
    assert "6 of 9" in different.parts["words"]


@pytest.mark.parametrize("scheme", figures.SPEAKERS)
@pytest.mark.parametrize("times", [1, 2, 5])
def test_only_alibi_and_no_positions_miss_a_repetition(scheme, times):
    once, again = (figures.shares_of_the_last_row(scheme, n) for n in (1, times))
    np.testing.assert_allclose(again.sum(), 1.0)
    is_blind = times == 1 or scheme in ("ALiBi", "no positions")
    assert np.allclose(once, again, atol=1e-12) == is_blind
    sentence = figures.said_again(scheme, times)[-1].parts
    if times == 1:  # whatever the scheme: nothing has been compared
        assert "nothing to compare" in sentence["words"] and not sentence["sign"]
    else:
        assert sentence["sign"] == ("=" if is_blind else "≠")


def test_the_census_counts_again_what_is_stored():
    pytest.importorskip("transformers")
    census = read_record("position_census.json")
    counted_in = census["provenance"]["versions"]["transformers"]
    if counted_in != version("transformers"):
        pytest.skip(f"counted in transformers {counted_in}")
    assert position_census.count(position_census.installed()).items() <= census.items()
