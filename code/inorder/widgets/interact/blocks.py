"""The mark `blocks` without a browser: in words, and drawn by matplotlib."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import SHARES, format_number

HEIGHT = 2.9  # inches
SET_BY_HAND = "drag"
KEPT = 2.6  # the width of a number that is kept, in cells


def limits(_: dict[str, Any], leaves: Callable[..., list[np.ndarray]]) -> dict[str, Any]:
    return {"limits": [0.0, max(float(values.max(initial=0.0)) for values in leaves("values")) or 1.0]}


def describe(panel: dict[str, Any]) -> str:
    """How large the table would be, and which block of it is there."""
    (rows, columns), (row, column) = panel["values"].shape, panel["at"].astype(int)
    n, m = np.array(panel["counts"]) * (rows, columns)
    there = f"only the block of {rows} × {columns} in row {row} and column {column} is there"
    kept = f"Of each of the queries it keeps {', '.join(panel['names'])}."
    return f"a table of {n} queries and {m} keys, of which {there}. {kept}"


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    values, at, n = panel["values"], panel["at"].astype(int), panel["kept"].shape[1]
    (rows, columns), width = values.shape, panel["counts"][1] * values.shape[1]
    axes.add_patch(Rectangle((0, 0), width, n, fill=False, edgecolor=LIGHT["edge"], ls="--"))
    for (down, across), value in np.ndenumerate(values):
        corner = (at[1] * columns + across, at[0] * rows + down)
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=SHARES(value / panel["limits"][1])))
    axes.add_patch(
        Rectangle((at[1] * columns, at[0] * rows), columns, rows, fill=False, edgecolor=LIGHT["ink"], lw=1.5)
    )
    for k, name in enumerate(panel["names"]):
        right = width + 0.8 + (k + 0.9) * KEPT
        axes.text(right, -0.4, name, ha="right", size=9)
        for line in range((at[0] + 1) * rows):
            text = format_number(panel["kept"][k, line])
            axes.text(right, line + 0.5, text, ha="right", va="center", size=7)
    axes.set(xlim=(-0.1, width + 1 + KEPT * len(panel["names"])), ylim=(n + 0.1, -1.2), aspect="equal")
    axes.axis("off")
