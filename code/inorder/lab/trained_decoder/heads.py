"""The heads that make order: one that looks one token back, one that copies, one that rests on the first row.

[1] Elhage et al. 2021, A Mathematical Framework for Transformer Circuits,
    https://transformer-circuits.pub/2021/framework/index.html
[2] Olsson et al. 2022, In-context Learning and Induction Heads, https://arxiv.org/abs/2209.11895
[3] Xiao et al. 2023, Efficient Streaming Language Models with Attention Sinks, https://arxiv.org/abs/2309.17453
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder._arrays import expect
from inorder.attention import repeat_heads
from inorder.lab.trained_decoder.order import SKIPPED, token_losses
from inorder.pretrained.decoder import LanguageModel, states
from inorder.transformer import Model

Heads = Sequence[tuple[int, int]]  # (layer, head), from 0
SETTLED = 4  # rows at the start, which have few others to look at, are left out of the sink's score


class HeadScores(NamedTuple):
    """Mean weights of every head on the key that its kind looks at, text by text."""

    previous: Float[np.ndarray, "text layer head"]  # on the token before, in prose. Source: [1]
    sink: Float[np.ndarray, "text layer head"]  # on row 0, in prose. Source: [3]
    induction: Float[np.ndarray, "list layer head"]  # on the word after it last time, in lists. Source: [2]
    duplicate: Float[np.ndarray, "list layer head"]  # on the same word last time


def head_scores(
    prose: Integer[np.ndarray, "text position"],
    copies: Integer[np.ndarray, "list copy_position"],
    lm: LanguageModel,
    positions: str | None = None,
) -> HeadScores:
    """copies: one token, a list, and the list again, as in `copy_losses`. Every score is 0 … 1.

    Raises ValueError: copies of an even number of tokens.

    >>> from inorder.lab.trained_decoder.texts import random_words
    >>> from inorder.pretrained.decoder import load
    >>> words = random_words(load(), 6, 1, seed=0)
    >>> scores = head_scores(words, np.concatenate([[[504]], words, words], axis=1), load())
    >>> scores.previous.shape, bool(scores.induction.max() > 0.5)
    ((1, 30, 9), True)
    """
    n, length = copies.shape[1], copies.shape[1] // 2
    expect(n % 2 == 1, "copies of one token and two times a list", f"{n} tokens")
    again = np.arange(length + 1, n - 1)  # all of the second copy but the last word, after which nothing came
    previous, sink = [], []
    for state in states(prose, lm, positions):
        weights = np.asarray(state.weights)
        previous.append(np.diagonal(weights, -1, -2, -1)[..., 1:].mean(axis=-1))  # row 1's is the sink's key, too
        sink.append(weights[..., SETTLED:, 0].mean(axis=-1))
    induction, duplicate = [], []
    for state in states(copies, lm, positions):
        weights = np.asarray(state.weights)
        induction.append(weights[..., again, again - length + 1].mean(axis=-1))
        duplicate.append(weights[..., again, again - length].mean(axis=-1))
    return HeadScores(*(np.stack(kind, axis=1) for kind in (previous, sink, induction, duplicate)))


def heads_above(scores: Float[np.ndarray, "text layer head"], threshold: float) -> list[tuple[int, int]]:
    """The heads whose mean score reaches the threshold, the highest first.

    >>> heads_above(np.array([[[0.1, 0.5], [0.9, 0.2]]]), 0.4)
    [(1, 0), (0, 1)]
    """
    means = scores.mean(axis=0)
    order = np.argsort(-means, axis=None, kind="stable")
    pairs = [(int(i) // means.shape[1], int(i) % means.shape[1]) for i in order]
    return [pair for pair in pairs if means[pair] >= threshold]


def random_heads(heads: Heads, others: Heads, n_heads: int, seed: int) -> list[tuple[int, int]]:
    """As many heads, drawn from the same layers: none of `heads` nor of `others`. Fewer where a layer has no more.

    >>> random_heads([(3, 0)], [(3, 1)], n_heads=3, seed=0)
    [(3, 2)]
    """
    rng, drawn = np.random.default_rng(seed), []
    for layer in sorted({layer for layer, _ in heads}):
        free = [head for head in range(n_heads) if (layer, head) not in {*heads, *others}]
        n = min(len(free), sum(each == layer for each, _ in heads))
        drawn += [(layer, int(head)) for head in rng.choice(free, n, replace=False)]
    return drawn


def mean_outputs(
    ids: Integer[np.ndarray, "text position"], lm: LanguageModel
) -> Float[np.ndarray, "layer head d_model"]:
    """What each head adds to the stream, on average over the rows of some texts. (Row 0, unlike the others, is left
    out.)

    >>> from inorder.pretrained.decoder import load
    >>> mean_outputs(np.array([[504, 3575, 282]]), load()).shape
    (30, 9, 576)
    """
    means, config = [], lm.model.config
    for state, block in zip(states(ids, lm), lm.model.parameters.blocks, strict=True):
        values = repeat_heads(state.cache.value, config.n_heads)
        rows = np.asarray(state.weights @ values)[..., 1:, :].mean(axis=(0, 2))  # (head, d_head)
        w_output = np.asarray(block.attention.w_output).reshape(*rows.shape, -1)
        means.append(np.einsum("hd,hdo->ho", rows, w_output))
    return np.stack(means)


def with_constants(lm: LanguageModel, heads: Heads, means: Float[np.ndarray, "layer head d_model"]) -> LanguageModel:
    """The model with a constant row in the stream of each layer: the sum of what these heads add on average.

    After `without_heads` it is the gentler ablation: a head that says the same everywhere is not missed.

    >>> from inorder.pretrained.decoder import load
    >>> lm = with_constants(load(), [(2, 1)], np.ones((30, 9, 576), np.float32))
    >>> float(lm.model.parameters.blocks[2].attention.b_output.sum()), lm.model.config.linear_biases
    (576.0, True)
    """
    parameters, config = lm.model
    blocks = []
    for layer, block in enumerate(parameters.blocks):
        attention, feed_forward = block.attention, block.feed_forward
        assert feed_forward is not None  # as in the model's configuration
        dtype = attention.w_output.dtype
        zeros = {size: np.zeros(size, dtype) for size in (config.d_model, config.d_ff, attention.w_key.shape[1])}
        constant = means[layer, [head for each, head in heads if each == layer]].sum(axis=0).astype(dtype)
        narrow, wide, inner = zeros[attention.w_key.shape[1]], zeros[config.d_model], zeros[config.d_ff]
        attention = attention._replace(b_query=wide, b_key=narrow, b_value=narrow, b_output=constant)
        feed_forward = feed_forward._replace(b_in=inner, b_out=wide, b_gate=inner)
        blocks.append(block._replace(attention=attention, feed_forward=feed_forward))
    b_output = np.zeros(config.vocabulary_size, parameters.embedding.dtype)
    parameters = parameters._replace(blocks=tuple(blocks), b_output=b_output)
    return lm._replace(model=Model(parameters, replace(config, linear_biases=True)))


class Ablation(NamedTuple):
    """What is lost with some heads, in nats per token."""

    heads: list[tuple[int, int]]
    copy: Float[np.ndarray, " list"]  # the loss on the second copy of each list
    prose: Float[np.ndarray, " text"]


def ablation(
    prose: Integer[np.ndarray, "text position"],
    copies: Integer[np.ndarray, "list copy_position"],
    lm: LanguageModel,
    heads: Heads,
) -> Ablation:
    """The losses of a model that has lost these heads already (`without_heads`), on both kinds of text.

    >>> from inorder.pretrained.decoder import load
    >>> ids = np.arange(504, 515)[None]
    >>> ablation(ids, ids, load(), []).copy.shape
    (1,)
    """
    length = copies.shape[1] // 2
    losses = [token_losses(ids, lm, np.arange(ids.shape[1])) for ids in (copies, prose)]
    return Ablation(list(heads), losses[0][:, length + 1 :].mean(axis=1), losses[1][:, SKIPPED:].mean(axis=1))
