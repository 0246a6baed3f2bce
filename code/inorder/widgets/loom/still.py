"""The loom at rest, by matplotlib: threads as wide as weights, and a cloth of 16 stripes for each word."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from inorder.palette import LIGHT

DYES = ("#8444ac", "#3aa3d2", "#d19512", "#22806f", "#28287a", "#5d2310")  # as in dyes.js
THREAD = 7.0  # points, of a weight of 1
THINNEST = 0.02  # a weight that is drawn
WIDTH = 0.88  # of a row of the cloth, where a place is 1


def draw_threads(axes: Axes, weights: np.ndarray, words: list[str], order: list[int]) -> None:
    """From each row of a layer to those that read it, in the dye of its word; the words above."""
    n_layers, place = len(weights), np.argsort(order)
    for layer, query, key in np.ndindex(weights.shape):
        weight = weights[layer, query, key] + (query == key)  # the residual sum keeps a row itself
        if weight < THINNEST:
            continue
        top, bottom = -float(layer), -float(layer) - 1
        start, end = (float(place[key]), top), (float(place[query]), bottom)
        bend = [start, (start[0], (top + bottom) / 2), (end[0], (top + bottom) / 2), end]
        path = Path(bend, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        colour = DYES[words.index(words[key])]
        axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=THREAD * weight, alpha=0.8))
    for word, text in enumerate(words):
        label: dict[str, Any] = {"ha": "center", "color": LIGHT["ink"], "parse_math": False}
        axes.text(place[word], 0.12, text, size=12, va="bottom", **label)
        axes.text(place[word], 0.02, str(place[word]), size=7, va="bottom", **label | {"color": LIGHT["position"]})
    axes.set_xlim(-0.6, len(words) - 0.4)
    axes.set_ylim(-n_layers - 1.6, 0.6)


def draw_cloth(
    axes: Axes,
    rows: np.ndarray,
    first: np.ndarray,
    words: list[str],
    order: list[int],
    *,
    changed: np.ndarray,
    n_layers: int,
) -> None:
    """Below the layers each word's last row, under it the first cloth, and a red stitch where a number is another."""
    place = np.argsort(order)
    step = WIDTH / rows.shape[1]
    for word, column in np.ndindex(rows.shape):
        dye = np.array(to_rgb(DYES[words.index(words[word])]))
        for value, at, top, height in (
            (rows[word, column], place[word], -n_layers - 0.1, 0.7),
            (first[word, column], word, -n_layers - 1.0, 0.4),
        ):
            depth = 0.15 + 0.85 * (0.5 + 0.5 * np.tanh(0.9 * value))
            corner = (at - WIDTH / 2 + column * step, top - height)
            axes.add_patch(Rectangle(corner, step, height, facecolor=1 - (1 - dye) * depth, edgecolor="none"))
        if changed[word, column]:
            corner = (place[word] - WIDTH / 2 + (column + 0.2) * step, -n_layers - 0.84)
            axes.add_patch(Rectangle(corner, 0.6 * step, 0.08, facecolor=LIGHT["position"], edgecolor="none"))
    for word, text in enumerate(words):
        axes.text(word, -n_layers - 1.42, text, size=8, ha="center", va="top", style="italic", parse_math=False)
