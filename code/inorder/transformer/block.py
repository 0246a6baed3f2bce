"""The block that all chapters use: attention and a feed-forward layer, each with a residual and a norm around it.

    pre-norm [2]     x ← x + f(norm(x))        post-norm [1]     x ← norm(x + f(x))

where f is self-attention, then cross-attention if the block has a memory to look at, then the feed-forward layer.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Xiong et al. 2020, On Layer Normalization in the Transformer Architecture, https://arxiv.org/abs/2002.04745
"""

from functools import partial
from typing import Any, NamedTuple

from array_api_compat import array_namespace
from jaxtyping import Bool, Float, Integer

from inorder._arrays import (
    Array,
    as_int64,
    as_positions,
    expect,
    expect_floats,
    expect_mask_and_bias,
    expect_shape,
    namespace,
    short_repr,
)
from inorder.attention.heads import _linear, _merge_heads, _multi_head_attention, _project_heads, _repeat_heads
from inorder.attention.scores import _attention_weights
from inorder.transformer.layers import _feed_forward, _rms_norm, normalise
from inorder.transformer.parameters import (
    BlockParameters,
    LayerNormParameters,
    TransformerConfig,
    expect_parameters,
)
from inorder.transformer.schemes import PositionTables, from_hook


class LayerCache(NamedTuple):
    """The keys and values of tokens already seen, in one layer, and where those tokens stand. Heads that share a key
    share its place here.

    Their order does not matter: reorder all three in the same way, and no later query can tell. The positions belong
    to them, because a scheme that biases the scores reads them for every query; keys are stored already rotated.
    """

    positions: Integer[Array, "..."]  # (key,), (key, 2) for patches, or (*batch, key)
    key: Float[Array, "*batch key_head key d_head"]
    value: Float[Array, "*batch key_head key d_head"]

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
        expect_mask_and_bias(like, (*batch, config.n_heads, n_query, n_key), mask, None)
    expected, got = ("a memory", "none") if config.cross_attention else ("no memory", "one")
    fits = config.cross_attention == (memory is not None)
    expect(fits, f"{expected}, as cross_attention is {config.cross_attention} in the configuration", got)
    if memory is not None:
        xp = namespace(like, memory=memory)
        expect_shape("memory", memory, *batch, "memory", config.d_model)
        expect_floats(xp, x=like, memory=memory)


def expect_positions(positions: Array, n: int, shape: tuple[int, ...] = (), *, in_2d: bool = True) -> None:
    """Whole numbers, one for each of n tokens, or two for each patch of an image; or of this shape, for each text."""
    namespace(positions=positions)
    if len(shape) > 1 and tuple(positions.shape) == shape:
        as_positions("positions of each text", positions.reshape(-1), negative=False)
        return
    own = f" (or ({n}, 2), for patches)" * in_2d + f", or {shape}, those of each text" * (len(shape) > 1)
    fits = tuple(positions.shape) == (n,) or (in_2d and tuple(positions.shape) == (n, 2))
    expected = f"positions of shape ({n},), one for each token and the same for all sequences{own}"
    expect(fits, expected, tuple(positions.shape))
    as_positions("positions", positions, *positions.shape[1:])


# The block


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

    Raises ValueError: parameters that do not fit the configuration; positions that are not integers, one for each row
    of x; past or memory that do not fit x; a memory without cross-attention in the configuration, or the reverse; and
    all that `attention_weights` raises.

    >>> import numpy as np
    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1)
    >>> weights = init_parameters(config, np.random.default_rng(0)).blocks[0]
    >>> state = block(np.ones((3, 8)), weights, config, positions=np.arange(3))
    >>> state.weights.shape, state.hidden.shape
    ((2, 3, 3), (3, 8))
    """
    expect_parameters(parameters, BlockParameters, config, x=x)
    expect_parameters(tables or {}, dict, config, x=x)
    expect_shape("x", x, ..., "query", config.d_model)
    expect_positions(positions, x.shape[-2])
    expect_context(x, x.shape[:-1], config, mask, () if past is None else (past,), memory)
    return _block(x, parameters, config, positions, tables or {}, mask, past, memory)


def _block(
    x: Array,
    p: Any,  # BlockParameters, whose parts are there or None as the configuration says
    config: TransformerConfig,
    positions: Array,
    tables: PositionTables,
    mask: Array | None = None,
    past: LayerCache | None = None,
    memory: Array | None = None,
) -> LayerState:
    pre, post = (partial(_normalise_if, config.norm == place, config) for place in ("pre", "post"))
    skip = float(config.residual)  # 1, unless the residual is weakened or taken away

    query, cache, weights, attended = _self_attend(pre(p.norm_attention, x), p, config, positions, tables, mask, past)
    hidden = post(p.norm_attention, skip * x + attended)

    if memory is not None:
        rows = pre(p.norm_cross_attention, hidden)
        change = _multi_head_attention(rows, memory, p.cross_attention, config.n_heads, config.n_key_heads)
        hidden = post(p.norm_cross_attention, skip * hidden + change)

    if p.feed_forward is not None:
        change = _feed_forward(pre(p.norm_feed_forward, hidden), p.feed_forward, config.activation)
        hidden = post(p.norm_feed_forward, skip * hidden + change)

    return LayerState(x, query, cache, weights, attended, hidden)


def _normalise_if(here: bool, config: TransformerConfig, norm: LayerNormParameters | None, x: Array) -> Array:
    """Pre-norm x + f(norm(x)), post-norm norm(x + f(x)), or no norm: x stays as it is where the norm isn't here."""
    return x if norm is None or not here else normalise(x, norm, config)


def _self_attend(
    x: Array,
    p: Any,
    config: TransformerConfig,
    positions: Array,
    tables: PositionTables,
    mask: Array | None,
    past: LayerCache | None,
) -> tuple[Array, LayerCache, Array, Array]:
    """Query, cache, weights and attended of a `LayerState`: with a position scheme, and what earlier calls cached."""
    w, scheme, positions, n_heads = p.attention, config.scheme, as_int64(positions), config.n_heads
    query, key, value = _project_heads(x, x, w, n_heads, config.n_key_heads)
    if config.query_key_norm:
        query, key = (_rms_norm(query, p.norm_query.gain, config.eps), _rms_norm(key, p.norm_key.gain, config.eps))
    query, key = (
        from_hook(scheme, "rotate", scheme.rotate(each, positions, tables), each, *each.shape) for each in (query, key)
    )
    cache = LayerCache(positions, key, value)
    if past is not None:
        cache = _extend_cache(past, cache)
    key, value = _repeat_heads(cache.key, n_heads), _repeat_heads(cache.value, n_heads)  # (*batch, head, key, d_head)
    bias = scheme.bias(query, key, positions, cache.positions, tables)  # (head, query, key)
    if bias is not None:
        expect_mask_and_bias(query, (*query.shape[:-1], key.shape[-2]), None, bias)
    weights = _attention_weights(query, key, mask, bias)  # (*batch, head, query, key)
    attended = _linear(_merge_heads(weights @ value), w.w_output, w.b_output)  # (*batch, query, d_model)
    return query, cache, weights, attended


def _extend_cache(past: LayerCache, new: LayerCache) -> LayerCache:
    xp = array_namespace(new.key)
    return LayerCache(
        xp.concat([past.positions, new.positions]),
        xp.concat([past.key, new.key], axis=-2),
        xp.concat([past.value, new.value], axis=-2),
    )
