"""The mark `cakes` without a browser: in words, and drawn by matplotlib."""

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Wedge

from inorder.palette import LIGHT
from inorder.widgets.interact.stream import dye
from inorder.widgets.kit.twin import format_number

HEIGHT = 4.6  # inches
SET_BY_HAND = "drag"


def describe(panel: dict[str, Any]) -> str:
    """How many cakes the slices of each row, or of each column, make together."""
    n, axis = len(panel["labels"]), 0 if panel["across"] else 1
    totals = (
        f"{label} {format_number(total, 2)}"
        for label, total in zip(panel["labels"], panel["values"].sum(axis=axis), strict=True)
    )
    one, other = ("row", "column") if panel["across"] else ("column", "row")
    return f"{n} × {n} slices. Those of a {one} make one cake, those of a {other} make: {', '.join(totals)}."


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    n, across = len(panel["labels"]), panel["across"]
    hues = dye(np.eye(n))
    for i, word in enumerate(panel["labels"]):
        axes.text(-2.1, i, word, ha="right", va="center", color=LIGHT["query" if across else "key"])
        axes.text(i, -0.6, word, ha="center", va="bottom", color=LIGHT["key" if across else "query"])
        for line, at in ((panel["values"][i], (-1.0, i)), (panel["values"][:, i], (i, n + 0.1))):
            ends = np.concatenate([[0], np.cumsum(line)])
            if abs(ends[-1] - 1) > 1e-6:
                axes.text(at[0], at[1], format_number(ends[-1], 2), ha="center", va="center", size=9)
                continue
            for k, (start, end) in enumerate(pairwise(ends)):
                _wedge(axes, at, start, end, hues[k])
    for (row, column), share in np.ndenumerate(panel["values"]):
        _wedge(axes, (column, row), 0, share, hues[column if across else row])
    axes.set(xlim=(-3.6, n - 0.4), ylim=(n + 0.6, -1.1), aspect="equal")
    axes.axis("off")


def _wedge(axes: Axes, middle: tuple[float, float], start: float, end: float, colour: np.ndarray) -> None:
    """A slice from one share of the cake to another, clockwise from the top, on an axis that runs down."""
    angles = 360 * start - 90, 360 * end - 90
    axes.add_patch(Wedge(middle, 0.42, *angles, facecolor=colour, edgecolor=LIGHT["paper"], lw=0.8))
