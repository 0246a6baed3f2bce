"""The figures on relative position."""

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from inorder.attention import softmax
from inorder.book.drawing import EDGE, INK, MUTED, RAISED, STYLE, Picture, draw_cells, draw_range, span
from inorder.encodings import alibi_bias, frequencies, rotary_encoding, shaw_bias, t5_buckets
from inorder.widgets import marks
from inorder.widgets.kit.twin import ROUNDING

QUERY, KEY = 1.5 + 0j, 1.2 + 1j  # the arrows of the first figure, before they turn
STEP = np.deg2rad(30)  # by which they turn at each position
PHRASE = ["dog", "bites", "man"]
TEXT = PHRASE * 10
HEADS = {
    "looks at itself": (0, np.ones(6)),
    "looks two to the left": (-2, np.ones(6)),
    "slow pairs, mostly": (0, np.array([0.1, 0.1, 0.1, 1.0, 1.0, 1.0])),
}  # the Δ at which all pairs agree, and how long the key is in each pair
SPEAKERS = ["ALiBi", "T5", "Shaw", "RoPE", "no positions"]


def two_arrows(query_at: int = 6, distance: int = 2) -> list[marks.Mark]:
    """Carry a query and a key along the text. What stays the same?"""
    key_at = query_at + distance
    query, key = QUERY * np.exp(1j * STEP * query_at), KEY * np.exp(1j * STEP * key_at)
    angle = np.angle(KEY / QUERY) + STEP * distance
    score = (query * key.conjugate()).real
    turned = np.angle([QUERY, KEY]) + STEP * np.array([query_at, key_at])  # (2,), anticlockwise from the right
    clock = _clocks(turned[:, None], np.abs([QUERY, KEY])[:, None] / abs(KEY), [query_at, key_at], "query_at")
    return [
        clock,
        marks.answer(
            f"Δ = {distance}: the angle from query to key is {np.rad2deg(angle):.0f}°, and their raw score is "
            f"{score:.2f}, wherever the two stand.".replace("-", "−")
        ),
    ]


def six_clocks(
    position: int = 12, distance: int = 0, head: str = "looks at itself", base: int = 100
) -> list[marks.Mark]:
    """Six wedges turn at six speeds. What do their products add up to?"""
    at, lengths = HEADS[head]
    omega = frequencies(12, base=float(base))  # (pair,)
    turned = np.outer([position, position + distance - at], omega)  # (query and key, pair), anticlockwise
    products = lengths * np.cos(turned[1] - turned[0])  # (pair,)
    score = float(products.sum())
    places = [position, position + distance]
    clocks = _clocks(np.pi / 2 + turned, np.stack([np.ones(6), lengths]), places, "position")
    number = f"{score:.2f}".replace("-", "−")
    deltas = np.linspace(-8, 8, 97)
    scores = (lengths * np.cos(np.outer(deltas - at, omega))).sum(axis=1)
    names = ("Δ, key minus query", "raw score, six products added")
    curve = marks.lines(deltas, scores, axes=names, x_limits=(-8, 8), y_limits=(-3.5, 7))
    curve += marks.points([[distance, score]], [number], actor="position", drag="distance", equal=False)
    most = " Here all six wedges are shut, and no other Δ gives as much." if distance == at else ""
    answer = f"Δ = {distance}: the six products add up to {number}.{most}".replace("-", "−")
    return [clocks, curve, marks.answer(answer)]


def _clocks(
    turned: Float[np.ndarray, "2 pair"], lengths: Float[np.ndarray, "2 pair"], places: list[int], slides: str
) -> marks.Mark:
    """A query and a key in each clock, at these angles from the right, anticlockwise, and at these words."""
    names = ["query", "key"]
    return marks.clocks(
        dict(zip(names, np.pi / 2 - turned, strict=True)),
        lengths=dict(zip(names, lengths, strict=True)),
        actor={name: name for name in names},
        wedge=True,
        text=TEXT,
        places=places,
        drag=(slides, "distance"),
    )


def said_again(scheme: str = "ALiBi", times: int = 2) -> list[marks.Mark]:
    """Repeat the text. Does its last row notice?"""
    once, again = (shares_of_the_last_row(scheme, n) for n in (1, times))
    bars = marks.bars(
        {"said once": once, f"said {times} times" if times > 1 else "the same": again},
        PHRASE,
        axis="share of the attention",
        limits=(0, 1),
        digits=3,
    )
    if times == 1:
        return [bars, marks.answer("Said once: there is nothing to compare yet.")]
    away = abs(again - once).max()
    if away < 1e-12:
        return [bars, marks.answer("The three shares are the same, and so is the row: it cannot tell.", "=")]
    return [bars, marks.answer(f"A share has changed by {away:.3f}: this row can tell.", "≠")]


def shares_of_the_last_row(scheme: str, times: int, seed: int = 4) -> Float[np.ndarray, " word"]:
    """What the last word of the phrase, said that often, gives to each of the three words, all copies together.

    One causal head of width 8, with random queries, keys and learned numbers.

    >>> shares_of_the_last_row("no positions", 3).round(3).tolist() == shares_of_the_last_row("no positions", 1).round(
    ...     3
    ... ).tolist()
    True
    """
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, 8)), rng.normal(size=(1, 8))
    keys, query = np.tile(rows[0], (times, 1)), rows[1]  # (key, 8), (1, 8)
    places, last = np.arange(3 * times), np.array([3 * times - 1])
    table, vectors = rng.normal(size=32), rng.normal(size=(9, 8))
    bias = np.zeros((1, len(keys)))
    if scheme == "RoPE":
        keys, query = rotary_encoding(keys, places), rotary_encoding(query, last)
    elif scheme == "ALiBi":
        bias = alibi_bias(8, last, places)[0]
    elif scheme == "T5":
        bias = table[t5_buckets(places - last, bidirectional=False)][None]
    elif scheme == "Shaw":
        bias = shaw_bias(query, vectors, last, places, max_distance=4)
    weights = softmax(query @ keys.T / np.sqrt(8) + bias)[0]  # (key,)
    return weights.reshape(times, 3).sum(axis=0)


def _draw_by_sign(axes: Axes, matrix: Float[np.ndarray, "row column"]) -> None:
    """A cell for each number in the colour of its sign, each matrix on its own scale; −∞ is hatched."""
    finite = np.ma.masked_invalid(matrix)
    largest = float(abs(finite).max())
    axes.patch.set(facecolor=RAISED, hatch="////", edgecolor=EDGE)
    draw_cells(axes, finite, largest=1.15 * largest, signed=True)
    axes.set_aspect("equal")


@mpl.rc_context(STYLE)
def patch_kernels(two: Float[np.ndarray, "row column"], flat: Float[np.ndarray, "row column"]) -> Picture:
    """The scores of one query patch in the middle with the same key at every patch: 2-D positions, and one number."""
    figure = Picture(
        f"Two heat maps of the same grid of patches, {two.shape[0]} rows and {two.shape[1]} columns, the query patch "
        "in the middle framed. Left, two positions for each patch: the colour changes along every row in the same "
        "way, and along every column in the same way. Right, patches numbered line by line: the pattern goes on from "
        "the end of a line to the beginning of the next, and no row repeats another.",
        height=2.8,
    )
    for axes, scores, title in zip(
        figure.subplots(1, 2), (two, flat), ("two positions", "numbered line by line"), strict=True
    ):
        _draw_by_sign(axes, scores)
        middle = scores.shape[0] // 2, scores.shape[1] // 2
        frame = mpl.patches.Rectangle((middle[1] - 0.5, middle[0] - 0.5), 1, 1, fill=False, linewidth=2)
        axes.add_patch(frame)
        axes.set_title(title)
        axes.set(xlabel="column", ylabel="row", xticks=range(scores.shape[1]), yticks=range(scores.shape[0]))
    return figure


@mpl.rc_context(STYLE)
def restarted_positions(
    restarted: Float[np.ndarray, "seed step"], shifted_back: Float[np.ndarray, "seed step"]
) -> Picture:
    """How far the logits of each step are from the full pass, on a logarithmic axis: median and range over seeds.

    What is rounding is drawn at the machine epsilon, whatever the processor makes of it.
    """

    def spread(rows: np.ndarray) -> str:
        return "rounding" if rows.max() < ROUNDING else span(rows, ".1g")

    figure = Picture(
        "The relative difference between logits computed step by step and in one full pass, on a logarithmic axis, "
        f"against the step from 1 to {restarted.shape[1]}. With each token at its own position the difference is "
        f"{spread(shifted_back)} at every step. With every token at position 0 it is {spread(restarted[:, 0])} at the "
        f"first step, and {spread(restarted[:, 1:])} at the later ones.",
        height=3.6,
    )
    axes = figure.subplots()
    steps = np.arange(1, restarted.shape[1] + 1)
    epsilon = float(np.finfo(float).eps)
    for rows, marker, colour, name in (
        (restarted, "^", MUTED, "every token at position 0"),
        (shifted_back, "o", INK, "each token at its own position"),
    ):
        rows = np.where(rows < ROUNDING, epsilon, rows)
        draw_range(axes, steps, rows, seeds=0, middle=np.median, marker=marker, color=colour, label=name)
    axes.axhline(epsilon, color=MUTED, linewidth=0.8)
    axes.text(steps[-1] + 0.4, 1.6e-16, "machine epsilon", ha="right", va="top", color=MUTED)
    axes.set(yscale="log", ylim=(3e-18, 30), xlabel="step", ylabel="difference of the logits")
    axes.set_xticks(steps)
    axes.legend(loc="center right")
    axes.minorticks_off()
    return figure
