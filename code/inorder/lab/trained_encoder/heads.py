"""Where each head looks, and what its loss costs.

[1] Clark et al. 2019, What Does BERT Look At?, https://arxiv.org/abs/1906.04341
[2] Michel, Levy and Neubig 2019, Are Sixteen Heads Really Better than One?, https://arxiv.org/abs/1905.10650
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder._arrays import expect
from inorder.lab.trained_encoder.texts import PAIRS, batches, reordered
from inorder.pretrained import (
    Pretrained,
    Tokens,
    attention,
    sentence_vector,
    states,
    tokenize,
)
from inorder.transformer import Model

OFFSETS = tuple(range(-4, 5))


def offset_weights(
    tokens: Tokens, pretrained: Pretrained, offsets: Sequence[int] = OFFSETS, *, positions: bool = True
) -> Float[np.ndarray, "layer head offset"]:
    """The mean weight of each head on the key at each offset from the query, [CLS] and [SEP] left out. Source: [1].

    >>> from inorder.lab.trained_encoder.texts import windows
    >>> from inorder.pretrained import load
    >>> tokens = windows("One two three four five six.", load(), 6, 1)
    >>> offset_weights(tokens, load(), [-1, 0]).shape
    (6, 12, 2)
    """
    config = pretrained.model.config
    n = tokens.ids.shape[1] - 2
    sums, n_texts = np.zeros((config.n_layers, config.n_heads, len(offsets))), len(tokens.ids)
    for batch in batches(tokens):
        for layer, state in enumerate(states(batch, pretrained, positions=positions)):
            inner = np.asarray(state.weights)[:, :, 1:-1, 1:-1]
            for column, offset in enumerate(offsets):
                diagonal = np.diagonal(inner, offset, axis1=-2, axis2=-1)  # key − query = offset
                sums[layer, :, column] += diagonal.sum(axis=(0, -1)) / (n - abs(offset))
    return sums / n_texts


def weights_by_query(
    tokens: Tokens, pretrained: Pretrained, layer: int, head: int, offset: int = -1
) -> Float[np.ndarray, " query"]:
    """The mean weight of one head on the key at an offset from each query, [CLS] and [SEP] left out.

    >>> from inorder.lab.trained_encoder.texts import windows
    >>> from inorder.pretrained import load
    >>> weights_by_query(windows("One two three four five six.", load(), 6, 1), load(), 0, 2).shape
    (5,)
    """
    diagonals = []
    for batch in batches(tokens):
        *_, state = islice(states(batch, pretrained), layer + 1)
        weights = np.asarray(state.weights)[:, head, 1:-1, 1:-1]
        diagonals.append(np.diagonal(weights, offset, axis1=-2, axis2=-1))  # key − query = offset
    return np.concatenate(diagonals).mean(axis=0)


def without_head(pretrained: Pretrained, layer: int, head: int) -> Pretrained:
    """The same model, in which this head adds nothing: its rows of W_output are 0. Source: [2], section 2.3.

    Raises ValueError: a layer or head that is not there.

    >>> from inorder.pretrained import load
    >>> model = without_head(load(), 3, 11)
    >>> int((model.model.parameters.blocks[3].attention.w_output == 0).all(axis=1).sum())
    32
    """
    parameters, config = pretrained.model
    expect(layer in range(config.n_layers), f"a layer from 0 to {config.n_layers - 1}", layer)
    expect(head in range(config.n_heads), f"a head from 0 to {config.n_heads - 1}", head)
    d_head = config.d_model // config.n_heads
    block = parameters.blocks[layer]
    w_output = np.array(block.attention.w_output)
    w_output[head * d_head : (head + 1) * d_head] = 0
    block = block._replace(attention=block.attention._replace(w_output=w_output))
    blocks = (*parameters.blocks[:layer], block, *parameters.blocks[layer + 1 :])
    return pretrained._replace(model=Model(parameters._replace(blocks=blocks), config))


class Ablation(NamedTuple):
    """What every head is worth, one taken out at a time."""

    order: Float[np.ndarray, "layer head pair"]  # 1 − cosine of each pair, without this head
    vector: Float[np.ndarray, "layer head"]  # the mean of 1 − cosine between a sentence's vector with and without it


def ablate_heads(
    pretrained: Pretrained, pairs: Sequence[tuple[str, str]] = PAIRS, heads: Iterable[tuple[int, int]] | None = None
) -> Ablation:
    """Each head (or those given) taken out, alone; NaN for the rest.

    >>> from inorder.pretrained import load
    >>> found = ablate_heads(load(), PAIRS[:1], heads=[(0, 3)])
    >>> found.order.shape, bool(found.vector[0, 3] > 0)
    ((6, 12, 1), True)
    """
    config = pretrained.model.config
    shape = (config.n_layers, config.n_heads)
    sentences = [pair[side] for side in (0, 1) for pair in pairs]
    whole, n = np.asarray(sentence_vector(sentences, pretrained)), len(pairs)
    order, vector = np.full((*shape, n), np.nan), np.full(shape, np.nan)
    for layer, head in np.ndindex(*shape) if heads is None else heads:
        vectors = np.asarray(sentence_vector(sentences, without_head(pretrained, layer, head)))
        order[layer, head] = 1 - (vectors[:n] * vectors[n:]).sum(-1)
        vector[layer, head] = 1 - (vectors * whole).sum(-1).mean()
    return Ablation(order, vector)


def map_changes(
    sentence: str, pretrained: Pretrained, orders: Integer[np.ndarray, "order word"], *, positions: bool = True
) -> Float[np.ndarray, "order layer head"]:
    """How much of its weight each head gives to other tokens once the words stand in another order.

    Each token is followed to its new place, so that a map whose rows and columns have only moved has a change of 0.
    Otherwise, half of the sum over keys of |A' − A|, the mean over the queries: 1 if all weight has gone elsewhere.
    [CLS] and [SEP] stay where they are, and count.

    Raises ValueError: orders that are no permutations of the words; words that are not one token each.

    >>> import numpy as np
    >>> from inorder.pretrained import load
    >>> changes = map_changes("dog bites man", load(), np.array([[0, 1, 2], [2, 1, 0]]))
    >>> changes.shape, bool(changes[0].max() < 1e-6 < changes[1].min())
    ((2, 6, 12), True)
    """
    tokens = tokenize(sentence, pretrained)
    moved, back = reordered(sentence, pretrained, orders)
    every = np.arange(len(orders))[:, None, None, None]
    layers = zip(
        states(tokens, pretrained, positions=positions), states(moved, pretrained, positions=positions), strict=True
    )
    changes = []
    for still, other in layers:
        heads = np.arange(other.weights.shape[1])[:, None, None]
        returned = np.asarray(other.weights)[every, heads, back[:, None, :, None], back[:, None, None, :]]
        changes.append(np.abs(returned - np.asarray(still.weights)).sum(axis=-1).mean(axis=-1) / 2)
    return np.stack(changes, axis=1)


def pronoun_weights(sentence: str, pretrained: Pretrained) -> dict[str, Float[np.ndarray, "layer head"]]:
    """How much *it* looks at *animal* and at *street*, in every head.

    >>> from inorder.lab.trained_encoder.texts import PRONOUN
    >>> from inorder.pretrained import load
    >>> sorted(pronoun_weights(PRONOUN[0], load()))
    ['animal', 'street']
    """
    sentence_map = attention(sentence, pretrained)
    row = sentence_map.words.index("it")
    return {
        noun: np.asarray(sentence_map.weights)[:, :, row, sentence_map.words.index(noun)]
        for noun in ("animal", "street")
    }
