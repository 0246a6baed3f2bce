"""The still figures of chapter 10."""

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from inorder.figures.drawing import BLUE, GREY, ORANGE, STYLE, Picture

DIVERGING = mpl.colors.LinearSegmentedColormap.from_list("by sign", [ORANGE, "white", BLUE])


def _draw_by_sign(axes: Axes, matrix: Float[np.ndarray, "row column"]) -> None:
    """A cell for each number: orange below zero, blue above, each matrix on its own scale; −∞ is hatched."""
    finite = np.ma.masked_invalid(matrix)
    largest = float(abs(finite).max())
    axes.patch.set(facecolor="white", hatch="////", edgecolor="0.6")
    axes.imshow(finite, cmap=DIVERGING, vmin=-1.15 * largest, vmax=1.15 * largest, interpolation="nearest")


@mpl.rc_context(STYLE)
def bias_matrices(matrices: dict[str, Float[np.ndarray, "query key"]]) -> Picture:
    """{name: bias or score of position alone, (query, key)}: an even number of heat maps, two in a row."""
    figure = Picture(
        "Six heat maps, query downwards and key to the right, twelve by twelve, each of one colour along every "
        "diagonal. Symmetric ALiBi grows more negative to both sides of the main diagonal alike. ALiBi that looks left "
        "does so below the diagonal and is minus infinity, hatched, above it. T5 has steps that get wider with the "
        "distance, other numbers on either side. Shaw has a few different diagonals near the middle and two even "
        "corners. RoPE has waves whose crests lie to one side of the diagonal. The dot product of sinusoids has waves "
        "that are equal on both sides.",
        height=7.6,
    )
    axes = figure.subplots(len(matrices) // 2, 2, sharex=True, sharey=True)
    for each, (name, matrix) in zip(axes.flat, matrices.items(), strict=True):
        _draw_by_sign(each, matrix)
        finite = matrix[np.isfinite(matrix)]
        each.set_title(f"{name}: {finite.min():.2g} to {finite.max():.2g}".replace("-", "−"))
        ticks = range(0, len(matrix), 4)
        each.set(xticks=ticks, yticks=ticks)
    for each in axes[-1]:
        each.set_xlabel("key")
    for each in axes[:, 0]:
        each.set_ylabel("query")
    return figure


@mpl.rc_context(STYLE)
def patch_kernels(two: Float[np.ndarray, "row column"], flat: Float[np.ndarray, "row column"]) -> Picture:
    """The scores of one query patch in the middle with the same key at every patch: 2-D positions, and one number."""
    figure = Picture(
        "Two heat maps of the same grid of patches, five rows and seven columns, the query patch in the middle framed. "
        "Left, two positions for each patch: the colour changes along every row in the same way, and along every "
        "column in the same way. Right, patches numbered line by line: the pattern goes on from the end of a line to "
        "the beginning of the next, and no row repeats another.",
        height=2.2,
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
        "against the step from 1 to 10. With each token at its own position the difference stays below 1e-14 at every "
        "step. With every token at position 0 it is below 1e-14 at the first step, and between 0.03 and 1 at every "
        "later one.",
        height=2.9,
    )
    axes = figure.subplots()
    steps = np.arange(1, restarted.shape[1] + 1)
    smallest = 1e-17  # where an exact 0 is drawn
    for rows, marker, colour, name in (
        (restarted, "^", ORANGE, "every token at position 0"),
        (mended, "o", BLUE, "each token at its own position"),
    ):
        rows = np.maximum(rows, smallest)
        middle = np.median(rows, axis=0)
        spread = np.abs(np.stack([rows.min(axis=0), rows.max(axis=0)]) - middle)
        axes.errorbar(
            steps, middle, yerr=spread, fmt=marker, color=colour, linewidth=1, markersize=4, capsize=2, label=name
        )
    axes.axhline(float(np.finfo(float).eps), color=GREY, linewidth=0.8)
    axes.text(steps[-1] + 0.4, 1.6e-16, "machine epsilon", ha="right", va="top", color=GREY)
    axes.set(yscale="log", ylim=(3e-18, 30), xlabel="step", ylabel="difference of the logits")
    axes.set_xticks(steps)
    axes.legend(frameon=False, loc="center right")
    axes.minorticks_off()
    return figure
