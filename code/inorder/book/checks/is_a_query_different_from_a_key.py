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
