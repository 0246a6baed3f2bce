"""The parts of a block that look at one row at a time: layer norm, feed-forward, residual.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Ba, Kiros and Hinton 2016, Layer Normalization, https://arxiv.org/abs/1607.06450
[3] Hendrycks and Gimpel 2016, Gaussian Error Linear Units (GELUs), https://arxiv.org/abs/1606.08415
[4] He et al. 2016, Deep Residual Learning for Image Recognition, https://arxiv.org/abs/1512.03385
"""

import math

import numpy as np
from array_api_compat import array_namespace
from jaxtyping import Float

from inorder._arrays import (
    Array,
    checked,
    expect,
    expect_choice,
    expect_floats,
    expect_not_negative,
    expect_number,
    expect_shape,
    holds,
    namespace,
    unchecked,
)
from inorder.attention import linear
from inorder.transformer.parameters import (
    ACTIVATIONS,
    FeedForwardParameters,
)


def _expect_layer_norm(x: Array, gain: Array | None = None, bias: Array | None = None, *, eps: float = 1e-5) -> None:
    given = {name: w for name, w in {"gain": gain, "bias": bias}.items() if w is not None}
    xp = namespace(x=x, **given)
    expect_shape("x", x, ..., "d_model")
    for name, w in given.items():
        expect_shape(name, w, x.shape[-1])
    expect_floats(xp, x=x, **given)
    expect_not_negative("eps", eps)
    if eps == 0:
        expect(holds(xp.all(xp.max(x, axis=-1) > xp.min(x, axis=-1))), "eps above 0 for a row of equal entries", eps)


def _expect_feed_forward(x: Array, parameters: FeedForwardParameters, *, activation: str = "gelu") -> None:
    expect(isinstance(parameters, FeedForwardParameters), "FeedForwardParameters", type(parameters).__name__)
    expect_choice("activation", activation, ACTIVATIONS)
    p = parameters
    given = {"x": x} | {name: w for name, w in p._asdict().items() if w is not None}
    xp = namespace(**given)
    expect_shape("x", x, ..., "d_model")
    expect_shape("w_in", p.w_in, x.shape[-1], "d_ff")
    expect_shape("w_out", p.w_out, p.w_in.shape[1], "d_model")
    for name, b, weight in (("b_in", p.b_in, p.w_in), ("b_out", p.b_out, p.w_out)):
        if b is not None:
            expect_shape(name, b, weight.shape[1])
    expect_floats(xp, **given)


def _expect_residual(x: Array, change: Array, *, weight: float = 1.0) -> None:
    xp = namespace(x=x, change=change)
    expect_shape("x", x, ...)
    expect_shape("change", change, *x.shape)
    expect_floats(xp, x=x, change=change)
    expect_number("weight", weight)


_linear = unchecked(linear)


@checked(_expect_layer_norm)
def layer_norm(
    x: Float[Array, "*batch d_model"],
    gain: Float[Array, " d_model"] | None = None,
    bias: Float[Array, " d_model"] | None = None,
    *,
    eps: float = 1e-5,
) -> Float[Array, "*batch d_model"]:
    """LN(x) = (x − mean) / √(variance + eps) · gain + bias, each row on its own.

    The variance is the biased one, Σ(x − mean)²/d_model, and eps stands inside the root. Source: [2], equation 4.

    Raises ValueError: gain or bias that are not of shape (d_model,), or of another dtype; a negative eps; eps = 0
    where all entries of a row are equal.

    >>> layer_norm(np.array([[1.0, 3.0], [10.0, 50.0]])).round(3)
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    xp = array_namespace(x)
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    variance = xp.mean(centred**2, axis=-1, keepdims=True)  # (*batch, 1)
    normal = centred / xp.sqrt(variance + float(eps))
    normal = normal if gain is None else normal * gain
    return normal if bias is None else normal + bias


@checked(lambda x: expect_floats(namespace(x=x), x=x))
def relu(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """ReLU(x) = max(0, x). Source: [1], equation 2. Raises ValueError: an x without floating-point numbers.

    >>> relu(np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    return array_namespace(x).where(x > 0, x, 0.0)


@checked(lambda x: expect_floats(namespace(x=x), x=x))
def gelu(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """GELU(x) = x Φ(x), where Φ(x) = (1 + erf(x/√2))/2 is the normal distribution: exact, no tanh stands in for it.

    Source: [3], section 2. Raises ValueError: an x without floating-point numbers.

    >>> gelu(np.array([-1.0, 0.0, 2.0])).round(4)
    array([-0.1587,  0.    ,  1.9545])
    """
    return x * (0.5 + 0.5 * _erf(x / math.sqrt(2)))


_ACTIVATIONS = {"gelu": unchecked(gelu), "relu": unchecked(relu)}


@checked(_expect_feed_forward)
def feed_forward(
    x: Float[Array, "*batch d_model"], parameters: FeedForwardParameters, *, activation: str = "gelu"
) -> Float[Array, "*batch d_model"]:
    """FFN(x) = activation(x W_in + b_in) W_out + b_out, each row on its own: no token sees another here.

    Source: [1], section 3.3 and equation 2, with ReLU.

    Raises ValueError: weights that fit neither x nor each other; an unknown activation.

    >>> w = FeedForwardParameters(w_in=np.array([[1.0, -1.0]]), w_out=np.array([[1.0], [1.0]]))
    >>> feed_forward(np.array([[-3.0], [2.0]]), w, activation="relu")
    array([[3.],
           [2.]])
    """
    p = parameters
    hidden = _ACTIVATIONS[activation](_linear(x, p.w_in, p.b_in))  # (*batch, d_ff)
    return _linear(hidden, p.w_out, p.b_out)  # (*batch, d_model)


@checked(_expect_residual)
def residual(
    x: Float[Array, "*shape"], change: Float[Array, "*shape"], *, weight: float = 1.0
) -> Float[Array, "*shape"]:
    """weight · x + change: a sublayer adds to the stream of rows and does not replace it. Source: [4], equation 1.

    Raises ValueError: x and change of unlike shapes or dtypes (nothing is broadcast here); a weight that is not a
    finite number.

    >>> residual(np.array([1.0, 2.0]), np.array([0.5, 0.0]))
    array([1.5, 2. ])
    """
    return float(weight) * x + change


def _erf(x: Array) -> Array:
    xp = array_namespace(x)
    if hasattr(xp, "erf"):
        return xp.erf(x)
    return np.fromiter(map(math.erf, x.ravel().tolist()), dtype=x.dtype, count=x.size).reshape(x.shape)
