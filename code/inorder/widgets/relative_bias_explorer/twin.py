"""RelativeBiasExplorer's static twin: one curve, and the map of all pairs."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import NEGATIVE, POSITIVE, WEIGHT, blend

if TYPE_CHECKING:
    from inorder.widgets.relative_bias_explorer.figure import RelativeBiasExplorer


def draw_twin(widget: "RelativeBiasExplorer") -> Figure:
    """The state of the widget, as first seen in the browser."""
    figure = Figure(figsize=(6.875, 3.4), facecolor="white", layout="constrained")
    curve, pairs = figure.subplots(1, 2, width_ratios=[1.5, 1])
    _draw_curve(curve, widget)
    _draw_pairs(pairs, widget)
    title = f"{widget.labels[widget.scheme]}: {widget.formulas()[widget.scheme]}"
    figure.suptitle(title, size=9.5, x=0.02, ha="left", parse_math=False)
    figure.supxlabel(f"{widget.summary()}\n{widget.note()}", size=8.5, x=0.02, ha="left", parse_math=False)
    return figure


def _draw_curve(axes: Axes, widget: "RelativeBiasExplorer") -> None:
    kernel, row = widget.kernels[widget.scheme], widget.rows[widget.scheme]
    seen = np.arange(widget.n) - widget.query
    if not widget.as_weights:
        axes.plot(widget.distances, np.where(np.isinf(kernel), np.nan, kernel), "o-", color="0.75", lw=0.8, ms=2)
    axes.plot(seen, np.where(np.isinf(row), np.nan, row), "o-", color=LIGHT["ink"], lw=1, ms=2.5)
    if widget.as_weights:
        axes.set_ylim(bottom=0)
    axes.axvline(0, color=LIGHT["edge"], lw=0.8, zorder=0)
    axes.axvline(widget.key - widget.query, color=LIGHT["position"], lw=1, linestyle="--", zorder=0)
    if np.isfinite(row[widget.key]):
        axes.plot(widget.key - widget.query, row[widget.key], "o", mfc="none", mec=LIGHT["position"], ms=9, mew=2)
    axes.set_xlabel("distance to the key", size=8)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_pairs(axes: Axes, widget: "RelativeBiasExplorer") -> None:
    table = widget.weights if widget.as_weights else widget.bias
    hidden = np.isinf(table)
    largest = max(float(abs(table[~hidden]).max()), 1e-12)
    pole = [WEIGHT if widget.as_weights else NEGATIVE if x < 0 else POSITIVE for x in table.flat]
    share = np.where(hidden, 0, abs(table) / largest)
    fills = [blend(colour, x)[0] for colour, x in zip(pole, share.flat, strict=True)]
    axes.imshow(np.array(fills).reshape(*table.shape, 3), interpolation="nearest")
    for i, j in np.argwhere(hidden):
        axes.plot([j - 0.4, j + 0.4], [i + 0.4, i - 0.4], color="0.7", lw=0.5)
    axes.add_patch(Rectangle((-0.5, widget.query - 0.5), widget.n, 1, fill=False, edgecolor=LIGHT["ink"], lw=1.2))
    axes.plot(widget.key, widget.query, "s", color="none", markeredgecolor=LIGHT["position"], markersize=6, mew=2)
    axes.set_xlabel("key", size=8)
    axes.set_ylabel("query", size=8)
    axes.tick_params(labelsize=8)
