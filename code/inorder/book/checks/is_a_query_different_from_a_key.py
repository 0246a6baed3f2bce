"""The exercises on queries against keys."""

from typing import Any

import numpy as np

from inorder.attention import attention_scores, softmax
from inorder.book.exercise import Exercise, Mistake, integers


def _pair_case(seed: int, n: int, d_model: int, d_head: int) -> dict[str, Any]:
    return {
        "x": integers(seed, n, d_model),
        "w_query": integers(seed + 1, d_model, d_head) / 2,
        "w_key": integers(seed + 2, d_model, d_head) / 2,
    }


swapped_weights = Exercise(
    name="swapped_weights",
    reference=lambda x, w_query, w_key: softmax(attention_scores(x @ w_key, x @ w_query)),
    cases=[_pair_case(100, 4, 2, 3), _pair_case(103, 2, 5, 3), _pair_case(106, 3, 4, 2), _pair_case(109, 5, 4, 3)],
    mistakes=[
        Mistake(
            "does not notice the swap",
            "q · k is k · q, but the queries and keys are different: after the swap x_i meets W_K, and x_j meets W_Q.",
            lambda x, w_query, w_key: softmax(attention_scores(x @ w_query, x @ w_key)),
        ),
        Mistake(
            "transposes the weights",
            "It is the scores that are transposed. The softmax then runs along the rows of the transposed table.",
            lambda x, w_query, w_key: softmax(attention_scores(x @ w_query, x @ w_key)).T,
        ),
        Mistake(
            "moves the softmax to the queries and leaves the scores as they were",
            "Its columns sum to 1. Row i of the result belongs to the query of token i, and must sum to 1.",
            lambda x, w_query, w_key: softmax(attention_scores(x @ w_query, x @ w_key), axis=-2),
        ),
        Mistake(
            "returns the transposed scores",
            "They still have to go through the softmax.",
            lambda x, w_query, w_key: attention_scores(x @ w_key, x @ w_query),
        ),
        Mistake(
            "does not scale the scores",
            "Divide them by the square root of d_head before the softmax.",
            lambda x, w_query, w_key: softmax(x @ w_key @ (x @ w_query).T),
        ),
    ],
)


def _gauge_case(seed: int, d_model: int, g: Any) -> dict[str, Any]:
    return {"w_key": integers(seed, d_model, len(g)), "g": np.array(g, dtype=float)}


matching_key = Exercise(
    name="matching_key",
    reference=lambda w_key, g: w_key @ np.linalg.inv(g).T,
    cases=[
        _gauge_case(120, 3, [[1, 1], [0, 1]]),
        _gauge_case(121, 5, [[2, 1], [0, 1]]),
        _gauge_case(122, 4, [[1, 2, 0], [0, 1, 0], [1, 0, 2]]),
    ],
    mistakes=[
        Mistake(
            "does to the keys what was done to the queries",
            "Then W_Q G (W_K G)ᵀ = W_Q G Gᵀ W_Kᵀ, and G Gᵀ is the identity only if G is a rotation or a reflection.",
            lambda w_key, g: w_key @ g,
        ),
        Mistake(
            "forgets the transpose",
            "The product is W_Q G (W_K G′)ᵀ = W_Q G G′ᵀ W_Kᵀ, so it is G′ᵀ that must undo G.",
            lambda w_key, g: w_key @ np.linalg.inv(g),
        ),
        Mistake(
            "transposes instead of inverting",
            "Transpose and inverse agree only for rotations and reflections.",
            lambda w_key, g: w_key @ g.T,
        ),
        Mistake(
            "leaves the keys as they were",
            "The scores would be those of W_Q G with the old keys. G must be undone on the other side.",
            lambda w_key, g: w_key,
        ),
    ],
)


def _clamped_offset(n: int, offset: int, sharpness: float) -> np.ndarray:
    return sharpness * np.eye(n)[np.clip(np.arange(n) + offset, 0, n - 1)]


offset_query = Exercise(
    name="offset_query",
    reference=lambda n, offset, sharpness: sharpness * np.eye(n, k=offset),
    cases=[
        {"n": 3, "offset": -1, "sharpness": 2.0},
        {"n": 4, "offset": 2, "sharpness": 3.0},
        {"n": 5, "offset": -3, "sharpness": 0.5},
    ],
    mistakes=[
        Mistake(
            "looks the other way",
            "Row i of W_Q is the query of the token at position i. It must have its entry in column i + offset.",
            lambda n, offset, sharpness: sharpness * np.eye(n, k=-offset),
        ),
        Mistake(
            "wraps around the end",
            "There is nothing beyond the first and the last position: leave those rows 0.",
            lambda n, offset, sharpness: sharpness * np.roll(np.eye(n), offset, axis=1),
        ),
        Mistake(
            "stays at the last position where there is no such neighbour",
            "You could choose that. But here rows without such a neighbour should be 0, and weigh all words equally.",
            _clamped_offset,
        ),
        Mistake(
            "leaves out the sharpness",
            "With scores of 0 and 1 the weights hardly differ. Multiply by the sharpness.",
            lambda n, offset, sharpness: np.eye(n, k=offset),
        ),
        Mistake(
            "makes every token look at itself",
            "The identity has its entry in column i. Move it by the offset.",
            lambda n, offset, sharpness: sharpness * np.eye(n),
        ),
    ],
)


def _unscaled(x: np.ndarray, w_query: np.ndarray, w_key: np.ndarray) -> np.ndarray:
    return x @ w_query @ w_key.T @ x.T


merged_scores = Exercise(
    name="merged_scores",
    reference=lambda x, w_query, w_key: _unscaled(x, w_query, w_key) / np.sqrt(w_query.shape[1]),
    cases=[_pair_case(140, 2, 3, 2), _pair_case(143, 3, 2, 3), _pair_case(146, 4, 5, 2), _pair_case(149, 3, 4, 4)],
    mistakes=[
        Mistake(
            "merges in the wrong order",
            "The query’s token is on the left: x_i W_Q W_Kᵀ x_jᵀ. W_K W_Qᵀ is the transpose, and so are its scores.",
            lambda x, w_query, w_key: _unscaled(x, w_key, w_query) / np.sqrt(w_query.shape[1]),
        ),
        Mistake(
            "divides by the root of d_model",
            "The merged matrix is wide, but the scale belongs to the head: d_head is the width of the two thin ones.",
            lambda x, w_query, w_key: _unscaled(x, w_query, w_key) / np.sqrt(w_query.shape[0]),
        ),
        Mistake(
            "forgets the scale",
            "Merging changes the matrices and not the formula: divide by the root of d_head.",
            _unscaled,
        ),
        Mistake(
            "merges in the wrong order and divides by the root of d_model",
            "Two things at once: W_Q comes first, and the scale belongs to the head.",
            lambda x, w_query, w_key: _unscaled(x, w_key, w_query) / np.sqrt(w_query.shape[0]),
            planted=True,
        ),
    ],
)
