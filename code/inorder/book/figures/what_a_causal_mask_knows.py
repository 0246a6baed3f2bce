"""The still figures on what a causal mask knows."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from jaxtyping import Float

from inorder.book.drawing import EDGE, INK, MUTED, SERIES, STYLE, Picture, draw_range, said, span
from inorder.widgets.kit.twin import listed


@mpl.rc_context(STYLE)
def change_by_depth(depths: Sequence[int], changes: dict[str, Float[np.ndarray, "depth seed"]]) -> Picture:
    """{variant: relative change of the last row, for each depth and seed} on a logarithmic axis, median and range."""
    sentences = []
    for name, change in changes.items():
        later = f", then {span(change[1:], '.1g')}" if len(change) > 1 else ""
        sentences.append(f"{name}: at most {said(change[0].max(), '.0e')} after one layer{later}.")
    figure = Picture(
        "The relative change of the last row when two words before it are swapped, on a logarithmic axis, against the "
        f"number of layers from {span(depths, 'd')}. {' '.join(sentences)}",
        height=4.4,
    )
    axes = figure.subplots()
    series = (*SERIES, ("P", EDGE, "--"))
    for k, ((name, change), (marker, colour, line)) in enumerate(zip(changes.items(), series, strict=False)):
        x = np.array(depths) + 0.07 * (k - 2)
        style = {"marker": marker, "color": colour, "linestyle": line, "label": name}
        draw_range(axes, x, change, seeds=1, middle=np.median, **style)
    axes.axhline(float(np.finfo(float).eps), color=MUTED, linewidth=0.8)
    axes.text(depths[-1] + 0.3, 1.2e-16, "machine epsilon", ha="right", va="top", color=MUTED)
    axes.set(yscale="log", ylim=(1e-17, 30), xlabel="layers", ylabel="relative change of the last row")
    axes.set_xticks(depths, [str(depth) for depth in depths])
    axes.minorticks_off()
    axes.legend(loc="center right", bbox_to_anchor=(1.0, 0.5))
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
    falls = listed(f"{name} it goes from {said(v[0])} to {said(v[-1])}" for name, v in expected_variance.items())
    figure = Picture(
        "Three panels. Top, against the place in the text from 0: how much each word counts in the last row of two "
        f"averaging layers; the measured points fall along the derived curve, from {said(order_weights[0])} to "
        f"{said(order_weights[-1])}. Middle, against the row: the output of one averaging head; with a mark as first "
        "word it falls as 1, 1/2, 1/3; on a constant text without a mark it is 0 everywhere. Bottom, both axes "
        "logarithmic, against the number of words seen: the variance of an attention row at initialisation; by the "
        f"formula for many words, for {falls}. Measured points lie on the formula, but for random queries and few "
        "words, where they lie below it.",
        height=8.2,
    )
    top, middle, bottom = figure.subplots(3, 1)
    places = np.arange(len(order_weights))
    top.plot(places, order_weights, color=MUTED, linewidth=1, label="derived")
    top.plot(places, measured_weights, "o", color=INK, markersize=5, label="measured")
    top.set(ylim=(0, None), title="Two averaging layers: what a word counts for")
    top.set_ylabel("c of the place")
    top.legend()

    places = np.arange(len(marked))
    middle.plot(places, 1 / (places + 1), color=MUTED, linewidth=1, label="1/(i + 1)")
    middle.plot(places, marked, "s", color=MUTED, markersize=5, label="first word marked")
    middle.plot(places, unmarked, "x", color=EDGE, markersize=6, label="no mark")
    middle.set(ylim=(-0.08, 1.08), title="One averaging head on a constant text")
    middle.set_ylabel("output")
    middle.legend()

    for (name, rows), (marker, colour, line) in zip(
        variance.items(), (("o", INK, "-"), ("s", MUTED, "--")), strict=True
    ):
        seen = np.arange(1, rows.shape[1] + 1)
        rows_drawn = 2 ** np.arange(int(np.log2(rows.shape[1])) + 1) - 1
        draw_range(bottom, seen[rows_drawn], rows[:, rows_drawn], seeds=0, marker=marker, color=colour, label=name)
        bottom.plot(seen, expected_variance[name], color=colour, linestyle=line, linewidth=1)
    bottom.set(xscale="log", yscale="log", title="An attention row at initialisation")
    bottom.set(xlabel="words seen, t", ylabel="variance")
    ticks = [1, 4, 16, 64, 256]
    bottom.set_xticks(ticks, [str(tick) for tick in ticks])
    bottom.set_yticks([1, 0.1, 0.01], ["1", "0.1", "0.01"])
    bottom.minorticks_off()
    bottom.legend()
    return figure
