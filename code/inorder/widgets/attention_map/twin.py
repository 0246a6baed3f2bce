"""The static twin of AttentionMap: all heads on the left, the chosen one on the right."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from inorder.widgets.attention_map.arrays import thumbnails
from inorder.widgets.attention_map.words import spell
from inorder.widgets.kit.twin import WEIGHT, format_number

COLOURS = LinearSegmentedColormap.from_list("weight", ["white", WEIGHT]).with_extremes(bad="0.93")
MOST_LINES = 400


def draw(one: Any) -> Figure:
    """The figure of an AttentionMap."""
    n_layers, n_heads, n_query, n_key = one.data["shape"]
    several = n_layers * n_heads > 1
    n_lines = max(n_query, n_key)
    figure = Figure(figsize=(6.875, min(max(0.2 * n_lines + 0.6, 3.0), 6)), facecolor="white")
    if several:
        draw_grid(figure.add_axes((0.05, 0.2, 0.4, 0.68)), one)
    left, width = (0.6, 0.24) if several else (0.3, 0.4)
    if one.view == "lines":
        draw_lines(figure.add_axes((left, 0.12, width, 0.8)), one)
    else:
        draw_matrix(figure.add_axes((left, 0.12, width + 0.13, 0.68)), one)
    figure.text(0.01, 0.015, f"{one.summary()}\n{one.note()}", size=8, parse_math=False)
    return figure


def visible(one: Any, weights: np.ndarray) -> np.ma.MaskedArray:
    """Shares of full colour; later tokens, where the triangle is shown, are masked."""
    n_query, n_key = weights.shape
    largest = {"head": weights.max(), "row": weights.max(axis=1, keepdims=True), "one": 1.0}[one.scale]
    later = ~np.tri(n_query, n_key, n_key - n_query, dtype=bool) & one.triangle
    shares = np.where(weights >= one.threshold, weights, 0) / full_colour(largest, n_key)
    return np.ma.masked_array(shares, later)


def full_colour(largest: Any, n_key: int) -> Any:
    """The weight in full colour: the largest, but at least twice an even share, so that a uniform head is pale."""
    return np.maximum(largest, min(2 / n_key, 1))


def draw_grid(axes: Axes, one: Any) -> None:
    n_layers, n_heads, *_ = one.data["shape"]
    pictures, largest = thumbnails(one.layers)
    rows, columns = pictures.shape[2:]
    weights = pictures / 255 * largest[:, :, None, None]
    tops = {"head": largest[:, :, None, None], "row": weights.max(axis=3, keepdims=True), "one": 1.0}
    shares = np.where(weights >= one.threshold, weights, 0) / full_colour(tops[one.scale], one.data["shape"][3])
    far = np.ravel(one.data["look_back"])
    by_model = one.order == "model"
    order = np.arange(n_layers * n_heads) if by_model else np.argsort(-far, kind="stable")
    mosaic = np.ma.masked_all((n_layers * (rows + 2), n_heads * (columns + 2)))
    for place, index in enumerate(order):
        down, across = (place // n_heads) * (rows + 2), (place % n_heads) * (columns + 2)
        mosaic[down : down + rows, across : across + columns] = shares[index // n_heads, index % n_heads]
        if index == one.layer * n_heads + one.head:
            corners = np.array([0, columns, columns, 0, 0]), np.array([0, 0, rows, rows, 0])
            axes.plot(across - 0.5 + corners[0], down - 0.5 + corners[1], color=WEIGHT, lw=1.6)
    axes.imshow(mosaic, cmap=COLOURS, vmin=0, vmax=1, interpolation="nearest", aspect="auto")
    steps = max(1, n_heads // 16), max(1, n_layers // 16)
    heads, layers = range(0, n_heads, steps[0]), range(0, n_layers, steps[1])
    axes.set_xticks([(columns + 2) * (h + 0.5) for h in heads], [f"{h}" if by_model else "" for h in heads])
    axes.set_yticks([(rows + 2) * (layer + 0.5) for layer in layers], [f"{i}" if by_model else "" for i in layers])
    axes.xaxis.tick_top()
    axes.set_xlabel("head" if by_model else "heads, from the one that looks back farthest", size=9)
    axes.xaxis.set_label_position("top")
    axes.set_ylabel("layer" if by_model else "", size=9)
    axes.tick_params(length=0, labelsize=8)


def draw_matrix(axes: Axes, one: Any) -> None:
    _, _, n_query, n_key = one.data["shape"]
    first_query, first_key, rows, columns = one.window or [0, 0, n_query, n_key]
    weights = one.weights_on_page
    shares = visible(one, weights)[first_query : first_query + rows, first_key : first_key + columns]
    smooth = "nearest" if rows < 300 else "auto"
    axes.imshow(shares, cmap=COLOURS, vmin=0, vmax=1, interpolation=smooth, aspect="auto")
    label(axes.yaxis, one.tokens[first_query : first_query + rows], first_query)
    label(axes.xaxis, one.key_tokens[first_key : first_key + columns], first_key)
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", rotation=90)
    axes.set_ylabel("query", size=9)
    axes.set_xlabel("key", size=9)
    if rows * columns > 64:
        return
    for (row, column), share in np.ndenumerate(shares.filled(-1)):
        if share > 0:
            number = format_number(weights[first_query + row, first_key + column])
            ink = "white" if share > 0.55 else "black"
            axes.text(column, row, number, ha="center", va="center", size=7, color=ink)


def draw_lines(axes: Axes, one: Any) -> None:
    _, _, n_query, n_key = one.data["shape"]
    shares = visible(one, one.weights_on_page).filled(0)
    flat = np.argsort(-shares, axis=None, kind="stable")[:MOST_LINES]  # of equal ones the first
    pairs = np.stack(np.unravel_index(flat[shares.flat[flat] > 0], shares.shape), axis=1)
    offset = n_key - n_query if one.data["aligned"] else 0  # a query stands beside its own key, where there is one
    axes.set(xlim=(0, 1), ylim=(max(n_query + offset, n_key) - 0.5, -0.5))
    ends = [((0, query + offset), (1, key)) for query, key in pairs]
    chosen = pairs[:, 0] == one.query
    alphas = shares[pairs[:, 0], pairs[:, 1]] * np.where(chosen, 1.0, 0.25)
    axes.add_collection(LineCollection(ends, colors=WEIGHT, alpha=alphas, linewidths=np.where(chosen, 1.8, 1.0)))
    label(axes.yaxis, one.tokens, 0, offset)
    right = axes.twinx()
    right.set_ylim(axes.get_ylim())
    label(right.yaxis, one.key_tokens, 0)
    for each in (axes, right):
        each.set_xticks([])
        each.spines[:].set_visible(False)


def label(axis: Any, tokens: list[str], first: int, offset: int = 0) -> None:
    """Tokens along an axis, or positions where there is no room for tokens."""
    step = 1 if len(tokens) <= 30 else -(-len(tokens) // 12)
    places = range(0, len(tokens), step)
    names = [spell(tokens[i])[:14] if step == 1 else str(first + i) for i in places]
    axis.set_ticks([place + offset for place in places], names, size=7.5, parse_math=False)
    axis.set_tick_params(length=0 if step == 1 else 2)
