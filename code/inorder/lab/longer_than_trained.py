"""Why small models fail on texts longer than those of training: the cause taken away, and what comes back.

    python -m inorder.lab.longer_than_trained                   trains, measures and stores, in inorder/stored
    python -m inorder.lab.longer_than_trained last-token/shaw   this model alone

The models are those of the sweep (`inorder.lab.runs`), trained on texts of 5 to 20 tokens. The changes:

- `squeezed`: a long text gets only the places that training had, each for several tokens. Nothing is trained again.
- `filled`: T5's buckets that training never met get the numbers of the farthest that it did meet. Nothing is trained.
- `windowed`: a token sees its nearest nine on either side, no more than in training. Nothing is trained.
- `thinned`: a token sees itself, its left neighbour and others drawn anywhere in the text, as many as in `windowed`.
- `thinned to 30`, `thinned to 40`: so many tokens in all.
- `hidden`: of the tokens beyond the reach on its right, a token sees the last one of the text alone. Shaw's far vector
  then stands for the end again, and there are fewer keys.
- `moved`: as `hidden`, but the others get the vector of the far left: the far right stands for the end again, and there
  are as many keys as ever.
- `interpolated`, `ntk`, `yarn`: rotations slowed for texts three times as long (`ScaledRotary`). Nothing is trained.
- `train_with_random_starts`: the places of a training text begin anywhere in the table, so every row is trained.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64

from inorder._arrays import Array
from inorder.encodings import shaw_bias, t5_buckets
from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain
from inorder.lab.runs import TRAINED_ON, Setting, one_thread, train_model
from inorder.lab.schemes import LONGEST
from inorder.lab.tasks import IGNORED, TASKS
from inorder.lab.training import answers, as_numpy, fit, fresh_batches, loss_and_accuracy, token_logits
from inorder.stored import FOLDER
from inorder.transformer import T5, Model, Rotary, ScaledRotary, Shaw, encode, init_parameters, unembed
from inorder.transformer.schemes import PositionTables

TRAINED = 20  # tokens in the longest text of training
LENGTHS = (10, 20, 30, 40, 60)
N_SEEN = {"thinned": TRAINED - 1, "thinned to 30": 30, "thinned to 40": 40}
SCALINGS, FACTOR = ("interpolated", "ntk", "yarn"), LENGTHS[-1] / TRAINED
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


def thinned(n: int, n_seen: int = TRAINED - 1) -> Bool[np.ndarray, "query key"]:
    """Who may see whom: each token itself, its left neighbour, and others at any distance, `n_seen` in all.

    >>> thinned(6, n_seen=3).sum(axis=1)
    array([3, 3, 3, 3, 3, 3])
    """
    rng = np.random.default_rng(n)
    draws = rng.random((n, n))
    draws[np.arange(n), np.arange(n)] = draws[np.arange(1, n), np.arange(n - 1)] = -1.0
    order = draws.argsort(axis=1).argsort(axis=1)  # (query, key): who is drawn first, second, …
    return order < n_seen


def beyond_reach(n: int, reach: int, end: int = -1) -> Bool[np.ndarray, "query key"]:
    """Which keys stand `reach` or more to the right of a query and are not the last of the text, or that at `end`.

    >>> beyond_reach(5, reach=2).astype(int)[0]
    array([0, 0, 1, 1, 0])
    """
    place = np.arange(n)
    return (place - place[:, None] >= reach) & (place != end % n)


@dataclass(frozen=True)
class FarRightIsTheEnd(Shaw):
    """Shaw's vectors, and that of the far right for the last token alone: the others there get that of the far left.

    With another `end`, the token at that position has it instead of the last.
    """

    end: int = -1

    def bias(
        self, query: Array, key: Array, query_positions: Array, key_positions: Array, tables: PositionTables
    ) -> Array:
        vectors, reach = tables["relative_keys"], self.max_distance
        as_ever, far_left = (
            shaw_bias(query, vectors, query_positions, key_positions - shift, max_distance=reach)
            for shift in (0, reach + len(key_positions) + int(abs(key_positions - query_positions[0]).max()))
        )
        return np.where(beyond_reach(len(key_positions), reach, self.end), far_left, as_ever)


def with_position(model: Model, position: Any) -> Model:
    """The same parameters under another scheme."""
    return Model(model.parameters, replace(model.config, position=position))


def slowed(model: Model, scaling: str) -> Model:
    """The same model, its rotations slowed for texts `FACTOR` times as long as those of training.

    Raises ValueError: a model with other positions.
    """
    rotary = model.config.position
    if not isinstance(rotary, Rotary):
        raise ValueError(f"expected a model with rotary positions, got {rotary}")
    slow = ScaledRotary(rotary.base, rotary.pairing, scaling=scaling, factor=FACTOR, trained_length=TRAINED)
    return with_position(model, slow)


def right(
    model: Model,
    task: str,
    n: int,
    *,
    places: Callable[[int], Int64[np.ndarray, " position"]] = np.arange,
    mask: Callable[[int], Bool[np.ndarray, "query key"]] | None = None,
) -> float:
    """The accuracy of a model on texts of n tokens that stand at `places(n)`, and see what `mask(n)` lets them see."""
    is_right, counts = _answered(model, task, n, places, mask)
    return is_right[counts].double().mean().item()


def right_by_row(
    model: Model, task: str, n: int, *, mask: Callable[[int], Bool[np.ndarray, "query key"]] | None = None
) -> Float[np.ndarray, " position"]:
    """The accuracy of each row, over the texts of `right`. The task must ask every row."""
    return _answered(model, task, n, np.arange, mask)[0].double().mean(dim=0).numpy()


def _answered(
    model: Model, task: str, n: int, places: Callable[[int], Any], mask: Callable[[int], Any] | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Which answers are right, and which are asked for."""
    batch = TASKS[task].draw_test(np.random.default_rng(n), N_SEQUENCES, n)
    seen = None if mask is None else mask(n)
    parts = [
        unembed(encode(tokens, *model, positions=places(n), mask=seen), model.parameters)
        for tokens in np.split(batch.tokens.numpy(), 10)
    ]
    logits = np.concatenate(parts)
    guesses = answers(torch.from_numpy(logits), batch.targets).argmax(dim=-1)
    return guesses == batch.targets, batch.targets != IGNORED


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
    ("which-first", "rotary"): ("squeezed", *SCALINGS),
    ("which-first", "t5"): ("filled", "squeezed"),
    ("copy-left", "learned"): ("squeezed", "windowed", "random starts"),
    ("copy-left", "rotary"): ("squeezed", "windowed", *SCALINGS),
    ("copy-left", "t5"): ("filled", "windowed"),
    ("copy-left", "t5-16"): ("windowed", *N_SEEN),
    ("copy-left", "alibi-split"): ("windowed",),
    ("last-token", "rotary"): ("squeezed", *SCALINGS),
    ("last-token", "shaw"): ("hidden", "moved"),
}
BY_ROW = (
    "last-token",
    "shaw",
)  # its accuracies are also stored row by row, at the longest length of training and of all


def changed(how: str, model: Model, setting: Setting) -> tuple[Model, dict[str, Any]]:
    """The model and the settings of `right`, with one cause taken away."""
    if how == "squeezed":
        return model, {"places": squeezed}
    if how == "windowed":
        return model, {"mask": windowed}
    if how in N_SEEN:
        return model, {"mask": lambda n: thinned(n, N_SEEN[how])}
    if how == "filled":
        return filled(model), {}
    if how == "random starts":
        return train_with_random_starts(setting), {}
    if how in SCALINGS:
        return slowed(model, how), {}
    if how == "as it is":
        return model, {}
    position: Any = model.config.position
    reach = position.max_distance  # Shaw's
    if how == "moved":
        return with_position(model, FarRightIsTheEnd(reach)), {}
    return model, {"mask": lambda n: ~beyond_reach(n, reach)}


def measure(task: str, scheme: str, seed: int) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """{"as it is": accuracy at each of `LENGTHS`, "squeezed": …} of one model; row by row too if `BY_ROW` names it."""
    setting = Setting(task, scheme, seed)
    model = train_model(setting)
    accuracies: dict[str, list[float]] = {}
    rows: dict[str, list[float]] = {}
    for how in ("as it is", *TRIED[task, scheme]):
        after, settings = changed(how, model, setting)
        accuracies[how] = [right(after, task, n, **settings) for n in LENGTHS]
        if (task, scheme) == BY_ROW:
            for n in (TRAINED, LENGTHS[-1]):
                rows[f"{how}, {n} words"] = list(right_by_row(after, task, n, **settings))
    return accuracies, rows


def main() -> None:
    models = {f"{task}/{scheme}": (task, scheme) for task, scheme in TRIED}
    chosen = chosen_parts("python -m inorder.lab.longer_than_trained", (__doc__ or "").split("\n\n")[0], models)
    path = FOLDER / "longer_than_trained.json"
    for part in chosen:
        task, scheme = models[part]
        one: dict[str, list[list[float]]] = {}
        by_row: dict[str, list[list[float]]] = {}
        for seed in SEEDS:
            accuracies, rows = measure(task, scheme, seed)
            for how, results in accuracies.items():
                one.setdefault(how, []).append([round(accuracy, 4) for accuracy in results])
            for how, results in rows.items():
                by_row.setdefault(how, []).append(plain(results, 4))
            print(part, seed, {how: results[-1][-1] for how, results in one.items()}, flush=True)
        _store(path, f"{task}, {scheme}", one, by_row)


def _store(path: Any, name: str, accuracies: dict[str, Any], by_row: dict[str, Any]) -> None:
    """Put these results in the place of earlier ones of the same model."""
    before = json.loads(path.read_text(encoding="utf8")) if path.exists() else {"accuracy": {}}
    today = datetime.now(UTC).date().isoformat()
    dates = before.get("dates") or dict.fromkeys(before["accuracy"], before.get("provenance", {}).get("date"))
    record = {
        "provenance": provenance("python -m inorder.lab.longer_than_trained"),
        "dates": dates | {name: today},  # of each model, which may have been run by itself
        "seeds": SEEDS,
        "lengths": LENGTHS,
        "accuracy": before["accuracy"] | {name: accuracies},
        "by row": before.get("by row", {}) | ({name: by_row} if by_row else {}),
    }
    path.write_text(json.dumps(record) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
