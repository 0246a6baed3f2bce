"""SoftLookup in print: the plane, and the weights of the chosen query as bars."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from inorder.palette import LIGHT
from inorder.widgets.kit.twin import format_number

QUERY, KEY, VALUE, INK, MUTED = (LIGHT[name] for name in ("query", "key", "value", "ink", "muted"))


def draw_look_up(lookup: Any) -> Figure:
    """The first view of a SoftLookup: the plane on the left, shares and answer on the right."""
    figure = Figure(figsize=(6.875, 3.6), facecolor="white", layout="constrained")
    plane, bars = figure.subplots(1, 2, width_ratios=[1.15, 1])
    draw_plane(plane, lookup)
    row, value = lookup.weights[lookup.row], lookup.value[:, 0]
    places = np.arange(len(row))
    bars.barh(places, row, color=INK, height=0.5)
    for place, weight, number in zip(places, row, value, strict=True):
        bars.text(weight + 0.02, place, format_number(weight), va="center", size=9)
        bars.text(1.25, place, f"■ {brief(number)}", va="center", size=9, color=VALUE)
    bars.set_yticks(places, [f"● {short(token)}" for token in lookup.tokens], color=KEY)
    for label in bars.get_yticklabels():
        label.set_parse_math(False)
    bars.set(ylim=(len(row) - 0.5, -0.5), xlim=(0, 1.5), xticks=[0, 0.5, 1], xlabel="weight")
    bars.tick_params(labelsize=9)
    bars.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(lookup.summary(), size=10, x=0.01, ha="left", parse_math=False)
    return figure


def short(token: str) -> str:
    return token if len(token) <= 8 else token[:7] + "…"


def brief(value: float) -> str:
    """A value beside its key."""
    return format_number(value, 0 if value == int(value) or abs(value) >= 100 else 1)


def draw_plane(axes: Axes, lookup: Any) -> None:
    """Queries ◆, keys ●, a line from the chosen query to each key as thick as its weight."""
    query, key, row = lookup.query, lookup.key, lookup.row
    is_self = lookup.attention == "self"
    points = [query, key] + ([np.array(lookup.x)] if is_self else [])
    reach = 1.15 * max(3.0, np.ceil(np.abs(np.concatenate(points)).max()))
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_color(LIGHT["hair"])
    axes.axhline(0, color="0.85", lw=0.8, zorder=0)
    axes.axvline(0, color="0.85", lw=0.8, zorder=0)
    for weight, point in zip(lookup.weights[row], key, strict=True):
        axes.plot(*np.transpose([query[row], point]), color=INK, lw=0.4 + 7 * weight, zorder=1)

    def say(place: np.ndarray, up: float, words: str, colour: str, order: int = 6) -> None:
        halo = [withStroke(linewidth=2.2, foreground="white")]
        text: dict[str, Any] = {"ha": "center", "va": "center", "size": 8.5, "parse_math": False}
        axes.text(place[0], place[1] + up * reach, words, color=colour, zorder=order, path_effects=halo, **text)

    if is_self:
        arrow = {"arrowstyle": "-|>", "color": MUTED, "linestyle": "--", "lw": 0.8, "shrinkB": 6, "mutation_scale": 8}
        for source, target in [*zip(lookup.x, key, strict=True), (lookup.x[row], query[row])]:
            axes.annotate("", target, source, arrowprops=arrow, zorder=1)
        axes.plot(*np.transpose(lookup.x), "s", color=INK, markersize=5, zorder=2)
        for token, source in zip(lookup.tokens, lookup.x, strict=True):
            say(np.array(source), 0.09, short(token), INK)
    for token, point in zip(lookup.tokens, key, strict=True):
        axes.plot(*point, "o", color=KEY, markersize=7, zorder=4)
        say(point, 0.1, f"key: {short(token)}" if is_self else short(token), KEY)
    for i, point in enumerate(query):
        axes.plot(*point, "D", color=QUERY, markersize=8 if i == row else 5, zorder=5)
        if i == row or not is_self:
            say(point, -0.1, f"query: {short(lookup.tokens[i])}" if is_self else f"query {i}", QUERY)
