"""Records of measurements: JSON files of parts, each measured by a command of its own and stored beside the others."""

import argparse
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np


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


def provenance(command: str) -> dict[str, str]:
    """The command that makes a record, the versions that it runs with, and today's date.

    >>> list(provenance("python -m inorder.lab.one_layer"))
    ['made by', 'python', 'numpy', 'torch', 'date']
    """
    return {
        "made by": command,
        "python": platform.python_version(),
        **{package: version(package).split("+")[0] for package in ("numpy", "torch")},
        "date": datetime.now(UTC).date().isoformat(),
    }


def write_record(path: Path, record: Mapping[str, Any], *, seconds: float) -> None:
    """Write what `inorder.stored.recorded` reads, and how it was made: commit, versions, processor, date, seconds."""
    made: dict[str, Any] = {"commit": _commit(), **provenance(f"make records CHAPTER={path.name.partition('.')[0]}")}
    made |= {"processor": processor(), "seconds": round(seconds, 1)}
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(part)}" for name, part in {"made": made, **record}.items())
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def processor() -> dict[str, Any]:
    """The machine, and the instructions that torch and NumPy use on it: what the last digits of a sum depend on.

    >>> list(processor())
    ['machine', 'torch', 'numpy']
    """
    import torch

    found: Any = np.show_config(mode="dicts")  # type: ignore[call-overload, unused-ignore]
    instructions = found.get("SIMD Extensions", {}).get("found", [])
    return {"machine": platform.machine(), "torch": torch.backends.cpu.get_cpu_capability(), "numpy": instructions}


def _commit() -> str:
    """The commit of the clone, or "unknown"."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


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
