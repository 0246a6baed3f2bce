"""The exercises on softmax(QKᵀ/√d)V."""

from typing import Any

import numpy as np

from inorder import attention
from inorder.attention import attention_scores, causal_mask, scaled_dot_product_attention
from inorder.book.exercise import Exercise, Mistake, integers


def _softmax_without_keepdims(scores: np.ndarray) -> np.ndarray:
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1)


def _softmax_global_maximum(scores: np.ndarray) -> np.ndarray:
    shifted = np.exp(scores - scores.max())
    return shifted / shifted.sum(axis=-1, keepdims=True)


softmax = Exercise(
    name="softmax",
    reference=attention.softmax,
    cases=[
        {"scores": np.array([[0.0, 1.0], [3.0, 1.0], [2.0, 2.0]])},
        {"scores": integers(10, 2, 3)},
        {"scores": integers(11, 2, 3, 4)},
        {"scores": np.array([[0.0, 1000.0, 1000.0, 0.0], [1.0, 2.0, 3.0, 4.0]])},
        {"scores": np.array([[-np.inf, 0.0, 1.0, 0.0, -np.inf], [1.0, -np.inf, 2.0, 3.0, 4.0]])},
    ],
    mistakes=[
        Mistake(
            "divides by the sum over the whole array",
            "Each query shares out a total weight of 1: the sum runs over the last axis only.",
            lambda scores: np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum(),
        ),
        Mistake(
            "normalises over the wrong axis",
            "The columns sum to 1, but the rows do not. The weights of one query lie along the last axis.",
            lambda scores: attention.softmax(scores, axis=-2),
        ),
        Mistake(
            "divides by the sums of the wrong rows",
            "`sum(axis=-1)` drops the axis, and broadcasting then lines it up with the columns. Use keepdims=True.",
            _softmax_without_keepdims,
        ),
        Mistake(
            "overflows",
            "exp(1000) is infinite in float64, and infinity over infinity is not a number. "
            "Subtract each row’s maximum first: the result is the same.",
            lambda scores: np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "subtracts one maximum from all rows",
            "A row far below that maximum becomes all zeros, and 0/0 is not a number. Subtract each row’s own maximum.",
            _softmax_global_maximum,
        ),
    ],
)


def _attention_case(seed: int, n_query: int, n_key: int, d_head: int, d_value: int, mask: Any) -> dict[str, Any]:
    return {
        "query": integers(seed, n_query, d_head),
        "key": integers(seed + 1, n_key, d_head),
        "value": integers(seed + 2, n_key, d_value),
        "mask": np.asarray(mask, dtype=bool),
    }


masked_attention = Exercise(
    name="masked_attention",
    reference=lambda query, key, value, mask: scaled_dot_product_attention(query, key, value, mask=mask),
    cases=[
        _attention_case(20, 3, 4, 2, 1, [[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0]]),  # inverted, no row is empty
        _attention_case(23, 4, 4, 2, 2, causal_mask(4)),
        _attention_case(26, 2, 4, 3, 2, [[1, 0, 1, 1], [0, 1, 1, 0]]),
        _attention_case(29, 5, 5, 4, 3, causal_mask(5)),
    ],
    mistakes=[
        Mistake(
            "has the mask inverted",
            "True means *may attend*: it is the False places that get the score minus infinity.",
            lambda query, key, value, mask: (
                attention.softmax(np.where(mask, -np.inf, attention_scores(query, key))) @ value
            ),
        ),
        Mistake(
            "masks after the softmax and does not renormalise",
            "The forbidden keys took part in the sum, so the remaining weights sum to less than 1. "
            "Put minus infinity in their scores before the softmax.",
            lambda query, key, value, mask: (attention.softmax(attention_scores(query, key)) * mask) @ value,
        ),
        Mistake(
            "gives forbidden keys the score 0",
            "A key with score 0 still gets a weight, proportional to exp(0) = 1. The score must be minus infinity.",
            lambda query, key, value, mask: attention.softmax(attention_scores(query, key) * mask) @ value,
        ),
        Mistake(
            "masks correctly but scales by the number of queries",
            "The sum in a score runs over the d_head columns, so it is their number that counts: query.shape[-1].",
            lambda query, key, value, mask: (
                attention.softmax(np.where(mask, query @ key.T / np.sqrt(len(query)), -np.inf)) @ value
            ),
        ),
        Mistake(
            "scales by the number of queries, and masks after the softmax",
            "The width of a head is query.shape[-1]. And forbidden keys must not take part in the sum.",
            lambda query, key, value, mask: (attention.softmax(query @ key.T / np.sqrt(len(query))) * mask) @ value,
            planted=True,
        ),
    ],
)


split_heads = Exercise(
    name="split_heads",
    reference=lambda x, n_heads: x.reshape(x.shape[0], n_heads, -1).swapaxes(0, 1),
    cases=[
        {"x": np.arange(8.0).reshape(2, 4), "n_heads": 2},
        {"x": np.arange(12.0).reshape(3, 4), "n_heads": 2},
        {"x": np.arange(18.0).reshape(3, 6), "n_heads": 3},
        {"x": np.arange(40.0).reshape(5, 8), "n_heads": 2},
    ],
    mistakes=[
        Mistake(
            "deals the columns out in turn",
            "Head h takes d_head *neighbouring* columns, not every n_heads-th one.",
            lambda x, n_heads: x.reshape(x.shape[0], -1, n_heads).transpose(2, 0, 1),
        ),
        Mistake(
            "reshapes straight to (head, n, d_head)",
            "The shape is right, but the rows are not: a row of a head now holds numbers of other tokens. "
            "Split the columns first, then swap the axes.",
            lambda x, n_heads: x.reshape(n_heads, x.shape[0], -1),
        ),
        Mistake(
            "does not swap the axes",
            "The columns are split correctly, but the head axis must come first: (head, n, d_head).",
            lambda x, n_heads: x.reshape(x.shape[0], n_heads, -1),
        ),
    ],
)
