"""Tasks that need the order of the tokens, with floors that are derived and not measured.

A task draws its own batches: tokens, the target of each row, and which rows count (the others hold `IGNORED`, which
torch's cross-entropy leaves out). Its methods `floor` and `symmetric_ceiling` say what a model can reach that cannot
see order at all, and one that cannot tell left from right; `floor_by` and `ceiling_by` say how they are known.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from inorder._arrays import as_generator, expect, expect_count
from inorder.encodings import t5_buckets

__all__ = [
    "Batch",
    "BoundedTask",
    "CopyLeft",
    "LastToken",
    "Marked",
    "Reversal",
    "Task",
    "WhichFirst",
    "expected_largest_count",
]

IGNORED = -100  # torch.nn.functional.cross_entropy's own default


class Batch(NamedTuple):
    """Sequences of one length, and what each row should say; or what each sequence should, by the mean of its rows."""

    tokens: Int64[Tensor, "batch position"]
    targets: Int64[Tensor, "batch answer"]  # as many as positions, IGNORED where a row does not count; or one

    def to(self, device: torch.device | str) -> "Batch":
        """The same on another device."""
        return Batch(self.tokens.to(device), self.targets.to(device))


@runtime_checkable
class Task(Protocol):
    """What `inorder.lab.training.train` needs of a task: a class of your own that has this will do."""

    @property
    def n_tokens(self) -> int:
        """How many kinds of tokens there are: a model needs a vocabulary of that size at least."""

    def draw(self, rng: np.random.Generator, n_sequences: int, n: int) -> Batch:
        """Fresh sequences of n tokens, and the target of each row: one of the model's outputs, or `IGNORED`."""


@runtime_checkable
class BoundedTask(Task, Protocol):
    """A task of the sweep: its tests and its bounds are known, too."""

    @property
    def floor_by(self) -> str:
        """How the floor is known: by counting, by a formula, or by symmetry."""

    @property
    def ceiling_by(self) -> str:
        """How the symmetric ceiling is known."""

    @property
    def n_outputs(self) -> int:
        """How many answers there are to choose from."""

    @property
    def n_together(self) -> int:
        """How many successive sequences of a test set are made from one, so that they are not independent tests."""

    def draw_test(self, rng: int | np.random.Generator, n_sequences: int, n: int) -> Batch:
        """Fresh sequences to test on, closed under what a blind model cannot see, where that can be arranged."""

    def floor(self, n: int) -> float:
        """The best expected accuracy, on sequences of n tokens, of a model that is blind to order."""

    def symmetric_ceiling(self, n: int) -> float:
        """The best expected accuracy of a model that sees distances and no direction."""


@dataclass(frozen=True)
class _OfRandomTokens:
    """A task whose tokens are drawn independently and uniformly from `n_tokens` kinds, and named by its rows."""

    n_tokens: int = 10

    n_together = 1

    def __post_init__(self) -> None:
        expect_count("n_tokens", self.n_tokens)

    @property
    def n_outputs(self) -> int:
        return self.n_tokens

    def draw(self, rng: int | np.random.Generator, n_sequences: int, n: int) -> Batch:
        """Fresh sequences of n tokens.

        Raises ValueError: n below 2; n_sequences that is not a positive whole number; an rng that is neither a seed
        nor a Generator.
        """
        expect_length(n)
        expect_count("n_sequences", n_sequences)
        tokens = torch.from_numpy(as_generator(rng).integers(self.n_tokens, size=(n_sequences, n)))
        return Batch(tokens, self.targets(tokens))

    draw_test = draw

    def targets(self, tokens: Int64[Tensor, "batch position"]) -> Int64[Tensor, "batch position"]:
        """What each row should say."""
        raise NotImplementedError


class CopyLeft(_OfRandomTokens):
    """Every row names the token to its left; the first row, which has none, does not count.

    Tokens are drawn independently and uniformly from `n_tokens` kinds.

    >>> batch = CopyLeft(10).draw(np.random.default_rng(0), n_sequences=1, n=5)
    >>> batch.tokens
    tensor([[8, 6, 5, 2, 3]])
    >>> batch.targets
    tensor([[-100,    8,    6,    5,    2]])
    """

    floor_by = "exact counting: the most frequent of the n − 1 other tokens, E[largest count]/(n − 1)"
    ceiling_by = "formula: an inner row cannot tell its two neighbours apart; the last has one"

    def targets(self, tokens: Int64[Tensor, "batch position"]) -> Int64[Tensor, "batch position"]:
        targets = torch.roll(tokens, 1, dims=1)
        targets[:, 0] = IGNORED
        return targets

    def floor(self, n: int) -> float:
        """The best expected accuracy of a model that is blind to order: E[largest count among n − 1 tokens]/(n − 1).

        An equivariant model knows of row i its token and the multiset of the other n − 1, each of which is equally
        likely to stand on its left. The best guess is the most frequent of them.

        Raises ValueError: n below 2.

        >>> round(CopyLeft(10).floor(16), 4), round(CopyLeft(10).floor(60), 4)
        (0.2411, 0.1676)
        """
        expect_length(n)
        return float(expected_largest_count(n - 1, self.n_tokens) / (n - 1))

    def symmetric_ceiling(self, n: int) -> float:
        """The best expected accuracy of a model that sees distances and no direction.

        Of its two neighbours an inner row cannot tell which is the left one: right if they are equal, with probability
        1/n_tokens, else half the time. The last row has one neighbour, so it is always right.

        Raises ValueError: n below 2.

        >>> round(CopyLeft(10).symmetric_ceiling(20), 3)
        0.574
        """
        expect_length(n)
        inner = (1 + 1 / self.n_tokens) / 2
        return ((n - 2) * inner + 1) / (n - 1)


class LastToken(_OfRandomTokens):
    """Every row names the last token.

    >>> LastToken(10).draw(0, n_sequences=1, n=5)
    Batch(tokens=tensor([[8, 6, 5, 2, 3]]), targets=tensor([[3, 3, 3, 3, 3]]))
    """

    floor_by = "exact counting: the most frequent of the n tokens, E[largest count]/n"
    ceiling_by = "formula: the last token cannot be told from the first, (1 + 1/n_tokens)/2"

    def targets(self, tokens: Int64[Tensor, "batch position"]) -> Int64[Tensor, "batch position"]:
        return tokens[:, -1:].repeat(1, tokens.shape[1])

    def floor(self, n: int) -> float:
        """The best expected accuracy of a model that is blind to order: E[largest count among n tokens]/n.

        An equivariant model knows of a row its token and the multiset of all n, each of which is equally likely to be
        the last.

        Raises ValueError: n below 2.

        >>> round(LastToken(10).floor(20), 4)
        0.2205
        """
        expect_length(n)
        return float(expected_largest_count(n, self.n_tokens) / n)

    def symmetric_ceiling(self, n: int) -> float:
        """The best expected accuracy of a model that sees distances and no direction: (1 + 1/n_tokens)/2.

        A sequence and its reversal look alike to it, so the last token may be the first: right if they are equal, else
        half the time.

        Raises ValueError: n below 2.

        >>> LastToken(10).symmetric_ceiling(20)
        0.55
        """
        expect_length(n)
        return (1 + 1 / self.n_tokens) / 2

    def bucket_ceiling(self, n: int, **settings: Any) -> float:
        """The best expected accuracy of one layer whose only positions are T5's biases.

            mean over the rows i of E[largest count among m_i tokens]/m_i

        m_i is the number of tokens that share the bucket of the last one, seen from row i. Such a row is a function of
        its own token and, for each bucket, of the multiset of the tokens in it. The last token is one of m_i, and all
        orders of these are equally likely, so the best guess is the most frequent of them. `settings` are those of
        `t5_buckets`.

        Raises ValueError: n below 2; and as `t5_buckets`.

        >>> round(LastToken(10).bucket_ceiling(20), 3), round(LastToken(10).bucket_ceiling(20, max_distance=16), 3)
        (0.755, 0.886)
        >>> LastToken(10).bucket_ceiling(8)  # each distance has a bucket of its own
        1.0
        """
        expect_length(n)
        rows = np.arange(n)
        buckets = t5_buckets(rows - rows[:, None], **settings)  # (query, key)
        sharing = (buckets == buckets[:, -1:]).sum(axis=1)  # (query,)
        return float(np.mean([expected_largest_count(m, self.n_tokens) / m for m in sharing.tolist()]))


class Reversal(_OfRandomTokens):
    """Row i names the token that is as far from the end as it is from the beginning.

    >>> Reversal(10).draw(0, n_sequences=1, n=5)
    Batch(tokens=tensor([[8, 6, 5, 2, 3]]), targets=tensor([[3, 2, 5, 6, 8]]))
    """

    floor_by = "exact counting: the most frequent of the other n − 1 tokens for even n, of all n for odd n"
    ceiling_by = "symmetry: the task itself is unchanged by a reversal, so no direction is needed"

    def targets(self, tokens: Int64[Tensor, "batch position"]) -> Int64[Tensor, "batch position"]:
        return tokens.flip(1)

    def floor(self, n: int) -> float:
        """The best expected accuracy of a model that is blind to order.

        For even n each of the n − 1 other tokens is equally likely to be opposite a row: E[largest count]/(n − 1). For
        odd n the middle row is opposite itself, and counting it, each of all n is equally likely: E[largest count]/n.

        Raises ValueError: n below 2.

        >>> round(Reversal(10).floor(20), 3), round(Reversal(10).floor(19), 3)
        (0.224, 0.224)
        """
        expect_length(n)
        others = n - 1 if n % 2 == 0 else n
        return float(expected_largest_count(others, self.n_tokens) / others)

    def symmetric_ceiling(self, n: int) -> float:
        """1: a model that sees distances and no direction can do it.

        Raises ValueError: n below 2.

        >>> Reversal(10).symmetric_ceiling(20)
        1.0
        """
        expect_length(n)
        return 1.0


@dataclass(frozen=True)
class WhichFirst:
    """Does A stand before B? One A and one B at two places drawn uniformly among fillers; the answer is 1 or 0.

    Fillers are the tokens 0 … n_fillers − 1, A is n_fillers and B is n_fillers + 1. The sequence answers by the mean of
    its rows; with asked=True a token "?", n_fillers + 2, stands at the end, and its row alone answers. Causal models
    must be asked: the mean of their rows tells the order, whatever the layers do.

    >>> WhichFirst(3).draw(0, n_sequences=2, n=5)
    Batch(tokens=tensor([[2, 4, 1, 3, 0],
            [0, 0, 4, 0, 3]]), targets=tensor([[0],
            [0]]))
    """

    n_fillers: int = 8
    asked: bool = False

    n_together = 4
    floor_by = "symmetry: swapping A and B changes the answer and nothing that a blind model sees"

    def __post_init__(self) -> None:
        expect_count("n_fillers", self.n_fillers)

    @property
    def ceiling_by(self) -> str:
        if self.asked:
            return "symmetry broken: the distance to the question at the end tells which of two is nearer to it"
        return "symmetry: a reversal changes the answer and nothing that a model of distances sees"

    @property
    def n_tokens(self) -> int:
        return self.n_fillers + 2 + self.asked

    @property
    def n_outputs(self) -> int:
        return 2

    def draw(self, rng: int | np.random.Generator, n_sequences: int, n: int) -> Batch:
        """Fresh sequences of n tokens; the question, if there is one, comes after them.

        Raises ValueError: n below 2; n_sequences that is not a positive whole number; an rng that is neither a seed
        nor a Generator.
        """
        expect_length(n)
        expect_count("n_sequences", n_sequences)
        rng = as_generator(rng)
        tokens = rng.integers(self.n_fillers, size=(n_sequences, n))
        place_a = rng.integers(n, size=n_sequences)
        place_b = (place_a + rng.integers(1, n, size=n_sequences)) % n
        every = np.arange(n_sequences)
        tokens[every, place_a], tokens[every, place_b] = self.n_fillers, self.n_fillers + 1
        return self._answered(tokens, place_a < place_b)

    def draw_test(self, rng: int | np.random.Generator, n_sequences: int, n: int) -> Batch:
        """Fours of sequences: one as drawn, the same with A and B swapped, and both in reverse.

        A model that cannot see order says the same of the first two of four, and one that cannot tell left from right
        of the first and the third. Their answers are opposite, so either is right on exactly half of such a set.

        Raises ValueError: n_sequences that 4 does not divide; and as `draw`.

        >>> WhichFirst(3).draw_test(0, n_sequences=4, n=5).tokens
        tensor([[3, 4, 1, 0, 0],
                [4, 3, 1, 0, 0],
                [0, 0, 1, 4, 3],
                [0, 0, 1, 3, 4]])
        """
        expect_count("n_sequences", n_sequences)
        expect(n_sequences % 4 == 0, "n_sequences that 4 divides", n_sequences)
        drawn = self.draw(rng, n_sequences // 4, n)
        tokens, first = drawn.tokens.numpy()[:, :n], drawn.targets.numpy()[:, -1] == 1
        a, b = self.n_fillers, self.n_fillers + 1
        swapped = np.where(tokens == a, b, np.where(tokens == b, a, tokens))
        fours = np.stack([tokens, swapped, tokens[:, ::-1], swapped[:, ::-1]], axis=1)  # (sequence, 4, position)
        return self._answered(fours.reshape(-1, n), np.stack([first, ~first, ~first, first], axis=1).reshape(-1))

    def _answered(self, tokens: np.ndarray, a_is_first: np.ndarray) -> Batch:
        answer = torch.from_numpy(a_is_first.astype(np.int64))[:, None]
        if not self.asked:
            return Batch(torch.from_numpy(tokens), answer)
        question = np.full((len(tokens), 1), self.n_tokens - 1)
        ignored = torch.full(tokens.shape, IGNORED)
        return Batch(torch.from_numpy(np.hstack([tokens, question])), torch.cat([ignored, answer], dim=1))

    def floor(self, n: int) -> float:
        """The best expected accuracy of a model that is blind to order: 1/2.

        Raises ValueError: n below 2.

        >>> WhichFirst().floor(20)
        0.5
        """
        expect_length(n)
        return 0.5

    def symmetric_ceiling(self, n: int) -> float:
        """The best expected accuracy of a model that sees distances and no direction: 1/2, or 1 if it is asked.

        Raises ValueError: n below 2.

        >>> WhichFirst().symmetric_ceiling(20), WhichFirst(asked=True).symmetric_ceiling(20)
        (0.5, 1.0)
        """
        expect_length(n)
        return 1.0 if self.asked else 0.5


@dataclass(frozen=True)
class Marked:
    """Another task with a mark before each sequence, a kind of token of its own, whose row does not count.

    The mark is always there, so a model blind to order learns nothing from it; but distances to it are positions.

    >>> Marked(CopyLeft(10)).draw(0, n_sequences=1, n=5)
    Batch(tokens=tensor([[10,  8,  6,  5,  2,  3]]), targets=tensor([[-100, -100,    8,    6,    5,    2]]))
    """

    task: BoundedTask

    ceiling_by = "symmetry broken: the distance to the mark tells which side of a row is which"

    @property
    def floor_by(self) -> str:
        return self.task.floor_by

    @property
    def n_tokens(self) -> int:
        return self.task.n_tokens + 1

    @property
    def n_outputs(self) -> int:
        return self.task.n_outputs

    @property
    def n_together(self) -> int:
        return self.task.n_together

    def draw(self, rng: int | np.random.Generator, n_sequences: int, n: int) -> Batch:
        """Fresh sequences of the task, n tokens and what it adds to them, after the mark."""
        return self._marked(self.task.draw(as_generator(rng), n_sequences, n))

    def draw_test(self, rng: int | np.random.Generator, n_sequences: int, n: int) -> Batch:
        """Test sequences of the task, after the mark."""
        return self._marked(self.task.draw_test(rng, n_sequences, n))

    def _marked(self, batch: Batch) -> Batch:
        tokens, targets = batch
        mark = torch.full((len(tokens), 1), self.task.n_tokens)
        if targets.shape == tokens.shape:
            targets = torch.cat([torch.full_like(mark, IGNORED), targets], dim=1)
        return Batch(torch.cat([mark, tokens], dim=1), targets)

    def floor(self, n: int) -> float:
        """That of the task."""
        return self.task.floor(n)

    def symmetric_ceiling(self, n: int) -> float:
        """1: a row knows its place from its distance to the mark."""
        expect_length(n)
        return 1.0


# The tasks of the sweep, by the names that its tables use.
TASKS: dict[str, BoundedTask] = {
    "which-first": WhichFirst(),
    "which-first-asked": WhichFirst(asked=True),
    "copy-left": CopyLeft(),
    "last-token": LastToken(),
    "reversal": Reversal(),
}


@cache
def expected_largest_count(n: int, n_kinds: int) -> Fraction:
    """E[max count] of n independent uniform draws from n_kinds kinds, exactly.

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


def expect_length(n: int) -> None:
    expect_count("n", n)
    expect(n >= 2, "n of 2 tokens or more, so that one has a left neighbour", n)
