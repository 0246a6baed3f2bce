"""What the stills of planes and spaces share: the looks of actors, and places with their names."""

from collections.abc import Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import format_number, listed

SHAPES = {"query": "D", "key": "o", "value": "s", "position": "^", "ink": "o"}
SIGNS = {"query": "◆ ", "key": "● ", "value": "■ ", "position": "▲ ", "ink": ""}  # before a name
DASHES: dict[str, Any] = {"query": "dashdot", "key": "dotted", "value": "solid", "position": "dashed", "ink": "solid"}
INK_DASHES: list[Any] = [
    "solid",
    (0, (6, 3)),
    (0, (2, 2)),
    (0, (8, 2, 2, 2)),
    (0, (1, 1.5)),
    (0, (10, 3)),
]  # of the curves in ink, one by one
NOTE: dict[str, Any] = {"path_effects": [withStroke(linewidth=2.5, foreground=LIGHT["paper"])], "size": 9}


def by(axis: str) -> str:
    return f" ({axis})" if axis else ""


def layers_in_words(layers: Iterable[dict[str, Any]]) -> str:
    """What a plane or a space holds: its curves, then each layer of points or arrows."""
    curves: list[str] = []
    places: list[str] = []
    for layer in layers:
        if layer["kind"] == "lines":
            curves += layer["labels"] or [""]
        else:
            names = layer["labels"]
            if "shares" in layer:
                names = [f"{name} {format_number(share)}" for name, share in zip(names, layer["shares"], strict=True)]
            places += _counted(layer["kind"], len(layer["xyz" if "xyz" in layer else "xy"]), names)
    return listed([*_counted("curves", len(curves), curves), *places] or ["nothing in it yet"])


def _counted(kind: str, n: int, labels: Iterable[str]) -> list[str]:
    names = [name for name in labels if name]
    some = "among them " if 0 < len(names) < n else ""
    return [f"{n} {kind[:-1] if n == 1 else kind}{by(some + ', '.join(names))}"] if n else []


def draw_places(axes: Axes, layer: dict[str, Any]) -> None:
    colour = LIGHT[layer["actor"]]
    if layer["kind"] == "points":
        across, up = layer["xy"].T
        axes.scatter(across, up, marker=SHAPES[layer["actor"]], color=colour, s=36, zorder=3)
    elif layer["kind"] == "threads":
        for tail, tip, share in zip(layer["tails"], layer["xy"], layer["shares"], strict=True):
            axes.plot(*zip(tail, tip, strict=True), color=colour, alpha=0.35, lw=1 + 20 * share, solid_capstyle="round")
    else:
        for tail, tip in zip(layer["tails"], layer["xy"], strict=True):
            axes.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2})
    for name, place in zip(layer["labels"], layer["xy"], strict=False):
        axes.annotate(name, place, (6, 5), textcoords="offset points", zorder=4, **NOTE)


def cell(content: Any, digits: int) -> str:
    return content if isinstance(content, str) else format_number(content, digits)


def named(actor: str, names: Sequence[str]) -> list[str]:
    return [f"{SIGNS[actor]}{name}" for name in names]
