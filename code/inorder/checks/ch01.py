"""The exercises of chapter 1."""

from typing import Any

import numpy as np

from inorder.attention import softmax
from inorder.checks.exercise import Exercise, Mistake, integers


def _lookup_case(seed: int, n_query: int, n_key: int, d: int, d_value: int, sharpness: float) -> dict[str, Any]:
    return {
        "query": integers(seed, n_query, d),
        "key": integers(seed + 1, n_key, d),
        "value": integers(seed + 2, n_key, d_value),
        "sharpness": sharpness,
    }


check_soft_lookup = Exercise(
    name="soft_lookup",
    reference=lambda query, key, value, sharpness: softmax(sharpness * query @ key.T) @ value,
    cases=[
        _lookup_case(60, 2, 2, 2, 2, 0.5),
        _lookup_case(63, 2, 3, 2, 2, 0.25),
        _lookup_case(66, 3, 3, 2, 1, 2.0),
        _lookup_case(69, 4, 6, 3, 2, 0.1),
    ],
    mistakes=[
        Mistake(
            "ignores the sharpness",
            "Multiply the scores by the sharpness before the exponential: at 0 all values must count alike.",
            lambda query, key, value, sharpness: softmax(query @ key.T) @ value,
        ),
        Mistake(
            "divides by the sharpness",
            "A larger sharpness must spread the scores, so that the best key gets more of the weight.",
            lambda query, key, value, sharpness: softmax(query @ key.T / sharpness) @ value,
        ),
        Mistake(
            "shares out the weights among the queries",
            "Each query shares out a weight of 1 among the keys: the sum runs along a row, axis -1.",
            lambda query, key, value, sharpness: softmax(sharpness * query @ key.T, axis=-2) @ value,
        ),
        Mistake(
            "divides by the sum of the whole table",
            "Each query shares out a weight of 1 of its own. Divide each row by its own sum.",
            lambda query, key, value, sharpness: (
                softmax((sharpness * query @ key.T).ravel()).reshape(len(query), len(key)) @ value
            ),
        ),
        Mistake(
            "does not divide by the sum",
            "Exponentials are positive, but they do not sum to 1: the result is a sum, not an average.",
            lambda query, key, value, sharpness: np.exp(sharpness * query @ key.T) @ value,
        ),
        Mistake(
            "returns one value instead of a blend",
            "That is the hard look-up, the limit of a very large sharpness. Every key gets a share.",
            lambda query, key, value, sharpness: value[np.argmax(query @ key.T, axis=-1)],
        ),
        Mistake(
            "averages the keys",
            "Keys decide the weights. What is averaged are the values.",
            lambda query, key, value, sharpness: softmax(sharpness * query @ key.T) @ key,
        ),
        Mistake(
            "leaves out the exponential",
            "A dot product can be negative, a weight cannot.",
            lambda query, key, value, sharpness: (query @ key.T / (query @ key.T).sum(axis=-1, keepdims=True)) @ value,
        ),
    ],
)


def _sources_case(seed: int, n_query: int, n_key: int, d_model: int, d_head: int) -> dict[str, Any]:
    return {
        "x_query": integers(seed, n_query, d_model),
        "x_key_value": integers(seed + 1, n_key, d_model),
        "w_query": integers(seed + 2, d_model, d_head) / 2,
        "w_key": integers(seed + 3, d_model, d_head) / 2,
        "w_value": integers(seed + 4, d_model, d_head) / 2,
    }


def _soft(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return softmax(query @ key.T) @ value


check_cross_attention = Exercise(
    name="cross_attention",
    reference=lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xkv @ wk, xkv @ wv),
    cases=[
        _sources_case(80, 2, 2, 2, 2),
        _sources_case(85, 3, 3, 2, 2),
        _sources_case(90, 2, 4, 3, 3),
        _sources_case(95, 5, 3, 4, 2),
    ],
    mistakes=[
        Mistake(
            "compares the sources, not their projections",
            "The arguments are sources. Queries and keys come after W_Q and W_K.",
            lambda xq, xkv, wq, wk, wv: _soft(xq, xkv, xkv @ wv),
        ),
        Mistake(
            "projects nothing",
            "The arguments are sources. Multiply each by its own matrix first.",
            lambda xq, xkv, wq, wk, wv: _soft(xq, xkv, xkv),
        ),
        Mistake(
            "does not project the values",
            "What is averaged is the value, x W_V, not the source itself.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xkv @ wk, xkv),
        ),
        Mistake(
            "takes the keys from the source of the queries",
            "With two inputs, keys and values both come from the second.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xq @ wk, xkv @ wv),
        ),
        Mistake(
            "takes the values from the source of the queries",
            "There is one value for each key, so both come from the second input.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xkv @ wk, xq @ wv),
        ),
        Mistake(
            "takes everything from the first input",
            "That is self-attention. Keys and values come from the second input.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xq @ wk, xq @ wv),
        ),
        Mistake(
            "has the two inputs exchanged",
            "The queries come from the first input: the output has one row for each of its rows.",
            lambda xq, xkv, wq, wk, wv: _soft(xkv @ wq, xq @ wk, xq @ wv),
        ),
        Mistake(
            "uses one matrix for queries and keys",
            "Tied matrices are a choice that some models make. Here W_Q and W_K differ.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xkv @ wq, xkv @ wv),
        ),
    ],
)
