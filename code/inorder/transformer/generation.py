"""How a text continues: each token is chosen from the logits of the one before.

[1] Maddison, Tarlow and Minka 2014, A* Sampling (its Gumbel-max trick), https://arxiv.org/abs/1411.0030
"""

import math
from numbers import Integral

import numpy as np
from array_api_compat import array_namespace
from array_api_compat import device as array_device
from jaxtyping import Bool, Float, Integer

from inorder._arrays import (
    Array,
    as_generator,
    as_int64,
    expect,
    expect_count,
    expect_not_negative,
    without_gradient,
)
from inorder._checked import expects
from inorder.transformer.model import KeyValueCache, decode, expect_call, expect_token_ids
from inorder.transformer.parameters import TransformerConfig, TransformerParameters
from inorder.transformer.trees import map_parameters


def _expect_generate(
    prompt: Array,
    parameters: TransformerParameters,
    config: TransformerConfig,
    n_tokens: int,
    temperature: float,
    top_k: int | None,
    eos: int | None,
    rng: int | np.random.Generator | None,
    positions: Array | None,
    mask: Array | None,
    cache: KeyValueCache | None,
    memory: Array | None,
) -> None:
    expect_count("n_tokens", n_tokens)
    expect_sampling(temperature, top_k, rng)
    size = config.vocabulary_size
    if eos is not None:
        known = isinstance(eos, Integral) and 0 <= eos < size
        expect(known, f"eos to be a token below vocabulary_size = {size}", repr(eos))
    n_outputs = config.n_outputs or size
    expect(n_outputs == size, f"n_outputs of vocabulary_size = {size}", n_outputs)
    expect_token_ids("prompt", prompt, config)
    places = _places(prompt, positions, cache)
    expect_call(prompt, parameters, config, places, mask, cache, memory)
    if mask is not None and len(prompt.shape) > 1 and prompt.shape[-1] > 1:
        saw, stands = mask[..., -1, :-1], places[..., -1:] <= places[..., -2:-1]
        ends = not (saw.any(axis=-1) & (~saw[..., -1] | stands)).any()
        expect(ends, "a text's last token at the end of each prompt: padding on the left", "padding there")


def _places(prompt: Array, positions: Array | None, cache: KeyValueCache | None) -> Array:
    """Where the tokens of the prompt stand: where it is said, or after the cache."""
    if positions is not None:
        return as_int64(positions)
    xp = array_namespace(prompt)
    places = xp.arange(prompt.shape[-1], device=array_device(prompt))
    return places if cache is None else places + xp.max(cache.layers[0].positions, axis=-1, keepdims=True) + 1


@expects(_expect_generate)
def generate(
    prompt: Integer[Array, "*batch prompt"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    n_tokens: int,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    eos: int | None = None,
    rng: int | np.random.Generator | None = None,
    positions: Integer[Array, "..."] | None = None,
    mask: Bool[Array, "... prompt key"] | None = None,
    cache: KeyValueCache | None = None,
    memory: Float[Array, "*batch memory d_model"] | None = None,
) -> Integer[Array, "*batch prompt+{n_tokens}"]:
    """The prompt and n_tokens more, each chosen from the logits of the one before.

    temperature   0 is greedy: the most likely token, or the first of several. Above it, a token is drawn from
                  softmax(logits / temperature), as argmax(logits + temperature · g) with g standard Gumbel noise ([1]);
                  NumPy draws it for both back ends, from `rng`, a seed or a generator.
    top_k         Only the k most likely tokens may be chosen (and those as likely as the k-th).
    eos           The token that ends a sequence: after it come only more of it.
    positions, mask   Of the prompt, as in `decode`: for padding on the left, positions that count each text alone, and
                  `mask=padding_mask(keep)`. New tokens go on from a text's last position and see what its last token
                  saw.
    cache         What `decode` returned for the text before the prompt, which then goes on at the position after the
                  cache's last; without it the prompt starts at position 0. So many prompts can share one beginning.
    memory        As in `decode`.

    Records no gradient.

    Raises ValueError: as `decode`; n_tokens or top_k that is not a positive whole number; a temperature that is not a
    number of 0 or more; a temperature above 0 without rng; an eos that is no token; padding on the right; an n_outputs
    that is not the vocabulary's size.

    >>> from inorder.transformer import fresh_model
    >>> model = fresh_model(0, position="sinusoidal")
    >>> generate(np.array([4, 0]), *model, 3, temperature=1.0, top_k=5, rng=1).shape
    (5,)

    A shorter prompt, padded on the left, goes on as it does alone:

    >>> from inorder.attention import padding_mask
    >>> keep = np.array([[True, True, True], [False, False, True]])
    >>> positions = np.array([[0, 1, 2], [0, 0, 0]])  # that is, np.maximum(np.cumsum(keep, axis=-1) - 1, 0)
    >>> pair = generate(np.array([[4, 0, 7], [0, 0, 3]]), *model, 2, positions=positions, mask=padding_mask(keep))
    >>> bool((pair[1, 2:] == generate(np.array([3]), *model, 2)).all())
    True
    """
    xp, device, n_prompt = array_namespace(prompt), array_device(prompt), prompt.shape[-1]
    places = _places(prompt, positions, cache)
    parameters, memory, cache = map_parameters(without_gradient, (parameters, memory, cache))
    rng = None if rng is None else as_generator(rng)
    tokens = new = as_int64(prompt)  # (*batch, position)
    ended = xp.zeros((*prompt.shape[:-1], 1), dtype=xp.bool, device=device)
    while tokens.shape[-1] < n_prompt + n_tokens and not xp.all(ended):
        logits, cache = decode(new, parameters, config, positions=places, mask=mask, cache=cache, memory=memory)
        places, mask = places[..., -1:] + 1, None  # as in the cache
        new = choose_token(logits[..., -1, :], temperature, top_k, rng)  # (*batch, 1)
        if eos is not None:
            new = xp.where(ended, int(eos), new)
            ended = new == eos
        tokens = xp.concat([tokens, new], axis=-1)
    missing = n_prompt + n_tokens - tokens.shape[-1]  # where every sequence has ended
    return xp.concat([tokens, *[new] * missing], axis=-1)


def expect_sampling(temperature: float, top_k: int | None, rng: int | np.random.Generator | None) -> None:
    """What `choose_token` needs."""
    expect_not_negative("temperature", temperature)
    expect(temperature == 0 or rng is not None, "rng, a seed or a Generator, for a temperature above 0", rng)
    if rng is not None:
        as_generator(rng)
    if top_k is not None:
        expect_count("top_k", top_k)


def choose_token(logits: Array, temperature: float, top_k: int | None, rng: np.random.Generator | None) -> Array:
    """(*batch, vocabulary) to (*batch, 1), as `generate` describes it."""
    xp = array_namespace(logits)
    logits = xp.astype(logits, xp.float64)
    if top_k is not None and top_k < logits.shape[-1]:
        least = xp.sort(logits, axis=-1)[..., -top_k : logits.shape[-1] - top_k + 1]  # (*batch, 1)
        logits = xp.where(logits >= least, logits, -math.inf)
    if rng is not None:
        noise = xp.asarray(rng.gumbel(size=tuple(logits.shape)), device=array_device(logits))
        logits = logits + temperature * noise
    return xp.argmax(logits, axis=-1, keepdims=True)
