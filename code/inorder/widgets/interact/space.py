"""The still of marks in space: as they look from the view of one state."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from inorder.palette import LIGHT
from inorder.widgets.interact.drawing import SHAPES, draw_places, layers_in_words
from inorder.widgets.marks import view_matrix

HEIGHT = 3.0  # inches
SET_BY_HAND = "turn"


def limits(panel: dict[str, Any], leaves: Callable[..., list[np.ndarray]]) -> dict[str, Any]:
    """The sphere around all that there is in any state: (x, y, z, radius)."""
    parts = [np.empty((0, 3))]
    for i, layer in enumerate(panel["layers"]):
        for name in ("xyz", "tails") if "tails" in layer else ("xyz",):
            parts += leaves("layers", i, name)
    corners = np.concatenate(parts)  # (place, axis)
    corners = corners if len(corners) else np.zeros((1, 3))
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    radius = float(np.linalg.norm(corners - middle, axis=1).max())
    return {"sphere": [*middle.tolist(), radius or 1.0]}


def describe(panel: dict[str, Any]) -> str:
    """From where it is seen, and what it holds."""
    layers = layers_in_words(panel["layers"])
    around, above = panel["view"]
    return f"space, turned by {around:g}° and seen from {above:g}° above, with {layers}.".replace("-", "−")


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    view = view_matrix(*panel["view"])  # (axis, page)
    x, y, z, radius = panel["sphere"]
    middle = np.array([x, y, z]) @ view
    ruler = middle[0] + 1.2 * radius
    heights = []
    for layer in panel["layers"]:
        xy = layer["xyz"] @ view
        if layer["kind"] == "lines":
            axes.plot(*xy.T, color=LIGHT[layer["actor"]], ls="solid" if layer["actor"] == "ink" else "dashed", lw=1.5)
            if len(xy) > 2 and np.array_equal(layer["xyz"][0], layer["xyz"][-1]):
                axes.fill(*xy.T, color=LIGHT[layer["actor"]], alpha=0.08, lw=0)
            continue
        tails = {"tails": layer["tails"] @ view} if layer["kind"] == "arrows" else {}
        draw_places(axes, layer | {"xy": xy} | tails)
        if panel["heights"] and layer["kind"] == "points":
            heights.append((xy[:, 1], layer["actor"]))
    for up, actor in heights:
        axes.scatter(np.full(len(up), ruler), up, marker=SHAPES[actor], color=LIGHT[actor], s=24, zorder=3)
    if panel["heights"]:
        axes.vlines(ruler, middle[1] - radius, middle[1] + radius, color=LIGHT["edge"], lw=1)
        axes.annotate(
            panel["heights"], (ruler, middle[1] - radius), (0, -4), textcoords="offset points", ha="right", va="top"
        )
    right = ruler if panel["heights"] else middle[0] + radius
    axes.set(xlim=(middle[0] - 1.1 * radius, right + 0.1 * radius), ylim=middle[1] + 1.1 * radius * np.array([-1, 1]))
    axes.set_aspect("equal", adjustable="box")
    axes.axis("off")
