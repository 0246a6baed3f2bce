"""The own floor of those who do not hear all words alike."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inorder.lab.baselines import baseline
from inorder.lab.counting import LOUDNESS, REACH, Counted, loudest, own_floor
from inorder.lab.results import read
from inorder.lab.runs import TRAINED_ON
from inorder.lab.tasks import Reversal
from inorder.stored import stored

ERRORS = 4  # standard errors


@pytest.mark.parametrize("n", [5, 9])
def test_who_hears_all_alike_stands_at_the_floor_of_the_task(n):
    result = loudest(np.ones((n, n)), n_texts=4000)
    assert abs(result.accuracy - Reversal(10).floor(n)) < ERRORS * result.error


@given(st.integers(2, 5), st.integers(2, 3), st.integers(0, 99))
def test_share_of_the_loudest_is_that_of_all_texts_written_out(n, kinds, seed):
    weights = np.random.default_rng(seed).random((n, n))
    right = []
    for text in itertools.product(range(kinds), repeat=n):
        counts = np.eye(kinds)[list(text)]
        loud = [sum(w * count for w, count in zip(row, counts, strict=True)) for row in weights]
        right.append(np.mean([np.argmax(row) == text[n - 1 - q] for q, row in enumerate(loud)]))
    result = loudest(weights, kinds, n_texts=500, seed=seed)
    assert abs(result.accuracy - np.mean(right)) <= ERRORS * max(result.error, 0.5 / n / 500**0.5)


def test_a_row_of_the_cnn_reaches_as_far_as_its_floor_says():
    model = baseline("cnn", 10, 10, seed=0)
    n, row = 30, 14
    text = torch.zeros((1, n), dtype=torch.long)
    before = model(text)[0, row]
    heard = []
    for k in range(n):
        changed = text.clone()
        changed[0, k] = 1
        heard.append(not torch.equal(model(changed)[0, row], before))
    assert np.flatnonzero(heard).tolist() == list(range(row - REACH, row + REACH + 1))
    np.testing.assert_array_equal(LOUDNESS["cnn"](n)[row], heard)


def test_each_side_of_directed_alibi_is_a_mean():
    for n in TRAINED_ON:
        weights = LOUDNESS["alibi-split"](n)
        left, right = np.tril(weights, -1).sum(1), np.triu(weights, 1).sum(1)
        assert (weights > 0).all()
        np.testing.assert_allclose(left + right + np.diag(weights), 2)
        assert left[-1] > left[1] and right[0] > right[-2]


@pytest.mark.parametrize("scheme", ["alibi-split", "cnn"])
def test_no_stored_run_that_had_time_ends_below_its_own_floor(scheme):
    floor = own_floor(scheme)
    curves = read(stored("longer_and_narrower.json")).curves().query("task == 'reversal' and scheme == @scheme")
    ends = curves.groupby("seed").accuracy.apply(lambda run: run.to_numpy()[-2:].mean())
    assert len(ends) == 5 and set(curves.n_steps) == {1200}
    assert (ends > floor.accuracy + ERRORS * floor.error).all()
    assert floor.accuracy < np.mean([Reversal(10).floor(n) for n in TRAINED_ON]) - 0.05


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(ValueError, match=r"weights of shape \(n, n\), n of 2 or more, got \(2, 3\)"):
        loudest(np.ones((2, 3)))
    with pytest.raises(ValueError, match="scheme"):
        own_floor("rotary")
    assert isinstance(own_floor("none"), Counted)
