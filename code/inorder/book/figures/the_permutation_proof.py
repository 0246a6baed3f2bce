"""The figures on the permutation proof, and the three words made by hand that they move."""

from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.attention import attention_weights
from inorder.symmetry import equivariance_error
from inorder.widgets import marks

WORDS = ("dog", "bites", "man")
QUERIES = np.array([[0.0, 1], [1, 0], [1, 1]])  # (word 3, axis 2)
KEYS = np.sqrt(2) * np.log(2) * np.array([[2.0, 0], [0, 1], [1, 0]])  # so that e to the scaled score is 1, 2 or 4
VALUE_AXES = ("animal", "danger")
VALUES = np.array([[28.0, 0], [0, 28], [0, 0]])  # (word 3, axis 2)
ROUNDING = 1e-12


def order_of(words: str) -> list[int]:
    """ "man bites dog" to [2, 1, 0]: which of `WORDS` is at each position."""
    return [WORDS.index(word) for word in words.split()]


SHUFFLES = ("Pᵀ after P", "PᵀP = I", "without Pᵀ")


def values_meet(order: str = "man dog bites", columns: str = "Pᵀ after P") -> list[marks.Mark]:
    """Drag a word. Which weight meets which value?"""
    moved = order_of(order)
    weights = attention_weights(QUERIES, KEYS)  # A, (query 3, key 3)
    there = np.argsort(moved)  # where the shuffle puts each word
    middle = np.arange(3) if columns == "PᵀP = I" else there
    above = there if columns == "without Pᵀ" else np.arange(3)  # where each value arrives
    output = weights[moved][:, above] @ VALUES
    right = np.abs(output - (weights @ VALUES)[moved]).max() < ROUNDING
    looks: Any = {"x_limits": (-0.4, 2.7), "y_limits": (-0.35, 2.35), "bare": True}
    looks["title"] = "values ■, shuffled ▲, weights ●"
    first, *others = (
        marks.lines(list(stops), [0, 1, 2], **looks) for stops in zip(range(3), middle, above, strict=True)
    )
    drawing = sum(others, start=first)
    for height, places, actor in ((0, range(3), "value"), (1, middle, "position"), (2, range(3), "key")):
        xy = [[place, height] for place in places]
        drawing += marks.points(xy, WORDS, actor=actor, equal=False, bare=True)
    answer = "Pᵀ undoes P: each weight meets its own word’s value."
    if not right:
        weight, value = next((WORDS[at], WORDS[i]) for i, at in enumerate(above) if at != i)
        answer = f"The weights for “{weight}” meet the value of “{value}”: it is wrong."
    words = [WORDS[i] for i in moved]
    return [
        marks.sentence(words, order=moved, drag="order"),
        drawing,
        marks.heat_map(output, words, VALUE_AXES, title="output", digits=1),
        marks.answer(answer, "=" if right else "≠"),
    ]


POWERS = np.arange(-18, 1)
LOST = 1e-15  # about what rounding leaves: smaller errors are drawn here, whatever the processor makes of them
PLACES = ("in row 0", "in the scores of key 0", "in the value of key 0")


@cache
def errors_of_marks() -> dict[str, Float[np.ndarray, " power"]]:
    """The equivariance error of one attention, for a mark of each power of ten in each of `PLACES`."""
    x, weights = np.random.default_rng(1).normal(size=(8, 16)), np.random.default_rng(2).normal(size=(3, 16, 16)) / 4
    first = np.eye(8)[:, :1]  # (n 8, 1): row 0, whatever stands there
    direction = np.random.default_rng(3).normal(size=16)
    direction /= np.linalg.norm(direction)

    def attend(x: np.ndarray, size: float, place: str) -> np.ndarray:
        mark = size * first * direction
        q, k, v = (x + mark * (place == PLACES[0])) @ weights  # each (n 8, d 16)
        a = attention_weights(q, k, bias=size * np.ones((8, 1)) @ first.T * (place == PLACES[1]))
        return a @ (v + mark * (place == PLACES[2]))

    def error(power: int, place: str) -> float:
        return equivariance_error(lambda x: attend(x, 10.0**power, place), x, n_orders=4)[0]

    return {place: np.array([error(power, place) for power in POWERS.tolist()]) for place in PLACES}


def smallest_mark(power: int = -6, place: str = "in row 0") -> tuple[marks.Mark, marks.Mark]:
    """How small a mark breaks the symmetry?"""
    errors = np.maximum(errors_of_marks()[place], LOST)
    error = errors[power - POWERS[0]]
    axes = ("size of the mark", "equivariance error")
    curve = marks.lines(10.0**POWERS, errors, log="xy", axes=axes, x_limits=(1e-18, 1), y_limits=(1e-17, 10))
    here = marks.points([[10.0**power, error]], actor="position", log="xy", equal=False)
    broken = error > 5 * LOST
    clear = error > 100 * LOST  # its first digit is no rounding
    size = np.format_float_scientific(error, precision=0, trim="-", exp_digits=1) if clear else "less than 1e-13"
    answer = f"An error of {size}: the mark {'breaks the symmetry' if broken else 'is lost in rounding'}."
    return curve + here, marks.answer(answer, "≠" if broken else "=")
