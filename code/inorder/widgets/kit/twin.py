"""The static twins of the figures: numbers as text, tints, SVG."""

import io
import warnings
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from inorder.palette import LIGHT

ROUNDING = 1e-12  # adding the same numbers in another order leaves less than this, which counts as zero

MISSING = "Glyph .* missing from font"  # an emoji among the tokens is a box

# As in colour.js. A weight is ink.
NEGATIVE, POSITIVE = LIGHT["negative"], LIGHT["positive"]
SIGNED = LinearSegmentedColormap.from_list("signed", [NEGATIVE, LIGHT["raised"], POSITIVE])
SHARES = LinearSegmentedColormap.from_list("shares", [LIGHT["raised"], LIGHT["ink"]])


def svg(figure: Figure) -> str:
    """The figure as SVG, the same text each time it is drawn."""
    out = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "path", "svg.hashsalt": "inorder"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=MISSING)
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def png(figure: Figure, dpi: int) -> bytes:
    """The figure as a PNG."""
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=MISSING)
        figure.savefig(out, format="png", dpi=dpi)
    return out.getvalue()


def format_number(x: float, digits: int = 2) -> str:
    """A number as the figures print it: a real minus sign, no minus zero, halves rounded away from zero.

    >>> format_number(-0.125), format_number(-0.001), format_number(float("-inf"))
    ('−0.13', '0.00', '−∞')
    """
    if np.isinf(x):
        return "∞" if x > 0 else "−∞"
    text = str(abs(Decimal(float(x))).quantize(Decimal(10) ** -digits, ROUND_HALF_UP))
    return f"−{text}" if x < 0 and float(text) else text


def listed(parts: Iterable[Any]) -> str:
    """
    >>> listed(["query", "keys", "values"]), listed([3])
    ('query, keys and values', '3')
    """
    *first, last = map(str, parts)
    return f"{', '.join(first)} and {last}" if first else last


def format_difference(x: float) -> str:
    """Two decimals, or one digit and a power of ten where those would hide it; 0 for rounding, whose digits differ from
    processor to processor.

    >>> format_difference(0.537), format_difference(3.05e-5), format_difference(3.05e-16)
    ('0.54', '3e-5', '0')
    """
    if x <= ROUNDING:
        return "0"
    digits, power = f"{x:.0e}".split("e")
    return format_number(x) if x >= 0.005 else f"{digits}e{int(power)}"


def blend(pole: str, amount: float) -> tuple[tuple[float, ...], str]:
    """The fill ``amount`` (0 to 1) of the way from white to ``pole``, and black or white, whichever reads on it."""
    share = min(max(amount, 0.0), 1.0)
    fill = tuple(1 + (channel - 1) * share for channel in matplotlib.colors.to_rgb(pole))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in fill)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return fill, "black" if luminance > 0.1791 else "white"
