"""The figure on softmax(QKᵀ/√d)V: what a word finds with one head, and what with two."""

import numpy as np

from inorder.attention import attention_weights, split_heads
from inorder.book.sentence import KEYS, OTHERS, PLACES, QUERIES, SENTENCE, WORDS
from inorder.widgets import marks

HEADS = {"one": 1, "two": 2}


def two_heads(word: str = "cross", heads: str = "one") -> tuple[marks.Mark, marks.Mark]:
    """What does a word find with one head, and what with two?"""
    n_heads = HEADS[heads]
    weights = attention_weights(split_heads(QUERIES, n_heads), split_heads(KEYS, n_heads))[:, WORDS.index(word)]
    rounds, messages = {}, []
    for head, row in enumerate(weights):  # (key 5,)
        name = "the only head" if n_heads == 1 else f"head {head}"
        rounds[name] = np.zeros(len(SENTENCE))
        rounds[name][list(PLACES)] = row
        best = [one for one, weight in zip(WORDS, row, strict=True) if np.isclose(weight, row.max())]
        found = "each word" if len(best) == len(WORDS) else " and ".join(f"“{one}”" for one in best)
        messages.append(f"{name} gives {row.max():.2f} to {found}")
    answer = "; ".join(messages)
    line = marks.sentence(SENTENCE, rounds, asks=SENTENCE.index(word), small=OTHERS, limits=(0, 1))
    return line, marks.answer(f"{answer[0].upper()}{answer[1:]}.")
