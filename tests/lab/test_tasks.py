"""Copy-left: what it draws, and its floors, against every word of a small vocabulary."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch

from inorder.lab.tasks import IGNORED, CopyLeft, expected_largest_count


def test_targets_are_the_tokens_one_place_to_the_left():
    tokens, targets = CopyLeft(7).draw(np.random.default_rng(0), n_sequences=30, n=9)
    assert tokens.shape == targets.shape == (30, 9)
    assert tokens.dtype == targets.dtype == torch.int64
    assert (targets[:, 1:] == tokens[:, :-1]).all() and (targets[:, 0] == IGNORED).all()
    assert set(tokens.flatten().tolist()) == set(range(7))


def test_one_seed_one_batch():
    first, second = (CopyLeft(5).draw(np.random.default_rng(3), 4, 6) for _ in range(2))
    other = CopyLeft(5).draw(np.random.default_rng(4), 4, 6)
    assert (first.tokens == second.tokens).all() and not (first.tokens == other.tokens).all()


@pytest.mark.parametrize(("n", "kinds"), [(1, 4), (2, 2), (4, 2), (5, 3), (6, 2)])
def test_expected_largest_count_is_the_mean_over_all_words(n, kinds):
    words = list(product(range(kinds), repeat=n))
    assert expected_largest_count(n, kinds) == Fraction(sum(max(Counter(w).values()) for w in words), len(words))


def bayes(view, n, kinds):
    """The best accuracy on rows 1 … n − 1 of a reader that sees view(word, row) and nothing else."""
    targets = defaultdict(Counter)
    for word in product(range(kinds), repeat=n):
        for row in range(1, n):
            targets[view(word, row)][word[row - 1]] += 1
    return sum(max(c.values()) for c in targets.values()) / sum(sum(c.values()) for c in targets.values())


@pytest.mark.parametrize(("n", "kinds"), [(2, 3), (5, 2), (5, 3), (6, 2)])
def test_floor_is_that_of_a_reader_of_token_and_multiset(n, kinds):
    found = bayes(lambda word, row: (word[row], tuple(sorted(word))), n, kinds)
    assert CopyLeft(kinds).floor(n) == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize(("n", "kinds"), [(2, 3), (5, 2), (5, 3), (6, 2)])
def test_ceiling_is_that_of_a_reader_who_may_stand_on_either_side(n, kinds):
    """It sees the word and its own row up to a reversal. Row 0 does not count, but looks like the last row reversed."""

    def view(word, row):
        return min((word, row), (word[::-1], n - 1 - row))

    assert CopyLeft(kinds).symmetric_ceiling(n) == pytest.approx(bayes(view, n, kinds), abs=1e-12)


@pytest.mark.parametrize(("n", "floor", "ceiling"), [(20, 0.224, 0.574), (40, 0.184, 0.562), (60, 0.168, 0.558)])
def test_published_values_for_ten_tokens(n, floor, ceiling):
    task = CopyLeft(10)
    assert task.floor(n) == pytest.approx(floor, abs=6e-4)
    assert task.symmetric_ceiling(n) == pytest.approx(ceiling, abs=6e-4)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: CopyLeft(0), "n_tokens"),
        (lambda: CopyLeft().floor(1), "n of 2 tokens or more"),
        (lambda: CopyLeft().symmetric_ceiling(1), "n of 2 tokens or more"),
        (lambda: CopyLeft().draw(np.random.default_rng(0), 0, 5), "n_sequences"),
        (lambda: CopyLeft().draw(np.random.default_rng(0), 5, 1), "n of 2 tokens or more"),
        (lambda: CopyLeft().draw(0, 5, 5), "numpy.random.Generator"),
        (lambda: expected_largest_count(3, 0), "n_kinds"),
    ],
)
def test_bad_input(call, said, types_unchecked):
    with pytest.raises(ValueError, match=said):
        call()
