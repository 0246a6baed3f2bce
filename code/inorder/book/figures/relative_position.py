"""The figures on relative position: what a distance, and what one row, cannot tell."""

from itertools import permutations

import numpy as np
from jaxtyping import Float

from inorder.attention import softmax
from inorder.encodings import alibi_bias, relative_positions, rotary_encoding, shaw_bias, t5_buckets
from inorder.widgets import marks

PHRASE = ["dog", "bites", "man"]
ORDERS = {" ".join(PHRASE[word] for word in order): order for order in permutations(range(3))}
SPEAKERS = ["ALiBi", "T5", "Shaw", "RoPE", "no positions"]


def two_texts(order: tuple[int, ...] = (0, 1, 2), side: bool = False) -> list[marks.Mark]:
    """Drag a word. What tells a text from its mirror image?"""
    at = np.argsort(order)  # the position of each word
    left, right = relative_positions(at, at), relative_positions(2 - at, 2 - at)  # (word, word)
    if not side:
        left, right = abs(left), abs(right)
    drawing = marks.mirror(PHRASE, order, left, right, limits=(-2, 2), drag="order")
    text, image = (" ".join(PHRASE[word] for word in words) for words in (order, order[::-1]))
    if np.array_equal(left, right):
        return [drawing, marks.answer(f"“{text}” and “{image}” have one table: in distances, they are one text.", "=")]
    n = np.count_nonzero(left != right)
    return [drawing, marks.answer(f"“{text}” and “{image}” have two tables: {n} of 9 numbers have another sign.", "≠")]


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
