"""A trained model's run of one sentence in every order, as `studies.trained_encoder` has stored it in bytes."""

import base64
import json
from functools import lru_cache
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from inorder.stored import stored


class Record(NamedTuple):
    """The orders stand as `itertools.permutations` lists them."""

    words: list[str]
    heads: list[int]  # by layer: whose weights these are
    step: float  # of the numbers
    weights: np.ndarray  # (order, layer, word, word), in steps of 1/255; the rest of a row goes to [CLS] and [SEP]
    rows: np.ndarray  # (order, word, number): the last rows, along 16 directions
    since: np.ndarray  # (order, word): 0 as it enters, 1 as it leaves layer 0, …
    least_change: float  # of a number, over all orders but the first: the bytes are coarser


@lru_cache
def record() -> Record:
    about = json.loads(stored("every_order.json").read_text(encoding="utf-8"))
    with np.load(stored("every_order.npz")) as arrays:
        return Record(
            words=about["sentence"].split(),
            heads=about["heads"],
            step=about["step"],
            weights=arrays["weights"] / 255,
            rows=arrays["rows"] * about["step"],
            since=arrays["since"].astype(int),
            least_change=about["least_change"],
        )


def number_of(order: list[int]) -> int:
    """Which of the orders it is.

    >>> number_of([0, 1, 2]), number_of([2, 1, 0])
    (0, 5)
    """
    return list(permutations(range(len(order)))).index(tuple(order))


def for_the_page() -> dict[str, Any]:
    """The record as record.js takes it: its arrays as the bytes that are stored."""
    about = record()
    with np.load(stored("every_order.npz")) as arrays:
        packed = {name: base64.b64encode(arrays[name].tobytes()).decode("ascii") for name in arrays.files}
    return {"words": about.words, "heads": about.heads, "step": about.step, **packed}
