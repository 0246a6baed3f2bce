"""The exercises and the figures on whether a query differs from a key."""

import numpy as np
import pytest

from inorder.book.figures import is_a_query_different_from_a_key as figures
from inorder.book.sentence import WORDS


@pytest.mark.parametrize("key", WORDS)
@pytest.mark.parametrize("pull", [-2.0, 0.0, 3.25])
def test_a_pull_changes_one_cake_and_a_swap_transposes_all_scores(key, pull):
    before, after, swapped = (
        figures.cakes(key, *options)[0].parts for options in ((0.0, False), (pull, False), (pull, True))
    )
    changed = np.abs(after["values"] - before["values"]).max(axis=1) > 0
    assert changed.tolist() == [word == "it" and pull != 0 for word in WORDS]
    slices = np.sign(after["values"] - before["values"])[3]
    assert slices.tolist() == [np.sign(pull) if word == key else -np.sign(pull) for word in WORDS]
    for parts in (after, swapped):
        assert np.allclose(parts["values"].sum(axis=1), 1)
    scores, others = (np.delete(np.log(parts["values"]), 3, 0)[:, [0, 1, 2, 4]] for parts in (before, swapped))
    apart = scores - others.T  # up to a number for each row, and one for each column
    assert np.allclose(apart - apart[:, :1] - apart[:1] + apart[0, 0], 0)


@pytest.mark.parametrize("turn", [0, 45, 90, 180])
@pytest.mark.parametrize("stretch", [0.7, 1.0, 1.4])
def test_the_gauge_moves_arrows_and_no_weight(turn, stretch):
    plane, bars, answer = figures.turn_the_gauge(turn, stretch)
    at_rest = figures.turn_the_gauge()
    assert np.allclose(bars.parts["values"], at_rest[1].parts["values"], rtol=0, atol=1e-15)
    assert answer.parts["sign"] == "=" and "No weight has moved" in answer.parts["words"]
    same = np.allclose(plane.parts["layers"][0]["xy"], at_rest[0].parts["layers"][0]["xy"])
    assert same == (turn == 0 and stretch == 1)
