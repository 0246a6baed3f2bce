"""The exercises and the still figures on heads built by hand."""

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.book.checks import heads_built_by_hand as checks
from inorder.book.figures import heads_built_by_hand as figures
from inorder.circuits import head_weights, induction_shares, offset_head
from inorder.encodings import frequencies, shift_matrix, sinusoidal_encoding

BETA, AT = np.geomspace(0.1, 32, 9), np.array([1.0, 4.0])
WIDTHS = [8, 16, 64, 512]
DISTANCE = np.arange(1, 200)
POWER = 0.3 * DISTANCE**-3.47
EDGE = np.eye(10, 40, k=-5)
DRAWN = {
    "three_heads": lambda: figures.three_heads(
        {"two to the right": np.eye(16, k=2), "the first token": np.eye(16), "by distance": np.eye(16) / 2}
    ),
    "offset_sharpness": lambda: figures.offset_sharpness(
        BETA,
        {d: 1 - np.exp(-BETA * d / 64) for d in WIDTHS},
        AT,
        {d: 1 - np.exp(-AT * d / 64) for d in WIDTHS},
    ),
    "heads_at_the_edge": lambda: figures.heads_at_the_edge(
        {"all frequencies": EDGE, "the four fastest alone": EDGE}, np.arange(10) - 5
    ),
    "distance_weights": lambda: figures.distance_weights(
        DISTANCE, {"all frequencies": 1.1 * POWER, "the slow ones alone": np.exp(-DISTANCE / 90)}, POWER
    ),
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def test_maps_are_the_weights_from_white_at_0_to_blue_at_1():
    maps = [axes.collections[0] for axes in DRAWN["three_heads"]().axes]
    np.testing.assert_array_equal(maps[0].get_array(), np.eye(16, k=2))
    np.testing.assert_array_equal(maps[2].get_array(), np.eye(16) / 2)
    assert [map_.get_clim() for map_ in maps] == [(0, 1)] * 3


def test_curves_are_derived_and_dots_are_measured():
    lines = DRAWN["offset_sharpness"]().axes[0].lines
    np.testing.assert_allclose(lines[0].get_ydata(), 1 - np.exp(-BETA / 8))
    np.testing.assert_allclose(lines[5].get_ydata(), 1 - np.exp(-AT))
    labels = [line.get_label() for line in lines if line.get_marker() != "None"]
    assert labels == [f"d_model = {d}" for d in WIDTHS]


def test_targets_are_ringed_where_they_exist_and_pointed_at_where_they_do_not():
    for axes in DRAWN["heads_at_the_edge"]().axes:
        rings = [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines]
        assert rings == [(0, 5), (1, 6), (2, 7), (3, 8), (4, 9)]
        assert [text.get_position()[1] for text in axes.texts] == [0, 1, 2, 3, 4]


def test_both_distance_heads_are_drawn_with_the_derived_power():
    axes = DRAWN["distance_weights"]().axes[0]
    np.testing.assert_allclose(axes.lines[0].get_ydata(), 1.1 * POWER)
    np.testing.assert_allclose(axes.lines[2].get_ydata(), POWER)
    assert axes.get_xscale() == axes.get_yscale() == "log"


def test_other_right_ways_are_accepted():
    def by_the_head(offset, n):
        p = sinusoidal_encoding(np.arange(n), 64)
        return head_weights(p, p, offset_head(offset, 64, sharpness=1.0)).argmax(axis=1)

    def by_the_book(omega, offset):
        turn = np.exp(1j * omega * offset)
        return [[turn.real, -turn.imag], [turn.imag, turn.real]]

    assert checks.looks_at(by_the_head).passed
    assert checks.shift_block(by_the_book).passed


def test_the_block_is_a_block_of_the_shift_matrix():
    omega = frequencies(6)[1]
    np.testing.assert_allclose(checks.shift_block.reference(omega, 3), shift_matrix(3, 6)[2:4, 2:4])


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (checks.looks_at, lambda k, n: [min(max(i + k, 0), n - 1) for i in range(n)], "stops at the ends"),
        (checks.looks_at, lambda k, n: np.roll(np.arange(n), -k), "wraps around at the ends"),
        (checks.shift_block, lambda w, k: shift_matrix(1, 2) if w == 1 else _block(w, -k), None),
        (checks.shift_block, lambda w, k: _block(w, k).T, "shifts the other way"),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says == mistake


def _block(omega, offset):
    return np.array(
        [[np.cos(omega * offset), -np.sin(omega * offset)], [np.sin(omega * offset), np.cos(omega * offset)]]
    )


def test_votes_that_look_four_away_and_what_others_are_told():
    votes = np.ones(32)
    votes[1] = -4
    assert checks.looks_four_away(votes).passed and checks.looks_four_away(list(3 * votes)).passed
    for wrong, hint in (
        (np.ones(32), "at distance 0"),
        ([-2.5, *[1] * 31], "at distance 2"),
        (votes / 50, "Scale all votes up"),
        (np.ones(64), "(64,)"),
        ("votes", "32 numbers"),
    ):
        verdict = checks.looks_four_away(wrong)
        assert not verdict.passed and hint in verdict.message


@pytest.mark.parametrize(
    ("offset", "message"),
    [
        (-2, "bring d."),
        (-1, "your heads bring c"),
        (0, "your heads bring b"),
        (-3, "your heads bring e"),
        (2, "your heads bring"),
        (-2.0, "expected a whole number, got float"),
        (True, "expected a whole number, got bool"),
    ],
)
def test_the_word_after_next_takes_two_steps_back(offset, message):
    verdict = checks.brings_the_word_after_next(offset)
    assert verdict.passed == (offset == -2 and isinstance(offset, int)) and message in verdict.message


def test_what_a_pair_of_heads_brings_by_counting():
    for case in checks.next_word.cases:
        tokens = case["words"].argmax(axis=1)
        expected = induction_shares(tokens, case["words"].shape[1])
        np.testing.assert_allclose(checks.next_word.reference(**case), expected, atol=1e-12)


def said_of(drawn):
    return drawn[-1].parts["words"], drawn[-1].parts["sign"]


@pytest.mark.parametrize("offset", [-8, -1, 0, 2, 8])
@pytest.mark.parametrize("base", [100.0, 10_000.0])
def test_every_offset_finds_its_target_with_the_derived_weight(offset, base):
    missing = offset - np.arange(-12, 13)  # distances from the target, row 12 of 25
    kappa = np.cos(np.multiply.outer(missing, frequencies(64, base=base))).sum(axis=-1)
    expected = 1 / np.exp(2.0 * (kappa - 32)).sum()
    words, sign = said_of(figures.where_it_looks(offset, 2.0, base))
    assert words == f"Row 12 looks for {12 + offset} and gives it {expected:.2f} of its weight." and sign == "✓"


@pytest.mark.parametrize(("vote", "away"), [(1, 0), (0, 0), (-1.5, 1), (-2.5, 2), (-5, 3)])
def test_the_vote_of_the_fastest_hand_decides_how_far_away_the_head_looks(vote, away):
    score, row, _ = drawn = figures.both_neighbours(vote, 256)
    weights = row.parts["layers"][0]["y"][0]
    assert np.flatnonzero(weights > 0.4).tolist() == sorted({12 - away, 12 + away})
    assert said_of(drawn)[1] == ("✓" if away == 1 else "")
    assert [tuple(place) for place in score.parts["layers"][1]["xy"]] == [(k, 0) for k in sorted({-away, away})]


def test_the_edge_is_told_with_its_target_and_where_the_row_looks():
    assert said_of(figures.edge(10, 2)) == ("Row 10 looks for 12, which is not there: it gives 1.00 to 11.", "×")
    assert said_of(figures.edge(3, 2)) == ("Row 3 looks for 5: it gives 1.00 to 5.", "✓")
    assert said_of(figures.edge(0, -5))[0].endswith("to 1.")  # nearest is 0, but distance 6 is more alike than 5
