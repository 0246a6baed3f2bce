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
from inorder.checks.ch07 import check_pair_variance, check_shifted, check_wavelengths
from inorder.checks.ch08 import check_pair_score, check_shift_block
from inorder.checks.ch09 import check_is_exact, check_look_up, check_sum_of_projections
from inorder.checks.ch10 import check_clipped_bias, check_next_positions, check_other_pairing
from inorder.checks.ch11 import check_all_shifts, check_nearest_mean, check_own_and_other
from inorder.checks.exercise import Exercise, Mistake, Verdict

__all__ = [
    "Exercise",
    "Mistake",
    "Verdict",
    "check_all_shifts",
    "check_clean_pair",
    "check_clipped_bias",
    "check_cross_attention",
    "check_distinct_orders",
    "check_equal_to_rounding",
    "check_equivariance_gap",
    "check_is_exact",
    "check_look_up",
    "check_masked_attention",
    "check_matching_key",
    "check_merge_blocks",
    "check_nearest_mean",
    "check_next_positions",
    "check_offset_query",
    "check_order_weights",
    "check_other_pairing",
    "check_own_and_other",
    "check_pair_score",
    "check_pair_variance",
    "check_permuted_mask",
    "check_prefix_shares",
    "check_scaled_scores",
    "check_shift_block",
    "check_shifted",
    "check_soft_lookup",
    "check_softmax",
    "check_split_heads",
    "check_sum_of_projections",
    "check_swapped_weights",
    "check_unshuffle",
    "check_wavelengths",
    "check_writing_weights",
]
