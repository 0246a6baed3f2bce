"""The static twin of `interact`: one state, drawn by matplotlib, and told in words."""

from textwrap import fill
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from inorder.palette import LIGHT
from inorder.widgets.interact.kinds import KINDS
from inorder.widgets.interact.states import call
from inorder.widgets.marks import Mark, answer

STYLE: Any = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.linewidth": 0.75,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": LIGHT["ink"],
    "text.parse_math": False,
    "axes.labelcolor": LIGHT["ink"],
    "axes.edgecolor": LIGHT["edge"],
    "xtick.color": LIGHT["muted"],
    "ytick.color": LIGHT["muted"],
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "mathtext.fontset": "cm",
}
MOST_BESIDE = 3  # panels in a row
MOST_LETTERS = 82  # of a line
WORDS_HEIGHT = 0.6  # inches that a line of words without arcs takes


def describe_panel(panel: dict[str, Any]) -> str:
    """What kind of picture it is, for a reader who does not see it. Bars are told number by number."""
    words = KINDS[panel["kind"]].describe(panel)
    return f"{panel['title']}: {words}" if panel["title"] else words[:1].upper() + words[1:]


def still(figure: Any, *marks: Mark) -> Figure:
    """The static twin of a named figure: these marks, its answer and its note."""
    words = fill(f"{figure.summary()} {figure.note()}", MOST_LETTERS)
    return draw_twin(call(lambda: [*marks, answer(words)], {}), figure.title, "")


def draw_twin(state: dict[str, Any], title: str, settings: str) -> Figure:
    """The panels of a state side by side, title and settings above, the answer below.

    A crossing, or a line of words without arcs, stands above the other panels, as on the page.
    """
    panels, answer = state["panels"], state["answer"]
    with matplotlib.rc_context(STYLE):
        lines = [panel for panel in panels if panel.get("across")]
        beside = [panel for panel in panels if not panel.get("across")]
        n_rows = -(-len(beside) // MOST_BESIDE)
        across = -(-len(beside) // max(n_rows, 1))  # rows as even as can be
        lower = [beside[i * across : (i + 1) * across] for i in range(n_rows)]
        rows = [[panel] for panel in lines] + lower
        tall = [WORDS_HEIGHT if "rounds" in panel else KINDS[panel["kind"]].HEIGHT for panel in lines]
        tall += [max(KINDS[panel["kind"]].HEIGHT for panel in row) / len(lower) ** 0.5 for row in lower]
        figure = Figure(figsize=(6.875, sum(tall) + 1.0), facecolor=LIGHT["paper"], layout="constrained")
        figure.suptitle(f"{title}\n{fill(settings, MOST_LETTERS)}".strip(), x=0.01, ha="left", size=11)
        grid = figure.add_gridspec(len(rows), 1, height_ratios=tall)
        for i, row in enumerate(rows):
            columns = grid[i].subgridspec(1, len(row))
            for j, panel in enumerate(row):
                axes = figure.add_subplot(columns[j])
                axes.set_facecolor("none")
                axes.set_title(fill(panel["title"], int(0.8 * MOST_LETTERS) // len(row)))
                KINDS[panel["kind"]].draw(axes, panel)
        if answer:
            sign = f"{answer['sign']}  " if answer["sign"] else ""
            figure.supxlabel(f"{sign}{answer['words']}", x=0.01, ha="left", size=11, wrap=True)
    return figure
