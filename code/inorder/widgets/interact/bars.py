"""The mark `bars` without a browser: its limits over all states, in words, and drawn by matplotlib."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from inorder.palette import LIGHT
from inorder.widgets.interact.drawing import by, cell, named
from inorder.widgets.kit.twin import format_number

HEIGHT = 2.6  # inches
FILLS = [("ink", "ink"), ("raised", "ink"), ("edge", "edge")]  # of the series: face, outline
MOST_ROWS_IN_WORDS = 8


def limits(_: dict[str, Any], leaves: Callable[..., list[np.ndarray]]) -> dict[str, Any]:
    numbers = np.concatenate([values.ravel() for values in leaves("values")])
    low, high = min(0.0, float(numbers.min())), max(0.0, float(numbers.max()))
    return {"limits": [low, high if high > low else low + 1.0]}


def describe(panel: dict[str, Any]) -> str:
    """Number by number."""
    return f"bars{by(panel['axis'])}: {_values_in_words(panel)}."


def _values_in_words(panel: dict[str, Any]) -> str:
    if len(panel["labels"]) > MOST_ROWS_IN_WORDS:
        return f"{len(panel['labels'])} rows from {panel['labels'][0]} to {panel['labels'][-1]}"
    sentences = []
    for name, row in zip(panel["series"], panel["values"], strict=True):
        numbers = (
            f"{label} {format_number(value, panel['digits'])}"
            for label, value in zip(panel["labels"], row, strict=True)
        )
        sentences.append((f"{name}: " if name else "") + ", ".join(numbers))
    return "; ".join(sentences)


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    series, n = panel["values"].shape
    width = 0.8 / series
    low, high = panel["limits"]
    for k, (name, row) in enumerate(zip(panel["series"], panel["values"], strict=True)):
        face, outline = FILLS[k]
        places = np.arange(n) + (k - (series - 1) / 2) * width
        axes.barh(places, row, width * 0.9, color=LIGHT[face], edgecolor=LIGHT[outline], label=name)
        for place, value in zip(places, row, strict=True):
            text = format_number(value, panel["digits"])
            axes.text(max(value, 0) + 0.01 * (high - low), place, text, va="center", size=9)
    if series > 1:
        axes.legend(frameon=False, fontsize=9)
    if panel["reference"] is not None:
        axes.axvline(panel["reference"], color=LIGHT["edge"], ls="--", lw=1)
    extra = [" · ".join(cell(cells[i], panel["digits"]) for cells in panel["columns"].values()) for i in range(n)]
    labels = [f"{label}  {more}".rstrip() for label, more in zip(panel["labels"], extra, strict=True)]
    axes.set_yticks(range(n), named(panel["actor"], labels))
    axes.set(ylim=(n - 0.5, -0.5), xlim=(low, high + 0.12 * (high - low)), xlabel=panel["axis"])
