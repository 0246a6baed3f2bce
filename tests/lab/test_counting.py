"""What is got by counting where not every word is counted once."""

import itertools
from collections import Counter, defaultdict

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from inorder.encodings import t5_buckets
from inorder.lab.baselines import baseline
from inorder.lab.counting import LOUDNESS, REACH, Counted, bucket_ceiling, counting_guess, loudest
from inorder.lab.results import read
from inorder.lab.runs import TRAINED_ON
from inorder.lab.tasks import LastToken, Reversal
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
def test_no_stored_run_that_had_time_ends_below_its_counting_guess(scheme):
    floor = counting_guess(scheme)
    curves = read(stored("longer_and_narrower.json")).curves().query("task == 'reversal' and scheme == @scheme")
    ends = curves.groupby("seed").accuracy.apply(lambda run: run.to_numpy()[-2:].mean())
    assert len(ends) == 5 and set(curves.n_steps) == {1200}
    assert (ends > floor.accuracy + ERRORS * floor.error).all()
    assert floor.accuracy < np.mean([Reversal(10).floor(n) for n in TRAINED_ON]) - 0.05


@given(st.integers(2, 6), st.integers(2, 3), st.sampled_from([(4, 3), (4, 8), (8, 5), (8, 40)]))
def test_bucket_ceiling_is_the_best_guess_over_all_texts_written_out(n, kinds, buckets):
    n_buckets, reach = buckets
    right = total = 0
    for i in range(n):
        groups = [int(t5_buckets(np.array(j - i), n_buckets=n_buckets, max_distance=reach)) for j in range(n)]
        answers = defaultdict(Counter)
        for text in itertools.product(range(kinds), repeat=n):
            seen = text[i], tuple(sorted(zip(groups, text, strict=True)))  # its own word; each bucket's words, sorted
            answers[seen][text[-1]] += 1
        right += sum(counts.most_common(1)[0][1] for counts in answers.values())
        total += kinds**n
    assert bucket_ceiling(n, kinds, n_buckets=n_buckets, max_distance=reach) == pytest.approx(right / total)


@given(st.integers(2, 60), st.integers(9, 200))
def test_bucket_ceiling_lies_above_the_floor_and_is_one_where_each_distance_has_a_bucket(n, reach):
    ceiling = bucket_ceiling(n, max_distance=reach)
    assert LastToken(10).floor(n) < ceiling <= 1
    assert (ceiling == 1) == all(np.bincount(t5_buckets(np.arange(n), max_distance=reach))[16:] <= 1)


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(ValueError, match=r"weights of shape \(n, n\), n of 2 or more, got \(2, 3\)"):
        loudest(np.ones((2, 3)))
    with pytest.raises(ValueError, match="scheme"):
        counting_guess("rotary")
    assert isinstance(counting_guess("none"), Counted)
    with pytest.raises(ValueError, match="n of 2 tokens or more"):
        bucket_ceiling(1)
    with pytest.raises(ValueError, match="n_kinds"):
        bucket_ceiling(5, 0)


@pytest.mark.parametrize(("scheme", "reach"), [("t5", 128), ("t5-16", 16)])
def test_no_stored_layer_of_t5_passes_its_bucket_ceiling(scheme, reach):
    for name in ("learning_order.json", "ten_times_longer.json"):
        table = read(stored(name)).table()
        rows = table.query("task == 'last-token' and scheme == @scheme and n_layers == 1 and length == 20")
        assert len(rows) >= 3
        assert (rows.accuracy < bucket_ceiling(20, max_distance=reach) + ERRORS * rows.error).all()


def test_the_stored_longer_runs_respect_the_ceiling_without_direction():
    table = read(stored("ten_times_longer.json")).table().query("scheme == 'alibi'")
    assert set(table.n_steps) == {3000} and set(table.task) == {"copy-left", "last-token"}
    assert (table.accuracy < table.ceiling + ERRORS * table.error).all()
