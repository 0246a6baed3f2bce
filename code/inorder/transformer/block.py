"""The block that all chapters use: attention and a feed-forward layer, each with a residual and a norm around it.

    pre-norm [2]     x ← x + f(norm(x))        post-norm [1]     x ← norm(x + f(x))

where f is self-attention, then cross-attention if the block has a memory to look at, then the feed-forward layer.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Xiong et al. 2020, On Layer Normalization in the Transformer Architecture, https://arxiv.org/abs/2002.04745
"""

from typing import NamedTuple

from array_api_compat import array_namespace
from jaxtyping import Bool, Float, Integer

from inorder._arrays import (
    Array,
    as_int64,
    expect,
    expect_broadcast,
    expect_floats,
    expect_no_plus_infinity,
    expect_shape,
    namespace,
    not_negative,
    short_repr,
)
from inorder._checked import expects
from inorder.attention.heads import linear, merge_heads, multi_head_attention, project_heads, repeat_heads
from inorder.attention.scores import attention_weights
from inorder.transformer.layers import feed_forward, normalise, rms_norm
from inorder.transformer.parameters import BlockParameters, TransformerConfig, expect_parameters
from inorder.transformer.schemes import PositionTables, from_hook


class LayerCache(NamedTuple):
    """The keys and values of tokens already seen, in one layer, and where those tokens stand. Heads that share a key
    share its place here.

    Their order does not matter: reorder all three in the same way, and no later query can tell. The positions belong
    to them, because a scheme that biases the scores reads them for every query; keys are stored already rotated.
    """

    positions: Integer[Array, "..."]  # (past,), (past, 2) for patches, or (*batch, past)
    key: Float[Array, "*batch key_head past d_head"]
    value: Float[Array, "*batch key_head past d_head"]

    def __repr__(self) -> str:
        return short_repr(self)


class LayerState(NamedTuple):
    """What one block computed. In `cache`, tokens of earlier calls come before those of this one."""

    x: Float[Array, "*batch query d_model"]
    query: Float[Array, "*batch head query d_head"]  # rotated, if the position scheme rotates
    cache: LayerCache
    weights: Float[Array, "*batch head query key"]
    attended: Float[Array, "*batch query d_model"]  # what self-attention adds to the stream
    hidden: Float[Array, "*batch query d_model"]  # what leaves the block

    def __repr__(self) -> str:
        return short_repr(self)


# What the input must be


def expect_context(
    like: Array,
    shape: tuple[int, ...],
    config: TransformerConfig,
    mask: Array | None,
    past: tuple[LayerCache, ...],
    memory: Array | None,
) -> None:
    """What tokens of this shape, (*batch, query), may look at; all of the back end and dtype of `like`."""
    *batch, n_query = shape
    n_key, d_head, n_key_heads = n_query, config.head_width, config.n_key_heads or config.n_heads
    for layer in past:
        expect(isinstance(layer, LayerCache), "past to be a LayerCache", type(layer).__name__)
        xp = namespace(like, past_positions=layer.positions, past_key=layer.key, past_value=layer.value)
        expect_shape("past_key", layer.key, *batch, n_key_heads, "key", d_head)
        expect_shape("past_value", layer.value, *layer.key.shape)
        if tuple(layer.positions.shape) != (*batch, layer.key.shape[-2]):  # those of each text
            expect_shape("past_positions", layer.positions, layer.key.shape[-2], *layer.positions.shape[1:])
        expect_floats(xp, x=like, past_key=layer.key, past_value=layer.value)
        n_key = n_query + layer.key.shape[-2]
    if mask is not None:
        expect_broadcast("mask", mask, (*batch, config.n_heads, n_query, n_key))
    expected, got = ("a memory", "none") if config.cross_attention else ("no memory", "one")
    fits = config.cross_attention == (memory is not None)
    expect(fits, f"{expected}, as cross_attention is {config.cross_attention} in the configuration", got)
    if memory is not None:
        xp = namespace(like, memory=memory)
        expect_shape("memory", memory, *batch, "memory", config.d_model)
        expect_floats(xp, x=like, memory=memory)


def expect_positions(positions: Array, n: int, shape: tuple[int, ...] = (), *, in_2d: bool = True) -> None:
    """Whole numbers, one for each of n tokens, or two for each patch of an image; or of this shape, for each text."""
    if len(shape) > 1 and tuple(positions.shape) == shape:
        not_negative("positions of each text", positions)
        return
    own = f" (or ({n}, 2), for patches)" * in_2d + f", or {shape}, those of each text" * (len(shape) > 1)
    fits = tuple(positions.shape) == (n,) or (in_2d and tuple(positions.shape) == (n, 2))
    expected = f"positions of shape ({n},), one for each token and the same for all sequences{own}"
    expect(fits, expected, tuple(positions.shape))


# The block


def _expect_block(
    x: Array,
    parameters: BlockParameters,
    config: TransformerConfig,
    positions: Array,
    tables: PositionTables | None,
    mask: Array | None,
    past: LayerCache | None,
    memory: Array | None,
) -> None:
    expect_parameters(parameters, BlockParameters, config, x=x)
    expect_parameters(tables or {}, dict, config, x=x)
    expect_shape("x", x, ..., "query", config.d_model)
    expect_positions(positions, x.shape[-2])
    expect_context(x, x.shape[:-1], config, mask, () if past is None else (past,), memory)


@expects(_expect_block)
def block(
    x: Float[Array, "*batch query d_model"],
    parameters: BlockParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "query ..."],
    tables: PositionTables | None = None,
    mask: Bool[Array, "... query key"] | None = None,
    past: LayerCache | None = None,
    memory: Float[Array, "*batch memory d_model"] | None = None,
) -> LayerState:
    """Self-attention, then cross-attention if there is a memory, then the feed-forward layer, each added to x.

    The keys and values of `past` come before those of x. `tables` are those of the position scheme, which acts in
    self-attention only. mask: True = may attend, as in `multi_head_attention`, over past and present keys.
    Source: [1], section 3.1 and figure 1; [2], figure 1, for the two places of the norm.

    Raises ValueError: parameters that do not fit the configuration; positions that are not one for each row of x; past
    or memory that do not fit x; a memory without cross-attention in the configuration, or the reverse; and all that
    `attention_weights` raises.

    >>> import numpy as np
    >>> from inorder.transformer import fresh_model
    >>> parameters, config = fresh_model(0)
    >>> state = block(np.ones((3, 32)), parameters.blocks[0], config, positions=np.arange(3))
    >>> state.weights.shape, state.hidden.shape
    ((4, 3, 3), (3, 32))
    """
    p, skip, tables = parameters, float(config.residual), tables or {}  # (skip is 1, unless the residual is weakened)

    rows = normalise(x, p.norm_attention, config, "pre")
    query, cache, weights, attended = _self_attend(rows, p, config, positions, tables, mask, past)
    hidden = normalise(skip * x + attended, p.norm_attention, config, "post")

    if memory is not None and p.cross_attention is not None:
        rows, heads = normalise(hidden, p.norm_cross_attention, config, "pre"), config.n_key_heads
        found = multi_head_attention(rows, memory, p.cross_attention, config.n_heads, n_key_heads=heads)
        hidden = normalise(skip * hidden + found, p.norm_cross_attention, config, "post")

    if p.feed_forward is not None:
        rows = normalise(hidden, p.norm_feed_forward, config, "pre")
        change = feed_forward(rows, p.feed_forward, activation=config.activation)
        hidden = normalise(skip * hidden + change, p.norm_feed_forward, config, "post")

    return LayerState(x, query, cache, weights, attended, hidden)


def _self_attend(
    x: Array,
    p: BlockParameters,
    config: TransformerConfig,
    positions: Array,
    tables: PositionTables,
    mask: Array | None,
    past: LayerCache | None,
) -> tuple[Array, LayerCache, Array, Array]:
    """Self-attention with a position scheme, over what earlier calls cached too: the fields of `LayerState` after x."""
    w, scheme, positions, n_heads = p.attention, config.scheme, as_int64(positions), config.n_heads
    query, key, value = project_heads(x, x, w, n_heads, n_key_heads=config.n_key_heads)
    if p.norm_query is not None and p.norm_key is not None:
        query, key = (
            rms_norm(query, p.norm_query.gain, eps=config.eps),
            rms_norm(key, p.norm_key.gain, eps=config.eps),
        )
    query, key = (
        from_hook(scheme, "rotate", scheme.rotate(each, positions, tables), each, *each.shape) for each in (query, key)
    )
    cache = LayerCache(positions, key, value)
    if past is not None:
        cache = _extend_cache(past, cache)
    key, value = repeat_heads(cache.key, n_heads), repeat_heads(cache.value, n_heads)  # (*batch, head, key, d_head)
    bias = scheme.bias(query, key, positions, cache.positions, tables)  # (head, query, key)
    if bias is not None:
        _expect_bias(query, (*query.shape[:-1], key.shape[-2]), bias)
    weights = attention_weights(query, key, mask=mask, bias=bias)  # (*batch, head, query, key)
    return query, cache, weights, linear(merge_heads(weights @ value), w.w_output, w.b_output)


def _expect_bias(query: Array, shape: tuple[int, ...], bias: Array) -> None:
    """Of a scheme, which may be anyone's."""
    expect_broadcast("bias", bias, shape)
    expect_floats(namespace(query, bias=bias), query=query, bias=bias)
    expect_no_plus_infinity("bias", bias)


def _extend_cache(past: LayerCache, new: LayerCache) -> LayerCache:
    xp = array_namespace(new.key)
    return LayerCache(
        xp.concat([past.positions, new.positions]),
        xp.concat([past.key, new.key], axis=-2),
        xp.concat([past.value, new.value], axis=-2),
    )
