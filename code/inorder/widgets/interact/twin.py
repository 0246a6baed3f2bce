"""The static twin of `interact`: one state, drawn by matplotlib, and told in words."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from inorder.palette import LIGHT
from inorder.widgets.interact import sentence, stream
from inorder.widgets.kit.twin import format_number

STYLE: Any = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.linewidth": 0.75,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": LIGHT["ink"],
    "text.parse_math": False,
    "axes.labelcolor": LIGHT["ink"],
    "axes.edgecolor": LIGHT["edge"],
    "xtick.color": LIGHT["muted"],
    "ytick.color": LIGHT["muted"],
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "mathtext.fontset": "cm",
}
SHAPES = {"query": "D", "key": "o", "value": "s", "position": "^", "ink": "o"}
SIGNS = {"query": "◆ ", "key": "● ", "value": "■ ", "position": "▲ ", "ink": ""}  # before a name
DASHES: dict[str, Any] = {"query": "dashdot", "key": "dotted", "value": "solid", "position": "dashed", "ink": "solid"}
INK_DASHES: list[Any] = ["solid", (0, (6, 3)), (0, (2, 2)), (0, (8, 2, 2, 2))]  # of the curves in ink, one by one
FILLS = [("ink", "ink"), ("raised", "ink"), ("edge", "edge")]  # of the series of bars: face, outline
HEIGHTS = {"bars": 2.6, "plane": 3.0, "heat_map": 2.9, "table": 2.2, "text": 1.0}  # inches
MOST_ROWS_IN_WORDS = 8
# The extra marks, by kind: modules with `HEIGHT`, `describe(panel)` and `draw(axes, panel)`.
EXTRAS: dict[str, ModuleType] = {"sentence": sentence, "stream": stream}


def describe_panel(panel: dict[str, Any]) -> str:
    """What kind of picture it is, for a reader who does not see it. Bars are told number by number."""
    title = f"{panel['title']}: " if panel["title"] else ""
    kind = panel["kind"]
    if kind == "bars":
        return f"{title}bars{_of(panel['axis'])}: {_values_in_words(panel)}."
    if kind == "plane":
        layers = "; ".join(_layer_in_words(layer) for layer in panel["layers"])
        axes = "" if panel["bare"] else f", {panel['x_axis'] or 'x'} across and {panel['y_axis'] or 'y'} up"
        return f"{title}a plane{axes}, with {layers}."
    if kind == "heat_map":
        rows, columns = panel["values"].shape
        return f"{title}a map of {rows}{_by(panel['row_axis'])} × {columns}{_by(panel['column_axis'])} cells."
    if kind == "table":
        return f"{title}a table of {', '.join(panel['columns'])}."
    if kind in EXTRAS:
        return f"{title}{EXTRAS[kind].describe(panel)}"
    return f"{title}{panel['words']}"


def _of(axis: str) -> str:
    return f" of {axis}" if axis else ""


def _by(axis: str) -> str:
    return f" ({axis})" if axis else ""


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


def _layer_in_words(layer: dict[str, Any]) -> str:
    if layer["kind"] == "lines":
        curves = [name for name in layer["labels"] if name]
        return f"the curves {', '.join(curves)}" if len(curves) > 1 else f"a curve{_by(''.join(curves))}"
    names = ", ".join(layer["labels"])
    n, kind = len(layer["xy"]), layer["kind"]
    return f"{n} {kind if n > 1 else kind[:-1]}{_by(names)}"


def draw_twin(state: dict[str, Any], title: str, settings: str) -> Figure:
    """The panels of a state side by side, title and settings above, the answer below."""
    panels, answer = state["panels"], state["answer"]
    with matplotlib.rc_context(STYLE):
        heights = HEIGHTS | {kind: extra.HEIGHT for kind, extra in EXTRAS.items()}
        height = max(heights[panel["kind"]] for panel in panels)
        figure = Figure(figsize=(6.875, height + 1.0), facecolor=LIGHT["paper"], layout="constrained")
        figure.suptitle(f"{title}\n{settings}", x=0.01, ha="left", size=11)
        for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            axes.set_facecolor("none")
            axes.set_title(panel["title"])
            (EXTRAS[panel["kind"]].draw if panel["kind"] in EXTRAS else _DRAW[panel["kind"]])(axes, panel)
        if answer:
            sign = f"{answer['sign']}  " if answer["sign"] else ""
            figure.supxlabel(f"{sign}{answer['words']}", x=0.01, ha="left", size=11, wrap=True)
    return figure


def _draw_bars(axes: Axes, panel: dict[str, Any]) -> None:
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
    extra = [" · ".join(_cell(cells[i], panel["digits"]) for cells in panel["columns"].values()) for i in range(n)]
    labels = [f"{label}  {more}".rstrip() for label, more in zip(panel["labels"], extra, strict=True)]
    axes.set_yticks(range(n), _named(panel["actor"], labels))
    axes.set(ylim=(n - 0.5, -0.5), xlim=(low, high + 0.12 * (high - low)), xlabel=panel["axis"])


def _draw_plane(axes: Axes, panel: dict[str, Any]) -> None:
    axes.set(xlim=panel["x_limits"], ylim=panel["y_limits"], xlabel=panel["x_axis"], ylabel=panel["y_axis"])
    axes.set_xscale("log" if "x" in panel["log"] else "linear")
    axes.set_yscale("log" if "y" in panel["log"] else "linear")
    if panel["equal"]:
        axes.set_aspect("equal", adjustable="box")
    if panel["bare"]:
        axes.axis("off")
    note: dict[str, Any] = {"path_effects": [withStroke(linewidth=2.5, foreground=LIGHT["paper"])], "size": 9}
    in_ink = 0
    for layer in panel["layers"]:
        if layer["kind"] == "lines":
            for y, name, actor in zip(layer["y"], layer["labels"], layer["actors"], strict=True):
                dash = INK_DASHES[in_ink % len(INK_DASHES)] if actor == "ink" else DASHES[actor]
                in_ink += actor == "ink" and not panel["bare"]
                axes.plot(layer["x"], y, color=LIGHT[actor], ls=dash, lw=2)
                axes.annotate(name, (layer["x"][-1], y[-1]), (4, 0), textcoords="offset points", va="center", **note)
            continue
        colour = LIGHT[layer["actor"]]
        if layer["kind"] == "points":
            across, up = layer["xy"].T
            axes.scatter(across, up, marker=SHAPES[layer["actor"]], color=colour, s=36, zorder=3)
        else:
            for tail, tip in zip(layer["tails"], layer["xy"], strict=True):
                axes.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2})
        for name, place in zip(layer["labels"], layer["xy"], strict=False):
            axes.annotate(name, place, (6, 5), textcoords="offset points", zorder=4, **note)


def _draw_heat_map(axes: Axes, panel: dict[str, Any]) -> None:
    values = panel["values"]
    low, high = panel["limits"]
    poles = ("negative", "raised", "positive") if low < 0 else ("raised", "ink")
    colours = LinearSegmentedColormap.from_list("", [LIGHT[pole] for pole in poles])
    axes.imshow(np.where(np.isfinite(values), values, np.nan), cmap=colours, norm=Normalize(low, high), aspect="auto")
    if panel["digits"] is not None and values.size <= 100:
        for (row, column), value in np.ndenumerate(values):
            red, green, blue, _ = colours((value - low) / (high - low)) if np.isfinite(value) else (1.0, 1.0, 1.0, 1.0)
            ink = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 0.5 else "black"
            axes.text(column, row, format_number(value, panel["digits"]), ha="center", va="center", size=9, color=ink)
    axes.set(xlabel=panel["column_axis"], ylabel=panel["row_axis"], xticks=[], yticks=[])
    if panel["rows"]:
        axes.set_yticks(range(len(panel["rows"])), _named(panel["row_actor"], panel["rows"]))
    if panel["columns"]:
        axes.set_xticks(range(len(panel["columns"])), _named(panel["column_actor"], panel["columns"]))


def _draw_table(axes: Axes, panel: dict[str, Any]) -> None:
    axes.axis("off")
    columns = list(panel["columns"].values())
    cells = [[_cell(column[i], panel["digits"]) for column in columns] for i in range(len(columns[0]))]
    heads = [f"{SIGNS[actor]}{name}" for name, actor in zip(panel["columns"], panel["actors"], strict=True)]
    axes.table(cells, rowLabels=panel["rows"] or None, colLabels=heads, loc="center", edges="horizontal")


def _draw_text(axes: Axes, panel: dict[str, Any]) -> None:
    axes.axis("off")
    axes.text(0, 0.5, panel["words"], va="center", wrap=True)


def _cell(cell: Any, digits: int) -> str:
    return cell if isinstance(cell, str) else format_number(cell, digits)


def _named(actor: str, names: Sequence[str]) -> list[str]:
    return [f"{SIGNS[actor]}{name}" for name in names]


_DRAW = {
    "bars": _draw_bars,
    "plane": _draw_plane,
    "heat_map": _draw_heat_map,
    "table": _draw_table,
    "text": _draw_text,
}
