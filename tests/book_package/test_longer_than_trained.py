"""The exercises and the live figures on texts longer than those of training."""

import numpy as np
import pytest

from inorder.book.figures import longer_than_trained as figures


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
