"""The exercises and the live figures on texts longer than those of training."""

import numpy as np
import pytest

from inorder.book.checks import longer_than_trained as checks
from inorder.book.figures import longer_than_trained as figures


@pytest.mark.parametrize("angle", [0.01, 0.5, np.pi / 2, 1.9, 3.0, 9.0])
def test_a_sector_holds_the_angles_up_to_the_farthest(angle):
    sector = figures._face((2.0, 1.0), 0.5, angle, figures.LIMITS).parts["layers"][0]
    [(low, high)] = sector["bands"]
    grid = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    grid = grid[np.hypot(*grid.T) < 0.99]
    x, y = np.array([2.0, 1.0])[:, None] + 0.5 * grid.T
    inside = (np.interp(x, sector["x"], low, 9, 9) <= y) & (y <= np.interp(x, sector["x"], high, -9, -9))
    turned = np.abs(np.arctan2(*grid.T))
    clear = np.abs(turned - angle) > 0.1  # of the edge, which is drawn with 61 corners
    np.testing.assert_array_equal(inside[clear], (turned < angle)[clear])


@pytest.mark.parametrize("gap", [0, 21, 22, 40, 60])
def test_the_vote_is_that_of_all_pairs_across_the_gap(gap):
    dial, curve, answer = figures.the_vote(gap)
    hands = np.array([np.exp(0.1j * (10 + gap + b - a)) for a in range(10) for b in range(10)])
    [mean] = next(layer["xy"] for layer in dial.parts["layers"] if layer["kind"] == "arrows")
    np.testing.assert_allclose(mean, [hands.imag.mean(), hands.real.mean()], atol=1e-12)
    middles = np.exp(0.1j * (10 + gap))
    assert np.angle(hands.mean() / middles) == pytest.approx(0), "it points along the middles"
    assert answer.parts["sign"] == ("✓" if gap < np.pi / 0.1 - 10 or gap > 2 * np.pi / 0.1 - 10 else "×")
    assert curve.parts["layers"][0]["y"][0][gap] == pytest.approx(figures.measured()[gap])


def test_no_positions_stay_at_the_floor_of_which_first():
    for length in figures.LENGTHS:
        assert set(figures.accuracies("which-first", "none", length)) == {0.5}
        assert set(figures.accuracies("which-first", "alibi", length)) == {0.5}


def test_other_right_ways_are_accepted():
    assert checks.mean_rank(lambda a: (a[None] >= a[:, None]).sum(axis=1).mean(axis=1)).passed
    assert checks.lead_for(lambda w, n: -np.log((1 / w - 1) / (n - 1))).passed
    assert checks.squeezed(lambda n, longest: np.floor(np.arange(n) * min(1, longest / n) + 1e-9)).passed
