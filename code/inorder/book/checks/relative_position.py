"""The exercises on relative position."""

from typing import Any

import numpy as np

from inorder.attention import softmax
from inorder.book.exercise import Exercise, Mistake, Verdict, integers
from inorder.encodings import rotary_encoding


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


clipped_bias = Exercise(
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
            "Δ is key position minus query position: keys to the left have a negative Δ and come first in the table.",
            lambda table, n: _clipped_bias(table, n, sign=-1),
        ),
        Mistake(
            "uses Δ itself as the index",
            "Distance −D is at index 0. A negative index doesn’t raise an error in Python: it counts from the end.",
            _bias_not_moved,
        ),
        Mistake(
            "starts again at the other end of the table",
            "A distance beyond ±D takes the number at its own end: clip, do not take the remainder.",
            _bias_wrapped,
        ),
        Mistake(
            "takes the distance without its sign",
            "|Δ| is the same on both sides: this bias cannot tell left from right.",
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


other_pairing = Exercise(
    name="other_pairing",
    reference=_other_pairing,
    cases=[_pairing_case(1, 1, 4), _pairing_case(2, 2, 6), _pairing_case(3, 2, 8)],
    mistakes=[
        Mistake(
            "reorders across all heads",
            "Each head is reordered by itself: even columns first, then odd ones, within that head.",
            lambda w, n_heads: _other_pairing(w, 1),
        ),
        Mistake(
            "goes the other way",
            "This leads from halves to neighbours. Here column 2j becomes column j, and 2j + 1 becomes d/2 + j.",
            lambda w, n_heads: w.reshape(w.shape[0], n_heads, 2, -1).swapaxes(2, 3).reshape(w.shape),
        ),
        Mistake(
            "leaves the columns where they are",
            "Then pair j is made of columns j and d/2 + j, which were not a pair when the model was trained.",
            lambda w, n_heads: w,
        ),
        Mistake(
            "swaps the two columns of each pair",
            "The pairs have to be taken apart: all first columns, then all second ones.",
            lambda w, n_heads: w.reshape(w.shape[0], n_heads, -1, 2)[..., ::-1].reshape(w.shape),
        ),
    ],
)


def _newest_rows(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, slope: float, start: int | None = None
) -> np.ndarray:
    """`start`: the position of the first query; by default the queries are the last tokens."""
    start = len(keys) - len(queries) if start is None else start
    distance = np.arange(start, start + len(queries))[:, None] - np.arange(len(keys))  # (query, key)
    return _with_distance(queries, keys, values, slope, distance, distance >= 0)


def _with_distance(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, slope: float, distance: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    scores = queries @ keys.T / np.sqrt(queries.shape[1]) - slope * distance
    return softmax(np.where(mask, scores, -np.inf)) @ values


def _all_at_the_end(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, slope: float) -> np.ndarray:
    distance = np.tile(len(keys) - 1 - np.arange(len(keys)), (len(queries), 1))
    return _with_distance(queries, keys, values, slope, distance, distance >= 0)


def _mask_gone(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, slope: float) -> np.ndarray:
    distance = abs(np.arange(len(keys) - len(queries), len(keys))[:, None] - np.arange(len(keys)))
    return _with_distance(queries, keys, values, slope, distance, distance >= 0)


def _mask_alone_mended(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, slope: float) -> np.ndarray:
    distance = np.arange(len(queries))[:, None] - np.arange(len(keys))
    mask = distance + len(keys) - len(queries) >= 0
    return _with_distance(queries, keys, values, slope, abs(distance), mask)


def _without_keepdims(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, slope: float) -> np.ndarray:
    distance = np.arange(len(keys) - len(queries), len(keys))[:, None] - np.arange(len(keys))
    scores = queries @ keys.T / np.sqrt(queries.shape[1]) - slope * distance
    powers = np.exp(np.where(distance >= 0, scores, -np.inf))
    return powers / powers.sum(axis=1) @ values


def _newest_case(seed: int, n_query: int, n_key: int, d: int, d_value: int) -> dict[str, Any]:
    sizes = {"queries": (n_query, d), "keys": (n_key, d), "values": (n_key, d_value)}
    return {name: integers(seed + k, *size) for k, (name, size) in enumerate(sizes.items())} | {"slope": 0.5}


newest_rows = Exercise(
    name="newest_rows",
    reference=_newest_rows,
    cases=[_newest_case(30, 1, 3, 2, 2), _newest_case(33, 3, 3, 2, 1), _newest_case(36, 2, 5, 3, 2)],
    mistakes=[
        Mistake(
            "numbers the queries from 0 in every call",
            "The queries are the last tokens of the text, and the tokens of earlier calls come before them.",
            lambda queries, keys, values, slope: _newest_rows(queries, keys, values, slope, start=0),
            planted=True,
        ),
        Mistake(
            "places the queries one position too late",
            "Positions are counted from 0: the last of n keys is at n − 1, and so is the last query.",
            lambda queries, keys, values, slope: _newest_rows(
                queries, keys, values, slope, start=len(keys) - len(queries) + 1
            ),
        ),
        Mistake(
            "places all queries at the end",
            "Each of them is one position further on than the last.",
            _all_at_the_end,
        ),
        Mistake(
            "lets the queries look ahead",
            "A key to the right of its query must not be seen: leave the line with −inf as it was.",
            _mask_gone,
        ),
        Mistake(
            "repairs the mask, but still counts the distances from 0",
            "The same positions have to decide what is seen and how far away it is.",
            _mask_alone_mended,
        ),
        Mistake(
            "divides the columns by the sums of the rows",
            "The sums lost their axis. Keep it: sum(axis=1, keepdims=True).",
            _without_keepdims,
        ),
    ],
)


def looks_left(query: Any, key: Any) -> Verdict:
    """Does RoPE make every word but the first look most at the word to its left, if all have this query and this key?

    >>> looks_left(np.ones(8), np.ones(8))
    Not yet: the word at position 1 looks most at itself. Query and key agree best at distance 0.
    >>> looks_left(rotary_encoding(np.ones((1, 8)), np.array([-1]))[0], np.ones(8)).passed
    True
    """
    rows = [np.asarray(row, dtype=float) for row in (query, key)]
    for name, row in zip(("query", "key"), rows, strict=True):
        if row.shape != (8,):
            return Verdict(False, f"Not yet: expected a {name} of shape (8,), got {row.shape}.")
    place = np.arange(12)
    turned = [rotary_encoding(np.tile(row, (len(place), 1)), place) for row in rows]
    scores = turned[0] @ turned[1].T  # (query, key)
    for i in place[1:]:
        best = int(scores[i].argmax())
        if best == i - 1 and scores[i, i - 1] > np.delete(scores[i], i - 1).max() + 1e-9:
            continue
        if np.ptp(scores[i]) < 1e-9:
            return Verdict(False, f"Not yet: the word at position {i} looks at all words equally.")
        if best == i:
            message = f"the word at position {i} looks most at itself. Query and key agree best at distance 0."
        else:
            side = "right" if best > i else "left"
            message = f"the word at position {i} looks most {abs(best - i)} to the {side}."
        return Verdict(False, f"Not yet: {message}")
    return Verdict(True, "Correct: every word but the first looks most at the word to its left.")
