"""The figures on relative position: what a model with such a scheme can tell apart."""

from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.attention import softmax
from inorder.encodings import alibi_bias, rotary_encoding, shaw_bias, t5_buckets
from inorder.transformer import T5, Alibi, Shaw, encode, fresh_model
from inorder.widgets import marks

PHRASE = ["dog", "bites", "man"]
ORDERS = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1], [1, 2, 0]])  # each beside its mirror image
SCHEMES: dict[str, Any] = {
    "no positions": "none",
    "ALiBi, symmetric": "alibi",
    "ALiBi, directed": Alibi(direction="split"),
    "T5": T5(n_buckets=8, max_distance=16),
    "Shaw": Shaw(max_distance=3),
    "RoPE": "rotary",
}
SPEAKERS = ["ALiBi", "T5", "Shaw", "RoPE", "no positions"]
ANSWERS = {
    1: "One mean: it cannot tell any of the six orders from another.",
    3: "Three different means: it cannot tell a text from its mirror image.",
    6: "Six different means: it tells all six orders apart.",
}


def six_orders(scheme: str = "no positions", layers: int = 2) -> list[marks.Mark]:
    """Which orders of three words has the model confused?"""
    means = means_of_orders(scheme, layers)  # (order 6, d_model 32)
    away = means - means.mean(axis=0)
    letters = letters_of(means)
    along = away @ np.linalg.svd(away)[2][0] if len(set(letters)) > 1 else np.zeros(6)
    along /= max(abs(along).max(), 1e-9)
    bars = marks.bars(
        along,
        [" ".join(PHRASE[word] for word in order) for order in ORDERS],
        columns={"mean": letters},
        axis="where the mean lies",
        limits=(-1, 1),
    )
    n_different = len(set(letters))
    return [bars, marks.answer(ANSWERS[n_different], "≠" if n_different == 6 else "=")]


def means_of_orders(scheme: str, layers: int) -> Float[np.ndarray, "order d_model"]:
    """The mean of the output rows of an encoder with random parameters, for each of ORDERS."""
    model = fresh_model(0, position=SCHEMES[scheme], n_layers=layers)
    return encode(ORDERS, *model, positions=np.arange(3)).mean(axis=1)


def letters_of(rows: Float[np.ndarray, "row d_model"]) -> list[str]:
    """A letter for each row, in their order: rows that are equal, up to rounding, share one.

    >>> letters_of(np.array([[0.5, 1.0], [0.0, 2.0], [0.5, 1.0]]))
    ['A', 'B', 'A']
    """
    first = [next(k for k, other in enumerate(rows) if abs(row - other).max() < 1e-9) for row in rows]
    return ["ABCDEF"[sorted(set(first)).index(k)] for k in first]


def said_again(scheme: str = "ALiBi", times: int = 2) -> list[marks.Mark]:
    """Repeat the text. Does its last row notice?"""
    once, again = (shares_of_the_last_row(scheme, n) for n in (1, times))
    bars = marks.bars(
        {"said once": once, f"said {times} times" if times > 1 else "the same": again},
        PHRASE,
        axis="share of the attention",
        limits=(0, 1),
        digits=3,
    )
    if times == 1:
        return [bars, marks.answer("Said once: there is nothing to compare yet.")]
    away = abs(again - once).max()
    if away < 1e-12:
        return [bars, marks.answer("The three shares are the same, and so is the row: it cannot tell.", "=")]
    return [bars, marks.answer(f"A share has changed by {away:.3f}: this row can tell.", "≠")]


def shares_of_the_last_row(scheme: str, times: int, seed: int = 4) -> Float[np.ndarray, " word"]:
    """What the last word of the phrase, said that often, gives to each of the three words, all copies together.

    One causal head of width 8, with random queries, keys and learned numbers.

    >>> shares_of_the_last_row("no positions", 3).round(3).tolist() == shares_of_the_last_row("no positions", 1).round(
    ...     3
    ... ).tolist()
    True
    """
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, 8)), rng.normal(size=(1, 8))
    keys, query = np.tile(rows[0], (times, 1)), rows[1]  # (key, 8), (1, 8)
    places, last = np.arange(3 * times), np.array([3 * times - 1])
    table, vectors = rng.normal(size=32), rng.normal(size=(9, 8))
    bias = np.zeros((1, len(keys)))
    if scheme == "RoPE":
        keys, query = rotary_encoding(keys, places), rotary_encoding(query, last)
    elif scheme == "ALiBi":
        bias = alibi_bias(8, last, places)[0]
    elif scheme == "T5":
        bias = table[t5_buckets(places - last, bidirectional=False)][None]
    elif scheme == "Shaw":
        bias = shaw_bias(query, vectors, last, places, max_distance=4)
    weights = softmax(query @ keys.T / np.sqrt(8) + bias)[0]  # (key,)
    return weights.reshape(times, 3).sum(axis=0)
