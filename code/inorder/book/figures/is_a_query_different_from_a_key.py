"""The figures on queries against keys: a cake for each query, and the gauge."""

import numpy as np

from inorder.attention import softmax
from inorder.book.sentence import KEYS, QUERIES, WORDS
from inorder.circuits import Head, head_scores, head_weights, reparametrise
from inorder.circuits import swap as swapped
from inorder.widgets import marks
from inorder.widgets.marks import Mark


def head_of() -> tuple[tuple[str, ...], np.ndarray, Head]:
    """The words, their rows (one-hot, so that queries and keys are the rows of W_Q and W_K), and the head."""
    return WORDS, np.eye(5), Head(QUERIES, KEYS)


PULLS = {f"{pull:g}": pull for pull in np.arange(-2, 5.25, 0.25).tolist()}  # added to a score


def cakes(key: str = "animal", pull: float = 0.0, swap: bool = False) -> tuple[Mark, Mark]:
    """Pull a slice of the cake of “it”. Who loses?"""
    words, x, head = head_of()
    scores = head_scores(x, x, swapped(head) if swap else head)  # (query 5, key 5)
    asks, asked = words.index("it"), words.index(key)
    scores[asks, asked] += pull
    shares = softmax(scores)
    grid = marks.cakes(shares, words, held=asks, first=asked, drag=("key", "pull"))
    if pull:
        others = "shrink" if pull > 0 else "grow"
        return grid, marks.answer(f"“it” gives “{key}” {shares[asks, asked]:.2f}. Its own other slices alone {others}.")
    totals = shares.sum(axis=0)
    most, least = int(totals.argmax()), int(totals.argmin())
    says = f"Each cuts one cake. “{words[most]}” eats {totals[most]:.2f} cakes, “{words[least]}” {totals[least]:.2f}."
    return grid, marks.answer(says)


def turn_the_gauge(turn: int = 0, stretch: float = 1.0) -> tuple[Mark, ...]:
    """Move the queries, and the keys to match. Which weights change?"""
    words, x, head = head_of()
    angle = np.radians(turn)
    g = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) @ np.diag([stretch, 1.0])
    other = reparametrise(head, g)
    ends = (-3.1, 3.1)
    plane = marks.arrows(other.w_query[[1, 3]], ["cross asks", "it asks"], actor="query", x_limits=ends, y_limits=ends)
    plane += marks.points(other.w_key[[0, 2]], ["animal", "street"], actor="key")
    weights = head_weights(x, x, other)
    moved = np.abs(weights - head_weights(x, x, head)).max()
    query = ", ".join(f"{number:.1f}" for number in np.round(other.w_query[3], 1) + 0.0).replace("-", "−")
    says = f"The query of “it” is ({query}) now. " + (
        "No weight has moved." if moved < 1e-12 else "Weights have moved."
    )
    bars = marks.bars(weights[3], words, axis="weight that “it” gives", limits=(0, 1), actor="key")
    return plane, bars, marks.answer(says, "=" if moved < 1e-12 else "≠")
