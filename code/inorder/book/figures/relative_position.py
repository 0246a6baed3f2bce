"""The still figures on relative position."""

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from inorder.book.drawing import EDGE, INK, MUTED, RAISED, STYLE, Picture, draw_cells, draw_range, said, span


def _draw_by_sign(axes: Axes, matrix: Float[np.ndarray, "row column"]) -> None:
    """A cell for each number in the colour of its sign, each matrix on its own scale; −∞ is hatched."""
    finite = np.ma.masked_invalid(matrix)
    largest = float(abs(finite).max())
    axes.patch.set(facecolor=RAISED, hatch="////", edgecolor=EDGE)
    draw_cells(axes, finite, largest=1.15 * largest, signed=True)
    axes.set_aspect("equal")


@mpl.rc_context(STYLE)
def patch_kernels(two: Float[np.ndarray, "row column"], flat: Float[np.ndarray, "row column"]) -> Picture:
    """The scores of one query patch in the middle with the same key at every patch: 2-D positions, and one number."""
    figure = Picture(
        f"Two heat maps of the same grid of patches, {two.shape[0]} rows and {two.shape[1]} columns, the query patch "
        "in the middle framed. Left, two positions for each patch: the colour changes along every row in the same "
        "way, and along every column in the same way. Right, patches numbered line by line: the pattern goes on from "
        "the end of a line to the beginning of the next, and no row repeats another.",
        height=2.8,
    )
    for axes, scores, title in zip(
        figure.subplots(1, 2), (two, flat), ("two positions", "numbered line by line"), strict=True
    ):
        _draw_by_sign(axes, scores)
        middle = scores.shape[0] // 2, scores.shape[1] // 2
        frame = mpl.patches.Rectangle((middle[1] - 0.5, middle[0] - 0.5), 1, 1, fill=False, linewidth=2)
        axes.add_patch(frame)
        axes.set_title(title)
        axes.set(xlabel="column", ylabel="row", xticks=range(scores.shape[1]), yticks=range(scores.shape[0]))
    return figure


@mpl.rc_context(STYLE)
def restarted_positions(restarted: Float[np.ndarray, "seed step"], mended: Float[np.ndarray, "seed step"]) -> Picture:
    """How far the logits of each step are from the full pass, on a logarithmic axis: median and range over seeds."""
    figure = Picture(
        "The relative difference between logits computed step by step and in one full pass, on a logarithmic axis, "
        f"against the step from 1 to {restarted.shape[1]}. With each token at its own position the difference is at "
        f"most {said(mended.max(), '.0e')} at every step. With every token at position 0 it is at most "
        f"{said(restarted[:, 0].max(), '.0e')} at the first step, and {span(restarted[:, 1:], '.1g')} at the later "
        "ones.",
        height=3.6,
    )
    axes = figure.subplots()
    steps = np.arange(1, restarted.shape[1] + 1)
    smallest = 1e-17  # where an exact 0 is drawn
    for rows, marker, colour, name in (
        (restarted, "^", MUTED, "every token at position 0"),
        (mended, "o", INK, "each token at its own position"),
    ):
        rows = np.maximum(rows, smallest)
        draw_range(axes, steps, rows, seeds=0, middle=np.median, marker=marker, color=colour, label=name)
    axes.axhline(float(np.finfo(float).eps), color=MUTED, linewidth=0.8)
    axes.text(steps[-1] + 0.4, 1.6e-16, "machine epsilon", ha="right", va="top", color=MUTED)
    axes.set(yscale="log", ylim=(3e-18, 30), xlabel="step", ylabel="difference of the logits")
    axes.set_xticks(steps)
    axes.legend(loc="center right")
    axes.minorticks_off()
    return figure
