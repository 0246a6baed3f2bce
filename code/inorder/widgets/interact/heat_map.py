"""The mark `heat_map` without a browser: its limits over all states, in words, and drawn by matplotlib."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from inorder.widgets.interact.drawing import by, named
from inorder.widgets.kit.twin import SHARES, SIGNED, format_number

HEIGHT = 2.9  # inches
MOST_LETTERS = 41  # of column names that lie
SPEAKS = 0.05  # a smaller number is not written, in a map that reaches one half


def limits(_: dict[str, Any], leaves: Callable[..., list[np.ndarray]]) -> dict[str, Any]:
    numbers = np.concatenate([values[np.isfinite(values)] for values in leaves("values")])
    largest = float(np.abs(numbers).max(initial=0.0)) or 1.0
    return {"limits": [-largest if numbers.min(initial=0.0) < 0 else 0.0, largest]}


def describe(panel: dict[str, Any]) -> str:
    rows, columns = panel["values"].shape
    return f"a map of {rows}{by(panel['row_axis'])} × {columns}{by(panel['column_axis'])} cells."


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    top, left, rows, columns = panel["part"] or (0, 0, *panel["values"].shape)
    values = panel["values"][top : top + rows, left : left + columns]
    low, high = panel["limits"]
    colours = SIGNED if low < 0 else SHARES
    axes.imshow(np.where(np.isfinite(values), values, np.nan), cmap=colours, norm=Normalize(low, high), aspect="auto")
    if panel["digits"] is not None and values.size <= 100:
        quiet = SPEAKS * min(1, 2 * max(abs(low), abs(high))) if panel["digits"] else 0
        for (row, column), value in np.ndenumerate(values):
            if abs(value) < quiet:
                continue
            red, green, blue, _ = colours((value - low) / (high - low)) if np.isfinite(value) else (1.0, 1.0, 1.0, 1.0)
            ink = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 0.5 else "black"
            axes.text(column, row, format_number(value, panel["digits"]), ha="center", va="center", size=8, color=ink)
    axes.set(xlabel=panel["column_axis"], ylabel=panel["row_axis"], xticks=[], yticks=[])
    if panel["rows"]:
        axes.set_yticks(range(len(panel["rows"])), named(panel["row_actor"], panel["rows"]))
    if panel["columns"]:
        turned = 90 if sum(map(len, panel["columns"])) > MOST_LETTERS else 0
        axes.set_xticks(range(len(panel["columns"])), named(panel["column_actor"], panel["columns"]), rotation=turned)
