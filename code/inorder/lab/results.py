"""What a sweep found, as tables: read without torch.

A file of results is JSON: `provenance`, `bounds` (the floor and the symmetric ceiling of each task at each length) and
`runs`, one plain record for each.
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from inorder._arrays import expect
from inorder.book.stored import stored
from inorder.lab.schemes import BASELINES, SCHEMES, scheme
from inorder.transformer import Model, TransformerConfig, unflatten_parameters

KEYS = ("task", "scheme", "label", "architecture", "mask", "n_layers", "mark", "seed", "n_steps")


class Results(NamedTuple):
    """The runs of a sweep, in plain records, and what they are compared with."""

    provenance: dict[str, Any]
    bounds: list[dict[str, Any]]
    runs: list[dict[str, Any]]
    models: dict[str, np.ndarray]

    def table(self) -> pd.DataFrame:
        """One row for each run and test length.

        Columns: task, scheme, label, architecture, mask, n_layers, mark, seed, n_steps, length, accuracy, error (the
        standard error over test sequences), floor, ceiling (of a model that sees distances and no direction), seconds
        (of processor time, to train and to test) and code (a hash of the code that ran).
        """
        rows = [
            _key(run)
            | {"length": n, "accuracy": accuracy, "error": error, "seconds": run["seconds"], "code": run["code"]}
            for run in self.runs
            for n, accuracy, error in zip(run["tested_at"], run["accuracy"], run["error"], strict=True)
        ]
        table = pd.DataFrame(rows, columns=[*KEYS, "length", "accuracy", "error", "seconds", "code"])
        table = table.merge(self.bounds_table(), on=["task", "mark", "length"], how="left")
        return table[[*KEYS, "length", "accuracy", "error", "floor", "ceiling", "seconds", "code"]]

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
        return list(dict.fromkeys((name.split("/")[0], name.split("/")[1]) for name in self.models))

    def model(self, task: str, name: str) -> Model:
        """A trained model that is kept: seed 0, bidirectional, rounded to half precision; the last, of several depths.

        Raises ValueError: none is kept of this task and scheme.
        """
        start = f"{task}/{name}/"
        flat = {key.removeprefix(start): w.astype(float) for key, w in self.models.items() if key.startswith(start)}
        expect(flat, f"one of the models kept, {self.modelled()}", (task, name))
        run = next(run for run in self.runs if (run["task"], run["scheme"]) == (task, name) and _kept(run))
        config = TransformerConfig(
            vocabulary_size=flat["embedding"].shape[0],
            n_outputs=flat["w_output"].shape[1],
            position=scheme(name, run["d_model"]),
            n_layers=len({name.split(".")[1] for name in flat if name.startswith("blocks.")}),
            **{size: run[size] for size in ("d_model", "n_heads", "d_ff")},
        )
        return Model(unflatten_parameters(flat, config), config)

    def write(self, path: Path) -> None:
        """Keep it in `path`, one run a line, and the models beside it, in .npz."""
        if self.models:  # first: a run that is in the file is not run again, and would lose its model
            unfinished = path.with_suffix(".part.npz")
            np.savez_compressed(unfinished, **self.models)  # type: ignore[arg-type]
            os.replace(unfinished, path.with_suffix(".npz"))
        runs = ",\n".join(json.dumps(run, default=int) for run in self.runs)
        head = json.dumps({"provenance": self.provenance, "bounds": self.bounds})
        _replace(path, (head[:-1] + f',\n"runs": [\n{runs}\n]}}\n').encode())


def read(path: Path | None = None) -> Results:
    """The results in a file; those that come with the book if none is named.

    Raises ValueError: a file that holds no results.
    """
    path = stored("learning_order.json") if path is None else path
    found = json.loads(path.read_text(encoding="utf8"))
    valid = isinstance(found, dict) and found.keys() == {"provenance", "bounds", "runs"}
    expect(valid, "a file with provenance, bounds and runs", path)
    models: dict[str, np.ndarray] = {}
    if path.with_suffix(".npz").exists():
        with np.load(path.with_suffix(".npz")) as kept:
            models = dict(kept)
    return Results(**found, models=models)


def _key(run: dict[str, Any]) -> dict[str, Any]:
    name = run["scheme"]
    label = (SCHEMES | BASELINES).get(name, name)
    architecture = name if name in BASELINES else "transformer"
    return {"label": label, "architecture": architecture} | {key: run[key] for key in KEYS if key in run}


def _kept(run: dict[str, Any]) -> bool:
    return run["seed"] == 0 and run["mask"] == "bidirectional" and not run["mark"]


def _ends(run: dict[str, Any]) -> np.ndarray:
    return np.cumsum([len(part) for part in np.array_split(np.arange(run["n_steps"]), len(run["losses"]))])


def _replace(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
