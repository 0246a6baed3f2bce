"""What the playground says, as words.js says it on the page."""

from typing import Any

from inorder.widgets.kit.twin import format_number
from inorder.widgets.training_playground import setting

NOT_YET = "Neither has learned anything yet: press Play."


def labels(figure: Any) -> tuple[str, str]:
    return setting.SCHEMES[figure.first], setting.SCHEMES[figure.second]


def summary(figure: Any, tested: list[int], accuracies: list[list[float]]) -> str:
    """The answer: how often each is right, at the last test."""
    if not tested or tested[-1] == 0:
        return NOT_YET
    one, other = (format_number(float(row[-1])) for row in accuracies)
    names = labels(figure)
    steps = f"After {tested[-1]} steps"
    if one == other:
        return f"{steps} both are right in {one} of the cases."
    return f"{steps}: {names[0]} {one} right; {names[1]} {other}."


def note(figure: Any) -> str:
    """What no training can pass."""
    low, high = format_number(float(figure.floor)), format_number(float(figure.ceiling))
    if low == high:
        return f"Blind to order or to direction, no model passes {low}."
    return f"Blind to order, no model passes {low}; blind to direction, {high}."


def alt_text(figure: Any, run: Any) -> str:
    names = labels(figure)
    return (
        f"Two curves of the accuracy on “{setting.TASKS[figure.task]}”, and two of the loss, over {run.tested[-1]} "
        f"steps of training: {names[0]} dashed, {names[1]} solid. {summary(figure, run.tested, run.accuracies)} "
        f"{note(figure)}"
    )
