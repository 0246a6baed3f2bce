"""The still figures of chapter 5."""

from collections.abc import Sequence
from fractions import Fraction

import matplotlib as mpl
import numpy as np
from jaxtyping import Float

from inorder.figures.drawing import BLUE, GREY, ORANGE, STYLE, Picture, draw_token


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
            draw_token(axes, left, y, float(weight), 1, name, f"{name}\n{share}")
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
