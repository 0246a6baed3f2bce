"""Clocks in the still twin: their hands, the wheels below them, and the words of a text around those of the hands."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch, Wedge

from inorder.palette import LIGHT
from inorder.widgets.interact.drawing import SHAPES

HEIGHT = 2.9  # inches
MOST_IN_A_ROW = 8
AROUND = 5  # words of the text, on either side


def describe(panel: dict[str, Any]) -> str:
    """How many clocks, where their hands point, what the wheels show, and at which words. clocks.js says the same."""
    n, digits = len(panel["hands"][0]["angles"]), panel["wheel"]
    turned = [_named(hand["name"], "at " + ", ".join(map(_in_degrees, hand["angles"]))) for hand in panel["hands"]]
    counted = [
        _named(wheel["name"], "".join(_digit(count, digits) for count in wheel["counts"])) for wheel in panel["wheels"]
    ]
    words = [
        _named(hand["name"], _word(panel["text"], hand["place"]), ": ") for hand in panel["hands"] if panel["text"]
    ]
    parts = ["; ".join(part) for part in (turned, counted, words) if part]
    return f"{'a clock' if n == 1 else f'{n} clocks'}. {'. '.join(parts)}."


def _named(name: str, says: str, between: str = " ") -> str:
    return f"{name}{between}{says}" if name else says


def _word(text: list[str], place: np.ndarray) -> str:
    at = int(place[0])
    return f"“{text[at]}” at {at}"


def _in_degrees(angle: float) -> str:
    """As JavaScript rounds."""
    return f"{int(np.floor(np.degrees(np.float32(angle).astype(float)) + 0.5)) % 360}°"


def _digit(count: float, digits: str) -> str:
    return digits[int(count) % len(digits)]


def draw(axes: Axes, panel: dict[str, Any]) -> None:
    hands, wheels = panel["hands"], panel["wheels"]
    n = len(hands[0]["angles"])
    n_columns = -(-n // -(-n // MOST_IN_A_ROW))
    below = 0.7 * bool(panel["labels"]) + 0.7 * bool(panel["notes"]) + 1.15 * len(wheels) + 0.4
    for m in range(n):
        x, y = 2.5 * (m % n_columns), -(2.1 + below) * (m // n_columns)
        axes.add_patch(Circle((x, y), 1, facecolor=LIGHT["raised"], edgecolor=LIGHT["edge"]))
        if panel["halves"]:
            axes.add_patch(Wedge((x, y), 1, 90, 270, facecolor=LIGHT["ink"], alpha=0.13))
        ends = [np.degrees(hand["angles"][m]) for hand in hands]
        if panel["wedge"]:
            low, high = sorted(ends[:2])
            high = min(high, low + 359.9)
            axes.add_patch(Wedge((x, y), 0.45, 90 - high, 90 - low, facecolor=LIGHT["position"], alpha=0.2))
        for hand, degrees in zip(hands, np.radians(ends), strict=True):
            out = 0.8 * (1 if hand["lengths"] is None else hand["lengths"][m])
            tip = x + out * np.sin(degrees), y + out * np.cos(degrees)
            colour = LIGHT[hand["actor"]]
            axes.plot((x, tip[0]), (y, tip[1]), color=colour, lw=1.75)
            axes.plot(*tip, marker=SHAPES[hand["actor"]], color=colour, ms=5)
        down = y - 1
        for names, colour in ((panel["labels"], "muted"), (panel["notes"], "position")):
            if names:
                down -= 0.7
                axes.text(x, down + 0.15, names[m], ha="center", va="baseline", size=8, color=LIGHT[colour])
        for k, wheel in enumerate(wheels):
            down -= 1.15
            own, first = (_digit(each["counts"][m], panel["wheel"]) for each in (wheel, wheels[0]))
            edge = LIGHT[hands[min(k, len(hands) - 1)]["actor"]]
            looks: dict[str, Any] = {"facecolor": LIGHT["raised"], "edgecolor": edge, "linewidth": 1 + (own != first)}
            axes.add_patch(
                FancyBboxPatch((x - 0.35, down), 0.7, 0.9, boxstyle="round,pad=0,rounding_size=0.1", **looks)
            )
            axes.text(x, down + 0.42, own, ha="center", va="center_baseline", size=9)
    width, high = 2.5 * n_columns, 1.1
    if panel["text"]:
        high = 3.0
        _draw_text(axes, panel, middle=width / 2 - 1.25, width=width)
    axes.set(xlim=(-1.25, width - 1.25), ylim=(-(2.1 + below) * -(-n // n_columns) + 1, high))
    axes.set_aspect("equal")
    axes.axis("off")


def _draw_text(axes: Axes, panel: dict[str, Any], *, middle: float, width: float) -> None:
    places = [int(hand["place"][0]) for hand in panel["hands"]]
    pitch = width / (2 * AROUND + 1)
    around = range(max(0, places[0] - AROUND), min(len(panel["text"]), places[0] + AROUND + 1))
    for i in around:
        x = middle + pitch * (i - places[0])
        axes.text(x, 2.1, panel["text"][i], ha="center", va="baseline", size=9)
        axes.text(x, 1.5, str(i), ha="center", va="baseline", size=7, color=LIGHT["muted"])
    for place, hand in zip(places, panel["hands"], strict=True):
        if place in around:
            corner = middle + pitch * (place - places[0] - 0.47), 1.35
            box = FancyBboxPatch(corner, 0.94 * pitch, 1.4, boxstyle="round,pad=0,rounding_size=0.2")
            box.set(facecolor="none", edgecolor=LIGHT[hand["actor"]])
            axes.add_patch(box)
