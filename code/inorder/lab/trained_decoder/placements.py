"""What moved positions cost: the loss on prose, and how far the next token's distribution moves."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder.lab.trained_decoder.order import SKIPPED, log_probabilities
from inorder.pretrained.decoder import PLACEMENTS, LanguageModel, Placement, logits


def window_placements(n: int, start: int, seed: int = 0) -> dict[str, Placement | Integer[np.ndarray, " position"]]:
    """Positions for a text of n tokens: the named ones, four permutations and some more, and those of a decoder that
    generated all from token `start` on with its positions restarted: at 0 each, at the length of the prompt each, and
    counting again from 0.

    >>> window_placements(6, 3)["restarted"]
    array([0, 1, 2, 0, 0, 0])
    """
    count = np.arange(n)
    written = count >= start
    return {
        **{name: placement for name, placement in PLACEMENTS.items() if not placement.restarted},
        "shifted by −500": Placement(offset=-500),
        "stretched ×4": Placement(scale=4),
        "stretched ×16": Placement(scale=16),
        "permuted": np.random.default_rng(seed).permutation(n),
        **{f"permuted, {more} more": np.random.default_rng(seed + more).permutation(n) for more in (1, 2, 3)},
        "restarted": np.where(written, 0, count),
        "stuck": np.where(written, start, count),
        "counted again": np.where(written, count - start, count),
    }


class PlacementCost(NamedTuple):
    """Of one way to place the tokens, in nats; the means leave out the rows before `SKIPPED`."""

    loss: float
    loss_by_window: Float[np.ndarray, " window"]
    loss_by_row: Float[np.ndarray, " row"]
    divergence: float  # Kullback and Leibler's, of the trained distribution from this one
    variation: float  # half the sum of the absolute differences
    same_choice: float  # the share of rows with the same likeliest token


def placement_costs(
    ids: Integer[np.ndarray, "window position"], lm: LanguageModel, placements: Mapping[str, Any]
) -> dict[str, PlacementCost]:
    """Each of the placements beside the trained one.

    >>> from inorder.lab.trained_decoder.texts import random_words
    >>> from inorder.pretrained.decoder import load
    >>> costs = placement_costs(random_words(load(), 10, 1, seed=0), load(), {"shifted": "shifted"})
    >>> costs["shifted"].variation < 1e-4
    True
    """
    trained = log_probabilities(np.asarray(logits(ids, lm))).astype(np.float64)
    costs = {}
    for name, placement in placements.items():
        scores = log_probabilities(np.asarray(logits(ids, lm, placement))).astype(np.float64)
        losses = -np.take_along_axis(scores[:, :-1], ids[:, 1:, None], axis=-1)[..., 0]
        late, late_trained = scores[:, SKIPPED:], trained[:, SKIPPED:]
        costs[name] = PlacementCost(
            loss=float(losses[:, SKIPPED:].mean()),
            loss_by_window=losses[:, SKIPPED:].mean(axis=1),
            loss_by_row=losses.mean(axis=0),
            divergence=float((np.exp(late_trained) * (late_trained - late)).sum(axis=-1).mean()),
            variation=float(np.abs(np.exp(late_trained) - np.exp(late)).sum(axis=-1).mean() / 2),
            same_choice=float((late.argmax(axis=-1) == late_trained.argmax(axis=-1)).mean()),
        )
    return costs
