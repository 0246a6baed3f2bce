"""The figures on what Q, K and V are: one row and three matrices, and soft dictionaries."""

from typing import Any

import numpy as np

from inorder.attention import softmax
from inorder.book.sentence import KEY_AXES, KEYS, QUERIES, ROW_AXES, ROWS, VALUE_AXES, W_K, W_Q, W_V, WORDS
from inorder.widgets import marks
from inorder.widgets.marks import Mark

HOURS, DEGREES = np.array([6.0, 12.0, 18.0]), np.array([8.0, 20.0, 14.0])  # the entries of the dictionary
CLOCK = np.linspace(0, 24, 97)
STAIRS = DEGREES[np.abs(CLOCK[:, None] - HOURS).argmin(axis=1)]  # of the nearest entry


def look_up(hour: Any, beta: float) -> tuple[np.ndarray, Any]:
    """The shares of the three entries, (..., 3), and the answer, (...), for an hour or an array of hours."""
    shares = softmax(-beta * (np.asarray(hour, dtype=float)[..., None] - HOURS) ** 2 / 2)
    return shares, shares @ DEGREES


def soft_dictionary(beta: float = 0.1, hour: int = 13) -> tuple[Mark, Mark, Mark]:
    """Ask for an hour that is not in the dictionary"""
    shares, answer = look_up(hour, beta)
    curves = marks.lines(CLOCK, {"soft": look_up(CLOCK, beta)[1], "hard": STAIRS}, axes=("query: the hour", "°C"))
    entries = marks.points(np.stack([HOURS, DEGREES], axis=1), actor="key", equal=False)
    asked = marks.points([[hour, answer]], ["answer"], actor="value", equal=False)
    labels = [f"at {k:.0f}: {v:.0f}°" for k, v in zip(HOURS, DEGREES, strict=True)]
    bars = marks.bars(shares, labels, axis="share", limits=(0, 1), actor="key")
    return curves + entries + asked, bars, marks.answer(f"At hour {hour} the answer is {answer:.1f} degrees.")


SHORT_ROW_AXES = [axis.replace("describes", "of") for axis in ROW_AXES]
THINGS = {"creature": "a creature", "place": "a place", "warm": "warmth", "large": "size"}


def three_matrices(word: str = "it") -> tuple[Mark, Mark]:
    """Drag to another word. Where do three matrices send its row?"""
    chosen = WORDS.index(word)
    way = marks.projections(
        ROWS, WORDS, chosen, (W_Q, W_K, W_V), row_axes=SHORT_ROW_AXES, axes=(*KEY_AXES, *VALUE_AXES), drag="word"
    )
    parts = []
    for does, w, axes in (("asks for", W_Q, KEY_AXES), ("offers", W_K, KEY_AXES), ("hands over", W_V, VALUE_AXES)):
        made = ROWS[chosen] @ w
        parts.append(f"{does} {' and '.join(THINGS[axis] for number, axis in zip(made, axes, strict=True) if number)}")
    asks, offers, hands = (part if part[-1] != " " else f"{part}nothing" for part in parts)
    says = f"“{word}” {asks}, {offers}, and {hands}."
    return way, marks.answer(says.replace("offers nothing, and hands over nothing", "offers and hands over nothing"))


NOUNS = ("animal", "street", "zoo")
ASKS = np.array([2.0, 0.0])  # for a creature


def scores_of_nouns(deduction: float, across: int, up: int) -> np.ndarray:
    """q · k less so much of ½‖k‖², (3,), for the keys of *animal*, *street*, and a *zoo* whose key is (across, up)."""
    keys = np.array([*KEYS[[0, 2]], (across, up)], dtype=float)  # (noun 3, axis 2)
    return keys @ ASKS - deduction * (keys**2).sum(axis=1) / 2


def distance_or_dot(deduction: float = 0.0, across: int = 3, up: int = 3) -> tuple[Mark, Mark, Mark]:
    """Take something off for long keys. Which key wins?"""
    limits = (-0.5, 4.5)
    plane = marks.arrows([ASKS], ["query"], actor="query", axes=KEY_AXES, x_limits=limits, y_limits=limits)
    plane += marks.points(KEYS[[0, 2]], NOUNS[:2], actor="key")
    plane += marks.points([[across, up]], NOUNS[2:], actor="key", drag=("across", "up"))
    scores = scores_of_nouns(deduction, across, up)
    weights = softmax(scores)
    bars = marks.bars(weights, NOUNS, columns={"score": scores}, axis="weight", limits=(0, 1), actor="key")
    winners = [noun for noun, score in zip(NOUNS, scores, strict=True) if score > scores.max() - 1e-9]
    how = "By dot product" if deduction == 0 else "By distance" if deduction == 1 else "In between"
    win = " and ".join(f"“{noun}”" for noun in winners) + (" wins" if len(winners) == 1 else " tie")
    return plane, bars, marks.answer(f"{how}, {win}: {weights.max():.2f}.")


WAYS = {
    "W_Q and W_K": (QUERIES, KEYS, "“it” gives “animal” {:.2f}: it asks for something that it is not."),
    "W_K for both": (KEYS, KEYS, "“it” gives every word {:.2f}: it offers nothing, so it asks for nothing."),
    "W_Q for both": (QUERIES, QUERIES, "“it” gives “animal” {:.2f}: it finds itself and “tired”, whose query matches."),
    "neither": (ROWS, ROWS, "“it” gives “animal” {:.2f}: it finds itself and “tired”, which resembles it."),
}


def weights_by(matrices: str) -> np.ndarray:
    """The attention weights, (query 5, key 5), where the scores are made in one of the four ways."""
    asking, asked, _ = WAYS[matrices]
    return softmax(asking @ asked.T)


def how_many_matrices(matrices: str = "W_Q and W_K") -> tuple[Mark, Mark]:
    """Drop a matrix. Which word does each word find?"""
    a = weights_by(matrices)
    grid = marks.heat_map(a, WORDS, WORDS, axes=("query", "key"), actors=("query", "key"), title="attention weights")
    return grid, marks.answer(WAYS[matrices][2].format(a[3, 0]))
