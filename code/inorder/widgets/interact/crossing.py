"""The mark `crossing` without a browser: in words, and drawn by matplotlib."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import NEGATIVE, POSITIVE, blend

HEIGHT = 1.7  # inches
SET_BY_HAND = "drag"
EDGES = (0.75, 0.25)  # from which the threads lead, and to which


def describe(panel: dict[str, Any]) -> str:
    """Both lines of words, and which threads are whole."""
    whole = [panel["lower"][i] for i, kept in enumerate(panel["kept"]) if kept and panel["order"][i] >= 0]
    return (
        f"threads from the words {' '.join(panel['upper'])}, above, to {' '.join(panel['lower'])}, below; "
        f"whole are those of {', '.join(whole) or 'none'}."
    )


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    largest = max(map(abs, panel["limits"]))
    n, m = len(panel["upper"]), len(panel["lower"])
    top, foot = EDGES
    for words, side, edge, away in ((panel["upper"], "above", top, 1), (panel["lower"], "below", foot, -1)):
        joined = panel["order"] if away > 0 else np.flatnonzero(panel["order"] >= 0)
        for place, (word, row) in enumerate(zip(words, panel[side], strict=True)):
            left, width = place / len(words), 0.84 / len(words) / max(len(row), 1)
            for k, value in enumerate(row if place in joined else []):
                fill, _ = blend(POSITIVE if value > 0 else NEGATIVE, abs(value) / largest)
                corner = (left + 0.08 / len(words) + k * width, edge if away > 0 else edge - 0.1)
                axes.add_patch(Rectangle(corner, width, 0.1, facecolor=fill, edgecolor=LIGHT["edge"], lw=0.6))
            colour = LIGHT["ink" if place in joined else "muted"]
            note = panel["notes"][place] if away < 0 else ""
            text = f"{word}\n{note}".rstrip() if away < 0 else word
            place_of_text = (left + 0.5 / len(words), edge + away * 0.13)
            axes.text(*place_of_text, text, ha="center", va="bottom" if away > 0 else "top", color=colour, size=9)
    for to, start in enumerate(panel["order"].astype(int)):
        if start >= 0:
            x = [(start + 0.5) / n] * 2 + [(to + 0.5) / m] * 2
            curve = Path(list(zip(x, [top, 0.5, 0.5, foot], strict=True)), [Path.MOVETO, *[Path.CURVE4] * 3])
            look: dict[str, Any] = (
                {"edgecolor": LIGHT["ink"]} if panel["kept"][to] else {"edgecolor": LIGHT["edge"], "ls": "--"}
            )
            axes.add_patch(PathPatch(curve, fill=False, lw=1.5, **look))
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")
