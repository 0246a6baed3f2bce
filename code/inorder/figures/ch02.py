"""The still figures of chapter 2."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Polygon, Rectangle

from inorder.figures.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE,
    STYLE,
    Number,
    Picture,
    draw_arrow,
    draw_box,
    draw_grid,
)


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
    figure = Picture(
        "Above, two bar charts of the 32 weights of one query at d = 1024: without the scale one bar takes nearly "
        "everything and the others can hardly be seen; with the scale all bars are low and many keys share. Below, "
        "the mean largest weight against d from 16 to 1024: without the scale it climbs towards 1, with the scale it "
        "stays level at about 0.16; dotted lines mark the derived values, which both follow.",
        height=4.9,
    )
    axes = figure.subplot_mosaic([["bars unscaled", "bars scaled"], ["curve", "curve"]], height_ratios=[1, 2])
    for name, weights, colour, title in (
        ("bars unscaled", weights_unscaled, ORANGE, "no scale"),
        ("bars scaled", weights_scaled, BLUE, "divided by √d"),
    ):
        axes[name].bar(range(len(weights)), weights, color=colour)
        axes[name].set(ylim=(0, 1), xticks=[], xlabel="the 32 keys", title=f"d = {d_head[-1]}, {title}")
    axes["bars unscaled"].set_ylabel("weight")
    axes["bars scaled"].set_yticklabels([])

    curve = axes["curve"]
    for measured, expected, colour, marker, label in (
        (unscaled, expected_unscaled, ORANGE, "o", "no scale"),
        (scaled, expected_scaled, BLUE, "s", "divided by √d"),
    ):
        mean = measured.mean(axis=1)
        spread = np.abs(np.stack([measured.min(axis=1), measured.max(axis=1)]) - mean)
        curve.errorbar(d_head, mean, yerr=spread, fmt=marker, color=colour, capsize=3, label=f"{label}, measured")
        curve.plot(d_head, expected, color=colour, linestyle=":", label=f"{label}, derived")
    curve.axhline(1 / len(weights_scaled), color=GREY, linewidth=0.8)
    curve.annotate("equal weights, 1/32", (d_head[-1], 1 / len(weights_scaled)), va="bottom", ha="right", color=GREY)
    curve.set_xscale("log", base=2)
    curve.set_xticks(d_head, [str(d) for d in d_head])
    curve.set(ylim=(0, 1.05), xlabel="d, the number of terms in each dot product", ylabel="largest of 32 weights")
    curve.legend(frameon=False, loc="center left", bbox_to_anchor=(0.3, 0.42))
    return figure


@mpl.rc_context(STYLE)
def convex_hull(
    tokens: Sequence[str],
    value: Float[np.ndarray, "key 2"],
    outputs: Float[np.ndarray, "draw 2"],
    temperature_path: Float[np.ndarray, "temperature 2"],
) -> Picture:
    """Three value vectors in the plane, outputs for random scores, and one output as the temperature falls."""
    figure = Picture(
        "A triangle in the plane with the three value vectors at its corners. Many dots, the outputs for random "
        "scores, all lie inside it. A curve runs from the centre of the triangle, marked high temperature, to the "
        "corner of the best-matching key, marked low temperature.",
        height=4.6,
    )
    axes = figure.subplots()
    axes.add_patch(Polygon(value, closed=True, facecolor=PALE, edgecolor=GREY))
    axes.plot(*outputs.T, ".", color=BLUE, markersize=3, label="outputs for random scores")
    axes.plot(*temperature_path.T, color=ORANGE, linewidth=2, label="one set of scores, temperature T falling")
    axes.plot(*value.T, "s", color="black", label="the values of the three tokens")
    centre = value.mean(axis=0)
    for name, corner in zip(tokens, value, strict=True):
        outward = 14 * (corner - centre) / np.linalg.norm(corner - centre)
        axes.annotate(
            name, corner, xytext=outward, textcoords="offset points", ha="center", va="center", style="italic"
        )
    for point, text in ((temperature_path[0], "high T"), (temperature_path[-1], "low T")):
        axes.plot(*point, "D", color=ORANGE)
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
        axes.annotate(
            text, point, xytext=(-9, 0), textcoords="offset points", ha="right", va="center", color="#A34700", bbox=box
        )
    axes.set(aspect="equal", xlabel="first value column", ylabel="second value column")
    axes.margins(0.12)
    figure.legend(frameon=False, loc="outside upper left")
    return figure


@mpl.rc_context(STYLE)
def masks(
    no_mask: Bool[np.ndarray, "query key"],
    causal: Bool[np.ndarray, "query key"],
    padding: Bool[np.ndarray, "query key"],
) -> Picture:
    """Boolean masks as grids: a row is a query, a column a key, a filled square means *may attend*."""
    figure = Picture(
        "Three grids of five queries, the rows, by five keys, the columns. No mask: every square is filled. Causal: "
        "the squares on and below the diagonal are filled, those above hold a small cross. Padding: the first three "
        "columns are filled in every row, the last two hold crosses.",
        height=2.1,
    )
    named = {"no mask": no_mask, "causal": causal, "padding": padding}
    for axes, (title, mask) in zip(figure.subplots(1, len(named)), named.items(), strict=True):
        draw_grid(axes, np.where(mask, "", "×"), np.where(mask, BLUE, "white"))
        axes.set(title=title, xlabel="key", aspect="equal", xlim=(0, mask.shape[1]), ylim=(mask.shape[0], 0))
        axes.spines[:].set_visible(False)
        axes.set_xticks(np.arange(mask.shape[1]) + 0.5, [str(j) for j in range(mask.shape[1])])
        axes.set_yticks(np.arange(mask.shape[0]) + 0.5, [str(i) for i in range(mask.shape[0])])
        axes.tick_params(length=0)
    figure.axes[0].set_ylabel("query")
    return figure


@mpl.rc_context(STYLE)
def head_split() -> Picture:
    """The split of (n, d_model) into heads, beside the two ways of getting it wrong."""
    figure = Picture(
        "A table of three tokens by four columns; the left two columns are plain for head 0, the right two hatched for "
        "head 1. Below it three results, each of two small tables. Right: head 0 holds columns 0 and 1 of every token, "
        "head 1 columns 2 and 3. Wrong, columns dealt out in turn: head 0 holds columns 0 and 2. Wrong, reshaped at "
        "once: a row of head 0 holds numbers of token 0, the next one too, and the third those of token 1.",
        height=5.6,
    )
    n_tokens, n_heads, d_head = 3, 2, 2
    labels = np.array([[f"{i}{'abcd'[j]}" for j in range(n_heads * d_head)] for i in range(n_tokens)])
    owner = np.tile(np.repeat(np.arange(n_heads), d_head), (n_tokens, 1))
    splits = {
        "right: split the columns, then swap the axes": lambda x: x.reshape(n_tokens, n_heads, d_head).swapaxes(0, 1),
        "wrong: columns dealt out in turn": lambda x: x.reshape(n_tokens, d_head, n_heads).transpose(2, 0, 1),
        "wrong: reshaped at once, tokens are mixed": lambda x: x.reshape(n_heads, n_tokens, d_head),
    }
    rows: dict[str, list] = {f"x, shape (n = {n_tokens}, d_model = {n_heads * d_head})": [(labels, owner)]}
    for title, split in splits.items():
        rows[title] = list(zip(split(labels), split(owner), strict=True))

    axes = figure.subplots()
    y = 0.0
    for title, tables in rows.items():
        axes.text(0, y, title, va="center", weight="bold" if y == 0 else "normal")
        for head, (names, heads) in enumerate(tables):
            x = head * (d_head + 2.6)
            colours, hatches = np.where(heads == 0, "#9CCBE8", "#F7D9C4"), np.where(heads == 0, "", "////")
            draw_grid(axes, names, colours, hatches, (x, y + 0.5))
            if len(tables) > 1:
                axes.text(x + d_head + 0.2, y + 0.5 + n_tokens / 2, f"head {head}\n({n_tokens}, {d_head})", va="center")
        y += n_tokens + 1.5
    axes.set(xlim=(-0.1, 9.2), ylim=(y - 0.8, -0.5), aspect="equal")
    axes.axis("off")
    return figure


@mpl.rc_context(STYLE)
def memory(
    n_tokens: Sequence[int],
    plain: Sequence[float],
    streaming: Sequence[float],
    plain_derived: Sequence[float],
    streaming_derived: Sequence[float],
) -> Picture:
    """Peak memory of the plain and of the streaming form against n, both axes logarithmic, in MiB."""
    figure = Picture(
        "Peak memory in mebibytes against the number of tokens, both axes logarithmic. The plain form grows fourfold "
        "with each doubling of n, the streaming form at most twofold, so that it lies far below at the right edge. "
        "Dotted lines, the derived floors, run below both.",
        height=3.4,
    )
    axes = figure.subplots()
    axes.loglog(n_tokens, plain, "o", color=ORANGE, label="plain, measured")
    axes.loglog(n_tokens, plain_derived, ":", color=ORANGE, label="plain, derived floor")
    axes.loglog(n_tokens, streaming, "s", color=BLUE, label="streaming, measured")
    axes.loglog(n_tokens, streaming_derived, ":", color=BLUE, label="streaming, derived floor")
    axes.set_xticks(n_tokens, [str(n) for n in n_tokens])
    axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    axes.minorticks_off()
    axes.set(xlabel="n, the number of tokens", ylabel="peak memory, MiB")
    axes.legend(frameon=False, loc="upper left")
    return figure


@mpl.rc_context(STYLE)
def transformer_block() -> Picture:
    """An encoder and a decoder, one block of each opened, with the shape at every arrow."""
    figure = Picture(
        "Two columns that read from top to bottom. Left, the encoder: tokens, shape (m), are embedded with their "
        "positions to (m, d_model), then pass a block that is repeated L times: layer norm, self-attention without a "
        "mask, added to the residual stream that passes by; layer norm, feed-forward, added again. A last layer norm "
        "gives the memory, (m, d_model). Right, the decoder: the same with a causal mask, and between its two parts a "
        "cross-attention whose keys and values come from the memory along an arrow. A last layer norm and a linear map "
        "give the logits, (n, vocabulary). Only the attention boxes are marked as mixing rows.",
        height=8.3,
    )
    axes = figure.subplots()
    axes.set(xlim=(1, 99), ylim=(173, 0))
    axes.axis("off")

    _part(axes, 25, "ENCODER", "m", [("self-attention", "no mask, h heads", True), _FEED_FORWARD])
    bottom = _part(
        axes,
        75,
        "DECODER",
        "n",
        [
            ("self-attention", "causal mask, h heads", True),
            ("cross-attention", "K, V from memory", True),
            _FEED_FORWARD,
        ],
    )
    draw_arrow(axes, (75, bottom), (75, bottom + 5))
    draw_box(axes, 75, bottom + 5, 9, "linear map", "(d_model, vocabulary)")
    draw_arrow(axes, (75, bottom + 14), (75, bottom + 19))
    axes.text(75, bottom + 21.5, "logits (n, vocabulary)", ha="center", va="center", weight="bold")

    # the encoder's memory goes to the decoder's cross-attention, the second part of its block
    memory_y, cross_y = _MEMORY_Y, _TOP + _STEP + 14.5
    axes.plot([25, 25, 48.5, 48.5], [memory_y + 2, memory_y + 7, memory_y + 7, cross_y], color=ORANGE, linewidth=1.6)
    draw_arrow(axes, (48.5, cross_y), (58.5, cross_y), ORANGE)
    axes.text(36, memory_y + 9.5, "K, V: (h, m, d_head)", ha="center", va="center", fontsize=8, color="#A34700")

    for y, colour, hatch, text in (
        (163, "#9CCBE8", "", "mixes rows: a token hears the others"),
        (170, "white", "", "row by row: each token on its own"),
    ):
        axes.add_patch(Rectangle((3, y - 2), 5, 4, facecolor=colour, edgecolor=GREY, hatch=hatch))
        axes.text(10, y, text, va="center", fontsize=8)
    return figure


_FEED_FORWARD = ("feed-forward", "d_model → d_ff → d_model", False)
_TOP, _STEP, _MEMORY_Y = 32, 31, 108


def _part(axes: Axes, x: Number, title: str, n: str, parts: list[tuple[str, str, bool]]) -> Number:
    """One column of the drawing around x. Returns the y below its last layer norm."""
    axes.text(x, 3.5, title, ha="center", va="center", weight="bold", color=GREY)
    axes.text(x, 9, f"tokens ({n},)", ha="center", va="center", weight="bold")
    draw_arrow(axes, (x, 11), (x, 14))
    draw_box(axes, x, 14, 9, "embedding", "+ position")
    y = _TOP
    axes.plot([x, x], [23, y], color="black", linewidth=1)
    axes.text(x + 1.5, 26.5, f"({n}, d_model)", va="center", fontsize=8)
    frame = FancyBboxPatch(
        (x - 21.5, y - 3),
        width=43,
        height=_STEP * len(parts) + 1.5,
        boxstyle="round,pad=0,rounding_size=2",
        facecolor="#F6F6F6",
        edgecolor=GREY,
        linewidth=0.8,
        zorder=0,
    )
    axes.add_patch(frame)
    axes.text(x + 20, y - 0.5, "× L", ha="right", va="center", weight="bold", color=GREY)
    for name, detail, mixes in parts:
        draw_arrow(axes, (x, y), (x, y + 4))
        draw_box(axes, x, y + 4, 5, "layer norm")
        draw_arrow(axes, (x, y + 9), (x, y + 11))
        draw_box(axes, x, y + 11, 9, name, detail, mixes)
        draw_arrow(axes, (x, y + 20), (x, y + 23))
        # the residual stream: leaves above the layer norm, comes back at the plus
        side = x - 19.5
        axes.plot([x, side, side, x - 2.6], [y + 1.8, y + 1.8, y + 25, y + 25], color=GREEN, linewidth=1.6)
        axes.plot(x, y + 25, "+", markersize=7, color="black", zorder=4)
        axes.plot(x, y + 25, "o", markersize=12, color="white", markeredgecolor=GREEN, markeredgewidth=1.4, zorder=3)
        axes.plot([x, x], [y + 27, y + _STEP], color="black", linewidth=1)
        axes.text(x + 4, y + 25, f"({n}, d_model)", va="center", fontsize=8)
        y += _STEP
    draw_arrow(axes, (x, y), (x, y + 4))
    draw_box(axes, x, y + 4, 5, "layer norm")
    if title == "ENCODER":
        draw_arrow(axes, (x, y + 9), (x, _MEMORY_Y - 2))
        axes.text(x, _MEMORY_Y, f"memory ({n}, d_model)", ha="center", va="center", weight="bold")
    return y + 9
