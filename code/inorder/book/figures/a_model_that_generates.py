"""The live figures on a model that generates, over the record of `studies.two_sources`."""

import numpy as np

from inorder.book.drawing import span
from inorder.stored import read_record
from inorder.widgets import marks
from inorder.widgets.kit.twin import format_number
from inorder.widgets.marks import Mark

TASKS = {"title": "title", "home": "home", "the name mentioned last": "mentioned last"}
VIEWS = {
    "both": "as trained",
    "rotations": "rotations, wide",
    "rotations, narrow": "rotations, narrow",
    "mask, first": "mask, at the first",
    "mask, second": "mask, at the second",
    "neither": "neither",
}
COPIES = {
    "untouched": "as trained",
    "rotations": "rotations only",
    "mask": "mask only",
    "neither": "neither",
    "rotations, first row too": "rotations, first row open",
    "another list": "another list",
}
LENGTHS = ("10 words", "20 words", "40 words")


def taken_away(task: str = "title") -> list[Mark]:
    """Hide a swap from the rotations, or from the mask. How much of its effect is left?"""
    results = read_record("two_sources.json")["swaps"][TASKS[task]]
    shares = {view: results["shares"][view]["share"] for view in VIEWS}
    bars = marks.bars(
        list(shares.values()),
        list(VIEWS.values()),
        axis="share left",
        limits=(-0.6, 1.4),
        reference=1.0,
        title=f"{results['text']} …",
    )
    wide, narrow, first, second = (format_number(shares[view]) for view in list(VIEWS)[1:5])
    return [bars, marks.answer(f"Rotations only: {wide} or {narrow}. Mask only: {first} or {second}.")]


def second_copy(length: str = "20 words") -> list[Mark]:
    """A random list of words, twice. From which source does the model continue the second copy?"""
    results = {name: np.array(read_record("two_sources.json")["copies"][length][view]) for view, name in COPIES.items()}
    bars = marks.bars(
        [losses.mean() for losses in results.values()], list(results), axis="loss (nats per token)", limits=(0, 14)
    )
    losses = (results[COPIES[view]] for view in ("untouched", "rotations", "mask"))
    both, rotations, mask = (f"{each.mean():.2f} ({span(each, '.1f')})" for each in losses)
    return [bars, marks.answer(f"As trained {both}, rotations only {rotations}, mask only {mask}.", "≠")]
