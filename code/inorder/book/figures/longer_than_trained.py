"""The live figures on texts longer than those of training: hands that leave their sector, the vote, who still works."""

from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.encodings import frequencies
from inorder.lab.schemes import compared, scheme_labels
from inorder.stored import read_record
from inorder.widgets import marks

TRAINED = 20  # words in the longest text of training; the shortest has 5
LENGTHS = (10, 20, 30, 40, 60)
D_MODEL, N_HEADS = 32, 4
TASKS = ("which-first", "copy-left", "last-token")

D_HEAD = D_MODEL // N_HEADS
SLOW = 1  # the hand whose face is large
FACES = (((6.2, 0.6), 0.95), ((2.1, 0.1), 2.0), ((8.4, 0.6), 0.95), ((10.6, 0.6), 0.95))  # centre and radius
TEXT_ROW, LEFT, WIDTH = -2.6, 0.1, 10.6  # the text below them, and the length of one of 60 words
LEGEND = (5.8, -1.6)  # the lower right corner of a patch of grey
LIMITS: dict[str, Any] = {"x_limits": (-0.1, 12.2), "y_limits": (-3.0, 2.6)}
HALF = 10  # words of each half of a text
FARTHEST = 60  # positions by which the second half is moved


def clock_faces(words: int = TRAINED) -> list[marks.Mark]:
    """Pull the end of the text. Which hands leave what they know?

    Grey: the angles between two words of a text of training, of up to 20 words. The hand: the angle from the first word
    of this text to its last.
    """
    omega, distance = frequencies(D_HEAD), words - 1
    trained, end = LEFT + WIDTH * np.array([TRAINED, words]) / 60
    row = np.full(2, TEXT_ROW)
    plane = marks.lines([LEFT, trained], {"": row}, bands={"": (row - 0.25, row + 0.25)}, bare=True, **LIMITS)
    plane += marks.lines([LEFT, end], row, equal=True, levels={"": TEXT_ROW}, **LIMITS)
    centres, tips = np.array([centre for centre, _ in FACES]), []
    for (centre, radius), hand in zip(FACES, omega, strict=True):
        plane += _face(centre, radius, hand * (TRAINED - 1), LIMITS)
        tips.append(np.add(centre, 0.92 * radius * np.array([np.sin(hand * distance), np.cos(hand * distance)])))
    foot = np.full(2, LEGEND[1])
    plane += marks.lines([LEGEND[0] - 0.6, LEGEND[0]], {"": foot}, bands={"": (foot, foot + 0.5)}, **LIMITS)
    name = [np.add(LEGEND, (0, 0.25))]
    plane += marks.arrows(name, ["met in training"], tails=name)  # no arrow: its name alone
    plane += marks.arrows(tips, tails=centres, actor="position")
    tops = centres + [[0, radius] for _, radius in FACES]
    plane += marks.points(tops, [f"ω = {hand:g}" if j == SLOW else f"{hand:g}" for j, hand in enumerate(omega)])
    plane += marks.points([[end, TEXT_ROW]], [f"{words} words"], actor="position", drag="words", **LIMITS)
    if words <= TRAINED:
        return [plane, marks.answer("In training, every hand has met every angle of this text.", "=")]
    beyond = [hand for hand in omega if hand * (TRAINED - 1) < 2 * np.pi]  # others have met every angle
    new = [f"{hand:g}" for hand in beyond if hand * (distance + TRAINED - 1) < 2 * np.pi]
    round_again = [f"{hand:g}" for hand in beyond if f"{hand:g}" not in new]
    which = f"{', '.join(new[:-1])} and {new[-1]}" if len(new) > 1 else new[0]
    sentence = (
        f"Between the first word and the last, the hands with ω = {which} point where they never pointed in training."
    )
    if round_again:
        sentence += f" The one with ω = {round_again[0]} has come round to where it pointed for words on the left."
    return [plane, marks.answer(sentence, "≠")]


def _face(centre: tuple[float, float], radius: float, farthest: float, limits: dict[str, Any]) -> marks.Mark:
    """The rim, and tinted the sector of the angles up to ``farthest`` to either side of twelve o'clock."""
    reach = min(farthest, np.pi)
    half = min(reach, np.pi / 2)  # of the rim above the sector
    x = np.sin(np.linspace(-half, half, 31))
    high, foot = np.sqrt(1 - x**2), -np.sqrt(1 - x**2)  # highest and lowest in the sector
    low = np.maximum(np.abs(x) / np.tan(reach), foot) if reach < np.pi else foot
    high, low = (centre[1] + radius * y for y in (high, low))
    sector = marks.lines(centre[0] + radius * x, {"": high}, bands={"": (low, high)}, **limits)
    rest = np.linspace(half, 2 * np.pi - half, 31)
    return sector + marks.lines(centre[0] + radius * np.sin(rest), centre[1] + radius * np.cos(rest), **limits)


def votes(gap: int) -> Float[np.ndarray, "hand 2"]:
    """The slow hand from each word of the first half to each of the second, (sine, cosine), for that gap between them.

    Their mean points to ω · (gap + 10), the angle between the middles of the halves, so it tips at π/ω − 10.
    """
    distances = gap + HALF + np.subtract.outer(np.arange(HALF), np.arange(HALF)).ravel()
    angles = frequencies(D_HEAD)[SLOW] * distances
    return np.stack([np.sin(angles), np.cos(angles)], axis=1)


@cache
def measured() -> Float[np.ndarray, " gap"]:
    """The share of pairs across each gap that trained models judge right, their mean."""
    return np.mean(read_record("longer_texts.json")["the_vote"]["results"][0]["across"], axis=0)


def the_vote(gap: int = 0) -> list[marks.Mark]:
    """Move half of the text away. Where does the vote tip?

    Left: the hand with ω = 0.1 from each word of the first half to each of the second. The thick one is their mean.
    """
    hands = votes(gap)
    mean = hands.mean(axis=0)
    limits: dict[str, Any] = {"x_limits": (-1.9, 1.9), "y_limits": (-1.7, 1.15)}
    row, per_word = np.full(2, -1.45), 3.5 / (2 * HALF + FARTHEST)
    starts = -1.75 + per_word * np.array([0, HALF + gap])
    ends = starts + HALF * per_word
    each = np.unique(hands.round(9), axis=0)  # one for each distance
    comb = (each[:, None] * np.array([1, 0.8, 1])[:, None]).reshape(-1, 2)  # in and back to the rim
    dial = _face((0.0, 0.0), 1.0, frequencies(D_HEAD)[SLOW] * (TRAINED - 1), limits)
    dial += marks.lines([0, 0], [-1, 1], equal=True, bare=True, levels={"": row[0]}, **limits)
    dial += marks.lines(comb[:, 0], comb[:, 1], **limits)
    for start, end in zip(starts, ends, strict=True):
        dial += marks.lines([start, end], {"": row}, bands={"": (row - 0.09, row + 0.09)}, **limits)
    dial += marks.arrows([mean], actor="position")
    sides = [[-1.5, 0.85], [1.0, 0.85]]
    dial += marks.arrows(sides, ["left", "right"], tails=sides)  # no arrows: their names alone
    dial += marks.points([[ends[1], row[0]]], actor="position", drag="gap")
    curve = marks.lines(
        np.arange(FARTHEST + 1),
        measured()[: FARTHEST + 1],
        axes=("gap (positions)", "pairs across it judged right"),
        y_limits=(0, 1),
        levels={"by chance": 0.5},
        handle=float(gap),
        drag="gap",
    )
    side, sign = ("right, where they are", "✓") if mean[0] > 0 else ("left, the wrong side", "×")
    words = (
        f"The votes put the words across the gap to the {side}. Five trained models judge {measured()[gap]:.2f} right."
    )
    return [dial, curve, marks.answer(words, sign)]


@cache
def runs() -> Any:
    """The stored runs of this chapter: encoders of one layer without a first-token mark; one row a run and length."""
    from inorder.lab.results import read

    table = read().table()
    plain = (table["mask"] == "bidirectional") & ~table["mark"].astype(bool) & (table["n_layers"] == 1)
    added = [name for name, entry in compared().items() if not getattr(entry.scheme, "concatenate", 0)]
    return table[plain & table["scheme"].isin(added) & table["task"].isin(TASKS)]


@cache
def labels() -> dict[str, str]:
    """{name of a scheme: what a reader sees}, for the schemes of the registry that have stored runs."""
    names = set(runs()["scheme"])
    return {name: label for name, label in scheme_labels().items() if name in names}


def accuracies(task: str, scheme: str, length: int) -> Float[np.ndarray, " seed"]:
    """The stored accuracy of each seed."""
    table = runs()
    these = (table["task"] == task) & (table["scheme"] == scheme) & (table["length"] == length)
    return table[these].sort_values("seed")["accuracy"].to_numpy()


def floor(task: str, length: int) -> float:
    """The best that a model blind to order can do."""
    table = runs()
    return float(table[(table["task"] == task) & (table["length"] == length)]["floor"].iloc[0])


def short(label: str) -> str:
    """A scheme's name beside a row of cells."""
    return label.removesuffix(", added").removeprefix("scalar, ").replace("up to ", "").replace(", directed", " (dir.)")


def who_still_stands(scheme: str = "RoPE", words: int = 60, task: str = "copy-left") -> list[marks.Mark]:
    """Let the texts grow. Which schemes still work?"""
    shares = np.array([[accuracies(task, name, length).mean() for length in LENGTHS] for name in labels()])
    grid = marks.heat_map(
        shares,
        [short(label) for label in labels().values()],
        [str(length) for length in LENGTHS],
        axes=("", "words in the text"),
        limits=(0, 1),
        digits=None,
        drag=("scheme", "words"),
    )
    standing = int((shares[:, LENGTHS.index(words)] > 0.95).sum())
    name, label = next((name, label) for name, label in labels().items() if short(label) == scheme)
    seeds = accuracies(task, name, words)
    asked = "in training" if words <= TRAINED else "never met in training"
    sentence = (
        f"{words} words, a length {asked}: {label} gives {seeds.mean():.2f} right answers, its worst seed "
        f"{seeds.min():.2f}; the best without order is {floor(task, words):.2f}. {standing} of {len(shares)} schemes "
        f"give more than 0.95."
    )
    return [grid, marks.answer(sentence)]
