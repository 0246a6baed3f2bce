"""The mark `mirror` without a browser: in words, and drawn by matplotlib."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import NEGATIVE, POSITIVE, blend, format_number

HEIGHT = 3.2  # inches
SET_BY_HAND = "drag"


def describe(panel: dict[str, Any]) -> str:
    """Both texts, and whether one table serves them."""
    text, image = (" ".join(panel["labels"][word] for word in order) for order in _orders(panel))
    tables = "one table" if np.array_equal(panel["left"], panel["right"]) else "two different tables"
    return f"“{text}” and beside it its mirror image “{image}”, with {tables} of numbers below."


def _orders(panel: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    order = panel["order"].astype(int)
    return order, order[::-1]


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    n, largest = len(panel["labels"]), max(map(abs, panel["limits"])) or 1
    isone = np.array_equal(panel["left"], panel["right"])
    for side, order, start in zip(("left", "right"), _orders(panel), (0, n + 2), strict=True):
        for place, word in enumerate(order):
            axes.text(start + place + 0.5, -2, panel["labels"][word], ha="center", va="center")
        corner = n / 2 + 1 if isone else start
        for (row, column), value in np.ndenumerate(panel[side]):
            fill, ink = blend(POSITIVE if value > 0 else NEGATIVE, abs(value) / largest)
            axes.fill_between([corner + column, corner + column + 1], row, row + 1, facecolor=fill, edgecolor="w")
            x, text = corner + column + 0.5, format_number(value, panel["digits"])
            axes.text(x, row + 0.5, text, ha="center", va="center", color=ink)
        for k, word in enumerate(panel["labels"]):
            axes.text(corner - 0.1, k + 0.5, word, ha="right", va="center", size=9)
            axes.text(corner + k + 0.5, -0.3, word, ha="center", va="center", size=9)
    axes.axvline(n + 1, 0.8, 1, color=LIGHT["edge"], ls="--")
    axes.set(xlim=(-1, 2 * n + 3), ylim=(n + 0.2, -2.6))
    axes.axis("off")
