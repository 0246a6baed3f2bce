"""The still figures of chapter 3."""

from collections.abc import Sequence
from fractions import Fraction

import matplotlib as mpl
import numpy as np
from jaxtyping import Float

from inorder.figures.drawing import BLUE, GREEN, GREY, ORANGE, STYLE, Picture, draw_arrow, draw_grid, shade


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
        draw_grid(axes, _fractions(values), shade(values, float(values.max()), colour), None, (x, y))
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
        draw_arrow(axes, (x, n + 0.25), (x, 4.35))
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
