"""An exercise: a reference, the inputs it is tried on, and the wrong answers that people are known to give."""

import copy
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SLIPS = {  # what an error says, and what was forgotten
    "matmul: Input operand": "The inner sizes of a matrix product must agree. Is a transpose, `.T`, missing?",
    "could not be broadcast": "The shapes do not line up. A sum, mean or maximum along an axis drops that axis, unless "
    "you ask for `keepdims=True`.",
}


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer: `says` completes the sentence "your function …", `wrong` is the function that does it.

    A `planted` one is what *Find the bug* begins with: a verdict shows where it fails, and does not name it.
    """

    says: str
    hint: str
    wrong: Callable[..., Any]
    planted: bool = False


@dataclass(frozen=True)
class Verdict:
    """What a check found. `mistake` is the known mistake, if one explains the answer."""

    passed: bool
    message: str
    mistake: Mistake | None = None

    def __repr__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Exercise:
    """A function to write, with the inputs it is tried on and the mistakes that are known.

    Each case is a dictionary from argument name to value, passed in that order. Cases are tried from the smallest
    to the largest, so that a failure is shown on numbers small enough to follow by hand. A mistake is named when,
    on that smallest failing case, it gives exactly what the student's function gave, or fails as it does; when several
    do, the one that agrees on the most cases is named, unless the exercise begins with it. An error of shapes gets the
    usual hint. A function of the package is refused, and so is `reference` itself.

    Example:
        >>> double = Exercise(
        ...     name="double",
        ...     reference=lambda x: 2 * x,
        ...     cases=[{"x": np.array([1.0, 3.0])}, {"x": np.eye(2)}],
        ...     mistakes=[Mistake("squares", "2x is x + x, not x times x.", lambda x: x * x)],
        ... )
        >>> double(lambda x: x + x)
        Correct: double is right on all 2 inputs.
        >>> double(lambda x: x**2).mistake.says
        'squares'
    """

    name: str
    reference: Callable[..., Any]
    cases: Sequence[dict[str, Any]]
    mistakes: Sequence[Mistake]
    tolerance: float = 1e-9

    def __call__(self, student: Any) -> Verdict:
        """Try `student` on every case and say what was found. Never raises: an error of `student` is a finding."""
        if not callable(student):
            return self._not_yet(f"expected a function, got {type(student).__name__}. Pass its name, without brackets.")
        if student is self.reference or _is_of_the_package(student):
            return self._not_yet(f"this is the book’s own function. Write {self.name} yourself.")
        cases = sorted(self.cases, key=_size)
        for case in cases:
            arguments = copy.deepcopy(case)
            try:
                got = _call(student, arguments)
            except NotImplementedError:
                return self._not_yet(f"{self.name} hasn’t been written yet.")
            except Exception as error:
                details = f"your function raised {type(error).__name__}: {error}"
                alike = [mistake for mistake in self.mistakes if _error(mistake.wrong, case) == _error(student, case)]
                if alike and not alike[0].planted:
                    message = f"{self.name} {alike[0].says}.\n{alike[0].hint}"
                    return self._not_yet(message, f"{_show(case)}  {details}\n", alike[0])
                hints = [hint for words, hint in SLIPS.items() if words in str(error) and not alike]
                return self._not_yet("\n".join([details, *hints]), _show(case), alike[0] if alike else None)
            expected = np.asarray(_call(self.reference, case))
            if got is None:
                return self._not_yet("your function returned None. Is the `return` missing?", _show(case))
            try:
                got = np.asarray(np.asarray(got) + 0.0)  # a sum of single numbers is no array
            except (TypeError, ValueError):
                return self._not_yet(
                    f"expected an array of numbers, your function returned {type(got).__name__}.", _show(case)
                )
            if not self._agree(got, expected):
                return self._explain(student, cases, case, got, expected)
            if not all(np.array_equal(arguments[name], case[name]) for name in case):
                return self._not_yet("the answer is right, but your function changes its input. Work on a copy.")
        return Verdict(True, f"Correct: {self.name} is right on all {len(cases)} inputs.")

    def _explain(self, student: Callable, cases: list, case: dict, got: np.ndarray, expected: np.ndarray) -> Verdict:
        details = _show(case) + _lines("expected", expected) + _lines("your function gave", got)
        candidates = [mistake for mistake in self.mistakes if self._agree(_try(mistake.wrong, case), got)]
        if candidates:
            answers = [_try(student, each) for each in cases]

            def agreements(mistake: Mistake) -> int:
                return sum(self._agree(_try(mistake.wrong, c), a) for c, a in zip(cases, answers, strict=True))

            mistake = max(candidates, key=agreements)
            if mistake.planted:
                return self._not_yet(
                    "the numbers differ. Follow this input through the lines, one by one.", details, mistake
                )
            return self._not_yet(f"{self.name} {mistake.says}.\n{mistake.hint}", details, mistake)
        if got.shape != expected.shape:
            return self._not_yet(f"expected shape {expected.shape}, your function gave shape {got.shape}.", details)
        return self._not_yet("the numbers differ, in a way that this check doesn’t recognise.", details)

    def _not_yet(self, what: str, where: str = "", mistake: Mistake | None = None) -> Verdict:
        message = "\n".join(textwrap.fill(line, 72) for line in f"Not yet: {what}".splitlines())
        if where:
            message += "\nThe smallest input on which it fails:\n" + where.rstrip("\n")
        return Verdict(False, message, mistake)

    def _agree(self, a: np.ndarray | None, b: np.ndarray | None) -> bool:
        if a is None or b is None:
            return a is b
        return a.shape == b.shape and np.allclose(a, b, rtol=self.tolerance, atol=self.tolerance, equal_nan=True)


def _is_of_the_package(function: Callable) -> bool:
    module = getattr(function, "__module__", None) or ""
    return module.startswith("inorder.") and not module.startswith("inorder.book.")


def _call(function: Callable, case: dict[str, Any]) -> Any:
    with np.errstate(all="ignore"):
        return function(*case.values())


def _try(function: Callable, case: dict[str, Any]) -> np.ndarray | None:
    """The answer as an array of floats, or None where the function fails."""
    try:
        return np.asarray(np.asarray(_call(function, copy.deepcopy(case))) + 0.0)
    except Exception:
        return None


def _error(function: Callable, case: dict[str, Any]) -> str | None:
    """The error that the function ends in, or None where it gives an answer."""
    try:
        _call(function, copy.deepcopy(case))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def _size(case: dict[str, Any]) -> int:
    return sum(np.size(value) for value in case.values())


def _show(case: dict[str, Any]) -> str:
    return "".join(_lines(name, value) for name, value in case.items())


def _lines(name: str, value: Any) -> str:
    """`name = value`, arrays with their shape above their numbers."""
    if np.ndim(value) == 0:
        return f"  {name} = {value}\n"
    text = np.array2string(np.asarray(value), precision=4, suppress_small=True, threshold=64, prefix="    ")
    return f"  {name}, shape {np.shape(value)}\n    {text}\n"


def integers(seed: int, *shape: int) -> np.ndarray:
    """Small whole numbers, so that a failing input can be followed by hand."""
    return np.random.default_rng(seed).integers(-3, 4, size=shape).astype(float)
