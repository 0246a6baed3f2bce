"""The exercises of chapter 2."""

from typing import Any

import numpy as np

from inorder.attention import causal_mask, scaled_dot_product_attention, softmax
from inorder.checks.exercise import Exercise, Mistake, integers, scaled_scores


def _scores_case(seed: int, head: int, n_query: int, n_key: int, d_head: int) -> dict[str, Any]:
    return {"query": integers(seed, head, n_query, d_head), "key": integers(seed + 1, head, n_key, d_head)}


check_scaled_scores = Exercise(
    name="scaled_scores",
    reference=lambda query, key: query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1]),
    cases=[
        _scores_case(0, 2, 1, 2, 3),
        _scores_case(2, 2, 3, 3, 2),
        _scores_case(4, 3, 2, 5, 4),
        _scores_case(6, 8, 4, 6, 16),
    ],
    mistakes=[
        Mistake(
            "does not scale",
            "The dot products are right. Divide them by the square root of the number of terms in each.",
            lambda query, key: query @ key.swapaxes(-1, -2),
        ),
        Mistake(
            "divides by d_head",
            "The variance of a dot product is d_head, so its typical size is the square root of d_head.",
            lambda query, key: query @ key.swapaxes(-1, -2) / query.shape[-1],
        ),
        Mistake(
            "scales by d_model instead of d_head",
            "Each head's dot product has d_head terms. The other heads' columns are not in it.",
            lambda query, key: query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[0] * query.shape[-1]),
        ),
        Mistake(
            "scales by the number of keys",
            "The sum in a score runs over the d_head columns, so it is their number that counts.",
            lambda query, key: query @ key.swapaxes(-1, -2) / np.sqrt(key.shape[-2]),
        ),
        Mistake(
            "multiplies by the square root instead of dividing",
            "Scaling must make the scores smaller.",
            lambda query, key: query @ key.swapaxes(-1, -2) * np.sqrt(query.shape[-1]),
        ),
        Mistake(
            "has keys as rows and queries as columns",
            "Row i belongs to query i: the product is query times transposed key.",
            lambda query, key: key @ query.swapaxes(-1, -2) / np.sqrt(query.shape[-1]),
        ),
    ],
)


def _softmax_without_keepdims(scores: np.ndarray) -> np.ndarray:
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1)


def _softmax_global_maximum(scores: np.ndarray) -> np.ndarray:
    shifted = np.exp(scores - scores.max())
    return shifted / shifted.sum(axis=-1, keepdims=True)


check_softmax = Exercise(
    name="softmax",
    reference=softmax,
    cases=[
        {"scores": np.array([[0.0, 1.0], [3.0, 1.0]])},
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
            "The columns sum to 1 and the rows do not. The weights of one query lie along the last axis.",
            lambda scores: softmax(scores, axis=-2),
        ),
        Mistake(
            "divides by the sums of the wrong rows",
            "`sum(axis=-1)` drops the axis, and broadcasting then lines it up with the columns. Use keepdims=True.",
            _softmax_without_keepdims,
        ),
        Mistake(
            "overflows",
            "exp(1000) is infinite in float64, and infinity over infinity is not a number. "
            "Subtract each row's maximum first: the result is the same.",
            lambda scores: np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True),
        ),
        Mistake(
            "subtracts one maximum from all rows",
            "A row far below that maximum becomes all zeros, and 0/0 is not a number. Subtract each row's own maximum.",
            _softmax_global_maximum,
        ),
        Mistake(
            "divides by the maximum instead of the sum",
            "The largest weight is then 1 in every row and the weights do not sum to 1.",
            lambda scores: np.exp(scores - scores.max(axis=-1, keepdims=True)),
        ),
        Mistake(
            "leaves out the exponential",
            "A score can be negative, a weight cannot.",
            lambda scores: scores / scores.sum(axis=-1, keepdims=True),
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


check_masked_attention = Exercise(
    name="masked_attention",
    reference=lambda query, key, value, mask: scaled_dot_product_attention(query, key, value, mask=mask),
    cases=[
        _attention_case(20, 3, 3, 2, 1, [[1, 0, 0], [1, 1, 0], [0, 1, 1]]),  # inverted or transposed, no row is empty
        _attention_case(23, 4, 4, 2, 2, causal_mask(4)),
        _attention_case(26, 2, 4, 3, 2, [[1, 0, 1, 1], [0, 1, 1, 0]]),
        _attention_case(29, 5, 5, 4, 3, causal_mask(5)),
    ],
    mistakes=[
        Mistake(
            "ignores the mask",
            "Every query attends to every key.",
            lambda query, key, value, mask: softmax(scaled_scores(query, key)) @ value,
        ),
        Mistake(
            "has the mask inverted",
            "True means *may attend*: it is the False places that get the score minus infinity.",
            lambda query, key, value, mask: softmax(np.where(mask, -np.inf, scaled_scores(query, key))) @ value,
        ),
        Mistake(
            "has the mask on the wrong side",
            "Row i of the mask belongs to query i. The transposed mask lets each query see the keys that it must not.",
            lambda query, key, value, mask: softmax(np.where(mask.T, scaled_scores(query, key), -np.inf)) @ value,
        ),
        Mistake(
            "masks after the softmax and does not renormalise",
            "The forbidden keys took part in the sum, so the remaining weights sum to less than 1. "
            "Put minus infinity in their scores before the softmax.",
            lambda query, key, value, mask: (softmax(scaled_scores(query, key)) * mask) @ value,
        ),
        Mistake(
            "gives forbidden keys the score 0",
            "A score of 0 still attends: its weight is proportional to exp(0) = 1. The score must be minus infinity.",
            lambda query, key, value, mask: softmax(scaled_scores(query, key) * mask) @ value,
        ),
        Mistake(
            "adds the mask to the scores",
            "A boolean added to a number is 0 or 1. The mask decides which scores become minus infinity.",
            lambda query, key, value, mask: softmax(scaled_scores(query, key) + mask) @ value,
        ),
        Mistake(
            "masks correctly but does not scale the scores",
            "Divide the scores by the square root of d_head before the softmax.",
            lambda query, key, value, mask: softmax(np.where(mask, query @ key.T, -np.inf)) @ value,
        ),
    ],
)


check_split_heads = Exercise(
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
            "The shape is right, the rows are not: a row of a head now holds numbers of other tokens. "
            "Split the columns first, then swap the axes.",
            lambda x, n_heads: x.reshape(n_heads, x.shape[0], -1),
        ),
        Mistake(
            "does not swap the axes",
            "The columns are split as they should be. The head axis must come first: (head, n, d_head).",
            lambda x, n_heads: x.reshape(x.shape[0], n_heads, -1),
        ),
        Mistake(
            "has the last two axes swapped",
            "A head's rows are the tokens: (head, n, d_head), not (head, d_head, n).",
            lambda x, n_heads: x.reshape(x.shape[0], n_heads, -1).transpose(1, 2, 0),
        ),
    ],
)


def _merge_case(seed: int, *, scale: float, d_value: int) -> dict[str, Any]:
    """Two blocks of keys, seen by one query: the maximum, sum and average of each."""
    case: dict[str, Any] = {}
    for block in ("a", "b"):
        scores = scale * integers(seed, 3)
        value = integers(seed + 1, 3, d_value)
        case[f"max_{block}"] = float(scores.max())
        case[f"total_{block}"] = float(np.exp(scores - scores.max()).sum())
        case[f"average_{block}"] = softmax(scores) @ value
        seed += 2
    return case


def _merge_blocks(
    max_a: float, total_a: float, average_a: np.ndarray, max_b: float, total_b: float, average_b: np.ndarray
) -> np.ndarray:
    top = max(max_a, max_b)
    weight_a, weight_b = total_a * np.exp(max_a - top), total_b * np.exp(max_b - top)
    return (weight_a * average_a + weight_b * average_b) / (weight_a + weight_b)


def _merge_without_shift(
    max_a: float, total_a: float, average_a: np.ndarray, max_b: float, total_b: float, average_b: np.ndarray
) -> np.ndarray:
    weight_a, weight_b = total_a * np.exp(max_a), total_b * np.exp(max_b)
    return (weight_a * average_a + weight_b * average_b) / (weight_a + weight_b)


def _merge_swapped(
    max_a: float, total_a: float, average_a: np.ndarray, max_b: float, total_b: float, average_b: np.ndarray
) -> np.ndarray:
    return _merge_blocks(max_b, total_a, average_a, max_a, total_b, average_b)


check_merge_blocks = Exercise(
    name="merge_blocks",
    reference=_merge_blocks,
    cases=[
        _merge_case(40, scale=1.0, d_value=1),
        _merge_case(44, scale=1.0, d_value=2),
        _merge_case(48, scale=0.5, d_value=3),
        _merge_case(52, scale=400.0, d_value=4),
    ],
    mistakes=[
        Mistake(
            "takes the plain mean of the two averages",
            "A block that holds more of the weight must count for more.",
            lambda ma, ta, a, mb, tb, b: (a + b) / 2,
        ),
        Mistake(
            "weighs by the totals without bringing them to one maximum",
            "Each total was computed relative to its own block's maximum. "
            "Multiply it by exp(own maximum - common maximum) first.",
            lambda ma, ta, a, mb, tb, b: (ta * a + tb * b) / (ta + tb),
        ),
        Mistake(
            "adds the two averages",
            "The weights of all keys together must sum to 1, not those of each block.",
            lambda ma, ta, a, mb, tb, b: a + b,
        ),
        Mistake(
            "overflows",
            "exp of a maximum can be infinite. Subtract the larger of the two maxima before the exponential.",
            _merge_without_shift,
        ),
        Mistake(
            "rescales each block by the other block's maximum",
            "A block's total is multiplied by exp(its own maximum - common maximum).",
            _merge_swapped,
        ),
    ],
)
