"""The position table: its rows in another order, and the directions that hold it."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from inorder.pretrained import Pretrained
from inorder.transformer import Model


def shuffled_table(pretrained: Pretrained, seed: int) -> Pretrained:
    """A control: the same model, the rows of its position table in another order.

    Every position still has a row of its own, with the same norms; which position follows which is lost.

    >>> from inorder.pretrained import load
    >>> one, other = (model.model.parameters.position["rows"] for model in (load(), shuffled_table(load(), 0)))
    >>> bool((np.sort(one, axis=0) == np.sort(other, axis=0)).all()), bool((one == other).all())
    (True, False)
    """
    parameters, config = pretrained.model
    rows = np.asarray(parameters.position["rows"])
    shuffled = rows[np.random.default_rng(seed).permutation(len(rows))]
    position = {**parameters.position, "rows": shuffled}
    return pretrained._replace(model=Model(parameters._replace(position=position), config))


class Room(NamedTuple):
    """How many directions hold a share of a position table's variance, and how much of the words' lies in them."""

    n_directions: int
    words: float
    chance: float  # in as many directions turned at random, on average: n_directions / d_model


def room_for_positions(
    positions: Float[np.ndarray, "position d_model"], words: Float[np.ndarray, "word d_model"], share: float = 0.95
) -> Room:
    """Principal directions of the position table, as many as hold that share of its variance; and the words in them.

    >>> rng = np.random.default_rng(0)
    >>> plane, words = rng.normal(size=(50, 2)) @ np.eye(2, 8), rng.normal(size=(100, 6)) @ np.eye(8)[2:]
    >>> room = room_for_positions(plane, words)
    >>> room.n_directions, room.words < 1e-12, room.chance
    (2, True, 0.25)
    """
    positions, words = (np.asarray(table, dtype=np.float64) for table in (positions, words))
    centred, words = positions - positions.mean(axis=0), words - words.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    n = int(np.searchsorted(np.cumsum(sizes**2) / np.sum(sizes**2), share) + 1)
    inside = float(((words @ directions[:n].T) ** 2).sum() / (words**2).sum())
    return Room(n, inside, n / words.shape[1])
