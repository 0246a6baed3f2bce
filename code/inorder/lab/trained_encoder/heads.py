"""Where each head looks.

[1] Clark et al. 2019, What Does BERT Look At?, https://arxiv.org/abs/1906.04341
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Integer

from inorder.lab.trained_encoder.texts import batches, reordered
from inorder.pretrained import Pretrained, Tokens, states, tokenize

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
