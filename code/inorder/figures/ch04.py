"""The still figures of chapter 4."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.patches import Rectangle

from inorder.figures.drawing import BLUE, GREEN, GREY, ORANGE, STYLE, Number, Picture, draw_arrow, draw_token, shade


@mpl.rc_context(STYLE)
def commuting_square(
    tokens: Sequence[str],
    order: Sequence[int],
    x: Float[np.ndarray, "3 column"],
    output: Float[np.ndarray, "3 column"],
) -> Picture:
    """X, f(X), PX and f(PX) at the corners of a square; its sides are the model and the shuffle."""
    figure = Picture(
        "A square with a table at each corner; a table has one row for each of the tokens dog, bites and man, in a "
        "colour and hatch of its own. Top left X, top right f(X), joined by an arrow labelled f. From each an arrow "
        "labelled P leads down: bottom left PX, whose rows stand in the order man, dog, bites, and bottom right the "
        "outputs in that same order. A second arrow f leads from PX to the same table. Each token has the same "
        "output numbers above and below.",
        height=4.3,
    )
    axes = figure.subplots()
    names, width, height, strip = "ABC", 9.0, 7.0, 13.0

    def table(left: Number, top: Number, title: str, rows: np.ndarray, which: Sequence[int]) -> None:
        right = left + strip + width * rows.shape[1]
        axes.text((left + right) / 2, top - 4, title, ha="center", va="center", weight="bold")
        colours = shade(rows, float(np.abs(rows).max()), "#D3DCE3")
        for i, token in enumerate(which):
            y = top + height * i
            draw_token(axes, left, y, strip, height, names[token], tokens[token])
            for j, value in enumerate(rows[i]):
                cell = Rectangle(
                    (left + strip + width * j, y), width, height, facecolor=colours[i, j], edgecolor=GREY, linewidth=0.8
                )
                axes.add_patch(cell)
                said = f"{round(float(value), 1) + 0.0:.1f}".replace("-", "−")  # adding 0.0 turns −0.0 into 0.0
                axes.text(left + strip + width * (j + 0.5), y + height / 2, said, ha="center", va="center", fontsize=8)

    straight, moved = range(3), list(order)
    left, right, top, bottom = 0.0, 60.0, 8.0, 62.0
    table(left, top, "$X$", x, straight)
    table(right, top, "$f(X)$", output, straight)
    table(left, bottom, "$PX$", x[moved], moved)
    table(right, bottom, "$f(PX) = P\\,f(X)$", output[moved], moved)
    span = strip + width * x.shape[1]
    for y in (top, bottom):
        draw_arrow(axes, (left + span + 2, y + 1.5 * height), (right - 2, y + 1.5 * height))
        axes.text((left + span + right) / 2, y + 1.5 * height - 3, "$f$", ha="center", va="center", fontsize=11)
        axes.text((left + span + right) / 2, y + 1.5 * height + 3.4, "model", ha="center", va="center", fontsize=8)
    for x_arrow, side in ((left + span / 2, 1), (right + span / 2, 1)):
        draw_arrow(axes, (x_arrow, top + 3 * height + 2), (x_arrow, bottom - 8))
        axes.text(x_arrow + 2 * side, (top + 3 * height + bottom - 6) / 2, "$P$  shuffle", va="center")
    axes.text(50, 42.5, "same rows\neither way", ha="center", va="center", color="#A34700", weight="bold")
    axes.set(xlim=(-1, right + span + 1), ylim=(bottom + 3 * height + 1, top - 8))
    axes.axis("off")
    return figure


@mpl.rc_context(STYLE)
def rows_and_labels(
    tokens: Sequence[str],
    orders: Sequence[Sequence[int]],
    without: Float[np.ndarray, "order row"],
    with_positions: Float[np.ndarray, "order row"],
) -> Picture:
    """One output number of each row, for every order of the tokens: by row number, by token, and with positions."""
    figure = Picture(
        "Three panels with one dot for each of five rows in each of 120 orders; a marker stands for a token. First, "
        "without positions, against the row number: above every row number stand the same five dots, one for each "
        "token. Second, the same dots against their token: all 120 dots of a token fall on one point. Third, with "
        "positions added, against the token: the dots of each token spread out into a column.",
        height=3.3,
    )
    panels = figure.subplots(1, 3, sharey=True)
    rows = np.tile(np.arange(len(tokens)), (len(orders), 1))
    which = np.array(orders)
    titles = ["no positions,\nby row number", "no positions,\nby token", "positions added,\nby token"]
    colours, markers = (BLUE, ORANGE, GREEN, "#CC79A7", "black"), "os^vD"
    for axes, title, values, place in zip(
        panels, titles, (without, without, with_positions), (rows, which, which), strict=True
    ):
        for t in range(len(tokens)):
            at = which == t
            axes.plot(place[at], values[at], markers[t], color=colours[t], markersize=4, markerfacecolor="none")
        axes.set_title(title)
        axes.set(xlim=(-0.6, len(tokens) - 0.4), xticks=range(len(tokens)))
    panels[0].set(xlabel="row number", ylabel="first number of the output row")
    for axes in panels[1:]:
        axes.set_xticklabels(tokens, rotation=55, ha="right", rotation_mode="anchor")
        axes.set_xlabel("token")
    return figure


@mpl.rc_context(STYLE)
def smallest_break(
    sizes: Float[np.ndarray, " size"],
    errors: Float[np.ndarray, "size seed"],
    derived: Float[np.ndarray, " seed"],
    rounding: float,
) -> Picture:
    """The equivariance error against the size of a vector added to row 0, both axes logarithmic."""
    figure = Picture(
        "The equivariance error of a two-layer encoder against the size of a vector added to its row 0, both axes "
        "logarithmic, from 1e-14 to 1. The dots of all seeds lie in a narrow band along a straight line of slope one, "
        "on the derived lines, and bend off only near 1. A dotted line below marks the rounding error of the untouched "
        "model.",
        height=3.3,
    )
    axes = figure.subplots()
    for seed, slope in enumerate(derived):
        axes.plot(sizes, slope * sizes, color=GREY, linewidth=0.6, label=None if seed else "derived: slope × size")
        label = None if seed else f"measured, {len(derived)} seeds"
        axes.plot(sizes, errors[:, seed], "o", color=BLUE, markersize=3, markerfacecolor="none", label=label)
    axes.axhline(rounding, color=ORANGE, linestyle=":", label="nothing added: rounding")
    axes.set(xscale="log", yscale="log", xlabel="size of what is added to row 0", ylabel="equivariance error")
    ticks = [1e-16, 1e-12, 1e-8, 1e-4, 1]
    axes.set_xticks(ticks[1:], ["1e-12", "1e-8", "1e-4", "1"])
    axes.set_yticks(ticks, ["1e-16", "1e-12", "1e-8", "1e-4", "1"])
    axes.minorticks_off()
    axes.legend(frameon=False, loc="upper left")
    return figure
