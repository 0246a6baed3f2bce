"""The parts of a mark, checked: a ``ValueError`` names the mark, what it expected and what it got."""

import unicodedata
from typing import Any

import numpy as np

from inorder.widgets.kit.state import real_numbers

ACTORS = ("query", "key", "value", "position", "ink")


def array(kind: str, name: Any, values: Any, n_axes: int, *, infinity: bool = False) -> np.ndarray:
    array = real_numbers(f"{kind}: {name}", values)
    if array.ndim != n_axes or array.size == 0:
        raise ValueError(f"{kind}: {name} must have {n_axes} axes and a number in each, got shape {array.shape}")
    bad = np.isnan(array) if infinity else ~np.isfinite(array)
    if bad.any():
        place = np.argwhere(bad)[0].tolist()
        allowed = "may not be NaN" if infinity else "must be finite"
        raise ValueError(f"{kind}: {name} {allowed}, got {array[bad][0]} at {place}")
    return array


def shares(kind: str, name: str, values: Any, n_axes: int) -> np.ndarray:
    shares = array(kind, name, values, n_axes)
    rounding = 1e-9
    bad = (shares < -rounding) | (shares > 1 + rounding)
    if bad.any():
        raise ValueError(
            f"{kind}: {name} must lie from 0 to 1, got {shares[bad][0]:g} at {np.argwhere(bad)[0].tolist()}"
        )
    return shares.clip(0, 1)


def row(kind: str, name: Any, values: Any, n: int) -> np.ndarray:
    numbers = array(kind, name, values, 1)
    if len(numbers) != n:
        raise ValueError(f"{kind}: expected {n} numbers like those of the first, but {name!r} has {len(numbers)}")
    return numbers


def whole(kind: str, name: Any, values: Any, n: int) -> np.ndarray:
    numbers = row(kind, name, values, n)
    if (numbers != np.round(numbers)).any():
        raise ValueError(f"{kind}: {name} must be whole numbers, got {numbers[numbers != np.round(numbers)][0]:g}")
    return numbers


def places(kind: str, name: str, values: Any) -> np.ndarray:
    if np.shape(values) in ((0, 2), (0, 3)):
        return np.empty(np.shape(values))
    places = array(kind, name, values, 2)
    if places.shape[1] not in (2, 3):
        raise ValueError(f"{kind}: {name} must have shape (n, 2), or (n, 3) in space, got {places.shape}")
    return places


def view(kind: str, degrees: Any) -> np.ndarray:
    angles = array(kind, "view", degrees, 1)
    if angles.shape != (2,) or abs(angles[1]) > 90:
        raise ValueError(f"{kind}: view must be (around, above) with above from −90 to 90, got {angles.tolist()}")
    return angles


def column(kind: str, name: Any, cells: Any, n: int) -> np.ndarray | list[str]:
    if len(cells) != n:
        raise ValueError(f"{kind}: column {name!r} must have {n} cells, got {len(cells)}")
    words = all(isinstance(cell, str) for cell in cells)
    if words:
        return [str(cell) for cell in cells]
    return array(kind, f"column {name!r}", cells, 1, infinity=True)


def with_half_characters(texts: list[str]) -> list[str]:
    """Those with a lone surrogate, half of a character, which no page can show."""
    return [text for text in texts if any(unicodedata.category(letter) == "Cs" for letter in text)]


def split(words: Any) -> list[str]:
    return words.split() if isinstance(words, str) else [str(word) for word in words]


def labels(kind: str, labels: Any, n: int, *, default: list[str] | None = None) -> list[str]:
    if labels is None:
        return [str(i) for i in range(n)] if default is None else default
    names = split(labels)
    halves = with_half_characters(names)
    if halves:
        raise ValueError(
            f"{kind}: labels must be whole characters, got half of one (a lone surrogate) in {halves[0]!r}"
        )
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


def place(kind: str, name: str, place: Any, n: int) -> int:
    if isinstance(place, bool) or not isinstance(place, (int, np.integer)) or not 0 <= place < n:
        raise ValueError(f"{kind}: {name} must be a place from 0 to {n - 1}, got {place!r:.80}")
    return int(place)


def permutation(kind: str, order: Any, n: int) -> np.ndarray:
    """Whole numbers, (n,); those from 0 to n − 1 where there are none."""
    numbers = np.arange(n) if order is None else array(kind, "order", order, 1)
    if not np.array_equal(np.sort(numbers), np.arange(n)):
        raise ValueError(f"{kind}: order must be a permutation of 0 to {n - 1}, got {order!r:.80}")
    return numbers.astype(np.int64)


def weights(kind: str, name: str, values: Any, n: int, asks: int | None) -> np.ndarray:
    """(query n, key n); a single row, that of the word that asks, becomes a matrix whose other rows are 0."""
    is_row = asks is not None and np.ndim(values) == 1
    numbers = array(kind, name, values, 1 if is_row else 2)
    if numbers.shape != ((n,) if is_row else (n, n)):
        raise ValueError(f"{kind}: {name} must have a row and a column for each of {n} words, got {numbers.shape}")
    if numbers.min() < 0:
        raise ValueError(f"{kind}: {name} must not be negative, got {numbers.min():g}")
    if not is_row:
        return numbers
    matrix = np.zeros((n, n))
    matrix[asks] = numbers
    return matrix


def drag(kind: str, arguments: Any, most: int = 2) -> list[str]:
    names = [arguments] if isinstance(arguments, str) else arguments
    known = isinstance(names, (list, tuple)) and all(isinstance(name, str) and name for name in names)
    if not known or len(names) > most or len(set(names)) < len(names):
        raise ValueError(f"{kind}: drag must name up to {most} arguments, each once, got {arguments!r:.80}")
    return list(names)
