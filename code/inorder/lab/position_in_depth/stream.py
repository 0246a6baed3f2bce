"""The stream of a model, block by block: what each part adds to it, and what happens if it is changed on the way."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder._arrays import Array, expect
from inorder.lab.erasure import Eraser, erase, fit_eraser
from inorder.lab.position_in_depth.own_part import own_part
from inorder.lab.probes import place_labels
from inorder.transformer import LayerState, Model, block, feed_forward
from inorder.transformer.layers import normalise

Rows = Float[np.ndarray, "batch position d_model"]
Change = Callable[[int, Rows], Rows]
ALL = slice(None)


class Shares(NamedTuple):
    """Of one block: medians over the rows of many texts."""

    stream: float  # the norm of a row that enters
    attention: float  # the norm of what attention adds, beside that of the row
    feed_forward: float  # the same for the feed-forward part, beside the row that it is added to
    common: float  # the part of what attention adds (of its mean square) that all rows of a text share
    own: float  # the own part of the rows that enter


def shares(states: Sequence[LayerState], model: Model, rows: slice = ALL) -> list[Shares]:
    """How much each block adds to the stream, by those rows of each text that count.

    >>> from inorder.transformer import fresh_model, layer_states
    >>> model = fresh_model(0, norm="post")
    >>> states = list(layer_states(np.array([[1, 2, 3], [4, 5, 6]]), *model, positions=np.arange(3)))
    >>> [round(each.stream / 32**0.5, 2) for each in shares(states, model)]  # the norm gives every row the same size
    [1.01, 1.0]
    """
    parameters, config = model
    skip, results = config.residual, []
    for state, p in zip(states, parameters.blocks, strict=True):
        middle = skip * state.x + state.attended
        if config.norm == "post":
            assert p.norm_attention and p.feed_forward  # the configuration says so
            middle = normalise(middle, p.norm_attention, config)
            added = feed_forward(middle, p.feed_forward, activation=config.activation)
        else:
            added = state.hidden - skip * middle
        entering, attended = (np.asarray(x)[:, rows] for x in (state.x, state.attended))
        norms = {"x": entering, "attended": attended, "middle": middle[:, rows], "added": added[:, rows]}
        norms = {name: np.linalg.norm(x, axis=-1) for name, x in norms.items()}  # (text, row)
        results.append(
            Shares(
                stream=float(np.median(norms["x"])),
                attention=float(np.median(norms["attended"] / norms["x"])),
                feed_forward=float(np.median(norms["added"] / norms["middle"])),
                common=float((attended.mean(axis=1) ** 2).sum() * attended.shape[1] / (attended**2).sum()),
                own=own_part(entering),
            )
        )
    return results


def run_stream(
    x: Rows, model: Model, *, positions: Any, mask: Array | None = None, change: Change | None = None
) -> Iterator[Rows]:
    """The rows before the first block, which is state 0, and after each block.

    change(state, rows) gives the rows that go on in place of these.

    >>> from inorder.transformer import embed, fresh_model
    >>> model = fresh_model(0)
    >>> x = embed(np.array([[1, 2, 3]]), *model, positions=np.arange(3))
    >>> len(list(run_stream(x, model, positions=np.arange(3))))
    3
    """
    parameters, config = model
    options = {"positions": positions, "mask": mask, "tables": parameters.position}
    for state in range(config.n_layers + 1):
        if state:
            x = block(x, parameters.blocks[state - 1], config, **options).hidden
        if change is not None:
            x = change(state, x)
        yield x


def erasing(erasers: Mapping[int, Eraser], rows: slice = ALL) -> Change:
    """A change of `run_stream`: in the states named, position is erased from these rows of each text."""

    def change(state: int, x: Rows) -> Rows:
        return _erased(x, erasers[state], rows) if state in erasers else x

    return change


def _erased(x: Rows, eraser: Eraser, rows: slice) -> Rows:
    x = x.copy()
    x[:, rows] = erase(x[:, rows], eraser)
    return x


def fit_erasers(
    x: Rows,
    model: Model,
    states: Sequence[int],
    *,
    positions: Any,
    mask: Array | None = None,
    rows: slice = ALL,
    permuted: int | None = None,
) -> dict[int, Eraser]:
    """Erasers of position for these states, each fitted to rows that the ones before it have changed.

    permuted: a seed; the labels of each text are permuted, once for all states. Such erasers take out as many
    meaningless directions.

    Raises ValueError: a state that the model does not have.

    >>> from inorder.transformer import embed, fresh_model
    >>> model, tokens = fresh_model(0, position="sinusoidal"), np.random.default_rng(0).integers(12, size=(30, 4))
    >>> x = embed(tokens, *model, positions=np.arange(4))
    >>> fit_erasers(x, model, [0], positions=np.arange(4))[0].rank
    3
    """
    n_layers = model.config.n_layers
    for state in states:
        expect(state in range(n_layers + 1), f"a state from 0 to {n_layers}", state)
    erasers: dict[int, Eraser] = {}

    def change(state: int, x: Rows) -> Rows:
        if state not in states:
            return x
        labels = place_labels(x[:, rows])
        if permuted is not None:
            labels = np.random.default_rng([permuted, states[0]]).permuted(labels, axis=1)
        erasers[state] = fit_eraser(x[:, rows], labels)
        return _erased(x, erasers[state], rows)

    stream = run_stream(x, model, positions=positions, mask=mask, change=change)
    for _ in range(max(states) + 1):
        next(stream)
    return erasers
