"""Attention: softmax(QKᵀ/√d)V, its masks, its heads, and the same result in memory that grows only with n.

Tokens are rows. Every function takes NumPy arrays or torch tensors, any leading axes (batch, head) and any
floating-point dtype; dtype and device are kept, and gradients flow in torch. `query`, `key` and `value` share their
leading axes exactly. Only `mask` and `bias` broadcast, and only over leading axes: their last two axes are always
(query, key) in full.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Milakov and Gimelshein 2018, Online normalizer calculation for softmax, https://arxiv.org/abs/1805.02867
[3] Rabe and Staats 2021, Self-attention Does Not Need O(n²) Memory, https://arxiv.org/abs/2112.05682
"""

import math
from numbers import Real
from typing import Any, NamedTuple

from einops import rearrange
from jaxtyping import Bool, Float, Shaped

from inorder._arrays import (
    Array,
    creation,
    expect,
    expect_count,
    expect_finite,
    expect_floats,
    expect_shape,
    namespace,
    without_gradient,
)


def softmax(x: Float[Array, "*shape"], *, axis: int = -1) -> Float[Array, "*shape"]:
    """softmax(x)ᵢ = exp(xᵢ) / Σⱼ exp(xⱼ) along one axis.

    The maximum is subtracted first: that changes nothing (shift invariance), and exp cannot overflow. An entry of −∞
    gets weight 0.

    Raises ValueError: NaN or +∞; nothing but −∞ along the axis (in attention: a fully masked row); an empty axis.

    >>> import numpy as np
    >>> softmax(np.array([0.0, np.log(2.0), -np.inf])).round(4)
    array([0.3333, 0.6667, 0.    ])
    """
    xp = namespace(x)
    expect_floats(xp, x=x)
    expect(-x.ndim <= axis < x.ndim, f"an axis of the {x.ndim} that x has", axis)
    expect(x.shape[axis] > 0, f"at least one entry along axis {axis}", f"shape {tuple(x.shape)}")
    peak = without_gradient(xp.max(x, axis=axis, keepdims=True))  # a shift changes nothing, so it has no gradient
    _expect_open_rows(xp, peak)
    numerator = xp.exp(x - peak)
    return numerator / xp.sum(numerator, axis=axis, keepdims=True)


def attention_scores(
    query: Float[Array, "*batch query d_head"], key: Float[Array, "*batch key d_head"], *, scale: float | None = None
) -> Float[Array, "*batch query key"]:
    """S = scale · Q Kᵀ, where scale is 1/√d_head unless given. Source: [1], section 3.2.1.

    Raises ValueError: shapes that do not fit, an empty axis, NaN or ∞, a scale that is not a finite number.

    >>> import numpy as np
    >>> attention_scores(np.array([[2.0, 0.0]]), np.eye(2)).round(4)
    array([[1.4142, 0.    ]])
    """
    scale = _expect_query_key(query, key, scale)
    return scale * query @ key.mT  # (*batch, query, key)


def attention_weights(
    query: Float[Array, "*batch query d_head"],
    key: Float[Array, "*batch key d_head"],
    *,
    mask: Bool[Array, "... query key"] | None = None,
    bias: Float[Array, "... query key"] | None = None,
    scale: float | None = None,
) -> Float[Array, "*batch query key"]:
    """A = softmax(scale · Q Kᵀ + bias), −∞ wherever mask is False. Every row sums to one. Source: [1], equation 1.

    mask: True = may attend. bias: added to the scaled scores; −∞ is legal and masks.

    Raises ValueError: as `attention_scores`; a mask that is not boolean; NaN or +∞ in bias; a fully masked row.

    >>> import numpy as np
    >>> x = np.eye(3)
    >>> attention_weights(x, x, mask=causal_mask(3), scale=np.log(2.0)).round(4)
    array([[1.    , 0.    , 0.    ],
           [0.3333, 0.6667, 0.    ],
           [0.25  , 0.25  , 0.5   ]])
    """
    scores = attention_scores(query, key, scale=scale)  # (*batch, query, key)
    _expect_mask_and_bias(query, tuple(scores.shape), mask, bias)
    return softmax(_add_mask_and_bias(scores, mask, bias))


def scaled_dot_product_attention(
    query: Float[Array, "*batch query d_head"],
    key: Float[Array, "*batch key d_head"],
    value: Float[Array, "*batch key d_value"],
    *,
    mask: Bool[Array, "... query key"] | None = None,
    bias: Float[Array, "... query key"] | None = None,
    scale: float | None = None,
) -> Float[Array, "*batch query d_value"]:
    """softmax(scale · Q Kᵀ + bias) V: each output row is a weighted average of the rows of V. Source: [1], equation 1.

    mask, bias, scale and errors: as `attention_weights`; ValueError too if value does not fit key.

    >>> import numpy as np
    >>> query, key = np.zeros((1, 4)), np.ones((2, 4))
    >>> scaled_dot_product_attention(query, key, value=np.array([[0.0, 2.0, 4.0], [6.0, 6.0, 6.0]]))
    array([[3., 4., 5.]])
    """
    weights = attention_weights(query, key, mask=mask, bias=bias, scale=scale)  # (*batch, query, key)
    _expect_value(key, value)
    return weights @ value  # (*batch, query, d_value)


def streaming_attention(
    query: Float[Array, "*batch query d_head"],
    key: Float[Array, "*batch key d_head"],
    value: Float[Array, "*batch key d_value"],
    *,
    mask: Bool[Array, "... query key"] | None = None,
    bias: Float[Array, "... query key"] | None = None,
    scale: float | None = None,
    block_size: int = 512,
) -> Float[Array, "*batch query d_value"]:
    """`scaled_dot_product_attention` with memory linear in n: blocks of keys stream past a block of queries.

    A row keeps the largest score so far, m, and two sums: total = Σⱼ exp(sⱼ − m) and output = Σⱼ exp(sⱼ − m) vⱼ. When a
    block raises m to m′, both sums shrink by exp(m − m′). After the last block the row is output / total.
    Source: [2], algorithm 3, for total; [3], sections 2 and 3, for output.

    Forward only: it keeps no graph, so it refuses tensors that record a gradient (use it under `torch.no_grad()`).
    A mask or bias is the caller's, and has n² entries.

    Raises ValueError: as `scaled_dot_product_attention`; a block_size below 1; inputs that record a gradient.

    >>> import numpy as np
    >>> query, key, value = np.random.default_rng(0).normal(size=(3, 100, 8))
    >>> plain = scaled_dot_product_attention(query, key, value)
    >>> np.allclose(streaming_attention(query, key, value, block_size=32), plain)
    True
    """
    scale = _expect_query_key(query, key, scale)
    _expect_value(key, value)
    n_query, n_key = query.shape[-2], key.shape[-2]
    _expect_mask_and_bias(query, (*query.shape[:-1], n_key), mask, bias)
    _expect_no_gradient(query, key, value, bias)
    expect_count("block_size", block_size)
    xp = namespace(query)

    query = scale * query
    blocks = []
    for i in range(0, n_query, block_size):
        rows = slice(i, i + block_size)
        # The lowest finite number, not -inf: in a fully masked block exp(-inf - m) is 0, and -inf + inf would be NaN.
        m = xp.full_like(query[..., rows, :1], xp.finfo(query.dtype).min)  # (*batch, row, 1)
        total = output = 0.0
        for j in range(0, n_key, block_size):
            columns = slice(j, j + block_size)
            scores = query[..., rows, :] @ key[..., columns, :].mT  # (*batch, row, column)
            scores = _add_mask_and_bias(scores, _tile(mask, rows, columns), _tile(bias, rows, columns))
            new_m = xp.maximum(m, xp.max(scores, axis=-1, keepdims=True))
            shrink = xp.exp(m - new_m)
            scores -= new_m
            weights = xp.exp(scores)
            total = shrink * total + xp.sum(weights, axis=-1, keepdims=True)  # (*batch, row, 1)
            output = shrink * output + weights @ value[..., columns, :]  # (*batch, row, d_value)
            m = new_m
        _expect_open_rows(xp, xp.where(total != 0, m, -math.inf))
        blocks.append(output / total)
    return xp.concat(blocks, axis=-2)  # (*batch, query, d_value)


def causal_mask(n_query: int, n_key: int | None = None, *, like: Array | None = None) -> Bool[Array, "query key"]:
    """mask[i, j] = (j ≤ n_key − n_query + i): query i sits at key position n_key − n_query + i and sees no later key.

    The last query sits at the last key, as when new queries meet a cache of earlier keys (n_key > n_query). n_key is
    n_query unless given. Back end and device are those of `like`, else NumPy. Source: [1], section 3.2.3.

    Raises ValueError: a size that is not a positive whole number; n_key < n_query (the first rows would be empty).

    >>> causal_mask(2, 4)
    array([[ True,  True,  True, False],
           [ True,  True,  True,  True]])
    """
    expect_count("n_query", n_query)
    n_key = n_query if n_key is None else n_key
    expect_count("n_key", n_key)
    expect(n_key >= n_query, f"n_key of at least n_query = {n_query}, or the first rows are fully masked", n_key)
    xp, device, _ = creation(like)
    key_position = xp.arange(n_key, device=device)  # (key,)
    query_position = key_position[n_key - n_query :]  # (query,)
    return key_position <= query_position[:, None]  # (query, key)


def split_heads(
    x: Shaped[Array, "*batch position d"], n_heads: int
) -> Shaped[Array, "*batch {n_heads} position d//{n_heads}"]:
    """(..., position, d) to (..., head, position, d/n_heads): head h is the h-th contiguous slice of the columns.

    Source: [1], section 3.2.2. Raises ValueError: fewer than two axes, or d not divisible by n_heads.

    >>> import numpy as np
    >>> split_heads(np.arange(8).reshape(2, 4), n_heads=2)
    array([[[0, 1],
            [4, 5]],
    <BLANKLINE>
           [[2, 3],
            [6, 7]]])
    """
    namespace(x)
    expect_shape("x", x, ..., "position", "d")
    expect_count("n_heads", n_heads)
    expect(x.shape[-1] % n_heads == 0, f"a width divisible by n_heads = {n_heads}", x.shape[-1])
    return rearrange(x, "... position (head d_head) -> ... head position d_head", head=n_heads)


def merge_heads(x: Shaped[Array, "*batch head position d_head"]) -> Shaped[Array, "*batch position head*d_head"]:
    """(..., head, position, d_head) to (..., position, head·d_head): the inverse of `split_heads`.

    Source: [1], section 3.2.2 (Concat). Raises ValueError: fewer than three axes.

    >>> import numpy as np
    >>> merge_heads(np.zeros((5, 2, 7, 4))).shape
    (5, 7, 8)
    """
    namespace(x)
    expect_shape("x", x, ..., "head", "position", "d_head")
    return rearrange(x, "... head position d_head -> ... position (head d_head)")


class AttentionParameters(NamedTuple):
    """What `multi_head_attention` learns. A head owns d_head = d_key / n_heads columns of w_query and of w_key,
    and d_value / n_heads columns of w_value. `Y = X W + b`, so a weight is (d_in, d_out) and a bias (d_out,).
    """

    w_query: Float[Array, "d_model d_key"]
    w_key: Float[Array, "d_memory d_key"]
    w_value: Float[Array, "d_memory d_value"]
    w_output: Float[Array, "d_value d_output"]
    b_query: Float[Array, " d_key"] | None = None
    b_key: Float[Array, " d_key"] | None = None
    b_value: Float[Array, " d_value"] | None = None
    b_output: Float[Array, " d_output"] | None = None


def multi_head_attention(
    x_query: Float[Array, "*batch query d_model"],
    x_key_value: Float[Array, "*batch key d_memory"],
    parameters: AttentionParameters,
    n_heads: int,
    *,
    mask: Bool[Array, "... query key"] | None = None,
    bias: Float[Array, "... query key"] | None = None,
) -> Float[Array, "*batch query d_output"]:
    """concat(head₁, …, head_h) W_O + b_O, where head_i = attention(X_q W_Q, X_kv W_K, X_kv W_V), each on its columns.

    Self-attention passes one array twice; cross-attention takes queries from one sequence, keys and values from
    another. The scale is 1/√d_head, per head. mask and bias broadcast to (*batch, head, query, key): one for all heads
    is (query, key), one for each sequence (batch, 1, query, key), one for each head (head, query, key).
    Source: [1], section 3.2.2.

    Raises ValueError: weights that fit neither inputs nor each other, a width that n_heads does not divide, and all
    that `scaled_dot_product_attention` raises.

    >>> import numpy as np
    >>> w = np.eye(4)
    >>> x = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    >>> multi_head_attention(x, x, AttentionParameters(0 * w, w, w, w), n_heads=2)
    array([[3., 4., 5., 6.],
           [3., 4., 5., 6.]])
    """
    p = parameters
    _expect_parameters(x_query, x_key_value, p)
    query = split_heads(_linear(x_query, p.w_query, p.b_query), n_heads)  # (*batch, head, query, d_head)
    key = split_heads(_linear(x_key_value, p.w_key, p.b_key), n_heads)  # (*batch, head, key, d_head)
    value = split_heads(_linear(x_key_value, p.w_value, p.b_value), n_heads)  # (*batch, head, key, d_value)
    output = scaled_dot_product_attention(query, key, value, mask=mask, bias=bias)  # (*batch, head, query, d_value)
    return _linear(merge_heads(output), p.w_output, p.b_output)  # (*batch, query, d_output)


def _linear(x: Array, weight: Array, bias: Array | None) -> Array:
    return x @ weight if bias is None else x @ weight + bias


def _add_mask_and_bias(scores: Array, mask: Array | None, bias: Array | None) -> Array:
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = namespace(scores).where(mask, scores, -math.inf)
    return scores


def _tile(x: Array | None, rows: slice, columns: slice) -> Array | None:
    return None if x is None else x[..., rows, columns]


def _expect_open_rows(xp: Any, peak: Array) -> None:
    """A row's maximum tells all: NaN and +inf reach it, and it is -inf only where everything is masked."""
    if not xp.all(xp.isfinite(peak)):
        masked = not xp.any(xp.isnan(peak) | (peak == math.inf))
        got = "a fully masked row (nothing but -inf)" if masked else "NaN or +inf (from the input, or by overflow)"
        expect(False, "rows with a finite maximum, to take a softmax over", got)


def _expect_query_key(query: Array, key: Array, scale: float | None) -> float:
    """Check the two and return the scale."""
    xp = namespace(query, key)
    expect_shape("query", query, ..., "query", "d_head")
    expect_shape("key", key, *query.shape[:-2], "key", query.shape[-1])
    expect_floats(xp, query=query, key=key)
    expect_finite(xp, query=query, key=key)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    expect(isinstance(scale, Real) and math.isfinite(scale), "a finite number as scale", repr(scale))
    return float(scale)  # a NumPy float64 scalar would turn float32 arrays into float64


def _expect_value(key: Array, value: Array) -> None:
    xp = namespace(key, value)
    expect_shape("value", value, *key.shape[:-1], "d_value")
    expect_floats(xp, key=key, value=value)
    expect_finite(xp, value=value)


def _expect_mask_and_bias(query: Array, shape: tuple[int, ...], mask: Array | None, bias: Array | None) -> None:
    """`shape` is that of the scores: (*batch, query, key)."""
    xp = namespace(query, mask, bias)
    for name, x in {"mask": mask, "bias": bias}.items():
        if x is not None:
            leading = zip(x.shape[-3::-1], shape[-3::-1], strict=False)
            fits = len(x.shape) <= len(shape) and tuple(x.shape[-2:]) == shape[-2:]
            fits = fits and all(size in (1, full) for size, full in leading)
            expect(fits, f"{name} of shape {shape}, its leading axes 1 or left out", tuple(x.shape))
    expect(mask is None or xp.isdtype(mask.dtype, "bool"), "mask of dtype bool", mask is None or mask.dtype)
    if bias is not None:
        expect_floats(xp, query=query, bias=bias)
        expect(0 in bias.shape or xp.max(bias) < math.inf, "bias of numbers or -inf", "NaN or +inf")


def _expect_no_gradient(*arrays: Array | None) -> None:
    recording = [x for x in arrays if getattr(x, "requires_grad", False)]
    if recording and namespace(*recording).is_grad_enabled():
        raise ValueError("expected inputs that record no gradient (call under torch.no_grad()), got requires_grad=True")


def _expect_parameters(x_query: Array, x_key_value: Array, parameters: AttentionParameters) -> None:
    expect(isinstance(parameters, AttentionParameters), "AttentionParameters", type(parameters).__name__)
    w = parameters
    xp = namespace(x_query, x_key_value, *w)
    expect_shape("x_query", x_query, ..., "query", "d_model")
    expect_shape("x_key_value", x_key_value, *x_query.shape[:-2], "key", "d_memory")
    expect_shape("w_query", w.w_query, x_query.shape[-1], "d_key")
    expect_shape("w_key", w.w_key, x_key_value.shape[-1], w.w_query.shape[1])
    expect_shape("w_value", w.w_value, x_key_value.shape[-1], "d_value")
    expect_shape("w_output", w.w_output, w.w_value.shape[1], "d_output")
    for name in ("query", "key", "value", "output"):
        weight, bias = getattr(w, f"w_{name}"), getattr(w, f"b_{name}")
        if bias is not None:
            expect_shape(f"b_{name}", bias, weight.shape[1])
    given = {"x_query": x_query, "x_key_value": x_key_value}
    given |= {name: x for name, x in w._asdict().items() if x is not None}
    expect_floats(xp, **given)
    expect_finite(xp, **given)
