"""The static twin of the playground: the curves as they stand, or those of the first steps, trained by torch."""

from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from inorder.palette import LIGHT
from inorder.widgets.training_playground import setting, words

N_STEPS = 150  # of the twin of a playground in which nothing was trained yet
STYLES: list[Any] = [(0, (4, 2)), "-"]


class Run(NamedTuple):
    """What has been trained: one list a model."""

    losses: list[list[float]]
    tested: list[int]
    accuracies: list[list[float]]


def run(figure: Any) -> Run:
    """What the page has trained; before it has, the same first steps in torch."""
    if figure.losses[0]:
        return Run(figure.losses, figure.tested, figure.accuracies)
    from inorder.widgets.training_playground.in_torch import first_steps  # torch, for this alone

    settings = (figure.task, figure.mask, figure.n_layers, figure.seed, N_STEPS)
    losses, accuracies = zip(*(first_steps(name, *settings) for name in (figure.first, figure.second)), strict=True)
    return Run(list(losses), list(range(0, N_STEPS + 1, setting.TRAINING["test_every"])), list(accuracies))


def draw(figure: Any, outcome: Run) -> Figure:
    picture = Figure(figsize=(6.875, 3.0), facecolor="white", layout="constrained")
    right, loss = picture.subplots(1, 2)
    names = words.labels(figure)
    for row, style in zip(outcome.accuracies, STYLES, strict=True):
        right.plot(outcome.tested, row, color=LIGHT["ink"], linestyle=style, lw=1.8)
    for row, style in zip(outcome.losses, STYLES, strict=True):
        loss.plot(range(1, len(row) + 1), row, color=LIGHT["ink"], linestyle=style, lw=1.2)
    _level(right, figure.floor, "blind to order or direction" if figure.floor == figure.ceiling else "blind to order")
    if figure.floor < figure.ceiling < 1:
        _level(right, figure.ceiling, "blind to direction")
    right.set(ylim=(0, 1.04), xlabel="steps")
    loss.set(ylim=(0, None), xlabel="steps")
    right.set_title(f"Share correct. Dashed: {names[0]}", loc="left", size=9)
    loss.set_title(f"Loss. Solid: {names[1]}", loc="left", size=9)
    for axes in (right, loss):
        axes.spines[["top", "right"]].set_visible(False)
    picture.supxlabel(words.summary(figure, outcome.tested, outcome.accuracies), x=0.01, ha="left", size=9)
    return picture


def _level(axes: Axes, height: float, text: str) -> None:
    axes.axhline(height, color=LIGHT["ink"], linestyle=":", lw=1)
    axes.text(1, height + 0.015, text, transform=axes.get_yaxis_transform(), ha="right", size=7.5)
