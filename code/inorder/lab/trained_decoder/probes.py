"""Where position is, layer by layer: what a linear probe reads in the rows of the stream."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Integer

from inorder.lab.probes import fit_probe, place_labels, probe_accuracy
from inorder.pretrained.decoder import LanguageModel, states
from inorder.transformer import Model, init_parameters

BATCH = 20  # windows that run through the model at once


def untrained(lm: LanguageModel, seed: int) -> LanguageModel:
    """A model of the same shape that never learned.

    >>> from inorder.pretrained.decoder import load
    >>> untrained(load(), 0).model.config == load().model.config
    True
    """
    config = lm.model.config
    return lm._replace(model=Model(init_parameters(config, seed, like=lm.model.parameters.embedding), config))


def stream_rows(
    ids: Integer[np.ndarray, "window position"], lm: LanguageModel, layers: Sequence[int], positions: str | None = None
) -> Float[np.ndarray, "state window position d_model"]:
    """The rows before the first layer (0) and after layer 1, 2, … 30: those named.

    >>> from inorder.pretrained.decoder import load
    >>> stream_rows(np.array([[504, 3575, 282]]), load(), [0, 30]).shape
    (2, 1, 3, 576)
    """
    batches = []
    for start in range(0, len(ids), BATCH):
        layer_states = states(ids[start : start + BATCH], lm, positions)
        stream = [layer_states[0].x, *(state.hidden for state in layer_states)]
        batches.append(np.stack([np.asarray(stream[layer]) for layer in layers]))
    return np.concatenate(batches, axis=1)


def position_probes(
    train: Float[np.ndarray, "state window position d_model"],
    test: Float[np.ndarray, "state test_window position d_model"],
    *,
    permuted: int | None = None,
) -> dict[str, list[float]]:
    """At which position does a row stand? Accuracy of a linear probe on the test rows, exact and within one.

    permuted: a seed; the labels of each training window are then permuted, and what is left is chance (1 / positions).

    >>> rng = np.random.default_rng(0)
    >>> rows = np.eye(4, 6) + 0.01 * rng.normal(size=(1, 20, 4, 6))  # (state, window, position, d_model)
    >>> position_probes(rows[:, :15], rows[:, 15:])
    {'exact': [1.0], 'within one': [1.0]}
    """
    accuracies: dict[str, list[float]] = {"exact": [], "within one": []}
    for train_rows, test_rows in zip(train, test, strict=True):
        labels = place_labels(train_rows)
        if permuted is not None:
            labels = np.random.default_rng(permuted).permuted(labels, axis=1)
        probe = fit_probe(train_rows, labels)
        for within, name in enumerate(accuracies):
            accuracies[name].append(probe_accuracy(probe, test_rows, place_labels(test_rows), within=within))
    return accuracies
