"""What a sweep found, as tables: read without torch.

A file of results is JSON: `provenance`, `bounds` (the floor and the symmetric ceiling of each task at each length) and
`runs`, one plain record for each.
"""

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from inorder._arrays import expect
from inorder._extras import extra
from inorder.lab.schemes import BASELINES, compared, scheme_labels, scheme_name
from inorder.lab.schemes import scheme as registered_scheme
from inorder.stored import stored
from inorder.transformer import Model, PositionScheme, TransformerConfig, unflatten_parameters

with extra("lab", needed_by="inorder.lab.results"):
    import pandas as pd

__all__ = [
    "Results",
    "read",
]

FIELDS = ("task", "scheme", "mask", "n_layers", "mark", "seed", "n_steps", "tested_at", "accuracy")
KEYS = ("task", "scheme", "label", "architecture", "mask", "n_layers", "mark", "seed", "n_steps")


class Results(NamedTuple):
    """The runs of a sweep, in plain records, and what they are compared with; schemes of your own by their names."""

    provenance: dict[str, Any]
    bounds: list[dict[str, Any]]
    runs: list[dict[str, Any]]
    models: dict[str, np.ndarray]
    schemes: Mapping[str, PositionScheme] = MappingProxyType({})

    def __repr__(self) -> str:
        sizes = f"{len(self.runs)} runs, {len(self.models)} arrays of models"
        return f"Results({sizes}; .table() and .curves() are data frames)"

    def table(self) -> pd.DataFrame:
        """One row for each run and test length.

        Columns: task, scheme, label, architecture, mask, n_layers, mark, seed, n_steps, length, accuracy, error (the
        standard error over test sequences), floor, ceiling (of a model that sees distances and no direction), seconds
        (of processor time, to train and to test) and commit (of the code that ran).
        """
        rows = [
            _key(run)
            | {"length": n, "accuracy": accuracy, "error": error, "seconds": run["seconds"]}
            | {"commit": run.get("commit")}
            for run in self.runs
            for n, accuracy, error in zip(run["tested_at"], run["accuracy"], run["error"], strict=True)
        ]
        table = pd.DataFrame(rows, columns=[*KEYS, "length", "accuracy", "error", "seconds", "commit"])
        table = table.merge(self.bounds_table(), on=["task", "mark", "length"], how="left")
        return table[[*KEYS, "length", "accuracy", "error", "floor", "ceiling", "seconds", "commit"]]

    def curves(self) -> pd.DataFrame:
        """One row for each run and bin of steps: the mean loss and accuracy on the fresh batches that end at `step`."""
        rows = [
            _key(run) | {"step": int(end), "loss": loss, "accuracy": accuracy}
            for run in self.runs
            for end, loss, accuracy in zip(_ends(run), run["losses"], run["accuracies"], strict=True)
        ]
        return pd.DataFrame(rows, columns=[*KEYS, "step", "loss", "accuracy"])

    def bounds_table(self) -> pd.DataFrame:
        """task, mark, length, floor, ceiling. Length 0 stands for the mean over the lengths of the training."""
        return pd.DataFrame(self.bounds, columns=["task", "mark", "length", "floor", "ceiling"])

    def modelled(self) -> list[tuple[str, str]]:
        """(task, scheme) of each trained model that is kept."""
        return list(dict.fromkeys(_task_and_scheme(key) for key in self.models))

    def model(self, task: str, scheme: str | PositionScheme) -> Model:
        """A trained model that is kept: seed 0, bidirectional, rounded to 6 bits; the last, of several depths.

        `scheme` is a name in the table, or a scheme of your own as it was given to the sweep. Results from a file do
        not know what your schemes do: it must be the object then.

        Raises ValueError: none is kept of this task and scheme; the name of a scheme of your own, from a file.
        """
        name = scheme_name(scheme)
        start = f"{task}/{name}/"
        flat = {key.removeprefix(start): w.astype(float) for key, w in self.models.items() if key.startswith(start)}
        expect(flat, f"one of the models kept, {self.modelled()}", (task, name))
        run = next(run for run in self.runs if (run["task"], run["scheme"]) == (task, name) and _kept(run))
        config = TransformerConfig(
            vocabulary_size=flat["embedding"].shape[0],
            n_outputs=flat["w_output"].shape[1],
            position=self._position(scheme, run["d_model"]),
            n_layers=len({name.split(".")[1] for name in flat if name.startswith("blocks.")}),
            **{size: run[size] for size in ("d_model", "n_heads", "d_ff")},
        )
        return Model(unflatten_parameters(flat, config), config)

    def _position(self, scheme: str | PositionScheme, d_model: int) -> PositionScheme:
        if isinstance(scheme, PositionScheme):
            return scheme
        own = self.schemes.get(scheme)
        known = own is not None or scheme in compared()
        expect(
            known, f"{scheme!r} itself, the object that the sweep was given, as these results come from a file", scheme
        )
        return own if own is not None else registered_scheme(scheme, d_model)

    def write(self, path: Path) -> None:
        """Keep it in `path`, one run a line, and the models beside it, in .npz."""
        if self.models:  # first: a run that is in the file is not run again, and would lose its model
            unfinished = path.with_suffix(".part.npz")
            np.savez_compressed(unfinished, **packed_models(self.models))  # type: ignore[arg-type]
            os.replace(unfinished, path.with_suffix(".npz"))
        runs = ",\n".join(json.dumps(run, default=int) for run in self.runs)
        head = json.dumps({"provenance": self.provenance, "bounds": self.bounds})
        _replace(path, (head[:-1] + f',\n"runs": [\n{runs}\n]}}\n').encode())


def packed_models(models: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays as whole numbers of 6 bits, one after the other, in steps of 1/31 of the largest in each array.

    >>> models = {"a": np.array([[1.0, -0.5]]), "b": np.zeros(3)}
    >>> {name: w.round(1).tolist() for name, w in unpacked_models(packed_models(models)).items()}
    {'a': [[1.0, -0.5]], 'b': [0.0, 0.0, 0.0]}
    """
    steps = {name: _step(float(np.abs(w).max(initial=0))) for name, w in models.items()}
    codes = [np.rint(w / steps[name]).astype(np.int8).ravel() for name, w in models.items()]
    arrays = json.dumps([[name, list(w.shape), steps[name]] for name, w in models.items()])
    return {"codes": np.concatenate(codes), "arrays": np.frombuffer(arrays.encode(), np.uint8)}


def _step(largest: float) -> float:
    """1/31 of the largest, rounded up to 12 bits, so that what is unpacked is the same when it is packed again."""
    fraction, exponent = math.frexp(largest / 31)
    return math.ldexp(math.ceil(fraction * 2**12), exponent - 12) or 1.0


def unpacked_models(archive: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What `packed_models` has packed."""
    models, codes, at = {}, archive["codes"], 0
    for name, shape, step in json.loads(archive["arrays"].tobytes()):
        size = math.prod(shape)
        models[name] = (step * codes[at : at + size].astype(np.float32)).reshape(shape)
        at += size
    return models


def read(path: Path | None = None) -> Results:
    """The results in a file; those that come with the book if none is named.

    Raises ValueError: a file that holds no results, or those of a version that wrote other records.
    """
    path = stored("learning_order.json") if path is None else path
    content = json.loads(path.read_text(encoding="utf8"))
    valid = isinstance(content, dict) and content.keys() == {"provenance", "bounds", "runs"}
    expect(valid, "a file with provenance, bounds and runs", path)
    for run in content["runs"]:
        missing = [name for name in FIELDS if name not in run]
        version = f"{path}, by another version: run the sweep again, with another --out"
        expect(
            not missing, f"runs that say their {', '.join(FIELDS)}", f"one without {', '.join(missing)} in {version}"
        )
    models: dict[str, np.ndarray] = {}
    if path.with_suffix(".npz").exists():
        with np.load(path.with_suffix(".npz")) as archive:
            models = unpacked_models(archive)
    return Results(**content, models=models)


def _task_and_scheme(key: str) -> tuple[str, str]:
    """Of a parameter of a model: "task/scheme/parameter". The name of a scheme may have a slash."""
    task, _, rest = key.partition("/")
    return task, rest.rpartition("/")[0]


def _key(run: dict[str, Any]) -> dict[str, Any]:
    name = run["scheme"]
    label = run.get("label", (scheme_labels() | BASELINES).get(name, name))
    architecture = name if name in BASELINES else "transformer"
    return {key: run[key] for key in KEYS if key in run} | {"label": label, "architecture": architecture}


def _kept(run: dict[str, Any]) -> bool:
    return run["seed"] == 0 and run["mask"] == "bidirectional" and not run["mark"]


def _ends(run: dict[str, Any]) -> np.ndarray:
    return np.cumsum([len(part) for part in np.array_split(np.arange(run["n_steps"]), len(run["losses"]))])


def _replace(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
