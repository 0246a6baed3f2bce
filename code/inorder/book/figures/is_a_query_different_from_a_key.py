"""The figures on queries against keys: the swap, the gauge, a head that looks left, and biases in training."""

import matplotlib as mpl
import numpy as np
from jaxtyping import Float, Int

from inorder.attention import softmax
from inorder.book.drawing import EDGE, INK, KEY, MUTED, QUERY, STYLE, Picture, draw_arrow, draw_grid, said, shade
from inorder.book.sentence import sentence
from inorder.circuits import Head, head_scores, head_weights, parameter_counts, reparametrise, swap
from inorder.widgets import marks
from inorder.widgets.kit.twin import listed
from inorder.widgets.marks import Mark


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


def numbers_to_learn(heads: int = 8) -> tuple[Mark, ...]:
    """Two thin matrices or a merged one: which has fewer numbers?"""
    counts = parameter_counts(512, 512 // heads, heads)
    kinds = {"two matrices": counts.factored, "merged": counts.merged, "effective": counts.distinct}
    ratio = counts.merged / counts.factored
    word = {0.5: "half as many", 1: "just as many", 2: "twice as many"}.get(ratio, f"{ratio:.0f} times as many")
    says = f"{heads} head{'s' * (heads > 1)} of width {512 // heads}: merging takes {word} numbers."
    bars = marks.bars(np.array(list(kinds.values())) / 1e6, list(kinds), axis="millions of numbers", limits=(0, 4.2))
    return bars, marks.answer(says)


def four_layers(scores: np.ndarray, value: np.ndarray) -> dict[str, np.ndarray]:
    """The outputs of the four layers that one table of scores allows: {softmax over, values of}."""
    over_keys, over_queries = softmax(scores), softmax(scores, axis=-2)
    return {
        "keys, keys": over_keys @ value,
        "queries, queries": over_queries.T @ value,
        "queries, keys": over_queries @ value,
        "keys, queries": over_keys.T @ value,
    }


@mpl.rc_context(STYLE)
def rows_and_columns() -> Picture:
    """The weights of the running sentence: along a row they share 1, down a column they share nothing."""
    words, x, head = head_of()
    weights = head_weights(x, x, head)  # (query 5, key 5)
    row, column = weights[3].sum(), weights[:, 0].sum()
    figure = Picture(
        "A table of the 25 weights of the five words: a row for each query, a column for each key. An arrow along the "
        f"row of “it” says: along a row the keys compete, and the weights add up to {row:.0f}. An arrow down the "
        f"column of “animal” says: down a column nothing is shared out, and here the weights add up to {column:.2f}.",
        height=3.6,
    )
    axes = figure.subplots()
    axes.axis("off")
    axes.set(xlim=(-1.8, 9.4), ylim=(6.9, -0.9), aspect="equal")
    draw_grid(axes, np.array([[f"{weight:.2f}" for weight in row] for row in weights]), shade(weights, 1))
    for i, word in enumerate(words):
        axes.text(-0.15, i + 0.5, word, ha="right", va="center", color=QUERY)
        axes.text(i + 0.5, -0.2, word, ha="center", va="bottom", color=KEY, fontsize=10.5)
    draw_arrow(axes, (5.1, 3.5), (5.9, 3.5), QUERY)
    axes.text(6.0, 3.5, f"along a row the keys\ncompete: the sum is {row:.0f}", ha="left", va="center")
    draw_arrow(axes, (0.5, 5.1), (0.5, 5.9), KEY)
    axes.text(0.2, 6.35, f"down a column nothing is shared out: here the sum is {column:.2f}", ha="left", va="center")
    return figure


@mpl.rc_context(STYLE)
def biases_in_training(
    steps: Int[np.ndarray, " step"],
    query: dict[str, Float[np.ndarray, "seed step"]],
    key: dict[str, Float[np.ndarray, "seed step"]],
) -> Picture:
    """{run: how far the bias has moved from its start}, for the query bias and for the key bias, after these steps."""
    ends = listed(f"{said(np.median(moved[:, -1]), '.0e')} with {run}" for run, moved in key.items())
    together = said(np.median([moved[:, -1] for moved in query.values()]), ".1g")
    figure = Picture(
        f"How far a bias has moved from its start, on a logarithmic axis, over {steps[-1]} training "
        f"steps. The query bias, in all {len(query)} runs, climbs to about {together}. The key bias ends at "
        f"{ends}.",
        height=4.2,
    )
    axes = figure.subplots()
    for name, line, colour in zip(key, ("-", "--", ":"), (INK, EDGE, MUTED), strict=True):
        axes.plot(steps, np.median(query[name], axis=0), line, color=MUTED, linewidth=1)
        low, middle, high = np.quantile(np.maximum(key[name], 1e-19), [0, 0.5, 1], axis=0)
        axes.plot(steps, middle, line, color=colour, linewidth=1.8)
        axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.text(steps[-1], low[-1] / 4, f"key bias: {name}", ha="right", va="top")
    axes.text(steps[-1], 20, "query bias: all three", ha="right", va="bottom", color=MUTED)
    axes.set(yscale="log", ylim=(1e-20, 1e4), xlabel="training step", ylabel="distance from the start")
    axes.set_yticks([1e-16, 1e-12, 1e-8, 1e-4, 1], ["1e-16", "1e-12", "1e-8", "1e-4", "1"])
    axes.minorticks_off()
    return figure
