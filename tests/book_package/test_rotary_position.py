"""The exercises and the figures on rotary position."""

import numpy as np
import pytest

from inorder.book.checks import rotary_position as checks
from inorder.book.figures import rotary_position as figures
from inorder.encodings import rotary_encoding


@pytest.mark.parametrize("base", [100, 10_000])
@pytest.mark.parametrize("head", figures.HEADS)
@pytest.mark.parametrize("distance", [-8, -2, 0, 5])
def test_the_six_clocks_add_up_to_what_rotary_encoding_gives(distance, head, base):
    at, lengths = figures.HEADS[head]
    query = np.tile([1.0, 0.0], 6)[None]
    key = rotary_encoding(np.repeat(lengths, 2)[None] * query, np.array([-at]), base=float(base))
    wedges = []
    for position in (8, 20):
        turned = [
            rotary_encoding(row, np.array([p]), base=float(base))
            for row, p in ((query, position), (key, position + distance))
        ]
        score = (turned[0] @ turned[1].T).item()
        clocks, curve, answer = figures.six_clocks(position, distance, head, base)
        assert f"add up to {score:.2f}." in answer.parts["words"].replace("−", "-")
        assert ("no other Δ" in answer.parts["words"]) == (distance == at)
        line, point = curve.parts["layers"]
        np.testing.assert_allclose(point["xy"], [[distance, score]])
        assert line["y"].max() <= lengths.sum() + 1e-12
        hands = clocks.parts["hands"]
        for hand, row in zip(hands, turned, strict=True):  # a quarter turn further, and drawn clockwise from the top
            arrows = row[0, ::2] + 1j * row[0, 1::2]
            np.testing.assert_allclose(hand["lengths"] * np.exp(-1j * hand["angles"]), arrows, atol=1e-12)
        wedges.append(hands[1]["angles"] - hands[0]["angles"])
    np.testing.assert_allclose(*wedges, atol=1e-12, err_msg="carried along, the wedges hold")


@pytest.mark.parametrize(
    ("query", "key", "message"),
    [
        (np.ones(8), np.ones(8), "position 1 looks most at itself"),
        (np.ones(6), np.ones(8), "a query of shape (8,), got (6,)"),
        (np.zeros(8), np.ones(8), "at all words equally"),
        (rotary_encoding(np.ones((1, 8)), np.array([1]))[0], np.ones(8), "1 to the right"),
    ],
)
def test_a_head_that_does_not_look_left_is_told_where_it_looks(query, key, message):
    verdict = checks.looks_left(query, key)
    assert not verdict.passed and message in verdict.message
