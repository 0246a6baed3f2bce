"""The exercises on what attention is for."""

from typing import Any

import numpy as np

from inorder.attention import softmax
from inorder.book.exercise import Exercise, Mistake, integers


def _one_query(seed: int, n_key: int, d: int, d_value: int) -> dict[str, Any]:
    return {
        "query": integers(seed, d),
        "keys": integers(seed + 1, n_key, d),
        "values": integers(seed + 2, n_key, d_value),
    }


collect = Exercise(
    name="collect",
    reference=lambda query, keys, values: softmax(keys @ query) @ values,
    cases=[_one_query(20, 3, 2, 4), _one_query(23, 4, 2, 1), _one_query(26, 2, 3, 3), _one_query(29, 6, 4, 2)],
    mistakes=[
        Mistake(
            "collects the keys",
            "Keys decide the shares. What is handed over are the values.",
            lambda query, keys, values: softmax(keys @ query) @ keys,
            planted=True,
        ),
        Mistake(
            "collects the value of the best word alone",
            "Every word hands over its value, times its share.",
            lambda query, keys, values: values[np.argmax(keys @ query)],
        ),
        Mistake(
            "uses the powers without dividing by their sum",
            "The shares must add up to 1, or long sentences hand over more than short ones.",
            lambda query, keys, values: np.exp(keys @ query) @ values,
        ),
        Mistake(
            "returns the shares",
            "Multiply each value by its share, and add up.",
            lambda query, keys, values: softmax(keys @ query),
        ),
    ],
)


def _many_queries(seed: int, n_query: int, n_key: int, d: int) -> dict[str, Any]:
    return {"queries": integers(seed, n_query, d), "keys": integers(seed + 1, n_key, d)}


def _by_query_without_keepdims(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    powers = np.exp(queries @ keys.T)
    return powers / powers.sum(axis=1)


all_shares = Exercise(
    name="all_shares",
    reference=lambda queries, keys: softmax(queries @ keys.T),
    cases=[
        _many_queries(40, 3, 4, 2),
        _many_queries(42, 4, 4, 2),
        _many_queries(44, 4, 2, 3),
        _many_queries(46, 5, 6, 4),
    ],
    mistakes=[
        Mistake(
            "shares out each word among those that ask",
            "Each query shares out its own attention, so its row must add up to 1.",
            lambda queries, keys: softmax(queries @ keys.T, axis=0),
        ),
        Mistake(
            "divides by the sum of the whole table",
            "Divide each row by its own sum.",
            lambda queries, keys: np.exp(queries @ keys.T) / np.exp(queries @ keys.T).sum(),
        ),
        Mistake(
            "divides the columns by the sums of the rows",
            "The sums lost their axis. Keep it: sum(axis=1, keepdims=True).",
            _by_query_without_keepdims,
        ),
        Mistake(
            "has a row for each key",
            "A row belongs to the word that asks: queries @ keys.T, not keys @ queries.T.",
            lambda queries, keys: softmax(keys @ queries.T),
        ),
    ],
)
