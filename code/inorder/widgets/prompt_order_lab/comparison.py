"""What the last query of each of two prompts finds in a layer, and by how much that differs between them."""

from typing import Any, NamedTuple

import numpy as np

from inorder.widgets.kit.twin import ROUNDING


class Reading(NamedTuple):
    """What the last query of a prompt finds in one layer."""

    query: np.ndarray  # (head, d_head), like sum
    key: np.ndarray  # (head, key, d_head), like value
    value: np.ndarray
    weights: np.ndarray  # (head, key)
    sum: np.ndarray  # weights times values


class Comparison(NamedTuple):
    """By how much one layer differs between the prompts, over all heads.

    A change is max|Δ|, divided by the largest entry compared if that is above 1.
    """

    partner: list[int]  # for each place of the second prompt, the place of its token in the first
    seen: np.ndarray  # (key,): 1 where the token has seen other tokens than its partner, else 0
    query: float
    key: np.ndarray  # (key,), in the order of the second prompt, like weights and value
    weights: np.ndarray
    value: np.ndarray
    sum: float

    @property
    def change(self) -> float:
        """The largest change of query, keys, weights, values and their weighted sum."""
        return float(max(self.query, self.key.max(), self.weights.max(), self.value.max(), self.sum))

    def differing(self) -> list[str]:
        """Which of query, keys, weights and values differ by more than rounding."""
        parts: dict[str, Any] = {"query": self.query, "keys": self.key, "weights": self.weights, "values": self.value}
        return [name for name, change in parts.items() if np.max(change) > ROUNDING]


def last_reading(query: np.ndarray, key: np.ndarray, value: np.ndarray, weights: np.ndarray) -> Reading:
    last = weights[:, -1]  # (head, key)
    return Reading(query[:, -1], key, value, last, (last[:, None] @ value)[:, 0])


def compare(
    prompts: tuple[list[str], list[str]], seen: list[list[list[str]]], one: Reading, other: Reading
) -> Comparison:
    """One layer of two prompts. ``seen``: for each prompt, for each place, the tokens that its row has gathered."""
    partner = partners(*prompts, *(np.concatenate([r.key, r.value], axis=-1) for r in (one, other)))
    return Comparison(
        partner=partner,
        seen=np.array([float(seen[0][i] != seen[1][j]) for j, i in enumerate(partner)]),
        query=float(change(one.query, other.query).max()),
        key=change(one.key[:, partner], other.key).max(axis=(0, 2)),
        weights=change(one.weights[:, partner], other.weights).max(axis=0),
        value=change(one.value[:, partner], other.value).max(axis=(0, 2)),
        sum=float(change(one.sum, other.sum).max()),
    )


def change(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """|one − other|, divided by the largest entry of both if that is above 1."""
    return abs(one - other) / max(1.0, abs(one).max(), abs(other).max())


def partners(first: list[str], second: list[str], one: np.ndarray, other: np.ndarray) -> list[int]:
    """For each place of the second prompt the place of the same token in the first; of equal tokens, the nearest rows.

    one, other: (head, key, d), the keys and values of the two prompts.
    """
    places = [(i, j) for i, token in enumerate(first) for j, same in enumerate(second) if token == same]
    partner_of: dict[int, int] = {}
    for i, j in sorted(places, key=lambda pair: float(abs(one[:, pair[0]] - other[:, pair[1]]).max())):
        if i not in partner_of.values() and j not in partner_of:
            partner_of[j] = i
    return [partner_of[j] for j in range(len(second))]
