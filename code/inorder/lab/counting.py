"""What a model gets by counting alone, where it cannot count each word of the text once.

The floors of `inorder.lab.tasks` are those of a reader who knows how often each word occurs in the text. A model whose
weights belong to distances counts some words more than others, and some not at all: `counting_guess`. One whose weights
belong to groups of distances counts the words of each group, and knows no more: `bucket_ceiling`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder._arrays import expect, expect_choice, expect_count
from inorder.attention import softmax
from inorder.encodings import alibi_bias, t5_buckets
from inorder.lab.runs import TRAINED_ON, Setting
from inorder.lab.tasks import expect_length, expected_largest_count

__all__ = ["bucket_ceiling", "counting_guess"]

REACH = 6  # words to either side, of the CNN


def _gentle_heads(n: int) -> Float[np.ndarray, "query key"]:
    """Directed ALiBi, no scores: the two heads that hear farthest, one for each side. Each gives weights of sum one."""
    bias = alibi_bias(Setting.n_heads, np.arange(n), np.arange(n), direction="split")  # (head, query, key)
    return softmax(bias[Setting.n_heads // 2 - 1 :: Setting.n_heads // 2]).sum(axis=0)


def _window(n: int) -> Float[np.ndarray, "query key"]:
    rows = np.arange(n)
    return (abs(rows[:, None] - rows) <= REACH).astype(float)


LOUDNESS: dict[str, Callable[[int], Float[np.ndarray, "query key"]]] = {
    "none": lambda n: np.ones((n, n)),
    "alibi-split": _gentle_heads,
    "cnn": _window,
}


class Counted(NamedTuple):
    """A share of right answers, and its standard error."""

    accuracy: float
    error: float


def loudest(
    weights: Float[np.ndarray, "query key"], n_kinds: int = 10, *, n_texts: int = 1000, seed: int = 0
) -> Counted:
    """How often the word that a row hears loudest is the right one, for the task of writing a text backwards.

    How loud a kind of word c is to row q: sum over k of weights_qk · [word k is c]. Of several equally loud kinds one
    is drawn. Over random texts, n_kinds words drawn uniformly.

    Raises ValueError: weights that are not a square of two rows or more.

    >>> round(loudest(np.eye(3), 2).accuracy, 1)  # each hears itself alone: right in the middle row, and by chance
    0.7
    """
    square = weights.ndim == 2 and weights.shape[0] == weights.shape[1] >= 2
    expect(square, "weights of shape (n, n), n of 2 or more", weights.shape)
    rng = np.random.default_rng(seed)
    words = rng.integers(n_kinds, size=(n_texts, len(weights)))
    loud = np.einsum("qk,tkc->tqc", weights, np.eye(n_kinds)[words])
    guesses = (loud + 1e-9 * rng.random(loud.shape)).argmax(axis=-1)
    right = (guesses == words[:, ::-1]).mean(axis=1)  # (text,)
    return Counted(float(right.mean()), float(right.std() / np.sqrt(n_texts)))


def counting_guess(scheme: str) -> Counted:
    """What that scheme gets by counting alone when it writes a text backwards, over the lengths of the training.

    Raises ValueError: a scheme whose loudness is not known.
    """
    expect_choice("scheme", scheme, tuple(LOUDNESS))
    losses = np.array([loudest(LOUDNESS[scheme](n)) for n in TRAINED_ON])
    return Counted(float(losses[:, 0].mean()), float(np.sqrt((losses[:, 1] ** 2).sum()) / len(losses)))


def bucket_ceiling(n: int, n_kinds: int = 10, **settings: Any) -> float:
    """The best expected share of rows that name the last word, in one layer whose only positions are T5's biases.

        mean over the rows i of E[largest count among m_i words]/m_i

    m_i is the number of words that share the bucket of the last word, seen from row i. Such a row is a function of its
    own word and, for each bucket, of the multiset of the words in it. The last word is one of m_i, and all orders of
    these are equally likely, so the best guess is the most frequent of them. `settings` are those of `t5_buckets`.

    Raises ValueError: n below 2; n_kinds that is not a positive whole number; and as `t5_buckets`.

    >>> round(bucket_ceiling(20, max_distance=128), 3), round(bucket_ceiling(20, max_distance=16), 3)
    (0.755, 0.886)
    >>> bucket_ceiling(8)  # each distance has a bucket of its own
    1.0
    """
    expect_length(n)
    expect_count("n_kinds", n_kinds)
    rows = np.arange(n)
    buckets = t5_buckets(rows - rows[:, None], **settings)  # (query, key)
    sharing = (buckets == buckets[:, -1:]).sum(axis=1)  # (query,)
    return float(np.mean([expected_largest_count(m, n_kinds) / m for m in sharing.tolist()]))
