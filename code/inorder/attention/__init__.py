"""Attention: softmax(QKᵀ/√d)V, its masks, its heads, and the same result in memory that grows only with n.

Tokens are rows. Every function takes NumPy arrays or torch tensors, any leading axes (batch, head) and any
floating-point dtype; dtype and device are kept, and gradients flow in torch. `query`, `key` and `value` share their
leading axes exactly. Only `mask` and `bias` broadcast, and only over leading axes: their last two axes are always
(query, key) in full.
"""

from inorder._checked import check_calls
from inorder.attention.heads import (
    AttentionParameters,
    linear,
    merge_heads,
    multi_head_attention,
    project_heads,
    repeat_heads,
    split_heads,
)
from inorder.attention.masks import causal_mask, padding_mask, prefix_mask
from inorder.attention.scores import attention_scores, attention_weights, scaled_dot_product_attention, softmax
from inorder.attention.streaming import streaming_attention

__all__ = [
    "AttentionParameters",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "linear",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "prefix_mask",
    "project_heads",
    "repeat_heads",
    "scaled_dot_product_attention",
    "softmax",
    "split_heads",
    "streaming_attention",
]

check_calls(globals())
