"""The still figures of chapter 9."""

from collections import Counter

import matplotlib as mpl
import numpy as np
from jaxtyping import Float, Integer, Real
from matplotlib.axes import Axes

from inorder.figures.drawing import BLUE, GREEN, GREY, ORANGE, STYLE, Number, Picture

TOKEN, POSITION = (BLUE, "o"), (ORANGE, "s")


@mpl.rc_context(STYLE)
def lattice_of_sums(
    lines: dict[str, tuple[Integer[np.ndarray, " token"], Integer[np.ndarray, " position"]]],
    asked: int,
    tokens: Float[np.ndarray, "token 2"],
    positions: Float[np.ndarray, "position 2"],
) -> Picture:
    """{title: (token numbers, position numbers)} on number lines, and a lattice of sums in the plane."""
    figure = Picture(
        "Three panels. Above, all sums of a token number and a position number as dots on a number line, one dot above "
        "the other where several pairs have the same sum. With tokens 1 to 4 and positions 1 to 4 the dots pile up, "
        "and two of them stand at 7, which is ringed. With tokens 0, 1, 2 and positions 0, 3, 6 the nine sums are the "
        "numbers 0 to 8, one dot each, and 7 is ringed. Below, in the plane, four tokens and four positions in random "
        "directions: their sums are 16 different points, a lattice made of four copies of the tokens' figure, one "
        "shifted by each position.",
        height=4.9,
    )
    grid = figure.add_gridspec(3, 1, height_ratios=[1.15, 1, 3])
    for row, (title, (token, position)) in enumerate(lines.items()):
        _draw_line(figure.add_subplot(grid[row, 0]), title, Counter((token[:, None] + position).ravel()), asked)
    axes = figure.add_subplot(grid[2, 0])
    marks = ("o", "s", "^", "D")
    for k, (position, marker) in enumerate(zip(positions, marks, strict=True)):
        points = tokens + position
        axes.plot(*points[[0, 1, 2, 3, 0]].T, color=(GREY, BLUE, ORANGE, GREEN)[k], linewidth=0.7, alpha=0.6)
        axes.plot(*points.T, marker, color=(GREY, BLUE, ORANGE, GREEN)[k], markersize=5, label=f"position {k}")
        for t, point in enumerate(points):
            axes.annotate("abcd"[t], point, (4, 3), textcoords="offset points", fontsize=8)
    axes.set(aspect="equal", xticks=[], yticks=[])
    axes.set_title("the plane: tokens a, b, c, d at four positions")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.spines[:].set_visible(True)
    return figure


def _draw_line(axes: Axes, title: str, sums: Counter, asked: int) -> None:
    for value, count in sums.items():
        axes.plot([value] * count, np.arange(count), "o", color=BLUE, markersize=4)
    axes.plot([asked] * sums[asked], np.arange(sums[asked]), "o", color=ORANGE, markersize=9, markerfacecolor="none")
    axes.set_title(title)
    axes.set(xlim=(-0.7, 8.7), ylim=(-0.8, max(sums.values()) - 0.2), xticks=range(9), yticks=[])
    axes.spines["left"].set_visible(False)


def _draw_recovery(
    axes: Axes, x: Real[np.ndarray, " point"], measured: Float[np.ndarray, "point seed"], look: tuple, label: str
) -> None:
    middle = measured.mean(axis=1)
    spread = np.abs(np.stack([measured.min(axis=1), measured.max(axis=1)]) - middle)
    colour, marker = look
    axes.errorbar(x, middle, spread, fmt=marker, color=colour, markersize=4, capsize=2, linewidth=1, label=label)


@mpl.rc_context(STYLE)
def look_up_recovery(
    panels: dict[
        str,
        tuple[
            Real[np.ndarray, " point"],
            dict[str, Float[np.ndarray, "point seed"]],
            Real[np.ndarray, " curve"],
            dict[str, Float[np.ndarray, " curve"]],
        ],
    ],
) -> Picture:
    """{x axis: (x, {part: measured}, x of the curves, {part: derived})}, both axes logarithmic in x."""
    figure = Picture(
        "Two panels, the part of sums from which a look-up finds the token, circles, and the position, squares. Left, "
        "against the width d, for 1000 tokens and 512 positions of equal length: both climb from almost 0 at d = 4 "
        "past one half near d = 16 to 1 at d = 64. Right, at d = 64, against the length of a position relative to that "
        "of a token: the position is lost when it is much shorter than the token, the token when it is much shorter "
        "than the position, and near 1 both are found. The dots lie on the derived curves.",
        height=2.7,
    )
    columns = zip(figure.subplots(1, len(panels), sharey=True), panels.items(), strict=True)
    for axes, (name, (x, measured, at, derived)) in columns:
        for (part, values), look in zip(measured.items(), (TOKEN, POSITION), strict=True):
            axes.plot(at, derived[part], color=look[0], linewidth=1)
            _draw_recovery(axes, x, values, look, part)
        axes.set(xscale="log", xlabel=name, ylim=(-0.03, 1.05))
        axes.set_xticks(x[:: max(len(x) // 4, 1)], [f"{value:g}" for value in x[:: max(len(x) // 4, 1)]])
        axes.minorticks_off()
    figure.axes[0].set_ylabel("found")
    figure.axes[0].legend(frameon=False, loc="upper left")
    return figure


@mpl.rc_context(STYLE)
def affine_recovery(
    widths: Integer[np.ndarray, " width"],
    shares: dict[str, Float[np.ndarray, "width seed"]],
    found: dict[str, Float[np.ndarray, "width seed"]],
    exact: Number,
) -> Picture:
    """How much of the target an affine read-out explains, and how often its largest number is right."""
    figure = Picture(
        "Two panels, both against the width d, for sums, circles, and side by side at the same total width, squares. "
        "Left, the share of the target that the best affine read-out explains: both lie on the straight line from 0 "
        "to 1 at d = 39, marked by a dashed line, and stay at 1 from there on. Right, the part of all pairs of which "
        "both are read back: both curves climb together, from almost 0 through one half near d = 10 to 1 before "
        "d = 30.",
        height=2.7,
    )
    left, right = figure.subplots(1, 2)
    ends = np.array([0, exact, max(widths)])
    left.plot(ends, np.minimum(ends / exact, 1), color=GREY, linewidth=1, label="derived")
    for axes, measured, title in ((left, shares, "share explained"), (right, found, "both read back")):
        for (way, values), look, shift in zip(measured.items(), (TOKEN, POSITION), (-0.3, 0.3), strict=True):
            _draw_recovery(axes, widths + shift, values, look, way)
        axes.axvline(exact, color=GREY, linestyle="--", linewidth=0.8)
        axes.set(xlabel="d", ylim=(-0.03, 1.05))
        axes.set_title(title)
    left.legend(frameon=False, loc="upper left")
    return figure


@mpl.rc_context(STYLE)
def heads_with_words(
    lengths: Real[np.ndarray, " length"],
    failing: Float[np.ndarray, "length seed"],
    vocabulary: Integer[np.ndarray, " size"],
    mended: Float[np.ndarray, "size seed"],
) -> Picture:
    """The weight of an offset head on its target: against the words' length, and mended, against their number."""
    figure = Picture(
        "Two panels, the weight that the head built to look two to the right puts on its target. Left, as built, "
        "against the length of the words relative to that of the positions: 1 without words, about 0.6 at a quarter, "
        "nearly 0 at equal length. Right, at equal length, read through a matrix that cancels the words, against their "
        "number: 1 for up to 40 words, and falling from there to less than one half at 64.",
        height=2.6,
    )
    left, right = figure.subplots(1, 2, sharey=True)
    _draw_recovery(left, lengths, failing, TOKEN, "as built")
    left.set(xlabel="length of words / of positions", ylabel="weight on the target", ylim=(-0.03, 1.05))
    left.set_title("as built")
    _draw_recovery(right, vocabulary, mended, POSITION, "mended")
    right.set(xlabel="number of words")
    right.set_title("words cancelled")
    return figure
