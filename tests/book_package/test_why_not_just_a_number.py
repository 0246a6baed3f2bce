"""The exercises and the live figures on a position that is one number."""

from fractions import Fraction
from math import erf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapter_tests import ChapterTests
from inorder.attention import softmax
from inorder.book.checks import why_not_just_a_number as checks
from inorder.book.figures import why_not_just_a_number as figures
from inorder.circuits import head_scores, head_weights, offset_head
from inorder.encodings import scalar_encoding, sinusoidal_encoding
from inorder.transformer import feed_forward, layer_norm


class TestChapter(ChapterTests):
    figures, drawn = figures, {}


def answer(display):
    return display[-1].parts


@pytest.mark.parametrize("sees", ["all words", "no later word"])
@pytest.mark.parametrize("slope", [-16.0, -1.0, 1.0, 16.0])
def test_a_straight_line_peaks_at_an_end(slope, sees):
    _, bars, answer = figures.straight_line(slope, sees)
    weights = bars.parts["values"][0]
    last = figures.N_HA - 1 if sees == "all words" else figures.ASKS
    assert weights.argmax() == (last if slope > 0 else 0)
    assert weights.sum() == pytest.approx(1) and not weights[last + 1 :].any()
    assert answer.parts["words"].startswith(f"Word {weights.argmax()}, the") and "gets most" in answer.parts["words"]


def test_a_level_line_is_said_to_be_level():
    assert "all words get the same" in answer(figures.straight_line(0.0))["words"]


@pytest.mark.parametrize(("sentence", "noun"), [("animal first", "animal"), ("street first", "street")])
def test_a_falling_line_finds_the_first_noun(sentence, noun):
    assert answer(figures.first_noun(sentence, 0.0))["sign"] == ""
    assert answer(figures.first_noun(sentence, 12.0)) == {"words": f"“{noun}” is the first noun: 1.00.", "sign": "✓"}


@pytest.mark.parametrize("n", [8, 31])
def test_layer_norm_turns_the_line_into_an_arc_of_known_angles(n):
    x, head = figures.bent_head(n, 1000.0, ratio=0.4, d_model=12, seed=3)
    normed = layer_norm(x, eps=1e-12)
    phi = np.arctan((np.arange(-1, n) / (n - 1) - 0.5) / 0.4)  # that of the left neighbour of word 0, too
    stretch = np.cos(phi[1:]) / np.cos(phi[:-1])
    expected = softmax(1000.0 * stretch[:, None] * np.cos(phi[1:] - phi[:-1, None]))
    np.testing.assert_allclose(head_weights(normed, normed, head), expected, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(normed @ head.w_key, axis=1), np.sqrt(12), rtol=1e-9)


@pytest.mark.parametrize("word", [1, 7, 15])
def test_the_arc_is_drawn_with_the_weights_of_its_head(word):
    lit = {}
    for norm in ("off", "on"):
        plane, answer = figures.on_an_arc(word, norm, 400)
        _, rays, beads, query = plane.parts["layers"]
        drawn = np.linalg.norm(rays["xy"] - rays["tails"], axis=1) / 0.5
        x, head = figures.bent_head(16, 400.0)
        x = layer_norm(x, eps=1e-12) if norm == "on" else x
        np.testing.assert_allclose(drawn, head_weights(x, x, head)[word], atol=1e-12)
        scores = beads["xy"] @ query["xy"][0]  # the picture alone says who is lit
        assert scores.argmax() == drawn.argmax()
        assert f"Word {word} looks most at word {drawn.argmax()}: {drawn.max():.2f}." in answer.parts["words"]
        lit[norm] = int(drawn.argmax())
        assert answer.parts["sign"] == ("✓" if norm == "on" else "×")
    assert lit["on"] == word - 1 and lit["off"] in (0, 15)


def test_hinges_go_straight_from_point_to_point():
    places, values = np.array([-1.0, 0.5, 2.0, 3.0]), np.array([[1.0, 0.0], [4.0, -3.0], [-2.0, 5.0], [0.5, 0.5]])
    s = np.linspace(-1, 3, 50)
    rows = feed_forward(np.pad(s[:, None], ((0, 0), (0, 2))), figures.hinges(places, values), activation="relu")
    assert not rows[:, 0].any()
    np.testing.assert_allclose(rows[:, 1:], np.stack([np.interp(s, places, v) for v in values.T], axis=1), atol=1e-12)


def test_one_hinge_for_each_step_makes_the_encoding():
    rows = figures.hinged_waves(scalar_encoding(np.arange(12), 12), 11, 12, d_model=6, base=50.0)
    np.testing.assert_allclose(rows, sinusoidal_encoding(np.arange(12), 6, base=50.0), atol=1e-12)


def test_half_as_many_hinges_as_words_are_enough_and_fewer_are_not():
    assert [answer(figures.made_of_hinges(k))["sign"] for k in (7, 8, 16)] == ["×", "✓", "✓"]


@given(n=st.integers(4, 300), n_units=st.integers(1, 300))
def test_words_in_line_are_those_between_which_no_corner_falls(n, n_units):
    corners = [Fraction(k * (n - 1), n_units) for k in range(1, n_units)]  # in steps
    between = [j for j in range(1, n - 1) if not any(j - 1 < corner < j + 1 for corner in corners)]
    assert figures.words_in_line(n, n_units) == between
    assert (not between) == (2 * n_units >= n)


@pytest.mark.parametrize("n", [7, 16, 31, 40])
@pytest.mark.parametrize("missing", [0, 1])
def test_the_rows_that_fail_are_those_whose_left_neighbour_is_in_line(n, missing):
    n_units = -(-n // 2) - missing
    rows = figures.hinged_waves(scalar_encoding(np.arange(n), n), n_units, n)
    scores = head_scores(rows, rows, offset_head(-1, 8, base=100.0, sharpness=1.0))
    left = np.diagonal(scores, -1).copy()
    np.fill_diagonal(scores[1:], -np.inf)
    failing = np.flatnonzero(left <= scores[1:].max(axis=1) + 1e-9)  # counted from word 1
    assert failing.tolist() == figures.words_in_line(n, n_units)


def test_every_signal_is_centred():
    for signal in figures.signals(100).values():
        np.testing.assert_allclose(signal.mean(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("terms", [1, 5, 32])
def test_the_series_comes_to_the_number(terms):
    curves, answer = figures.partial_sums(terms)
    t, (number, total) = curves.parts["layers"][0]["x"], curves.parts["layers"][0]["y"]
    np.testing.assert_array_equal(number, t)
    half = np.interp(0.5, t, total)
    assert half == pytest.approx(0.5, abs=1e-3)  # every sine is 0 in the middle
    assert answer.parts["words"].startswith(str(terms))


def test_noise_is_read_as_derived():
    """One number for each of n places, a step h apart: right with probability about erf(h/(√8 σ)), more at the ends."""
    n, percent = 512, 5
    ways = figures.signals(n)
    assert all(len(signal) == n for signal in ways.values())
    assert len(np.unique(ways["9 bits"], axis=0)) == n
    ramp = ways["one number"]
    sigma = percent / 100 * np.sqrt((ramp**2).mean())
    for copies, name in ((1, "one number"), (64, "64 copies of it")):
        share = np.mean([figures.read_back(ways[name], percent, seed) for seed in range(10)])
        derived = erf(2 / (n - 1) * np.sqrt(copies) / (np.sqrt(8) * sigma))
        assert share == pytest.approx(derived, abs=0.01)
    assert figures.read_back(ways["waves, kept apart"], percent, 0) == 1


@pytest.mark.parametrize("causal", [False, True])
def test_no_line_passes_the_bound_and_none_of_another_search_passes_the_best(causal):
    n = 9
    best, bound = figures.best_line(n, causal=causal), figures.best_slopes(n, causal=causal)
    assert 1 / n < best < bound
    s = np.arange(1, n) / (n - 1)
    tried = np.random.default_rng(0).normal(0, 30, size=(4000, 2))
    result = figures.left_weight(tried @ np.stack([np.ones(n - 1), s]), n, causal=causal).mean(axis=1)
    assert result.max() <= best + 1e-9


def test_other_right_ways_are_accepted():
    assert checks.left_share(lambda w: np.mean([w[i, i - 1] for i in range(1, len(w))])).passed
    assert checks.query_for(lambda t, b: b * np.array([2 * t, -1])).passed

    def by_hand(places, values):
        slopes = [(b - a) / (q - p) for a, b, p, q in zip(values, values[1:], places, places[1:], strict=False)]
        return [new - old for new, old in zip(slopes, [0, *slopes], strict=False)]

    assert checks.bends(by_hand).passed
    assert checks.bends(lambda p, v: figures.hinges(p, v[:, None]).w_out[:, 1]).passed


@pytest.mark.parametrize(
    ("check", "student", "mistake"),
    [
        (checks.left_share, lambda w: np.mean(np.roll(w, 1, axis=1).diagonal()), "counts row 0, too"),
        (checks.left_share, lambda w: w[1:, 0].mean(), None),
        (checks.query_for, lambda t, b: [b * t, -b], "forgets the 2"),
        (checks.query_for, lambda t, b: [t, b], None),
        (checks.bends, lambda p, v: np.gradient(v, p)[:-1], None),
        (checks.bends, lambda p, v: np.diff(v) / np.diff(p), "gives the slopes"),
    ],
)
def test_wrong_ways_are_told_apart(check, student, mistake):
    verdict = check(student)
    assert not verdict.passed
    assert mistake is None or verdict.mistake.says == mistake
