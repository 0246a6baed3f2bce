"""What the playground says; words.js fills in the same sentences on the page."""

from typing import Any

from inorder.widgets.kit.twin import format_number
from inorder.widgets.training_playground import setting

TEMPLATES = {
    "untrained": "Neither has learned anything yet: press Play.",
    "equal": "After {steps} steps both are right {right} of the time.",
    "unequal": "After {steps} steps, {first}: {first_right} right; {second}: {second_right}.",
    "bound": "A model blind to order or to direction can’t get past {bound}.",
    "bounds": "A model blind to order can’t get past {floor}; one blind to direction, {ceiling}.",
}


def labels(figure: Any) -> tuple[str, str]:
    every = figure.known["schemes"]
    return every[figure.first]["label"], every[figure.second]["label"]


def summary(figure: Any, tested: list[int], accuracies: list[list[float]]) -> str:
    """The answer: how often each is right, at the last test."""
    if not tested or tested[-1] == 0:
        return figure.say("untrained")
    one, other = (format_number(float(row[-1])) for row in accuracies)
    if one == other:
        return figure.say("equal", steps=tested[-1], right=one)
    first, second = labels(figure)
    return figure.say("unequal", steps=tested[-1], first=first, first_right=one, second=second, second_right=other)


def note(figure: Any) -> str:
    """The bounds that no training can get past."""
    low, high = format_number(float(figure.floor)), format_number(float(figure.ceiling))
    if low == high:
        return figure.say("bound", bound=low)
    return figure.say("bounds", floor=low, ceiling=high)


def alt_text(figure: Any) -> str:
    first, second = labels(figure)
    return (
        f"Two curves of the accuracy on “{setting.TASKS[figure.task]}” over the steps of training: “{first}” dashed, "
        f"“{second}” solid. {summary(figure, figure.tested, figure.accuracies)} {note(figure)}"
    )
