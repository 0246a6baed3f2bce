"""The exercises of chapter 10."""

from typing import Any

import numpy as np

from inorder.checks.exercise import Exercise, Mistake


def _distances(n: int) -> np.ndarray:
    return np.arange(n) - np.arange(n)[:, None]  # (query, key), key minus query


def _clipped_bias(table: np.ndarray, n: int, sign: int = 1) -> np.ndarray:
    reach = len(table) // 2
    return table[np.clip(sign * _distances(n), -reach, reach) + reach]


def _bias_not_moved(table: np.ndarray, n: int) -> np.ndarray:
    reach = len(table) // 2
    return table[np.clip(_distances(n), -reach, reach)]


def _bias_wrapped(table: np.ndarray, n: int) -> np.ndarray:
    return table[(_distances(n) + len(table) // 2) % len(table)]


def _bias_without_a_side(table: np.ndarray, n: int) -> np.ndarray:
    reach = len(table) // 2
    return table[np.minimum(abs(_distances(n)), reach) + reach]


def _bias_dropped(table: np.ndarray, n: int) -> np.ndarray:
    return np.where(abs(_distances(n)) <= len(table) // 2, _clipped_bias(table, n), 0.0)


check_clipped_bias = Exercise(
    name="clipped_bias",
    reference=_clipped_bias,
    cases=[
        {"table": np.array([1.0, 2.0, 3.0]), "n": 3},
        {"table": np.array([-1.0, 4.0, 0.5]), "n": 5},
        {"table": np.array([5.0, 4.0, 3.0, 2.0, 1.0]), "n": 7},
    ],
    mistakes=[
        Mistake(
            "takes query minus key",
            "r is key position minus query position: keys to the left have negative r and stand first in the table.",
            lambda table, n: _clipped_bias(table, n, sign=-1),
        ),
        Mistake(
            "uses r itself as the index",
            "Distance −K stands at index 0. A negative index does not fail in Python: it counts from the end.",
            _bias_not_moved,
        ),
        Mistake(
            "starts again at the other end of the table",
            "A distance beyond ±K takes the number at its own end: clip, do not take the remainder.",
            _bias_wrapped,
        ),
        Mistake(
            "takes the distance without its sign",
            "|r| is the same on both sides: this bias cannot tell left from right.",
            _bias_without_a_side,
        ),
        Mistake(
            "gives 0 to distances beyond the table",
            "They take the number of the farthest distance that the table has.",
            _bias_dropped,
        ),
    ],
)


def _other_pairing(w: np.ndarray, n_heads: int) -> np.ndarray:
    return w.reshape(w.shape[0], n_heads, -1, 2).swapaxes(2, 3).reshape(w.shape)


def _pairing_case(d_model: int, n_heads: int, d_head: int) -> dict[str, Any]:
    return {"w": np.arange(float(d_model * n_heads * d_head)).reshape(d_model, -1), "n_heads": n_heads}


check_other_pairing = Exercise(
    name="other_pairing",
    reference=_other_pairing,
    cases=[_pairing_case(1, 1, 4), _pairing_case(2, 2, 6), _pairing_case(3, 2, 8)],
    mistakes=[
        Mistake(
            "reorders across all heads",
            "Each head is turned by itself: evens first, then odds, among the columns of one head.",
            lambda w, n_heads: _other_pairing(w, 1),
        ),
        Mistake(
            "goes the other way",
            "This leads from halves to neighbours. Here column 2j goes to place j, column 2j + 1 to place d/2 + j.",
            lambda w, n_heads: w.reshape(w.shape[0], n_heads, 2, -1).swapaxes(2, 3).reshape(w.shape),
        ),
        Mistake(
            "leaves the columns where they are",
            "Then pair j is made of columns j and d/2 + j, which were not a pair when the model was trained.",
            lambda w, n_heads: w,
        ),
        Mistake(
            "exchanges the two columns of each pair",
            "The pairs have to be taken apart: all first columns, then all second ones.",
            lambda w, n_heads: w.reshape(w.shape[0], n_heads, -1, 2)[..., ::-1].reshape(w.shape),
        ),
    ],
)


check_next_positions = Exercise(
    name="next_positions",
    reference=lambda n_cached, n_new: np.arange(n_cached, n_cached + n_new),
    cases=[{"n_cached": c, "n_new": m} for c, m in ((3, 1), (0, 4), (5, 3))],
    mistakes=[
        Mistake(
            "starts at 0 again in every call",
            "The tokens in the cache stand before these: position 0 is taken.",
            lambda n_cached, n_new: np.arange(n_new),
        ),
        Mistake(
            "starts one too late",
            "Positions are counted from 0: three cached tokens stand at 0, 1 and 2.",
            lambda n_cached, n_new: np.arange(n_cached + 1, n_cached + n_new + 1),
        ),
        Mistake(
            "starts at the last cached token",
            "Position n_cached − 1 belongs to the last token in the cache.",
            lambda n_cached, n_new: np.arange(n_cached - 1, n_cached + n_new - 1),
        ),
        Mistake(
            "gives all new tokens the same position",
            "Each of them stands one further than the one before.",
            lambda n_cached, n_new: np.full(n_new, n_cached),
        ),
        Mistake(
            "gives the positions of the whole text",
            "The cached tokens have theirs already: the answer has one position for each new token.",
            lambda n_cached, n_new: np.arange(n_cached + n_new),
        ),
    ],
)
