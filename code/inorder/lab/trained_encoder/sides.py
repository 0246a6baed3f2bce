"""What tells queries from keys in a trained model.

[1] Saponati et al. 2025, The underlying structures of self-attention, https://arxiv.org/abs/2502.10927
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder._arrays import expect
from inorder.lab.trained_encoder.texts import batches
from inorder.pretrained import (
    Pretrained,
    Tokens,
    states,
)

WORDS = ("[CLS]", "[SEP]", ",", "the", "alice")


class Sides(NamedTuple):
    """The norms of the mean query and the mean key of each head, and of its two biases. (layer, head)

    A constant part of all keys adds the same to all scores of a row, which softmax takes away; a constant part of all
    queries says which keys are looked at by everyone. Only the second can be learned. Source for trained models: [1].
    """

    query: Float[np.ndarray, "layer head"]  # |mean q|² / mean |q|²
    key: Float[np.ndarray, "layer head"]
    query_gain: Float[np.ndarray, "layer head"]  # |μ W_Q| / (|μ| ‖W_Q‖_F/√d_model): 1 along an ordinary direction
    key_gain: Float[np.ndarray, "layer head"]
    query_spread: Float[np.ndarray, "layer head"]  # the same for the rows less μ: root mean squares instead of |·|
    key_spread: Float[np.ndarray, "layer head"]
    query_bias: Float[np.ndarray, "layer head"]  # |b_Q|
    key_bias: Float[np.ndarray, "layer head"]


def query_and_key(
    tokens: Tokens, pretrained: Pretrained, *, positions: bool = True, part: slice = slice(None)
) -> Sides:
    """Along μ, the mean row that enters a layer, do W_Q and W_K differ? Measured on real rows, head by head: on a
    part of the rows of each text, or on all.

    >>> from inorder.lab.trained_encoder.texts import windows
    >>> from inorder.pretrained import load
    >>> tokens = windows("One two three four five six.", load(), 6, 1)
    >>> query_and_key(tokens, load()).query.shape
    (6, 12)
    """
    n_heads, d_model = pretrained.model.config.n_heads, pretrained.model.config.d_model
    rows_by_layer: list[list[np.ndarray]] = [[] for _ in pretrained.model.parameters.blocks]
    for batch in batches(tokens):
        for rows, state in zip(rows_by_layer, states(batch, pretrained, positions=positions), strict=True):
            rows.append(np.asarray(state.x)[:, part].reshape(-1, d_model))
    norms: list[list[np.ndarray]] = []
    for rows, block in zip(rows_by_layer, pretrained.model.parameters.blocks, strict=True):
        x, w = np.concatenate(rows), block.attention
        mu = x.mean(axis=0)

        def by_head(columns: Any) -> np.ndarray:
            return np.asarray(columns).reshape(*np.shape(columns)[:-1], n_heads, -1)  # (..., head, d_head)

        shares, gains, spreads, biases = [], [], [], []
        for weight, bias in ((w.w_query, w.b_query), (w.w_key, w.b_key)):
            projected = by_head(x @ weight + bias)
            shares.append((projected.mean(0) ** 2).sum(-1) / (projected**2).sum(-1).mean(0))
            usual = np.sqrt((by_head(weight) ** 2).sum(axis=(0, 2)) / d_model)
            gains.append(np.linalg.norm(by_head(mu @ weight), axis=-1) / np.linalg.norm(mu) / usual)
            spreads.append(np.sqrt((by_head((x - mu) @ weight) ** 2).sum((0, 2)) / ((x - mu) ** 2).sum()) / usual)
            biases.append(np.linalg.norm(by_head(bias), axis=-1))
        norms.append([*shares, *gains, *spreads, *biases])
    return Sides(*(np.array(column) for column in zip(*norms, strict=True)))


class Separation(NamedTuple):
    """Two unit directions a layer: the one along which |u W_Q|² exceeds |u W_K|² by most, and the reverse. (layer, 2)

    Each matrix is scaled so that |u W|² is 1 along an ordinary direction.
    """

    query: Float[np.ndarray, "layer side"]  # |u W_Q|²
    key: Float[np.ndarray, "layer side"]  # |u W_K|²
    mean: Float[np.ndarray, "layer side"]  # |cosine| with μ, the mean row that enters the layer
    positions: Float[np.ndarray, "layer side"]  # share of u in the directions that hold 95% of the position table


def separating_directions(tokens: Tokens, pretrained: Pretrained) -> Separation:
    """Along which direction can W_Q and W_K be told apart? The first and last eigenvector of W_Q W_Qᵀ − W_K W_Kᵀ.

    >>> from inorder.lab.trained_encoder.texts import windows
    >>> from inorder.pretrained import load
    >>> found = separating_directions(windows("One two three four five six.", load(), 6, 1), load())
    >>> bool((found.query[:, 0] > found.key[:, 0]).all() and (found.query[:, 1] < found.key[:, 1]).all())
    True
    """
    d_model = pretrained.model.config.d_model
    table = np.asarray(pretrained.model.parameters.position["rows"], dtype=np.float64)
    _, sizes, axes = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    axes = axes[: np.searchsorted(np.cumsum(sizes**2) / np.sum(sizes**2), 0.95) + 1]
    directions = []
    for state, block in zip(states(tokens, pretrained), pretrained.model.parameters.blocks, strict=True):
        mean = np.asarray(state.x, dtype=np.float64).reshape(-1, d_model).mean(axis=0)
        weights = (np.asarray(w, dtype=np.float64) for w in (block.attention.w_query, block.attention.w_key))
        query, key = (w @ w.T / np.sum(w**2) * d_model for w in weights)
        sides = np.linalg.eigh(query - key)[1][:, [-1, 0]]  # (d_model, side)
        lengths = [np.sum(sides * (gram @ sides), axis=0) for gram in (query, key)]
        directions.append([*lengths, abs(mean @ sides) / np.linalg.norm(mean), np.sum((axes @ sides) ** 2, axis=0)])
    return Separation(*(np.array(column) for column in zip(*directions, strict=True)))


class AlongMean(NamedTuple):
    """How the rows that enter each layer lie along μ, their mean: do they share that part?"""

    mean: Float[np.ndarray, " layer"]  # |μ|, the mean of the part along μ
    deviation: Float[np.ndarray, " layer"]  # over all rows; 0 if they shared it exactly
    usual: Float[np.ndarray, " layer"]  # the same along an ordinary direction: √(total variance / d_model)
    words: Float[np.ndarray, "layer word"]  # the mean part of single words


def along_mean(tokens: Tokens, pretrained: Pretrained, words: Sequence[str] = WORDS) -> AlongMean:
    """The part of each row along μ. Only what all rows share exactly is hidden from the softmax.

    Raises ValueError: a word that is not in the texts.

    >>> from inorder.lab.trained_encoder.texts import windows
    >>> from inorder.pretrained import load
    >>> along_mean(windows("One two three four five six.", load(), 6, 1), load(), ["one", "[SEP]"]).words.shape
    (6, 2)
    """
    d_model = pretrained.model.config.d_model
    rows_by_layer: list[list[np.ndarray]] = [[] for _ in pretrained.model.parameters.blocks]
    for batch in batches(tokens):
        for rows, state in zip(rows_by_layer, states(batch, pretrained), strict=True):
            rows.append(np.asarray(state.x, dtype=np.float64).reshape(-1, d_model))
    of_row = np.array([word for text in tokens.words for word in text])
    for word in words:
        expect(word in of_row, "words that are in the texts", repr(word))
    results = []
    for rows in rows_by_layer:
        x = np.concatenate(rows)
        length = np.linalg.norm(x.mean(axis=0))
        part = x @ x.mean(axis=0) / length
        usual = np.sqrt(x.var(axis=0).mean())
        results.append((length, part.std(), usual, [part[of_row == word].mean() for word in words]))
    return AlongMean(*(np.array(column) for column in zip(*results, strict=True)))
