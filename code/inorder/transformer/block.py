"""The block that all chapters use: attention and a feed-forward layer, each with a residual and a layer norm around it.

    pre-norm [2]     x ← x + f(LN(x))        post-norm [1]     x ← LN(x + f(x))

where f is self-attention, then cross-attention if the block has a memory to look at, then the feed-forward layer.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Xiong et al. 2020, On Layer Normalization in the Transformer Architecture, https://arxiv.org/abs/2002.04745
[3] Ba, Kiros and Hinton 2016, Layer Normalization, https://arxiv.org/abs/1607.06450
[4] Hendrycks and Gimpel 2016, Gaussian Error Linear Units (GELUs), https://arxiv.org/abs/1606.08415
[5] He et al. 2016, Deep Residual Learning for Image Recognition, https://arxiv.org/abs/1512.03385
"""

import math
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Integer

from inorder._arrays import Array, as_positions, expect, expect_floats, expect_shape, namespace
from inorder.attention import attention_weights, merge_heads, multi_head_attention, split_heads
from inorder.transformer.parameters import (
    ACTIVATIONS,
    BlockParameters,
    FeedForwardParameters,
    TransformerConfig,
    expect_parameters,
)
from inorder.transformer.schemes import Tables


def layer_norm(
    x: Float[Array, "*batch d_model"],
    scale: Float[Array, " d_model"] | None = None,
    shift: Float[Array, " d_model"] | None = None,
    *,
    eps: float = 1e-5,
) -> Float[Array, "*batch d_model"]:
    """LN(x) = (x − mean) / √(variance + eps) · scale + shift, each row on its own.

    The variance is the biased one, Σ(x − mean)²/d_model, and eps stands inside the root. Source: [3], equation 4.

    Raises ValueError: scale or shift that are not of shape (d_model,), or of another dtype; a negative eps; eps = 0
    where all entries of a row are equal.

    >>> layer_norm(np.array([[1.0, 3.0], [10.0, 50.0]])).round(3)
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    xp = namespace(x, scale, shift)
    expect_shape("x", x, ..., "d_model")
    given = {name: w for name, w in {"scale": scale, "shift": shift}.items() if w is not None}
    for name, w in given.items():
        expect_shape(name, w, x.shape[-1])
    expect_floats(xp, x=x, **given)
    expect(isinstance(eps, Real) and 0 <= eps < math.inf, "eps to be a number, 0 or more", repr(eps))
    centred = x - xp.mean(x, axis=-1, keepdims=True)
    variance = xp.mean(centred**2, axis=-1, keepdims=True)  # (*batch, 1)
    expect(eps > 0 or xp.all(variance > 0), "eps above 0 for a row of equal entries", eps)
    normal = centred / xp.sqrt(variance + float(eps))
    normal = normal if scale is None else normal * scale
    return normal if shift is None else normal + shift


def relu(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """ReLU(x) = max(0, x). Source: [1], equation 2. Raises ValueError: an x without floating-point numbers.

    >>> relu(np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    xp = namespace(x)
    expect_floats(xp, x=x)
    return xp.where(x > 0, x, 0.0)


def gelu(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """GELU(x) = x Φ(x), where Φ(x) = (1 + erf(x/√2))/2 is the normal distribution: exact, no tanh stands in for it.

    Source: [4], section 2. Raises ValueError: an x without floating-point numbers.

    >>> gelu(np.array([-1.0, 0.0, 2.0])).round(4)
    array([-0.1587,  0.    ,  1.9545])
    """
    xp = namespace(x)
    expect_floats(xp, x=x)
    return x * (0.5 + 0.5 * _erf(xp, x / math.sqrt(2)))


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
    expect(isinstance(parameters, FeedForwardParameters), "FeedForwardParameters", type(parameters).__name__)
    expect(activation in ACTIVATIONS, f"activation to be one of {', '.join(ACTIVATIONS)}", repr(activation))
    activate = {"gelu": gelu, "relu": relu}[activation]
    p = parameters
    hidden = activate(linear(x, p.w_in, p.b_in))  # (*batch, d_ff)
    return linear(hidden, p.w_out, p.b_out)  # (*batch, d_model)


def residual(
    x: Float[Array, "*shape"], change: Float[Array, "*shape"], *, weight: float = 1.0
) -> Float[Array, "*shape"]:
    """weight · x + change: a sublayer adds to the stream of rows and does not replace it. Source: [5], equation 1.

    Raises ValueError: x and change of unlike shapes or dtypes (nothing is broadcast here); a weight that is not a
    finite number.

    >>> residual(np.array([1.0, 2.0]), np.array([0.5, 0.0]))
    array([1.5, 2. ])
    """
    xp = namespace(x, change)
    expect_shape("change", change, *x.shape)
    expect_floats(xp, x=x, change=change)
    valid = isinstance(weight, Real) and math.isfinite(weight)
    expect(valid, "weight to be a finite number", repr(weight))
    return float(weight) * x + change


class KeyValueRows(NamedTuple):
    """The keys and values of tokens already seen, in one layer, and where those tokens stand.

    Together they are a set: reorder all three alike, and no later query can tell. The positions belong to it, because
    a scheme that biases the scores reads them anew for every query; keys are stored as they were rotated.
    """

    positions: Integer[Array, "key ..."]
    key: Float[Array, "*batch head key d_head"]
    value: Float[Array, "*batch head key d_head"]


class LayerState(NamedTuple):
    """What one block computed. In `rows`, tokens of earlier calls come before those of this one."""

    x: Float[Array, "*batch query d_model"]
    query: Float[Array, "*batch head query d_head"]  # rotated, if the position scheme rotates
    rows: KeyValueRows
    weights: Float[Array, "*batch head query key"]
    attended: Float[Array, "*batch query d_model"]  # what self-attention adds to the stream
    hidden: Float[Array, "*batch query d_model"]  # what leaves the block


def block(
    x: Float[Array, "*batch query d_model"],
    parameters: BlockParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "query ..."],
    tables: Tables | None = None,
    mask: Bool[Array, "... query key"] | None = None,
    past: KeyValueRows | None = None,
    memory: Float[Array, "*batch memory d_model"] | None = None,
) -> LayerState:
    """Self-attention, then cross-attention if there is a memory, then the feed-forward layer.

    The rows of `past` join the keys and values. `tables` are those of the position scheme, which acts in
    self-attention only. mask: True = may attend, as in `multi_head_attention`, over past and present keys.
    Source: [1], section 3.1 and figure 1; [2], figure 1, for the two places of the norm.

    Raises ValueError: parameters that do not fit the configuration; positions that are not integers, one for each row
    of x; past or memory that do not fit x; a memory without cross-attention in the configuration, or the reverse; and
    all that `attention_weights` raises.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1)
    >>> weights = init_parameters(config, np.random.default_rng(0)).blocks[0]
    >>> state = block(np.ones((3, 8)), weights, config, positions=np.arange(3))
    >>> state.weights.shape, state.hidden.shape
    ((2, 3, 3), (3, 8))
    """
    expect_parameters(parameters, BlockParameters, config, x=x)
    expect_parameters(tables or {}, dict, config, x=x)
    namespace(x, positions)
    expect_shape("x", x, ..., "query", config.d_model)
    positions = row_positions(positions)
    expect_shape("positions", positions, x.shape[-2], *positions.shape[1:])
    expect_memory(memory, x, config)
    p: Any = parameters  # whose parts are there or None as the configuration says
    w, scheme, tables = p.attention, config.scheme, tables or {}

    def norm(x: Array, weights: Any, place: str) -> Array:
        return layer_norm(x, *weights, eps=config.eps) if config.norm == place else x

    source = norm(x, p.norm_attention, "pre")  # (*batch, query, d_model)
    query = split_heads(linear(source, w.w_query, w.b_query), config.n_heads)  # (*batch, head, query, d_head)
    key = split_heads(linear(source, w.w_key, w.b_key), config.n_heads)
    value = split_heads(linear(source, w.w_value, w.b_value), config.n_heads)
    query = scheme.rotate(query, positions, tables)
    rows = KeyValueRows(positions, scheme.rotate(key, positions, tables), value)
    if past is not None:
        rows = append_rows(past, rows)  # keys and values are now (*batch, head, key, d_head)
    bias = scheme.bias(query, rows.key, positions, rows.positions, tables)  # (head, query, key)
    weights = attention_weights(query, rows.key, mask=mask, bias=bias)  # (*batch, head, query, key)
    attended = linear(merge_heads(weights @ rows.value), w.w_output, w.b_output)  # (*batch, query, d_model)
    hidden = norm(residual(x, attended, weight=config.residual), p.norm_attention, "post")

    if memory is not None:
        source = norm(hidden, p.norm_cross_attention, "pre")
        change = multi_head_attention(source, memory, p.cross_attention, config.n_heads)
        hidden = norm(residual(hidden, change, weight=config.residual), p.norm_cross_attention, "post")

    if p.feed_forward is not None:
        source = norm(hidden, p.norm_feed_forward, "pre")
        change = feed_forward(source, p.feed_forward, activation=config.activation)
        hidden = norm(residual(hidden, change, weight=config.residual), p.norm_feed_forward, "post")

    return LayerState(x, query, rows, weights, attended, hidden)


def append_rows(past: KeyValueRows, rows: KeyValueRows) -> KeyValueRows:
    """The rows of both, past ones first. Neither is changed.

    Raises ValueError: rows whose shape (but for their number), dtype or back end differ.

    >>> one = KeyValueRows(np.array([7]), key=np.zeros((2, 1, 4)), value=np.zeros((2, 1, 4)))
    >>> append_rows(one, one._replace(positions=np.array([8]))).positions
    array([7, 8])
    """
    expect(isinstance(past, KeyValueRows), "past to be KeyValueRows", type(past).__name__)
    xp = namespace(*past, *rows)
    expect_shape("the cached keys", past.key, *rows.key.shape[:-2], "key", rows.key.shape[-1])
    expect_shape("the cached values", past.value, *past.key.shape[:-1], rows.value.shape[-1])
    expect_shape("the cached positions", past.positions, past.key.shape[-2], *rows.positions.shape[1:])
    expect_floats(xp, key=rows.key, **{"the cached keys": past.key, "the cached values": past.value})
    return KeyValueRows(
        xp.concat([past.positions, rows.positions]),
        xp.concat([past.key, rows.key], axis=-2),
        xp.concat([past.value, rows.value], axis=-2),
    )


def linear(
    x: Float[Array, "*batch d_in"], weight: Float[Array, "d_in d_out"], bias: Float[Array, " d_out"] | None = None
) -> Float[Array, "*batch d_out"]:
    """x W + b, each row on its own. Raises ValueError: shapes or dtypes that do not fit.

    >>> linear(np.array([[1.0, 2.0]]), np.eye(2), np.array([0.0, 0.5]))
    array([[1. , 2.5]])
    """
    xp = namespace(x, weight, bias)
    expect_shape("x", x, ..., "d_in")
    expect_shape("weight", weight, x.shape[-1], "d_out")
    expect_floats(xp, x=x, weight=weight)
    if bias is None:
        return x @ weight
    expect_shape("bias", bias, weight.shape[-1])
    expect_floats(xp, x=x, bias=bias)
    return x @ weight + bias


def row_positions(positions: Array) -> Array:
    """Whole numbers, one for each row or two for each patch of an image; returned as int64."""
    namespace(positions)
    return as_positions("positions", positions, *([2] if len(positions.shape) == 2 else []))


def expect_memory(memory: Array | None, x: Array, config: TransformerConfig) -> None:
    """A memory if, and only if, the configuration has cross-attention."""
    wanted, got = ("a memory", "none") if config.cross_attention else ("no memory", "one")
    fits = config.cross_attention == (memory is not None)
    expect(fits, f"{wanted}, as cross_attention is {config.cross_attention} in the configuration", got)
    if memory is not None:
        expect_shape("memory", memory, *x.shape[:-2], "memory", config.d_model)
        expect_floats(namespace(x, memory), x=x, memory=memory)


def _erf(xp: Any, x: Array) -> Array:
    if hasattr(xp, "erf"):
        return xp.erf(x)
    return np.fromiter(map(math.erf, x.ravel().tolist()), dtype=x.dtype, count=x.size).reshape(x.shape)
