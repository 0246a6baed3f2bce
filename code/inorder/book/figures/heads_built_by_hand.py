"""The live figures on heads built by hand."""

import numpy as np

from inorder.book.drawing import Number
from inorder.circuits import Head, head_weights, offset_head
from inorder.encodings import frequencies, sinusoidal_encoding
from inorder.widgets import marks
from inorder.widgets.kit.twin import listed
from inorder.widgets.marks import Mark

N_TOKENS = 25
FARTHEST = 5  # the ruler goes on so far beyond either end


def where_it_looks(row: int = 12, offset: int = 2, sharpness: Number = 1, hands: int = 32) -> list[Mark]:
    """Drag the token that asks. Where does its head look?"""
    p = sinusoidal_encoding(np.arange(N_TOKENS), 64)  # (position, d_model 64)
    head = offset_head(offset, 64, d_head=2 * hands, sharpness=float(sharpness))
    weights = head_weights(p, p, head)[row]  # (key,)
    target, best = row + offset, int(weights.argmax())
    ruler = np.arange(-FARTHEST, N_TOKENS + FARTHEST)
    ink = marks.ink(
        [str(at).replace("-", "−") for at in ruler],
        np.pad(weights, FARTHEST),
        asks=row + FARTHEST,
        target=target + FARTHEST,
        absent=np.flatnonzero((ruler < 0) | (ruler >= N_TOKENS)).tolist(),
        actor="position",
        drag="row",
    )
    looks = f"Row {row} looks for {target}".replace("-", "−")
    if 0 <= target < N_TOKENS:
        says = f"{looks} and gives it {weights[target]:.2f} of its weight."
    else:
        says = f"{looks}, which is not there: it gives {weights[best]:.2f} to {best}."
    return [ink, marks.answer(says, "✓" if best == target else "×")]


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
    ink = marks.ink(range(25), weights, asks=12, actor="position")
    looks = [f"{weights[k]:.2f} to {k}" for k in np.flatnonzero(weights > 0.05)]
    says = f"Row 12 gives {listed(looks)}."
    return [ink, curve, marks.answer(says, "✓" if weights[[11, 13]].min() > 0.45 else None)]
