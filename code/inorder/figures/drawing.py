"""What the still figures share: the picture that carries its alt text, colours, and the pieces of a drawing."""

import io
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

Number = int | float

BLUE, ORANGE, GREEN, GREY, PALE = "#0072B2", "#D55E00", "#009E73", "#4D4D4D", "#E8EEF3"
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "path",
    "svg.hashsalt": "inorder",
}


class Picture(Figure):
    """A matplotlib figure that carries its alt text. Jupyter shows it as SVG; a PDF takes the PNG."""

    def __init__(self, alt_text: str, height: float, width: float = 4.8) -> None:
        super().__init__(figsize=(width, height), facecolor="white", layout="constrained")
        self.alt_text = alt_text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict, dict]:
        svg, png = io.StringIO(), io.BytesIO()
        with mpl.rc_context(STYLE):
            self.savefig(svg, format="svg", metadata={"Date": None})
            self.savefig(png, format="png", dpi=144)
        alt = {"alt": self.alt_text}
        return (
            {"image/svg+xml": svg.getvalue(), "image/png": png.getvalue(), "text/plain": self.alt_text},
            {"image/svg+xml": alt, "image/png": alt},
        )


def draw_box(
    axes: Axes, x: Number, y: Number, height: Number, name: str, detail: str = "", mixes: bool = False
) -> None:
    box = FancyBboxPatch(
        (x - 16, y),
        width=32,
        height=height,
        boxstyle="round,pad=0,rounding_size=1.2",
        facecolor="#9CCBE8" if mixes else "white",
        edgecolor="black",
        linewidth=0.9,
    )
    axes.add_patch(box)
    if detail:
        axes.text(x, y + height * 0.32, name, ha="center", va="center", weight="bold" if mixes else "normal")
        axes.text(x, y + height * 0.72, detail, ha="center", va="center", fontsize=7.5)
    else:
        axes.text(x, y + height * 0.5, name, ha="center", va="center")


def draw_arrow(axes: Axes, start: tuple[Number, Number], end: tuple[Number, Number], colour: str = "black") -> None:
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=8, shrinkA=0, shrinkB=0, color=colour, linewidth=1)
    )


def draw_grid(
    axes: Axes,
    labels: np.ndarray,
    colours: np.ndarray,
    hatches: np.ndarray | None = None,
    corner: tuple[Number, Number] = (0, 0),
) -> None:
    """A table of coloured squares with a label in each; the first row is at the top, its corner at `corner`."""
    for (i, j), label in np.ndenumerate(labels):
        x, y = corner[0] + j, corner[1] + i
        hatch = None if hatches is None else hatches[i, j]
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=colours[i, j], edgecolor=GREY, linewidth=0.8, hatch=hatch))
        axes.text(x + 0.5, y + 0.5, label, ha="center", va="center")


def shade(values: np.ndarray, largest: float, colour: str) -> np.ndarray:
    """A colour for each number, from white at 0 to `colour` at ±largest."""
    share = np.clip(np.abs(values) / largest, 0, 1)[..., None]
    rgb = (1 - share) + share * np.array(mpl.colors.to_rgb(colour))
    return np.array([[mpl.colors.to_hex(cell) for cell in row] for row in rgb])


TOKEN_STYLE = {"A": ("#9CCBE8", ""), "B": ("#F7D9C4", "////"), "C": ("#BFE3D5", "....")}


def draw_token(axes: Axes, x: Number, y: Number, width: Number, height: Number, name: str, label: str) -> None:
    """A box in the colour and hatch of its token, with a label on white so that the hatch does not cross it."""
    colour, hatch = TOKEN_STYLE[name]
    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor=GREY, linewidth=0.8, hatch=hatch))
    box = {"facecolor": colour, "edgecolor": "none", "pad": 1.2}
    axes.text(x + width / 2, y + height / 2, label, ha="center", va="center", bbox=box)
