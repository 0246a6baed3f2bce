"""The static twin of PermutationPlayground: two tables whose rows are joined by lines."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import draw_matrix

if TYPE_CHECKING:
    from inorder.widgets.permutation_playground.figure import PermutationPlayground

MOST_COLUMNS, NAME, CROSSING = 8, 2.2, 3.0  # of a row; the room for words and for lines, in cells


def draw_twin(widget: "PermutationPlayground") -> Figure:
    """The state of the widget, drawn by matplotlib; one unit is one cell, and y runs downwards."""
    n, d_model = widget.output.shape
    columns = min(MOST_COLUMNS, d_model)
    some = "" if columns == d_model else f", the first {columns} numbers"
    right = 2 * NAME + columns + CROSSING
    width, height, top = right + columns, n + 4.6, 1.9
    figure = Figure(figsize=(7.5, 6.5 * height / width), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-0.2, width + 0.2), ylim=(height, 0))
    axes.axis("off")
    names = [token if len(token) <= 6 else f"{token[:5]}…" for token in widget.tokens]
    largest = max(abs(widget.output).max(), abs(widget.new_output).max())
    for left, order, values, equation, words in (
        (NAME, range(n), widget.output, "$f(X)$", "as given"),
        (right, widget.order, widget.new_output, "$f(PX)$", "recomputed"),
    ):
        rows = [names[token] if widget.position == "none" else f"{names[token]} {i}" for i, token in enumerate(order)]
        draw_matrix(
            axes,
            left,
            top,
            values[:, :columns],
            row_labels=rows,
            column_labels=[str(j) for j in range(columns)],
            equation=equation,
            words=words + some,
            largest=largest,
        )
    along = np.linspace(0, 1, 30)
    for place, token in enumerate(widget.order):
        bend = token + (place - token) * along**2 * (3 - 2 * along)
        axes.plot(NAME + columns + 0.2 + along * (CROSSING - 0.4), top + 0.5 + bend, color=LIGHT["ink"], lw=1.5)
    axes.text(0, height - 1.5, widget.summary(), size=10, va="center", parse_math=False)
    axes.text(0, height - 0.6, widget.note(), size=8, va="center", color=LIGHT["muted"], parse_math=False)
    return figure
