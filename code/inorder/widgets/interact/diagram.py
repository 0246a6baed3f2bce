"""The mark `diagram` without a browser: in words, and drawn by matplotlib."""

from typing import Any

from matplotlib.axes import Axes

from inorder.palette import LIGHT

HEIGHT = 3.2  # inches
SET_BY_HAND = "drag"


def describe(panel: dict[str, Any]) -> str:
    """The boxes, and which of them what comes in by the open door reaches."""
    parts = zip(panel["labels"], panel["details"], strict=True)
    names = [f"{label}, {detail}" if detail else label for label, detail in parts]
    reached = [name for name, depth in zip(names, panel["box_depths"], strict=True) if depth >= 0]
    comes = f"The door “{panel['opened']}” is open; what comes in reaches {'; '.join(reached)}"
    return f"a drawing of boxes and arrows: {'; '.join(names)}. {comes if panel['opened'] else 'All doors are shut'}."


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    places, doors = panel["places"], panel["door_places"]
    ways = [
        (places[start], places[end], depth >= 0)
        for (start, end), depth in zip(panel["ways"], panel["way_depths"], strict=True)
    ]
    for door, boxes in enumerate(panel["leads"]):
        ways += [(doors[door], places[box], panel["doors"][door] == panel["opened"]) for box in boxes]
    for start, end, is_red in ways:
        look: Any = {"arrowstyle": "-|>", "color": LIGHT["position" if is_red else "ink"], "shrinkB": 18}
        axes.annotate("", end, start, arrowprops=look)
    for i, (x, y) in enumerate(places):
        words = f"{panel['labels'][i]}\n{panel['details'][i]}".strip()
        colour = LIGHT["position" if panel["box_depths"][i] >= 0 else "ink"]
        box: Any = {"facecolor": LIGHT["raised"], "edgecolor": colour, "boxstyle": "round"}
        axes.text(x, y, words, ha="center", va="center", size=9, color=colour, bbox=box)
    for label, (x, y) in zip(panel["doors"], doors, strict=True):
        axes.text(x, y, label, ha="center", va="center", color=LIGHT["position"], bbox={"facecolor": LIGHT["paper"]})
    axes.set(xlim=(-4, 104), ylim=(104, -4))
    axes.axis("off")
