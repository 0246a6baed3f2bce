"""The exercises on [A, B] against [B, A]."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from inorder.attention import attention_scores, softmax
from inorder.book.exercise import Exercise, Mistake, integers


def _writing_case(seed: int, tokens: Sequence[int], d_model: int, d_head: int) -> dict[str, Any]:
    return {
        "tokens": np.array(tokens),
        "embedding": integers(seed, max(tokens) + 1, d_model),
        "w_query": integers(seed + 1, d_model, d_head),
        "w_key": integers(seed + 2, d_model, d_head),
    }


def _all_weights(tokens: np.ndarray, embedding: np.ndarray, w_query: np.ndarray, w_key: np.ndarray) -> np.ndarray:
    """The weights of every query over every key, (query, key), without a mask."""
    x = embedding[tokens]
    return softmax(attention_scores(x @ w_query, x @ w_key))


def _weights_of_mean_query(
    tokens: np.ndarray, embedding: np.ndarray, w_query: np.ndarray, w_key: np.ndarray
) -> np.ndarray:
    x = embedding[tokens]
    return softmax(attention_scores(x.mean(axis=0, keepdims=True) @ w_query, x @ w_key))[0]


def _weights_without_own_key(
    tokens: np.ndarray, embedding: np.ndarray, w_query: np.ndarray, w_key: np.ndarray
) -> np.ndarray:
    x = embedding[tokens]
    return softmax(attention_scores(x[-1:] @ w_query, x[:-1] @ w_key))[0]


writing_weights = Exercise(
    name="writing_weights",
    reference=lambda tokens, embedding, w_query, w_key: _all_weights(tokens, embedding, w_query, w_key)[-1],
    cases=[
        _writing_case(60, [1, 0], 3, 2),
        _writing_case(63, [1, 0, 2], 3, 2),
        _writing_case(66, [0, 1, 2], 3, 4),
        _writing_case(69, [3, 0, 0, 1, 2], 4, 3),
    ],
    mistakes=[
        Mistake(
            "uses the first token’s query",
            "Row i of a decoder is about token i + 1, so it is the last row that predicts the token after the prompt.",
            lambda tokens, embedding, w_query, w_key: _all_weights(tokens, embedding, w_query, w_key)[0],
        ),
        Mistake(
            "uses the mean of all queries",
            "Each row has a query of its own. The token after the prompt is predicted by one of them.",
            _weights_of_mean_query,
            planted=True,
        ),
        Mistake(
            "leaves out the last token’s own key",
            "A token may attend to itself: there is a weight for every token of the prompt, the last one included.",
            _weights_without_own_key,
        ),
        Mistake(
            "does not scale the scores",
            "Divide them by the square root of d_head before the softmax.",
            lambda tokens, embedding, w_query, w_key: softmax(
                embedding[tokens[-1]] @ w_query @ (embedding[tokens] @ w_key).T
            ),
        ),
    ],
)


def _is_clean(first: np.ndarray, second: np.ndarray) -> bool:
    alike = np.array_equal(np.sort(first), np.sort(second)) and first[-1] == second[-1]
    return bool(alike and not np.array_equal(first, second))


def _pair(first: Sequence[int], second: Sequence[int]) -> dict[str, Any]:
    return {"first": np.array(first), "second": np.array(second)}


clean_pair = Exercise(
    name="clean_pair",
    reference=_is_clean,
    cases=[
        _pair([1, 2], [2, 1]),
        _pair([1, 2, 3], [2, 1, 3]),
        _pair([1, 2, 3], [1, 2, 3]),
        _pair([0, 3, 5], [1, 2, 5]),
        _pair([1, 2, 3], [4, 1, 3]),
        _pair([1, 2, 4, 3], [1, 4, 2, 3]),
        _pair([1, 1, 2, 3], [1, 2, 2, 3]),
        _pair([1, 2, 3], [2, 1, 1, 3]),
        _pair([1, 2, 3, 4], [4, 1, 2, 3]),
    ],
    mistakes=[
        Mistake(
            "lets the last token differ",
            "Then a different query predicts the next token, so the outputs differ anyway, and order is not tested.",
            lambda a, b: np.array_equal(np.sort(a), np.sort(b)) and not np.array_equal(a, b),
        ),
        Mistake(
            "compares which tokens there are, not how many of each",
            "A set forgets that a token occurs twice. Attention does not: two equal keys take two shares.",
            lambda a, b: set(a.tolist()) == set(b.tolist()) and a[-1] == b[-1] and not np.array_equal(a, b),
        ),
        Mistake(
            "accepts two equal prompts",
            "The pair must differ in something, or nothing is tested: the same tokens, in another order.",
            lambda a, b: np.array_equal(np.sort(a), np.sort(b)) and a[-1] == b[-1],
        ),
    ],
)
