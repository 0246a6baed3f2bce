"""The live figures on texts longer than those of training: what is new in them, and which schemes still work."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from jaxtyping import Float, Int64

from inorder.book.drawing import EDGE, INK, MUTED, POSITION, STYLE, Picture
from inorder.encodings import (
    alibi_slopes,
    frequencies,
    interpolated_frequencies,
    ntk_frequencies,
    t5_buckets,
    yarn_frequencies,
)
from inorder.lab.schemes import compared, scheme_labels
from inorder.stored import stored
from inorder.widgets import marks

TRAINED = 20  # words in the longest text of training; the shortest has 5
LENGTHS = (10, 20, 30, 40, 60)
D_MODEL, N_HEADS = 32, 4
TASKS = ("which-first", "copy-left", "last-token")


D_HEAD = D_MODEL // N_HEADS
FACES = ((1.2, 0.0), (3.9, 0.0), (6.6, 0.0), (9.3, 0.0))  # where the clock faces stand
TEXT_ROW, WIDTH = -1.9, 10.2  # the text below them, and the length of one of 60 words


def clock_faces(words: int = TRAINED) -> list[marks.Mark]:
    """Pull the end of the text. How far do the hands of a head turn?

    A head of eight columns has four hands. Rays: the angles from a word to those on its right, in
    texts of up to 20. Arrow: the angle from the first word to the last.
    """
    omega, distance = frequencies(D_HEAD), words - 1
    limits: dict[str, Any] = {"x_limits": (-0.3, 11.1), "y_limits": (-2.4, 1.7)}
    end = words * WIDTH / 60
    plane = marks.lines([0, end], [TEXT_ROW, TEXT_ROW], equal=True, bare=True, **limits)
    for centre, hand in zip(FACES, omega, strict=True):
        face = _face(centre, hand)
        plane += marks.lines(face[:, 0], face[:, 1], **limits)
        newest = min(distance, 2 * np.pi / hand - (TRAINED - 1))  # beyond it lie the rays of the left side
        arc = _at(centre, np.linspace(min(TRAINED - 1, distance), newest, 30) * (hand if _is_new(hand) else 0), 1.14)
        plane += marks.lines(arc[:, 0], arc[:, 1], actor="position", **limits)
    tips = np.concatenate([_at(centre, hand * distance) for centre, hand in zip(FACES, omega, strict=True)])
    plane += marks.arrows(tips, tails=FACES, actor="position", **limits)
    names = [f"ω = {hand:g}" for hand in omega]
    plane += marks.points([[x, y + 1] for x, y in FACES], names, **limits)
    plane += marks.points(
        [[TRAINED * WIDTH / 60, TEXT_ROW]], ["20, as in training" if words > TRAINED + 16 else ""], **limits
    )
    plane += marks.points([[end, TEXT_ROW]], [f"{words} words"], actor="position", drag="words", **limits)
    if words <= TRAINED:
        return [plane, marks.answer("In training, every hand has met every angle of this text.", "=")]
    beyond = [hand for hand in omega if _is_new(hand)]
    new = [f"{hand:g}" for hand in beyond if hand * (distance + TRAINED - 1) < 2 * np.pi]
    round_again = [f"{hand:g}" for hand in beyond if f"{hand:g}" not in new]
    which = f"{', '.join(new[:-1])} and {new[-1]}" if len(new) > 1 else new[0]
    sentence = (
        f"Between the first word and the last, the hands with ω = {which} point where they never pointed in training."
    )
    if round_again:
        sentence += f" The one with ω = {round_again[0]} has come round to where it pointed for words on the left."
    return [plane, marks.answer(sentence, "≠")]


def _is_new(hand: float) -> bool:
    """Whether texts of training leave angles of a hand unseen."""
    return bool(hand * (TRAINED - 1) < 2 * np.pi)


def _at(centre: tuple[float, float], angle: Any, radius: float = 1.0) -> Float[np.ndarray, "angle 2"]:
    """Places on a face, from twelve o'clock."""
    turn = np.atleast_1d(np.asarray(angle, dtype=float))
    return np.array(centre) + radius * np.stack([np.sin(turn), np.cos(turn)], axis=1)


def _face(centre: tuple[float, float], hand: float) -> Float[np.ndarray, "corner 2"]:
    """A ray for each distance of training, and the rim, in one stroke."""
    rays = [ray for k in range(TRAINED) for ray in ([centre], _at(centre, hand * k), [centre])]
    return np.concatenate([*rays, _at(centre, 2 * np.pi * np.linspace(0, 1, 49))])


class Numbers(NamedTuple):
    """What a scheme gives the model: `of(distance or position, words in the text)`, and the label of the axis."""

    of: Callable[[np.ndarray, int], np.ndarray]
    axis: str


def _shaw(distance: np.ndarray, n: int) -> np.ndarray:
    return np.minimum(distance, 16)


def _buckets(distance: np.ndarray, max_distance: int) -> np.ndarray:
    return t5_buckets(-distance, max_distance=max_distance)  # keys to the left


NUMBERS = {
    "number i/(n − 1)": Numbers(lambda i, n: i / (n - 1), "position of the word"),
    "number i/63": Numbers(lambda i, n: i / 63, "position of the word"),
    "learned table": Numbers(lambda i, n: i, "position of the word"),
    "sinusoids": Numbers(lambda i, n: frequencies(D_MODEL)[4] * i, "position of the word"),
    "rotary": Numbers(lambda i, n: frequencies(D_MODEL // N_HEADS)[1] * i, "distance to the key"),
    "ALiBi": Numbers(lambda i, n: alibi_slopes(N_HEADS)[0] * i, "distance to the key"),
    "T5, reach 128": Numbers(lambda i, n: _buckets(i, 128), "distance to the key"),
    "T5, reach 16": Numbers(lambda i, n: _buckets(i, 16), "distance to the key"),
    "Shaw, reach 16": Numbers(_shaw, "distance to the key"),
}


def what_is_new(scheme: str = "learned table", words: int = 60) -> list[marks.Mark]:
    """What has the model never met?"""
    numbers = NUMBERS[scheme]
    seen, now = (np.asarray(numbers.of(np.arange(n), n), dtype=float) for n in (TRAINED, words))
    plane = marks.lines(
        np.arange(words),
        now / seen[-1],
        actor="position",
        axes=(numbers.axis, "what the scheme gives the model"),
        x_limits=(0, 60),
        y_limits=(0, 3.3),
    )
    plane += marks.lines(np.arange(TRAINED), seen / seen[-1], x_limits=(0, 60), y_limits=(0, 3.3))
    if words == TRAINED:
        return [plane, marks.answer("This is the longest training text: nothing is new.", "=")]
    sentence, sign = _new(scheme, seen, now, words)
    return [plane, marks.answer(sentence, sign)]


def _new(scheme: str, seen: np.ndarray, now: np.ndarray, n: int) -> tuple[str, str]:
    beyond = int((now > seen[-1] + 1e-12).sum())
    before, after = (int((numbers == seen[-1]).sum()) for numbers in (seen, now))
    if scheme == "number i/(n − 1)":
        return (
            f"Every value lies between 0 and 1, as in training, but one step is now {now[1]:.3f}; in training it was "
            f"{seen[1]:.3f} to {1 / 4:.3f}.",
            "≠",
        )
    if not beyond:
        return f"No number is new. But the last one stood for up to {before} words, and now for up to {after}.", "≠"
    farthest = len(np.unique(now[now > seen[-1]]))
    sentences = {
        "number i/63": f"{beyond} values are above {seen[-1]:.2f}, the largest in training.",
        "learned table": f"{beyond} rows are as they were initialised: no text has trained them.",
        "sinusoids": "The slow hands reach angles that never occurred in training: this one turned by "
        f"{seen[-1]:.1f} at most, and now by {now[-1]:.1f}.",
        "rotary": f"{beyond} new distances: this hand turned a key by {seen[-1]:.1f} at most, and now by {now[-1]:.1f}."
        + (
            f" Beyond {2 * np.pi - seen[-1]:.1f} it points where it pointed for keys on the other side."
            if now[-1] > 2 * np.pi - seen[-1]
            else ""
        ),
        "ALiBi": f"There are {beyond} new distances, but in the steepest head they get "
        f"{100 * np.exp(-now[TRAINED:]).sum() / np.exp(-now).sum():.1f}% of the attention in all, if all keys "
        "match equally.",
        "T5, reach 128": f"The farthest keys get {'one number' if farthest == 1 else f'{farthest} numbers'} that no "
        "text has trained.",
    }
    return sentences[scheme], "≠"


def share_of_the_best(
    lengths: Int64[np.ndarray, " text"], lead: int | float, slope: int | float = 0, distance: int = 3
) -> Float[np.ndarray, " text"]:
    """The weight of a key to the left whose score leads all others by `lead` before ALiBi, in texts of these lengths.

    The query is the last word, so that the keys stand at the distances 0 … n − 1.

    >>> share_of_the_best(np.array([20, 60]), np.log(19)).round(3)
    array([0.5  , 0.244])
    """
    counts = np.exp(-slope * np.arange(lengths.max()))
    crowd = counts.cumsum()[lengths - 1] - counts[distance]
    return 1 / (1 + crowd / (np.exp(lead) * counts[distance]))


def more_keys(lead: int | float = 4, slope: str = "0", words: int = 60) -> list[marks.Mark]:
    """One key matches best. What do more words take away from it?"""
    lengths = np.arange(5, 201, 5)
    weights = share_of_the_best(lengths, lead, SLOPES[slope])
    axes = ("words in the text", "weight of the best key")
    curve = marks.lines(lengths, weights, axes=axes, y_limits=(0, 1), actor="key")
    before, after = share_of_the_best(np.array([TRAINED, words]), lead, SLOPES[slope])
    at = [[TRAINED, before], [words, after]]
    curve += marks.points(at, [f"{before:.2f}", f"{after:.2f}" if words > TRAINED else ""], actor="key", equal=False)
    lost = f"With {TRAINED} words the best key gets {before:.2f}, with {words} it gets {after:.2f}."
    return [curve, marks.answer(lost, "=" if abs(before - after) < 0.005 else "≠")]


SLOPES = {"0": 0.0, "1/64": 1 / 64, "1/16": 1 / 16, "1/4": 1 / 4}


@cache
def runs() -> Any:
    """The stored runs of this chapter: encoders without a first-token mark; one row a run and length."""
    import pandas as pd  # which the package's core does not need

    from inorder.lab.results import read

    table = pd.concat([read().table(), read(stored("deeper_and_marked.json")).table()])
    plain = (table["mask"] == "bidirectional") & ~table["mark"].astype(bool)
    added = [name for name, entry in compared().items() if not getattr(entry.scheme, "concatenate", 0)]
    return table[plain & table["scheme"].isin(added) & table["task"].isin(TASKS)]


@cache
def labels() -> dict[str, str]:
    """{name of a scheme: what a reader sees}, for the schemes of the registry that have stored runs."""
    names = set(runs()["scheme"])
    return {name: label for name, label in scheme_labels().items() if name in names}


def accuracies(task: str, scheme: str, length: int, n_layers: int = 1) -> Float[np.ndarray, " seed"]:
    """The stored accuracy of each seed."""
    table = runs()
    these = (table["task"] == task) & (table["scheme"] == scheme) & (table["length"] == length)
    return table[these & (table["n_layers"] == n_layers)].sort_values("seed")["accuracy"].to_numpy()


def bound(task: str, length: int, name: str = "floor") -> float:
    """The floor, or the ceiling of schemes that know distances without a side."""
    table = runs()
    return float(table[(table["task"] == task) & (table["length"] == length)][name].iloc[0])


def who_still_stands(task: str = "copy-left", words: int = 60) -> list[marks.Mark]:
    """Let the texts grow. Which schemes still work?"""
    means, worst = [], []
    for scheme in labels():
        shares = accuracies(task, scheme, words)
        means.append(shares.mean())
        worst.append(shares.min())
    floor = bound(task, words)
    bars = marks.bars(
        means,
        list(labels().values()),
        columns={"worst": worst},
        axis="right answers",
        limits=(0, 1),
        reference=floor,
        actor="position",
    )
    standing = sum(mean > 0.95 for mean in means)
    asked = "in training" if words <= TRAINED else "never met in training"
    sentence = f"{words} words, a length {asked}: {standing} of {len(means)} give more than 95 right answers in 100."
    return [bars, marks.answer(sentence)]


def by_length(scheme: str = "rotary") -> list[marks.Mark]:
    """One scheme, three questions. Which does it still answer beyond 20 words?"""
    curves = {task: np.array([accuracies(task, scheme, n).mean() for n in LENGTHS]) for task in TASKS}
    plane = marks.lines(LENGTHS, curves, axes=("words in the text", "right answers"), y_limits=(0, 1.02))
    at_20, at_60 = ({task: curve[LENGTHS.index(n)] for task, curve in curves.items()} for n in (20, 60))
    numbers = ", ".join(f"{task} {at_20[task]:.2f} and {at_60[task]:.2f}" for task in TASKS)
    return [plane, marks.answer(f"At 20 words and at 60: {numbers}.")]


@cache
def record() -> dict[str, dict[str, Float[np.ndarray, "seed length"]]]:
    """The stored changes: {"task, scheme": {"as it is": accuracies, "squeezed": …}}."""
    content = json.loads(stored("longer_than_trained.json").read_text(encoding="utf8"))["accuracy"]
    return {model: {how: np.array(seeds) for how, seeds in changes.items()} for model, changes in content.items()}


CAUSES = {
    "which-first, learned table: squeeze the positions": ("which-first, learned", "squeezed"),
    "which-first, sinusoids: squeeze the positions": ("which-first, sinusoidal", "squeezed"),
    "which-first, RoPE: squeeze the positions": ("which-first, rotary", "squeezed"),
    "which-first, T5 (128): squeeze the positions": ("which-first, t5", "squeezed"),
    "copy-left, RoPE: squeeze the positions": ("copy-left, rotary", "squeezed"),
    "copy-left, learned table: squeeze the positions": ("copy-left, learned", "squeezed"),
    "copy-left, learned table: random starts": ("copy-left, learned", "random starts"),
    "copy-left, learned table: close the window": ("copy-left, learned", "windowed"),
    "which-first, T5 (128): fill the buckets": ("which-first, t5", "filled"),
    "copy-left, T5 (128): fill the buckets": ("copy-left, t5", "filled"),
    "copy-left, T5 (128): close the window": ("copy-left, t5", "windowed"),
    "copy-left, T5 (16): close the window": ("copy-left, t5-16", "windowed"),
    "copy-left, T5 (16): thin the crowd": ("copy-left, t5-16", "thinned"),
    "copy-left, ALiBi, directed: close the window": ("copy-left, alibi-split", "windowed"),
    "last-token, Shaw: move the distant words": ("last-token, shaw", "moved"),
}


def taken_away(change: str = "which-first, learned table: squeeze the positions") -> list[marks.Mark]:
    """Take one cause away. Does the effect go?"""
    model, how = CAUSES[change]
    before, after = (record()[model][each].mean(axis=0) for each in ("as it is", how))
    curves = {"as it is": before, "changed": after}
    actor = {"as it is": "ink", "changed": "position"}
    plane = marks.lines(LENGTHS, curves, actor=actor, axes=("words in the text", "right answers"), y_limits=(0, 1.02))
    at_20, at_60 = before[LENGTHS.index(TRAINED)], before[-1]
    sentence = f"At 60 words: {at_60:.2f} as it is, {after[-1]:.2f} changed. At 20 words it was {at_20:.2f}."
    comes_back = at_60 < at_20 and after[-1] - at_60 > (at_20 - at_60) / 2  # more than half of what was lost
    return [plane, marks.answer(sentence, "✓" if comes_back else "×")]


@cache
def rows() -> dict[str, Float[np.ndarray, "seed position"]]:
    """The stored accuracy of each row: {"as it is, 20 words": …}, Shaw at last-token."""
    content = json.loads(stored("longer_than_trained.json").read_text(encoding="utf8"))["by row"]
    return {how: np.array(seeds) for how, seeds in content["last-token, shaw"].items()}


def uses_the_far_vector() -> Any:
    """Which of the stored models do better than one in ten where the end lies beyond the reach."""
    return rows()["as it is, 60 words"][:, :43].mean(axis=1) > 0.15


def accuracy_by_row() -> Picture:
    """Who finds the last word?"""
    figure = Picture(
        "Accuracy of Shaw’s models at last-token by row, 60 words. In all five the rows from 45 on, less than 16 words "
        "from the end, are nearly always right. Before that, three models lie at 0.2 to 0.6 as they are, and at 1 "
        "where the distant words other than the last are moved to the left. Two models lie at 0.1 either way.",
        height=2.9,
    )
    uses = uses_the_far_vector()
    as_it_is, moved = (rows()[f"{how}, 60 words"] for how in ("as it is", "moved"))
    with mpl.rc_context(STYLE):
        axes = figure.subplots()
        axes.axvline(43.5, color=EDGE, lw=0.8, ls=":")
        axes.annotate("the end is within the reach", (44.3, 0.02), color=MUTED, size=10.5)
        axes.plot(moved[uses].mean(axis=0), color=POSITION, ls="--", label="three models, distant words moved")
        axes.plot(as_it_is[uses].mean(axis=0), color=INK, label="three models, as they are")
        axes.plot(as_it_is[~uses].mean(axis=0), color=MUTED, ls=":", label="the other two, as they are")
        axes.set(xlabel="row, of 60", ylabel="right answers", ylim=(0, 1.04), xlim=(0, 59))
        axes.legend(loc="center left", bbox_to_anchor=(0.0, 0.72))
    return figure


# A real decoder: SmolLM2-135M, whose heads have 32 hands.
READ, READ_IN_TRAINING, D_HEAD_READ, BASE_READ = 12_288, 8_192, 64, 100_000.0
FACTOR = READ / READ_IN_TRAINING
TEXTS = {"Alice": "alice", "this book": "book"}


class Remedy(NamedTuple):
    """A stored run, the frequencies of its hands, and the largest distance between two tokens."""

    run: str
    omega: Float[np.ndarray, " frequency"]
    farthest: int = READ - 1


_HANDS = frequencies(D_HEAD_READ, base=BASE_READ)
REMEDIES = {
    "as trained": Remedy("trained", _HANDS),
    "interpolated": Remedy("interpolated", interpolated_frequencies(D_HEAD_READ, FACTOR, base=BASE_READ)),
    "NTK-aware": Remedy("ntk", ntk_frequencies(D_HEAD_READ, FACTOR, base=BASE_READ)),
    "YaRN": Remedy("yarn", yarn_frequencies(D_HEAD_READ, FACTOR, READ_IN_TRAINING, base=BASE_READ)),
    "window": Remedy("windowed", _HANDS, READ_IN_TRAINING - 1),
    "half the text": Remedy("cut", _HANDS, READ // 2 - 1),
    "half, with a gap": Remedy("gap", _HANDS),
}


@cache
def losses(text: str, run: str) -> Float[np.ndarray, " block"]:
    """The mean loss of each 1,024 tokens of a text, or of its second half; −log p, in nats."""
    blocks = np.array(json.loads(stored("longer_decoder.json").read_text(encoding="utf8"))[f"{text}/{run}"])
    return blocks.reshape(-1, 4).mean(axis=1)


def short_loss(text: str, how: str, factor: float = 2.0) -> float:
    """The mean loss in a text of 1,024 tokens, its hands slowed for texts `factor` times as long as in training."""
    content = json.loads(stored("longer_decoder.json").read_text(encoding="utf8"))
    results = content[f"{text}/short"][how]
    return float(results[0] if how == "trained" else results[content["factors"].index(factor)])


def slower_hands(remedy: str = "as trained", text: str = "Alice") -> list[marks.Mark]:
    """Read half as much again as in training. What does each remedy take away?"""
    run, omega, farthest = REMEDIES[remedy]
    share = omega * farthest / (_HANDS * (READ_IN_TRAINING - 1))
    limits: dict[str, Any] = {"x_limits": (0, 31), "y_limits": (0.6, 1.6)}
    axes = ("hand, the fastest first", "largest angle ÷ largest in training")
    hands = marks.lines(np.arange(32), {"": share}, actor="position", axes=axes, **limits)
    hands += marks.lines([0, 31], [1, 1], **limits) + marks.lines([20, 20], [0.6, 1.6], **limits)
    curve, trained = losses(TEXTS[text], run), losses(TEXTS[text], "trained")
    limits = {"x_limits": (0, 12.288), "y_limits": (1.8, 4.2)}
    middles = 1.024 * (np.arange(12) + 0.5)
    plane = marks.lines(middles, trained, axes=("tokens read (thousands)", "loss"), **limits)
    plane += marks.lines([8.192, 8.192], [1.8, 4.2], **limits)
    plane += marks.lines(middles[-len(curve) :], curve, actor="position", **limits)
    last = f"Loss of the last 1,024 tokens, {text}: {curve[-1]:.2f}"
    if run == "trained":
        return [hands, plane, marks.answer(f"{last}.")]
    return [
        hands,
        plane,
        marks.answer(f"{last}, and {trained[-1]:.2f} as trained.", "✓" if curve[-1] < trained[-1] - 0.1 else "×"),
    ]
