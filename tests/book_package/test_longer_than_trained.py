"""The exercises and the live figures on texts longer than those of training."""

import numpy as np
import pytest

from inorder.book.checks import longer_than_trained as checks
from inorder.book.figures import longer_than_trained as figures


def told(display):
    return display[-1].parts


@pytest.mark.parametrize("words", [5, 20, 21, 60])
def test_the_hands_turn_by_the_distance_from_the_first_word_to_the_last(words):
    display = figures.clock_faces(words)
    tips = next(layer for layer in display[0].parts["layers"] if layer["kind"] == "arrows")
    turned = (tips["xy"] - tips["tails"])[:, ::-1] @ [1, 1j]
    np.testing.assert_allclose(turned, np.exp(1j * np.array([1, 0.1, 0.01, 0.001]) * (words - 1)), atol=1e-12)
    assert told(display)["sign"] == ("=" if words <= 20 else "≠")


def test_hands_from_the_twentieth_on_never_complete_a_turn():
    turns = figures.REMEDIES["as trained"].omega * 8192 / (2 * np.pi)
    assert turns[19] > 1 > turns[20]


def test_each_remedy_brings_the_hands_back_that_it_promises():
    lines = {remedy: figures.slower_hands(remedy)[0].parts["layers"][0]["y"][0] for remedy in figures.REMEDIES}
    np.testing.assert_allclose(lines["as trained"], 12_287 / 8191)
    np.testing.assert_allclose(lines["interpolated"], 1, atol=1e-4)
    assert lines["NTK-aware"][0] > 1.49 and lines["NTK-aware"][-1] < 1.001 and (np.diff(lines["NTK-aware"]) < 0).all()
    assert lines["YaRN"][0] > 1.49 and lines["YaRN"][20:].max() < 1.001
    assert lines["half the text"].max() < 1


@pytest.mark.parametrize("slope", [0.0, 1 / 64, 1 / 4])
@pytest.mark.parametrize("lead", [0.0, 2.5])
def test_share_of_the_best_is_a_softmax(lead, slope):
    lengths = np.array([4, 7, 33])
    result = figures.share_of_the_best(lengths, lead, slope)
    for n, share in zip(lengths, result, strict=True):
        scores = np.exp(-slope * np.arange(n) + lead * (np.arange(n) == 3))
        assert share == pytest.approx(scores[3] / scores.sum())


def test_no_positions_stay_at_the_floor_of_which_first():
    for length in figures.LENGTHS:
        assert set(figures.accuracies("which-first", "none", length)) == {0.5}
        assert set(figures.accuracies("which-first", "alibi", length)) == {0.5}


def test_other_right_ways_are_accepted():
    assert checks.mean_rank(lambda a: (a[None] >= a[:, None]).sum(axis=1).mean(axis=1)).passed
    assert checks.lead_for(lambda w, n: -np.log((1 / w - 1) / (n - 1))).passed
    assert checks.squeezed(lambda n, longest: np.floor(np.arange(n) * min(1, longest / n) + 1e-9)).passed
