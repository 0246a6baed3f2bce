"""Controls from their abbreviations: a slider, a choice, a switch or a text box, each a row of states."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from inorder.widgets.kit.state import brief

MOST_STEPS = 2_000_000
EXPECTED = "(low, high), (low, high, step), a list or dict of choices, a text or a tuple of texts, or a bool"
MOST_BY_HAND = 64  # states of a slider: with more of them it has a box, in which a number is typed


@dataclass(frozen=True)
class Control:
    """One argument of the function and the states it takes.

    ``values`` is what the function receives; ``keys``, of the same length, what the trait holds and a link to the page
    carries: numbers for a slider, names for a choice, booleans for a switch, the texts of a text box, which takes
    others where there is a kernel; ``texts`` what the reader sees.
    """

    name: str
    kind: str
    values: tuple[Any, ...]
    keys: tuple[Any, ...]
    texts: tuple[str, ...]
    start: int

    def index(self, key: Any) -> int:
        """The state nearest to a slider's number, or the one of this name; a ``ValueError`` if there is none."""
        if self.kind != "slider":
            matches = [i for i, own in enumerate(self.keys) if type(own) is type(key) and own == key]
            if not matches:
                raise ValueError(f"{self.name} must be one of {', '.join(map(brief, self.keys))}, got {brief(key)}")
            return matches[0]
        low, high = self.keys[0], self.keys[-1]
        if isinstance(key, bool) or not isinstance(key, (int, float, np.number)) or not low <= key <= high:
            raise ValueError(f"{self.name} must be a number from {low} to {high}, got {brief(key)}")
        return int(np.abs(np.array(self.keys, dtype=np.float64) - float(key)).argmin())

    def nearest(self, key: Any) -> Any:
        """What the trait holds for this setting; a text box takes any text. A ``ValueError`` if it is none."""
        return key if self.kind == "text" and isinstance(key, str) else self.keys[self.index(key)]

    def value(self, key: Any) -> Any:
        """What the function receives."""
        return key if self.kind == "text" else self.values[self.index(key)]

    def text(self, key: Any) -> str:
        """What the reader sees."""
        return key if self.kind == "text" else self.texts[self.index(key)]

    def front_end(self, label: str, ends: Sequence[str]) -> dict[str, Any]:
        """What the page knows of this control."""
        described: dict[str, Any] = {"name": self.name, "kind": self.kind, "label": label, "ends": list(ends)}
        if self.kind == "text" or (self.kind == "slider" and len(self.keys) > MOST_BY_HAND):
            described["typed"] = True
        return described | {"keys": list(self.keys), "texts": list(self.texts)}


def parse_controls(f: Callable[..., Any], abbreviations: Mapping[str, Any], starts: Mapping[str, Any]) -> list[Control]:
    """The controls of ``f``, in the order of its arguments."""
    name_of_f = getattr(f, "__name__", "the function")
    parameters = inspect.signature(f).parameters
    if not abbreviations:
        raise ValueError(f"interact needs a control: name an argument of {name_of_f}, and give {EXPECTED}")
    for name in (*abbreviations, *starts):
        if name not in parameters:
            raise ValueError(f"{name} is not an argument of {name_of_f}, which has {', '.join(parameters) or 'none'}")
    for name in starts:
        if name not in abbreviations:
            raise ValueError(f"start names {name}, which has no control")
    missing = [
        name
        for name, parameter in parameters.items()
        if name not in abbreviations
        and parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if missing:
        raise ValueError(f"{name_of_f} needs a control or a default for {', '.join(missing)}")
    controls = []
    for name in (name for name in parameters if name in abbreviations):
        default = parameters[name].default
        start = starts.get(name, None if default is inspect.Parameter.empty else default)
        controls.append(_parse(name, abbreviations[name], start, has_start=name in starts))
    return controls


def _parse(name: str, abbreviation: Any, start: Any, *, has_start: bool) -> Control:
    if isinstance(abbreviation, (bool, np.bool_)):
        first = bool(start) if has_start else bool(abbreviation)  # interact(f, masked=True) starts switched on
        return Control(name, "switch", (False, True), (False, True), ("off", "on"), int(first))
    if isinstance(abbreviation, tuple) and len(abbreviation) in (2, 3) and all(map(_is_number, abbreviation)):
        return _slider(name, _steps(name, *abbreviation), start)
    if isinstance(abbreviation, str):
        return _text(name, (abbreviation,), start if has_start else abbreviation)  # interact(f, text="a") starts there
    if isinstance(abbreviation, tuple) and abbreviation and all(isinstance(text, str) for text in abbreviation):
        return _text(name, abbreviation, start)
    if isinstance(abbreviation, Mapping):
        return _choice(name, [str(key) for key in abbreviation], list(abbreviation.values()), start)
    if isinstance(abbreviation, (list, range, np.ndarray)):
        values = [value.item() if isinstance(value, np.generic) else value for value in abbreviation]
        if len(values) > 2 and all(map(_is_number, values)) and all(np.diff(values) > 0):
            return _slider(name, values, start)
        unnamed = [value for value in values if not isinstance(value, (str, int, float))]
        if unnamed:
            raise ValueError(
                f"{name}: choices that are not numbers or words need names: give a dict, not {unnamed[0]!r:.60}"
            )
        return _choice(name, [str(value) for value in values], values, start)
    raise ValueError(f"{name}: expected {EXPECTED}, got {abbreviation!r:.80}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _steps(name: str, low: Any, high: Any, step: Any = None) -> list[Any]:
    """low, low + step, … up to high, as a reader would write them: 0.3, not 0.30000000000000004."""
    if step is None:
        step = 1 if all(isinstance(end, (int, np.integer)) for end in (low, high)) else 0.1
    if not np.isfinite([low, high, step]).all() or step <= 0 or low >= high:
        raise ValueError(
            f"{name}: expected (low, high, step) with low < high and step > 0, got ({low}, {high}, {step})"
        )
    first, width = Decimal(str(low)), Decimal(str(step))
    count = int((Decimal(str(high)) - first) / width) + 1
    if count < 2:
        raise ValueError(f"{name}: a step of {step} from {low} leaves no second state up to {high}")
    if count > MOST_STEPS:
        raise ValueError(f"{name}: expected up to {MOST_STEPS} states of a slider, got {count}: take a larger step")
    whole = all(isinstance(number, (int, np.integer)) for number in (low, high, step))
    return [int(first + i * width) if whole else float(first + i * width) for i in range(count)]


def _slider(name: str, values: list[Any], start: Any) -> Control:
    decimals = max(max(0, -int(Decimal(str(value)).normalize().as_tuple().exponent)) for value in values)
    texts = [(f"{value:.{decimals}f}" if decimals <= 6 else f"{value:g}").replace("-", "−") for value in values]
    control = Control(name, "slider", tuple(values), tuple(values), tuple(texts), len(values) // 2)
    return _started(control, start)


def _choice(name: str, names: list[str], values: list[Any], start: Any) -> Control:
    if len(names) < 2:
        raise ValueError(f"{name}: expected at least two choices, got {names}")
    if len(set(names)) < len(names):
        raise ValueError(f"{name}: every choice needs its own name, got {', '.join(names)}")
    control = Control(name, "choice", tuple(values), tuple(names), tuple(names), 0)
    if isinstance(start, str) and start in names:
        return _started(control, start)
    matches = [i for i, value in enumerate(values) if (start is not None and value is start) or _equal(value, start)]
    return _started(control, names[matches[0]] if matches else start)


def _text(name: str, texts: tuple[str, ...], start: Any) -> Control:
    """A text box. Where it starts is one of its texts, too."""
    if start is not None and not isinstance(start, str):
        raise ValueError(f"{name} is a text box, which starts with a text, got {brief(start)}")
    own = tuple(dict.fromkeys(texts if start is None else (start, *texts)))
    return Control(name, "text", own, own, own, 0)


def _equal(one: Any, other: Any) -> bool:
    """The same number, word or tuple of these; arrays have no one answer, so they must be the same object."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    return isinstance(one, (str, int, float)) and type(one) is type(other) and one == other


def _started(control: Control, start: Any) -> Control:
    if start is None:
        return control
    index = control.index(start)
    if control.kind == "slider" and not np.isclose(control.keys[index], start, rtol=1e-9, atol=1e-12):
        near = ", ".join(control.texts[max(0, index - 1) : index + 2])
        raise ValueError(f"{control.name} starts at {start}, which is not one of its states; the nearest are {near}")
    return Control(control.name, control.kind, control.values, control.keys, control.texts, index)
