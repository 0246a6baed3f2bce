"""What the stills share: the picture that carries its alternative text, one style, and the pieces of a drawing.

A still is drawn once, in the book's colours by day, and its SVG names them (`var(--ink, #1a222d)`) and holds both
palettes: as an image on a page it follows the reader's switch. So it may use no other colour than those of
`inorder.palette` and the mixtures that `mix` makes of them.
"""

import io
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from inorder.palette import DARK, LIGHT, css_variables

Number = int | float

INK, MUTED, EDGE, RAISED = (LIGHT[name] for name in ("ink", "muted", "edge", "raised"))
QUERY, KEY, VALUE, POSITION = (LIGHT[name] for name in ("query", "key", "value", "position"))
FONTS = ["Source Sans Pro", "DejaVu Sans"]  # the second has the characters that the first lacks
if package := find_spec("font_source_sans_pro"):  # of the extra inorder[book]
    for path in sorted((Path(str(package.origin)).parent / "files").glob("SourceSansPro-*.ttf")):
        if path.stem.endswith(("-Regular", "-It", "-Bold")):
            font_manager.fontManager.addfont(path)
else:
    FONTS = FONTS[1:]
STYLE: dict[Any, Any] = {
    "font.family": FONTS,
    "font.size": 11.25,  # 15 px on a page
    "axes.titlesize": 12.75,
    "axes.titlelocation": "left",
    "axes.labelsize": 11.25,
    "xtick.labelsize": 10.5,
    "ytick.labelsize": 10.5,
    "legend.fontsize": 10.5,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "errorbar.capsize": 2.5,
    "axes.linewidth": 0.75,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.edgecolor": EDGE,
    "xtick.color": EDGE,
    "ytick.color": EDGE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "patch.edgecolor": INK,
    "hatch.color": EDGE,
    "hatch.linewidth": 0.6,
    "mathtext.fontset": "cm",
    "svg.fonttype": "path",
    "svg.hashsalt": "inorder",
}


class Picture(Figure):
    """A matplotlib figure that carries its alternative text. Jupyter shows it as SVG; a PDF takes the PNG.

    Six inches wide: its text has 15 px in the book's column, and more than 9 px where a phone shrinks it.
    """

    def __init__(self, alt_text: str, height: Number, width: Number = 6) -> None:
        super().__init__(figsize=(width, height), facecolor="none", layout="constrained")
        self.alt_text = alt_text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict, dict]:
        svg, png = io.StringIO(), io.BytesIO()
        with mpl.rc_context(STYLE):
            self.savefig(svg, format="svg", metadata={"Date": None})
            self.savefig(png, format="png", dpi=144)
        metadata = {"alt": self.alt_text, "needs_background": "light"}  # JupyterLab shows a dark page only ink
        drawn = {"image/svg+xml": in_both_palettes(svg.getvalue()), "image/png": png.getvalue()}
        return drawn | {"text/plain": self.alt_text}, dict.fromkeys(drawn, metadata)


def mix(share: Number) -> str:
    """The colour between a raised ground, 0, and ink, 1, in steps of a hundredth.

    Raises:
        ValueError: a share outside 0 … 1.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"expected a share from 0 to 1, got {share}")
    share = round(share * 100) / 100
    red, green, blue = (1 - share) * np.array(to_rgb(RAISED)) + share * np.array(to_rgb(INK))
    return to_hex((red, green, blue))


MIXTURES = {mix(percent / 100): f"color-mix(in srgb, var(--ink) {percent}%, var(--raised))" for percent in range(100)}
NAMES = {colour: f"var(--{name})" for name, colour in LIGHT.items()}
PALETTES = (
    f"<style>.inorder-still {{ fill: var(--ink); {css_variables(LIGHT)} }} "
    f"@media (prefers-color-scheme: dark) {{ .inorder-still {{ {css_variables(DARK)} }} }} "
    "</style>"
)


def in_both_palettes(svg: str) -> str:
    """The same drawing with the names of its colours, which the page's light or dark scheme then fills in.

    Raises:
        ValueError: a colour that is not in the palette.
    """

    def css(colour: str) -> str:
        variable = NAMES.get(colour.lower()) or MIXTURES.get(colour.lower())
        if variable is None:
            raise ValueError(f"expected colours of the book's palette, got {colour}")
        return variable

    svg = re.sub(r'(fill|stroke)="(#\w{6})"', r'style="\1: \2"', svg)  # attributes take fewer forms of a colour
    svg = re.sub(r"(fill|stroke): (#\w{6})", lambda match: f"{match[1]}: {css(match[2])}", svg)
    return re.sub(r"<svg ([^>]*)>", rf'<svg class="inorder-still" \1>{PALETTES}', svg, count=1)


def draw_box(
    axes: Axes,
    x: Number,
    y: Number,
    height: Number,
    name: str,
    detail: str = "",
    colour: str = INK,
) -> None:
    box = FancyBboxPatch(
        (x - 16, y),
        width=32,
        height=height,
        boxstyle="round,pad=0,rounding_size=1.2",
        facecolor=RAISED,
        edgecolor=colour,
        linewidth=1.2,
    )
    axes.add_patch(box)
    if detail:
        axes.text(x, y + height * 0.32, name, ha="center", va="center", color=colour)
        axes.text(x, y + height * 0.72, detail, ha="center", va="center", fontsize=10.5, color=MUTED)
    else:
        axes.text(x, y + height * 0.5, name, ha="center", va="center", color=colour)


def draw_arrow(axes: Axes, start: tuple[Number, Number], end: tuple[Number, Number], colour: str = INK) -> None:
    style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 10, "shrinkA": 0, "shrinkB": 0, "linewidth": 1.2}
    axes.add_patch(FancyArrowPatch(start, end, color=colour, **style))


TOKEN_STYLE = {"A": (mix(0.2), ""), "B": (RAISED, "////"), "C": (RAISED, "....")}


def draw_token(axes: Axes, x: Number, y: Number, width: Number, height: Number, name: str, label: str) -> None:
    """A box in the shade and hatch of its token, with a label on that ground so that the hatch does not cross it."""
    colour, hatch = TOKEN_STYLE[name]
    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor=EDGE, linewidth=0.8, hatch=hatch))
    box = {"facecolor": colour, "edgecolor": "none", "pad": 1.5}
    axes.text(x + width / 2, y + height / 2, label, ha="center", va="center", bbox=box)


def said(number: Any, form: str = ".2g") -> str:
    """A number as a sentence has it: a real minus sign, a far power of ten spelt as such, no zero with a sign.

    >>> said(-0.5), said(3e-16, ".0e"), said(0.9999, ".0e")
    ('−0.5', '3 times 10 to the minus 16', '1')
    """
    text = f"{number or 0:{form}}"
    digits, _, power = text.partition("e")
    if power and abs(int(power)) < 4:
        text = f"{float(text):g}"
    elif power:
        digits = "" if float(digits) == 1 else f"{digits} times "
        return f"{digits}10 to the {int(power)}".replace("-", "minus ")
    return text.replace("-", "−")


def span(values: Any, form: str = ".2g") -> str:
    """From the smallest to the largest, as a sentence has it."""
    ends = dict.fromkeys(said(end.item(), form) for end in (np.min(values), np.max(values)))
    return " to ".join(ends)
