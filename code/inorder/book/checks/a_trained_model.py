"""The exercises on a trained sentence encoder."""

import numpy as np

from inorder.book.exercise import Exercise, Mistake, integers


def _vector(rows: np.ndarray, mask: np.ndarray) -> np.ndarray:
    mean = rows[mask].mean(axis=0)
    return mean / np.linalg.norm(mean)


def _unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x)


sentence_vector = Exercise(
    name="sentence_vector",
    reference=_vector,
    cases=[
        {"rows": np.array([[4.0, 1.0], [2.0, 3.0], [5.0, 5.0]]), "mask": np.array([True, True, False])},
        {"rows": integers(70, 5, 3) + 1, "mask": np.array([True, True, True, False, False])},
        {"rows": integers(71, 4, 6) + 2, "mask": np.array([True, True, True, True])},
    ],
    mistakes=[
        Mistake(
            "counts the padding too",
            "Padding isn’t part of the sentence: average over the rows where the mask is True.",
            lambda rows, mask: _unit(rows.mean(axis=0)),
            planted=True,
        ),
        Mistake(
            "forgets to scale the mean to norm 1",
            "Two vectors are compared by their dot product, which is their cosine only if both have norm 1.",
            lambda rows, mask: rows[mask].mean(axis=0),
        ),
        Mistake(
            "averages along the wrong axis",
            "There is one number for each column: the mean runs over the tokens, axis 0.",
            lambda rows, mask: _unit(rows[mask].mean(axis=1)),
        ),
    ],
)


def _weights(seed: int, n_heads: int, n: int) -> np.ndarray:
    drawn = np.abs(integers(seed, n_heads, n, n)) + 1.0
    return drawn / drawn.sum(axis=-1, keepdims=True)


def _at_offset(weights: np.ndarray, offset: int) -> np.ndarray:
    return np.diagonal(weights, offset, axis1=-2, axis2=-1).mean(axis=-1)


weight_at_offset = Exercise(
    name="weight_at_offset",
    reference=_at_offset,
    cases=[
        {"weights": _weights(80, 2, 3), "offset": -1},
        {"weights": _weights(81, 3, 5), "offset": 2},
        {"weights": _weights(82, 5, 6), "offset": -3},
        {"weights": _weights(83, 1, 4), "offset": 0},
    ],
    mistakes=[
        Mistake(
            "looks in the other direction",
            "The offset is the key’s position minus the query’s: −1 is the token before, left of the diagonal.",
            lambda weights, offset: _at_offset(weights, -offset),
        ),
        Mistake(
            "divides by the number of tokens",
            "Near an end there is no such token. Only n − |offset| queries have one.",
            lambda weights, offset: np.diagonal(weights, offset, axis1=-2, axis2=-1).sum(axis=-1) / weights.shape[-1],
        ),
        Mistake(
            "mixes the heads",
            "There is one number for each head: the mean runs over the queries only.",
            lambda weights, offset: _at_offset(weights, offset).mean(),
        ),
    ],
)
