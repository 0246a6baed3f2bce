"""The still figures on how position survives the layers."""

from typing import Any

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from inorder.book.drawing import (
    INK,
    MUTED,
    POSITION,
    SERIES,
    STYLE,
    Picture,
    draw_cells,
    draw_range,
    listed,
    said,
    span,
)


@mpl.rc_context(STYLE)
def position_by_layer(accuracies: dict[str, Float[np.ndarray, "seed layer"]], chance: float) -> Picture:
    """{variant: accuracy of the position probe}, layer 0 being the input; mean and range over the seeds."""
    told = []
    for name, accuracy in accuracies.items():
        means = accuracy.mean(axis=0)
        told.append(
            f"{name}: {said(means[0])} at the input, {said(means[1])} after one layer, {said(means[-1])} at the end."
        )
    figure = Picture(
        "The accuracy of a linear position probe against the number of layers passed, from 0, the input, to "
        f"{len(means) - 1}, in encoders with random weights; a dotted line marks chance, {said(chance)}. "
        f"{' '.join(told)}",
        height=4.4,
    )
    axes = figure.subplots()
    for (name, accuracy), style in zip(accuracies.items(), SERIES, strict=False):
        _curve(axes, accuracy, style, name)
    _chance(axes, chance, accuracies[next(iter(accuracies))].shape[1] - 1)
    axes.set(xlabel="layers passed", ylabel="accuracy of the position probe", ylim=(-0.03, 1.05))
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2)
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
    ends = listed(f"{said(rows[:, -1].mean(), '.1g')} for {alpha:g}" for alpha, rows in sorted(own_share.items()))
    found = listed(f"{said(values.mean())} for {alpha:g}" for alpha, values in sorted(probe.items()))
    figure = Picture(
        "Two panels. Top: the part of a row that is its own, on a logarithmic axis, against the layer, for "
        f"{len(own_share)} weights of the residual. It falls from layer to layer, the faster the smaller the weight, "
        f"and ends at {ends}; the measured points lie along the derived curves. Bottom: the accuracy of a position "
        f"probe after the last layer of whole blocks against the weight of the residual: {found}.",
        height=6.8,
    )
    top, bottom = figure.subplots(2, 1, height_ratios=[3, 2])
    for (alpha, shares), (marker, colour, line) in zip(sorted(own_share.items(), reverse=True), SERIES, strict=False):
        top.plot(derived[alpha], color=colour, linestyle=line, linewidth=1)
        _points(top, shares, (marker, colour), f"α = {alpha:g}")
    top.set(yscale="log", xlabel="layers passed", ylabel="own part of a row, 1 − cosine")
    top.set_title("Averaging layers: derived (lines), measured (points)")
    top.set_yticks([1, 1e-2, 1e-4, 1e-6], ["1", "0.01", "0.0001", "10⁻⁶"])
    top.minorticks_off()
    top.legend(loc="lower left")
    alphas = sorted(probe)
    accuracy = np.array([probe[alpha] for alpha in alphas]).T  # (seed, α)
    _curve(bottom, accuracy, ("o", INK, "-"), "position probe")
    _chance(bottom, chance, len(alphas) - 1)
    bottom.set_xticks(range(len(alphas)), [f"{alpha:g}" for alpha in alphas])
    bottom.set(xlabel="weight α of the residual", ylabel="accuracy", ylim=(-0.03, 1.05))
    bottom.set_title("Whole blocks: a position probe after six layers")
    return figure


@mpl.rc_context(STYLE)
def before_and_after_training(
    models: dict[str, tuple[Float[np.ndarray, "seed layer"], Float[np.ndarray, "seed layer"]]],
    task_accuracy: dict[str, Float[np.ndarray, " seed"]],
    chance: float,
) -> Picture:
    """{model: (probe before training, probe after)}, a line a seed, with the accuracy on the task in the titles."""
    told = []
    for name, (_, after) in models.items():
        told.append(
            f"{name}: after training {span(after[:, 0])} at the input and {span(after[:, -1])} after the last layer; "
            f"task {span(task_accuracy[name])}."
        )
    figure = Picture(
        f"{len(models)} small panels, each with the accuracy of a position probe by layer, one line a seed, before and "
        f"after training; a dotted line marks chance, {said(chance)}. {' '.join(told)}",
        height=5.8,
    )
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, (name, (before, after)) in zip(panels.flat, models.items(), strict=True):
        for values, style, label in ((before, "o--", "before training"), (after, "s-", "after training")):
            colour = MUTED if values is before else INK
            lines = axes.plot(values.T, style, color=colour, linewidth=1, markersize=4)
            lines[0].set_label(label)
        axes.axhline(chance, color=MUTED, linewidth=0.8, linestyle=":")
        low, high = task_accuracy[name].min(), task_accuracy[name].max()
        axes.set_title(f"{name}\ntask {_span(low, high)}")
        axes.set(ylim=(-0.03, 1.05))
        axes.set_xticks(range(before.shape[1]))
    for axes in panels[1]:
        axes.set_xlabel("layers passed")
    for axes in panels[:, 0]:
        axes.set_ylabel("position probe")
    panels[1, 1].text(1.5, chance + 0.13, "dotted: chance", ha="center", color=MUTED)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


@mpl.rc_context(STYLE)
def patches_and_probes(
    image: Float[np.ndarray, "8 8"],
    shuffled: Float[np.ndarray, "8 8"],
    accuracies: dict[str, Float[np.ndarray, "seed layer"]],
    chance: float,
) -> Picture:
    """An image and its shuffled patches, and the position probe of patches by layer."""
    told = (f"{name}: {span(accuracy)}." for name, accuracy in accuracies.items())
    figure = Picture(
        f"Top: a digit of {image.shape[0]} by {image.shape[1]} pixels cut into patches, and the same patches "
        "shuffled. Bottom: the accuracy of a probe for the place of a patch, by layer, in trained encoders; a dotted "
        f"line marks chance, {said(chance)}. {' '.join(told)}",
        height=6.1,
    )
    halves: Any = figure.subfigures(2, 1, height_ratios=[2, 3])
    top, bottom = halves
    for axes, pixels, title in zip(
        top.subplots(1, 2), (image, shuffled), ("as it is", "patches shuffled"), strict=True
    ):
        draw_cells(axes, pixels, largest=pixels.max())
        axes.set_aspect("equal")
        for edge in (1.5, 3.5, 5.5):
            axes.axhline(edge, color=POSITION, linewidth=1)
            axes.axvline(edge, color=POSITION, linewidth=1)
        axes.set_axis_off()
        axes.set_title(title)
    axes = bottom.subplots()
    for (name, accuracy), style in zip(accuracies.items(), SERIES, strict=False):
        _curve(axes, accuracy, style, name)
    last = next(iter(accuracies.values())).shape[1] - 1
    _chance(axes, chance, last)
    axes.set(xlabel="layers passed", ylabel="accuracy of the place probe", ylim=(-0.03, 1.05))
    axes.set_xticks(range(last + 1))
    axes.legend(loc="center right", bbox_to_anchor=(1.0, 0.62))
    return figure


def _curve(axes: Axes, values: np.ndarray, style: tuple, name: str) -> None:
    """(seed, x), x = 0, 1, 2 …: the mean over the seeds as a line, their range as bars."""
    _points(axes, values, style[:2], name, linestyle=style[2])


def _points(axes: Axes, values: np.ndarray, style: tuple, name: str, linestyle: object = "none") -> None:
    marker, colour = style
    x = np.arange(values.shape[1])
    draw_range(axes, x, values, seeds=0, marker=marker, color=colour, linestyle=linestyle, label=name)


def _chance(axes: Axes, chance: float, right: int) -> None:
    axes.axhline(chance, color=MUTED, linewidth=0.8, linestyle=":")
    axes.text(right, chance + 0.02, "chance", ha="right", va="bottom", color=MUTED)


def _span(low: float, high: float) -> str:
    return f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
