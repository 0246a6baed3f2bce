"""The figures on queries against keys: the swap, the gauge, and a cake for each query."""

import matplotlib as mpl
import numpy as np
from matplotlib.patches import Wedge

from inorder.book.drawing import INK, KEY, MUTED, QUERY, STYLE, Picture, mix
from inorder.book.sentence import sentence
from inorder.circuits import Head, head_scores, head_weights, reparametrise, swap
from inorder.widgets import marks
from inorder.widgets.kit.twin import listed
from inorder.widgets.marks import Mark

SLICES = (0.45, 0.05, 0.25, 0.05, 0.15)  # the shade of each key's slices


def head_of(last: str = "tired") -> tuple[tuple[str, ...], np.ndarray, Head]:
    """The words, their rows (one-hot, so that queries and keys are the rows of W_Q and W_K), and the head."""
    words, keys, queries, _ = sentence(last)
    return words, np.eye(5), Head(queries, keys)


def swapped(table: str = "scores", last: str = "tired") -> tuple[Mark, Mark, Mark]:
    """W_Q and W_K are swapped. What happens to the scores, and to the weights?"""
    words, x, head = head_of(last)
    show, limits = (head_scores, (0, 3)) if table == "scores" else (head_weights, (0, 1))
    before, after = show(x, x, head), show(x, x, swap(head))
    noun = int(before[3].argmax())  # what "it" means
    if np.allclose(after, before.T):
        says, sign = f"Transposed: the score of “it” for “{words[noun]}” is now that of “{words[noun]}” for “it”.", "="
    else:
        says = f"Not transposed: “it” gave “{words[noun]}” {before[3, noun]:.2f}; “{words[noun]}” now gives “it” "
        says, sign = says + f"{after[noun, 3]:.2f}.", "≠"

    def grid(values: np.ndarray, title: str) -> Mark:
        return marks.heat_map(values, words, words, actors=("query", "key"), limits=limits, title=title)

    return grid(before, "as built"), grid(after, "swapped"), marks.answer(says, sign)


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


@mpl.rc_context(STYLE)
def cakes() -> Picture:
    """The weights of the running sentence as cakes: one for each query, its slices in the columns of the keys."""
    words, x, head = head_of()
    weights = head_weights(x, x, head)  # (query 5, key 5)
    sums = weights.sum(axis=0)  # (key 5,)
    figure = Picture(
        f"A row for each query: {', '.join(words)}. At the left of each is a round cake, cut into five slices, "
        f"one for each key, as large as the weight; to the right its slices stand in the columns of their keys. “It” "
        f"gives {weights[3, 0]:.2f} of its cake to “animal”. Below the columns: together they hold "
        f"{listed(f'{total:.2f}' for total in sums)} cakes.",
        height=4.9,
    )
    axes = figure.subplots()
    axes.axis("off")
    axes.set(xlim=(-1.5, 6.6), ylim=(5.7, -0.6), aspect="equal")
    edges = 360 * np.cumsum(np.c_[np.zeros(len(words)), weights], axis=1) - 90  # (query 5, edge 6), in degrees
    for i, word in enumerate(words):
        axes.text(-0.15, i + 0.5, word, ha="right", va="center", color=QUERY)
        axes.text(i + 2.1, -0.15, word, ha="center", va="bottom", color=KEY)
        axes.text(i + 2.1, 5.35, f"{sums[i]:.2f}", ha="center", va="center")
        for j in range(len(words)):
            for centre in (0.5, j + 2.1):
                slice_ = Wedge((centre, i + 0.5), 0.42, edges[i, j], edges[i, j + 1], facecolor=mix(SLICES[j]))
                axes.add_patch(slice_).set(edgecolor=INK, linewidth=0.8)
    axes.text(0.5, -0.15, "its cake", ha="center", va="bottom", color=MUTED)
    axes.text(0.5, 5.35, "1 each", ha="center", va="center", color=MUTED)
    axes.text(-0.15, 5.35, "together", ha="right", va="center", color=MUTED)
    return figure
