"""PromptOrderLab in print: the prompts, the row of signs, the next token as paired bars."""

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import ROUNDING, format_number

if TYPE_CHECKING:
    from inorder.widgets.prompt_order_lab.figure import PromptOrderLab

INK, MUTED, QUERY = LIGHT["ink"], LIGHT["muted"], LIGHT["query"]
MOST_BARS = 8  # of a larger vocabulary, for the most likely tokens
BOX: dict[str, Any] = {"boxstyle": "round,pad=0.3", "fc": "white", "ec": INK, "lw": 1.1}
LEFT, RIGHT, FIRST, SECOND, SIGNS, BARS = 7.0, 29.0, 3.0, 11.0, 19.0, 50.0  # in tenths of an inch; y runs downwards


def draw(lab: "PromptOrderLab") -> Figure:
    """The first view of the lab, and its sentence."""
    sentence = fill(lab.summary(), 105)
    height = 31.0 + 1.7 * sentence.count("\n")
    figure = Figure(figsize=(6.875, height / 10), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 68.75), ylim=(height, 0))
    axes.axis("off")

    def write(x: float, y: float, text: str, most: int = 40, **look: Any) -> None:
        short = text if len(text) <= most else f"{text[: most - 1]}…"
        axes.text(x, y, short, parse_math=False, **{"size": 8, "va": "center", "color": INK, **look})

    pitch = min((RIGHT - LEFT) / len(lab.tokens), 7.0)
    bend = np.linspace(0, 1, 30) ** 2 * (3 - 2 * np.linspace(0, 1, 30))
    for start, token in enumerate(lab.first_order):
        end = lab.second_order.index(token)
        line = LEFT + pitch * (start + (end - start) * bend), np.linspace(FIRST + 1.5, SECOND - 1.5, 30)
        axes.plot(*line, color=INK, lw=1.3)
    for y, name, prompt, token in zip((FIRST, SECOND), ("first", "second"), lab.prompts, lab.next_tokens, strict=True):
        write(0.5, y, name, color=MUTED)
        for place, word in enumerate(prompt):
            write(LEFT + pitch * place, y, word, max(int(pitch), 2), ha="center", bbox=BOX)
        write(RIGHT, y, f"◆ → {token}", 9, color=QUERY)
    write(RIGHT, (FIRST + SECOND) / 2, "its query generates", size=7, color=QUERY)

    write(0.5, SIGNS - 3, "Where do they diverge?", weight="bold")
    first, second = lab.prompts
    signs = {"whose query": first[-1] != second[-1]}
    signs |= {f"layer {layer}": bool(comparison.differing()) for layer, comparison in enumerate(lab.comparisons)}
    signs["next token"] = lab.distance > ROUNDING
    for i, (name, differs) in enumerate(signs.items()):
        x = 4 + min(38.0 / len(signs), 7.0) * i
        ground, ink = (INK, "white") if differs else ("white", INK)
        write(x, SIGNS, "≠" if differs else "=", ha="center", weight="bold", color=ink, bbox=BOX | {"fc": ground})
        write(x, SIGNS + 2.6, name, size=7, ha="center")
    draw_bars(axes, lab)
    write(0.5, height - 3.6, sentence, 999, size=9, va="bottom")
    write(0.5, height - 1.6, f"{lab.verdict()}.", 999, color=MUTED)
    return figure


def draw_bars(axes: Axes, lab: "PromptOrderLab") -> None:
    distributions = lab.distributions
    likeliest = sorted(np.argsort(-distributions.max(axis=0), kind="stable")[:MOST_BARS].tolist())
    axes.text(BARS - 6, 1.0, "Next token: ■ first, □ second prompt", size=8, color=MUTED, va="center")
    for line, row in enumerate(likeliest):
        token = lab.vocabulary[row]
        look: dict[str, Any] = {"va": "center", "parse_math": False}
        axes.text(BARS - 3.4, 3.9 + 2.8 * line, token[:5], size=8, ha="right", **look)
        for prompt, colour in enumerate((INK, "white")):
            share, y = distributions[prompt, row], 2.7 + 2.8 * line + 1.1 * prompt
            corner, size = (BARS, y), (17 * share / distributions.max(), 1.1)
            axes.add_patch(Rectangle(corner, *size, facecolor=colour, edgecolor=INK, lw=1))
            axes.text(BARS - 3, y + 0.6, format_number(share), size=6, **look)
