"""How much the order of the words matters: between two orders, layer by layer, in the position table, to a probe."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, Integer

from inorder.lab.probes import fit_probe, place_labels, position_accuracy
from inorder.lab.trained_encoder.texts import PAIRS, batches
from inorder.pretrained import (
    Pretrained,
    Tokens,
    sentence_vector,
    states,
    tokenize,
)
from inorder.transformer import Model


def pair_cosines(
    pretrained: Pretrained, pairs: Sequence[tuple[str, str]] = PAIRS, *, positions: bool = True
) -> Float[np.ndarray, " pair"]:
    """The cosine between the vectors of a sentence and of its words in another order.

    >>> from inorder.pretrained import load
    >>> bool(abs(pair_cosines(load(), PAIRS[:2], positions=False) - 1).max() < 1e-5)
    True
    """
    one, other = (sentence_vector([pair[side] for pair in pairs], pretrained, positions) for side in (0, 1))
    return np.asarray((one * other).sum(-1))


def layer_errors(
    sentence: str, pretrained: Pretrained, *, positions: bool = True, n_orders: int = 4, seed: int = 0
) -> Float[np.ndarray, " state"]:
    """By how much the rows fail to travel with their tokens, before the first layer and after each: the mean of
    ‖H(P x) − P H(x)‖ / ‖H(x)‖ over some orders of the words ([CLS] and [SEP] stay). The norm is that of all numbers.

    >>> from inorder.pretrained import load
    >>> errors = layer_errors(PAIRS[0][0], load(), n_orders=1)
    >>> errors.shape
    (7,)
    """
    tokens = tokenize(sentence, pretrained)
    rng, n = np.random.default_rng(seed), tokens.ids.shape[1]

    def rows(ids: np.ndarray) -> list[np.ndarray]:
        layers = states(tokens._replace(ids=ids), pretrained, positions=positions)
        return [np.asarray(h)[0] for h in (layers[0].x, *(state.hidden for state in layers))]

    still, errors = rows(tokens.ids), []
    for _ in range(n_orders):
        order = np.concatenate([[0], 1 + rng.permutation(n - 2), [n - 1]])
        moved = rows(tokens.ids[:, order])
        pairs = zip(moved, still, strict=True)
        errors.append([np.linalg.norm(a - b[order]) / np.linalg.norm(b) for a, b in pairs])
    return np.mean(errors, axis=0)


def shuffled_table(pretrained: Pretrained, seed: int) -> Pretrained:
    """A control: the same model, the rows of its position table in another order.

    Every position still has a row of its own, with the same norms; which position follows which is lost.

    >>> from inorder.pretrained import load
    >>> one, other = (model.model.parameters.position["rows"] for model in (load(), shuffled_table(load(), 0)))
    >>> bool((np.sort(one, axis=0) == np.sort(other, axis=0)).all()), bool((one == other).all())
    (True, False)
    """
    n_rows = len(pretrained.model.parameters.position["rows"])
    return _with_rows(pretrained, np.random.default_rng(seed).permutation(n_rows))


def moved_table(pretrained: Pretrained, start: int) -> Pretrained:
    """The same model, whose texts begin at position `start` of the table; after its last row comes the first.

    >>> from inorder.pretrained import load
    >>> one, other = (model.model.parameters.position["rows"] for model in (load(), moved_table(load(), 3)))
    >>> bool((other[:2] == one[3:5]).all())
    True
    """
    n_rows = len(pretrained.model.parameters.position["rows"])
    return _with_rows(pretrained, np.roll(np.arange(n_rows), -start))


def _with_rows(pretrained: Pretrained, order: Int[np.ndarray, " position"]) -> Pretrained:
    parameters, config = pretrained.model
    position = {**parameters.position, "rows": np.asarray(parameters.position["rows"])[order]}
    return pretrained._replace(model=Model(parameters._replace(position=position), config))


class Geometry(NamedTuple):
    """How many dimensions hold a share of a position table, and how much of the words lies in them."""

    share: float
    n_dimensions: int
    words: float  # the share of the word table's variance in these dimensions
    chance: float  # that in as many dimensions turned at random: n_dimensions / d_model
    chance_deviation: float  # over random turns


def position_geometry(
    positions: Float[np.ndarray, "position d_model"],
    words: Float[np.ndarray, "word d_model"],
    shares: Sequence[float] = (0.95, 0.99),
    *,
    n_turns: int = 20,
    seed: int = 0,
) -> list[Geometry]:
    """Principal directions of the position table, as many as hold each share of its variance; and the words in them.

    >>> rng = np.random.default_rng(0)
    >>> plane, words = rng.normal(size=(50, 2)) @ np.eye(2, 8), rng.normal(size=(100, 6)) @ np.eye(8)[2:]
    >>> [found] = position_geometry(plane, words, [0.99])
    >>> found.n_dimensions, found.words < 1e-12, found.chance
    (2, True, 0.25)
    """
    positions, words = (np.asarray(table, dtype=np.float64) for table in (positions, words))
    centred, words = positions - positions.mean(axis=0), words - words.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    held = np.cumsum(sizes**2) / np.sum(sizes**2)
    covariance = words.T @ words / np.sum(words**2)  # its trace is 1
    rng, geometry = np.random.default_rng(seed), []
    for share in shares:
        n = int(np.searchsorted(held, share) + 1)
        turned = [np.linalg.qr(rng.normal(size=(words.shape[1], n)))[0] for _ in range(n_turns)]
        by_chance = [np.trace(q.T @ covariance @ q) for q in turned]
        inside = float(np.trace(directions[:n] @ covariance @ directions[:n].T))
        geometry.append(Geometry(share, n, inside, n / words.shape[1], float(np.std(by_chance))))
    return geometry


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
