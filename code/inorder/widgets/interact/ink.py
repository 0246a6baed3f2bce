"""The mark `ink` without a browser: in words, and drawn by matplotlib."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import format_number

HEIGHT = 1.1  # inches
LARGEST = 600.0  # square points of a blot that has all the weight
MENTIONED = 0.05


def describe(panel: dict[str, Any]) -> str:
    labels, weights = panel["labels"], panel["weights"]
    dark = [i for i in np.argsort(-weights, kind="stable") if weights[i] >= MENTIONED]
    told = ", ".join(f"{labels[i]} {format_number(weights[i])}" for i in dark)
    asks = "" if panel["asks"] is None else f"“{labels[panel['asks']]}” asks. "
    return f"the words {' '.join(labels)}. {asks}Ink under {told or f'no word as much as {MENTIONED}'}."


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    n = len(panel["labels"])
    largest = panel["weights"].max()
    for i, (word, note, weight) in enumerate(zip(panel["labels"], panel["notes"], panel["weights"], strict=True)):
        colour = LIGHT["edge" if i in panel["absent"] else panel["actor"]]
        axes.text(i, 1, f"{word}\n{note}".rstrip(), ha="center", va="center", size=min(13, 260 / n), color=colour)
        axes.scatter(i, 0, s=LARGEST * weight, color=LIGHT["ink"], alpha=weight**0.4, lw=0)
        if weight == largest >= MENTIONED:
            axes.text(i, -0.8, format_number(weight), ha="center", va="center", size=9, color=LIGHT["muted"])
    if panel["asks"] is not None:
        axes.scatter(panel["asks"], 1.7, marker="D", color=LIGHT["query"], s=36)
    if panel["target"] is not None:
        axes.scatter(panel["target"], 0, s=LARGEST, facecolor="none", edgecolor=LIGHT["edge"], ls="--")
    axes.set(xlim=(-0.6, n - 0.4), ylim=(-1.1, 2.1))
    axes.axis("off")
