"""A plane without a browser: its limits over all states, in words, and drawn by matplotlib."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from inorder.palette import LIGHT
from inorder.widgets.interact.drawing import DASHES, INK_DASHES, NOTE, draw_places, layers_in_words

HEIGHT = 3.0  # inches


def limits(panel: dict[str, Any], leaves: Callable[..., list[np.ndarray]]) -> dict[str, Any]:
    """Of both axes."""
    layers = list(enumerate(panel["layers"]))
    has_places = any(layer["kind"] != "lines" for _, layer in layers)
    limits = {}
    for axis, letter in enumerate("xy"):
        parts = [np.empty(0)]
        for i, layer in layers:
            if layer["kind"] == "lines":
                for name in (letter, "bands", "levels") if letter == "y" else (letter,):
                    parts += [leaf.ravel() for leaf in leaves("layers", i, name)]
            else:
                for name in ("xy", "tails") if "tails" in layer else ("xy",):
                    parts += [leaf[:, axis] for leaf in leaves("layers", i, name)]
        limits[f"{letter}_limits"] = [*_room(np.concatenate(parts), letter, has_places, letter in panel["log"])]
    return limits


def _room(numbers: np.ndarray, letter: str, places: bool, log: bool) -> tuple[float, float]:
    """From the smallest to the largest, with a margin up and down, and around places so that their marks are whole."""
    if not len(numbers):
        return (1.0, 10.0) if log else (0.0, 1.0)
    low, high = float(numbers.min()), float(numbers.max())
    if log:
        margin = (high / low) ** 0.04 if high > low else 2.0
        return low / margin, high * margin
    margin = 0.06 * (high - low) if high > low else 0.5 * (abs(high) or 1.0)
    if places:
        return low - margin, high + margin
    return (low, high) if letter == "x" and high > low else (low - (low != 0) * margin, high + margin)


def describe(panel: dict[str, Any]) -> str:
    axes = "" if panel["bare"] else f" (across: {panel['x_axis'] or 'x'}; up: {panel['y_axis'] or 'y'})"
    return f"a plane{axes} with {layers_in_words(panel['layers'])}."


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    axes.set(xlim=panel["x_limits"], ylim=panel["y_limits"], xlabel=panel["x_axis"], ylabel=panel["y_axis"])
    axes.set_xscale("log" if "x" in panel["log"] else "linear")
    axes.set_yscale("log" if "y" in panel["log"] else "linear")
    for letter in panel["log"]:
        low, high = panel[f"{letter}_limits"]
        axis = {"x": axes.xaxis, "y": axes.yaxis}[letter]
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
    if panel["equal"]:
        axes.set_aspect("equal", adjustable="box")
    if panel["bare"]:
        axes.axis("off")
    in_ink = 0
    for layer in panel["layers"]:
        if layer["kind"] == "lines":
            for y, name, actor in zip(layer["y"], layer["labels"], layer["actors"], strict=True):
                dash = INK_DASHES[in_ink % len(INK_DASHES)] if actor == "ink" else DASHES[actor]
                in_ink += actor == "ink" and not panel["bare"]
                axes.plot(layer["x"], y, color=LIGHT[actor], ls=dash, lw=2)
                axes.annotate(name, (layer["x"][-1], y[-1]), (4, 0), textcoords="offset points", va="center", **NOTE)
            for low, high in layer["bands"]:
                axes.fill_between(layer["x"], low, high, color=LIGHT["ink"], alpha=0.1, lw=0)
            for name, level in zip(layer["level_names"], layer["levels"], strict=True):
                axes.axhline(level, color=LIGHT["edge"], ls="--", lw=1)
                axes.annotate(name, (panel["x_limits"][1], level), (4, 0), textcoords="offset points", **NOTE)
            for x in layer["handle"]:
                axes.axvline(x, color=LIGHT["ink"], lw=1)
            continue
        draw_places(axes, layer)
