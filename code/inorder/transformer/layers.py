"""The parts of a block that look at one row at a time: norm and feed-forward.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Ba, Kiros and Hinton 2016, Layer Normalization, https://arxiv.org/abs/1607.06450
[3] Hendrycks and Gimpel 2016, Gaussian Error Linear Units (GELUs), https://arxiv.org/abs/1606.08415
[4] Zhang and Sennrich 2019, Root Mean Square Layer Normalization, https://arxiv.org/abs/1910.07467
[5] Shazeer 2020, GLU Variants Improve Transformer, https://arxiv.org/abs/2002.05202
"""

import math

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Float

from inorder._arrays import (
    Array,
    expect,
    expect_choice,
    expect_not_negative,
    holds,
    in_float32,
)
from inorder._checked import expects
from inorder.attention.heads import linear
from inorder.transformer.parameters import (
    ACTIVATIONS,
    FeedForwardParameters,
    LayerNormParameters,
    TransformerConfig,
)


def _expect_variance(x: Array, eps: float) -> None:
    expect_not_negative("eps", eps)
    xp = array_namespace(x)
    varies = eps > 0 or holds(xp.all(xp.max(x, axis=-1) > xp.min(x, axis=-1)))
    expect(varies, "eps above 0 for a row of equal entries", eps)


@expects(_expect_variance)
def layer_norm(
    x: Float[Array, "*batch d_model"],
    gain: Float[Array, " d_model"] | None = None,
    bias: Float[Array, " d_model"] | None = None,
    *,
    eps: float = 1e-5,
) -> Float[Array, "*batch d_model"]:
    """LN(x) = (x − mean) / √(variance + eps) · gain + bias, each row on its own.

    The variance is the biased one, Σ(x − mean)²/d_model, and eps stands inside the root. Source: [2], equation 4.

    Raises ValueError: a negative eps; eps = 0 where all entries of a row are equal.

    >>> layer_norm(np.array([[1.0, 3.0], [10.0, 50.0]])).round(3)
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    xp, dtype, x = array_namespace(x), x.dtype, in_float32(x)
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    variance = xp.mean(centred**2, axis=-1, keepdims=True)  # (*batch, 1)
    normal = xp.astype(centred / xp.sqrt(variance + float(eps)), dtype, copy=False)
    normal = normal if gain is None else normal * gain
    return normal if bias is None else normal + bias


def _expect_size(x: Array, eps: float) -> None:
    expect_not_negative("eps", eps)
    expect(eps > 0 or holds((x != 0).any(-1).all()), "eps above 0 for a row of zeros", eps)


@expects(_expect_size)
def rms_norm(
    x: Float[Array, "*batch d_model"], gain: Float[Array, " d_model"] | None = None, *, eps: float = 1e-5
) -> Float[Array, "*batch d_model"]:
    """RMS(x) = x / √(mean of x² + eps) · gain, each row on its own: layer norm without the mean and without the bias.

    Source: [4], equation 4.

    Raises ValueError: a negative eps; eps = 0 where all entries of a row are 0.

    >>> rms_norm(np.array([[1.0, 7.0], [-10.0, -70.0]])).round(3)
    array([[ 0.2,  1.4],
           [-0.2, -1.4]])
    """
    xp, dtype, x = array_namespace(x), x.dtype, in_float32(x)
    normal = xp.astype(x / xp.sqrt(xp.mean(x**2, axis=-1, keepdims=True) + float(eps)), dtype, copy=False)
    return normal if gain is None else normal * gain


def normalise(x: Array, norm: LayerNormParameters | None, config: TransformerConfig, place: str | None = None) -> Array:
    """The norm that the configuration asks for; where it belongs to another place, or there is none, x as it is."""
    if norm is None or (place is not None and config.norm != place):
        return x
    rms = config.norm_kind == "rms"
    return rms_norm(x, norm.gain, eps=config.eps) if rms else layer_norm(x, norm.gain, norm.bias, eps=config.eps)


def relu(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """ReLU(x) = max(0, x). Source: [1], equation 2.

    >>> relu(np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    return array_namespace(x).where(x > 0, x, 0.0)


def gelu(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """GELU(x) = x Φ(x), where Φ(x) = (1 + erf(x/√2))/2 is the normal distribution: exact, not approximated by tanh.

    Source: [3], section 2.

    >>> gelu(np.array([-1.0, 0.0, 2.0])).round(4)
    array([-0.1587,  0.    ,  1.9545])
    """
    return x * (0.5 + 0.5 * _erf(x / math.sqrt(2)))


def gelu_tanh(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """GELU(x) ≈ x (1 + tanh(√(2/π) (x + 0.044715 x³)))/2, the form that GPT-2 was trained with.

    Source: [3], section 2.

    >>> gelu_tanh(np.array([-1.0, 0.0, 2.0])).round(4)
    array([-0.1588,  0.    ,  1.9546])
    """
    return x * (0.5 + 0.5 * array_namespace(x).tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def silu(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """SiLU(x) = x σ(x), where σ(x) = 1/(1 + e⁻ˣ); also called Swish. Computed as x (1 + tanh(x/2))/2, which is the same
    and cannot overflow.

    Source: [3], section 2; [5], equation 3.

    >>> silu(np.array([-1.0, 0.0, 2.0])).round(4)
    array([-0.2689,  0.    ,  1.7616])
    """
    return x * (0.5 + 0.5 * array_namespace(x).tanh(x / 2))


_ACTIVATIONS = dict(zip(ACTIVATIONS, (gelu, gelu_tanh, relu, silu), strict=True))


def expect_feed_forward(parameters: FeedForwardParameters, activation: str) -> None:
    expect_choice("activation", activation, ACTIVATIONS)
    alone = parameters.w_gate is None and parameters.b_gate is not None
    expect(not alone, "b_gate beside a w_gate", "it alone")


@expects(expect_feed_forward)
def feed_forward(
    x: Float[Array, "*batch d_model"], parameters: FeedForwardParameters, *, activation: str = "gelu"
) -> Float[Array, "*batch d_model"]:
    """FFN(x) = activation(x W_in + b_in) W_out + b_out, each row on its own: no token sees another here.

    With a w_gate it is FFN(x) = (activation(x W_gate + b_gate) · (x W_in + b_in)) W_out + b_out: the product, entry by
    entry, of two projections, one of which goes through the activation.
    Source: [1], section 3.3 and equation 2, with ReLU; [5], equation 6 (SwiGLU), with SiLU.

    Raises ValueError: a b_gate without a w_gate; an unknown activation.

    >>> w = FeedForwardParameters(w_in=np.array([[1.0, -1.0]]), w_out=np.array([[1.0], [1.0]]))
    >>> feed_forward(np.array([[-3.0], [2.0]]), w, activation="relu")
    array([[3.],
           [2.]])
    """
    p = parameters
    activate = _ACTIVATIONS[activation]
    hidden = linear(x, p.w_in, p.b_in)  # (*batch, d_ff)
    hidden = activate(hidden) if p.w_gate is None else activate(linear(x, p.w_gate, p.b_gate)) * hidden
    return linear(hidden, p.w_out, p.b_out)  # (*batch, d_model)


def _erf(x: Array) -> Array:
    xp = array_namespace(x)
    if hasattr(xp, "erf"):
        return xp.erf(x)
    return np.fromiter(map(math.erf, x.ravel().tolist()), dtype=x.dtype, count=x.size).reshape(x.shape)
