"""The live figures on adding and concatenating."""

import numpy as np
from jaxtyping import Float

from inorder.book.drawing import Number
from inorder.book.sentence import VALUES, WORDS
from inorder.circuits import head_weights, offset_head, position_readout, read_through
from inorder.encodings import sinusoidal_encoding
from inorder.widgets import marks
from inorder.widgets.kit.twin import format_number
from inorder.widgets.marks import Mark

KEPT = [0, 2, 4]  # animal, street, tired: the words of the running sentence whose values are not 0
TEXT = ["man", "bites", "dog", "dog", "bites", "man", "man", "bites", "cat"]


def plane_and_line(lean: int = 60, around: int = 30, above: int = 25) -> list[Mark]:
    """Turn the picture by hand until the words no longer change the height. What is left?

    Words are a plane, positions a line that leans against it. A word at a position is the sum of the two.
    """
    slope = np.radians(lean)
    step = 1.2 * np.array([np.cos(slope), 0.0, np.sin(slope)])  # of the line, in space
    words = np.column_stack([VALUES[KEPT], np.zeros(len(KEPT))])  # (word 3, axis 3)
    places = np.arange(4)[:, None] * step  # (position 4, axis 3)
    sums = words + places[:, None]  # (position, word, axis)
    drawing = marks.lines(places, actor="position")
    for corners in sums:
        drawing += marks.lines(corners[[0, 1, 2, 0]])
    drawing += marks.points(words, [WORDS[k] for k in KEPT])
    drawing += marks.points(sums[1:].reshape(-1, 3)) + marks.points(places, "0 1 2 3", actor="position")
    space = marks.space(drawing, view=(around, above), turn=("around", "above"), heights="height")

    up = marks.view_matrix(around, above)[:, 1]  # (axis 3,)
    apart, rise = np.ptp(words @ up), step @ up
    if apart > 1e-9:
        says = f"Words at one position differ in height by {apart:.1f}, positions by {format_number(rise, 1)}."
        return [space, marks.answer(says, "×")]
    if abs(rise) < 1e-9:
        return [space, marks.answer("The line lies in the plane: both are hidden at once.", "×")]
    says = f"Only positions are left: each is {rise:.1f} higher than the one before."
    return [space, marks.answer(says, "✓")]


def words_at_positions(
    length: Number,
) -> tuple[Float[np.ndarray, "position d_model"], Float[np.ndarray, "position d_model"]]:
    """The sinusoids of the positions of TEXT, and for each the vector of its word, `length` times as long."""
    positions = sinusoidal_encoding(np.arange(len(TEXT)), 64)
    names = sorted(set(TEXT))
    table = np.random.default_rng(4).normal(size=(len(names), 64))
    table *= length * np.sqrt(32) / np.linalg.norm(table, axis=1, keepdims=True)
    return positions, table[[names.index(word) for word in TEXT]]


def with_words(length: Number = 0, row: int = 2, reads: str = "the sum") -> list[Mark]:
    """Where does the head “two to the right” look, when positions have words?"""
    positions, words = words_at_positions(length)
    head = offset_head(2, 64)
    if reads == "the sum through C":
        head = read_through(head, position_readout(words, positions))
    weights = head_weights(positions + words, positions + words, head)[row]
    best = int(weights.argmax())
    target = "itself" if best == row else f"“{TEXT[best]}” at {best}"
    right = best == row + 2
    why = ", two to the right" if right else ", its own word" if TEXT[best] == TEXT[row] and best != row else ""
    line = marks.ink(TEXT, weights, asks=row, target=row + 2, notes=[str(k) for k in range(len(TEXT))], drag="row")
    return [line, marks.answer(f"It gives {weights[best]:.2f} to {target}{why}.", "✓" if right else "×")]
