"""The figures on rotary position: a query and a key in the plane, and in six planes at once."""

import numpy as np
from jaxtyping import Float

from inorder.encodings import frequencies
from inorder.widgets import marks

QUERY, KEY = 1.5 + 0j, 1.2 + 1j  # the arrows of the first figure, before they turn
STEP = np.deg2rad(30)  # by which they turn at each position
TEXT = ["dog", "bites", "man"] * 10
HEADS = {
    "looks at itself": (0, np.ones(6)),
    "looks two to the left": (-2, np.ones(6)),
    "slow pairs, mostly": (0, np.array([0.1, 0.1, 0.1, 1.0, 1.0, 1.0])),
}  # the Δ at which all pairs agree, and how long the key is in each pair


def two_arrows(query_at: int = 6, distance: int = 2) -> list[marks.Mark]:
    """Carry a query and a key along the text. What stays the same?"""
    key_at = query_at + distance
    query, key = QUERY * np.exp(1j * STEP * query_at), KEY * np.exp(1j * STEP * key_at)
    angle = np.angle(KEY / QUERY) + STEP * distance
    score = (query * key.conjugate()).real
    turned = np.angle([QUERY, KEY]) + STEP * np.array([query_at, key_at])  # (2,), anticlockwise from the right
    clock = _clocks(turned[:, None], np.abs([QUERY, KEY])[:, None] / abs(KEY), [query_at, key_at], "query_at")
    return [
        clock,
        marks.answer(
            f"Δ = {distance}: the angle from query to key is {np.rad2deg(angle):.0f}°, and their raw score is "
            f"{score:.2f}, wherever the two stand.".replace("-", "−")
        ),
    ]


def six_clocks(
    position: int = 12, distance: int = 0, head: str = "looks at itself", base: int = 100
) -> list[marks.Mark]:
    """Six wedges turn at six speeds. What do their products add up to?"""
    at, lengths = HEADS[head]
    omega = frequencies(12, base=float(base))  # (pair,)
    turned = np.outer([position, position + distance - at], omega)  # (query and key, pair), anticlockwise
    products = lengths * np.cos(turned[1] - turned[0])  # (pair,)
    score = float(products.sum())
    places = [position, position + distance]
    clocks = _clocks(np.pi / 2 + turned, np.stack([np.ones(6), lengths]), places, "position")
    number = f"{score:.2f}".replace("-", "−")
    deltas = np.linspace(-8, 8, 97)
    scores = (lengths * np.cos(np.outer(deltas - at, omega))).sum(axis=1)
    names = ("Δ, key minus query", "raw score, six products added")
    curve = marks.lines(deltas, scores, axes=names, x_limits=(-8, 8), y_limits=(-3.5, 7))
    curve += marks.points([[distance, score]], [number], actor="position", drag="distance", equal=False)
    most = " Here all six wedges are shut, and no other Δ gives as much." if distance == at else ""
    answer = f"Δ = {distance}: the six products add up to {number}.{most}".replace("-", "−")
    return [clocks, curve, marks.answer(answer)]


def _clocks(
    turned: Float[np.ndarray, "2 pair"], lengths: Float[np.ndarray, "2 pair"], places: list[int], slides: str
) -> marks.Mark:
    """A query and a key in each clock, at these angles from the right, anticlockwise, and at these words."""
    names = ["query", "key"]
    return marks.clocks(
        dict(zip(names, np.pi / 2 - turned, strict=True)),
        lengths=dict(zip(names, lengths, strict=True)),
        actor={name: name for name in names},
        wedge=True,
        text=TEXT,
        places=places,
        drag=(slides, "distance"),
    )
