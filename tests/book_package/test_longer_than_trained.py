"""The exercises and the live figures on texts longer than those of training."""

import numpy as np
import pytest

from inorder.book.checks import longer_than_trained as checks
from inorder.book.figures import longer_than_trained as figures


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
