"""How the copying heads find what to copy: rotations taken from some layers alone, a head made to look elsewhere, and a
lost head's damage passed on through queries, keys or values alone.

[1] Elhage et al. 2021, A Mathematical Framework for Transformer Circuits,
    https://transformer-circuits.pub/2021/framework/index.html
[2] Wang et al. 2022, Interpretability in the Wild: a Circuit for Indirect Object Identification in GPT-2 small,
    https://arxiv.org/abs/2211.00593
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder._arrays import expect, expect_choice
from inorder.attention import attention_weights, causal_mask, linear, merge_heads, repeat_heads
from inorder.lab.trained_decoder.order import target_losses
from inorder.pretrained.decoder import LanguageModel, without_heads
from inorder.transformer import (
    LayerState,
    block,
    feed_forward,
    rms_norm,
)

PARTS = ("query", "key", "value")  # of a head's input


class CopyRun(NamedTuple):
    """What a list, read twice, costs the second time, and how the heads look at it."""

    loss: Float[np.ndarray, " list"]  # on the second copy, in nats per token
    weights: Float[np.ndarray, "layer list head query key"]


def copy_run(
    copies: Integer[np.ndarray, "list copy_position"],
    lm: LanguageModel,
    *,
    unrotated: Collection[int] = (),
    unrotated_heads: Collection[tuple[int, int]] = (),
    removed: Collection[tuple[int, int]] = (),
    redirected: Mapping[tuple[int, int], int] | None = None,
    damaged: Sequence[tuple[int, int]] = (),
    part: str = "key",
) -> CopyRun:
    """The decoder on copies (one token, a list, and the list again, as in `copy_losses`), with

    unrotated   layers in which all tokens stand at one position;
    unrotated_heads  heads, (layer, head), whose queries and keys alone are not rotated, whatever the others share with
                them;
    removed     heads, (layer, head), that add nothing to the stream;
    redirected  heads that give all their weight to the token so many before (the first rows, to row 0);
    damaged     heads whose queries, keys or values (`part`) alone are those of the run without `removed`: everything
                else is as if nothing had been removed. This is path patching [2]: which way does the damage go?

    Raises ValueError: copies of an even number of tokens; an unknown part; damaged heads without removed ones; two of
    unrotated, redirected and damaged heads.

    >>> from inorder.lab.trained_decoder.texts import random_words
    >>> from inorder.pretrained.decoder import load
    >>> words = random_words(load(), 6, 1, seed=0)
    >>> copies = np.concatenate([[[504]], words, words], axis=1)
    >>> whole, cut = (copy_run(copies, load(), unrotated=layers) for layers in ((), range(30)))
    >>> bool(whole.loss[0] < cut.loss[0]), whole.weights.shape
    (True, (30, 1, 9, 13, 13))
    """
    n, length = copies.shape[1], copies.shape[1] // 2
    expect(n % 2 == 1, "copies of one token and two times a list", f"{n} tokens")
    expect_choice("part", part, PARTS)
    expect(bool(removed) or not damaged, "removed heads, whose loss damages others", "none")
    n_kinds = sum(map(bool, (unrotated_heads, redirected, damaged)))
    expect(n_kinds <= 1, "either redirected heads or damaged ones or unrotated ones", f"{n_kinds} of them")
    run = lm if damaged else without_heads(lm, removed)
    harmed = _states(copies, without_heads(lm, removed), unrotated) if damaged else iter(())

    def patched(layer: int, state: LayerState) -> LayerState:
        back = {head: steps for (each, head), steps in (redirected or {}).items() if each == layer}
        if back:
            return _redirected(state, back, layer, run)
        flat = [head for each, head in unrotated_heads if each == layer]
        if flat:
            return _unrotated(state, flat, layer, run)
        other, heads = next(harmed, None), [head for each, head in damaged if each == layer]
        return _patched(state, other, heads, part, layer, run) if other and heads else state

    states = list(_states(copies, run, unrotated, patched))
    parameters, config = run.model
    assert parameters.norm_output
    rows = rms_norm(states[-1].hidden[:, length:-1], parameters.norm_output.gain, eps=config.eps)
    losses = target_losses(rows, copies[:, length + 1 :], run)
    return CopyRun(losses[:, 1:].mean(axis=1), np.stack([state.weights for state in states]))


def _states(
    copies: np.ndarray,
    lm: LanguageModel,
    unrotated: Collection[int],
    change: Callable[[int, LayerState], LayerState] | None = None,
) -> Iterator[LayerState]:
    """Layer by layer; `change` gives the state that goes on in place of the layer's own."""
    parameters, config = lm.model
    x, n = parameters.embedding[copies], copies.shape[1]
    mask, positions = np.asarray(causal_mask(n)), np.arange(n)
    for layer, p in enumerate(parameters.blocks):
        state = block(x, p, config, positions=positions * (layer not in unrotated), mask=mask)
        state = state if change is None else change(layer, state)
        yield state
        x = state.hidden


def _patched(
    state: LayerState, other: LayerState, heads: list[int], part: str, layer: int, lm: LanguageModel
) -> LayerState:
    """The layer again, with one part of these heads from the other run."""
    config = lm.model.config
    inputs, others = (
        [each.query.copy(), *(repeat_heads(x, config.n_heads).copy() for x in (each.cache.key, each.cache.value))]
        for each in (state, other)
    )
    inputs[PARTS.index(part)][:, heads] = others[PARTS.index(part)][:, heads]
    query, key, value = inputs
    weights = attention_weights(query, key, mask=np.asarray(causal_mask(query.shape[-2])))
    return _with_weights(state, weights, value, layer, lm)


def _redirected(state: LayerState, back: dict[int, int], layer: int, lm: LanguageModel) -> LayerState:
    """The layer again, with heads that each look one number of steps back."""
    weights, rows = np.array(state.weights), np.arange(state.weights.shape[-1])
    for head, steps in back.items():
        weights[:, head] = 0
        weights[:, head, rows, np.maximum(rows - steps, 0)] = 1
    return _with_weights(state, weights, repeat_heads(state.cache.value, lm.model.config.n_heads), layer, lm)


def _unrotated(state: LayerState, heads: list[int], layer: int, lm: LanguageModel) -> LayerState:
    """The layer again, with heads that weigh as if all tokens stood at one position."""
    p, config = lm.model.parameters.blocks[layer], lm.model.config
    n = state.x.shape[-2]
    flat = block(state.x, p, config, positions=np.zeros(n, int), mask=np.asarray(causal_mask(n)))
    weights = np.array(state.weights)
    weights[:, heads] = np.asarray(flat.weights)[:, heads]
    return _with_weights(state, weights, repeat_heads(state.cache.value, config.n_heads), layer, lm)


def _with_weights(
    state: LayerState, weights: np.ndarray, value: np.ndarray, layer: int, lm: LanguageModel
) -> LayerState:
    """What the layer computes from these weights and values on."""
    config, p = lm.model.config, lm.model.parameters.blocks[layer]
    attended = linear(merge_heads(weights @ value), p.attention.w_output)
    hidden = state.x + attended
    assert p.norm_feed_forward and p.feed_forward  # the configuration says so
    rows = rms_norm(hidden, p.norm_feed_forward.gain, eps=config.eps)
    hidden = hidden + feed_forward(rows, p.feed_forward, activation=config.activation)
    return state._replace(weights=weights, attended=attended, hidden=hidden)
