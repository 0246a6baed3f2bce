"""Scores, weights, average: softmax(QKᵀ/√d)V.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
"""

import math

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Bool, Float

from inorder._arrays import (
    Array,
    expect,
    expect_finite,
    expect_floats,
    expect_mask_and_bias,
    expect_number,
    expect_shape,
    holds,
    in_float32,
    namespace,
    without_gradient,
)
from inorder.attention.torch_names import explains_torch_names


def softmax(x: Float[Array, "*shape"], *, axis: int = -1) -> Float[Array, "*shape"]:
    """softmax(x)ᵢ = exp(xᵢ) / Σⱼ exp(xⱼ) along one axis.

    The maximum is subtracted first: that changes nothing (shift invariance), and exp cannot overflow. An entry of −∞
    gets weight 0.

    Raises ValueError: NaN or +∞; nothing but −∞ along the axis (in attention: a fully masked row); an empty axis.

    >>> import numpy as np
    >>> softmax(np.array([0.0, np.log(2.0), -np.inf])).round(4)
    array([0.3333, 0.6667, 0.    ])
    """
    xp = namespace(x=x)
    expect_shape("x", x, ...)
    expect_floats(xp, x=x)
    expect(-x.ndim <= axis < x.ndim, f"an axis of the {x.ndim} that x has", axis)
    expect(x.shape[axis] > 0, f"at least one entry along axis {axis}", f"shape {tuple(x.shape)}")
    return _softmax(x, axis)


def _softmax(x: Array, axis: int = -1) -> Array:
    xp, dtype, x = array_namespace(x), x.dtype, in_float32(x)
    peak = without_gradient(xp.max(x, axis=axis, keepdims=True))  # a shift changes nothing, so it has no gradient
    expect_open_rows(peak, axis)
    numerator = xp.exp(x - peak)
    return xp.astype(numerator / xp.sum(numerator, axis=axis, keepdims=True), dtype, copy=False)


def attention_scores(
    query: Float[Array, "*batch query d_head"], key: Float[Array, "*batch key d_head"], *, scale: float | None = None
) -> Float[Array, "*batch query key"]:
    """S = scale · Q Kᵀ, where scale is 1/√d_head unless given. Source: [1], section 3.2.1.

    Raises ValueError: shapes that do not fit, an empty axis, NaN or ∞, a scale that is not a finite number.

    >>> import numpy as np
    >>> attention_scores(np.array([[2.0, 0.0]]), np.eye(2)).round(4)
    array([[1.4142, 0.    ]])
    """
    _expect_scores(query, key, scale)
    return _attention_scores(query, key, scale)


def _expect_scores(query: Array, key: Array, scale: float | None) -> None:
    xp = namespace(query=query, key=key)
    expect_shape("query", query, ..., "query", "d_head")
    expect_shape("key", key, *query.shape[:-2], "key", query.shape[-1], advice=_advice_on_heads(query, key))
    expect_floats(xp, query=query, key=key)
    expect_finite("query", query)
    expect_finite("key", key)
    if scale is not None:
        expect_number("scale", scale)


def _advice_on_heads(query: Array, key: Array) -> str:
    """For keys that several query heads share."""
    if not hasattr(key, "shape") or min(len(query.shape), len(key.shape)) < 3:
        return ""
    n_heads, n_key_heads = query.shape[-3], key.shape[-3]
    shared = 1 < n_key_heads < n_heads and n_heads % n_key_heads == 0
    return f"; for query heads that share a key, first repeat_heads(key, {n_heads})" if shared else ""


def _attention_scores(query: Array, key: Array, scale: float | None = None) -> Array:
    # (float: a NumPy float64 would turn float32 arrays into float64)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else float(scale)
    return scale * query @ key.mT  # (*batch, query, key)


@explains_torch_names
def attention_weights(
    query: Float[Array, "*batch query d_head"],
    key: Float[Array, "*batch key d_head"],
    *,
    mask: Bool[Array, "... query key"] | None = None,
    bias: Float[Array, "... query key"] | None = None,
    scale: float | None = None,
) -> Float[Array, "*batch query key"]:
    """A = softmax(scale · Q Kᵀ + bias), −∞ wherever mask is False. Every row sums to one. Source: [1], equation 1.

    mask: True = may attend (torch's attn_mask). bias: added to the scaled scores; −∞ is legal and masks.

    Raises ValueError: as `attention_scores`; a mask that is not boolean; NaN or +∞ in bias; a fully masked row.

    >>> from inorder.attention import causal_mask
    >>> import numpy as np
    >>> x = np.eye(3)
    >>> attention_weights(x, x, mask=causal_mask(3), scale=np.log(2.0)).round(4)
    array([[1.    , 0.    , 0.    ],
           [0.3333, 0.6667, 0.    ],
           [0.25  , 0.25  , 0.5   ]])
    """
    _expect_weights(query, key, mask, bias, scale)
    return _attention_weights(query, key, mask, bias, scale)


def _expect_weights(query: Array, key: Array, mask: Array | None, bias: Array | None, scale: float | None) -> None:
    _expect_scores(query, key, scale)
    expect_mask_and_bias(query, (*query.shape[:-1], key.shape[-2]), mask, bias)


def _attention_weights(
    query: Array, key: Array, mask: Array | None = None, bias: Array | None = None, scale: float | None = None
) -> Array:
    scores = _attention_scores(query, key, scale)  # (*batch, query, key)
    return _softmax(add_mask_and_bias(scores, mask, bias))


@explains_torch_names
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
    expect_attention(query, key, value, mask, bias, scale)
    return _scaled_dot_product_attention(query, key, value, mask, bias, scale)


def expect_attention(
    query: Array, key: Array, value: Array, mask: Array | None, bias: Array | None, scale: float | None
) -> None:
    _expect_weights(query, key, mask, bias, scale)
    xp = namespace(key=key, value=value)
    expect_shape("value", value, *key.shape[:-1], "d_value")
    expect_floats(xp, key=key, value=value)
    expect_finite("value", value)


def _scaled_dot_product_attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None = None,
    bias: Array | None = None,
    scale: float | None = None,
) -> Array:
    weights = _attention_weights(query, key, mask, bias, scale)  # (*batch, query, key)
    return weights @ value  # (*batch, query, d_value)


def add_mask_and_bias(scores: Array, mask: Array | None, bias: Array | None) -> Array:
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = array_namespace(scores).where(mask, scores, -math.inf)
    return scores


def expect_open_rows(peak: Array, axis: int, first_row: int = 0) -> None:
    """A row's maximum tells all: NaN and +inf reach it, and it is -inf only where everything is masked."""
    xp = array_namespace(peak)
    finite = xp.isfinite(peak)
    if not holds(xp.all(finite)):
        masked = not xp.any(xp.isnan(peak) | (peak == math.inf))
        rows = xp.squeeze(finite, axis=axis)
        *batch, row = (int(i) for i in np.argwhere(~np.asarray(rows.tolist()))[0]) if rows.ndim else (0,)
        where = f"row {', '.join(map(str, (*batch, row + first_row)))}"
        got = "a fully masked row (nothing but -inf)" if masked else "NaN or +inf (from the input, or by overflow)"
        raise ValueError(f"expected rows with a finite maximum, to take a softmax over, got {got}: {where}")
