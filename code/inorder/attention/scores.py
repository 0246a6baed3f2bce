"""Scores, weights, average: softmax(QKᵀ/√d)V.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
"""

import math

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Bool, Float

from inorder._arrays import Array, expect, expect_number, holds, in_float32, without_gradient
from inorder._checked import expects


def _expect_axis(x: Array, axis: int) -> None:
    expect(-x.ndim <= axis < x.ndim, f"an axis of the {x.ndim} that x has", axis)
    expect(x.shape[axis] > 0, f"at least one entry along axis {axis}", f"shape {tuple(x.shape)}")


@expects(_expect_axis, minus_infinity="x")
def softmax(x: Float[Array, "*shape"], *, axis: int = -1) -> Float[Array, "*shape"]:
    """softmax(x)ᵢ = exp(xᵢ) / Σⱼ exp(xⱼ) along one axis.

    The maximum is subtracted first: that changes nothing (shift invariance), and exp cannot overflow. An entry of −∞
    gets weight 0.

    Raises ValueError: nothing but −∞ along the axis (in attention: a fully masked row); an empty axis.

    >>> import numpy as np
    >>> softmax(np.array([0.0, np.log(2.0), -np.inf])).round(4)
    array([0.3333, 0.6667, 0.    ])
    """
    xp, dtype, x = array_namespace(x), x.dtype, in_float32(x)
    peak = without_gradient(xp.max(x, axis=axis, keepdims=True))  # a shift changes nothing, so it has no gradient
    expect_open_rows(peak, axis)
    numerator = xp.exp(x - peak)
    return xp.astype(numerator / xp.sum(numerator, axis=axis, keepdims=True), dtype, copy=False)


def _expect_scale(scale: float | None) -> None:
    if scale is not None:
        expect_number("scale", scale)


@expects(_expect_scale)
def attention_scores(
    query: Float[Array, "*batch query d_head"], key: Float[Array, "*batch key d_head"], *, scale: float | None = None
) -> Float[Array, "*batch query key"]:
    """S = scale · Q Kᵀ, where scale is 1/√d_head unless given. Source: [1], section 3.2.1.

    Raises ValueError: a scale that is not a finite number.

    >>> import numpy as np
    >>> attention_scores(np.array([[2.0, 0.0]]), np.eye(2)).round(4)
    array([[1.4142, 0.    ]])
    """
    # (float: a NumPy float64 would turn float32 arrays into float64)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else float(scale)
    return scale * query @ key.mT  # (*batch, query, key)


@expects(_expect_scale, minus_infinity="bias")
def attention_weights(
    query: Float[Array, "*batch query d_head"],
    key: Float[Array, "*batch key d_head"],
    *,
    mask: Bool[Array, "*#batch query key"] | None = None,
    bias: Float[Array, "*#batch query key"] | None = None,
    scale: float | None = None,
) -> Float[Array, "*batch query key"]:
    """A = softmax(scale · Q Kᵀ + bias), −∞ wherever mask is False. Every row sums to one. Source: [1], equation 1.

    mask: True = may attend (torch's attn_mask). bias: added to the scaled scores; −∞ is legal and masks.

    Raises ValueError: as `attention_scores`; a fully masked row.

    >>> from inorder.attention import causal_mask
    >>> import numpy as np
    >>> x = np.eye(3)
    >>> attention_weights(x, x, mask=causal_mask(3), scale=np.log(2.0)).round(4)
    array([[1.    , 0.    , 0.    ],
           [0.3333, 0.6667, 0.    ],
           [0.25  , 0.25  , 0.5   ]])
    """
    scores = attention_scores(query, key, scale=scale)  # (*batch, query, key)
    return softmax(add_mask_and_bias(scores, mask, bias))


@expects(_expect_scale, minus_infinity="bias")
def scaled_dot_product_attention(
    query: Float[Array, "*batch query d_head"],
    key: Float[Array, "*batch key d_head"],
    value: Float[Array, "*batch key d_value"],
    *,
    mask: Bool[Array, "*#batch query key"] | None = None,
    bias: Float[Array, "*#batch query key"] | None = None,
    scale: float | None = None,
) -> Float[Array, "*batch query d_value"]:
    """softmax(scale · Q Kᵀ + bias) V: each output row is a weighted average of the rows of V. Source: [1], equation 1.

    mask, bias, scale and errors: as `attention_weights`.

    >>> import numpy as np
    >>> query, key = np.zeros((1, 4)), np.ones((2, 4))
    >>> scaled_dot_product_attention(query, key, value=np.array([[0.0, 2.0, 4.0], [6.0, 6.0, 6.0]]))
    array([[3., 4., 5.]])
    """
    weights = attention_weights(query, key, mask=mask, bias=bias, scale=scale)  # (*batch, query, key)
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
