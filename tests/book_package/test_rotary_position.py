"""The exercises and the figures on rotary position."""

import numpy as np
import pytest

from inorder.book.checks import rotary_position as checks
from inorder.book.figures import rotary_position as figures
from inorder.encodings import rotary_encoding


@pytest.mark.parametrize("query_at", [4, 12])
@pytest.mark.parametrize("distance", [-4, -1, 0, 3])
def test_the_wedge_says_the_score_of_two_turned_rows(query_at, distance):
    rows = np.array([[1.5, 0.0], [1.2, 1.0]])
    theta = np.radians(30 * np.array([query_at, query_at + distance]))
    query, key = (
        [x * np.cos(t) - y * np.sin(t), x * np.sin(t) + y * np.cos(t)] for (x, y), t in zip(rows, theta, strict=True)
    )
    words = figures.two_arrows(query_at, distance)[-1].parts["words"]
    assert f"score is {np.dot(query, key):.2f}," in words.replace("−", "-")
    hands = figures.two_arrows(query_at, distance)[0].parts["hands"]
    for hand, (x, y) in zip(hands, (query, key), strict=True):
        out = hand["lengths"] * np.hypot(1.2, 1.0)
        np.testing.assert_allclose([out * np.sin(hand["angles"]), out * np.cos(hand["angles"])], [[x], [y]], atol=1e-12)


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


def by_the_package(x, positions):
    return rotary_encoding(x, positions, pairing="halves")


def by_matrices(x, positions):
    """A 2 × 2 rotation for each pair, on a diagonal."""
    d = x.shape[1]
    rows = []
    for row, position in zip(x, positions, strict=True):
        turn = np.zeros((d, d))
        for j in range(d // 2):
            angle = position * 10_000.0 ** (-2 * j / d)
            pair = np.ix_([j, d // 2 + j], [j, d // 2 + j])
            turn[pair] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
        rows.append(row @ turn)
    return np.array(rows)


def test_other_right_ways_are_accepted():
    assert checks.rope(by_the_package).passed
    assert checks.rope(by_matrices).passed


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


def test_a_head_that_looks_left_may_have_any_length():
    key = np.array([2.0, 0, 1, 0, 0, 1, 0, 3])
    assert checks.looks_left(5 * rotary_encoding(key[None], np.array([-1]))[0], key).passed
