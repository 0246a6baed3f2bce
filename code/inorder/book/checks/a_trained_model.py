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
        ),
        Mistake(
            "forgets to scale the mean to norm 1",
            "Two vectors are compared by their dot product, which is their cosine only if both have norm 1.",
            lambda rows, mask: rows[mask].mean(axis=0),
        ),
        Mistake(
            "scales each row to norm 1, and not their mean",
            "First the mean, then its norm: a row with a large norm should count for more.",
            lambda rows, mask: (rows / np.linalg.norm(rows, axis=1, keepdims=True))[mask].mean(axis=0),
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
        Mistake(
            "takes its diagonal along the wrong axes",
            "The axes are head, query and key. The diagonal runs along the last two: axis1=-2, axis2=-1.",
            lambda weights, offset: np.diagonal(weights, offset).mean(axis=-1),
        ),
    ],
)


def _without(w_output: np.ndarray, head: int, n_heads: int) -> np.ndarray:
    remaining, d_head = w_output.copy(), len(w_output) // n_heads
    remaining[head * d_head : (head + 1) * d_head] = 0
    return remaining


def _columns(w_output: np.ndarray, head: int, n_heads: int) -> np.ndarray:
    remaining, d_head = w_output.copy(), len(w_output) // n_heads
    remaining[:, head * d_head : (head + 1) * d_head] = 0
    return remaining


def _every_nth(w_output: np.ndarray, head: int, n_heads: int) -> np.ndarray:
    remaining = w_output.copy()
    remaining[head::n_heads] = 0
    return remaining


def _one_row(w_output: np.ndarray, head: int, n_heads: int) -> np.ndarray:
    remaining = w_output.copy()
    remaining[head] = 0
    return remaining


def _only(w_output: np.ndarray, head: int, n_heads: int) -> np.ndarray:
    return w_output - _without(w_output, head, n_heads)


def _nowhere_zero(seed: int, *shape: int) -> np.ndarray:
    return integers(seed, *shape) + 4.0


without_head = Exercise(
    name="without_head",
    reference=_without,
    cases=[
        {"w_output": _nowhere_zero(90, 4, 5), "head": 1, "n_heads": 2},
        {"w_output": _nowhere_zero(91, 6, 7), "head": 0, "n_heads": 3},
        {"w_output": _nowhere_zero(92, 12, 8), "head": 2, "n_heads": 4},
    ],
    mistakes=[
        Mistake(
            "clears columns instead of rows",
            "A head’s output is multiplied from the left: its share of W_O is a slice of rows.",
            _columns,
            planted=True,
        ),
        Mistake(
            "takes every n-th row",
            "The heads stand side by side: head h has d_head rows in a block, with no other head’s row in between.",
            _every_nth,
        ),
        Mistake(
            "clears one row only",
            "A head has d_head rows, d_head = number of rows / number of heads.",
            _one_row,
        ),
        Mistake("keeps that head and takes out the others", "It is that one head that should be 0.", _only),
    ],
)


def _share_inside(words: np.ndarray, directions: np.ndarray) -> float:
    centred = words - words.mean(axis=0)
    return float(((centred @ directions.T) ** 2).sum() / (centred**2).sum())


def _orthonormal(seed: int, k: int, d: int) -> np.ndarray:
    return np.linalg.qr(integers(seed, d, d) + 5 * np.eye(d))[0].T[:k]


share_inside = Exercise(
    name="share_inside",
    reference=_share_inside,
    cases=[
        {"words": np.array([[1.0, 4.0, 0.0], [3.0, 1.0, 1.0]]), "directions": np.array([[1.0, 0.0, 0.0]])},
        {"words": integers(100, 6, 4) + 2, "directions": _orthonormal(101, 2, 4)},
        {"words": integers(102, 9, 5) - 1, "directions": _orthonormal(103, 3, 5)},
    ],
    mistakes=[
        Mistake(
            "forgets to subtract the mean word",
            "Variance is measured from the mean: subtract the mean row first.",
            lambda words, directions: ((words @ directions.T) ** 2).sum() / (words**2).sum(),
        ),
        Mistake(
            "compares norms, and not their squares",
            "Only squared norms add up over directions at right angles.",
            lambda words, directions: (
                np.linalg.norm((words - words.mean(axis=0)) @ directions.T) / np.linalg.norm(words - words.mean(axis=0))
            ),
        ),
        Mistake(
            "divides by the number of directions",
            "The share grows with the number of directions, but so does chance, which it is compared with.",
            lambda words, directions: _share_inside(words, directions) / len(directions),
        ),
        Mistake(
            "subtracts the mean of each row",
            "The mean word is a row: it is the mean over the words, axis 0.",
            lambda words, directions: (
                (((words - words.mean(axis=1, keepdims=True)) @ directions.T) ** 2).sum()
                / ((words - words.mean(axis=1, keepdims=True)) ** 2).sum()
            ),
        ),
    ],
)
