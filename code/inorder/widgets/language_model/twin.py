"""LanguageModel in print: both prompts with what the model generates, and the likeliest next tokens as paired bars."""

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import format_number
from inorder.widgets.language_model.words import POSITIONS, note, spell

if TYPE_CHECKING:
    from inorder.widgets.language_model.figure import LanguageModel

INK, MUTED = LIGHT["ink"], LIGHT["muted"]
MOST = 6  # tokens
# In tenths of an inch; y runs downwards.
WIDTH, BARS, LINE, PAIR = 68.75, 17.0, 1.8, 3.0


def next_rows(results: dict[str, Any]) -> list[tuple[str, list[float | None]]]:
    """The likeliest tokens after either prompt, with both probabilities; None where a token is not in that list."""
    tables = [dict(tokens) for tokens in results["next"]]
    tokens = sorted({**tables[0], **tables[1]}, key=lambda token: -max(table.get(token, 0) for table in tables))
    return [(token, [table.get(token) for table in tables]) for token in tokens[:MOST]]


def draw(figure: "LanguageModel") -> Figure:
    texts = figure.results.get("texts", ["", ""])
    lines = [f"Positions: {POSITIONS[figure.positions]}"]
    for name, prompt, text in zip(("first", "second"), figure.prompts, texts, strict=True):
        lines += wrap(f"{name}: {prompt} →{text}", 100)
    answer = [*wrap(figure.summary(), 90), note(figure)]
    rows = next_rows(figure.results) if figure.results else []
    height = LINE * (len(lines) + len(answer) + 1) + PAIR * len(rows) + 2
    picture = Figure(figsize=(WIDTH / 10, height / 10), facecolor="white")
    axes = picture.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
    axes.axis("off")
    plain: dict[str, Any] = {"va": "center", "parse_math": False}
    for i, line in enumerate(lines):
        axes.text(0.5, 1.2 + LINE * i, line, size=8.5, color=INK if i else MUTED, **plain)
    top = 2 + LINE * len(lines)
    longest = max((p for _, shares in rows for p in shares if p is not None), default=1)
    for i, (token, shares) in enumerate(rows):
        y = top + PAIR * i
        axes.text(BARS - 4.5, y + 1.2, spell(token), size=9, ha="right", **plain)
        for side, (share, colour) in enumerate(zip(shares, (INK, "white"), strict=True)):
            axes.text(BARS - 0.6, y + 0.6 + 1.2 * side, number(share), size=6, ha="right", **plain)
            length = (WIDTH - BARS - 1) * (share or 0) / longest
            axes.barh(y + 0.6 + 1.2 * side, length, height=1.1, left=BARS, color=colour, edgecolor=INK, lw=0.8)
    for i, line in enumerate(answer):
        size, colour = (9, INK) if i + 1 < len(answer) else (7.5, MUTED)
        axes.text(0.5, top + PAIR * len(rows) + 1 + LINE * i, line, size=size, color=colour, **plain)
    return picture


def number(share: float | None) -> str:
    return "–" if share is None else format_number(share)
