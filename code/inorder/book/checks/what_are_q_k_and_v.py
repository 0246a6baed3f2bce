"""The exercises on what Q, K and V are."""

from typing import Any

import numpy as np

from inorder.attention import scaled_dot_product_attention, softmax
from inorder.book.exercise import Exercise, Mistake, Verdict, integers


def _lookup_case(seed: int, n_query: int, n_key: int, d: int, d_value: int, sharpness: float) -> dict[str, Any]:
    return {
        "query": integers(seed, n_query, d),
        "key": integers(seed + 1, n_key, d),
        "value": integers(seed + 2, n_key, d_value),
        "sharpness": sharpness,
    }


def _squared(query: np.ndarray, key: np.ndarray) -> np.ndarray:
    return ((query[:, None] - key) ** 2).sum(axis=-1)  # (query, key)


by_distance = Exercise(
    name="by_distance",
    reference=lambda query, key, value, sharpness: softmax(-sharpness * _squared(query, key) / 2) @ value,
    cases=[
        _lookup_case(60, 2, 3, 1, 2, 0.25),
        _lookup_case(63, 2, 3, 2, 2, 0.25),
        _lookup_case(66, 3, 3, 2, 1, 1.0),
        _lookup_case(69, 4, 6, 3, 2, 0.1),
    ],
    mistakes=[
        Mistake(
            "ignores the sharpness",
            "Multiply the scores by the sharpness before the exponential: at 0 all values must count equally.",
            lambda query, key, value, sharpness: softmax(-_squared(query, key) / 2) @ value,
        ),
        Mistake(
            "prefers the keys that are far away",
            "The score of a near key must be the larger one: mind the sign.",
            lambda query, key, value, sharpness: softmax(sharpness * _squared(query, key) / 2) @ value,
        ),
        Mistake(
            "takes the distance where its square is asked for",
            "The score is minus half the squared distance. Leave out the root.",
            lambda query, key, value, sharpness: softmax(-sharpness * np.sqrt(_squared(query, key)) / 2) @ value,
        ),
        Mistake(
            "matches by dot product",
            "A dot product is not nearness: a long key can beat a near one.",
            lambda query, key, value, sharpness: softmax(sharpness * query @ key.T) @ value,
        ),
        Mistake(
            "shares out the weights among the queries",
            "Each query shares out a weight of 1 among the keys: the sum runs along a row, axis -1.",
            lambda query, key, value, sharpness: softmax(-sharpness * _squared(query, key) / 2, axis=-2) @ value,
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


cross_attention = Exercise(
    name="cross_attention",
    reference=lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xkv @ wk, xkv @ wv),
    cases=[
        _sources_case(80, 3, 4, 2, 1),
        _sources_case(85, 3, 3, 2, 3),
        _sources_case(90, 2, 4, 3, 3),
        _sources_case(95, 5, 3, 4, 2),
    ],
    mistakes=[
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
            planted=True,
        ),
        Mistake(
            "takes everything from the first input",
            "That is self-attention. Keys and values come from the second input.",
            lambda xq, xkv, wq, wk, wv: _soft(xq @ wq, xq @ wk, xq @ wv),
        ),
    ],
)


def same_as_bare(w_query: Any, w_key: Any, w_value: Any, w_output: Any) -> Verdict:
    """Does a layer with these four (3, 3) matrices, none the identity, give the same as attention without any?

    >>> same_as_bare(2 * np.eye(3), np.eye(3) / 2, 4 * np.eye(3), np.eye(3))
    Not yet: W_O is the identity, and that is too easy.
    >>> same_as_bare(2 * np.eye(3), np.eye(3) / 2, 4 * np.eye(3), np.eye(3) / 4).passed
    True
    """
    names = ("W_Q", "W_K", "W_V", "W_O")
    matrices = [np.asarray(w, dtype=float) for w in (w_query, w_key, w_value, w_output)]
    for name, w in zip(names, matrices, strict=True):
        if w.shape != (3, 3) or not np.isfinite(w).all():
            return Verdict(False, f"Not yet: expected {name} to be 3 rows of 3 finite numbers, got shape {w.shape}.")
        if np.allclose(w, np.eye(3)):
            return Verdict(False, f"Not yet: {name} is the identity, and that is too easy.")
    w_q, w_k, w_v, w_o = matrices
    if not np.allclose(w_q @ w_k.T, np.eye(3), atol=1e-6):
        hint = "If you took the inverse of W_Q for W_K, transpose it: the keys are transposed in the product."
        transposed = np.allclose(w_q @ w_k, np.eye(3), atol=1e-6)
        return Verdict(False, "Not yet: the scores differ." + (f" {hint}" if transposed else ""))
    if not np.allclose(w_v @ w_o, np.eye(3), atol=1e-6):
        return Verdict(False, "Not yet: the scores agree, but W_O does not undo what W_V does to the values.")
    x = integers(97, 5, 3)
    layer = scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v) @ w_o
    error = np.abs(layer - scaled_dot_product_attention(x, x, x)).max()
    return Verdict(bool(error < 1e-4), "Correct: on five words the two agree up to rounding.")
