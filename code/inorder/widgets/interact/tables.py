"""The mark `table` without a browser: in words, and drawn by matplotlib."""

from typing import Any

from matplotlib.axes import Axes

from inorder.widgets.interact.drawing import cell

HEIGHT = 2.2  # inches


def describe(panel: dict[str, Any]) -> str:
    return f"a table (columns: {', '.join(panel['columns'])})."


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    axes.axis("off")
    if panel["cards"]:
        _draw_cards(axes, panel)
        return
    columns = [(panel["columns"][name], digits) for name, digits in _columns_of(panel)]
    cells = [[cell(column[i], digits) for column, digits in columns] for i in range(len(columns[0][0]))]
    axes.table(
        cells, rowLabels=panel["rows"] or None, colLabels=panel["column_names"], loc="center", edges="horizontal"
    )


def _draw_cards(axes: Axes, panel: dict[str, Any]) -> None:
    """A line for each row, in two columns, and what stands on its card."""
    half = -(-len(panel["rows"]) // 2)
    for i, row in enumerate(panel["rows"]):
        column, line = divmod(i, half)
        y = 1 - (line + 0.5) / half
        axes.text(0.5 * column, y, row, va="center", size=7.5)
        cells = (cell(panel["columns"][name][i], digits) for name, digits in _columns_of(panel))
        axes.text(0.5 * column + 0.44, y, " ".join(cells), va="center", ha="right", size=8.5, weight="bold")


def _columns_of(panel: dict[str, Any]) -> list[tuple[str, int]]:
    return list(zip(panel["column_names"], panel["column_digits"], strict=True))
