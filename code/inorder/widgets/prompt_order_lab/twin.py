"""PromptOrderLab in print: the prompts as tiles, the row of signs, the next token as paired bars."""

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import ROUNDING, format_number

if TYPE_CHECKING:
    from inorder.widgets.prompt_order_lab.figure import PromptOrderLab

INK, MUTED, EDGE, QUERY = (LIGHT[name] for name in ("ink", "muted", "edge", "query"))
MOST_SHOWN = 8  # tokens of a larger vocabulary that get bars: the most likely ones
MIDDLE: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False}

# One unit is a tenth of an inch; y runs downwards.
WIDTH, TILES, FIRST, SECOND, TILE, SIGNS = 68.75, (5.0, 29.0), 1.0, 9.0, 4.0, 18.0
SHARES, BARS, PAIR = 46.0, 48.8, 3.0  # where numbers and bars begin, and the height of a pair


def draw(lab: "PromptOrderLab") -> Figure:
    """The first view of the lab, and its sentence."""
    likeliest = likely(lab.distributions)
    sentence = fill(lab.summary(), 105)
    height = max(SIGNS + 5, 2.5 + PAIR * len(likeliest)) + 3 + 1.7 * sentence.count("\n") + 1.5
    figure = Figure(figsize=(WIDTH / 10, height / 10), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(height, 0))
    axes.axis("off")
    draw_prompts(axes, lab)
    draw_signs(axes, lab)
    draw_bars(axes, lab, likeliest)
    axes.text(0.5, height - 2.2, sentence, size=9, va="bottom", parse_math=False)
    axes.text(0.5, height - 1.1, f"{lab.verdict()}.", size=7.5, color=MUTED, va="center", parse_math=False)
    return figure


def write_token(axes: Axes, x: float, y: float, token: str, width: float, **look: Any) -> None:
    """The token, shortened to what fits."""
    size = 10 if width > 4 else 7
    most = max(int(13 * width / size), 1)
    axes.text(x, y, token if len(token) <= most else token[: most - 1] + "…", **{"size": size, **MIDDLE, **look})


def draw_prompts(axes: Axes, lab: "PromptOrderLab") -> None:
    left, right = TILES
    pitch = min((right - left) / len(lab.tokens), 7.0)
    end = left + pitch * len(lab.tokens)
    orders = (lab.first_order, lab.second_order)
    ends = [[left + pitch * (order.index(token) + 0.5) for order in orders] for token in lab.first_order]
    along = np.linspace(0, 1, 30)
    bend = along**2 * (3 - 2 * along)
    for one, other in ends:
        axes.plot(one + (other - one) * bend, FIRST + TILE + (SECOND - FIRST - TILE) * along, color=INK, lw=1.3)
    for top, name, prompt, written in zip(
        (FIRST, SECOND), ("first", "second"), lab.prompts, lab.next_tokens, strict=True
    ):
        y = top + TILE / 2
        axes.text(0.5, y, name, size=7.5, color=MUTED, va="center")
        for place, token in enumerate(prompt):
            corner, size = (left + pitch * place + 0.6, top + 0.3), (pitch - 1.2, TILE - 0.6)
            axes.add_patch(FancyBboxPatch(corner, *size, boxstyle="round,pad=0.3", fc="white", ec=INK, lw=1.1))
            write_token(axes, left + pitch * (place + 0.5), y, token, pitch - 1)
        axes.plot([end + 1.2, end + 4], [y, y], color=QUERY, lw=1.2, ls="-.")
        axes.plot(end + 1.2, y, marker="D", color=QUERY, ms=5)
        axes.plot(end + 4, y, marker=">", color=QUERY, ms=5)
        write_token(axes, end + 5, y, written, 5.0, ha="left")
    axes.text(end + 1, (FIRST + SECOND + TILE) / 2, "its query generates", size=7, color=QUERY, va="center")


def draw_signs(axes: Axes, lab: "PromptOrderLab") -> None:
    first, second = lab.prompts
    signs = {"whose query": first[-1] != second[-1]}
    signs |= {f"layer {layer}": bool(comparison.differing()) for layer, comparison in enumerate(lab.comparisons)}
    signs["next token"] = lab.distance > ROUNDING
    pitch = min(40.0 / len(signs), 7.0)
    axes.text(0.5, SIGNS - 2.6, "Where do they diverge?", size=8, weight="bold", va="center")
    axes.plot([4, 4 + pitch * (len(signs) - 1)], [SIGNS, SIGNS], color=EDGE, lw=1, zorder=1)
    for i, (name, differs) in enumerate(signs.items()):
        x = 4 + pitch * i
        ground, ink = (INK, "white") if differs else ("white", INK)
        box = {"boxstyle": "round,pad=0.3", "fc": ground, "ec": INK, "lw": 1.1}
        axes.text(x, SIGNS, "≠" if differs else "=", size=9, weight="bold", color=ink, bbox=box, zorder=2, **MIDDLE)
        axes.text(x, SIGNS + 2.5, name, size=7, **MIDDLE)


def likely(distributions: np.ndarray) -> list[int]:
    """The rows of the vocabulary that get bars: the most likely after either prompt, in the vocabulary's order."""
    most = np.argsort(-distributions.max(axis=0), kind="stable")[:MOST_SHOWN]
    return sorted(int(row) for row in most)


def draw_bars(axes: Axes, lab: "PromptOrderLab", likeliest: list[int]) -> None:
    distributions = lab.distributions
    n = distributions.shape[1]
    what = "Next token" if len(likeliest) == n else f"Next token, the {len(likeliest)} likeliest of {n}"
    axes.text(SHARES, 1.2, f"{what}: ■ first, □ second prompt", size=7.5, color=MUTED, va="center")
    scale = (WIDTH - BARS - 0.5) / distributions.max()
    for line, row in enumerate(likeliest):
        top = 2.5 + PAIR * line
        write_token(axes, SHARES - 0.8, top + 1.2, lab.vocabulary[row], 4.0, ha="right")
        for prompt, colour in enumerate((INK, "white")):
            share, y = distributions[prompt, row], top + 1.2 * prompt
            axes.add_patch(Rectangle((BARS, y), scale * share, 1.2, facecolor=colour, edgecolor=INK, lw=1))
            weight = "bold" if row == distributions[prompt].argmax() else "normal"
            axes.text(SHARES, y + 0.65, format_number(share), size=6, weight=weight, va="center")
