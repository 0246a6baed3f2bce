"""What one layer lacks where a second one helps: parameters, steeper slopes, or a part that bends a straight line?

    python -m inorder.lab.one_layer            trains and stores all, with provenance, in inorder/stored
    python -m inorder.lab.one_layer slopes     trains and stores this part alone

The models, training and tests are those of the sweep, with one thing changed.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from inorder._arrays import Array, expect, namespace
from inorder.encodings import relative_positions
from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.lab.runs import N_TEST, TEST_SEED, Setting, one_thread
from inorder.lab.schemes import scheme_labels
from inorder.lab.training import accuracy, train
from inorder.stored import FOLDER
from inorder.transformer import PositionScheme, TransformerConfig, flatten_parameters
from inorder.transformer.schemes import PositionTables

WORDS, SEEDS = 20, (0, 1, 2)
LOW = (
    ("copy-left", "alibi-split"),
    ("copy-left", "scalar-relative"),
    ("last-token", "alibi-split"),
    ("last-token", "t5"),
    ("last-token", "t5-16"),
)
WIDER: dict[str, dict[str, Any]] = {  # the last three with about as many parameters
    "one layer": {},
    "one layer, wider feed-forward part": {"d_ff": 195},
    "one layer, wider rows": {"d_model": 44, "d_ff": 96},
    "two layers": {"n_layers": 2},
}
# of each side; a slope below 0 rewards distance
SLOPES = {"1/16, 1/256": (1 / 16, 1 / 256), "1/4, 1/16": (1 / 4, 1 / 16), "1, 1/4": (1.0, 1 / 4), "−1, 1": (-1.0, 1.0)}
WITHOUT: dict[str, dict[str, Any]] = {
    "the whole layer": {},
    "no layer norm": {"norm": "none"},
    "norms after the sums": {"norm": "post"},
    "one norm, before the layer": {"norm": "none", "norm_embedding": True},
    "no feed-forward part": {"d_ff": 0},
    "one head": {"n_heads": 1},
    "layer norm alone": {"d_ff": 0, "n_heads": 1},
    "none of the three": {"norm": "none", "d_ff": 0, "n_heads": 1},
}


@dataclass(frozen=True)
class Directed(PositionScheme):
    """Directed ALiBi with slopes of your own, those of one side: half of the heads look left, the others right.

    A head with slope m adds −m |i − j| to the scores of its side, and −∞ to those of the other.

    >>> Directed((1.0, 0.25)).bias(*np.zeros((2, 4, 3, 2)), *np.arange(3)[None].repeat(2, 0), {})[2, 0]
    array([-0., -1., -2.])
    """

    name: ClassVar[str] = "directed"
    title: ClassVar[str] = "ALiBi, directed"

    slopes: tuple[float, ...] = (1 / 16, 1 / 256)

    def bias(
        self, query: Array, key: Array, query_positions: Array, key_positions: Array, tables: PositionTables
    ) -> Array:
        """Raises ValueError: another number of heads than two for each slope."""
        n_heads, expected = query.shape[-3], 2 * len(self.slopes)
        expect(n_heads == expected, f"{expected} heads for {len(self.slopes)} slopes", n_heads)
        xp, relative = namespace(query), relative_positions(query_positions, key_positions)  # (query, key)
        distance = xp.astype(xp.abs(relative), query.dtype)
        return xp.stack(
            [xp.where(side * relative > 0, -math.inf, -m * distance) for side in (1, -1) for m in self.slopes]
        )


def with_changes(setting: Setting, changes: Mapping[str, Any]) -> TransformerConfig:
    """The setting's transformer, with these fields of its configuration changed.

    >>> with_changes(Setting("copy-left", "scalar-relative"), WITHOUT["none of the three"]).n_heads
    1
    """
    return replace(setting.config, **changes)


def share_right(setting: Setting, seed: int, changes: Mapping[str, Any] | None = None) -> tuple[float, int]:
    """What the trained model gets right on the sweep's test texts of `WORDS` words, and its number of parameters."""
    config, task = with_changes(setting, changes or {}), setting.bounded_task
    with one_thread():
        trained = train(
            config,
            task,
            seed=seed,
            n_steps=setting.n_steps,
            batch_size=setting.batch_size,
            learning_rate=setting.learning_rate,
        )
        test = task.draw_test(np.random.default_rng([TEST_SEED, WORDS]), N_TEST, WORDS)
        n_parameters = sum(weight.numel() for weight in flatten_parameters(trained.parameters).values())
        return accuracy(trained.parameters, config, test), n_parameters


def measured(name: str, setting: Setting, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The record of a model: what it is, and what each seed gets right."""
    shares, sizes = zip(*(share_right(setting, seed, changes) for seed in SEEDS), strict=True)
    position = setting.scheme
    label = scheme_labels()[position] if isinstance(position, str) else position.label
    return plain(
        {
            "model": name,
            "task": setting.task,
            "positions": label,
            "steps": setting.n_steps,
            "parameters": sizes[0],
            "share right": shares,
        }
    )


def measure_parameters() -> list[dict[str, Any]]:
    """One layer with as many parameters as two, on the tasks where a scheme scored low."""
    return [measured(name, Setting(task, scheme, **sizes)) for task, scheme in LOW for name, sizes in WIDER.items()]


def measure_slopes() -> list[dict[str, Any]]:
    """Directed ALiBi with other slopes; and with more heads of the old ones."""
    old = SLOPES["1/16, 1/256"]
    arms = {
        **{f"four heads, {name}": (4, slopes) for name, slopes in SLOPES.items()},
        "eight heads, 1/16, 1/256, twice": (8, (*old, *old)),
    }
    return [
        measured(name, Setting(task, Directed(slopes), n_heads=n_heads))
        for task in ("copy-left", "last-token")
        for name, (n_heads, slopes) in arms.items()
    ]


def measure_line() -> list[dict[str, Any]]:
    """The number i/(n − 1), ten times as long, with parts of the layer taken away; and RoPE without layer norm."""
    setting = Setting("copy-left", "scalar-relative", n_steps=3000)
    without = [measured(name, setting, changes) for name, changes in WITHOUT.items()]
    return [*without, measured("no layer norm", Setting("copy-left", "rotary"), WITHOUT["no layer norm"])]


PARTS = {"parameters": measure_parameters, "slopes": measure_slopes, "line": measure_line}


def main() -> None:
    command = "python -m inorder.lab.one_layer"
    for name in chosen_parts(command, "One layer with one thing changed.", PARTS):
        store_parts(FOLDER / "one_layer.json", {name: PARTS[name](), "provenance": provenance(command)})
        print(f"stored {name}", flush=True)


if __name__ == "__main__":
    main()
