"""The live figures on a model that generates, over the record of `inorder.lab.trained_decoder`."""

import json
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.book.drawing import span
from inorder.stored import stored
from inorder.widgets import marks
from inorder.widgets.kit.twin import format_difference, format_number
from inorder.widgets.marks import Mark

PAIRS = (
    "dog, man",
    "Alice, Bob",
    "red, blue",
    "king, queen",
    "Paris, London",
    "salt, pepper",
    "cat, mouse",
    "money, love",
)
SOURCES = {"both": "both", "rotations": "rotations only", "mask": "mask only", "neither": "neither"}
TASKS = {
    "title, near": "title, 3 apart",
    "title, far": "title, 10 apart",
    "adjective": "adjective",
    "verb, first noun": "agreement, first noun",
    "verb, last noun": "agreement, last noun",
    "the last name": "last name",
}
VIEWS = {
    "both": "as trained",
    "rotations": "rotations only",
    "mask, first": "mask, at the first",
    "mask, second": "mask, at the second",
    "unrotated": "all positions equal",
    "neither": "neither",
}
LISTS = {
    "10 words": "10 words after 'The'",
    "20 words": "20 words after 'The'",
    "40 words": "40 words after 'The'",
    "20 words, newline first": "20 words after '\\n'",
}
COPIES = {
    "untouched": "as trained",
    "rotations": "rotations only",
    "mask": "mask only",
    "neither": "neither",
    "rotations, first row too": "first row open too",
    "another list": "another list",
}
SCORES = {
    "the token before": "previous",
    "what came next": "induction",
    "the same token": "duplicate",
    "the first token": "sink",
}
HALVES = {"chosen on": "first half", "tested on": "second half", "tested without rotations": "unrotated"}
KINDS = {
    "induction": "9 induction",
    "previous": "5 previous-token",
    "duplicate": "4 same-token",
    "sink": "10 sinks",
}
LOSSES = {"the second copy": "copy", "ordinary prose": "prose"}


@cache
def record() -> dict[str, Any]:
    """What `python -m inorder.lab.trained_decoder` has measured and stored."""
    return json.loads(stored("trained_decoder.json").read_text(encoding="utf8"))


@cache
def attention_map() -> tuple[tuple[str, ...], Float[np.ndarray, "layer head query key"]]:
    """The stored weights of all heads on the sentence with two doctors, and its tokens."""
    maps = record()["maps"]
    with np.load(stored(maps["file"])) as arrays:
        weights = arrays["trained"] / maps["one"]
    return tuple(word.strip() for word in maps["words"]), weights / weights.sum(axis=-1, keepdims=True)


def first_choice(prompt: str, positions: str) -> str:
    """The stored next token of highest probability."""
    return record()["prompts"]["placements"][prompt][positions]["tokens"][0]


FRAMES = ("cities", "names", "animals")


def word_pair_answers() -> dict[str, dict[str, Any]]:
    """What the model makes of every pair of words in each list, in both orders, with each source of order alone."""
    return record()["word_pairs"]["answers"]


def word_pair_rows() -> list[dict[str, Any]]:
    """A row for each list: how often the word that stands first, or last, is preferred in both orders; how far apart
    the two orders' distributions are.
    """
    rows = []
    for name in FRAMES:
        answers, text = word_pair_answers()[name], record()["word_pairs"]["frames"][name]["text"]
        preference = np.array(answers["both"]["preference"])  # (pair, order), for the word that stands first
        first, last = ((sign * preference > 0).all(axis=1).sum() for sign in (1, -1))
        rows.append(
            {
                "prompt": text.format(a="A", b="B"),
                "first": int(first),
                "last": int(last),
                "same word": int(len(preference) - first - last),
                "apart": float(np.median(answers["both"]["distance"])),
                "mask only": float(np.median(answers["mask"]["distance"])),
            }
        )
    return rows


def named_first_both_ways(name: str) -> list[tuple[str, str]]:
    """The pairs of a list for which the model, as trained, names the word that stands first, in both orders."""
    words = record()["word_pairs"]["frames"][name]["words"]
    choices = word_pair_answers()[name]["both"]["choice"]
    return [pair for pair, choice in zip(combinations(words, 2), choices, strict=True) if choice == ["first", "first"]]


def other_word_rows() -> list[dict[str, Any]]:
    """A row for each task: the shares with the words of `taken_away`; and the same with others."""
    views = ("rotations", "mask, first", "mask, second")
    return [
        {"task": name, "words": words} | {VIEWS[view]: record()[part][key]["shares"][view]["share"] for view in views}
        for part, words in (("swaps", "words of the figure"), ("other_swaps", "other words"))
        for name, key in TASKS.items()
    ]


def pair_by_layer(pair: str = "dog, man") -> list[Mark]:
    """Swap two words. After which block does the last row notice?"""
    one, other = record()["rows"]["pairs"][PAIRS.index(pair)]
    differences = record()["rows"]["differences"][PAIRS.index(pair)]
    curves = {name: np.maximum(differences[source][1:], 1e-9) for source, name in SOURCES.items()}
    plane = marks.lines(
        np.arange(1, 31),
        curves,
        axes=("blocks passed", "relative difference"),
        y_limits=(1e-8, 30),
        log="y",
        title=f"{one} | {other}",
    )
    first, neither = (format_difference(value) for value in (differences["mask"][1], max(differences["neither"])))
    answer = f"With the mask only: {first} after one block, {differences['mask'][2]:.3f} after two. "
    return [plane, marks.answer(f"{answer}With neither, never above {neither}.", "≠")]


def taken_away(task: str = "title, near") -> list[Mark]:
    """Hide a swap from the rotations, or from the mask. How much of its effect is left?"""
    results = record()["swaps"][TASKS[task]]
    shares = [results["shares"][view] for view in VIEWS]
    bars = marks.bars(
        [each["share"] for each in shares],
        list(VIEWS.values()),
        axis="share left",
        limits=(-0.6, 1.4),
        reference=1.0,
        title=f"{results['texts'][0]} …",
    )
    rotations, first, second = (results["shares"][view] for view in list(VIEWS)[1:4])
    low, high = (format_number(limit) for limit in rotations["interval"])
    answer = f"Rotations only: {format_number(rotations['share'])} (95%: {low} to {high}). Mask only: "
    return [bars, marks.answer(f"{answer}{format_number(first['share'])} or {format_number(second['share'])}.")]


def second_copy(length: str = "20 words") -> list[Mark]:
    """A random list of words, twice. From which source does the model continue the second copy?"""
    results = {name: np.array(record()["copies"][LISTS[length]][key]) for key, name in COPIES.items()}
    bars = marks.bars(
        [losses.mean() for losses in results.values()], list(results), axis="loss (nats per token)", limits=(0, 14)
    )
    losses = (results[COPIES[key]] for key in ("untouched", "rotations", "mask"))
    both, rotations, mask = (f"{each.mean():.2f} ({span(each, '.1f')})" for each in losses)
    return [bars, marks.answer(f"As trained {both}, rotations only {rotations}, mask only {mask}.", "≠")]


def head_scores(score: str = "what came next", texts: str = "chosen on") -> list[Mark]:
    """Choose what to look for. Which of the 270 heads do it?"""
    scores = np.array(record()["heads"]["scores"][HALVES[texts]][SCORES[score]])  # (layer, head)
    layers = np.repeat(np.arange(len(scores)), scores.shape[1])
    plane = marks.points(
        np.stack([layers, scores.ravel()], axis=1),
        axes=("layer", "mean weight"),
        x_limits=(-1, 30),
        y_limits=(0, 1),
        equal=False,
    )
    layer, head = np.unravel_index(scores.argmax(), scores.shape)
    limits = record()["heads"]["thresholds"]
    limit = next(limits[kinds] for kinds in limits if SCORES[score] in kinds.split(", "))
    answer = f"The highest: layer {layer}, head {head}, with {scores.max():.2f}. Heads with {limit} or more: "
    return [plane, marks.answer(f"{answer}{(scores >= limit).sum()}.")]


def without_heads(loss: str = "the second copy") -> list[Mark]:
    """Take heads out. What does the model lose?"""
    heads, key = record()["heads"], LOSSES[loss]
    intact = float(np.mean(heads["intact"][key]))
    chosen = [intact, *(np.mean(heads["ablations"][kind]["zero"][key]) for kind in KINDS)]
    draws = [[np.mean(draw[key]) for draw in heads["ablations"][kind]["random"]] for kind in KINDS]
    bars = marks.bars(
        {"these": chosen, "random": [intact, *(np.mean(means) for means in draws)]},
        ["none", *KINDS.values()],
        axis="loss (nats per token)",
        limits=(0, 10),
        reference=intact,
    )
    answer = f"Intact {intact:.2f}, without the nine {chosen[1]:.2f}, without nine random ones "
    sign = "≠" if chosen[1] - intact > 0.1 else "="
    return [bars, marks.answer(f"{answer}{min(draws[0]):.2f} to {max(draws[0]):.2f}.", sign)]
