"""Why small models fail on texts longer than those of training: the cause taken away, and what comes back.

    python -m inorder.lab.longer_than_trained      trains, measures and stores, in inorder/stored

The models are those of the sweep (`inorder.lab.runs`), trained on texts of 5 to 20 tokens. Four changes:

- `squeezed`: a long text gets only the places that training had, each for several tokens. Nothing is trained again.
- `filled`: T5's buckets that training never met get the numbers of the farthest that it did meet. Nothing is trained.
- `windowed`: a token sees its nearest nine on either side, no more than in training. Nothing is trained.
- `train_with_random_starts`: the places of a training text begin anywhere in the table, so every row is trained.
"""

import json
import platform
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Int64

from inorder.encodings import t5_buckets
from inorder.lab.runs import TRAINED_ON, Setting, one_thread, train_model
from inorder.lab.schemes import LONGEST
from inorder.lab.tasks import IGNORED, TASKS
from inorder.lab.training import answers, as_numpy, fit, fresh_batches, loss_and_accuracy, token_logits
from inorder.stored import FOLDER
from inorder.transformer import T5, Model, encode, init_parameters, unembed

__all__ = [
    "changed",
    "filled",
    "measure",
    "met_buckets",
    "right",
    "squeezed",
    "train_with_random_starts",
    "windowed",
]

TRAINED = 20  # tokens in the longest text of training
LENGTHS = (10, 20, 30, 40, 60)
SEEDS = (0, 1, 2, 3, 4)
N_SEQUENCES = 400


def squeezed(n: int, longest: int = TRAINED) -> Int64[np.ndarray, " position"]:
    """The places of n tokens that share those of a text of `longest`: none is new, and they never fall.

    >>> squeezed(6, longest=3), squeezed(3, longest=5)
    (array([0, 0, 1, 1, 2, 2]), array([0, 1, 2]))
    """
    return np.arange(n) * min(n, longest) // n


def met_buckets(longest: int = TRAINED, **settings: Any) -> Bool[np.ndarray, " bucket"]:
    """Which of T5's buckets texts of up to `longest` tokens have used, on either side.

    >>> int(met_buckets(20, max_distance=128).sum()), int(met_buckets(20, max_distance=16).sum())
    (21, 31)
    """
    is_met = np.zeros(32, dtype=bool)
    is_met[t5_buckets(np.arange(1 - longest, longest), **settings)] = True
    return is_met


def filled(model: Model) -> Model:
    """The same model, each of T5's untrained numbers replaced by that of the farthest trained bucket on its side.

    Raises ValueError: a model with other positions.
    """
    parameters, config = model
    if not isinstance(config.position, T5):
        raise ValueError(f"expected a model with T5's positions, got {config.position}")
    met = met_buckets(max_distance=config.position.max_distance)
    side = np.arange(32) % 16
    last = np.where(met, np.arange(32), np.arange(32) - side + max(side[met]))
    return Model(parameters._replace(position={"buckets": parameters.position["buckets"][last]}), config)


def windowed(n: int, reach: int = TRAINED // 2 - 1) -> Bool[np.ndarray, "query key"]:
    """Who may see whom: each token those at most `reach` from it, so at most 2 reach + 1.

    >>> windowed(4, reach=1).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])
    """
    place = np.arange(n)
    return abs(place[:, None] - place) <= reach


def right(
    model: Model,
    task: str,
    n: int,
    *,
    places: Callable[[int], Int64[np.ndarray, " position"]] = np.arange,
    mask: Callable[[int], Bool[np.ndarray, "query key"]] | None = None,
) -> float:
    """The accuracy of a model on texts of n tokens that stand at `places(n)`, and see what `mask(n)` lets them see."""
    batch = TASKS[task].draw_test(np.random.default_rng(n), N_SEQUENCES, n)
    seen = None if mask is None else mask(n)
    parts = [
        unembed(encode(tokens, *model, positions=places(n), mask=seen), model.parameters)
        for tokens in np.split(batch.tokens.numpy(), 10)
    ]
    logits = np.concatenate(parts)
    guesses = answers(torch.from_numpy(logits), batch.targets).argmax(dim=-1)
    counts = batch.targets != IGNORED
    return (guesses == batch.targets)[counts].double().mean().item()


def train_with_random_starts(setting: Setting, after_step: Callable[[], object] | None = None) -> Model:
    """As `train_model`, but the first token of each training text stands anywhere, the last one at most at place 63."""
    batches = fresh_batches(setting.bounded_task, setting.seed, TRAINED_ON, setting.batch_size)
    starts, config = np.random.default_rng([setting.seed, 2]), setting.config

    def loss(parameters: Any, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        tokens, targets = next(batches)[1]
        n = tokens.shape[1]
        places = torch.arange(n) + int(starts.integers(LONGEST - n + 1))
        return loss_and_accuracy(token_logits(tokens, parameters, config, positions=places), targets)

    start = init_parameters(config, np.random.default_rng(setting.seed), like=torch.zeros(()))
    with one_thread():
        trained = fit(start, loss, n_steps=setting.n_steps, learning_rate=setting.learning_rate, after_step=after_step)
    return Model(as_numpy(trained.parameters), config)


# What is tried on the model of each task and scheme.
TRIED = {
    ("which-first", "learned"): ("squeezed",),
    ("which-first", "sinusoidal"): ("squeezed",),
    ("which-first", "rotary"): ("squeezed",),
    ("which-first", "t5"): ("filled", "squeezed"),
    ("copy-left", "learned"): ("squeezed", "windowed", "random starts"),
    ("copy-left", "rotary"): ("squeezed", "windowed"),
    ("copy-left", "t5"): ("filled", "windowed"),
    ("copy-left", "alibi-split"): ("windowed",),
}


def changed(how: str, model: Model, setting: Setting) -> list[float]:
    """The accuracy at each of `LENGTHS`, with one cause taken away."""
    settings: dict[str, Any] = {}
    if how == "squeezed":
        settings["places"] = squeezed
    elif how == "windowed":
        settings["mask"] = windowed
    elif how == "filled":
        model = filled(model)
    elif how == "random starts":
        model = train_with_random_starts(setting)
    return [right(model, setting.task, n, **settings) for n in LENGTHS]


def measure(task: str, scheme: str, seed: int) -> dict[str, list[float]]:
    """{"as it is": accuracy at each of `LENGTHS`, "squeezed": …} of one model."""
    setting = Setting(task, scheme, seed)
    model = train_model(setting)
    return {how: changed(how, model, setting) for how in ("as it is", *TRIED[task, scheme])}


def main() -> None:
    by_change: dict[str, dict[str, list[list[float]]]] = {}
    for task, scheme in TRIED:
        one = by_change[f"{task}, {scheme}"] = {}
        for seed in SEEDS:
            for how, accuracies in measure(task, scheme, seed).items():
                one.setdefault(how, []).append([round(accuracy, 4) for accuracy in accuracies])
            print(task, scheme, seed, {how: rows[-1][-1] for how, rows in one.items()}, flush=True)
    record = {
        "provenance": {
            "made by": "python -m inorder.lab.longer_than_trained",
            "python": platform.python_version(),
            "numpy": np.__version__,
            "torch": torch.__version__.split("+")[0],
            "date": datetime.now(UTC).date().isoformat(),
        },
        "seeds": SEEDS,
        "lengths": LENGTHS,
        "accuracy": by_change,
    }
    path = FOLDER / "longer_than_trained.json"
    path.write_text(json.dumps(record) + "\n", encoding="utf8")
    print(f"stored {path}")


if __name__ == "__main__":
    main()
