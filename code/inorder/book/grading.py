"""A point for an exercise, in a cell that students can't change: what `make notebooks` puts below each stub.

Such a cell runs this module anew (``runpy``), and `grade` imports the checkers anew, so that it makes no difference
what a notebook did to either. What it can't keep out is a person's business: a student's code runs in the same process.
"""

import contextlib
import importlib
import inspect
import sys
from collections.abc import Callable, Collection
from types import CodeType, ModuleType
from typing import Any

LIBRARIES = {"inorder", "torch", "scipy"}  # which have what the exercises ask to write


def grade(chapter: str, checker: str, *answers: Any, may_call: Collection[str] = ()) -> int:
    """1 if the checker of that chapter passes the answers, else 0; the verdict is printed.

    A function of a student gets no point if it, or another that it calls by name, names one of `LIBRARIES`, apart from
    the functions that `may_call` lists: those of the book's own solution.

    Example:
        >>> from inorder.attention import softmax
        >>> grade("softmax_qk_v", "softmax", softmax)
        No point: expected lines of your own, got softmax of a library.
        0
    """
    called = {name for answer in answers if callable(answer) for name in named(answer)} - set(may_call)
    if called:
        print(f"No point: expected lines of your own, got {', '.join(sorted(called))} of a library.")
        return 0
    with contextlib.redirect_stderr(sys.stdout):  # nbgrader takes what a warning prints for a failure
        verdict = getattr(_checkers(chapter), checker)(*answers)
    print(verdict)
    return int(verdict.passed)


def _checkers(chapter: str) -> ModuleType:
    """The chapter's module of checkers, imported anew with all that it uses of the package."""
    held = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "inorder"}
    for name in held:
        del sys.modules[name]
    try:
        return importlib.import_module(f"inorder.book.checks.{chapter}")
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "inorder"]:
            del sys.modules[name]
        sys.modules.update(held)


def named(function: Callable, seen: set[CodeType] | None = None) -> set[str]:
    """The functions and modules of `LIBRARIES` that a function names, by itself or through others that it names.

    Example:
        >>> from inorder.attention import softmax
        >>> named(softmax)
        {'softmax'}
    """
    seen = set() if seen is None else seen
    function = getattr(function, "func", function)  # of a partial one
    if _library(function):
        return {function.__name__}
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or code in seen:
        return set()
    seen.add(code)
    function = inspect.unwrap(function)
    words = _names(code)
    cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
    scope = function.__globals__ | {name: cell.cell_contents for name, cell in cells}
    values = [scope[word] for word in words if word in scope]
    values += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    found = {word for word in words if word.partition(".")[0] in LIBRARIES}  # imported in the function
    for value in values:
        if isinstance(value, ModuleType):
            found |= {value.__name__} if value.__name__.partition(".")[0] in LIBRARIES else set()
        elif callable(value):
            found |= named(value, seen)
    return found


def _library(value: Any) -> bool:
    return (getattr(value, "__module__", None) or "").partition(".")[0] in LIBRARIES and hasattr(value, "__name__")


def _names(code: CodeType) -> set[str]:
    """The names in a function's code, nested functions included."""
    nested = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return {*code.co_names, *code.co_freevars}.union(*map(_names, nested))
