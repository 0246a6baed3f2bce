"""The tables of a sweep for SchemeExplorer: of each task and scheme the mean over seeds, and the range around it."""

from typing import Any

import numpy as np

from inorder.widgets.kit.state import InvalidState

SETTING = ["task", "mask", "n_layers", "mark"]  # what a curve of a scheme must have in common with another
TABLE = [*SETTING, "scheme", "label", "seed", "length", "accuracy", "floor", "ceiling"]
CURVES = [*SETTING, "scheme", "seed", "step", "accuracy"]
DIGITS = 4


def check(table: Any, curves: Any = None) -> None:
    """Raise `InvalidState` for tables without the columns of `inorder.lab.results`, or without rows, or for an accuracy
    that is not from 0 to 1.
    """
    for name, frame, columns in (("table", table, TABLE), ("curves", curves, CURVES)):
        if frame is None and name == "curves":
            continue
        missing = [column for column in columns if column not in getattr(frame, "columns", [])]
        if missing:
            raise InvalidState(f"{name} must have the columns of inorder.lab.results, got none called {missing[0]}")
        if not len(frame):
            raise InvalidState(f"{name} must have one row or more, got none")
        outside = ~frame["accuracy"].between(0, 1)
        if outside.any():
            raise InvalidState(f"{name} must hold accuracies from 0 to 1, got {frame['accuracy'][outside].iloc[0]}")


def summarise(table: Any, curves: Any, bounds: Any) -> dict[str, dict[str, Any]]:
    """{setting: {"lengths", "floor", "ceiling", "training", "schemes"}}, the numbers rounded to `DIGITS` digits.

    table and curves are pandas tables with the columns of `inorder.lab.results`; bounds those of the training lengths.
    "training" is (floor, ceiling) at the lengths of the training, or None; of each scheme there are its label, how many
    seeds, "test" by length and "curve" by step, each {"x", "mean", "low", "high"}.
    """
    return {
        setting_name(*setting): _setting(rows, _where(curves, setting), _where(bounds, (setting[0], setting[3])))
        for setting, rows in by_setting(table)
    }


def by_setting(table: Any) -> Any:
    """(setting, its rows), in the order of the table."""
    return table.groupby(SETTING, sort=False)


def setting_name(task: str, mask: str, n_layers: int, mark: bool) -> str:
    """ "copy-left, causal, 2 layers, first token marked"."""
    layers = f"{n_layers} layer{'s' if n_layers != 1 else ''}"
    return f"{task}, {mask}, {layers}{', first token marked' if mark else ''}"


def _where(frame: Any, setting: tuple[Any, ...]) -> Any:
    columns = SETTING if len(setting) == len(SETTING) else ["task", "mark"]
    return frame[np.logical_and.reduce([frame[c] == value for c, value in zip(columns, setting, strict=True)])]


def _setting(rows: Any, curves: Any, bounds: Any) -> dict[str, Any]:
    known = rows.groupby("length")[["floor", "ceiling"]].first()
    training = bounds[bounds["length"] == 0]
    schemes = {}
    for scheme, own in rows.groupby("scheme", sort=False):
        schemes[str(scheme)] = {
            "label": str(own["label"].iloc[0]),
            "seeds": int(own["seed"].nunique()),
            "test": _spread(own, "length"),
            "curve": _spread(curves[curves["scheme"] == scheme], "step"),
        }
    return {
        "lengths": [int(length) for length in known.index],
        "floor": known["floor"].round(DIGITS).tolist(),
        "ceiling": known["ceiling"].round(DIGITS).tolist(),
        "training": training[["floor", "ceiling"]].round(DIGITS).iloc[0].tolist() if len(training) else None,
        "schemes": schemes,
    }


def _spread(rows: Any, by: str) -> dict[str, Any]:
    summary = rows.groupby(by)["accuracy"].agg(["mean", "min", "max"]).round(DIGITS)
    numbers = {name: summary[column].tolist() for name, column in (("mean", "mean"), ("low", "min"), ("high", "max"))}
    return {"x": [int(x) for x in summary.index]} | numbers
