"""The mark `cakes` without a browser: in words, and drawn by matplotlib."""

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Wedge

from inorder.palette import LIGHT
from inorder.widgets.interact.stream import dye
from inorder.widgets.kit.twin import format_number

HEIGHT = 2.6  # inches
SET_BY_HAND = "drag"


def describe(panel: dict[str, Any]) -> str:
    """How many cakes each word eats in all."""
    labels = panel["labels"]
    totals = (f"{label} {format_number(total, 2)}" for label, total in zip(labels, panel["values"].sum(0), strict=True))
    return f"{len(labels)} cakes, each cut into {len(labels)} slices. Eaten in all: {', '.join(totals)}."


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    hues = dye(np.eye(len(panel["labels"])))
    for i, (word, shares) in enumerate(zip(panel["labels"], panel["values"], strict=True)):
        axes.text(i, -0.65, word, ha="center", color=LIGHT["query"])
        ends = np.concatenate([[0], np.cumsum(shares)])
        for hue, angles in zip(hues, pairwise(360 * ends - 90), strict=True):  # clockwise, on an axis that runs down
            axes.add_patch(Wedge((i, 0), 0.42, *angles, facecolor=hue, edgecolor=LIGHT["paper"], lw=0.8))
        total = format_number(panel["values"][:, i].sum(), 2)
        axes.text(i, 0.9, f"{word}\n{total}", ha="center", va="center", color=hues[i])
    axes.text(-0.6, 0.6, "Eaten in all", va="center", size=9, color=LIGHT["muted"])
    axes.set(xlim=(-0.6, len(panel["labels"]) - 0.4), ylim=(1.3, -1), aspect="equal")
    axes.axis("off")
