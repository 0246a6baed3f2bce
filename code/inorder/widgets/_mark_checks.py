"""What a mark is made of, or a ``ValueError`` that names the mark, what it expected and what came."""

from typing import Any

import numpy as np

ACTORS = ("query", "key", "value", "position", "ink")


def array(kind: str, name: Any, values: Any, n_axes: int, *, infinity: bool = False) -> np.ndarray:
    if hasattr(values, "detach"):  # a torch tensor, possibly with a gradient
        values = values.detach().cpu()
    try:
        array = np.asarray(values, dtype=np.float64).copy()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{kind}: {name} must be numbers, got {values!r:.80}") from error
    if array.ndim != n_axes or array.size == 0:
        raise ValueError(f"{kind}: {name} must have {n_axes} axes and a number in each, got shape {array.shape}")
    bad = np.isnan(array) if infinity else ~np.isfinite(array)
    if bad.any():
        place = np.argwhere(bad)[0].tolist()
        allowed = "may not be NaN" if infinity else "must be finite"
        raise ValueError(f"{kind}: {name} {allowed}, got {array[bad][0]} at {place}")
    return array


def places(kind: str, name: str, values: Any) -> np.ndarray:
    places = array(kind, name, values, 2)
    if places.shape[1] != 2:
        raise ValueError(f"{kind}: {name} must have shape (n, 2), got {places.shape}")
    return places


def column(kind: str, name: Any, cells: Any, n: int) -> np.ndarray | list[str]:
    if len(cells) != n:
        raise ValueError(f"{kind}: column {name!r} must have {n} cells, got {len(cells)}")
    words = all(isinstance(cell, str) for cell in cells)
    return [str(cell) for cell in cells] if words else array(kind, f"column {name!r}", cells, 1, infinity=True)


def labels(kind: str, labels: Any, n: int, *, default: list[str] | None = None) -> list[str]:
    if labels is None:
        return [str(i) for i in range(n)] if default is None else default
    names = labels.split() if isinstance(labels, str) else [str(label) for label in labels]
    if len(names) != n:
        raise ValueError(f"{kind}: expected {n} labels, got {len(names)}: {', '.join(names):.80}")
    return names


def limits(kind: str, limits: Any) -> list[float] | None:
    if limits is None:
        return None
    low, high = (float(limit) for limit in limits)
    if not (np.isfinite([low, high]).all() and low < high):
        raise ValueError(f"{kind}: limits must be (low, high) with low < high, got ({low:g}, {high:g})")
    return [low, high]


def actor(kind: str, actor: Any) -> str:
    if actor not in ACTORS:
        raise ValueError(f"{kind}: actor must be one of {', '.join(ACTORS)}, got {actor!r}")
    return str(actor)


def words(kind: str, words: Any) -> str:
    if not isinstance(words, str) or not words.strip():
        raise ValueError(f"{kind}: expected a sentence, got {words!r}")
    return words


def drag(kind: str, arguments: Any, most: int = 2) -> list[str]:
    names = [arguments] if isinstance(arguments, str) else arguments
    known = isinstance(names, (list, tuple)) and all(isinstance(name, str) and name for name in names)
    if not known or len(names) > most or len(set(names)) < len(names):
        raise ValueError(f"{kind}: drag must name up to {most} arguments, each once, got {arguments!r:.80}")
    return list(names)
