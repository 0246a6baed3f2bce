"""The figures on learning order: what a row can know, how models learn, and what more steps bring."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from inorder.stored import stored
from inorder.widgets import marks

TEXT = ("cat", "dog", "cat", "cat", "man", "dog", "cat", "man")
KINDS = ("cat", "dog", "man")
SIGHTS = ("a bag of words", "distances, no direction", "the order")
WORDS = 20  # of the texts whose last word is asked for
T5_REACHES = (128, 16)
SCHEMES = {"T5, up to 128": "T5, up to 128", "T5, up to 16": "T5, up to 16", "a learned table": "learned, added"}
STEPS = {"300": "learning_order.json", "3,000": "ten_times_longer.json"}


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


def last_word(steps: str) -> dict[str, float]:
    """By scheme, the mean share of rows that name the last of 20 words, from the stored sweeps."""
    from inorder.lab.results import read  # needs pandas, which the package's core does not need

    runs = read(stored(STEPS[steps])).table()
    runs = runs[(runs["task"] == "last-token") & (runs["length"] == WORDS)]  # each of these schemes in one setting
    means = runs.groupby("label")["accuracy"].mean()
    return {scheme: float(means[label]) for scheme, label in SCHEMES.items()}


def slow_or_unable(steps: str = "300") -> list[marks.Mark]:
    """Do more steps help, or is there a ceiling?"""
    from inorder.lab.tasks import LastToken  # needs torch

    means = last_word(steps)
    proved = [f"{LastToken().bucket_ceiling(WORDS, max_distance=reach):.2f}" for reach in T5_REACHES]
    bars = marks.bars(
        list(means.values()),
        list(means),
        columns={"max": [*proved, "–"]},
        axis="share correct",
        limits=(0, 1),
        reference=LastToken().floor(WORDS),
    )
    best = max(means, key=lambda scheme: means[scheme])
    return [bars, marks.answer(f"{best[0].upper()}{best[1:]} gets furthest, with {means[best]:.2f}.")]
