"""What there is of position: in the table, and layer by layer to a probe."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder.lab.probes import fit_probe, place_labels, position_accuracy
from inorder.lab.trained_encoder.texts import batches
from inorder.pretrained import Pretrained, Tokens, states
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


def position_probes(
    tokens: Tokens, pretrained: Pretrained, n_train: int, *, positions: bool = True, within: int = 0
) -> Float[np.ndarray, " state"]:
    """Can a linear read-out tell the position of a row in its text? Accuracy before and after each layer.

    Fitted on the first n_train texts, measured on the others; [CLS] and [SEP] are left out. Chance is 1/places.

    >>> from inorder.lab.trained_encoder.texts import windows
    >>> from inorder.pretrained import load
    >>> tokens = windows("One two three four five six seven eight.", load(), 2, 4)
    >>> position_probes(tokens, load(), 2).shape
    (7,)
    """
    layers = _rows_by_layer(tokens, pretrained, positions)
    return np.array([position_accuracy(rows[:n_train], rows[n_train:], within=within) for rows in layers])


def position_misses(train: Tokens, test: Tokens, pretrained: Pretrained) -> Integer[np.ndarray, "state row"]:
    """How many positions off the guess of such a probe is, in each row of the test texts, at each stage.

    >>> from inorder.lab.trained_encoder.texts import windows
    >>> from inorder.pretrained import load
    >>> tokens = windows("One two three four five six seven eight.", load(), 2, 4)
    >>> position_misses(tokens, tokens, load())[0]
    array([0, 0, 0, 0, 0, 0, 0, 0])
    """
    misses = []
    for rows, others in zip(*(_rows_by_layer(tokens, pretrained) for tokens in (train, test)), strict=True):
        labels = place_labels(others).ravel()
        guesses = fit_probe(rows, place_labels(rows)).predict(others.reshape(len(labels), -1))
        misses.append(abs(guesses - labels))
    return np.array(misses)


def _rows_by_layer(
    tokens: Tokens, pretrained: Pretrained, positions: bool = True
) -> list[Float[np.ndarray, "text position d_model"]]:
    """The rows before the first layer and after each, without those of [CLS] and [SEP]."""
    rows_by_layer: list[list[np.ndarray]] = [[] for _ in range(pretrained.model.config.n_layers + 1)]
    for batch in batches(tokens):
        stages = states(batch, pretrained, positions=positions)
        for rows, h in zip(rows_by_layer, (stages[0].x, *(state.hidden for state in stages)), strict=True):
            rows.append(np.asarray(h)[:, 1:-1])
    return [np.concatenate(rows) for rows in rows_by_layer]
