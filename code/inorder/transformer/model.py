"""Tokens in, hidden states or logits out: the encoder, the causal decoder with its cache, and generation.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Shazeer 2019, Fast Transformer Decoding (the incremental form, section 2.4), https://arxiv.org/abs/1911.02150
[3] Raffel et al. 2020, Exploring the Limits of Transfer Learning (T5), https://arxiv.org/abs/1910.10683
[4] Maddison, Tarlow and Minka 2014, A* Sampling (its Gumbel-max trick), https://arxiv.org/abs/1411.0030
"""

import math
from collections.abc import Iterator
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from array_api_compat import device as array_device
from jaxtyping import Bool, Float, Integer

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
from inorder.attention import causal_mask
from inorder.transformer.block import KeyValueRows, LayerState, block, expect_memory, layer_norm, linear, row_positions
from inorder.transformer.parameters import TransformerConfig, TransformerParameters, expect_parameters, map_parameters


class KeyValueCache(NamedTuple):
    """What a decoder keeps of the tokens it has seen: for each layer their positions, keys and values.

    Immutable: `decode` returns a new one and leaves the old one as it was, so that two continuations can share it.

    >>> rows = KeyValueRows(np.arange(2), key=np.zeros((1, 2, 4)), value=np.zeros((1, 2, 4)))
    >>> len(KeyValueCache(layers=(rows, rows, rows)).layers)
    3
    """

    layers: tuple[KeyValueRows, ...]


def embed(
    tokens: Integer[Array, "*batch position"] | Float[Array, "*batch position d_token"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "position ..."],
) -> Float[Array, "*batch position d_model"]:
    """The rows that enter the first block: the tokens' vectors, and their positions if the scheme writes them there.

    tokens are whole numbers below vocabulary_size; or rows of numbers, d_token wide, that stand in for the vectors
    looked up (the patches of an image, an input to differentiate by). Source: [1], sections 3.4 and 3.5.

    Raises ValueError: tokens out of range or not of these two kinds; positions that are not integers, one for each
    token (or two for each patch), or that the scheme cannot take; parameters that do not fit the configuration.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1, position="learned")
    >>> parameters = init_parameters(config, np.random.default_rng(0))
    >>> x = embed(np.array([[4, 0, 4], [1, 1, 2]]), parameters, config, positions=np.array([7, 8, 9]))
    >>> bool((x[0, 2] == parameters.embedding[4] + parameters.position["rows"][9]).all())
    True
    """
    expect_parameters(parameters, TransformerParameters, config)
    xp = namespace(tokens, positions, parameters.embedding)
    if xp.isdtype(tokens.dtype, "real floating"):
        expect_shape("tokens", tokens, ..., "position", parameters.embedding.shape[-1])
        expect_floats(xp, embedding=parameters.embedding, tokens=tokens)
        x = tokens
    else:
        x = parameters.embedding[_token_ids("tokens", tokens, config)]  # (*batch, position, d_token)
    positions = row_positions(positions)
    expect_shape("positions", positions, x.shape[-2], *positions.shape[1:])
    x = config.scheme.embed(x, positions, parameters.position)  # (*batch, position, d_model)
    norm = parameters.norm_embedding
    return x if norm is None else layer_norm(x, *norm, eps=config.eps)


def layer_states(
    tokens: Integer[Array, "*batch position"] | Float[Array, "*batch position d_token"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "position ..."],
    mask: Bool[Array, "... position key"] | None = None,
    cache: KeyValueCache | None = None,
    memory: Float[Array, "*batch memory d_model"] | None = None,
) -> Iterator[LayerState]:
    """What each block computes, one after the other: `encode` and `decode` run through it and keep the end.

    A generator, so that a long text need not hold the weights of all layers at once; `list` keeps them.

    Raises ValueError: as `encode` and `decode`.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=3)
    >>> parameters = init_parameters(config, np.random.default_rng(0))
    >>> states = list(layer_states(np.array([4, 0, 4, 1]), parameters, config, positions=np.arange(4)))
    >>> len(states), states[2].weights.shape, bool((states[1].x == states[0].hidden).all())
    (3, (2, 4, 4), True)
    """
    x = embed(tokens, parameters, config, positions=positions)  # (*batch, position, d_model)
    past = (None,) * config.n_layers if cache is None else _cached_layers(cache, config)
    expect_memory(memory, x, config)

    def states(x: Array) -> Iterator[LayerState]:
        for weights, rows in zip(parameters.blocks, past, strict=True):
            state = block(
                x,
                weights,
                config,
                positions=positions,
                tables=parameters.position,
                mask=mask,
                past=rows,
                memory=memory,
            )
            yield state
            x = state.hidden

    return states(x)


def encode(
    tokens: Integer[Array, "*batch position"] | Float[Array, "*batch position d_token"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "position ..."],
    mask: Bool[Array, "... position position"] | None = None,
) -> Float[Array, "*batch position d_model"]:
    """The hidden state of every token, after the last block (and, with norm="pre", one more layer norm).

    mask: True = may attend; broadcasts to (*batch, head, position, position) as in `multi_head_attention`: one for all
    is (position, position), one for each sequence (batch, 1, position, position). Source: [1], section 3.1.

    Raises ValueError: as `embed`; a mask of another shape or dtype, or one that leaves a token nothing to look at; NaN
    or infinity on the way; a configuration with cross-attention, which needs the memory that `decode` takes.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1)
    >>> parameters = init_parameters(config, np.random.default_rng(0))
    >>> dog_bites_man, man_bites_dog = np.array([3, 1, 2]), np.array([2, 1, 3])
    >>> hidden = encode(dog_bites_man, parameters, config, positions=np.arange(3))
    >>> reversed_hidden = encode(man_bites_dog, parameters, config, positions=np.arange(3))
    >>> np.allclose(hidden[::-1], reversed_hidden)  # without positions, the rows only change places
    True
    """
    for state in layer_states(tokens, parameters, config, positions=positions, mask=mask):
        x = state.hidden  # (*batch, position, d_model)
    return _output_norm(x, parameters, config)


def decode(
    tokens: Integer[Array, "*batch position"] | Float[Array, "*batch position d_token"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Array, "position ..."],
    cache: KeyValueCache | None = None,
    memory: Float[Array, "*batch memory d_model"] | None = None,
) -> tuple[Float[Array, "*batch position n_outputs"], KeyValueCache]:
    """(logits, cache): row i of the logits is about the token after token i, which no later token influences.

    Each token looks at all tokens in the cache, at those before it in this call, and at itself. So a text may come in
    one call or in pieces, each with its own positions and the cache that the piece before returned: the logits are
    the same. With cross_attention, every block also looks at `memory` (what `encode` returned for another text), which
    every call must bring; its keys and values are not cached. Source: [1], section 3.1; [2] for the cache.

    Raises ValueError: as `encode`; a cache of another depth, batch or width; memory missing, unasked for or misshapen.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=2, position="rotary")
    >>> parameters = init_parameters(config, np.random.default_rng(0))
    >>> tokens, positions = np.array([4, 0, 3, 1]), np.arange(4)
    >>> whole, _ = decode(tokens, parameters, config, positions=positions)
    >>> _, cache = decode(tokens[:3], parameters, config, positions=positions[:3])
    >>> last, cache = decode(tokens[3:], parameters, config, positions=positions[3:], cache=cache)
    >>> np.allclose(last, whole[3:])
    True
    """
    positions = row_positions(positions)
    n_query = positions.shape[0]
    n_key = n_query if cache is None else n_query + _cached_layers(cache, config)[0].positions.shape[0]
    mask = causal_mask(n_query, n_key, like=positions)  # (query, key)
    layers = []
    for state in layer_states(tokens, parameters, config, positions=positions, mask=mask, cache=cache, memory=memory):
        x = state.hidden  # (*batch, query, d_model)
        layers.append(state.rows)
    logits = unembed(_output_norm(x, parameters, config), parameters)  # (*batch, query, n_outputs)
    return logits, KeyValueCache(tuple(layers))


def unembed(
    hidden: Float[Array, "*batch d_model"], parameters: TransformerParameters
) -> Float[Array, "*batch n_outputs"]:
    """hidden W_output + b_output: a number for each token of the vocabulary (or each class), the logits.

    Raises ValueError: hidden states of another width or dtype.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1, n_outputs=3)
    >>> parameters = init_parameters(config, np.random.default_rng(0))
    >>> hidden = encode(np.array([4, 0, 3, 1]), parameters, config, positions=np.arange(4))
    >>> unembed(hidden, parameters).shape
    (4, 3)
    """
    expect(isinstance(parameters, TransformerParameters), "TransformerParameters", type(parameters).__name__)
    return linear(hidden, parameters.w_output, parameters.b_output)


def generate(
    prompt: Integer[Array, "*batch prompt"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    n_tokens: int,
    *,
    temperature: float = 0.0,
    rng: np.random.Generator | None = None,
    memory: Float[Array, "*batch memory d_model"] | None = None,
) -> Integer[Array, "*batch prompt+{n_tokens}"]:
    """The prompt and n_tokens more, each chosen from the logits of the one before. The prompt starts at position 0.

    Temperature 0 is greedy: the most likely token, the first of equals. Above it, a token is drawn from
    softmax(logits / temperature), as argmax(logits + temperature · g) with g standard Gumbel noise ([4]);
    NumPy draws it for both back ends. Records no gradient.

    Raises ValueError: as `decode`; n_tokens that is not a positive whole number; a temperature that is not a number of
    0 or more; a temperature above 0 without a NumPy Generator; an n_outputs that is not the vocabulary's size.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1, position="sinusoidal")
    >>> parameters = init_parameters(config, np.random.default_rng(0))
    >>> generate(np.array([4, 0]), parameters, config, 3, temperature=1.0, rng=np.random.default_rng(1)).shape
    (5,)
    """
    expect_count("n_tokens", n_tokens)
    valid = isinstance(temperature, Real) and 0 <= temperature < math.inf
    expect(valid, "temperature to be a number, 0 or more", repr(temperature))
    expect(temperature == 0 or isinstance(rng, np.random.Generator), "rng to be a numpy.random.Generator", repr(rng))
    n_outputs = config.n_outputs or config.vocabulary_size
    expect(n_outputs == config.vocabulary_size, f"n_outputs of vocabulary_size = {config.vocabulary_size}", n_outputs)
    parameters, memory = map_parameters(without_gradient, (parameters, memory))
    xp = namespace(prompt)
    tokens = new = _token_ids("prompt", prompt, config)  # (*batch, prompt)
    cache = None
    for _ in range(n_tokens):
        positions = xp.arange(tokens.shape[-1] - new.shape[-1], tokens.shape[-1], device=array_device(tokens))
        logits, cache = decode(new, parameters, config, positions=positions, cache=cache, memory=memory)
        last = xp.astype(logits[..., -1, :], xp.float64)  # (*batch, vocabulary)
        if rng is not None:
            last = last + temperature * xp.asarray(rng.gumbel(size=tuple(last.shape)), device=array_device(last))
        new = xp.argmax(last, axis=-1, keepdims=True)  # (*batch, 1)
        tokens = xp.concat([tokens, new], axis=-1)
    return tokens


def prefix_mask(n: int, n_prefix: int, *, like: Array | None = None) -> Bool[Array, "{n} {n}"]:
    """mask[i, j] = (j ≤ i or j < n_prefix): the first n_prefix tokens see each other both ways, later ones look back.

    Between a causal mask (n_prefix of 0 or 1) and none (n_prefix = n). Back end and device are those of `like`, else
    NumPy. Source: [3], section 3.2.1 and figure 3.

    Raises ValueError: n that is not a positive whole number; n_prefix that is not a whole number from 0 to n.

    >>> prefix_mask(4, 2)
    array([[ True,  True, False, False],
           [ True,  True, False, False],
           [ True,  True,  True, False],
           [ True,  True,  True,  True]])
    """
    expect_count("n", n)
    inside = isinstance(n_prefix, Integral) and 0 <= n_prefix <= n
    expect(inside, f"n_prefix to be a whole number from 0 to n = {n}", repr(n_prefix))
    xp, device, _ = creation(like)
    return causal_mask(n, like=like) | (xp.arange(n, device=device) < n_prefix)


def _output_norm(x: Array, parameters: TransformerParameters, config: TransformerConfig) -> Array:
    norm = parameters.norm_output
    x = x if norm is None else layer_norm(x, *norm, eps=config.eps)
    expect_finite(namespace(x), **{"hidden states": x})
    return x


def _token_ids(name: str, tokens: Array, config: TransformerConfig) -> Array:
    xp = namespace(tokens)
    expect(xp.isdtype(tokens.dtype, "integral"), f"{name} of an integer dtype", tokens.dtype)
    expect_shape(name, tokens, ..., "position")
    expect(0 not in tokens.shape, f"{name} with no empty axis", tuple(tokens.shape))
    lowest, highest = int(xp.min(tokens)), int(xp.max(tokens))
    expect(lowest >= 0, f"{name} of 0 or more", lowest)
    expect(highest < config.vocabulary_size, f"{name} below vocabulary_size = {config.vocabulary_size}", highest)
    return xp.astype(tokens, xp.int64)  # torch takes uint8 for a mask


def _cached_layers(cache: KeyValueCache, config: TransformerConfig) -> tuple[KeyValueRows, ...]:
    expect(isinstance(cache, KeyValueCache), "a KeyValueCache", type(cache).__name__)
    expect(len(cache.layers) == config.n_layers, f"a cache of {config.n_layers} layers", len(cache.layers))
    return cache.layers
