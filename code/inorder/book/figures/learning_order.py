"""The figures on learning order: what a row can know, how models learn, and every scheme on every task."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from jaxtyping import Float

from inorder.book.drawing import INK, MUTED, STYLE, Picture, said, span
from inorder.widgets import marks

TEXT = ("cat", "dog", "cat", "cat", "man", "dog", "cat", "man")
KINDS = ("cat", "dog", "man")
TASKS = {
    "which-first": "which came first?",
    "copy-left": "the word to the left",
    "last-token": "the last word",
}
SIGHTS = ("a bag of words", "distances, no direction", "the order")


def probabilities(row: int, sees: str) -> Float[np.ndarray, " kind"]:
    """How likely each kind of word is to be on the left of a row of TEXT, for what the row knows."""
    if sees == SIGHTS[0]:
        known = [*TEXT[:row], *TEXT[row + 1 :]]
    elif sees == SIGHTS[1]:
        known = [TEXT[row - 1], *TEXT[row + 1 : row + 2]]
    else:
        known = [TEXT[row - 1]]
    return np.array([known.count(kind) for kind in KINDS]) / len(known)


def what_a_row_can_know(row: int = 7, sees: str = SIGHTS[0]) -> list[marks.Mark]:
    """Which word is on the left of this row?"""
    text = " ".join(f"[{word}]" if k == row else word for k, word in enumerate(TEXT))
    likely = probabilities(row, sees)
    best = likely.max()
    guesses = " or ".join(f"“{kind}”" for kind, probability in zip(KINDS, likely, strict=True) if probability == best)
    bars = marks.bars(likely, KINDS, axis="probability that it is on the left", limits=(0, 1))
    right = "right for sure" if best == 1 else f"right with probability {best:.2f}"
    return [
        marks.text(text, title="the text, and the row"),
        bars,
        marks.answer(f"The best guess, {guesses}, is {right}."),
    ]


def learning(curves: Sequence[np.ndarray], floor: float, right: Sequence[float], n_texts: int) -> list[marks.Mark]:
    """Learning curves over a floor, and what the test says: (step,) accuracies of some models on new texts."""
    bins = [np.asarray(curve).reshape(-1, 10).mean(axis=1) for curve in curves]
    steps = 10 * np.arange(1, len(bins[0]) + 1)
    drawn = {f"seed {k}": curve for k, curve in enumerate(bins)} | {"floor": np.full(len(steps), floor)}
    axes = ("steps", "share correct")
    plane = marks.lines(steps, drawn, actor={"floor": "position"}, axes=axes, y_limits=(0.3, 1.02))
    counts = " and ".join(f"{round(share * n_texts)}" for share in right)
    sign = "×" if max(right) == floor else "✓"
    return [plane, marks.answer(f"Tested on {n_texts:,} new texts, {counts} answers are right.", sign)]


def sweep_curves(curves: Any, floor: float, ceiling: float) -> list[marks.Mark]:
    """The learning curves of one scheme on one task, one curve for each seed, between the floor and the ceiling.

    `curves` are rows of `inorder.lab.results.Results.curves`.
    """
    runs = {seed: run.sort_values("step") for seed, run in curves.groupby("seed")}
    steps = next(iter(runs.values())).step.to_numpy()
    drawn = {f"seed {seed}": run.accuracy.to_numpy() for seed, run in runs.items()}
    bounds = {"floor": np.full(len(steps), floor)}
    if floor < ceiling < 1:
        bounds["ceiling without direction"] = np.full(len(steps), ceiling)
    actors = dict.fromkeys(bounds, "position")
    plane = marks.lines(steps, drawn | bounds, actor=actors, axes=("steps", "share correct"), y_limits=(0, 1.02))
    ends = [curve[-1] for curve in drawn.values()]
    answer = f"At the end {span(ends, '.2f')} of the answers are right. The floor is {floor:.2f}"
    if len(bounds) > 1:
        answer += f", the ceiling without direction {ceiling:.2f}"
    return [plane, marks.answer(f"{answer}.")]


def slow_or_unable(means: Mapping[str, float], floor: float, ceilings: Mapping[str, float]) -> list[marks.Mark]:
    """The mean share correct of each scheme, by label, over the floor; and its ceiling, where a theorem gives one."""
    bounds = [f"{ceilings[label]:.2f}" if label in ceilings else "–" for label in means]
    bars = marks.bars(
        list(means.values()),
        list(means),
        columns={"max": bounds},
        axis="share correct",
        limits=(0, 1),
        reference=floor,
    )
    best = max(means, key=lambda label: means[label])
    answer = f"{best[0].upper()}{best[1:]} gets furthest, with {means[best]:.2f}. The floor is {floor:.2f}."
    return [bars, marks.answer(answer)]


@mpl.rc_context(STYLE)
def every_scheme(table: Any) -> Picture:
    """One panel a task, one line a scheme, one mark a seed; `table` holds rows of `Results.table` at one length.

    The dotted line is the floor of a model blind to order, the dashed one the ceiling of one blind to direction.
    """
    labels = list(dict.fromkeys(table.label))[::-1]
    sentences = []
    for task, name in TASKS.items():
        rows = table[table.task == task]
        results = "; ".join(f"{label} {span(part.accuracy)}" for label, part in rows.groupby("label", sort=False))
        sentences.append(f"{name}: floor {said(rows.floor.iloc[0])}, ceiling {said(rows.ceiling.iloc[0])}; {results}.")
    figure = Picture(
        f"{len(TASKS)} panels, one per task: the share of right answers of each scheme, one mark per seed. "
        f"{' '.join(sentences)}",
        height=1.1 + 0.27 * len(labels),
    )
    panels = figure.subplots(1, len(TASKS), sharex=True, sharey=True)
    for axes, (task, name) in zip(panels, TASKS.items(), strict=True):
        rows = table[table.task == task]
        axes.axvline(rows.floor.iloc[0], color=INK, linestyle=":", linewidth=1)
        axes.axvline(rows.ceiling.iloc[0], color=MUTED, linestyle="--", linewidth=1)
        heights = [labels.index(label) for label in rows.label]
        axes.plot(rows.accuracy, heights, "|", color=INK, markersize=9, markeredgewidth=1.2)
        axes.set(xlim=(0, 1.03), ylim=(-0.7, len(labels) - 0.3), title=name)
        axes.set_yticks(range(len(labels)), labels)
        axes.tick_params(axis="y", length=0)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "½", "", "1"])
        axes.set_xlabel("share correct")
    return figure
