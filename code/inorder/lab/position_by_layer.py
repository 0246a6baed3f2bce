"""Where position is, layer by layer, in small encoders that learned to name the token to their left.

    python -m inorder.lab.position_by_layer      trains, measures and stores, in inorder/stored

Five kinds of model, each trained with several seeds: positions added once or turned into every score, with the residual
and without it. Of each model the record keeps the accuracy on the task, the position probe before and after training,
and how much weight a row gives to itself and to its left neighbour.
"""

import json
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Integer

from inorder.lab.probes import cyclic_shifts, hidden_states, position_accuracy
from inorder.lab.provenance import provenance
from inorder.lab.records import plain
from inorder.lab.tasks import CopyLeft
from inorder.lab.training import accuracy, as_numpy, train
from inorder.stored import FOLDER
from inorder.symmetry import equivariance_error
from inorder.transformer import Learned, Model, block, fresh_model, layer_states, map_parameters, unembed

N_TOKENS, N_LAYERS, VOCABULARY = 16, 3, 10
TASK = CopyLeft(VOCABULARY)
SIZES = {"vocabulary_size": VOCABULARY, "d_model": 32, "n_heads": 4, "d_ff": 64, "activation": "relu", "norm": "post"}


class Setting(NamedTuple):
    """One kind of model: how it is given positions, and how it is built and trained."""

    position: Any
    residual: float
    n_steps: int
    n_layers: int = N_LAYERS


LEARNED = Learned(length=N_TOKENS)
SETTINGS = {
    "learned": Setting(LEARNED, 1.0, 200),
    "learned, no residual": Setting(LEARNED, 0.0, 900),
    "rotary": Setting("rotary", 1.0, 100),
    "rotary, no residual": Setting("rotary", 0.0, 200),
    "learned, no residual, 1 layer": Setting(LEARNED, 0.0, 200, n_layers=1),
    "learned, no residual, 200 steps": Setting(LEARNED, 0.0, 200),
    "learned, no residual, 1800 steps": Setting(LEARNED, 0.0, 1800),
}
SEEDS = (0, 1, 2)
MORE_SEEDS = {"learned, no residual": (0, 1, 2, 3, 4, 5)}


def probe_texts() -> tuple[Integer[np.ndarray, "fit position"], Integer[np.ndarray, "test position"]]:
    """Texts to fit the probes on, and texts to test them on: with each of these all its cyclic shifts."""
    rng = np.random.default_rng(2024)
    fitted_on = rng.integers(VOCABULARY, size=(160, N_TOKENS))
    return fitted_on, cyclic_shifts(rng.integers(VOCABULARY, size=(10, N_TOKENS)))


def probe_layers(model: Model, mask: Any = None) -> Float[np.ndarray, " layer"]:
    """The accuracy of the position probe at the input and after each layer.

    >>> probe_layers(fresh_model(0, n_layers=1, **SIZES))
    array([0.0625, 0.0625])
    """
    options = {"positions": np.arange(N_TOKENS), "mask": mask}
    fitted_on, tested_on = (hidden_states(texts, *model, **options) for texts in probe_texts())
    return np.array([position_accuracy(*pair) for pair in zip(fitted_on, tested_on, strict=True)])


def train_one(name: str, seed: int, after_step: Any = None) -> Model:
    """A model of this kind, trained to name the token to the left of each token."""
    setting = SETTINGS[name]
    config = fresh_model(
        seed, position=setting.position, residual=setting.residual, n_layers=setting.n_layers, **SIZES
    ).config
    run: dict[str, Any] = {"n_steps": setting.n_steps, "lengths": [N_TOKENS], "batch_size": 32}
    return Model(as_numpy(train(config, TASK, seed=seed, **run, after_step=after_step).parameters), config)


def task_accuracy(model: Model) -> float:
    """The share of rows that name the token to their left, in 500 fresh texts."""
    parameters, config = model
    return accuracy(as_torch(parameters), config, TASK.draw(np.random.default_rng(99), 500, N_TOKENS))


def as_torch(parameters: Any) -> Any:
    """The tree with torch tensors, in float64."""
    return map_parameters(lambda w: torch.from_numpy(np.asarray(w, dtype=np.float64)), parameters)


def maps(model: Model) -> Float[np.ndarray, "layer query key"]:
    """The weights of each layer, averaged over its heads and over texts."""
    states = layer_states(probe_texts()[0], *model, positions=np.arange(N_TOKENS))
    return np.array([s.weights.mean(axis=(0, 1)) for s in states])


def looks(model: Model, offset: int) -> Float[np.ndarray, "layer head"]:
    """The mean weight that a row gives to the row at `offset` from it: 0 itself, −1 its left neighbour."""
    states = layer_states(probe_texts()[0], *model, positions=np.arange(N_TOKENS))
    return np.array([np.diagonal(s.weights, offset, -2, -1).mean(axis=(0, 2)) for s in states])


def block_errors(model: Model) -> list[float]:
    """The equivariance error of each block by itself: its rows are shuffled, the positions stay where they are.

    >>> max(block_errors(fresh_model(0, n_layers=2, position=LEARNED, **SIZES))) < 1e-14
    True
    """
    parameters, config = model
    options: dict[str, Any] = {"positions": np.arange(N_TOKENS), "tables": parameters.position}
    entering = hidden_states(probe_texts()[0][0], *model, positions=np.arange(N_TOKENS))[:-1]
    return [
        equivariance_error(lambda rows, p=p: block(rows, p, config, **options).hidden, x)[0]
        for x, p in zip(entering, parameters.blocks, strict=True)
    ]


class Removed(NamedTuple):
    """The last layer with position in its rows, and with the mean row of each position taken out."""

    probe: tuple[float, float]
    task: tuple[float, float]


def remove_position(model: Model) -> Removed:
    """Take the mean row of each position out of the last layer. What happens to the probe, and to the task?"""
    texts = TASK.draw(np.random.default_rng(99), 500, N_TOKENS)
    fitted_on, tested_on, asked = (
        hidden_states(tokens, *model, positions=np.arange(N_TOKENS))[-1]
        for tokens in (*probe_texts(), texts.tokens.numpy())
    )
    means = fitted_on.mean(axis=0) - fitted_on.mean(axis=(0, 1))  # (position, d_model): what a position adds

    def right(rows: np.ndarray) -> float:
        guesses = unembed(rows, model.parameters).argmax(axis=-1)[:, 1:]
        return float((guesses == texts.targets.numpy()[:, 1:]).mean())

    probes = position_accuracy(fitted_on, tested_on), position_accuracy(fitted_on - means, tested_on - means)
    return Removed(probes, (right(asked), right(asked - means)))


def measure(name: str, seed: int) -> dict[str, Any]:
    """Train one model and say what is kept of it."""
    torch.set_num_threads(1)
    setting = SETTINGS[name]
    start = fresh_model(seed, position=setting.position, residual=setting.residual, n_layers=setting.n_layers, **SIZES)
    model = train_one(name, seed)
    record: dict[str, Any] = {
        "task": task_accuracy(model),
        "before": probe_layers(start),
        "after": probe_layers(model),
        "itself": looks(model, 0),
        "left": looks(model, -1),
        "block": block_errors(model),
    }
    if name == "learned, no residual":
        record["maps"] = maps(model).round(3)
    if name == "learned":
        record["removed"] = remove_position(model)._asdict()
    return record


def main() -> None:
    jobs = [(name, seed) for name in SETTINGS for seed in MORE_SEEDS.get(name, SEEDS)]
    jobs.sort(key=lambda job: -SETTINGS[job[0]].n_steps)
    with ProcessPoolExecutor(2) as pool:
        records = dict(zip(jobs, pool.map(measure, *zip(*jobs, strict=True)), strict=True))
    record = {
        "provenance": provenance(
            "python -m inorder.lab.position_by_layer",
            sizes=SIZES | {"n_layers": N_LAYERS, "n_tokens": N_TOKENS, "batch": 32},
        ),
        "models": {
            name: {
                "n_steps": setting.n_steps,
                "seeds": MORE_SEEDS.get(name, SEEDS),
                **_columns([records[name, seed] for seed in MORE_SEEDS.get(name, SEEDS)]),
            }
            for name, setting in SETTINGS.items()
        },
    }
    path = FOLDER / "position_by_layer.json"
    path.write_text(json.dumps(record, default=plain) + "\n", encoding="utf8")
    print(f"stored {path}")


def _columns(records: list[dict[str, Any]]) -> dict[str, list]:
    return {key: [plain(one[key]) for one in records] for key in records[0]}


if __name__ == "__main__":
    main()
