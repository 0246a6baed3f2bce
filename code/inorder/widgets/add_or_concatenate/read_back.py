"""What the best affine map reads back from a token and a position that are added, or side by side."""

from functools import cache
from typing import NamedTuple

import numpy as np

from inorder.widgets.kit.model_state import numbers_from_text

LARGEST_TABLE = 24  # rows
WIDEST = 64
TIE = 1e-9  # a score that is no further ahead than this has not won
SPANNED = 1e-9  # what rounding leaves of a column, relative to its norm, when the columns before it span it already


class ReadBack(NamedTuple):
    """What the best affine map from vectors to one-hot tokens and positions says of one pair: (token,), (position,)."""

    tokens: np.ndarray
    positions: np.ndarray


# Over all pairs the sums of centred rows vanish, and so do the cross terms of the squared error:
#   Σ_tk ‖(x_t + p_k) W − onehot_t‖² = L Σ_t ‖x_t W − onehot_t‖² + V Σ_k ‖p_k W‖²
# This is least squares with √L x_t and √V p_k as rows, so the predictions are H times the targets, H the projector on
# the columns of these rows. One column more adds one vector to an orthonormal basis of them.


def centred(table: np.ndarray) -> np.ndarray:
    return table - table.mean(axis=0)


def weighted(x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The rows whose projector reads sums: √L x_t above √V p_k, both centred, (V + L, d)."""
    return np.concatenate([np.sqrt(len(p)) * centred(x), np.sqrt(len(x)) * centred(p)])


def column_space(rows: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """For 1, 2, … columns of (n, d): the projector on their span, (n, n), and its rank. Gram and Schmidt, twice."""
    n = len(rows)
    projector, basis, projectors = np.zeros((n, n)), np.zeros((0, n)), []
    for column in rows.T:
        rest = column - basis.T @ (basis @ column)
        rest = rest - basis.T @ (basis @ rest)
        length = np.linalg.norm(rest)
        if length > SPANNED * np.linalg.norm(column):
            basis = np.concatenate([basis, rest[None] / length])
            projector = projector + np.outer(basis[-1], basis[-1])
        projectors.append((projector, len(basis)))
    return projectors


def read_sum(projector: np.ndarray, n_tokens: int, token: int, position: int) -> ReadBack:
    """What the read-out says of x_t + p_k."""
    v, m = n_tokens, len(projector) - n_tokens  # tokens, positions
    of_token, of_position = projector[token], projector[v + position]
    return ReadBack(
        1 / v + of_token[:v] + np.sqrt(m / v) * of_position[:v],
        1 / m + of_position[v:] + np.sqrt(v / m) * of_token[v:],
    )


def pairs_read_from_sums(projector: np.ndarray, n_tokens: int) -> int:
    """The number of pairs in which token and position both win."""
    v, m = n_tokens, len(projector) - n_tokens  # tokens, positions
    tokens = projector[:v, None, :v] + np.sqrt(m / v) * projector[None, v:, :v]  # (token, position, token)
    positions = projector[None, v:, v:] + np.sqrt(v / m) * projector[:v, None, v:]  # (token, position, position)
    return int((won(np.swapaxes(tokens, 0, 1)).T & won(positions)).sum())


def won(scores: np.ndarray) -> np.ndarray:
    """Is the right answer, on the diagonal of the last two axes, ahead of all others? (..., n, n) to (..., n)."""
    right = np.diagonal(scores, axis1=-2, axis2=-1)
    others = np.where(np.eye(scores.shape[-1], dtype=bool), -np.inf, scores)
    return right > others.max(axis=-1) + TIE


def split(d: int, share: float) -> int:
    return min(max(int(np.floor(share * d + 0.5)), 1), d - 1)


@cache
def random_tables() -> tuple[np.ndarray, np.ndarray]:
    """Tokens and positions, (24, 64) each, independent normal numbers of variance 1; the browser draws the same."""
    n = LARGEST_TABLE * WIDEST
    tokens, positions = (normal_numbers(f"{name}, table 0", n) for name in ("tokens", "positions"))
    return tokens.reshape(LARGEST_TABLE, WIDEST), positions.reshape(LARGEST_TABLE, WIDEST)


def normal_numbers(text: str, n: int) -> np.ndarray:
    """n normal numbers that are always the same for the same text: Box and Muller's, two uniform ones for each."""
    uniform = (np.array(numbers_from_text(text, 2 * n)).reshape(n, 2) + 1) / 2
    return np.sqrt(-2 * np.log(1 - uniform[:, 0])) * np.cos(2 * np.pi * uniform[:, 1])


def is_right(scores: np.ndarray, right: int) -> bool:
    """Is that score ahead of all others?"""
    return bool(scores[right] > np.delete(scores, right).max() + TIE)
