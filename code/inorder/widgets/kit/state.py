"""A figure's state, declared once: ``depth = integer(1, low=1, high=4)``.

Each function here declares one part of the state: its start and its limits. Python's validation and its messages, the
checks of the page's address and the limits of the controls all come from the declaration (in JavaScript: limits.js).

A limit may refer to another part. ``key = integer(0, low=0, below="n")`` stays below the number ``n``, or below the
length of the list ``n``; ``order = permutation(of="words")`` and ``ids = integers(like="words")`` have one entry for
each word; ``x = matrix(rows="tokens")`` has one row for each. Such parts change together: from Python inside
``with figure.hold_trait_notifications():``.
"""

import operator
import reprlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import traitlets


class InvalidState(traitlets.TraitError, ValueError):
    """A value the figure cannot show. A ValueError; also a TraitError, so that traitlets undoes the assignment."""


OUTSIDE = reprlib.Repr()  # of what is nested a few levels; any deeper, and `repr` itself may fail
OUTSIDE.maxlist = OUTSIDE.maxtuple = OUTSIDE.maxarray = 12
OUTSIDE.maxstring = OUTSIDE.maxother = OUTSIDE.maxlong = 80


def brief(value: Any) -> str:
    """The value that was given, for a message: only its beginning, if it is long."""
    text = OUTSIDE.repr(value)
    return text if len(text) <= 80 else text[:80] + "…"


class Part(traitlets.TraitType):  # with no [Any, Any]: that of Colab, traitlets 5.7, takes none
    """One part of a figure's state: a trait that is sent to the page, with its limits as plain data."""

    def __init__(self, kind: str, start: Any, **limits: Any) -> None:
        super().__init__(start)
        self.limits = {"kind": kind} | {name: limit for name, limit in limits.items() if limit is not None}
        self.tag(sync=True)

    def validate(self, obj: Any, value: Any) -> Any:
        """The value as the page takes it; `InvalidState` if it is outside its own limits."""
        name = str(self.name)
        limits = obj.limits[name]
        return CHECKS[limits["kind"]](name, value, limits)

    def _cross_validate(self, obj: Any, value: Any) -> Any:
        value = super()._cross_validate(obj, value)
        obj.check_together(obj.state | {self.name: value})
        return value


def boolean(start: bool) -> Part:
    """A switch."""
    return Part("boolean", start)


def integer(
    start: int, *, low: int, high: int | None = None, below: str | None = None, step: int | None = None
) -> Part:
    """A whole number from ``low`` to ``high``, below the number or the length of the part ``below``.

    ``step=2``: every second one, from ``low`` on.
    """
    return Part("integer", start, low=low, high=high, below=below, step=step)


def real(start: float | int, *, low: float | int, high: float | int) -> Part:
    """A number from ``low`` to ``high``."""
    return Part("real", start, low=low, high=high)


def choice(start: str, options: Sequence[str]) -> Part:
    """One of ``options``."""
    return Part("choice", start, options=list(options))


def texts(
    start: Sequence[str] = (), *, fewest: int, most: int, longest: int, shortest: int = 1, spaces: bool = True
) -> Part:
    """``fewest`` to ``most`` strings of ``shortest`` to ``longest`` characters; one string is cut at its spaces."""
    lengths = {"fewest": fewest, "most": most, "shortest": shortest, "longest": longest}
    return Part("texts", list(start), **lengths, spaces=spaces)


def integers(start: Sequence[int] = (), *, low: int = 0, high: int | None = None, like: str | None = None) -> Part:
    """Whole numbers, each within the limits of `integer`, as many as the list ``like`` is long."""
    return Part("integers", list(start), low=low, high=high, like=like)


def permutation(start: Sequence[int] = (), *, of: str) -> Part:
    """Each of 0 … n − 1 once, for the n entries of the list ``of``."""
    return Part("permutation", list(start), like=of)


def matrix(
    start: Any = ((0.0,),),
    *,
    low: float | int = -1000,
    high: float | int = 1000,
    rows: tuple[int, int] | str,
    columns: tuple[int, int] = (1, 64),
) -> Part:
    """Numbers from ``low`` to ``high``; lists, NumPy or torch. ``rows``: fewest and most, or as many as a list has."""
    start = np.asarray(start, dtype=np.float64).tolist()
    like, count = (rows, None) if isinstance(rows, str) else (None, list(rows))
    return Part("matrix", start, low=low, high=high, like=like, rows=count, columns=list(columns))


def check_boolean(name: str, value: Any, limits: dict[str, Any]) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InvalidState(f"{name} must be True or False, got {brief(value)}")
    return bool(value)


def check_integer(name: str, value: Any, limits: dict[str, Any]) -> int:
    low, high, step = limits["low"], limits.get("high", np.inf), limits.get("step", 1)
    try:
        whole = operator.index(value)
    except Exception:  # Python raises TypeError, a torch tensor RuntimeError, an object of your own anything
        whole = low - 1
    if isinstance(value, bool) or not low <= whole <= high or (whole - low) % step:
        steps = f" in steps of {step}" if step > 1 else ""
        raise InvalidState(f"{name} must be a whole number {span(low, high)}{steps}, got {brief(value)}")
    return whole


def check_real(name: str, value: Any, limits: dict[str, Any]) -> float:
    low, high = limits["low"], limits["high"]
    try:
        number = float("nan" if isinstance(value, str | bool) else value)
    except Exception:  # as above; 10**400 is an OverflowError
        number = float("nan")
    if not low <= number <= high:  # NaN neither
        raise InvalidState(f"{name} must be a number {span(low, high)}, got {brief(value)}")
    return number + 0.0  # no minus zero


def check_choice(name: str, value: Any, limits: dict[str, Any]) -> str:
    if not isinstance(value, str) or value not in limits["options"]:
        raise InvalidState(f"{name} must be one of {', '.join(limits['options'])}, got {brief(value)}")
    return str(value)


def check_texts(name: str, value: Any, limits: dict[str, Any]) -> list[str]:
    strings = value.split() if isinstance(value, str) else as_list(name, value)
    fewest, most, shortest, longest = (limits[key] for key in ("fewest", "most", "shortest", "longest"))
    if not fewest <= len(strings) <= most:
        raise InvalidState(f"{name} must be {fewest} to {most} strings, got {len(strings)}")
    for text in strings:
        without = "" if limits["spaces"] else " without spaces"
        fits = isinstance(text, str) and shortest <= len(text) <= longest
        if not fits or (without and text.split() != [text]):
            raise InvalidState(
                f"{name} must be strings of {shortest} to {longest} characters{without}, got {brief(text)}"
            )
    return [str(text) for text in strings]


def check_integers(name: str, value: Any, limits: dict[str, Any]) -> list[int]:
    return [check_integer(f"each of {name}", number, limits) for number in as_list(name, value)]


def check_permutation(name: str, value: Any, limits: dict[str, Any]) -> list[int]:
    order = as_list(name, value)
    if not all(isinstance(i, int | np.integer) for i in order) or sorted(order) != list(range(len(order))):
        raise InvalidState(f"{name} must hold each of 0 … {len(order) - 1} once, got {brief(order)}")
    return [int(i) for i in order]


def check_matrix(name: str, value: Any, limits: dict[str, Any]) -> list[list[float]]:
    numbers = real_numbers(name, value)
    if numbers.ndim != 2 or 0 in numbers.shape:
        raise InvalidState(f"{name} must be a matrix with two axes, got shape {numbers.shape}")
    outside = ~((limits["low"] <= numbers) & (numbers <= limits["high"]))  # NaN too
    if outside.any():
        raise InvalidState(
            f"{name} must hold numbers {span(limits['low'], limits['high'])}, got {numbers[outside][0]:g}"
        )
    for axis, words in enumerate(("rows", "columns")):
        fewest, most = limits.get(words, (1, np.inf))
        if not fewest <= numbers.shape[axis] <= most:
            count = f"{fewest} to {most} {words}" if fewest < most else f"{most} {words if most > 1 else words[:-1]}"
            raise InvalidState(f"{name} must have {count}, got shape {numbers.shape}")
    return (numbers + 0.0).tolist()  # + 0.0 turns -0.0 into 0.0


def real_numbers(name: str, value: Any) -> np.ndarray:
    """Lists, a NumPy array or a torch tensor as float64; `InvalidState` says what is no array of real numbers."""
    refuse_mask(name, value)
    if hasattr(value, "detach"):  # a torch tensor, possibly on a device, with a gradient, of a dtype NumPy has not
        value = value.detach().cpu()
        value = value.double() if value.is_floating_point() else value
    if not hasattr(value, "shape"):
        lengths = [len(row) for row in value if isinstance(row, Sequence)] if isinstance(value, Sequence) else []
        if len(set(lengths)) > 1:
            raise InvalidState(f"{name} must have rows of equal length, got rows of {min(lengths)} to {max(lengths)}")
    try:
        array = np.asarray(value)
        is_real = array.dtype.kind not in "cmM"
        numbers = array.astype(np.float64) if is_real else np.empty(0)
    except Exception as error:  # as above
        raise InvalidState(f"{name} must be numbers, got {brief(value)}") from error
    if not is_real:
        advice = ": take its real part, or its modulus" * (array.dtype.kind == "c")
        raise InvalidState(f"{name} must hold real numbers, got {array.dtype}{advice}")
    big = abs(numbers) >= 2**53
    lost = [w for w, number in zip(array[big].tolist(), numbers[big].tolist(), strict=True) if w != number]
    if lost:
        raise InvalidState(f"{name} must hold whole numbers up to 2**53, got {lost[0]}")
    return numbers


def refuse_mask(name: str, value: Any) -> None:
    """NumPy reads the numbers under a mask as if there were none, in lists, too."""
    if isinstance(value, np.ma.MaskedArray):
        raise InvalidState(f"{name} must be without a mask, got a masked array: fill it, as by .filled(0)")
    for row in value if isinstance(value, list | tuple) else ():
        refuse_mask(name, row)


CHECKS: dict[str, Callable[[str, Any, dict[str, Any]], Any]] = {
    "boolean": check_boolean,
    "integer": check_integer,
    "real": check_real,
    "choice": check_choice,
    "texts": check_texts,
    "integers": check_integers,
    "permutation": check_permutation,
    "matrix": check_matrix,
}


def check_together(limits: dict[str, dict[str, Any]], state: dict[str, Any]) -> None:
    """Do the parts fit each other, as far as their limits say?

    Raises InvalidState: a list or a matrix that is not as long as its ``like``, a number that is not below its
    ``below``.
    """
    for name, limit in limits.items():
        value = state[name]
        if "like" in limit and len(value) != (n := size(state[limit["like"]])):
            if limit["kind"] == "permutation":
                raise InvalidState(f"{name} must hold each of 0 … {n - 1} once, got {brief(value)}")
            raise InvalidState(f"{name} must have one row for each of the {n} {limit['like']}, got {len(value)}")
        if "below" in limit and value >= (n := size(state[limit["below"]])):
            raise InvalidState(f"{name} must be below {n}, as {limit['below']} is, got {brief(value)}")


def size(value: Any) -> int:
    """A number, or the length of a list."""
    return len(value) if isinstance(value, list) else value


def span(low: float | int, high: float | int) -> str:
    """ "from 1 to 4", or "from 1" without an end."""
    return f"from {low:g}" if high == np.inf else f"from {low:g} to {high:g}"


def as_list(name: str, value: Any) -> list[Any]:
    if hasattr(value, "tolist"):  # NumPy, torch
        value = value.tolist()
    if not isinstance(value, Sequence | range) or isinstance(value, str | bytes):
        raise InvalidState(f"{name} must be a list, got {brief(value)}")
    return list(value)
