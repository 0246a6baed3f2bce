"""Checkers for the book's exercises. They try your function and name the usual mistakes.

    >>> import numpy as np
    >>> from inorder.checks import check_softmax
    >>> verdict = check_softmax(lambda scores: np.exp(scores) / np.exp(scores).sum())
    >>> print(verdict.message.splitlines()[0])
    Not yet: softmax divides by the sum over the whole array.

An exercise is a reference function, a few inputs, and the wrong answers that people are known to give, each as a
function. A new exercise is one `Exercise(...)`; the frame does the rest.
"""

from inorder.checks.ch01 import check_cross_attention, check_soft_lookup
from inorder.checks.ch02 import (
    check_masked_attention,
    check_merge_blocks,
    check_scaled_scores,
    check_softmax,
    check_split_heads,
)
from inorder.checks.ch03 import check_matching_key, check_offset_query, check_swapped_weights
from inorder.checks.ch04 import check_distinct_orders, check_equivariance_gap, check_unshuffle
from inorder.checks.ch05 import check_clean_pair, check_equal_to_rounding, check_writing_weights
from inorder.checks.ch06 import check_order_weights, check_permuted_mask, check_prefix_shares
from inorder.checks.exercise import Exercise, Mistake, Verdict

__all__ = [
    "Exercise",
    "Mistake",
    "Verdict",
    "check_clean_pair",
    "check_cross_attention",
    "check_distinct_orders",
    "check_equal_to_rounding",
    "check_equivariance_gap",
    "check_masked_attention",
    "check_matching_key",
    "check_merge_blocks",
    "check_offset_query",
    "check_order_weights",
    "check_permuted_mask",
    "check_prefix_shares",
    "check_scaled_scores",
    "check_soft_lookup",
    "check_softmax",
    "check_split_heads",
    "check_swapped_weights",
    "check_unshuffle",
    "check_writing_weights",
]
