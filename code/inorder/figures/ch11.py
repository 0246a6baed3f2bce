"""The still figures of chapter 11."""

from typing import Any

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from inorder.figures.drawing import BLUE, GREEN, GREY, ORANGE, STYLE, Picture

PINK = "#B0558F"
CURVES = [("o", BLUE, "-"), ("s", ORANGE, "--"), ("^", GREEN, "-."), ("v", PINK, (0, (1, 1))), ("D", GREY, "-")]


@mpl.rc_context(STYLE)
def position_by_layer(accuracies: dict[str, Float[np.ndarray, "seed layer"]], chance: float) -> Picture:
    """{variant: accuracy of the position probe}, layer 0 being the input; mean and range over the seeds."""
    figure = Picture(
        "The accuracy of a linear position probe against the layer it reads, from the input, layer 0, to layer 6, in "
        "encoders with random weights. With positions and the residual it starts at 1 and falls slowly, for learned "
        "positions to about 0.8 and for sinusoids to about a third. Without the residual it is between 0.1 and 0.6 "
        "after one layer and lies on the line of chance, 1/16, from layer 3 on. Without positions it is on that line "
        "in every layer.",
        height=3.5,
    )
    axes = figure.subplots()
    for (name, accuracy), style in zip(accuracies.items(), CURVES, strict=False):
        _curve(axes, accuracy, style, name)
    _chance(axes, chance, accuracies[next(iter(accuracies))].shape[1] - 1)
    axes.set(xlabel="layer", ylabel="accuracy of the position probe", ylim=(-0.03, 1.05))
    figure.legend(*axes.get_legend_handles_labels(), frameon=False, loc="outside upper center", ncols=2)
    return figure


@mpl.rc_context(STYLE)
def residual_against_mixing(
    own_share: dict[float, Float[np.ndarray, "seed layer"]],
    derived: dict[float, Float[np.ndarray, " layer"]],
    probe: dict[float, Float[np.ndarray, " seed"]],
    chance: float,
) -> Picture:
    """For each weight α of the residual: how alike the rows become, beside the law, and what a probe finds at the end.

    `own_share` is 1 − the mean cosine between the rows of a sequence; `probe` the accuracy in the last layer.
    """
    figure = Picture(
        "Two panels. Top: the part of a row that is its own, on a logarithmic axis, against the layer, for five "
        "weights of the residual. For a weight of 4 it stays near 1 through six layers, for 1 it falls to about a "
        "tenth, for a quarter to less than a millionth; the measured points lie along the derived curves. "
        "Bottom: the accuracy of a position probe after six layers of whole blocks against the weight of the "
        "residual: close to chance at a quarter, about 0.8 at 1, and 1 from 2 on.",
        height=5.4,
    )
    top, bottom = figure.subplots(2, 1, height_ratios=[3, 2])
    for (alpha, shares), (marker, colour, line) in zip(sorted(own_share.items(), reverse=True), CURVES, strict=False):
        top.plot(derived[alpha], color=colour, linestyle=line, linewidth=1)
        _points(top, shares, (marker, colour), f"α = {alpha:g}")
    top.set(yscale="log", xlabel="layer", ylabel="own part of a row, 1 − cosine")
    top.set_title("Averaging layers: derived (lines), measured (points)")
    top.set_yticks([1, 1e-2, 1e-4, 1e-6], ["1", "0.01", "0.0001", "10⁻⁶"])
    top.minorticks_off()
    top.legend(frameon=False, loc="lower left")
    alphas = sorted(probe)
    accuracy = np.array([probe[alpha] for alpha in alphas]).T  # (seed, α)
    _curve(bottom, accuracy, ("o", BLUE, "-"), "position probe")
    _chance(bottom, chance, len(alphas) - 1)
    bottom.set_xticks(range(len(alphas)), [f"{alpha:g}" for alpha in alphas])
    bottom.set(xlabel="weight α of the residual", ylabel="accuracy", ylim=(-0.03, 1.05))
    bottom.set_title("Whole blocks: a position probe in layer 6")
    return figure


@mpl.rc_context(STYLE)
def before_and_after_training(
    models: dict[str, tuple[Float[np.ndarray, "seed layer"], Float[np.ndarray, "seed layer"]]],
    task_accuracy: dict[str, Float[np.ndarray, " seed"]],
    chance: float,
) -> Picture:
    """{model: (probe at initialisation, probe after training)}, with the accuracy on the task in the titles."""
    figure = Picture(
        "Four small panels, each with the accuracy of a position probe from layer 0 to layer 3, before and after "
        "training. Learned positions with the residual: between 0.7 and 1 in all layers, and the task is solved. "
        "Learned positions without the residual: from 1 in layer 0 down to near chance in layer 3, before and after, "
        "and the task stands at its floor. Rotary positions, with the residual and without: near chance in every "
        "layer, before and after, and the task is solved or nearly so.",
        height=4.6,
    )
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, (name, (before, after)) in zip(panels.flat, models.items(), strict=True):
        _curve(axes, before, ("o", GREY, "--"), "before training")
        _curve(axes, after, ("s", BLUE, "-"), "after training")
        axes.axhline(chance, color=GREY, linewidth=0.8, linestyle=":")
        low, high = task_accuracy[name].min(), task_accuracy[name].max()
        axes.set_title(f"{name}\ntask {_span(low, high)}")
        axes.set(ylim=(-0.03, 1.05))
        axes.set_xticks(range(before.shape[1]))
    for axes in panels[1]:
        axes.set_xlabel("layer")
    for axes in panels[:, 0]:
        axes.set_ylabel("position probe")
    panels[1, 1].text(1.5, chance + 0.13, "dotted: chance", ha="center", color=GREY)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), frameon=False, loc="outside upper center", ncols=2)
    return figure


@mpl.rc_context(STYLE)
def patches_and_probes(
    image: Float[np.ndarray, "8 8"],
    shuffled: Float[np.ndarray, "8 8"],
    accuracies: dict[str, Float[np.ndarray, "seed layer"]],
    chance: float,
) -> Picture:
    """An image and its shuffled patches, and the position probe of patches by layer."""
    figure = Picture(
        "Top: a digit of 8 by 8 pixels cut into 16 patches of 2 by 2, and the same patches shuffled. Bottom: the "
        "accuracy of a probe for the place of a patch, in layers 0 to 2 of trained encoders. With learned positions "
        "it is 1 or close to it. Without positions it is about a quarter in every layer, above the line of chance at "
        "1/16. Without positions and with the patches of each image shuffled beforehand it is on that line.",
        height=4.9,
    )
    halves: Any = figure.subfigures(2, 1, height_ratios=[2, 3])
    top, bottom = halves
    for axes, pixels, title in zip(
        top.subplots(1, 2), (image, shuffled), ("as it is", "patches shuffled"), strict=True
    ):
        axes.imshow(pixels, cmap="Greys")
        for edge in (1.5, 3.5, 5.5):
            axes.axhline(edge, color=ORANGE, linewidth=1)
            axes.axvline(edge, color=ORANGE, linewidth=1)
        axes.set_axis_off()
        axes.set_title(title)
    axes = bottom.subplots()
    for (name, accuracy), style in zip(accuracies.items(), CURVES, strict=False):
        _curve(axes, accuracy, style, name)
    last = next(iter(accuracies.values())).shape[1] - 1
    _chance(axes, chance, last)
    axes.set(xlabel="layer", ylabel="accuracy of the place probe", ylim=(-0.03, 1.05))
    axes.set_xticks(range(last + 1))
    axes.legend(frameon=False, loc="center right", bbox_to_anchor=(1.0, 0.62))
    return figure


def _curve(axes: Axes, values: np.ndarray, style: tuple, name: str) -> None:
    """(seed, x), x = 0, 1, 2 …: the mean over the seeds as a line, their range as bars."""
    _points(axes, values, style[:2], name, linestyle=style[2])


def _points(axes: Axes, values: np.ndarray, style: tuple, name: str, linestyle: object = "none") -> None:
    marker, colour = style
    mean = values.mean(axis=0)
    axes.errorbar(
        np.arange(len(mean)),
        mean,
        yerr=np.stack([mean - values.min(axis=0), values.max(axis=0) - mean]).clip(min=0),
        fmt=marker,
        color=colour,
        linestyle=linestyle,
        linewidth=1,
        markersize=4,
        capsize=2,
        label=name,
    )


def _chance(axes: Axes, chance: float, right: int) -> None:
    axes.axhline(chance, color=GREY, linewidth=0.8, linestyle=":")
    axes.text(right, chance + 0.02, "chance", ha="right", va="bottom", color=GREY)


def _span(low: float, high: float) -> str:
    return f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
