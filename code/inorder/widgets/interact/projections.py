"""The mark `projections` without a browser: in words, and drawn by matplotlib."""

from typing import Any

from matplotlib.axes import Axes

from inorder.palette import LIGHT
from inorder.widgets.interact.drawing import SHAPES, SIGNS
from inorder.widgets.kit.twin import format_number, listed

HEIGHT = 3.0  # inches
SET_BY_HAND = "drag"
ACTORS = ("query", "key", "value")


def describe(panel: dict[str, Any]) -> str:
    """Which row is on its way, and where it lands."""
    ends = [
        f"{actor} ({', '.join(format_number(number, 1) for number in pair)})"
        for actor, pair in zip(ACTORS, panel["landed"], strict=True)
    ]
    label = panel["labels"][int(panel["chosen"][0])]
    return (
        f"a table with a row for each of the words {', '.join(panel['labels'])}; the row of {label} goes through three "
        f"matrices and lands, in the plane of queries and keys and in that of values, as {listed(ends)}."
    )


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    chosen = int(panel["chosen"][0])
    for i, (label, row) in enumerate(zip(panel["labels"], panel["rows"], strict=True)):
        text = f"{label}   {'  '.join(format_number(number, 0) for number in row)}"
        axes.text(0.0, 0.9 - 0.2 * i, text, color=LIGHT["ink" if i == chosen else "muted"], size=10)
    for k, (actor, pair) in enumerate(zip(ACTORS, panel["landed"], strict=True)):
        y = 0.85 - 0.35 * k
        arrow = {"arrowstyle": "-|>", "color": LIGHT[actor]}
        axes.annotate(
            f"W {actor[0].upper()}", (0.6, y), (0.4, 0.93 - 0.2 * chosen), arrowprops=arrow, color=LIGHT[actor]
        )
        axes.plot(0.62, y + 0.02, SHAPES[actor], color=LIGHT[actor])
        numbers = ", ".join(format_number(number, 1) for number in pair)
        axes.text(0.65, y, f"{SIGNS[actor]}({numbers})", color=LIGHT[actor], size=10)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.axis("off")
