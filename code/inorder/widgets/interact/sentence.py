"""The mark `sentence` without a browser: in words, and drawn by matplotlib."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path

from inorder.palette import LIGHT

HEIGHT = 2.4  # inches
SET_BY_HAND = "drag"
THICKEST = 9.0  # points


def limits(_: dict[str, Any], leaves: Callable[..., list[np.ndarray]]) -> dict[str, Any]:
    return {"limits": [0.0, float(max(weights.max(initial=0.0) for weights in leaves("weights"))) or 1.0]}


def describe(panel: dict[str, Any]) -> str:
    arcs = f", and arcs between them. {panel['spoken']}" if panel["rounds"] else "."
    return f"the words {' '.join(_in_order(panel))} in tiles{arcs}"


def _in_order(panel: dict[str, Any]) -> list[str]:
    return [panel["labels"][token] for token in np.argsort(panel["places"])]


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    order = np.argsort(panel["places"])
    lengths = [max(len(label), len(note), 2) for label, note in zip(panel["labels"], panel["notes"], strict=True)]
    widths = 0.45 * np.array(lengths) + 0.7  # letters of a size of 2
    ends = np.cumsum(widths[order] + 0.4)
    centres = np.empty(len(order))
    centres[order] = ends - 0.4 - widths[order] / 2
    whole = ends[-1] - 0.4
    rise = 0.22 * whole
    tall = 1.5 if any(panel["notes"]) else 0.9
    for token, label in enumerate(panel["labels"]):
        asks = token == panel["asks"]
        if token not in panel["small"]:
            box = FancyBboxPatch(
                (centres[token] - widths[token] / 2, -tall / 2),
                widths[token],
                tall,
                boxstyle="round,pad=0,rounding_size=0.15",
                facecolor=LIGHT["raised"],
                edgecolor=LIGHT["query" if asks else "ink"],
                linewidth=2 if asks else 1,
            )
            axes.add_patch(box)
        colour = LIGHT["muted" if token in panel["small"] else "ink"]
        text = "\n".join(filter(None, [label, panel["notes"][token]]))
        axes.text(centres[token], 0, text, ha="center", va="center", size=min(13, 260 / whole), color=colour)
    low, high = panel["limits"]
    for name, side, weights in zip(panel["rounds"], (1, -1), panel["weights"], strict=False):
        edge = side * tall / 2
        for row, column in np.argwhere(weights > low):
            start, end = centres[[row, column]]
            far = abs(end - start) / whole
            bend = rise * far**0.75 / 0.6 if row != column else 0.4 * rise
            spread = 0.0 if row != column else 0.8
            corners = [(start - spread, edge), (start - spread, edge + side * bend)]
            corners += [(end + spread, edge + side * bend), (end + spread, edge)]
            curve = Path(corners, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
            colour = LIGHT["query" if row == panel["asks"] else "ink"]
            share = min((weights[row, column] - low) / (high - low), 1)
            thick = 1.5 if panel["heads"] else THICKEST * share
            axes.add_patch(PathPatch(curve, fill=False, edgecolor=colour, linewidth=thick, capstyle="butt"))
            if panel["heads"]:
                axes.plot(end, edge + side * 0.12, marker="v" if side > 0 else "^", color=colour, markersize=6)
        axes.text(0, side * (rise + tall / 2 + 0.1), name, va="center", size=9, color=LIGHT["muted"])
    reach = rise + tall / 2 + 0.4 if panel["rounds"] else tall
    axes.set(xlim=(-0.2, whole + 0.2), ylim=(-reach if len(panel["rounds"]) > 1 else -tall, reach))
    axes.axis("off")
