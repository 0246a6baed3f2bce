"""The tasks: what they draw, and their bounds, against every word of a small vocabulary."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from inorder.encodings import t5_buckets
from inorder.lab.results import read
from inorder.lab.tasks import (
    IGNORED,
    TASKS,
    CopyLeft,
    LastToken,
    Marked,
    Reversal,
    WhichFirst,
    expected_largest_count,
)
from inorder.stored import stored
from lab.counting import bayes, blind, without_direction


def test_targets_are_the_tokens_one_place_to_the_left():
    tokens, targets = CopyLeft(7).draw(np.random.default_rng(0), n_sequences=30, n=9)
    assert tokens.shape == targets.shape == (30, 9)
    assert tokens.dtype == targets.dtype == torch.int64
    assert (targets[:, 1:] == tokens[:, :-1]).all() and (targets[:, 0] == IGNORED).all()
    assert set(tokens.flatten().tolist()) == set(range(7))


@pytest.mark.parametrize(("n", "kinds"), [(1, 4), (2, 2), (4, 2), (5, 3), (6, 2)])
def test_expected_largest_count_is_the_mean_over_all_words(n, kinds):
    words = list(product(range(kinds), repeat=n))
    assert expected_largest_count(n, kinds) == Fraction(sum(max(Counter(w).values()) for w in words), len(words))


ROWS = {"copy-left": lambda n: range(1, n), "last-token": range, "reversal": range}
TARGETS = {
    "copy-left": lambda word, row: word[row - 1],
    "last-token": lambda word, row: word[-1],
    "reversal": lambda word, row: word[len(word) - 1 - row],
}
KINDS = {"copy-left": CopyLeft, "last-token": LastToken, "reversal": Reversal}
SIZES = [(2, 3), (5, 2), (5, 3), (6, 2)]


@pytest.mark.parametrize(("n", "kinds"), SIZES)
@pytest.mark.parametrize("name", KINDS)
def test_floor_is_that_of_a_reader_of_token_and_multiset(name, n, kinds):
    result = bayes(blind, TARGETS[name], ROWS[name](n), n, kinds)
    assert KINDS[name](kinds).floor(n) == pytest.approx(result, abs=1e-12)


@pytest.mark.parametrize(("n", "kinds"), SIZES)
@pytest.mark.parametrize("name", KINDS)
def test_ceiling_is_that_of_a_reader_who_may_stand_on_either_side(name, n, kinds):
    """It sees the word and its own row up to a reversal. In copy-left row 0 does not count, but looks like the last."""
    result = bayes(without_direction, TARGETS[name], ROWS[name](n), n, kinds)
    assert KINDS[name](kinds).symmetric_ceiling(n) == pytest.approx(result, abs=1e-12)


@settings(max_examples=15)  # each goes through all words
@given(st.integers(2, 6), st.integers(2, 3), st.sampled_from([(4, 3), (4, 8), (8, 5), (8, 40)]))
def test_bucket_ceiling_is_that_of_a_reader_of_token_and_buckets(n, kinds, buckets):
    settings = dict(zip(("n_buckets", "max_distance"), buckets, strict=True))

    def view(word, row):
        groups = t5_buckets(np.arange(n) - row, **settings).tolist()
        return row, word[row], tuple(sorted(zip(groups, word, strict=True)))

    result = bayes(view, TARGETS["last-token"], range(n), n, kinds)
    assert LastToken(kinds).bucket_ceiling(n, **settings) == pytest.approx(result)


@given(st.integers(2, 60), st.integers(9, 200))
def test_bucket_ceiling_lies_above_the_floor_and_is_one_where_each_distance_has_a_bucket(n, reach):
    ceiling = LastToken().bucket_ceiling(n, max_distance=reach)
    assert LastToken().floor(n) < ceiling <= 1
    assert (ceiling == 1) == all(np.bincount(t5_buckets(np.arange(n), max_distance=reach))[16:] <= 1)


@pytest.mark.parametrize(("scheme", "reach"), [("t5", 128), ("t5-16", 16)])
def test_no_stored_layer_of_t5_passes_its_bucket_ceiling(scheme, reach):
    for name in ("learning_order.json", "ten_times_longer.json"):
        table = read(stored(name)).table()
        rows = table.query("task == 'last-token' and scheme == @scheme and n_layers == 1 and length == 20")
        assert len(rows) >= 3
        assert (rows.accuracy < LastToken().bucket_ceiling(20, max_distance=reach) + 4 * rows.error).all()


@pytest.mark.parametrize(
    ("n", "asked", "view", "bound"),
    [
        (4, False, blind, "floor"),
        (4, True, blind, "floor"),
        (5, False, without_direction, "symmetric_ceiling"),
    ],
)
def test_which_first_by_counting(n, asked, view, bound):
    """The answer is one for the sequence, so the view is of all its rows."""
    task, targets = WhichFirst(2, asked=asked), defaultdict(Counter)
    for word in product(range(4), repeat=n):
        if (word.count(2), word.count(3)) == (1, 1):
            seen = tuple(sorted(view(word, row) for row in range(n)))
            targets[seen][word.index(2) < word.index(3)] += 1
    best = sum(max(c.values()) for c in targets.values()) / sum(sum(c.values()) for c in targets.values())
    assert getattr(task, bound)(n) == best


@pytest.mark.parametrize("asked", [False, True])
def test_which_first_has_one_of_each_anywhere(asked):
    task = WhichFirst(3, asked=asked)
    tokens, targets = task.draw(1, 500, 6)
    assert tokens.shape == (500, 6 + asked) and targets.shape == (500, 7 if asked else 1)
    a, b = (tokens == 3), (tokens == 4)
    assert (a.sum(dim=1) == 1).all() and (b.sum(dim=1) == 1).all()
    assert (targets[:, -1] == (a.int().argmax(dim=1) < b.int().argmax(dim=1))).all()
    assert {(int(x), int(y)) for x, y in zip(a.int().argmax(dim=1), b.int().argmax(dim=1), strict=True)} == {
        (i, j) for i in range(6) for j in range(6) if i != j
    }
    if asked:
        assert (tokens[:, -1] == 5).all() and (targets[:, :-1] == IGNORED).all() and task.n_tokens == 6


@pytest.mark.parametrize("asked", [False, True])
def test_a_test_set_is_closed_under_swap_and_reversal(asked):
    task = WhichFirst(4, asked=asked)
    tokens, targets = task.draw_test(2, 40, 7)
    assert tokens.shape == (40, 7 + asked)
    result = Counter((tuple(t[:7].tolist()), int(y[-1])) for t, y in zip(tokens, targets, strict=True))
    swap = {4: 5, 5: 4}
    assert Counter((tuple(swap.get(t, t) for t in w), 1 - y) for w, y in result.elements()) == result
    assert Counter((w[::-1], 1 - y) for w, y in result.elements()) == result
    assert all((w.index(4) < w.index(5)) == y for w, y in result)


@pytest.mark.parametrize("name", TASKS)
def test_a_mark_goes_before_and_does_not_count(name):
    task, marked = TASKS[name], Marked(TASKS[name])
    plain, result = task.draw(3, 5, 6), marked.draw(3, 5, 6)
    assert (result.tokens[:, 0] == task.n_tokens).all() and (result.tokens[:, 1:] == plain.tokens).all()
    if plain.targets.shape == plain.tokens.shape:
        assert (result.targets[:, 0] == IGNORED).all() and (result.targets[:, 1:] == plain.targets).all()
    else:
        assert (result.targets == plain.targets).all()
    assert (marked.n_tokens, marked.n_outputs, marked.n_together) == (
        task.n_tokens + 1,
        task.n_outputs,
        task.n_together,
    )
    assert marked.floor(8) == task.floor(8) and marked.symmetric_ceiling(8) == 1
    assert (marked.draw_test(3, 8, 6).tokens[:, 1:] == task.draw_test(3, 8, 6).tokens).all()


@pytest.mark.parametrize(("n", "floor", "ceiling"), [(20, 0.224, 0.574), (40, 0.184, 0.562), (60, 0.168, 0.558)])
def test_published_values_for_ten_tokens(n, floor, ceiling):
    task = CopyLeft(10)
    assert task.floor(n) == pytest.approx(floor, abs=6e-4)
    assert task.symmetric_ceiling(n) == pytest.approx(ceiling, abs=6e-4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CopyLeft(0), "n_tokens"),
        (lambda: CopyLeft().floor(1), "n of 2 tokens or more"),
        (lambda: CopyLeft().draw(None, 5, 5), "a seed or a numpy.random.Generator"),
        (lambda: WhichFirst().draw_test(0, 6, 5), "n_sequences that 4 divides, got 6"),
    ],
)
def test_bad_input(call, message, types_unchecked):
    with pytest.raises(ValueError, match=message):
        call()
