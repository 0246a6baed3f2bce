"""The mark `program` without a browser: in words, and drawn by matplotlib."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import blend

HEIGHT = 3.6  # inches
SET_BY_HAND = "drag"


def describe(panel: dict[str, Any]) -> str:
    """Which lines are lit, and which rows the ink has reached by then."""
    lines, lit, labels = panel["lines"], panel["lit"], panel["labels"]
    reached = [label for label, share in zip(labels, panel["values"][lit], strict=True) if share > 0]
    last = f"{lit} of {len(lines)} lines of code are lit, the last “{lines[lit - 1]}”"
    code = last if lit else f"{len(lines)} lines of code, none lit"
    return f"{code}. The ink of “{labels[panel['row']]}” is in the rows of {', '.join(reached)}."


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    values, n = panel["values"], len(panel["labels"])
    for (line, row, source), weight in np.ndenumerate(panel["threads"]):
        if weight:
            look: dict[str, Any] = {"alpha": 1.0 if line < panel["lit"] else 0.3, "zorder": 1}
            axes.plot((source, row), (line, line + 1), color=LIGHT["edge"], lw=0.8 + 5 * weight, **look)
    for (level, row), share in np.ndenumerate(values):
        fill, _ = blend(LIGHT["ink"], share if level <= panel["lit"] else 0.0)
        axes.add_patch(
            Rectangle((row - 0.3, level - 0.15), 0.6, 0.3, facecolor=fill, edgecolor=LIGHT["edge"], zorder=2)
        )
    for k, line in enumerate(panel["lines"]):
        colour = LIGHT["ink" if k < panel["lit"] else "muted"]
        axes.text(-0.7, k + 0.5, line, ha="right", va="center", family="monospace", size=9, color=colour)
    for row, label in enumerate(panel["labels"]):
        weight = "bold" if row == panel["row"] else "normal"
        axes.text(row, -0.35, label, ha="center", va="bottom", weight=weight)
    axes.set(xlim=(-5, n - 0.5), ylim=(len(panel["lines"]) + 0.3, -0.9))
    axes.axis("off")
