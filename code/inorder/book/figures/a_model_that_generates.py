"""The live figure on a model that generates, over the record of `studies.two_sources`."""

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
