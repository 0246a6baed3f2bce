"""The figures on softmax(QKᵀ/√d)V: a row of a mask painted by hand, heads cut in three ways, and the stills."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from jaxtyping import Bool, Float

from inorder.attention import attention_scores, softmax
from inorder.book.drawing import (
    INK,
    MUTED,
    RAISED,
    STYLE,
    Picture,
    draw_grid,
    draw_range,
    said,
)
from inorder.book.sentence import KEYS, QUERIES, WORDS
from inorder.widgets import marks
from inorder.widgets.marks import Mark

SCALED = attention_scores(QUERIES, KEYS)  # of the running sentence, (query 5, key 5)


def paint(
    asks: str = "cross",
    animal: bool = True,
    cross: bool = True,
    street: bool = True,
    it: bool = True,
    tired: bool = True,
) -> tuple[Mark, Mark]:
    """Forbid some words. Where does their weight go?"""
    visible = np.array([animal, cross, street, it, tired])
    row = SCALED[WORDS.index(asks)]
    scores = np.where(visible, row, -np.inf)
    weights = softmax(scores) if visible.any() else np.zeros(5)
    labels = [f"{score:.2f}" if seen else "−∞" for score, seen in zip(scores, visible, strict=True)]
    bars = marks.bars(weights, WORDS, columns={"score": labels}, axis="weight", limits=(0, 1), actor="key")
    if not visible.any():
        return bars, marks.answer("No word is left: 0 divided by 0. The book’s function raises an error.", "×")
    if visible.all():
        return bars, marks.answer("Nothing is forbidden: all five share a weight of 1.")
    before = softmax(row)[visible].sum()
    return bars, marks.answer(
        f"The visible words had {before:.2f} of the weight of “{asks}”. Now they share all of it.", "✓"
    )


NUMBERS = np.array([[f"{word} {column}" for column in "abcd"] for word in ("animal", "street", "tired")])
CUTS = {
    "cut, then swap axes": NUMBERS.reshape(3, 2, 2).swapaxes(0, 1),
    "columns in turn": NUMBERS.reshape(3, 2, 2).transpose(2, 0, 1),
    "reshape directly": NUMBERS.reshape(2, 3, 2),
}  # each (head 2, row 3, column 2)


def cut(by: str = "cut, then swap axes") -> tuple[Mark, Mark, Mark]:
    """Which word is in which row?"""
    words = [[first.split()[0] for first, _ in head] for head in CUTS[by]]
    neighbours = all(ord(second[-1]) - ord(first[-1]) == 1 for head in CUTS[by] for first, second in head)
    rows = [f"row {i}" for i in range(3)]
    holds = [[f"{one}, {other[-1]}" for one, other in head] for head in CUTS[by]]
    first, second = (marks.table({"numbers": cells}, rows, title=f"head {h}") for h, cells in enumerate(holds))
    if words[0] != words[1]:
        twice = max(words[0], key=words[0].count)
        answer = marks.answer(f"Head 0 holds “{twice}” twice and never “{words[1][-1]}”: words are mixed up.", "×")
    elif neighbours:
        answer = marks.answer("Each head has all three words, and neighbouring columns.", "✓")
    else:
        says = (
            "The rows are right, but columns are dealt out like cards: wrong for parameters trained with the other cut."
        )
        answer = marks.answer(says, "≠")
    return first, second, answer


@mpl.rc_context(STYLE)
def saturation(
    d_head: Sequence[int],
    unscaled: Float[np.ndarray, "d seed"],
    scaled: Float[np.ndarray, "d seed"],
    expected_unscaled: Sequence[float],
    expected_scaled: Sequence[float],
    weights_unscaled: Float[np.ndarray, " key"],
    weights_scaled: Float[np.ndarray, " key"],
) -> Picture:
    """The weights of one query without and with the scale, and the largest weight as d_head grows."""
    n_keys, largest = len(weights_scaled), said(scaled.mean())
    figure = Picture(
        f"Above, two bar charts of the {n_keys} weights of one query at d = {d_head[-1]}: without the scale the "
        f"largest is {said(weights_unscaled.max())}; with the scale it is {said(weights_scaled.max())} and many keys "
        f"share. Below, the mean largest weight against d from {d_head[0]} to {d_head[-1]}: without the scale it goes "
        f"from {said(unscaled[0].mean())} to {said(unscaled[-1].mean())}, with the scale it stays at about {largest}; "
        "dotted lines mark the derived values.",
        height=6.1,
    )
    axes = figure.subplot_mosaic([["bars unscaled", "bars scaled"], ["curve", "curve"]], height_ratios=[1, 2])
    for name, weights, colour, title in (
        ("bars unscaled", weights_unscaled, MUTED, "no scale"),
        ("bars scaled", weights_scaled, INK, "divided by √d"),
    ):
        axes[name].bar(range(len(weights)), weights, color=colour)
        axes[name].set(ylim=(0, 1), xticks=[], xlabel=f"the {n_keys} keys", title=f"d = {d_head[-1]}, {title}")
    axes["bars unscaled"].set_ylabel("weight")
    axes["bars scaled"].set_yticklabels([])

    curve = axes["curve"]
    for measured, expected, colour, marker, label in (
        (unscaled, expected_unscaled, MUTED, "o", "no scale"),
        (scaled, expected_scaled, INK, "s", "divided by √d"),
    ):
        draw_range(curve, d_head, measured, seeds=1, marker=marker, color=colour, label=f"{label}, measured")
        curve.plot(d_head, expected, color=colour, linestyle=":", label=f"{label}, derived")
    curve.axhline(1 / len(weights_scaled), color=MUTED, linewidth=0.8)
    curve.annotate(
        f"equal weights, 1/{n_keys}", (d_head[-1], 1 / len(weights_scaled)), va="bottom", ha="right", color=MUTED
    )
    curve.set_xscale("log", base=2)
    curve.set_xticks(d_head, [str(d) for d in d_head])
    curve.set(
        ylim=(0, 1.05), xlabel="d, the number of terms in each dot product", ylabel=f"largest of {n_keys} weights"
    )
    curve.legend(loc="center left", bbox_to_anchor=(0.3, 0.42))
    return figure


@mpl.rc_context(STYLE)
def masks(
    no_mask: Bool[np.ndarray, "query key"],
    causal: Bool[np.ndarray, "query key"],
    padding: Bool[np.ndarray, "query key"],
) -> Picture:
    """Boolean masks as grids: a row is a query, a column a key, a filled square means *may attend*."""
    figure = Picture(
        f"Three grids of {len(causal)} queries, the rows, by {causal.shape[1]} keys, the columns. No mask: every "
        "square is filled. Causal: the squares on and below the diagonal are filled, those above hold a small cross. "
        f"Padding: the first {padding[0].sum()} columns are filled in every row, the last {(~padding[0]).sum()} hold "
        "crosses.",
        height=2.6,
    )
    named = {"no mask": no_mask, "causal": causal, "padding": padding}
    for axes, (title, mask) in zip(figure.subplots(1, len(named)), named.items(), strict=True):
        draw_grid(axes, np.where(mask, "", "×"), np.where(mask, INK, RAISED))
        axes.set(title=title, xlabel="key", aspect="equal", xlim=(0, mask.shape[1]), ylim=(mask.shape[0], 0))
        axes.spines[:].set_visible(False)
        axes.set_xticks(np.arange(mask.shape[1]) + 0.5, [str(j) for j in range(mask.shape[1])])
        axes.set_yticks(np.arange(mask.shape[0]) + 0.5, [str(i) for i in range(mask.shape[0])])
        axes.tick_params(length=0)
    figure.axes[0].set_ylabel("query")
    return figure
