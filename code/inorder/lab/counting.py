"""What a model gets by counting alone, where it does not hear all words alike: its own floor.

The floors of `inorder.lab.tasks` are those of a reader who knows how often each word occurs in the text. A model whose
weights belong to distances cannot count like that: it hears some words louder, and of some nothing.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from inorder._arrays import expect, expect_choice
from inorder.attention import softmax
from inorder.encodings import alibi_bias
from inorder.lab.runs import TRAINED_ON, Setting

__all__ = [
    "Counted",
    "loudest",
    "own_floor",
]

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
    is drawn. Over random texts, n_kinds words drawn evenly.

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


def own_floor(scheme: str) -> Counted:
    """What that scheme gets by counting alone when it writes a text backwards, over the lengths of the training.

    Raises ValueError: a scheme whose loudness is not known.
    """
    expect_choice("scheme", scheme, tuple(LOUDNESS))
    losses = np.array([loudest(LOUDNESS[scheme](n)) for n in TRAINED_ON])
    return Counted(float(losses[:, 0].mean()), float(np.sqrt((losses[:, 1] ** 2).sum()) / len(losses)))
