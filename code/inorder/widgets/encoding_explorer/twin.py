"""EncodingExplorer's static twin: the map, and beside it the hands and one curve."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from inorder.widgets.encoding_explorer.figure import EncodingExplorer

POLES: Any = [NEGATIVE, LIGHT["raised"], POSITIVE]
SIGNED = LinearSegmentedColormap.from_list("signed", POLES)
DIALS_SHOWN = 64
RADIUS = 0.42  # of a dial, in places


def draw_explorer(explorer: "EncodingExplorer") -> Figure:
    """The state of the explorer, as first seen in the browser."""
    has_hands = len(explorer.frequencies) > 0
    figure = Figure(figsize=(6.875, 3.6), facecolor="white", layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[1.7, 1], height_ratios=[1, 1])
    _draw_map(figure.add_subplot(grid[:, 0]), explorer)
    if has_hands:
        _draw_hands(figure.add_subplot(grid[0, 1]), explorer)
    _draw_wave(figure.add_subplot(grid[1, 1] if has_hands else grid[:, 1]), explorer)
    figure.supxlabel(f"{explorer.summary()} {explorer.note()}", size=9, x=0.02, ha="left")
    return figure


def _draw_map(axes: Axes, explorer: "EncodingExplorer") -> None:
    top, left, rows, columns = explorer.window
    encoding = explorer.encoding
    window = encoding[top : top + rows, left : left + columns]
    largest = 1.0 if len(explorer.frequencies) else float(abs(encoding).max()) or 1.0
    edges = (left - 0.5, left + columns - 0.5, top + rows - 0.5, top - 0.5)
    axes.imshow(
        window, cmap=SIGNED, vmin=-largest, vmax=largest, extent=edges, aspect="auto", interpolation="antialiased"
    )
    axes.axvspan(explorer.column - 0.5, explorer.column + 0.5, fill=False, edgecolor=LIGHT["ink"], lw=0.8)
    axes.axhspan(explorer.position - 0.5, explorer.position + 0.5, fill=False, edgecolor=LIGHT["position"], lw=1.5)
    axes.set(xlim=edges[:2], ylim=edges[2:])
    axes.tick_params(labelsize=8)
    axes.set_xlabel("column", size=8)
    axes.set_ylabel("position", size=8)


def _draw_wave(axes: Axes, explorer: "EncodingExplorer") -> None:
    first, _, rows, _ = explorer.window
    axes.plot(np.arange(first, first + rows), explorer.wave[first : first + rows], color=LIGHT["position"], lw=1.2)
    if first <= explorer.position < first + rows:
        axes.plot(explorer.position, explorer.value, "o", color=LIGHT["ink"], ms=5)
    axes.set_title(f"column {explorer.column}, along the positions", size=8.5, loc="left")
    axes.tick_params(labelsize=8)
    axes.axhline(0, color=LIGHT["edge"], lw=0.8, zorder=0)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_hands(axes: Axes, explorer: "EncodingExplorer") -> None:
    angle = explorer.position * explorer.frequencies
    n_drawn = min(len(angle), DIALS_SHOWN)
    chosen = explorer.column % len(angle) if explorer.column_layout == "halves" else explorer.column // 2
    across = math.ceil(math.sqrt(2 * n_drawn))
    x, y = np.arange(n_drawn) % across, -(np.arange(n_drawn) // across)
    turn = np.linspace(0, 2 * math.pi, 49)
    for j in range(n_drawn):
        colour, width = (LIGHT["ink"], 1.8) if j == chosen else (LIGHT["edge"], 0.8)
        axes.plot(x[j] + RADIUS * np.sin(turn), y[j] + RADIUS * np.cos(turn), color=colour, lw=width)
    tips = x + RADIUS * np.sin(angle[:n_drawn]), y + RADIUS * np.cos(angle[:n_drawn])
    axes.plot(*np.stack([(x, y), tips], axis=1), color=LIGHT["position"], lw=1.5)
    of = f"the first {n_drawn} of {len(angle)} hands" if n_drawn < len(angle) else "the hands"
    axes.set_title(f"{of} at position {explorer.position}, fastest first", size=8.5, loc="left")
    axes.set_aspect("equal")
    axes.axis("off")
