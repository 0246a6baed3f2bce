"""The live figures on texts that are longer than those of training: what is new in them, and who still stands."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int64

from inorder.encodings import alibi_slopes, frequencies, t5_buckets
from inorder.lab.schemes import scheme_labels
from inorder.stored import stored
from inorder.transformer import SCHEMES
from inorder.widgets import marks

TRAINED = 20  # words in the longest text of training; the shortest has 5
LENGTHS = (10, 20, 30, 40, 60)
D_MODEL, N_HEADS = 32, 4
TASKS = ("which-first", "copy-left", "last-token")


class Numbers(NamedTuple):
    """What a scheme hands over: `of(distance or place, words in the text)`, and what stands on the axis."""

    of: Callable[[np.ndarray, int], np.ndarray]
    axis: str


def _shaw(distance: np.ndarray, n: int) -> np.ndarray:
    return np.minimum(distance, 16)


def _buckets(distance: np.ndarray, max_distance: int) -> np.ndarray:
    return t5_buckets(-distance, max_distance=max_distance)  # keys to the left


NUMBERS = {
    "number i/(n − 1)": Numbers(lambda i, n: i / (n - 1), "place of the word"),
    "number i/63": Numbers(lambda i, n: i / 63, "place of the word"),
    "learned table": Numbers(lambda i, n: i, "place of the word"),
    "sinusoids": Numbers(lambda i, n: frequencies(D_MODEL)[4] * i, "place of the word"),
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
        axes=(numbers.axis, "what the scheme hands over"),
        x_limits=(0, 60),
        y_limits=(0, 3.3),
    )
    plane += marks.lines(np.arange(TRAINED), seen / seen[-1], x_limits=(0, 60), y_limits=(0, 3.3))
    if words == TRAINED:
        return [plane, marks.answer("This is the longest text of training: nothing is new.", "=")]
    sentence, sign = _new(scheme, seen, now, words)
    return [plane, marks.answer(sentence, sign)]


def _new(scheme: str, seen: np.ndarray, now: np.ndarray, n: int) -> tuple[str, str]:
    beyond = int((now > seen[-1] + 1e-12).sum())
    if scheme == "number i/(n − 1)":
        return (
            f"Every value lies between 0 and 1, as in training, but one step is now {now[1]:.3f}; in training it was "
            f"{seen[1]:.3f} to {1 / 4:.3f}.",
            "≠",
        )
    if not beyond:
        return f"Nothing: a distance beyond {TRAINED - 1} gets a number that training has used.", "="
    farthest = len(np.unique(now[now > seen[-1]]))
    sentences = {
        "number i/63": f"{beyond} values above {seen[-1]:.2f}, the largest of training.",
        "learned table": f"{beyond} rows are as they were drawn: no text has trained them.",
        "sinusoids": "The slow hands come to angles that they never showed: this one turned by "
        f"{seen[-1]:.1f} at most, and now by {now[-1]:.1f}.",
        "rotary": f"{beyond} distances: this hand turned a key by {seen[-1]:.1f} at most, and now by {now[-1]:.1f}.",
        "ALiBi": f"{beyond} distances. But in the steepest head they get "
        f"{np.exp(-now[TRAINED:]).sum() / np.exp(-now).sum():.1%} of the attention, all together, if all keys fit.",
        "T5, reach 128": f"The farthest keys get {'one number' if farthest == 1 else f'{farthest} numbers'} that no "
        "text has trained.",
    }
    return sentences[scheme], "≠"


def share_of_the_best(
    lengths: Int64[np.ndarray, " text"], lead: int | float, slope: int | float = 0, distance: int = 3
) -> Float[np.ndarray, " text"]:
    """The weight of a key to the left whose score is `lead` above all others' before ALiBi, in texts of these lengths.

    The query is the last word, so that the keys stand at the distances 0 … n − 1.

    >>> share_of_the_best(np.array([20, 60]), np.log(19)).round(3)
    array([0.5  , 0.244])
    """
    counts = np.exp(-slope * np.arange(lengths.max()))
    crowd = counts.cumsum()[lengths - 1] - counts[distance]
    return 1 / (1 + crowd / (np.exp(lead) * counts[distance]))


def more_keys(lead: int | float = 4, slope: str = "0", words: int = 60) -> list[marks.Mark]:
    """One key fits best. What do more words take from it?"""
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
    """The stored runs of this chapter: encoders of one layer, without a first-token mark; one row a run and length."""
    from inorder.lab.results import read  # needs pandas, which the package's core does without

    table = read().table()
    plain = (table["mask"] == "bidirectional") & (table["n_layers"] == 1) & ~table["mark"].astype(bool)
    added = [name for name in scheme_labels() if not getattr(SCHEMES[name].scheme, "concatenate", 0)]
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


def bound(task: str, length: int, name: str = "floor") -> float:
    """The floor, or the ceiling of schemes that know distances without a side."""
    table = runs()
    return float(table[(table["task"] == task) & (table["length"] == length)][name].iloc[0])


def who_still_stands(task: str = "copy-left", words: int = 60) -> list[marks.Mark]:
    """Let the texts grow. Who still stands?"""
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
    sentence = f"{words} words, a length {asked}: {standing} of {len(means)} are right in more than 95 of 100 answers."
    return [bars, marks.answer(sentence)]


def by_length(scheme: str = "rotary") -> list[marks.Mark]:
    """One way to tell positions, three questions. Which of them does it take beyond 20 words?"""
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
    "which-first, learned table: squeeze the places": ("which-first, learned", "squeezed"),
    "which-first, sinusoids: squeeze the places": ("which-first, sinusoidal", "squeezed"),
    "which-first, RoPE: squeeze the places": ("which-first, rotary", "squeezed"),
    "which-first, T5: squeeze the places": ("which-first, t5", "squeezed"),
    "copy-left, RoPE: squeeze the places": ("copy-left, rotary", "squeezed"),
    "copy-left, learned table: squeeze the places": ("copy-left, learned", "squeezed"),
    "copy-left, learned table: random starts": ("copy-left, learned", "random starts"),
    "which-first, T5: fill the buckets": ("which-first, t5", "filled"),
    "copy-left, T5: fill the buckets": ("copy-left, t5", "filled"),
    "copy-left, T5: close the window": ("copy-left, t5", "windowed"),
    "copy-left, ALiBi, directed: close the window": ("copy-left, alibi-split", "windowed"),
    "copy-left, learned table: close the window": ("copy-left, learned", "windowed"),
}


def taken_away(change: str = "which-first, learned table: squeeze the places") -> list[marks.Mark]:
    """Take one cause away. Does the effect go?"""
    model, how = CAUSES[change]
    before, after = (record()[model][each].mean(axis=0) for each in ("as it is", how))
    curves = {"as it is": before, "changed": after}
    actor = {"as it is": "ink", "changed": "position"}
    plane = marks.lines(LENGTHS, curves, actor=actor, axes=("words in the text", "right answers"), y_limits=(0, 1.02))
    sentence = f"At 60 words: {before[-1]:.2f} as it is, {after[-1]:.2f} changed."
    return [plane, marks.answer(sentence, "✓" if after[-1] > before[-1] else "×")]
