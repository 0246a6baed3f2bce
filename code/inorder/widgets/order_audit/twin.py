"""OrderAudit in print: the output row of each word before and after, and whether it has followed."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from inorder.audit import ROUNDING
from inorder.palette import LIGHT
from inorder.widgets.kit.twin import NEGATIVE, POSITIVE, blend, format_difference
from inorder.widgets.order_audit.runs import OTHERS

KEPT: dict[str, Any] = {"color": LIGHT["ink"], "lw": 1.5}


def draw_audit(audit: Any) -> Figure:
    """Words from left to right: the rows before above, those after below, a line from each word to itself."""
    figure = Figure(figsize=(6.875, 3.0), facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    words, n = audit.words, len(audit.words)
    order = audit.order if audit.question == "order" else range(n)
    shift = 0.3 * audit.moved if audit.question == "move" else 0.0
    places = {word: place + shift for place, word in enumerate(order)}
    largest = max(np.abs(audit.before).max(), np.abs(audit.after).max())

    def strip(left: float, top: float, row: np.ndarray) -> None:
        width = 0.84 / len(row)
        for column, value in enumerate(row):
            fill, ink = blend(POSITIVE if value > 0 else NEGATIVE, abs(value) / largest)
            corner = (left + 0.08 + column * width, top)
            axes.add_patch(Rectangle(corner, width, 0.5, facecolor=fill, edgecolor="0.8", lw=0.6))
            if value < 0:
                axes.text(corner[0] + width / 2, top + 0.25, "−", ha="center", va="center", size=8, color=ink)

    style: dict[str, Any] = {"ha": "center", "va": "center", "size": 10, "parse_math": False}
    for word, text in enumerate(words):
        place, is_asked = places[word], word < audit.asked
        after = text if is_asked else OTHERS[word]
        change = audit.differences[word]
        is_same = change < ROUNDING
        axes.text(word + 0.5, 0.25, text, **style)
        strip(word, 0.5, audit.before[word])
        line: dict[str, Any] = (
            {"color": LIGHT["ink"], "lw": 1.5} if is_same else {"color": LIGHT["muted"], "lw": 1, "ls": (0, (3, 3))}
        )
        if is_asked:
            axes.plot([word + 0.5, place + 0.5], [1.05, 2.0], **line)
        axes.text(place + 0.5, 2.25, after, color=LIGHT["ink" if is_asked else "muted"], **style)
        strip(place, 2.5, audit.after[word])
        if is_asked:
            label = "= kept" if is_same else f"≠ by {format_difference(change)}"
            axes.text(place + 0.5, 3.3, label, ha="center", va="center", size=9, parse_math=False)
    axes.set(xlim=(-0.02, n + max(shift, 0) + 0.02), ylim=(3.6, 0))
    axes.axis("off")
    axes.set_title(f"{audit.layer}: the output row of each word, before and after", loc="left", size=10, pad=8)
    figure.supxlabel(f"{audit.summary()}\n{audit.run.why}", size=9.5, x=0.01, ha="left", parse_math=False)
    return figure
