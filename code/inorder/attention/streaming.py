"""The same attention in memory that grows only with n.

[1] Milakov and Gimelshein 2018, Online normalizer calculation for softmax, https://arxiv.org/abs/1805.02867
[2] Rabe and Staats 2021, Self-attention Does Not Need O(n²) Memory, https://arxiv.org/abs/2112.05682
"""

import math

from array_api_compat import array_namespace
from jaxtyping import Bool, Float

from inorder._arrays import Array, expect_count, in_float32
from inorder._checked import expects
from inorder.attention.scores import _expect_scale, add_mask_and_bias, expect_open_rows


def _expect_stream(
    query: Array, key: Array, value: Array, bias: Array | None, scale: float | None, block_size: int
) -> None:
    _expect_scale(scale)
    expect_count("block_size", block_size)
    recording = any(getattr(x, "requires_grad", False) for x in (query, key, value, bias))
    if recording and array_namespace(query).is_grad_enabled():
        raise ValueError("expected inputs that record no gradient (call under torch.no_grad()), got requires_grad=True")


@expects(_expect_stream, minus_infinity="bias")
def streaming_attention(
    query: Float[Array, "*batch query d_head"],
    key: Float[Array, "*batch key d_head"],
    value: Float[Array, "*batch key d_value"],
    *,
    mask: Bool[Array, "*#batch query key"] | None = None,
    bias: Float[Array, "*#batch query key"] | None = None,
    scale: float | None = None,
    block_size: int = 512,
) -> Float[Array, "*batch query d_value"]:
    """`scaled_dot_product_attention` with memory linear in n: blocks of keys stream past a block of queries.

    A row keeps the largest score so far, m, and two sums: total = Σⱼ exp(sⱼ − m) and output = Σⱼ exp(sⱼ − m) vⱼ. When a
    block raises m to m′, both sums shrink by exp(m − m′). After the last block the row is output / total.
    Source: [1], algorithm 3, for total; [2], sections 2 and 3, for output.

    Forward only: it keeps no graph, so it refuses tensors that record a gradient (use it under `torch.no_grad()`).
    A mask or bias is the caller's, and has n² entries.

    Raises ValueError: as `scaled_dot_product_attention`; a block_size below 1; inputs that record a gradient.

    >>> from inorder.attention import scaled_dot_product_attention
    >>> import numpy as np
    >>> query, key, value = np.random.default_rng(0).normal(size=(3, 100, 8))
    >>> plain = scaled_dot_product_attention(query, key, value)
    >>> np.allclose(streaming_attention(query, key, value, block_size=32), plain)
    True
    """
    xp = array_namespace(query)
    n_query, n_key = query.shape[-2], key.shape[-2]
    dtype, (query, key, value) = query.dtype, map(in_float32, (query, key, value))
    query = (1 / math.sqrt(query.shape[-1]) if scale is None else float(scale)) * query
    blocks = []
    for i in range(0, n_query, block_size):
        rows = slice(i, i + block_size)
        # The lowest finite number, not -inf: in a fully masked block exp(-inf - m) is 0, and -inf + inf would be NaN.
        m = xp.full_like(query[..., rows, :1], xp.finfo(query.dtype).min)  # (*batch, row, 1)
        total = output = 0.0
        for j in range(0, n_key, block_size):
            columns = slice(j, j + block_size)
            scores = query[..., rows, :] @ key[..., columns, :].mT  # (*batch, row, column)
            scores = add_mask_and_bias(scores, _tile(mask, rows, columns), _tile(bias, rows, columns))
            new_m = xp.maximum(m, xp.max(scores, axis=-1, keepdims=True))
            shrink = xp.exp(m - new_m)
            scores -= new_m
            weights = xp.exp(scores)
            total = shrink * total + xp.sum(weights, axis=-1, keepdims=True)  # (*batch, row, 1)
            output = shrink * output + weights @ value[..., columns, :]  # (*batch, row, d_value)
            m = new_m
        expect_open_rows(xp.where(total != 0, m, -math.inf), axis=-1, first_row=i)
        blocks.append(output / total)
    return xp.astype(xp.concat(blocks, axis=-2), dtype, copy=False)  # (*batch, query, d_value)


def _tile(x: Array | None, rows: slice, columns: slice) -> Array | None:
    return None if x is None else x[..., rows, columns]
