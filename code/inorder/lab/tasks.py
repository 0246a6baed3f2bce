"""Tasks that need the order of the tokens, with floors that are derived and not measured.

A task draws its own batches: tokens, the target of each row, and which rows count (the others hold `IGNORED`, which
torch's cross-entropy leaves out). Its methods `floor` and `symmetric_ceiling` say what a model can reach that cannot
see order at all, and one that cannot tell left from right.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from inorder._arrays import expect, expect_count

IGNORED = -100  # torch.nn.functional.cross_entropy's own default


class Batch(NamedTuple):
    """Sequences of one length, and what each row should say."""

    tokens: Int64[Tensor, "batch position"]
    targets: Int64[Tensor, "batch position"]  # IGNORED where a row does not count


@dataclass(frozen=True)
class CopyLeft:
    """Every row names the token to its left; the first row, which has none, does not count.

    Tokens are drawn independently and evenly from `n_tokens` kinds.

    >>> batch = CopyLeft(10).draw(np.random.default_rng(0), n_sequences=1, n=5)
    >>> batch.tokens
    tensor([[8, 6, 5, 2, 3]])
    >>> batch.targets
    tensor([[-100,    8,    6,    5,    2]])
    """

    n_tokens: int = 10

    def __post_init__(self) -> None:
        expect_count("n_tokens", self.n_tokens)

    def draw(self, rng: np.random.Generator, n_sequences: int, n: int) -> Batch:
        """Fresh sequences of n tokens.

        Raises ValueError: n below 2; n_sequences that is not a positive whole number; an rng that is no Generator.
        """
        _expect_length(n)
        expect_count("n_sequences", n_sequences)
        expect(isinstance(rng, np.random.Generator), "rng to be a numpy.random.Generator", repr(rng))
        tokens = torch.from_numpy(rng.integers(self.n_tokens, size=(n_sequences, n)))  # (batch, position)
        targets = torch.roll(tokens, 1, dims=1)
        targets[:, 0] = IGNORED
        return Batch(tokens, targets)

    def floor(self, n: int) -> float:
        """The best expected accuracy of a model that is blind to order: E[largest count among n − 1 tokens]/(n − 1).

        An equivariant model knows of row i its token and the multiset of the other n − 1, each of which is equally
        likely to stand on its left. The best guess is the most frequent of them.

        Raises ValueError: n below 2.

        >>> round(CopyLeft(10).floor(16), 4), round(CopyLeft(10).floor(60), 4)
        (0.2411, 0.1676)
        """
        _expect_length(n)
        return float(expected_largest_count(n - 1, self.n_tokens) / (n - 1))

    def symmetric_ceiling(self, n: int) -> float:
        """The best expected accuracy of a model that sees distances and no direction.

        Of its two neighbours an inner row cannot tell which is the left one: right if they are equal, with probability
        1/n_tokens, else half the time. The last row has one neighbour, so it is always right.

        Raises ValueError: n below 2.

        >>> round(CopyLeft(10).symmetric_ceiling(20), 3)
        0.574
        """
        _expect_length(n)
        inner = (1 + 1 / self.n_tokens) / 2
        return ((n - 2) * inner + 1) / (n - 1)


@cache
def expected_largest_count(n: int, n_kinds: int) -> Fraction:
    """E[max count] of n independent even draws from n_kinds kinds, exactly.

    P(no count above m) = W_m / n_kindsⁿ, where W_m is the number of words of length n that use no letter more than m
    times; it grows letter by letter: W(k + 1, length) = Σ_c comb(length, c) W(k, length − c), c from 0 to m.

    Raises ValueError: numbers that are not positive and whole.

    >>> expected_largest_count(2, 2)
    Fraction(3, 2)
    """
    expect_count("n", n)
    expect_count("n_kinds", n_kinds)
    total = n_kinds**n
    return n - sum((Fraction(_words(n, n_kinds, m), total) for m in range(n)), Fraction(0))  # Σ P(max > m)


def _words(n: int, n_kinds: int, most: int) -> int:
    words = [1] + [0] * n  # of each length, with no letter yet
    for _ in range(n_kinds):
        words = [
            sum(comb(length, c) * words[length - c] for c in range(min(most, length) + 1)) for length in range(n + 1)
        ]
    return words[n]


def _expect_length(n: int) -> None:
    expect_count("n", n)
    expect(n >= 2, "n of 2 tokens or more, so that one has a left neighbour", n)
