"""The exercises on what attention costs."""

from typing import Any

import numpy as np

from inorder import attention
from inorder.book.exercise import Exercise, Mistake, integers


def _merge_case(seed: int, *, scale: float, d_value: int) -> dict[str, Any]:
    """Two blocks of keys, seen by one query: the maximum, sum and average of each."""
    case: dict[str, Any] = {}
    for block in ("a", "b"):
        scores = scale * integers(seed, 3)
        value = integers(seed + 1, 3, d_value)
        case[f"max_{block}"] = float(scores.max())
        case[f"total_{block}"] = float(np.exp(scores - scores.max()).sum())
        case[f"average_{block}"] = attention.softmax(scores) @ value
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


merge_blocks = Exercise(
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
            "Each total was computed relative to its own block’s maximum. "
            "Multiply it by exp(own maximum − common maximum) first.",
            lambda ma, ta, a, mb, tb, b: (ta * a + tb * b) / (ta + tb),
        ),
        Mistake(
            "overflows",
            "exp of a maximum can be infinite. Subtract the larger of the two maxima before the exponential.",
            _merge_without_shift,
        ),
    ],
)


def _streamed(scores: np.ndarray, values: np.ndarray, *, start: float = -np.inf, forget: str = "") -> np.ndarray:
    """The loop of the page, with one of its steps left out."""
    m, total, output = start, 0.0, np.zeros(values.shape[1])
    for s, v in zip(scores, values, strict=True):
        new_m = max(m, s)
        shrink, weight = np.exp(m - new_m), np.exp(s - new_m)
        total = (1 if forget == "total" else shrink) * total + weight
        output = (1 if forget == "output" else shrink) * output + weight * v
        m = new_m
    return output if forget == "division" else output / total


def _stream_case(seed: int, n_key: int, d_value: int, *, shift: float = 0.0) -> dict[str, Any]:
    return {"scores": integers(seed, n_key) + shift, "values": integers(seed + 1, n_key, d_value)}


streamed = Exercise(
    name="streamed",
    reference=lambda scores, values: attention.softmax(scores) @ values,
    cases=[
        {"scores": np.array([-1000.0, -1001.0]), "values": np.array([[2.0], [4.0]])},
        _stream_case(60, 4, 2),
        {"scores": np.array([800.0, 0.0, 900.0, 899.0]), "values": integers(62, 4, 3)},
        _stream_case(64, 7, 2, shift=-2000.0),
    ],
    mistakes=[
        Mistake(
            "starts with a maximum of 0",
            "Where all scores lie far below 0, every exponential is 0, and 0/0 is not a number. Before the first key "
            "the largest score is minus infinity.",
            lambda scores, values: _streamed(scores, values, start=0.0),
            planted=True,
        ),
        Mistake(
            "does not shrink the sum of the values",
            "When the maximum rises, both sums are still relative to the old one, so both must shrink.",
            lambda scores, values: _streamed(scores, values, forget="output"),
        ),
        Mistake(
            "does not shrink the sum of the terms",
            "When the maximum rises, both sums are still relative to the old one, so both must shrink.",
            lambda scores, values: _streamed(scores, values, forget="total"),
        ),
        Mistake(
            "does not divide at the end",
            "The output is the sum of the weighted values divided by the sum of the weights.",
            lambda scores, values: _streamed(scores, values, forget="division"),
        ),
    ],
)
