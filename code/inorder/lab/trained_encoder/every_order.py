"""One sentence in all orders of its words: what one head of each layer looks at, and where its rows end."""

from itertools import permutations
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder._arrays import expect
from inorder.lab.trained_encoder.heads import map_changes
from inorder.lab.trained_encoder.texts import reordered
from inorder.pretrained import Pretrained, states

SAME = 1e-9  # rounding leaves less than a thousandth of it


class EveryOrder(NamedTuple):
    """The orders stand as `itertools.permutations` lists them; ``since`` says 0 of the first, from which none differs.

    The numbers of a row are its parts along the directions in which the last rows of all orders vary most, the largest
    first, each divided by its standard deviation.
    """

    heads: list[int]  # by layer: the one whose weights change most from order to order
    weights: Float[np.ndarray, "order layer query key"]  # of these heads; the rest of a row goes to [CLS] and [SEP]
    rows: Float[np.ndarray, "order word number"]
    since: Integer[np.ndarray, "order word"]  # 0: its row is another as it enters, 1: as it leaves layer 0, …
    least_change: float  # of a number, over all orders but the first


def every_order(sentence: str, pretrained: Pretrained, n_numbers: int) -> EveryOrder:
    """The sentence in all orders of its words; [CLS] and [SEP] stay where they are.

    Raises ValueError: words that are not one token each; more numbers than a row has; an order in which a row stays.

    >>> import numpy as np
    >>> from inorder.pretrained import load
    >>> found = every_order("dog bites man", load(like=np.zeros(1)), 8)
    >>> found.weights.shape, found.rows.shape
    ((6, 6, 3, 3), (6, 3, 8))
    >>> found.since[5], found.least_change > SAME  # man bites dog
    (array([0, 1, 0]), True)
    """
    orders = np.array(list(permutations(range(len(sentence.split())))))
    d_model = pretrained.model.config.d_model
    expect(0 < n_numbers <= d_model, f"1 to {d_model} numbers", n_numbers)
    tokens, back = reordered(sentence, pretrained, orders)
    heads = map_changes(sentence, pretrained, orders).mean(axis=0).argmax(axis=-1)  # (layer,)
    layers = states(tokens, pretrained)
    every, words = np.arange(len(orders))[:, None], back[:, 1:-1]  # (order, word): the place of each word

    def by_word(h: np.ndarray) -> Float[np.ndarray, "order word d_model"]:
        return np.asarray(h)[every, words]

    rows = np.stack([by_word(h) for h in (layers[0].x, *(state.hidden for state in layers))])
    differs = (abs(rows - rows[:, :1]) > SAME).any(axis=-1)  # (layer + 1, order, word)
    expect(bool(differs[-1, 1:].all()), "rows that change in every order", "one that stays")
    weights = [
        np.asarray(state.weights)[every[..., None], head, words[:, :, None], words[:, None]]
        for state, head in zip(layers, heads, strict=True)
    ]
    numbers = along_main_directions(rows[-1], n_numbers)
    return EveryOrder(
        heads=heads.tolist(),
        weights=np.stack(weights, axis=1),
        rows=numbers,
        since=np.where(differs.any(axis=0), differs.argmax(axis=0), 0),
        least_change=float(abs(numbers - numbers[0])[1:].min()),
    )


def along_main_directions(rows: Float[np.ndarray, "*some d_model"], n: int) -> Float[np.ndarray, "*some {n}"]:
    """The parts of the rows along their first n principal directions, each of mean 0 and standard deviation 1.

    The sign of a direction is that of its largest entry, so that it is the same on every machine.
    """
    flat = rows.reshape(-1, rows.shape[-1])
    centred = flat - flat.mean(axis=0)
    directions = np.linalg.svd(centred, full_matrices=False)[2][:n]  # (n, d_model)
    largest = np.take_along_axis(directions, abs(directions).argmax(axis=1)[:, None], axis=1)
    parts = centred @ (directions * np.sign(largest)).T
    return (parts / parts.std(axis=0)).reshape(*rows.shape[:-1], n)
