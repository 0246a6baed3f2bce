"""Tokens in, hidden states or logits out: the encoder, and the causal decoder with its cache.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Shazeer 2019, Fast Transformer Decoding (the incremental form, section 2.4), https://arxiv.org/abs/1911.02150
"""

from collections.abc import Iterator
from operator import itemgetter
from typing import Any, NamedTuple

from array_api_compat import array_namespace
from array_api_compat import device as array_device
from jaxtyping import Bool, Float, Integer

from inorder._arrays import (
    Array,
    as_int64,
    expect,
    expect_finite,
    expect_floats,
    expect_shape,
    holds,
    namespace,
    short_repr,
)
from inorder._checked import expects
from inorder.attention.heads import linear
from inorder.attention.masks import causal_mask
from inorder.transformer.block import LayerCache, LayerState, block, expect_context, expect_positions
from inorder.transformer.layers import normalise
from inorder.transformer.parameters import TransformerConfig, TransformerParameters, expect_parameters
from inorder.transformer.schemes import from_hook
from inorder.transformer.trees import flatten_parameters, map_parameters


class KeyValueCache(NamedTuple):
    """What a decoder keeps of the tokens it has seen: for each layer their positions, keys and values.

    Immutable: `decode` returns a new one and leaves the old one as it was, so that two continuations can share it.
    """

    layers: tuple[LayerCache, ...]
    seen: Bool[Array, "*batch head key"] | None = None  # by its last token, if there was a mask

    def __repr__(self) -> str:
        return short_repr(self)


# What the input must be


def expect_tokens(
    tokens: Array, parameters: TransformerParameters, config: TransformerConfig, positions: Array
) -> None:
    """A whole model, and tokens for it."""
    expect_parameters(parameters, TransformerParameters, config)
    xp = namespace(parameters.embedding, tokens=tokens)
    if xp.isdtype(tokens.dtype, "real floating"):
        expect_shape("tokens", tokens, ..., "position", parameters.embedding.shape[-1])
        expect_floats(xp, embedding=parameters.embedding, tokens=tokens)
        shape = tuple(tokens.shape[:-1])
    else:
        expect_token_ids("tokens", tokens, config)
        shape = tuple(tokens.shape)
    is_rows = len(tokens.shape) > len(shape)
    expect_positions(positions, shape[-1], shape, in_2d=is_rows)
    clear = tuple(positions.shape) != shape or shape != (2, 2) or not (is_rows and config.scheme.in_2d)
    got = "shape (2, 2), which may be either: give texts one by one"
    expect(clear, "positions of two texts, or of two patches", got)


def expect_call(
    tokens: Array,
    parameters: TransformerParameters,
    config: TransformerConfig,
    positions: Array,
    mask: Array | None = None,
    cache: KeyValueCache | None = None,
    memory: Array | None = None,
) -> None:
    expect_tokens(tokens, parameters, config, positions)
    shape = _text_shape(tokens)
    if cache is not None:
        expect(len(cache.layers) == config.n_layers, f"a cache of {config.n_layers} layers", len(cache.layers))
    expect_context(parameters.embedding, shape, config, mask, () if cache is None else cache.layers, memory)
    if cache is not None and cache.seen is not None:
        expect_shape("seen of the cache", cache.seen, *shape[:-1], config.n_heads, cache.layers[0].key.shape[-2])
    if mask is None and len(shape) > 1 and tuple(positions.shape) == shape:  # of each text
        expected = "positions that grow along each text, or a mask that says what is padding (padding_mask)"
        expect(holds((positions[..., 1:] > positions[..., :-1]).all()), expected, positions)


def expect_token_ids(name: str, tokens: Array, config: TransformerConfig) -> None:
    xp = array_namespace(tokens)
    expect(0 not in tokens.shape, f"{name} with no empty axis", tuple(tokens.shape))
    lowest, highest, size = xp.min(tokens), xp.max(tokens), config.vocabulary_size
    if not holds(lowest >= 0):
        raise ValueError(f"expected {name} of 0 or more, got {int(lowest)}")
    if not holds(highest < size):
        raise ValueError(f"expected {name} below vocabulary_size = {size}, got {int(highest)}")


# The model


@expects(expect_tokens)
def embed(
    tokens: Integer[Array, "*batch position"] | Float[Array, "*batch position d_token"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "..."],
) -> Float[Array, "*batch position d_model"]:
    """The rows that enter the first block: the tokens' vectors, and their positions if the scheme writes them there.

    tokens are whole numbers below vocabulary_size; or rows of numbers, d_token wide, that stand in for the vectors
    looked up (the patches of an image, an input to differentiate by). Source: [1], sections 3.4 and 3.5.

    Raises ValueError: tokens out of range; positions that are not one for each token (or two for each patch), or that
    the scheme cannot take; parameters that do not fit the configuration.

    >>> import numpy as np
    >>> from inorder.transformer import fresh_model
    >>> parameters, config = fresh_model(0, position="learned")
    >>> x = embed(np.array([[4, 0, 4], [1, 1, 2]]), parameters, config, positions=np.array([7, 8, 9]))
    >>> bool((x[0, 2] == parameters.embedding[4] + parameters.position["rows"][9]).all())
    True
    """
    xp = array_namespace(tokens)
    if _by_text(tokens, positions, _text_shape(tokens)[-1]):
        return xp.stack(
            [embed(one, parameters, config, positions=own) for one, own in zip(tokens, positions, strict=True)]
        )
    ids = not xp.isdtype(tokens.dtype, "real floating")
    x = parameters.embedding[as_int64(tokens)] if ids else tokens  # (*batch, position, d_token)
    scheme, positions = config.scheme, as_int64(positions)
    embedded = scheme.embed(x, positions, parameters.position)
    x = from_hook(scheme, "embed", embedded, x, *x.shape[:-1], config.d_model)  # (*batch, position, d_model)
    norm = parameters.norm_embedding
    return x if norm is None else normalise(x, norm, config)


@expects(expect_call)
def layer_states(
    tokens: Integer[Array, "*batch position"] | Float[Array, "*batch position d_token"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "..."],
    mask: Bool[Array, "... position key"] | None = None,
    cache: KeyValueCache | None = None,
    memory: Float[Array, "*batch memory d_model"] | None = None,
) -> Iterator[LayerState]:
    """What each block computes, one after the other; `decode` runs through it.

    A generator, so that a long text need not hold the weights of all layers at once; `list` keeps them.

    Raises ValueError: as `encode` and `decode`.

    >>> import numpy as np
    >>> from inorder.transformer import fresh_model
    >>> parameters, config = fresh_model(0)
    >>> states = list(layer_states(np.array([4, 0, 4, 1]), parameters, config, positions=np.arange(4)))
    >>> len(states), states[1].weights.shape, bool((states[1].x == states[0].hidden).all())
    (2, (4, 4, 4), True)
    """
    mask = _as_before(tokens, cache) if mask is None else mask
    if texts := _one_by_one(tokens, positions, mask, cache, memory):
        each = (layer_states(one, parameters, config, **call) for one, call in texts)
        return map(_stacked, zip(*each, strict=True))
    x = embed(tokens, parameters, config, positions=positions)  # (*batch, position, d_model)
    options = {"positions": positions, "tables": parameters.position, "mask": mask, "memory": memory}
    layers = (None,) * config.n_layers if cache is None else cache.layers

    def states(x: Array) -> Iterator[LayerState]:
        for weights, past in zip(parameters.blocks, layers, strict=True):
            state = block(x, weights, config, past=past, **options)
            yield state
            x = state.hidden

    return states(x)


def _one_by_one(
    tokens: Array, positions: Array, mask: Array | None, cache: KeyValueCache | None, memory: Array | None
) -> list[tuple[Array, dict[str, Any]]]:
    """The call for each text of the batch, where texts have positions of their own, now or in the cache; else none."""
    shape, past = _text_shape(tokens), () if cache is None else cache.layers
    n_key = past[0].key.shape[-2] if past else 0
    if not _by_text(tokens, positions, shape[-1]) and not (past and _by_text(tokens, past[0].positions, n_key)):
        return []
    spread = array_namespace(tokens).broadcast_to
    layers = tuple(one._replace(positions=spread(one.positions, (*shape[:-1], n_key))) for one in past)
    if mask is not None:
        heads = mask.shape[-3] if len(mask.shape) > 2 else 1
        mask = spread(mask, (*shape[:-1], heads, *mask.shape[-2:]))
    call = {"positions": spread(positions, shape), "mask": mask, "memory": memory}
    call["cache"] = KeyValueCache(layers) if past else None
    return [(tokens[i], map_parameters(itemgetter(i), call)) for i in range(shape[0])]


def _as_before(tokens: Array, cache: KeyValueCache | None) -> Array | None:
    """The mask without a mask: of the cache, new tokens see what its last token saw."""
    if cache is None or cache.seen is None:
        return None
    xp, n = array_namespace(cache.seen), _text_shape(tokens)[-1]
    past = xp.stack([cache.seen] * n, axis=-2)  # (*batch, head, query, key)
    new = xp.ones((*past.shape[:-1], n), dtype=xp.bool, device=array_device(past))
    return xp.concat([past, new], axis=-1)


def _text_shape(tokens: Array) -> tuple[int, ...]:
    """(*batch, position)"""
    rows = array_namespace(tokens).isdtype(tokens.dtype, "real floating")
    return tuple(tokens.shape[:-1] if rows else tokens.shape)


def _by_text(tokens: Array, positions: Array, n: int) -> bool:
    """Has each text of the batch n positions of its own, (*batch, n)?"""
    batch = _text_shape(tokens)[:-1]
    return len(batch) > 0 and tuple(positions.shape) == (*batch, n)


def _stacked(states: tuple[Any, ...]) -> Any:
    """Trees of arrays as one, each array with one more axis in front."""
    columns = zip(*(flatten_parameters(state).values() for state in states), strict=True)
    arrays = (array_namespace(*column).stack(column) for column in columns)
    return map_parameters(lambda _: next(arrays), states[0])


@expects(expect_call)
def encode(
    tokens: Integer[Array, "*batch position"] | Float[Array, "*batch position d_token"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "..."],
    mask: Bool[Array, "... position position"] | None = None,
) -> Float[Array, "*batch position d_model"]:
    """The hidden state of every token, after the last block (and, with norm="pre", one more norm).

    positions: one for each token, the same for all texts; or of the tokens' own shape, those of each text (which then
    go through the model one by one). Rows may have two each: those of patches. With padding: `mask=padding_mask(keep)`,
    and positions that count the text alone; padding may have any position that a token may, such as 0.
    mask: True = may attend; broadcasts to (*batch, head, position, position) as in `multi_head_attention`: one for all
    is (position, position), one for each sequence (batch, 1, position, position). Source: [1], section 3.1.

    Raises ValueError: as `embed`; a mask of another shape, or one that leaves a token nothing to look at;
    positions of each text that stand still, as those of padding, without a mask; NaN or infinity on the way; a
    configuration with cross-attention, which needs the memory that `decode` takes.

    >>> import numpy as np
    >>> from inorder.transformer import fresh_model
    >>> parameters, config = fresh_model(0)
    >>> dog_bites_man, man_bites_dog = np.array([3, 1, 2]), np.array([2, 1, 3])
    >>> hidden = encode(dog_bites_man, parameters, config, positions=np.arange(3))
    >>> reversed_hidden = encode(man_bites_dog, parameters, config, positions=np.arange(3))
    >>> np.allclose(hidden[::-1], reversed_hidden)  # without positions, the rows are only permuted
    True
    """
    x = tokens
    for state in layer_states(tokens, parameters, config, positions=positions, mask=mask):
        x = state.hidden
    return _output_norm(x, parameters, config)


@expects(expect_call)
def decode(
    tokens: Integer[Array, "*batch position"] | Float[Array, "*batch position d_token"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "..."],
    mask: Bool[Array, "... position key"] | None = None,
    cache: KeyValueCache | None = None,
    memory: Float[Array, "*batch memory d_model"] | None = None,
) -> tuple[Float[Array, "*batch position n_outputs"], KeyValueCache]:
    """(logits, cache): row i of the logits is about the token after token i, which no later token influences.

    Each token looks at all tokens in the cache, at those before it in this call, and at itself, as far as a mask, over
    the keys of the cache and of this call, allows; positions and padding are as in `encode`. So a text may come in
    one call or in pieces, each with its own positions and the cache that the piece before returned: the logits are
    the same. Without a mask, new tokens see of the cache what its last token saw: no padding.

    With cross_attention, every block also looks at `memory` (what `encode` returned for another text), which every call
    must bring; its keys and values are not cached. Source: [1], section 3.1; [2] for the cache.

    Raises ValueError: as `encode`; an encoder's configuration; a cache of another depth, batch or width; memory
    missing, unasked for or misshapen.

    >>> import numpy as np
    >>> from inorder.transformer import fresh_model
    >>> parameters, config = fresh_model(0, position="rotary")
    >>> tokens, positions = np.array([4, 0, 3, 1]), np.arange(4)
    >>> whole, _ = decode(tokens, parameters, config, positions=positions)
    >>> _, cache = decode(tokens[:3], parameters, config, positions=positions[:3])
    >>> last, cache = decode(tokens[3:], parameters, config, positions=positions[3:], cache=cache)
    >>> np.allclose(last, whole[3:])
    True
    """
    expect(not config.encoder_only, "a decoder", "the configuration of an encoder (encoder_only=True), for `encode`")
    *batch, n_query = _text_shape(tokens)
    n_key = n_query if cache is None else n_query + cache.layers[0].key.shape[-2]
    causal = causal_mask(n_query, n_key, like=positions)  # (query, key)
    mask, seen = _as_before(tokens, cache) if mask is None else mask, None
    if mask is not None:
        seen = array_namespace(mask).broadcast_to(mask[..., -1, :], (*batch, config.n_heads, n_key))
    mask = causal if mask is None else mask & causal
    states = layer_states(tokens, parameters, config, positions=positions, mask=mask, cache=cache, memory=memory)
    layers, hidden = zip(*((state.cache, state.hidden) for state in states), strict=True)
    rows = _output_norm(hidden[-1], parameters, config)
    logits = linear(rows, _output_matrix(parameters), parameters.b_output)  # (*batch, query, n_outputs)
    return logits, KeyValueCache(layers, seen)


def _expect_unembed(hidden: Array, parameters: TransformerParameters) -> None:
    weights = {"w_output": _output_matrix(parameters), "b_output": parameters.b_output}
    xp = namespace(hidden=hidden, **weights)
    expect_shape("hidden", hidden, ..., weights["w_output"].shape[0])
    expect_floats(xp, hidden=hidden, **weights)


@expects(_expect_unembed)
def unembed(
    hidden: Float[Array, "*batch d_model"], parameters: TransformerParameters
) -> Float[Array, "*batch n_outputs"]:
    """hidden W_output + b_output: a number for each token of the vocabulary (or each class), the logits.

    Where the output is tied, W_output is the embedding, transposed.

    Raises ValueError: hidden states of another width or dtype than the output matrix.

    >>> import numpy as np
    >>> from inorder.transformer import fresh_model
    >>> parameters, config = fresh_model(0, n_outputs=3)
    >>> hidden = encode(np.array([4, 0, 3, 1]), parameters, config, positions=np.arange(4))
    >>> unembed(hidden, parameters).shape
    (4, 3)
    """
    return linear(hidden, _output_matrix(parameters), parameters.b_output)


def _output_matrix(parameters: TransformerParameters) -> Array:
    return parameters.embedding.mT if parameters.w_output is None else parameters.w_output


def _output_norm(x: Array, parameters: TransformerParameters, config: TransformerConfig) -> Array:
    norm = parameters.norm_output
    x = x if norm is None else normalise(x, norm, config)
    expect_finite("hidden states", x)
    return x
