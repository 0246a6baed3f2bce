"""The exercise on relative position."""

from typing import Any

import numpy as np

from inorder.attention import softmax
from inorder.book.exercise import Exercise, Mistake, integers


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
            "divides the columns by the sums of the rows",
            "The sums lost their axis. Keep it: sum(axis=1, keepdims=True).",
            _without_keepdims,
        ),
    ],
)
