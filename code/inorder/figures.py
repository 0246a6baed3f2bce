"""The book's still figures, each with its alt text.

A function takes what it draws and returns a `Picture`: a matplotlib figure that carries `alt_text` and shows itself in
a notebook. Colours are Okabe and Ito's, which people with any colour vision tell apart; a shape, a hatch or a label
always says the same as the colour. The page is 4.8 inches wide, so that text keeps its size on a phone.
"""

import io
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import matplotlib as mpl
import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle

Number = int | float

BLUE, ORANGE, GREEN, GREY, PALE = "#0072B2", "#D55E00", "#009E73", "#4D4D4D", "#E8EEF3"
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "path",
    "svg.hashsalt": "inorder",
}


class Picture(Figure):
    """A matplotlib figure that carries its alt text. Jupyter shows it as SVG; a PDF takes the PNG."""

    def __init__(self, alt_text: str, height: float, width: float = 4.8) -> None:
        super().__init__(figsize=(width, height), facecolor="white", layout="constrained")
        self.alt_text = alt_text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict, dict]:
        svg, png = io.StringIO(), io.BytesIO()
        with mpl.rc_context(STYLE):
            self.savefig(svg, format="svg", metadata={"Date": None})
            self.savefig(png, format="png", dpi=144)
        alt = {"alt": self.alt_text}
        return (
            {"image/svg+xml": svg.getvalue(), "image/png": png.getvalue(), "text/plain": self.alt_text},
            {"image/svg+xml": alt, "image/png": alt},
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
        _grid(axes, np.where(mask, "", "×"), np.where(mask, BLUE, "white"))
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
            _grid(axes, names, colours, hatches, (x, y + 0.5))
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
    _arrow(axes, (75, bottom), (75, bottom + 5))
    _box(axes, 75, bottom + 5, 9, "linear map", "(d_model, vocabulary)")
    _arrow(axes, (75, bottom + 14), (75, bottom + 19))
    axes.text(75, bottom + 21.5, "logits (n, vocabulary)", ha="center", va="center", weight="bold")

    # the encoder's memory goes to the decoder's cross-attention, the second part of its block
    memory_y, cross_y = _MEMORY_Y, _TOP + _STEP + 14.5
    axes.plot([25, 25, 48.5, 48.5], [memory_y + 2, memory_y + 7, memory_y + 7, cross_y], color=ORANGE, linewidth=1.6)
    _arrow(axes, (48.5, cross_y), (58.5, cross_y), ORANGE)
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
    _arrow(axes, (x, 11), (x, 14))
    _box(axes, x, 14, 9, "embedding", "+ position")
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
        _arrow(axes, (x, y), (x, y + 4))
        _box(axes, x, y + 4, 5, "layer norm")
        _arrow(axes, (x, y + 9), (x, y + 11))
        _box(axes, x, y + 11, 9, name, detail, mixes)
        _arrow(axes, (x, y + 20), (x, y + 23))
        # the residual stream: leaves above the layer norm, comes back at the plus
        side = x - 19.5
        axes.plot([x, side, side, x - 2.6], [y + 1.8, y + 1.8, y + 25, y + 25], color=GREEN, linewidth=1.6)
        axes.plot(x, y + 25, "+", markersize=7, color="black", zorder=4)
        axes.plot(x, y + 25, "o", markersize=12, color="white", markeredgecolor=GREEN, markeredgewidth=1.4, zorder=3)
        axes.plot([x, x], [y + 27, y + _STEP], color="black", linewidth=1)
        axes.text(x + 4, y + 25, f"({n}, d_model)", va="center", fontsize=8)
        y += _STEP
    _arrow(axes, (x, y), (x, y + 4))
    _box(axes, x, y + 4, 5, "layer norm")
    if title == "ENCODER":
        _arrow(axes, (x, y + 9), (x, _MEMORY_Y - 2))
        axes.text(x, _MEMORY_Y, f"memory ({n}, d_model)", ha="center", va="center", weight="bold")
    return y + 9


def _box(axes: Axes, x: Number, y: Number, height: Number, name: str, detail: str = "", mixes: bool = False) -> None:
    box = FancyBboxPatch(
        (x - 16, y),
        width=32,
        height=height,
        boxstyle="round,pad=0,rounding_size=1.2",
        facecolor="#9CCBE8" if mixes else "white",
        edgecolor="black",
        linewidth=0.9,
    )
    axes.add_patch(box)
    if detail:
        axes.text(x, y + height * 0.32, name, ha="center", va="center", weight="bold" if mixes else "normal")
        axes.text(x, y + height * 0.72, detail, ha="center", va="center", fontsize=7.5)
    else:
        axes.text(x, y + height * 0.5, name, ha="center", va="center")


def _arrow(axes: Axes, start: tuple[Number, Number], end: tuple[Number, Number], colour: str = "black") -> None:
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=8, shrinkA=0, shrinkB=0, color=colour, linewidth=1)
    )


def _grid(
    axes: Axes,
    labels: np.ndarray,
    colours: np.ndarray,
    hatches: np.ndarray | None = None,
    corner: tuple[Number, Number] = (0, 0),
) -> None:
    """A table of coloured squares with a label in each; the first row is at the top, its corner at `corner`."""
    for (i, j), label in np.ndenumerate(labels):
        x, y = corner[0] + j, corner[1] + i
        hatch = None if hatches is None else hatches[i, j]
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=colours[i, j], edgecolor=GREY, linewidth=0.8, hatch=hatch))
        axes.text(x + 0.5, y + 0.5, label, ha="center", va="center")


# ---- chapter 1 -----------------------------------------------------------------------------------------------------


@mpl.rc_context(STYLE)
def three_projections() -> Picture:
    """One source and its three projections, and two sources: what stands before W and what after it."""
    figure = Picture(
        "Two drawings, one above the other, each cut by a dashed line into sources on the left and matrices on the "
        "right. Above, one input: a single box X sends three arrows, labelled W_Q, W_K and W_V, to three boxes, Q, K "
        "and V. Below, two inputs: a box for the queries' source sends one arrow, W_Q, to Q; a box for the keys' and "
        "values' source sends two arrows, W_K and W_V, to K and V.",
        height=5.4,
    )
    axes = figure.subplots()
    axes.set(xlim=(0, 100), ylim=(118, 0))
    axes.axis("off")
    axes.plot([48, 48], [6, 117], color=GREY, linestyle=(0, (4, 4)), linewidth=1)
    for x, words in ((18, "sources: the arguments"), (80, "matrices: after projection")):
        axes.text(x, 2, words, ha="center", va="center", color=GREY)

    memory = (r"$X_{\mathrm{kv}}$", "(n_k, d_memory)", 31, "KV")
    for top, asking, asked, title, sources in (
        (12, "n", "n", "one input: self-attention", [("$X$", "(n, d_model)", 23, "QKV")]),
        (70, "n_q", "n_k", "two inputs: cross-attention", [(r"$X_{\mathrm{q}}$", "(n_q, d_model)", 8, "Q"), memory]),
    ):
        axes.text(2, top - 3, title, weight="bold")
        targets = {
            "Q": (top + 8, f"({asking}, d_head)"),
            "K": (top + 23, f"({asked}, d_head)"),
            "V": (top + 38, f"({asked}, d_value)"),
        }
        for letter, (y, shape) in targets.items():
            _box(axes, 80, y - 5, 10, f"${letter}$", shape)
        for name, shape, down, letters in sources:
            start = top + down
            _box(axes, 18, start - 5, 10, name, shape)
            for letter in letters:
                end = targets[letter][0]
                _arrow(axes, (34.5, start), (63.5, end))
                middle = start + 0.64 * (end - start)
                box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
                axes.text(53, middle, f"$W_{letter}$", ha="center", va="center", bbox=box)
    return figure


@mpl.rc_context(STYLE)
def soft_dictionary(
    key: Float[np.ndarray, " key"],
    value: Float[np.ndarray, " key"],
    query: Float[np.ndarray, " query"],
    soft: dict[float, np.ndarray],
    hard: Float[np.ndarray, " query"],
) -> Picture:
    """What a dictionary of three entries answers to every query, for several sharpnesses; `soft` goes by β."""
    figure = Picture(
        "Temperature against the hour. Three squares mark the entries of the dictionary: 8 degrees at 6, 20 at 12 and "
        "14 at 18. The hard look-up is a staircase through them, with steps at 9 and 15. The soft look-ups are smooth: "
        "with the largest sharpness the curve rounds off the corners of the stairs, with a middle one it is a gentle "
        "arc, and with sharpness 0 a level line at the mean, 14.",
        height=3.3,
    )
    axes = figure.subplots()
    axes.plot(query, hard, color=GREY, linewidth=1, label="hard")
    styles = zip(soft.items(), (BLUE, GREEN, ORANGE), ("-", "--", ":"), strict=True)
    for (beta, answer), colour, line in styles:
        axes.plot(query, answer, line, color=colour, linewidth=2, label=f"β = {beta:g}")
    axes.plot(key, value, "s", color="black", markersize=7, label="entries")
    axes.set(xlabel="query: the hour", ylabel="answer: °C", xticks=range(0, 25, 3), ylim=(6, 23))
    figure.legend(frameon=False, loc="outside upper center", ncols=5, columnspacing=1.2, handlelength=1.8)
    return figure


@mpl.rc_context(STYLE)
def sharpness_limit(
    gaps: Float[np.ndarray, " gap"],
    missing: Float[np.ndarray, "gap seed"],
    floor: Float[np.ndarray, " gap"],
    ceiling: Float[np.ndarray, " gap"],
) -> Picture:
    """The weight that is not on the best key, against sharpness times gap, between its two derived bounds."""
    figure = Picture(
        "The weight that the best of 8 keys does not have, on a logarithmic axis, against sharpness times gap, from 0 "
        "to 30. Dots for 20 seeds fall along straight lines, from near 1 to about ten to the minus 13. All lie between "
        "two derived lines, the upper 14 times the lower at the left end and 7 times further on.",
        height=3.4,
    )
    axes = figure.subplots()
    axes.fill_between(gaps, floor, ceiling, color=PALE)
    axes.plot(gaps, ceiling, "--", color=ORANGE, label="at most: 7 exp(−β·gap)")
    axes.plot(gaps, floor, ":", color=ORANGE, label="at least: 1/(1 + exp(β·gap))")
    dots = np.broadcast_to(gaps[:, None], missing.shape)
    axes.plot(dots.ravel(), missing.ravel(), ".", color=BLUE, markersize=3, label="measured, 20 seeds")
    axes.set(yscale="log", xlabel="β · gap", ylabel="weight not on the best key")
    axes.legend(frameon=False, loc="upper right")
    return figure


# ---- chapters 5 and 6 ----------------------------------------------------------------------------------------------

_TOKEN_STYLE = {"A": ("#9CCBE8", ""), "B": ("#F7D9C4", "////"), "C": ("#BFE3D5", "....")}


def _token(axes: Axes, x: Number, y: Number, width: Number, height: Number, name: str, label: str) -> None:
    """A box in the colour and hatch of its token, with a label on white so that the hatch does not cross it."""
    colour, hatch = _TOKEN_STYLE[name]
    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor=GREY, linewidth=0.8, hatch=hatch))
    box = {"facecolor": colour, "edgecolor": "none", "pad": 1.2}
    axes.text(x + width / 2, y + height / 2, label, ha="center", va="center", bbox=box)


@mpl.rc_context(STYLE)
def prompt_bars(
    rows: Sequence[tuple[str, np.ndarray, np.ndarray]],
) -> Picture:
    """For each prompt, a string of A, B, C, the weights (key,) of the query that writes next, and its output.

    The rows come in pairs, each a prompt and the same prompt with A and B swapped.
    """
    figure = Picture(
        "Four bars of length 1, in two pairs. First pair, prompts A, B and B, A: the query of the last token writes "
        "the next one, so it is B's in the first prompt and A's in the second; the parts of the two bars have "
        "different lengths and the outputs differ. Second pair, prompts A, B, C and B, A, C: both times it is the "
        "query of C; the parts for A, B and C have the same lengths, only their order differs, and the outputs are "
        "equal.",
        height=3.6,
    )
    axes = figure.subplots()
    for i, (prompt, weights, output) in enumerate(rows):
        y = 1.45 * i + 0.75 * (i // 2)
        axes.text(-0.05, y + 0.28, f"[{', '.join(prompt)}]", ha="right", va="center", weight="bold")
        axes.text(-0.05, y + 0.78, f"query of {prompt[-1]}", ha="right", va="center", fontsize=8)
        left = 0.0
        for name, weight in zip(prompt, weights, strict=True):
            share = Fraction(float(weight)).limit_denominator(99)
            _token(axes, left, y, float(weight), 1, name, f"{name}\n{share}")
            left += float(weight)
        axes.text(1.05, y + 0.5, f"({', '.join(f'{number:.4g}' for number in output)})", va="center")
        if i % 2 and i > 0:
            same = np.allclose(output, rows[i - 1][2])
            axes.text(1.16, y - 0.22, "=" if same else "≠", ha="center", va="center", weight="bold", fontsize=12)
    axes.text(0.5, -0.3, "weights, in the order of the prompt", ha="center", va="center", color=GREY)
    axes.text(1.05, -0.3, "output", va="center", color=GREY)
    axes.set(xlim=(-0.42, 1.38), ylim=(y + 1.15, -0.6))
    axes.axis("off")
    return figure


@mpl.rc_context(STYLE)
def kinds_of_equal(differences: dict[str, dict[str, Float[np.ndarray, " seed"]]]) -> Picture:
    """{comparison: {dtype: one difference for each seed}} on a logarithmic axis, zeros in a column of their own."""
    figure = Picture(
        "The size of a difference, on a logarithmic axis from 1e-17 to 10, for three comparisons in two precisions. "
        "Rounding: for 64 keys in another order, and for a prompt of 8 tokens, the first 7 in another order, through "
        "one layer, circles (float64) lie at about 1e-16 and squares (float32) at about 1e-7, each beside the dotted "
        "line of its machine epsilon. A true difference: for the prompts A, B and B, A circles and squares lie "
        "together near 1.",
        height=2.9,
    )
    axes = figure.subplots()
    floor = 1e-18
    for row, (name, measured) in enumerate(differences.items()):
        for dtype, colour, marker, shift in (("float64", BLUE, "o", -0.13), ("float32", ORANGE, "s", 0.13)):
            x = np.maximum(measured[dtype], floor)
            y = row + shift + np.linspace(-0.08, 0.08, len(x))
            label = dtype if row == 0 else None
            axes.plot(x, y, marker, color=colour, markersize=4, markerfacecolor="none", label=label)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.text(floor / 3, row - 0.36, name, va="center", bbox=box)
    for epsilon, colour in ((2.0**-52, BLUE), (2.0**-23, ORANGE)):
        axes.axvline(epsilon, color=colour, linestyle=":", linewidth=1, zorder=0)
    ticks = [floor, 1e-16, 1e-12, 1e-8, 1e-4, 1]
    axes.set(xscale="log", xlim=(floor / 4, 20), ylim=(len(differences) - 0.6, -0.6), yticks=[])
    axes.set_xticks(ticks, ["0", "1e-16", "1e-12", "1e-8", "1e-4", "1"])
    axes.minorticks_off()
    axes.set_xlabel("size of the difference (dotted: machine epsilon)")
    axes.spines["left"].set_visible(False)
    axes.legend(frameon=False, loc="center", bbox_to_anchor=(0.62, 0.3))
    return figure


@mpl.rc_context(STYLE)
def prefix_sets(prompts: tuple[str, str]) -> Picture:
    """What each token has seen under a causal mask, in two orders of A, B and C, compared token by token."""
    figure = Picture(
        "A table with one row for each of the tokens A, B and C. In the prompt A, B, C the row of A has seen A alone, "
        "that of B has seen A and B, that of C all three. In the prompt B, A, C the row of A has seen B and A, that of "
        "B has seen B alone, that of C all three. So after one layer the hidden states of A and B differ between the "
        "two prompts and that of C does not; after two layers, in which C reads A's and B's, all three differ.",
        height=2.75,
    )
    axes = figure.subplots()
    tokens = sorted(prompts[0])
    columns = [0.9, 3.4, 6.0, 8.0]
    titles = [f"has seen in\n[{', '.join(prompt)}]" for prompt in prompts] + ["after\nlayer 1", "after\nlayer 2"]
    for x, title in zip(columns, titles, strict=True):
        axes.text(x + (1.05 if x < 5 else 0.75), -0.75, title, ha="center", va="center")
    axes.plot([-0.35, 9.6], [-0.15, -0.15], color=GREY, linewidth=0.8)
    seen = [{token: prompt[: prompt.index(token) + 1] for token in tokens} for prompt in prompts]
    # after layer 1 a row depends on its prefix as a set, after layer 2 on what the rows in that prefix depend on
    once: list[dict] = [{token: frozenset(prefix[token]) for token in tokens} for prefix in seen]
    twice: list[dict] = [{t: frozenset((u, once[k][u]) for u in seen[k][t]) for t in tokens} for k in range(2)]
    for i, token in enumerate(tokens):
        y = 1.15 * i + 0.1
        axes.text(0, y + 0.4, token, ha="center", va="center", weight="bold", fontsize=11)
        for x, prefix in zip(columns, seen, strict=False):
            for j, other in enumerate(prefix[token]):
                _token(axes, x + 0.7 * j, y, 0.64, 0.8, other, other)
        for x, (first, second) in zip(columns[2:], (once, twice), strict=True):
            same = first[token] == second[token]
            said, colour, weight = ("= same", GREY, "normal") if same else ("≠ differs", "#A34700", "bold")
            axes.text(x + 0.75, y + 0.4, said, ha="center", va="center", color=colour, weight=weight)
    axes.set(xlim=(-0.4, 9.7), ylim=(3.5, -1.35))
    axes.axis("off")
    return figure


@mpl.rc_context(STYLE)
def change_by_depth(depths: Sequence[int], changes: dict[str, Float[np.ndarray, "depth seed"]]) -> Picture:
    """{variant: relative change of the last row, for each depth and seed} on a logarithmic axis, median and range."""
    figure = Picture(
        "The relative change of C's row when A and B are swapped, on a logarithmic axis, against the number of layers "
        "from 1 to 6. Without a mask it stays at about 1e-16 at every depth. With a causal mask it is about 1e-16 for "
        "one layer and between 0.1 and 3 from two layers on, for the whole block as for the variants without the "
        "feed-forward part, without the residual, and of attention alone.",
        height=3.5,
    )
    axes = figure.subplots()
    styles = [("o", GREY, ":"), ("s", BLUE, "-"), ("^", ORANGE, "--"), ("v", GREEN, "-."), ("D", "#CC79A7", "-")]
    for k, ((name, change), (marker, colour, line)) in enumerate(zip(changes.items(), styles, strict=False)):
        x = np.array(depths) + 0.07 * (k - 2)
        middle = np.median(change, axis=1)
        spread = np.abs(np.stack([change.min(axis=1), change.max(axis=1)]) - middle)
        axes.errorbar(
            x,
            middle,
            yerr=spread,
            fmt=marker,
            color=colour,
            linestyle=line,
            linewidth=1,
            markersize=4,
            capsize=2,
            label=name,
        )
    axes.axhline(float(np.finfo(float).eps), color=GREY, linewidth=0.8)
    axes.text(depths[-1] + 0.3, 1.2e-16, "machine epsilon", ha="right", va="top", color=GREY)
    axes.set(yscale="log", ylim=(1e-17, 30), xlabel="layers", ylabel="relative change of C's row")
    axes.set_xticks(depths, [str(depth) for depth in depths])
    axes.minorticks_off()
    axes.legend(frameon=False, loc="center right", bbox_to_anchor=(1.0, 0.5))
    return figure


@mpl.rc_context(STYLE)
def causal_clocks(
    order_weights: Float[np.ndarray, " place"],
    measured_weights: Float[np.ndarray, " place"],
    marked: Float[np.ndarray, " row"],
    unmarked: Float[np.ndarray, " row"],
    variance: dict[str, Float[np.ndarray, "seed t"]],
    expected_variance: dict[str, Float[np.ndarray, " t"]],
) -> Picture:
    """Three quantities that tell where a token stands, in models without positions under a causal mask."""
    figure = Picture(
        "Three panels against the place in the text, starting at 1. Top: how much each token counts in the last row of "
        "two averaging layers; the measured points fall along the derived curve, from over 3 for the first token to "
        "less than 0.2 for the last. Middle: the output of one averaging head; with a first-token mark it falls as 1, "
        "1/2, 1/3; on a constant text without a mark it is 0 everywhere. Bottom, both axes logarithmic: the "
        "variance of an attention row at initialisation; with equal weights it follows 1/t, with random queries it "
        "lies above it and falls more slowly, along its own derived curve.",
        height=6.6,
    )
    top, middle, bottom = figure.subplots(3, 1)
    places = np.arange(1, len(order_weights) + 1)
    top.plot(places, order_weights, color=GREY, linewidth=1, label="derived")
    top.plot(places, measured_weights, "o", color=BLUE, markersize=4, label="measured")
    top.set(ylim=(0, None), title="Two averaging layers: what a token counts for")
    top.set_ylabel("c of the place")
    top.legend(frameon=False)

    places = np.arange(1, len(marked) + 1)
    middle.plot(places, 1 / places, color=GREY, linewidth=1, label="1/t")
    middle.plot(places, marked, "s", color=ORANGE, markersize=4, label="first token marked")
    middle.plot(places, unmarked, "x", color=GREEN, markersize=5, label="no mark")
    middle.set(ylim=(-0.08, 1.08), title="One averaging head on a constant text")
    middle.set_ylabel("output")
    middle.legend(frameon=False)

    for (name, rows), (marker, colour, line) in zip(
        variance.items(), (("o", BLUE, "-"), ("s", ORANGE, "--")), strict=True
    ):
        places = np.arange(1, rows.shape[1] + 1)
        shown = 2 ** np.arange(int(np.log2(rows.shape[1])) + 1) - 1
        mean = rows.mean(axis=0)
        spread = np.abs(np.stack([rows.min(axis=0), rows.max(axis=0)]) - mean)[:, shown]
        bottom.errorbar(
            places[shown], mean[shown], yerr=spread, fmt=marker, color=colour, markersize=4, capsize=2, label=name
        )
        bottom.plot(places, expected_variance[name], color=colour, linestyle=line, linewidth=1)
    bottom.set(xscale="log", yscale="log", title="An attention row at initialisation")
    bottom.set(xlabel="place t in the text", ylabel="variance")
    ticks = [1, 4, 16, 64, 256]
    bottom.set_xticks(ticks, [str(tick) for tick in ticks])
    bottom.set_yticks([1, 0.1, 0.01], ["1", "0.1", "0.01"])
    bottom.minorticks_off()
    bottom.legend(frameon=False)
    return figure


# ---- chapter 3 -----------------------------------------------------------------------------------------------------


def _shade(values: np.ndarray, largest: float, colour: str) -> np.ndarray:
    """A colour for each number, from white at 0 to `colour` at ±largest."""
    share = np.clip(np.abs(values) / largest, 0, 1)[..., None]
    rgb = (1 - share) + share * np.array(mpl.colors.to_rgb(colour))
    return np.array([[mpl.colors.to_hex(cell) for cell in row] for row in rgb])


def _fractions(values: np.ndarray) -> np.ndarray:
    return np.vectorize(lambda value: str(Fraction(float(value)).limit_denominator(99)))(values)


@mpl.rc_context(STYLE)
def scores_and_transpose(
    tokens: Sequence[str],
    scores: Float[np.ndarray, "token token"],
    weights: Float[np.ndarray, "token token"],
    swapped_weights: Float[np.ndarray, "token token"],
) -> Picture:
    """S beside Sᵀ, and below them the weights that each gives, beside the transpose of the first weights."""
    figure = Picture(
        "Five square tables of three queries, the rows, by three keys, the columns. Above, the scores S and beside "
        "them the transpose of S, its mirror image in the diagonal. Below, three tables of weights with the sum of "
        "each row: the softmax of S, whose rows sum to 1; the softmax of the transpose, whose rows sum to 1 too; and "
        "the transpose of the first weights, whose rows sum to 1.27, 0.79 and 0.94. No two of the three are equal.",
        height=4.2,
    )
    axes = figure.subplots()
    n = len(tokens)
    tables = [
        (0.0, 0.0, "$S$", scores, "#9CCBE8", False),
        (4.6, 0.0, r"$S^\top$: after the swap", scores.T, "#9CCBE8", False),
        (0.0, 5.6, r"$A$ = softmax($S$)", weights, "#F2B48C", True),
        (4.6, 5.6, r"softmax($S^\top$)", swapped_weights, "#F2B48C", True),
        (9.2, 5.6, r"$A^\top$: neither", weights.T, "#F2B48C", True),
    ]
    for x, y, title, values, colour, sums in tables:
        _grid(axes, _fractions(values), _shade(values, float(values.max()), colour), None, (x, y))
        axes.text(x + n / 2, y - 0.85, title, ha="center", va="center", weight="bold")
        for i, token in enumerate(tokens):
            axes.text(x + i + 0.5, y - 0.28, token, ha="center", va="center", fontsize=7.5)
            if x == 0:
                axes.text(x - 0.15, y + i + 0.5, token, ha="right", va="center", fontsize=7.5)
            if sums:
                total = float(values[i].sum())
                said = f"{total:.2f}" if abs(total - 1) > 1e-9 else "1"
                axes.text(x + n + 0.12, y + i + 0.5, said, va="center", fontsize=7.5, color=GREY)
        if sums:
            axes.text(x + n + 0.12, y + n + 0.3, "sum", va="center", fontsize=7.5, color=GREY)
    for x in (n / 2, 4.6 + n / 2):
        _arrow(axes, (x, n + 0.25), (x, 4.35))
        axes.text(x + 0.2, 3.75, "softmax", va="center", fontsize=8)
    axes.text(10.7, 1.5, "scores here\nin units of ln 2", ha="center", va="center", color=GREY)
    axes.set(xlim=(-0.9, 13.3), ylim=(9.2, -1.3), aspect="equal")
    axes.axis("off")
    return figure


@mpl.rc_context(STYLE)
def best_low_rank(
    share: Float[np.ndarray, " rank"],
    errors: Float[np.ndarray, "rank seed"],
    derived_share: Float[np.ndarray, " point"],
    derived: Float[np.ndarray, " point"],
) -> Picture:
    """How far the best matrix of a given rank stays from a random square one, measured and derived."""
    figure = Picture(
        "The relative error of the best approximation of a random 64 by 64 matrix, against its rank divided by 64. The "
        "error falls from 1 at rank 0 to 0 at full rank, along an arc that bends upwards. Dots with short bars, the "
        "measured range over seeds, lie on the derived curve. At one eighth, the rank of one head of eight, a dashed "
        "line marks an error of 0.79.",
        height=3.1,
    )
    axes = figure.subplots()
    axes.plot(derived_share, derived, color=GREY, linewidth=1, label="derived")
    middle = errors.mean(axis=1)
    spread = np.abs(np.stack([errors.min(axis=1), errors.max(axis=1)]) - middle)
    axes.errorbar(share, middle, yerr=spread, fmt="o", color=BLUE, markersize=4, capsize=2, label="measured, 20 seeds")
    at = float(np.interp(1 / 8, derived_share, derived))
    axes.plot([1 / 8, 1 / 8, 0], [0, at, at], "--", color=ORANGE, linewidth=1)
    axes.annotate(f"one head of eight: {at:.2f}", (1 / 8, at), (6, 4), textcoords="offset points", color="#A34700")
    axes.set(xlim=(0, 1.02), ylim=(0, 1.05), xlabel="rank / d_model", ylabel="relative error of the best B")
    axes.set_xticks([0, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1], ["0", "1/8", "1/4", "1/2", "3/4", "1"])
    axes.legend(frameon=False, loc="upper right", bbox_to_anchor=(1.0, 0.88))
    return figure


@mpl.rc_context(STYLE)
def biases_in_training(
    query: dict[str, Float[np.ndarray, "seed step"]], key: dict[str, Float[np.ndarray, "seed step"]]
) -> Picture:
    """{run: how far the bias has moved from its start}, for the query bias and for the key bias, over training."""
    figure = Picture(
        "How far a bias has moved from its start, on a logarithmic axis, over 300 training steps. The query bias, in "
        "all three runs, climbs to about 1. The key bias stays near 1e-16 with plain gradient steps in float64, near "
        "1e-10 with Adam in float64, and drifts to between 0.01 and 0.1 with Adam in float32.",
        height=3.4,
    )
    axes = figure.subplots()
    for name, line, colour in zip(key, ("-", "--", ":"), (BLUE, GREEN, ORANGE), strict=True):
        steps = np.arange(1, key[name].shape[1] + 1)
        axes.plot(steps, np.median(query[name], axis=0), line, color=GREY, linewidth=1)
        low, middle, high = np.quantile(np.maximum(key[name], 1e-19), [0, 0.5, 1], axis=0)
        axes.plot(steps, middle, line, color=colour, linewidth=1.8)
        axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.text(steps[-1], low[-1] / 4, f"key bias: {name}", ha="right", va="top")
    axes.text(steps[-1], 20, "query bias: all three", ha="right", va="bottom", color=GREY)
    axes.set(yscale="log", ylim=(1e-20, 1e4), xlabel="training step", ylabel="distance from the start")
    axes.set_yticks([1e-16, 1e-12, 1e-8, 1e-4, 1], ["1e-16", "1e-12", "1e-8", "1e-4", "1"])
    axes.minorticks_off()
    return figure


# ---- chapter 4 -----------------------------------------------------------------------------------------------------


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
        colours = _shade(rows, float(np.abs(rows).max()), "#D3DCE3")
        for i, token in enumerate(which):
            y = top + height * i
            _token(axes, left, y, strip, height, names[token], tokens[token])
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
        _arrow(axes, (left + span + 2, y + 1.5 * height), (right - 2, y + 1.5 * height))
        axes.text((left + span + right) / 2, y + 1.5 * height - 3, "$f$", ha="center", va="center", fontsize=11)
        axes.text((left + span + right) / 2, y + 1.5 * height + 3.4, "model", ha="center", va="center", fontsize=8)
    for x_arrow, side in ((left + span / 2, 1), (right + span / 2, 1)):
        _arrow(axes, (x_arrow, top + 3 * height + 2), (x_arrow, bottom - 8))
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
