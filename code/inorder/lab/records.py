"""Records of measurements: JSON files of parts, each measured by a command of its own and stored beside the others."""

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from inorder.lab.provenance import provenance


def chosen_parts(command: str, about: str, names: Iterable[str]) -> list[str]:
    """The parts that the command line names, or all of them. Exits with a message if one of them is unknown."""
    names = list(names)
    parser = argparse.ArgumentParser(prog=command, description=about)
    parser.add_argument("parts", nargs="*", help=f"measure these alone: {', '.join(names)}")
    parts = parser.parse_args().parts or names
    unknown = sorted(set(parts) - set(names))
    if unknown:
        parser.error(f"expected parts among {', '.join(names)}, got {', '.join(unknown)}")
    return parts


def write_record(path: Path, record: Mapping[str, Any], *, seconds: float) -> None:
    """Write what `inorder.stored.recorded` reads, and how it was made: commit, versions, processor, date, seconds."""
    command = f"make records CHAPTER={path.name.partition('.')[0]}"
    made = provenance(command, seconds=round(seconds, 1))
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(part)}" for name, part in {"made": made, **record}.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def store_parts(path: Path, parts: Mapping[str, Any], order: Iterable[str] | None = None) -> None:
    """Write these parts, one line each; the others stay as they are. They stand in this order, or in that of names."""
    results: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    results.update(parts)
    names = sorted(results) if order is None else [name for name in order if name in results]
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(results[name], ensure_ascii=False)}" for name in names)
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def plain(value: Any, digits: int = 5) -> Any:
    """Arrays and tuples as lists, numbers with that many digits.

    >>> plain({"a": (1, 0.123456)}, 4)
    {'a': [1, 0.1235]}
    """
    if isinstance(value, dict):
        return {name: plain(each, digits) for name, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(each, digits) for each in value]
    if isinstance(value, np.integer):
        return int(value)
    return float(f"{value:.{digits}g}") if isinstance(value, float | np.floating) else value
