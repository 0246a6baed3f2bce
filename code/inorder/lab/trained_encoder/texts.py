"""Two sentences, one of them in every order of its words, and windows of running text."""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Integer

from inorder._arrays import expect, expect_count
from inorder.pretrained import (
    Pretrained,
    Tokens,
    tokenize,
)

PRONOUN = "The animal didn't cross the street because it was too tired."

MOVED = "only she said he lied"  # in all orders of its words

BATCH = 8  # windows of text that run through the model at once


def windows(text: str, pretrained: Pretrained, n_tokens: int, n_windows: int, step: int | None = None) -> Tokens:
    """The first n_windows pieces of a text, of n_tokens tokens each, between [CLS] and [SEP].

    A piece begins `step` tokens after the one before it; by default where that one ends.

    Raises ValueError: a text that is too short; sizes that are not positive whole numbers.

    >>> from inorder.pretrained import load
    >>> windows("One two three four five.", load(), 2, 3).words[2]
    ['[CLS]', 'five', '.', '[SEP]']
    """
    expect_count("n_tokens", n_tokens)
    expect_count("n_windows", n_windows)
    step = n_tokens if step is None else step
    expect_count("step", step)
    encoding = pretrained.tokenizer.encode(text, add_special_tokens=False)
    needed = n_tokens + step * (n_windows - 1)
    expect(len(encoding.ids) >= needed, f"a text of {needed} tokens or more", len(encoding.ids))
    begin, end = (pretrained.tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    starts = range(0, step * n_windows, step)
    ids = np.array([[begin, *encoding.ids[i : i + n_tokens], end] for i in starts])
    words = [["[CLS]", *encoding.tokens[i : i + n_tokens], "[SEP]"] for i in starts]
    return Tokens(words, ids, np.ones(ids.shape, dtype=bool))


def batches(tokens: Tokens, size: int = BATCH) -> Iterable[Tokens]:
    """The same texts, a few at a time, so that the weights of all heads fit in memory."""
    for i in range(0, len(tokens.ids), size):
        yield Tokens(tokens.words[i : i + size], tokens.ids[i : i + size], tokens.mask[i : i + size])


def reordered(
    sentence: str, pretrained: Pretrained, orders: Integer[np.ndarray, "order word"]
) -> tuple[Tokens, Integer[np.ndarray, "order token"]]:
    """The sentence with its words in each of these orders, [CLS] and [SEP] where they are; the place of each token.

    Raises ValueError: orders that are no permutations of the words; words that are not one token each.

    >>> from inorder.pretrained import load
    >>> tokens, places = reordered("dog bites man", load(), np.array([[2, 0, 1]]))
    >>> load().tokenizer.decode(tokens.ids[0]), places
    ('man dog bites', array([[0, 2, 3, 1, 4]]))
    """
    tokens = tokenize(sentence, pretrained)
    n = tokens.ids.shape[1]
    expect(n == len(sentence.split()) + 2, "words of one token each", tokens.words[0])
    expect(
        orders.ndim == 2 and bool((np.sort(orders, axis=1) == np.arange(n - 2)).all()),
        f"rows that hold each of 0 to {n - 3} once",
        orders,
    )
    ends = np.zeros((len(orders), 1), dtype=np.int64)
    sources = np.concatenate([ends, 1 + orders, ends + n - 1], axis=1)  # (order, n): the token at each place
    words = [[tokens.words[0][i] for i in row] for row in sources]
    mask = np.repeat(tokens.mask, len(orders), axis=0)
    return Tokens(words, tokens.ids[0][sources], mask), np.argsort(sources, axis=1)
