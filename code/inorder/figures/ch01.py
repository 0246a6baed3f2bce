"""The still figures of chapter 1."""

import matplotlib as mpl
import numpy as np
from jaxtyping import Float

from inorder.figures.drawing import BLUE, GREEN, GREY, ORANGE, PALE, STYLE, Picture, draw_arrow, draw_box


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
            draw_box(axes, 80, y - 5, 10, f"${letter}$", shape)
        for name, shape, down, letters in sources:
            start = top + down
            draw_box(axes, 18, start - 5, 10, name, shape)
            for letter in letters:
                end = targets[letter][0]
                draw_arrow(axes, (34.5, start), (63.5, end))
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
