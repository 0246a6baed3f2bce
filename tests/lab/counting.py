"""Bounds by brute force: the best accuracy of a reader who sees a view of a word and its row, over all words."""

from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import product
from typing import Any

Of = Callable[[tuple, int], Any]


def bayes(view: Of, target: Of, rows: range, n: int, kinds: int) -> float:
    """The best accuracy on these rows of all words of length n, of a reader who sees view(word, row) alone."""
    targets: dict[Any, Counter] = defaultdict(Counter)
    for word in product(range(kinds), repeat=n):
        for row in rows:
            targets[view(word, row)][target(word, row)] += 1
    return sum(max(c.values()) for c in targets.values()) / sum(sum(c.values()) for c in targets.values())


def blind(word: tuple, row: int) -> tuple:
    """What a model without order sees of a row: its token and the multiset of all."""
    return word[row], tuple(sorted(word))


def without_direction(word: tuple, row: int) -> tuple:
    """What a model of distances sees: the word and the row, up to a reversal."""
    return min((word, row), (word[::-1], len(word) - 1 - row))
