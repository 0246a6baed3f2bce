"""The exercises on heads built by hand."""

from typing import Any

import numpy as np

from inorder.attention import attention_weights, causal_mask
from inorder.book.exercise import Exercise, Mistake, Verdict
from inorder.circuits import Head, head_weights, induction_weights, offset_head
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
            "looks past the end",
            "A softmax shares its weight among the keys that exist, 0 to n − 1.",
            lambda offset, n: np.arange(n) + offset,
        ),
        Mistake(
            "looks the other way",
            "A positive offset looks to the right: the key is i + offset.",
            lambda offset, n: _looks_at(-offset, n),
        ),
    ],
)


def _turn(omega: float, offset: int) -> np.ndarray:
    cos, sin = np.cos(omega * offset), np.sin(omega * offset)
    return np.array([[cos, -sin], [sin, cos]])


shift_block = Exercise(
    name="shift_block",
    reference=_turn,
    cases=[
        {"omega": 1.0, "offset": 1},
        {"omega": 0.1, "offset": 2},
        {"omega": 0.5, "offset": -3},
    ],
    mistakes=[
        Mistake(
            "shifts the other way",
            "With (sin a, cos a) as a row on the left, the block must give sin(a + δ), not sin(a − δ). Write out the "
            "first column: sin a cos δ + cos a sin δ.",
            lambda omega, offset: _turn(omega, -offset),
            planted=True,
        ),
        Mistake(
            "forgets the frequency",
            "A shift by k turns the hand of frequency ω by k ω.",
            lambda omega, offset: _turn(1.0, offset),
        ),
        Mistake(
            "forgets the offset",
            "A shift by k turns the hand of frequency ω by k ω.",
            lambda omega, offset: _turn(omega, 1),
        ),
        Mistake(
            "is a reflection, not a rotation",
            "The two sines have opposite signs: cos(a + δ) = cos a cos δ − sin a sin δ.",
            lambda omega, offset: np.abs(_turn(omega, offset)) * [[1, 1], [1, -1]],
        ),
        Mistake(
            "has sines where the cosines belong",
            "At offset 0 the block must be the identity.",
            lambda omega, offset: _turn(omega, offset)[::-1],
        ),
    ],
)


def looks_four_away(votes: Any) -> Verdict:
    """Do these votes of the 32 hands make one head look at both positions four away, at β = 64?

    >>> looks_four_away(np.ones(32))
    Not yet: row 30 of 60 looks most at distance 0, and gives 0.00 to each of the two positions 4 away.
    """
    try:
        votes = np.asarray(votes, dtype=float)
    except (TypeError, ValueError):
        return Verdict(False, f"Not yet: expected 32 numbers, got {type(votes).__name__}.")
    if votes.shape != (32,) or not np.isfinite(votes).all():
        return Verdict(False, f"Not yet: expected 32 finite numbers, one for each hand, got the shape {votes.shape}.")
    p = sinusoidal_encoding(np.arange(60), 64)
    weights = head_weights(p, p, Head(np.diag(np.repeat(votes, 2)), np.eye(64), 64.0))
    rows = np.arange(10, 50)
    least = min(weights[rows, rows - 4].min(), weights[rows, rows + 4].min())
    if least >= 0.45:
        return Verdict(True, f"Correct: every row gives at least {least:.2f} to each of the two positions four away.")
    away = abs(int(weights[30].argmax()) - 30)
    if away == 4:
        message = f"the two positions four away are ahead, but get only {least:.2f} each. Scale all votes up."
        return Verdict(False, f"Not yet: {message}")
    message = f"row 30 of 60 looks most at distance {away}, and gives {least:.2f} to each of the two positions 4 away."
    return Verdict(False, f"Not yet: {message}")


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
