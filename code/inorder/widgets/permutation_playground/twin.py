"""The static twin of PermutationPlayground: two tables whose rows are joined by lines."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import NEGATIVE, POSITIVE, ROUNDING, blend, format_number

if TYPE_CHECKING:
    from inorder.widgets.permutation_playground.figure import PermutationPlayground

# One unit is one cell; y runs downwards.
MOST_COLUMNS, NAME, RAIL, CROSSING = 5, 1.8, 0.6, 2.0  # cells of a row; the room for words, places and threads


def draw_twin(widget: "PermutationPlayground") -> Figure:
    """The state of the widget, drawn by matplotlib."""
    n, order, has_positions = len(widget.tokens), list(widget.order), widget.position != "none"
    output, anew, moved = widget.output, widget.new_output, widget.moved_output
    largest = max(abs(output).max(), abs(anew).max())
    columns = min(MOST_COLUMNS, output.shape[1])
    crossing = RAIL + NAME + columns
    right = crossing + CROSSING + RAIL
    width = right + NAME + columns
    unit = 6.875 / width  # inches
    figure = Figure(figsize=(6.875, unit * (1.25 * n + 2.8)), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-0.1, width + 0.1), ylim=(1.25 * n + 1.9, -0.9))
    axes.axis("off")
    size = 20 * unit
    text: dict[str, Any] = {"size": size, "va": "center", "parse_math": False}
    larger = {"size": 1.2 * size}
    some = "" if columns == output.shape[1] else f", {columns} of {output.shape[1]} numbers"
    axes.text(RAIL + NAME, -0.4, f"f(X), as given{some}", color=LIGHT["muted"], **text)
    axes.text(right + NAME, -0.4, "f(PX), recomputed", color=LIGHT["muted"], **text)

    def draw_row(left: float, place: int, token: int, values: np.ndarray, expected: np.ndarray) -> None:
        y = 1.25 * place + 0.5
        if has_positions:
            axes.text(left - 0.3, y, str(place), ha="right", weight="bold", color=LIGHT["position"], **text)
            axes.plot([left - 0.15, left], [y, y], color=LIGHT["position"], lw=1.5)
        word = shorten(widget.tokens[token], 6) or "␣"
        axes.text(left + NAME / 2, y, word, ha="center", family="serif", color=LIGHT["ink"], **(text | larger))
        for column in range(columns):
            value, x = values[column], left + NAME + column
            fill, ink = blend(POSITIVE if value > 0 else NEGATIVE, abs(value) / largest)
            axes.add_patch(Rectangle((x, y - 0.5), 1, 1, facecolor=fill, edgecolor="white", lw=0.8))
            axes.text(x + 0.5, y, format_number(value), ha="center", color=ink, **text)
            if abs(value - expected[column]) / abs(output).max() > ROUNDING:
                corner = [(x + 0.7, y - 0.5), (x + 1, y - 0.5), (x + 1, y - 0.2)]
                axes.add_patch(Polygon(corner, facecolor=ink, edgecolor="none"))

    for token in range(n):
        draw_row(RAIL, token, token, output[token], output[token])
    for place, token in enumerate(order):
        left, y = right, 1.25 * place
        axes.add_patch(Rectangle((left, y), NAME - 0.15, 1, facecolor="none", edgecolor=LIGHT["ink"], lw=1.2))
        draw_row(left, place, token, anew[place], moved[place])
        along = np.linspace(0, 1, 30)
        ends = 1.25 * token + 0.5, y + 0.5
        curve = ends[0] + (ends[1] - ends[0]) * (3 * along**2 - 2 * along**3)
        axes.plot(crossing + 0.2 + along * (CROSSING - 0.4), curve, color=LIGHT["ink"], lw=1.5)
    if has_positions:
        for left in (RAIL, right):
            axes.plot([left - 0.15] * 2, [0, 1.25 * n - 0.25], color=LIGHT["position"], lw=1.5)
    sign = "=" if widget.error <= ROUNDING else "≠"
    axes.text(0, 1.25 * n + 0.5, f"{sign}  {widget.summary()}", color=LIGHT["ink"], **(text | larger))
    axes.text(0, 1.25 * n + 1.3, widget.note(), color=LIGHT["muted"], **text)
    return figure


def shorten(text: str, length: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + "…"
