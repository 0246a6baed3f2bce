"""SchemeExplorer in print: accuracy while learning, and by the length of the text."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inorder.palette import LIGHT

DASHES: list[Any] = ["-", (0, (6, 2)), (0, (2, 2)), (0, (7, 2, 2, 2)), (0, (1, 1.5)), (0, (10, 3))]
INK, MUTED = LIGHT["ink"], LIGHT["muted"]


def draw_schemes(explorer: Any) -> Figure:
    """Both charts beside each other, and the names of the lines at the right."""
    figure = Figure(figsize=(6.875, 3.1), facecolor="white", layout="constrained")
    learning, lengths = figure.subplots(1, 2, sharey=True)
    there = explorer.setting
    for number, name in enumerate(explorer.schemes):
        scheme = there["schemes"][name]
        _line(learning, scheme["curve"], number)
        _line(lengths, scheme["test"], number, label=scheme["label"])
    if there["training"]:
        for bound, dash in zip(there["training"], ("--", ":"), strict=True):
            learning.axhline(bound, color=MUTED, linewidth=1, linestyle=dash)
    for bound, dash in (("floor", "--"), ("ceiling", ":")):
        lengths.plot(there["lengths"], there[bound], color=MUTED, linewidth=1, linestyle=dash)
    lengths.axvspan(*explorer.trained_on, color=LIGHT["hair"], alpha=0.5, linewidth=0)
    lengths.axvline(explorer.length, color=INK, linewidth=0.8)
    learning.set(xlabel="training steps", ylabel="accuracy", ylim=(0, 1.03))
    lengths.set(xlabel="tokens; shaded: training lengths")
    for axes in (learning, lengths):
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    learning.set_title(explorer.task, loc="left", size=9, parse_math=False)
    figure.supxlabel(explorer.summary(), size=9, x=0.01, ha="left", parse_math=False)
    return figure


def _line(axes: Axes, spread: dict[str, Any], number: int, label: str | None = None) -> None:
    axes.fill_between(spread["x"], spread["low"], spread["high"], color=INK, alpha=0.1, linewidth=0)
    axes.plot(spread["x"], spread["mean"], color=INK, linewidth=1.5, linestyle=DASHES[number], label=label)
