"""The still figures of chapter 7."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.patches import Circle

from inorder.figures.drawing import BLUE, GREEN, GREY, ORANGE, STYLE, Picture

PURPLE = "#CC79A7"


@mpl.rc_context(STYLE)
def four_candidates(
    scalars: dict[int, Float[np.ndarray, "..."]],
    binary: Float[np.ndarray, "position bit"],
    waves: Float[np.ndarray, "position column"],
) -> Picture:
    """An integer, a scalar for two lengths, a binary counter and a few waves, for the same positions."""
    figure = Picture(
        "Four panels over the positions 0 to 15. First, the integer: a straight line up to 15. Second, the scalar for "
        "a text of 8 and for one of 16: two straight lines that both end at 1, with different slopes. Third, the "
        "binary counter: four rows of black and white cells, the first alternating, each of the next half as fast as "
        "the one before. Fourth, sine and cosine: three pairs of smooth waves, each pair slower than the one before.",
        height=5.2,
    )
    n = len(binary)
    integer, scalar, bits, wave = figure.subplots(4, 1, sharex=True, height_ratios=[1, 1, 1, 1.3])
    integer.plot(np.arange(n), np.arange(n), "o-", color=BLUE, markersize=3, linewidth=1)
    integer.set(title="integer: grows without end", yticks=[0, n - 1])
    for (length, values), (marker, colour) in zip(scalars.items(), (("s", ORANGE), ("o", BLUE)), strict=True):
        scalar.plot(values, f"{marker}-", color=colour, markersize=3, linewidth=1, label=f"length {length}")
    scalar.set(title="scalar in 0 … 1: depends on the length", yticks=[0, 1])
    scalar.legend(frameon=False, loc="lower right")
    bits.imshow(binary.T, cmap="Greys", aspect="auto", vmin=0, vmax=1, extent=(-0.5, n - 0.5, binary.shape[1], 0))
    bits.set(title="binary counter: from 7 to 8 all bits flip", yticks=np.arange(binary.shape[1]) + 0.5)
    bits.set_yticklabels([f"bit {bit}" for bit in range(binary.shape[1])])
    for pair, colour in zip(range(waves.shape[1] // 2), (BLUE, ORANGE, GREEN), strict=True):
        wave.plot(waves[:, 2 * pair], "-", color=colour, linewidth=1.2, label=f"pair {pair}")
        wave.plot(waves[:, 2 * pair + 1], "--", color=colour, linewidth=1.2)
    wave.set(title="sine (solid) and cosine (dashed)", yticks=[-1, 1], xlabel="position", xlim=(-0.6, n - 0.4))
    wave.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.38))
    return figure


@mpl.rc_context(STYLE)
def clock_hands(
    encoding: Float[np.ndarray, "position column"], positions: Sequence[int], wavelengths: Float[np.ndarray, " pair"]
) -> Picture:
    """A dial for each position (down) and pair (across); `encoding` in the interleaved layout."""
    figure = Picture(
        "A table of clock faces, one row for each of the positions 0, 1, 2, 3, 8 and 40, one column for each of four "
        "pairs. At position 0 all hands stand at twelve. Down the rows each hand turns clockwise at its own speed: the "
        "first pair by almost a sixth of a turn for each position, the second much less, and the last pair's hand can "
        "hardly be seen to move, even at position 40.",
        height=5.6,
    )
    axes = figure.subplots()
    for column, wavelength in enumerate(wavelengths):
        words = f"pair {column}\none turn in\n{wavelength:.0f}\npositions"
        axes.text(column, 0.95, words, ha="center", va="center")
        for row, position in enumerate(positions):
            sin, cos = encoding[row, 2 * column : 2 * column + 2]
            axes.add_patch(Circle((column, -row), 0.4, facecolor="white", edgecolor=GREY, linewidth=0.8))
            axes.plot([column, column], [-row + 0.34, -row + 0.4], color=GREY, linewidth=0.8)
            axes.plot([column, column + 0.38 * sin], [-row, -row + 0.38 * cos], color=BLUE, linewidth=2)
            if column == 0:
                axes.text(-0.6, -row, f"p = {position}", ha="right", va="center")
    axes.set(xlim=(-1.3, len(wavelengths) - 0.5), ylim=(-len(positions) + 0.5, 1.5), aspect="equal")
    axes.axis("off")
    return figure


@mpl.rc_context(STYLE)
def product_by_distance(
    expected: Float[np.ndarray, " distance"],
    plain: dict[int, Float[np.ndarray, " key"]],
    through: dict[int, Float[np.ndarray, " key"]],
) -> Picture:
    """{query position i: its product with every key}, for W = 1 and for another W; expected[Δ] for Δ = 0, 1, …"""
    figure = Picture(
        "Two panels, the product of a position's vector with every other against their distance, for three positions. "
        "Above, the plain product: the three sets of points lie on one and the same curve, which has its peak at "
        "distance 0 and falls, with ripples, to both sides. Below, through a random matrix W: the three curves are "
        "different, and none has its peak at 0.",
        height=4.4,
    )
    for axes, products, title in zip(
        figure.subplots(2, 1, sharex=True),
        (plain, through),
        ("W = 1: one curve for all positions", "another W: each position has its own"),
        strict=True,
    ):
        for (i, values), (marker, colour) in zip(
            products.items(), (("o", BLUE), ("s", ORANGE), ("^", GREEN)), strict=True
        ):
            distance = np.arange(len(values)) - i
            axes.plot(distance, values, marker, color=colour, markersize=2.5, label=f"i = {i}")
        axes.set(title=title, ylabel="product")
        axes.axhline(0, color=GREY, linewidth=0.6)
        axes.set_xlim(-len(expected), len(expected))
        axes.legend(frameon=False, loc="upper left")
        if products is plain:
            both = np.concatenate([expected[:0:-1], expected])
            axes.plot(np.arange(len(both)) - len(expected) + 1, both, color=GREY, linewidth=0.8, zorder=0)
        else:
            axes.set_xlabel("distance j − i")
    return figure


@mpl.rc_context(STYLE)
def octaves(
    bits: Float[np.ndarray, "position bit"], times: Float[np.ndarray, " time"], waves: Float[np.ndarray, "time bit"]
) -> Picture:
    """The bits of a counter as square waves, each with the sine whose sign it is; the counter itself on top."""
    n, n_bits = bits.shape
    figure = Picture(
        "Five panels above each other, over the positions 0 to 31. On top a staircase, the position itself, made of "
        "the bits below, each counted with its power of two. Below, bits 0 to 3 as square waves, each half as fast as "
        "the one above it, and through each a sine of the same period that is positive where the bit is 0 and negative "
        "where it is 1.",
        height=5.0,
    )
    panels = figure.subplots(n_bits + 1, 1, sharex=True)
    panels[0].step(np.arange(n), bits @ 2.0 ** np.arange(n_bits), where="mid", color=GREEN, linewidth=1.2)
    panels[0].set(title=f"Σ 2ᵇ · bit b, the count modulo {2**n_bits}", yticks=[0, 2**n_bits - 1])
    for bit, axes in enumerate(panels[1:]):
        axes.step(np.arange(n), 1 - 2 * bits[:, bit], where="mid", color=BLUE, linewidth=1.2)
        axes.plot(times, waves[:, bit], color=ORANGE, linewidth=1, linestyle="--")
        axes.set(yticks=[-1, 1], yticklabels=["1", "0"], ylabel=f"bit {bit}")
    panels[-1].set_xlabel("position")
    return figure


@mpl.rc_context(STYLE)
def slow_hands(
    measured: dict[int, Float[np.ndarray, " pair"]], derived: dict[int, Float[np.ndarray, " pair"]]
) -> Picture:
    """{length of the text: the variance of each pair over its positions}, and the curve that was derived."""
    figure = Picture(
        "The variance of each of 256 pairs over the positions of a text, for texts of 8, 64, 256 and 5000 positions. "
        "Each curve stays near 1 for the fast pairs on the left and then falls to 0; the shorter the text, the earlier "
        "it falls: for 8 positions after about a tenth of the pairs, for 5000 only in the last quarter. The measured "
        "points lie on the derived curves.",
        height=3.0,
    )
    axes = figure.subplots()
    styles = (("o", BLUE), ("s", ORANGE), ("^", GREEN), ("D", PURPLE))
    for (n, values), (marker, colour) in zip(measured.items(), styles, strict=True):
        axes.plot(derived[n], color=colour, linewidth=1)
        shown = np.arange(0, len(values), 12)
        axes.plot(shown, values[shown], marker, color=colour, markersize=3.5, label=f"{n} positions")
    axes.set(xlabel="pair j, from the fastest to the slowest", ylabel="variance of the pair", ylim=(-0.03, 1.25))
    axes.legend(frameon=False, ncols=2, loc="upper right")
    return figure


@mpl.rc_context(STYLE)
def bent_line(
    straight: dict[float, Float[np.ndarray, " key"]],
    points: Float[np.ndarray, "key 2"],
    bent: dict[int, Float[np.ndarray, " key"]],
) -> Picture:
    """{slope: weights} of a straight-line head; where layer norm puts the tokens; {row i: weights} after it."""
    figure = Picture(
        "Three panels for 16 tokens. Top: the weights of a head whose scores are a straight line in the scalar "
        "position, for five slopes; each falls or rises all the way, with its largest weight at the first or the last "
        "token, or is flat. Middle: the tokens as points after layer norm, on an arc of a circle, in order. Bottom: "
        "the weights of a head on those points, for the rows 4, 8 and 12: sharp peaks at tokens 3, 7 and 11.",
        height=6.4,
    )
    top, middle, bottom = figure.subplots(3, 1, height_ratios=[1, 1.15, 1])
    styles = ((":", ORANGE), ("--", ORANGE), ("-", GREY), ("--", BLUE), (":", BLUE))
    for (slope, weights), (line, colour) in zip(straight.items(), styles, strict=True):
        name = f"slope {slope:g}".replace("-", "−")
        top.plot(weights, line, color=colour, marker="o", markersize=3, label=name)
    top.set(title="a straight line: the largest weight at an end", ylabel="weight", ylim=(0, None))
    top.legend(frameon=False, loc="upper center")
    turn = np.linspace(-np.pi / 2, np.pi / 2, 99)
    radius = np.linalg.norm(points[0])
    middle.plot(radius * np.sin(turn), radius * np.cos(turn), color=GREY, linewidth=0.6)
    middle.plot(points[:, 1], points[:, 0], "o", color=BLUE, markersize=4)
    for j in (0, len(points) // 2, len(points) - 1):
        middle.text(1.1 * points[j, 1], 1.1 * points[j, 0], str(j), ha="center", va="center")
    middle.set(title="after layer norm: an arc", aspect="equal", ylim=(-0.1 * radius, 1.3 * radius))
    middle.axis("off")
    for (row, weights), (marker, colour) in zip(bent.items(), (("o", BLUE), ("s", ORANGE), ("^", GREEN)), strict=True):
        bottom.plot(weights, "-", marker=marker, color=colour, markersize=3.5, linewidth=1, label=f"row {row}")
    bottom.set(title="a head on the arc: one to the left", xlabel="key j", ylabel="weight", ylim=(0, 1.05))
    bottom.legend(frameon=False)
    return figure
