"""The figures on heads built by hand: live ones for `interact`, and stills."""

import matplotlib as mpl
import numpy as np
from jaxtyping import Float, Integer

from inorder.book.drawing import EDGE, INK, MUTED, POSITION, STYLE, Number, Picture, draw_cells, said, span
from inorder.circuits import Head, head_weights, offset_head
from inorder.encodings import frequencies, sinusoidal_encoding
from inorder.widgets import marks
from inorder.widgets.kit.twin import listed
from inorder.widgets.marks import Mark


def where_it_looks(offset: int = 2, sharpness: Number = 1, base: Number = 10_000) -> list[Mark]:
    """Choose how far away the head should look. Where does row 12 look?"""
    p = sinusoidal_encoding(np.arange(25), 64, base=float(base))  # (position 25, d_model 64)
    head = offset_head(offset, 64, sharpness=float(sharpness), base=float(base))
    weights = head_weights(p, p, head)[12]  # (key 25,)
    target = 12 + offset
    curve = marks.lines(np.arange(25), weights, axes=("position of the key", "weight"), y_limits=(0, 1.1))
    curve += marks.points([[target, weights[target]]], [f"{target}"], actor="key", equal=False)
    says = f"Row 12 looks for {target} and gives it {weights[target]:.2f} of its weight."
    return [curve, marks.answer(says, "✓" if weights.argmax() == target else "×")]


def both_neighbours(vote: Number = 1, sharpness: Number = 64) -> list[Mark]:
    """Let the fastest hand vote against the others. Where does one head look?"""
    votes = np.array([vote, *[1] * 31], dtype=float)  # (hand 32,)
    p = sinusoidal_encoding(np.arange(25), 64)
    weights = head_weights(p, p, Head(np.diag(np.repeat(votes, 2)), np.eye(64), float(sharpness)))[12]  # (key 25,)
    distance = np.arange(-6, 7)
    score = np.cos(np.multiply.outer(distance, frequencies(64))) @ votes  # (distance 13,)
    curve = marks.lines(distance, score - score.max(), axes=("distance", "score, minus the best"), y_limits=(-6, 0.5))
    best = np.flatnonzero(score > score.max() - 1e-9)
    curve += marks.points([[distance[k], 0] for k in best], [f"{distance[k]}" for k in best], actor="key", equal=False)
    row = marks.lines(np.arange(25), weights, axes=("position of the key", "weight"), y_limits=(0, 1.05))
    looks = [f"{weights[k]:.2f} to {k}" for k in np.flatnonzero(weights > 0.05)]
    says = f"Row 12 gives {listed(looks)}."
    return [curve, row, marks.answer(says, "✓" if weights[[11, 13]].min() > 0.45 else None)]


def edge(row: int = 10, offset: int = 2, hands: int = 32) -> list[Mark]:
    """Where does a row look if its target is missing?"""
    p = sinusoidal_encoding(np.arange(12), 64)
    weights = head_weights(p, p, offset_head(offset, 64, d_head=2 * hands))[row]  # (key 12,)
    target = row + offset
    exists = 0 <= target < 12
    bars = marks.bars(
        weights,
        [f"{k}, the target" if k == target else f"{k}" for k in range(12)],
        axis="weight",
        label_axis="key",
        limits=(0, 1),
        actor="key",
    )
    says = f"Row {row} looks for {target}" + ("" if exists else ", which is not there")
    best = int(weights.argmax())
    return [bars, marks.answer(f"{says}: it gives {weights[best]:.2f} to {best}.", "✓" if exists else "×")]


def _in_words(offset: int) -> str:
    """Where a head with this offset looks, for the sentences that stand for a picture."""
    if offset == 0:
        return "at the query’s own key"
    return f"{abs(offset)} to the {'left' if offset < 0 else 'right'} of the query"


@mpl.rc_context(STYLE)
def three_heads(weights: dict[str, Float[np.ndarray, "query key"]]) -> Picture:
    """{what a head does: its weights}, one map beside the other."""
    sentences = []
    for name, map_ in weights.items():
        offsets = map_.argmax(axis=1) - np.arange(len(map_))
        surest = map_.max(axis=1)
        where = _in_words(int(offsets[0])) if len(set(offsets[: len(map_) // 2])) == 1 else "at key 0"
        sentences.append(f"{name}: in the upper half every row is darkest {where}, with weights of {span(surest)}.")
    figure = Picture(
        f"{len(weights)} square maps of attention weights, queries from top to bottom and keys from left to right, "
        f"{len(next(iter(weights.values())))} of each. {' '.join(sentences)}",
        height=2.6,
    )
    for axes, (name, map_) in zip(figure.subplots(1, len(weights)), weights.items(), strict=True):
        draw_cells(axes, map_)
        axes.set_aspect("equal")
        last = len(map_) - 1
        axes.set_title(name)
        axes.set(xticks=[0, last], yticks=[0, last], xlabel="key")
        axes.spines[:].set_visible(True)
    figure.axes[0].set_ylabel("query")
    return figure


@mpl.rc_context(STYLE)
def offset_sharpness(
    sharpness: Float[np.ndarray, " beta"],
    derived: dict[int, Float[np.ndarray, " beta"]],
    at: Float[np.ndarray, " point"],
    measured: dict[int, Float[np.ndarray, " point"]],
) -> Picture:
    """{d_model: weight on the target}: a curve as derived, dots as measured."""
    halves = listed(f"{said(float(np.interp(0.5, curve, sharpness)), '.1g')} for {d}" for d, curve in derived.items())
    figure = Picture(
        f"The weight on the target against the sharpness β, on a logarithmic axis from {span(sharpness)}, for "
        f"{len(derived)} widths d_model. Each curve climbs towards 1, the wider the sinusoid, the earlier: half the "
        f"weight is reached at a β of about {halves}. The measured dots lie on the derived curves.",
        height=3.6,
    )
    axes = figure.subplots()
    styles = zip((MUTED, MUTED, INK, EDGE), ("d", "^", "o", "s"), strict=True)
    for (colour, marker), (d_model, curve) in zip(styles, derived.items(), strict=True):
        axes.plot(sharpness, curve, color=colour, linewidth=1)
        label = f"d_model = {d_model}"
        axes.plot(at, measured[d_model], marker, color=colour, markersize=5.5, label=label)
    axes.set(xscale="log", xlim=(0.09, 36), ylim=(0, 1.05), xlabel="sharpness β", ylabel="weight on the target")
    axes.set_xticks([0.1, 1, 4, 16], ["0.1", "1", "4", "16"])
    axes.minorticks_off()
    axes.legend(loc="lower right", bbox_to_anchor=(1.02, 0))
    return figure


@mpl.rc_context(STYLE)
def heads_at_the_edge(
    weights: dict[str, Float[np.ndarray, "query key"]], targets: Integer[np.ndarray, " query"]
) -> Picture:
    """{name: the first rows of a head}; a ring marks each target that exists, an arrow each that does not."""
    astray = targets < 0
    sentences = []
    for name, map_ in weights.items():
        keys = dict.fromkeys(map_[astray].argmax(axis=1).tolist())
        sentences.append(
            f"{name}: the rows without a target look mostly at {'key' if len(keys) == 1 else 'keys'} {listed(keys)}."
        )
    figure = Picture(
        f"{len(weights)} maps of attention weights, the first {len(targets)} rows of a head that looks "
        f"{_in_words(int(targets[0]))}, by keys 0 to {next(iter(weights.values())).shape[1] - 1}. "
        f"Rows whose target exists are dark there, and it is ringed. The first {astray.sum()} rows have an arrow at "
        f"the left edge, because their target does not exist. {' '.join(sentences)}",
        height=3.6,
    )
    for axes, (name, map_) in zip(figure.subplots(2, 1), weights.items(), strict=True):
        draw_cells(axes, map_)
        for row, target in enumerate(targets):
            if target >= 0:
                axes.plot(target, row, "o", color=POSITION, markersize=8, markerfacecolor="none")
            else:
                axes.text(-0.9, row, "◁", ha="center", va="center", color=POSITION, fontsize=10.5)
        axes.set_title(name)
        axes.set(xlim=(-1.6, map_.shape[1] - 0.5), yticks=[0, len(map_) - 1], ylabel="query")
    axes.set_xlabel("key")
    return figure


@mpl.rc_context(STYLE)
def distance_weights(
    distance: Integer[np.ndarray, " distance"],
    weights: dict[str, Float[np.ndarray, " distance"]],
    derived: Float[np.ndarray, " distance"],
) -> Picture:
    """Relative weight against distance: with all frequencies and with the slow ones, beside the derived power."""
    sentences = []
    for name, curve in weights.items():
        rises = int((np.diff(curve) > 0).sum())
        ripples = f"rises at {rises} of {len(curve) - 1} steps" if rises else "never rises"
        sentences.append(f"With {name} it goes from {said(curve[0], '.1g')} to {said(curve[-1], '.0e')} and {ripples}.")
    figure = Picture(
        f"The weight of a key, relative to that at distance 0, against the distance from {span(distance, 'd')}, both "
        f"axes logarithmic. {' '.join(sentences)} A dashed line is the derived power, from "
        f"{said(derived[0], '.1g')} to {said(derived[-1], '.0e')}.",
        height=3.6,
    )
    axes = figure.subplots()
    for (name, curve), colour, marker in zip(weights.items(), (INK, EDGE), ("o", "s"), strict=True):
        axes.plot(distance, curve, "-", marker=marker, color=colour, linewidth=1, markersize=3, label=name)
    axes.plot(distance, derived, "--", color=MUTED, linewidth=1.2, label="derived power")
    axes.set(xscale="log", yscale="log", xlabel="distance", ylabel="weight / weight at 0")
    axes.set_xticks([1, 10, 100], ["1", "10", "100"])
    axes.legend(loc="lower left")
    return figure
