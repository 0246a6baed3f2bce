"""The live and the still figures on how position survives the layers, over what `inorder.lab` has stored."""

import json
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from inorder.book.drawing import INK, MUTED, SERIES, STYLE, Picture, draw_range, said, span
from inorder.stored import stored
from inorder.widgets import marks
from inorder.widgets.kit.twin import listed
from inorder.widgets.marks import Mark

WORDS = ("old", "dog", "bites", "man")
N_THREADS = 12  # words of the first figure
NORMS = {"after each sum (2017)": "post", "before each part (today)": "pre"}
POSITIONS = {
    "learned, added": "learned",
    "sinusoids, added": "sinusoids",
    "in the scores (rotary)": "rotary",
    "none": "none",
}
REAL = {"trained": "with_positions", "trained, within one": "within_one", "untrained": "untrained"}
STREAMS = {"encoder, norm after": "encoder", "decoder, norm before": "decoder"}
PARTS = {"attention": "attention", "feed-forward": "feed_forward"}
SCHEMES = {"learned, added": "learned", "rotary": "rotary"}
ERASED = {
    "nowhere": "nothing",
    "at the input": "state 0",
    "after layer 1": "state 1",
    "after layer 2": "state 2",
    "after layer 3": "state 3",
    "after every layer": "every state from 1",
}
CHANCE = 1 / 16


@cache
def record() -> dict[str, Any]:
    """What `python -m inorder.lab.position_in_depth` has measured and stored."""
    return json.loads(stored("position_in_depth.json").read_text(encoding="utf8"))


@cache
def encoder_probes() -> dict[str, Any]:
    """The probes of `python -m inorder.lab.trained_encoder`, by layer."""
    return json.loads(stored("trained_encoder.json").read_text(encoding="utf8"))["probes"]


def dyed_threads(alpha: float = 0.0, row: int = 2) -> list[Mark]:
    """What is left of a word’s colour?"""
    layer = (alpha * np.eye(N_THREADS) + 1 / N_THREADS) / (alpha + 1)
    levels = ["input", "1 layer", *(f"{k} layers" for k in range(2, 7))]
    threads = marks.stream([layer] * 6, layers=levels, threads=False, drag="row")
    own, *_, other = np.linalg.matrix_power(layer, 6)[0]
    if not alpha:
        return [threads, marks.answer(f"Every word holds {own:.3f} of each colour: all are the same grey.", "=")]
    sentence = f"After six layers word {row} holds {own:.3f} of its own colour and {other:.3f} of each of the others."
    return [threads, marks.answer(sentence, "≠")]


def row_1(layers: int, norm: str, alpha: float) -> Float[np.ndarray, " word"]:
    """What row 1 of four words holds, in shares, after crude layers that add the plain mean of all rows."""
    rows, size = np.eye(len(WORDS)), alpha  # of each word in each row; how much a row weighs beside what is added
    for _ in range(layers):
        rows = (size * rows + rows.mean(axis=0)) / (size + 1)
        size = alpha if norm == "post" else size + 1
    return rows[1]


def what_is_left(norm: str = "after each sum (2017)", layers: int = 2, alpha: float = 1.0) -> list[Mark]:
    """How much of row 1 is still its own word?"""
    row = row_1(layers, NORMS[norm], alpha)
    bars = marks.bars(row, list(WORDS), axis="share of row 1", limits=(0, 1), reference=1 / 4)
    sentence = f"Row 1 holds {row[1]:.3f} of “dog” and {row[0]:.3f} of each of the others."
    return [bars, marks.answer(sentence, "≠")]


def nearest(distance: float = 2.0) -> list[Mark]:
    """Whose mean is nearest?"""
    spread = np.random.default_rng(3).normal(size=(2, 40))
    x = spread - spread.mean(axis=1, keepdims=True) + np.array([[0.0], [distance]])  # (position, row)
    height = np.linspace(0.1, 0.9, 40)
    axes = ("the number in the row", "")
    plane = marks.points(np.stack([x[0], -height], axis=1), actor="key", equal=False, axes=axes)
    plane += marks.points(np.stack([x[1], height], axis=1), actor="position", equal=False)
    plane += marks.lines([distance / 2] * 2, [-1, 1], x_limits=(-3, 7), y_limits=(-1, 1))
    right = ((x[0] < distance / 2).sum() + (x[1] >= distance / 2).sum()) / 80
    return [
        plane,
        marks.answer(f"The probe is right in {100 * right:.0f}% of the rows. A guess is right in half of them."),
    ]


def depth_curve(positions: str, norm: str, residual: bool, queries: bool) -> Float[np.ndarray, " state"]:
    """The stored accuracy of the position probe by layer, the mean of three untrained models."""
    way = f"{'residual' if residual else 'no residual'}, {'queries' if queries else 'no queries'}"
    runs = record()["depths"]["models"][f"{positions}, {norm}, {way}"]
    return np.mean([run["exact"] for run in runs], axis=0)


def ways_through(positions: str = "learned, added", residual: bool = True, queries: bool = True) -> list[Mark]:
    """Which way does position go?"""
    curves = {
        name: depth_curve(POSITIONS[positions], norm, residual, queries)
        for name, norm in (("norm after", "post"), ("norm before", "pre"))
    }
    layers = np.arange(record()["depths"]["n_layers"] + 1)
    chance = {"chance": np.full(len(layers), CHANCE)}
    axes = ("layers passed", "rows whose position is named")
    plane = marks.lines(layers, curves | chance, axes=axes, y_limits=(0, 1))
    after, before = (curve[-1] for curve in curves.values())
    sentence = (
        f"After {layers[-1]} layers the probe is right in {after:.2f} of the rows with the norm after, in {before:.2f} "
        f"with the norm before. A guess: {CHANCE:.2f}."
    )
    return [plane, marks.answer(sentence)]


def what_a_layer_adds(model: str = "encoder, norm after", part: str = "attention") -> list[Mark]:
    """How much does each layer add to the stream?"""
    stored_shares = record()["streams"][STREAMS[model]]
    curves = {name: np.array([block[PARTS[part]] for block in blocks]) for name, blocks in stored_shares.items()}
    layers = np.arange(1, len(curves["trained"]) + 1)
    limits: dict[str, Any] = {
        "x_limits": (0, len(layers)),
        "y_limits": (0.01, 20),
    }  # each model has its own number of layers
    plane = marks.lines(layers, curves, axes=("layer", "added, relative to a row"), log="y", **limits)
    middle = {name: float(np.median(curve)) for name, curve in curves.items()}
    sentence = (
        f"In the median layer, {part} adds {middle['trained']:.2f} of a row; untrained, {middle['untrained']:.2f}."
    )
    return [plane, marks.answer(sentence)]


def real_model(model: str = "trained") -> list[Mark]:
    """Where does a real model still know the position?"""
    accuracies = encoder_probes()[REAL[model]]
    chance = 3 / 32 if "within" in model else 1 / 32
    names = ["input", *(f"{k} layer{'s' * (k > 1)}" for k in range(1, len(accuracies)))]
    bars = marks.bars(accuracies, names, axis="rows whose position is named", limits=(0, 1), reference=chance)
    sentence = (
        f"After four layers the probe is right in {accuracies[4]:.2f} of the rows, after six in {accuracies[6]:.2f}. "
        f"A guess: {chance:.2f}."
    )
    return [bars, marks.answer(sentence)]


def erasure(positions: str, norm: str, erased: str, *, control: bool = False) -> dict[str, Any]:
    """The stored task and probe of three small trained models, position erased there: means over the models."""
    key = f"{SCHEMES[positions]}, {norm}, {ERASED[erased]}" + (", control" if control else "")
    runs = record()["small"]["models"][key]
    return {name: np.mean([run[name] for run in runs], axis=0) for name in ("task", "probe")}


def erased_position(erased: str = "after layer 2", norm: str = "after each sum (2017)") -> list[Mark]:
    """Erase position. Does it come back, and is it missed?"""
    result = erasure("learned, added", NORMS[norm], erased)
    names = ["input", *(f"layer {k}" for k in range(1, len(result["probe"])))]
    bars = marks.bars(result["probe"], names, axis="rows whose position is named", limits=(0, 1), reference=CHANCE)
    sentence = f"{result['task']:.2f} of the answers are right"
    if erased == "nowhere":
        return [bars, marks.answer(f"{sentence}. Nothing has been erased.")]
    control = erasure("learned, added", NORMS[norm], erased, control=True)["task"]
    return [bars, marks.answer(f"{sentence}; {control:.2f} with as many meaningless directions erased.")]


@mpl.rc_context(STYLE)
def two_laws(
    measured: dict[str, dict[float, Float[np.ndarray, "seed layer"]]],
    derived: dict[str, dict[float, Float[np.ndarray, " layer"]]],
) -> Picture:
    """{norm: {α: own part by layer}}: what is measured beside the law, a panel for each norm."""
    titles = {"post": "norm after each sum", "pre": "norm before each part"}
    sentences = []
    for norm, curves in measured.items():
        ends = listed(
            f"{said(parts[:, -1].mean(), '.1g')} for α = {alpha:g}" for alpha, parts in sorted(curves.items())
        )
        sentences.append(f"With the {titles[norm]} it ends at {ends}.")
    figure = Picture(
        "Two panels, each with the own part of a row on a logarithmic axis against the layers passed; points measured, "
        f"lines derived. {' '.join(sentences)}",
        height=6.0,
    )
    panels = figure.subplots(2, 1, sharex=True, sharey=True)
    for axes, (norm, curves) in zip(panels, measured.items(), strict=True):
        for (alpha, parts), (marker, colour, line) in zip(sorted(curves.items(), reverse=True), SERIES, strict=False):
            axes.plot(derived[norm][alpha], color=colour, linestyle=line, linewidth=1)
            _points(axes, parts, (marker, colour), f"α = {alpha:g}")
        axes.set(yscale="log", ylabel="own part, 1 − cosine")
        axes.set_title(titles[norm])
        axes.minorticks_off()
        axes.legend(loc="lower left")
    panels[-1].set(xlabel="layers passed")
    panels[0].set_yticks([1, 1e-2, 1e-4, 1e-6, 1e-8], ["1", "0.01", "0.0001", "10⁻⁶", "10⁻⁸"])
    return figure


@mpl.rc_context(STYLE)
def before_and_after_training(
    models: dict[str, tuple[Float[np.ndarray, "seed layer"], Float[np.ndarray, "seed layer"]]],
    task_accuracy: dict[str, Float[np.ndarray, " seed"]],
    chance: float,
) -> Picture:
    """{model: (probe before training, probe after)}, a line per seed, with the accuracy on the task in the titles."""
    sentences = []
    for name, (_, after) in models.items():
        sentences.append(
            f"{name}: after training {span(after[:, 0])} at the input and {span(after[:, -1])} after the last layer; "
            f"task {span(task_accuracy[name])}."
        )
    figure = Picture(
        f"{len(models)} small panels, each with the accuracy of a position probe by layer, one line per seed, before "
        f"and after training; a dotted line marks chance, {said(chance)}. {' '.join(sentences)}",
        height=5.8,
    )
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, (name, (before, after)) in zip(panels.flat, models.items(), strict=True):
        for values, style, label in ((before, "o--", "before training"), (after, "s-", "after training")):
            colour = MUTED if values is before else INK
            lines = axes.plot(values.T, style, color=colour, linewidth=1, markersize=4)
            lines[0].set_label(label)
        axes.axhline(chance, color=MUTED, linewidth=0.8, linestyle=":")
        low, high = task_accuracy[name].min(), task_accuracy[name].max()
        axes.set_title(f"{name}\ntask {_span(low, high)}")
        axes.set(ylim=(-0.03, 1.05))
        axes.set_xticks(range(before.shape[1]))
    for axes in panels[1]:
        axes.set_xlabel("layers passed")
    for axes in panels[:, 0]:
        axes.set_ylabel("position probe")
    panels[1, 1].text(1.5, chance + 0.13, "dotted: chance", ha="center", color=MUTED)
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def _points(axes: Axes, values: np.ndarray, style: tuple, name: str) -> None:
    marker, colour = style
    x = np.arange(values.shape[1])
    draw_range(axes, x, values, seeds=0, marker=marker, color=colour, linestyle="none", label=name)


def _span(low: float, high: float) -> str:
    return f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
