"""The exercises on heads built by hand."""

from typing import Any

import numpy as np

from inorder.attention import attention_weights, causal_mask
from inorder.book.exercise import Exercise, Mistake, Verdict
from inorder.circuits import head_weights, induction_weights, offset_head
from inorder.encodings import frequencies, sinusoidal_encoding


def _looks_at(offset: int, n: int) -> np.ndarray:
    """The key with the largest Σ cos ω_j (i + offset − j), for each i, d_model = 64."""
    missing = np.arange(n)[:, None] + offset - np.arange(n)  # (query, key)
    return np.cos(np.multiply.outer(missing, frequencies(64))).sum(axis=-1).argmax(axis=1)


looks_at = Exercise(
    name="looks_at",
    reference=_looks_at,
    cases=[
        {"offset": 0, "n": 3},
        {"offset": 2, "n": 5},
        {"offset": -1, "n": 4},
        {"offset": -5, "n": 8},
        {"offset": 6, "n": 12},
    ],
    mistakes=[
        Mistake(
            "stops at the ends",
            "Nearer doesn’t always mean more similar. For a target five before row 0 the sum is larger at distance 6 "
            "than at 5: compare the scores of all keys that exist.",
            lambda offset, n: np.clip(np.arange(n) + offset, 0, n - 1),
        ),
        Mistake(
            "wraps around at the ends",
            "Nothing wraps around: the slow hands know that the other end of the text is far away.",
            lambda offset, n: (np.arange(n) + offset) % n,
        ),
        Mistake(
            "looks the other way",
            "A positive offset looks to the right: the key is i + offset.",
            lambda offset, n: _looks_at(-offset, n),
        ),
    ],
)


def brings_the_word_after_next(first_offset: Any) -> Verdict:
    """Does a pair of heads, the first of this offset, bring the word after next of a text seen once?

    >>> brings_the_word_after_next(-1)
    Not yet: after “start b c d e b” your heads bring c, but the word after next was d.
    """
    if isinstance(first_offset, bool) or not isinstance(first_offset, (int, np.integer)):
        return Verdict(False, f"Not yet: expected a whole number, got {type(first_offset).__name__}.")
    names = np.array(["start", "b", "c", "d", "e"])
    tokens = np.array([0, 1, 2, 3, 4, 1])
    words, places = np.eye(5)[tokens], sinusoidal_encoding(np.arange(6), 64)
    first = head_weights(places, places, offset_head(int(first_offset), 64), mask=causal_mask(6))
    shares = induction_weights(words, first)[-1] @ words
    if shares[3] > 0.99:
        return Verdict(True, "Correct: after “start b c d e b” the two heads bring d.")
    brought = ", ".join(names[shares > 0.1])
    message = f"after “{' '.join(names[tokens])}” your heads bring {brought}, but the word after next was d."
    return Verdict(False, f"Not yet: {message}")


def _next_word(
    words: np.ndarray, looks_back: np.ndarray, keys: str = "notes", values: str = "words", causal: bool = True
) -> np.ndarray:
    rows = {"words": words, "notes": looks_back @ words}
    mask = causal_mask(len(words)) if causal else None
    return attention_weights(words, rows[keys], mask=mask, scale=8.0) @ rows[values]


def _text_case(*tokens: int) -> dict[str, Any]:
    n = len(tokens)
    return {"words": np.eye(max(tokens) + 1)[list(tokens)], "looks_back": np.eye(n)[np.maximum(np.arange(n) - 1, 0)]}


next_word = Exercise(
    name="next_word",
    reference=_next_word,
    cases=[_text_case(0, 1, 1), _text_case(0, 1, 2, 1), _text_case(0, 1, 2, 3, 4, 1), _text_case(0, 1, 2, 1, 3, 1)],
    mistakes=[
        Mistake(
            "finds the earlier copy and brings its note",
            "Compare the words with the notes, and bring the words: keys and values are swapped.",
            lambda words, looks_back: _next_word(words, looks_back, keys="words", values="notes"),
            planted=True,
        ),
        Mistake(
            "finds the earlier copy and brings that",
            "Compare the words with the notes: the row after an earlier copy is the one that names it.",
            lambda words, looks_back: _next_word(words, looks_back, keys="words"),
        ),
        Mistake(
            "brings the notes",
            "The row that is found contributes its word; its note is the word before.",
            lambda words, looks_back: _next_word(words, looks_back, values="notes"),
        ),
        Mistake(
            "lets rows see later ones",
            "Without the causal mask a row finds successors that are still to come.",
            lambda words, looks_back: _next_word(words, looks_back, causal=False),
        ),
    ],
)
