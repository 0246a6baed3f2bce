"""The live figures on heads built by hand."""

import numpy as np

from inorder.book.drawing import Number
from inorder.circuits import Head, head_weights, offset_head
from inorder.encodings import frequencies, sinusoidal_encoding
from inorder.widgets import marks
from inorder.widgets.kit.twin import listed
from inorder.widgets.marks import Mark


def where_it_looks(offset: int = 2, sharpness: Number = 1, base: Number = 10_000) -> list[Mark]:
    """Choose how far away the head should look. Where does row 12 look?"""
    p = sinusoidal_encoding(np.arange(25), 64, base=float(base))  # (position 25, d_model 64)
    head = offset_head(offset, 64, sharpness=float(sharpness), base=float(base))
    weights = head_weights(p, p, head)[12]  # (key 25,)
    target = 12 + offset
    curve = marks.lines(np.arange(25), weights, axes=("position of the key", "weight"), y_limits=(0, 1.1))
    curve += marks.points([[target, weights[target]]], [f"{target}"], actor="key", equal=False)
    says = f"Row 12 looks for {target} and gives it {weights[target]:.2f} of its weight."
    return [curve, marks.answer(says, "✓" if weights.argmax() == target else "×")]


def both_neighbours(vote: Number = 1, sharpness: Number = 64) -> list[Mark]:
    """Let the fastest hand vote against the others. Where does one head look?"""
    votes = np.array([vote, *[1] * 31], dtype=float)  # (hand 32,)
    p = sinusoidal_encoding(np.arange(25), 64)
    weights = head_weights(p, p, Head(np.diag(np.repeat(votes, 2)), np.eye(64), float(sharpness)))[12]  # (key 25,)
    offset = np.arange(-6, 7)
    score = np.cos(np.multiply.outer(offset, frequencies(64))) @ votes  # (offset 13,)
    curve = marks.lines(offset, score - score.max(), axes=("offset Δ", "score, minus the best"), y_limits=(-6, 0.5))
    best = offset[score > score.max() - 1e-9]
    curve += marks.points([[k, 0] for k in best], [f"{k}" for k in best], actor="key", equal=False)
    row = marks.lines(np.arange(25), weights, axes=("position of the key", "weight"), y_limits=(0, 1.05))
    looks = [f"{weights[k]:.2f} to {k}" for k in np.flatnonzero(weights > 0.05)]
    says = f"Row 12 gives {listed(looks)}."
    return [curve, row, marks.answer(says, "✓" if weights[[11, 13]].min() > 0.45 else None)]


def edge(row: int = 10, offset: int = 2, hands: int = 32) -> list[Mark]:
    """Where does a row look if its target is missing?"""
    p = sinusoidal_encoding(np.arange(12), 64)
    weights = head_weights(p, p, offset_head(offset, 64, d_head=2 * hands))[row]  # (key 12,)
    target = row + offset
    exists = 0 <= target < 12
    bars = marks.bars(
        weights,
        [f"{k}, the target" if k == target else f"{k}" for k in range(12)],
        axis="weight",
        label_axis="key",
        limits=(0, 1),
        actor="key",
    )
    says = f"Row {row} looks for {target}".replace("-", "−") + ("" if exists else ", which is not there")
    best = int(weights.argmax())
    return [bars, marks.answer(f"{says}: it gives {weights[best]:.2f} to {best}.", "✓" if exists else "×")]
