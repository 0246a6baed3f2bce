"""LanguageModel in print: the prompt before and after the move, how the model goes on, and the likeliest tokens."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import format_number
from inorder.widgets.language_model.words import POSITIONS, note, spell

if TYPE_CHECKING:
    from inorder.widgets.language_model.figure import LanguageModel

MOST = 5  # tokens
WIDTH, LINE = 68.75, 1.8  # tenths of an inch; y runs downwards


def draw(figure: "LanguageModel") -> Figure:
    results = figure.results or {"next": [[], []], "texts": ["", ""]}
    lines = [(f"Positions: {POSITIONS[figure.positions]}", "muted")]
    for name, colour, prompt, text in zip(
        ("before", "after"), ("muted", "ink"), figure.prompts, results["texts"], strict=True
    ):
        lines += [(line, colour) for line in wrap(f"{name}: {prompt} →{text}", 100)]
    top, end = LINE * len(lines) + 2, LINE * (len(lines) + MOST) + 3
    lines_below = [*wrap(figure.summary(), 90), note(figure)]
    height = end + LINE * len(lines_below)
    picture = Figure(figsize=(WIDTH / 10, height / 10), facecolor="white")
    axes = picture.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
    axes.axis("off")
    plain: dict[str, Any] = {"va": "center", "parse_math": False, "size": 8.5}
    for i, (line, colour) in enumerate(lines):
        axes.text(0.5, 1.2 + LINE * i, line, color=LIGHT[colour], **plain)
    longest = max((p for tokens in results["next"] for _, p in tokens[:MOST]), default=1)
    for tokens, colour, left in zip(results["next"], ("muted", "ink"), (10, 10 + WIDTH / 2), strict=True):
        for i, (token, share) in enumerate(tokens[:MOST]):
            y = top + LINE * i
            axes.barh(y, (WIDTH / 2 - 16) * share / longest, height=1.1, left=left + 4, color=LIGHT[colour])
            axes.text(left, y, spell(token), ha="right", **plain)
            axes.text(left + 3.5, y, format_number(share), ha="right", **plain)
    for i, line in enumerate(lines_below):
        axes.text(0.5, end + LINE * i, line, color=LIGHT["ink"], **plain)
    return picture
