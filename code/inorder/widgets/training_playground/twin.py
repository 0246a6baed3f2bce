"""The static twin of the playground: the curves as they stand, over what no training can pass."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inorder.palette import LIGHT
from inorder.widgets.training_playground import words

STYLES: list[Any] = [(0, (4, 2)), "-"]


def draw(figure: Any) -> Figure:
    picture = Figure(figsize=(6.875, 3.0), facecolor="white", layout="constrained")
    axes = picture.subplots()
    for row, style in zip(figure.accuracies, STYLES, strict=True):
        axes.plot(figure.tested, row, color=LIGHT["ink"], linestyle=style, lw=1.8)
    _level(axes, figure.floor, "blind to order or direction" if figure.floor == figure.ceiling else "blind to order")
    if figure.floor < figure.ceiling < 1:
        _level(axes, figure.ceiling, "blind to direction")
    axes.set(ylim=(0, 1.04), xlim=(0, max([200, *figure.tested])), xlabel="steps")
    axes.set_title("Share correct. Dashed: {}; solid: {}".format(*words.labels(figure)), loc="left", size=9)
    axes.spines[["top", "right"]].set_visible(False)
    picture.supxlabel(figure.summary(), x=0.01, ha="left", size=9)
    return picture


def _level(axes: Axes, height: float, text: str) -> None:
    axes.axhline(height, color=LIGHT["ink"], linestyle=":", lw=1)
    axes.text(1, height + 0.015, text, transform=axes.get_yaxis_transform(), ha="right", size=7.5)
