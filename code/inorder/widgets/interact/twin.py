"""The static twin of `interact`: one state, drawn by matplotlib, and told in words."""

from collections.abc import Sequence
from textwrap import fill
from types import ModuleType
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from inorder.palette import LIGHT
from inorder.widgets.interact import (
    blocks,
    cakes,
    clocks,
    crossing,
    diagram,
    ink,
    mirror,
    program,
    projections,
    sentence,
    space,
    stream,
)
from inorder.widgets.interact.drawing import DASHES, INK_DASHES, NOTE, SIGNS, by, draw_places, layers_in_words
from inorder.widgets.interact.states import call
from inorder.widgets.kit.twin import format_number
from inorder.widgets.marks import Mark, answer

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
FILLS = [("ink", "ink"), ("raised", "ink"), ("edge", "edge")]  # of the series of bars: face, outline
HEIGHTS = {"bars": 2.6, "plane": 3.0, "heat_map": 2.9, "table": 2.2, "text": 1.0}  # inches
MOST_ROWS_IN_WORDS = 8
MOST_BESIDE = 4  # panels in a row
MOST_LETTERS = 82  # of a line
SPEAKS = 0.05  # a smaller number is not written, in a map that reaches one half
# The extra marks, by kind: modules with `HEIGHT`, `describe(panel)` and `draw(axes, panel)`.
EXTRAS: dict[str, ModuleType] = {
    "blocks": blocks,
    "cakes": cakes,
    "clocks": clocks,
    "crossing": crossing,
    "diagram": diagram,
    "ink": ink,
    "mirror": mirror,
    "program": program,
    "projections": projections,
    "sentence": sentence,
    "space": space,
    "stream": stream,
}
# Marks that stand above the others, and the inches that they take.
ACROSS = {"crossing": 1.7, "ink": 1.1, "sentence": 0.6}


def describe_panel(panel: dict[str, Any]) -> str:
    """What kind of picture it is, for a reader who does not see it. Bars are told number by number."""
    words = _described(panel)
    return f"{panel['title']}: {words}" if panel["title"] else words[:1].upper() + words[1:]


def _described(panel: dict[str, Any]) -> str:
    kind = panel["kind"]
    if kind == "bars":
        return f"bars{_in_brackets(panel['axis'])}: {_values_in_words(panel)}."
    if kind == "plane":
        axes = "" if panel["bare"] else f" (across: {panel['x_axis'] or 'x'}; up: {panel['y_axis'] or 'y'})"
        return f"a plane{axes} with {layers_in_words(panel['layers'])}."
    if kind == "heat_map":
        rows, columns = panel["values"].shape
        return f"a map of {rows}{by(panel['row_axis'])} × {columns}{by(panel['column_axis'])} cells."
    if kind == "table":
        return f"a table (columns: {', '.join(panel['columns'])})."
    return EXTRAS[kind].describe(panel) if kind in EXTRAS else panel["words"]


def _in_brackets(axis: str) -> str:
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


def still(figure: Any, *marks: Mark) -> Figure:
    """The static twin of a named figure: these marks, its answer and its note."""
    words = fill(f"{figure.summary()} {figure.note()}", MOST_LETTERS)
    return draw_twin(call(lambda: [*marks, answer(words)], {}), figure.title, "")


def draw_twin(state: dict[str, Any], title: str, settings: str) -> Figure:
    """The panels of a state side by side, title and settings above, the answer below.

    A crossing, or a line of words without arcs, stands above the other panels, as on the page.
    """
    panels, answer = state["panels"], state["answer"]
    with matplotlib.rc_context(STYLE):
        heights = HEIGHTS | {kind: extra.HEIGHT for kind, extra in EXTRAS.items()}
        lines = [panel for panel in panels if panel["kind"] in ACROSS and not panel.get("rounds")]
        beside = [panel for panel in panels if not any(panel is line for line in lines)]
        lower = [beside[i : i + MOST_BESIDE] for i in range(0, len(beside), MOST_BESIDE)]
        rows = [[panel] for panel in lines] + lower
        tall = [ACROSS[panel["kind"]] for panel in lines]
        tall += [max(heights[panel["kind"]] for panel in row) / len(lower) ** 0.5 for row in lower]
        figure = Figure(figsize=(6.875, sum(tall) + 1.0), facecolor=LIGHT["paper"], layout="constrained")
        figure.suptitle(f"{title}\n{settings}".strip(), x=0.01, ha="left", size=11)
        grid = figure.add_gridspec(len(rows), 1, height_ratios=tall)
        for i, row in enumerate(rows):
            columns = grid[i].subgridspec(1, len(row))
            for j, panel in enumerate(row):
                axes = figure.add_subplot(columns[j])
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


def _draw_heat_map(axes: Axes, panel: dict[str, Any]) -> None:
    top, left, rows, columns = panel["part"] or (0, 0, *panel["values"].shape)
    values = panel["values"][top : top + rows, left : left + columns]
    low, high = panel["limits"]
    poles = ("negative", "raised", "positive") if low < 0 else ("raised", "ink")
    colours = LinearSegmentedColormap.from_list("", [LIGHT[pole] for pole in poles])
    axes.imshow(np.where(np.isfinite(values), values, np.nan), cmap=colours, norm=Normalize(low, high), aspect="auto")
    if panel["digits"] is not None and values.size <= 100:
        quiet = SPEAKS * min(1, 2 * max(abs(low), abs(high))) if panel["digits"] else 0
        for (row, column), value in np.ndenumerate(values):
            if abs(value) < quiet:
                continue
            red, green, blue, _ = colours((value - low) / (high - low)) if np.isfinite(value) else (1.0, 1.0, 1.0, 1.0)
            ink = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 0.5 else "black"
            axes.text(column, row, format_number(value, panel["digits"]), ha="center", va="center", size=8, color=ink)
    axes.set(xlabel=panel["column_axis"], ylabel=panel["row_axis"], xticks=[], yticks=[])
    if panel["rows"]:
        axes.set_yticks(range(len(panel["rows"])), _named(panel["row_actor"], panel["rows"]))
    if panel["columns"]:
        turned = 90 if sum(map(len, panel["columns"])) > MOST_LETTERS // 2 else 0
        axes.set_xticks(range(len(panel["columns"])), _named(panel["column_actor"], panel["columns"]), rotation=turned)


def _draw_table(axes: Axes, panel: dict[str, Any]) -> None:
    axes.axis("off")
    if panel["cards"]:
        _draw_cards(axes, panel)
        return
    columns = [(panel["columns"][name], digits) for name, digits in _columns_of(panel)]
    cells = [[_cell(column[i], digits) for column, digits in columns] for i in range(len(columns[0][0]))]
    heads = [f"{SIGNS[actor]}{name}" for name, actor in zip(panel["columns"], panel["actors"], strict=True)]
    axes.table(cells, rowLabels=panel["rows"] or None, colLabels=heads, loc="center", edges="horizontal")


def _draw_cards(axes: Axes, panel: dict[str, Any]) -> None:
    """A line for each row, in two columns, and what stands on its card."""
    half = -(-len(panel["rows"]) // 2)
    for i, row in enumerate(panel["rows"]):
        column, line = divmod(i, half)
        y = 1 - (line + 0.5) / half
        axes.text(0.5 * column, y, row, va="center", size=7.5)
        cells = (_cell(panel["columns"][name][i], digits) for name, digits in _columns_of(panel))
        axes.text(0.5 * column + 0.44, y, " ".join(cells), va="center", ha="right", size=8.5, weight="bold")


def _columns_of(panel: dict[str, Any]) -> list[tuple[str, int]]:
    return list(zip(panel["column_names"], panel["column_digits"], strict=True))


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
