"""The still figures of chapter 6."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from jaxtyping import Float

from inorder.figures.drawing import BLUE, GREEN, GREY, ORANGE, STYLE, Picture, draw_token


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
                draw_token(axes, x + 0.7 * j, y, 0.64, 0.8, other, other)
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
