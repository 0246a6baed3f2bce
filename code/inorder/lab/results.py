"""What a sweep found, as tables: read without torch.

A file of results is JSON: `provenance`, `bounds` (the floor and the symmetric ceiling of each task at each length) and
`runs`, one plain record for each.
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from inorder._arrays import expect
from inorder._extras import extra
from inorder.lab.schemes import BASELINES, scheme_labels
from inorder.stored import stored

with extra("lab", needed_by="inorder.lab.results"):
    import pandas as pd

__all__ = [
    "Results",
    "read",
]

FIELDS = ("task", "scheme", "mask", "n_layers", "mark", "seed", "n_steps", "tested_at", "accuracy")
KEYS = ("task", "scheme", "label", "architecture", "mask", "n_layers", "mark", "seed", "n_steps")


class Results(NamedTuple):
    """The runs of a sweep, in plain records, and what they are compared with."""

    provenance: dict[str, Any]
    bounds: list[dict[str, Any]]
    runs: list[dict[str, Any]]

    def __repr__(self) -> str:
        return f"Results({len(self.runs)} runs; .table() and .curves() are data frames)"

    def table(self) -> pd.DataFrame:
        """One row for each run and test length.

        Columns: task, scheme, label, architecture, mask, n_layers, mark, seed, n_steps, length, accuracy, error (the
        standard error over test sequences), floor, ceiling (of a model that sees distances and no direction) and
        seconds (of processor time, to train and to test).
        """
        rows = [
            _key(run) | {"length": n, "accuracy": accuracy, "error": error, "seconds": run["seconds"]}
            for run in self.runs
            for n, accuracy, error in zip(run["tested_at"], run["accuracy"], run["error"], strict=True)
        ]
        table = pd.DataFrame(rows, columns=[*KEYS, "length", "accuracy", "error", "seconds"])
        table = table.merge(self.bounds_table(), on=["task", "mark", "length"], how="left")
        return table[[*KEYS, "length", "accuracy", "error", "floor", "ceiling", "seconds"]]

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

    def write(self, path: Path) -> None:
        """Keep it in `path`, one run a line: whole, or not at all."""
        runs = ",\n".join(json.dumps(run, default=int) for run in self.runs)
        head = json.dumps({"provenance": self.provenance, "bounds": self.bounds})
        unfinished = path.with_name(path.name + ".part")
        unfinished.write_text(head[:-1] + f',\n"runs": [\n{runs}\n]}}\n', encoding="utf8")
        os.replace(unfinished, path)


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
    return Results(**content)


def _key(run: dict[str, Any]) -> dict[str, Any]:
    name = run["scheme"]
    label = run.get("label", (scheme_labels() | BASELINES).get(name, name))
    architecture = name if name in BASELINES else "transformer"
    return {key: run[key] for key in KEYS if key in run} | {"label": label, "architecture": architecture}


def _ends(run: dict[str, Any]) -> np.ndarray:
    return np.cumsum([len(part) for part in np.array_split(np.arange(run["n_steps"]), len(run["losses"]))])
