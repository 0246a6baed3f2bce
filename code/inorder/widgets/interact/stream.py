"""The stream in the still twin: rows through layers, dyed by what they hold of each source, or inked by one."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import format_number

HEIGHT = 2.9  # inches
MOST_COLUMNS_IN_WORDS = 8
MOST_NUMBERS = 10  # of a level, written into its tiles
TO_CONES = np.array(  # OKLab to the cube roots of its cones, and these to linear red, green, blue
    [[1, 1, 1], [0.3963377774, -0.1055613458, -0.0894841775], [0.2158037573, -0.0638541728, -1.291485548]]
)
TO_RGB = np.array(
    [
        [4.0767416621, -1.2684380046, -0.0041960863],
        [-3.3077115913, 2.6097574011, -0.7034186147],
        [0.2309699292, -0.3413193965, 1.707614701],
    ]
)


def describe(panel: dict[str, Any]) -> str:
    """How many columns and layers, and what the columns hold at the end."""
    n, levels = len(panel["labels"]), panel["levels"]
    layers = "a layer" if len(levels) == 2 else f"{len(levels) - 1} layers"
    columns = f"{n} columns, from {levels[0]} up through {layers}"
    if n > MOST_COLUMNS_IN_WORDS:
        return f"{columns}."
    held = (
        f"{label} has {format_number(row.max(), panel['digits'] or 2)} of {panel['sources'][row.argmax()]}"
        for label, row in zip(panel["labels"], panel["values"][-1], strict=True)
    )
    return f"{columns}. At the end {', '.join(held)}."


def dye(shares: np.ndarray, lightness: float = 0.6) -> np.ndarray:
    """(…, source) to (…, 3): the colour of what holds these shares, from 0 to 1; dyes.js mixes the same.

    Each source has a hue in OKLab (Ottosson, 2020), all of the same lightness and strength.
    """
    angles = 2 * np.pi * np.arange(shares.shape[-1]) / shares.shape[-1] + 0.5
    hues = 0.125 * np.stack([np.cos(angles), np.sin(angles)], axis=-1)  # (source, 2)
    mixed = shares @ hues / np.maximum(shares.sum(axis=-1, keepdims=True), 1e-9)  # (…, 2)
    lab = np.concatenate([np.full_like(mixed[..., :1], lightness), mixed], axis=-1)
    linear = (lab @ TO_CONES) ** 3 @ TO_RGB
    linear = linear.clip(0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    values, threads = panel["values"], panel["threads"]
    n_levels, n, _ = values.shape
    ink = LinearSegmentedColormap.from_list("", [LIGHT["raised"], LIGHT["ink"]])
    yarn = LinearSegmentedColormap.from_list("", [LIGHT["hair"], LIGHT["ink"]])
    colours = ink(values[..., 0]) if panel["inked"] else dye(values)  # (level, row, channel)
    yarns = yarn(values[..., 0]) if panel["inked"] else colours
    for (level, row, source), weight in np.ndenumerate(threads if threads is not None else np.zeros((0, 0, 0))):
        if weight:
            axes.plot((source, row), (level, level + 1), color=yarns[level, source], lw=0.8 + 7 * weight, zorder=1)
    edge = LIGHT["edge"] if threads is not None else "none"
    side, half = (0.36, 0.22) if threads is not None else (0.48, 0.5)
    for (level, row), _ in np.ndenumerate(values[..., 0]):
        box = (row - side, level - half), 2 * side, 2 * half
        axes.add_patch(Rectangle(*box, facecolor=colours[level, row], edgecolor=edge, lw=0.75, zorder=2))
        if panel["inked"] and panel["digits"] is not None and n <= MOST_NUMBERS and values[level, row, 0]:
            text = format_number(values[level, row, 0], panel["digits"])
            white = values[level, row, 0] > 0.55
            axes.text(row, level, text, ha="center", va="center", size=9, color="white" if white else "black", zorder=3)
    axes.set(xlim=(-0.6, n - 0.4), ylim=(-0.5, n_levels - 0.5))
    axes.set_xticks(range(n), panel["labels"])
    axes.set_yticks(range(n_levels), panel["levels"])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
