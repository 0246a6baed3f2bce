"""The exercises and the live figures on a position that is one number."""

import numpy as np
import pytest

from inorder.attention import softmax
from inorder.book.checks import why_not_just_a_number as checks
from inorder.book.figures import why_not_just_a_number as figures
from inorder.circuits import head_weights
from inorder.transformer import layer_norm


def answer(display):
    return display[-1].parts


@pytest.mark.parametrize("sees", ["all words", "no later word"])
@pytest.mark.parametrize("slope", [-16.0, -1.0, 1.0, 16.0])
def test_a_straight_line_peaks_at_an_end(slope, sees):
    plane, bars, answer = figures.straight_line(slope, sees)
    weights = bars.parts["values"][0]
    last = figures.N_HA - 1 if sees == "all words" else figures.ASKS
    assert weights.argmax() == (last if slope > 0 else 0)
    assert weights.sum() == pytest.approx(1) and not weights[last + 1 :].any()
    dots = np.concatenate([layer["xy"] for layer in plane.parts["layers"][1:]])  # a dot for each word in sight
    np.testing.assert_allclose(dots, [(j / 6, slope * j / 6) for j in range(last + 1)])
    assert answer.parts["words"].startswith(f"Word {weights.argmax()}, the") and "gets most" in answer.parts["words"]


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


def test_other_right_ways_are_accepted():
    assert checks.left_share(lambda w: np.mean([w[i, i - 1] for i in range(1, len(w))])).passed
    assert checks.query_for(lambda t, b: b * np.array([2 * t, -1])).passed
