"""The still figures of chapter 8."""

import matplotlib as mpl
import numpy as np
from jaxtyping import Float, Integer

from inorder.figures.drawing import BLUE, GREEN, GREY, ORANGE, STYLE, Picture

WEIGHTS = mpl.colors.LinearSegmentedColormap.from_list("weights", ["white", BLUE])


@mpl.rc_context(STYLE)
def three_heads(weights: dict[str, Float[np.ndarray, "query key"]]) -> Picture:
    """{what a head does: its weights}, one map beside the other."""
    figure = Picture(
        "Three square maps of attention weights, queries from top to bottom and keys from left to right, 16 of each. "
        "Two to the right: a dark line two places right of the diagonal; the last two rows are dark at the last key. "
        "The first token: the first column is dark in every row. Weighted by distance: a soft band along the diagonal "
        "that pales on both sides.",
        height=2.05,
    )
    for axes, (name, map_) in zip(figure.subplots(1, len(weights)), weights.items(), strict=True):
        axes.imshow(map_, cmap=WEIGHTS, vmin=0, vmax=1)
        last = len(map_) - 1
        axes.set_title(name)
        axes.set(xticks=[0, last], yticks=[0, last], xlabel="key")
        axes.spines[:].set_visible(True)
    figure.axes[0].set_ylabel("query")
    return figure


@mpl.rc_context(STYLE)
def offset_sharpness(
    sharpness: Float[np.ndarray, " beta"],
    derived: dict[int, Float[np.ndarray, " beta"]],
    at: Float[np.ndarray, " point"],
    measured: dict[int, Float[np.ndarray, " point"]],
) -> Picture:
    """{d_model: weight on the target}: a curve as derived, dots as measured."""
    figure = Picture(
        "The weight on the target against the sharpness β, on a logarithmic axis from 0.1 to 32, for four widths. Each "
        "curve climbs towards 1, the wider the earlier: half the weight at a β of about 0.12 for d_model 512, 0.8 for "
        "64, 2 for 16 and 6 for 8. The measured dots lie on the derived curves.",
        height=2.9,
    )
    axes = figure.subplots()
    styles = zip((GREY, ORANGE, BLUE, GREEN), ("d", "^", "o", "s"), strict=True)
    for (colour, marker), (d_model, curve) in zip(styles, derived.items(), strict=True):
        axes.plot(sharpness, curve, color=colour, linewidth=1)
        label = f"d_model = {d_model}"
        axes.plot(at, measured[d_model], marker, color=colour, markersize=4.5, label=label)
    axes.set(xscale="log", xlim=(0.09, 36), ylim=(0, 1.05), xlabel="sharpness β", ylabel="weight on the target")
    axes.set_xticks([0.1, 1, 4, 16], ["0.1", "1", "4", "16"])
    axes.minorticks_off()
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.02, 0))
    return figure


@mpl.rc_context(STYLE)
def heads_at_the_edge(
    weights: dict[str, Float[np.ndarray, "query key"]], targets: Integer[np.ndarray, " query"]
) -> Picture:
    """{name: the first rows of a head}; a ring marks each target that exists, an arrow each that does not."""
    figure = Picture(
        "Two maps of attention weights, rows 0 to 9 of a head that looks five to the left, by keys 0 to 39. In both, "
        "rows 5 to 9 are dark at their target, which is ringed. Rows 0 to 4 have an arrow at the left edge, for their "
        "target does not exist. With all frequencies their weight lies on keys 0 and 1. With the four fastest alone it "
        "lies far away: on keys 39, 39, 29, 30 and 0.",
        height=2.9,
    )
    for axes, (name, map_) in zip(figure.subplots(2, 1), weights.items(), strict=True):
        axes.imshow(map_, cmap=WEIGHTS, vmin=0, vmax=1, aspect="auto")
        for row, target in enumerate(targets):
            if target >= 0:
                axes.plot(target, row, "o", color=ORANGE, markersize=6, markerfacecolor="none")
            else:
                axes.text(-0.9, row, "◁", ha="center", va="center", color=ORANGE, fontsize=8)
        axes.set_title(name)
        axes.set(xlim=(-1.6, map_.shape[1] - 0.5), yticks=[0, len(map_) - 1], ylabel="query")
    axes.set_xlabel("key")
    return figure


@mpl.rc_context(STYLE)
def distance_weights(
    distance: Integer[np.ndarray, " distance"],
    weights: dict[str, Float[np.ndarray, " distance"]],
    derived: Float[np.ndarray, " distance"],
) -> Picture:
    """Relative weight against distance: with all frequencies and with the slow ones, beside the derived power."""
    figure = Picture(
        "The weight of a key, relative to that at distance 0, against the distance from 1 to 199, both axes "
        "logarithmic. With all frequencies it follows the dashed line of the derived power, from 0.3 to about 1e-9, "
        "and ripples around it, up and down a thousandfold and more. With the slow frequencies alone it falls without "
        "a ripple: hardly at all up to a distance of 30, to less than 0.01 at 199.",
        height=2.9,
    )
    axes = figure.subplots()
    for (name, curve), colour, marker in zip(weights.items(), (BLUE, GREEN), ("o", "s"), strict=True):
        axes.plot(distance, curve, "-", marker=marker, color=colour, linewidth=1, markersize=2.2, label=name)
    axes.plot(distance, derived, "--", color=ORANGE, linewidth=1.2, label="derived power")
    axes.set(xscale="log", yscale="log", xlabel="distance", ylabel="weight / weight at 0")
    axes.set_xticks([1, 10, 100], ["1", "10", "100"])
    axes.legend(frameon=False, loc="lower left")
    return figure
