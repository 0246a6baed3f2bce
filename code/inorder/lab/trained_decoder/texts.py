"""Prose for the trained decoder, in pieces of equal length."""

import numpy as np
from jaxtyping import Integer

from inorder._arrays import expect, expect_count
from inorder.pretrained.decoder import LanguageModel, tokenize


def text_windows(text: str, lm: LanguageModel, n_tokens: int, n_windows: int) -> Integer[np.ndarray, "window position"]:
    """Pieces of a text at even distances, from its first token to its last; they overlap if the text is short.

    Raises ValueError: a text of fewer than n_tokens; sizes that are not positive whole numbers.

    >>> from inorder.pretrained.decoder import load
    >>> text_windows("one two three four five", load(), 2, 3).shape
    (3, 2)
    """
    expect_count("n_tokens", n_tokens)
    expect_count("n_windows", n_windows)
    ids = tokenize(text, lm).ids
    expect(len(ids) >= n_tokens, f"a text of {n_tokens} tokens or more", len(ids))
    starts = np.linspace(0, len(ids) - n_tokens, n_windows).astype(int)
    return ids[starts[:, None] + np.arange(n_tokens)]
