"""Which code a run executes: that of all runs, its scheme's and its task's. When it changes, it is a different run.

For a scheme that comes with the package, that is the source that its class reaches, and its settings. For one of your
own it is also what the hooks return on fixed numbers, so that a constant that they read, or a function that they call,
counts too.
"""

import hashlib
import inspect
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from types import CodeType
from typing import Any

import numpy as np
import torch

from inorder._arrays import Array
from inorder.lab.code_hash import code_hash, tokens_of
from inorder.lab.runs import TESTED_AT, Setting
from inorder.transformer import PositionScheme, schemes
from inorder.transformer.schemes import apply_hooks

COMMON = "inorder.lab.runs:run"
TASK_TABLE = "inorder.lab.tasks:TASKS"  # a run executes one of its entries
DIGITS = 6  # of what a hook returns: the rest may differ from machine to machine
LENGTHS = (7, max(TESTED_AT))  # of the texts on which hooks are tried


@cache
def common_code() -> str:
    """The hash of what every run executes, whatever its scheme and task.

    >>> len(common_code())
    12
    """
    return code_hash(COMMON, leave_out=(TASK_TABLE,))


def code_of(setting: Setting) -> dict[str, str]:
    """{"code", "scheme_code", "task_code"} of a run; a baseline's scheme_code is "".

    Raises ValueError: hooks of your own that return another shape; and what these raise.

    >>> rotary, shaw = (code_of(Setting("copy-left", name)) for name in ("rotary", "shaw"))
    >>> rotary["code"] == shaw["code"], rotary["scheme_code"] == shaw["scheme_code"]
    (True, False)
    """
    task = setting.bounded_task
    kinds: list[type] = [type(task), type(getattr(task, "task", task))]  # a marked task holds another
    task_code = _digest(*(_reached_by(kind) for kind in kinds), repr(task))
    scheme_code = "" if setting.is_baseline else scheme_digest(setting.position, setting.d_model, setting.n_heads)
    return {"code": common_code(), "scheme_code": scheme_code, "task_code": task_code}


def scheme_digest(scheme: PositionScheme, d_model: int, n_heads: int) -> str:
    """What a scheme is and does, as 12 digits.

    >>> class Near(PositionScheme):
    ...     name = "near"
    ...
    ...     def bias(self, query, key, query_positions, key_positions, tables):
    ...         return -SLOPE * abs(key_positions - query_positions[:, None]).to(query.dtype)
    >>> SLOPE = 1.0
    >>> before = scheme_digest(Near(), 8, 2)
    >>> SLOPE = 2.0
    >>> scheme_digest(Near(), 8, 2) == before
    False
    """
    packaged = [kind for kind in type(scheme).__mro__ if _is_packaged(kind)]
    parts = [_reached_by(kind) for kind in packaged]
    if type(scheme).__module__ == schemes.__name__:
        return _digest(*parts, repr(scheme))
    parts += _own_source(scheme)
    for n in LENGTHS:
        arrays = apply_hooks(scheme, n, d_model=d_model, n_heads=n_heads, like=torch.zeros((), dtype=torch.float64))
        parts += [f"{name} {_in_digits(array)}" for name, array in arrays.items()]
    return _digest(*parts)


def _is_packaged(kind: type) -> bool:
    """Is it a class of a module of the package, and not one that was only defined under its name?"""
    module = sys.modules.get(kind.__module__)
    return kind.__module__.split(".")[0] == "inorder" and getattr(module, kind.__qualname__, None) is kind


@cache
def _reached_by(kind: type) -> str:
    """By a run with this class: of its methods, those that a run names."""
    return code_hash(COMMON, f"{kind.__module__}:{kind.__qualname__}", leave_out=(TASK_TABLE,))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _in_digits(array: Array) -> str:
    numbers = np.asarray(array.detach().cpu() if hasattr(array, "detach") else array, dtype=float) + 0.0
    return f"{numbers.shape} {' '.join(f'{number:.{DIGITS}g}' for number in numbers.ravel())}"


def _own_source(scheme: PositionScheme) -> Iterator[str]:
    """The source of the methods of its classes that are not the package's, and of functions that it holds."""
    own = [kind for kind in type(scheme).__mro__ if kind is not object and not _is_packaged(kind)]
    members = [(name, member) for kind in own for name, member in sorted(vars(kind).items())]
    for name, member in [*members, *sorted(vars(scheme).items())]:
        function = inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", member))
        if inspect.isfunction(function) and not name.startswith("__"):
            yield f"{name} {_function_source(function)}"


def _function_source(function: Any) -> str:
    """Its tokens. Where no source is kept, as at Python's prompt, what the interpreter made of it."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        return " ".join(_instructions(function.__code__))
    try:
        return " ".join(tokens_of(source))
    except (tokenize.TokenError, SyntaxError):  # a lambda is cut out of its line
        return source


def _instructions(code: CodeType) -> Iterator[str]:
    yield f"{code.co_code.hex()} {code.co_names} {code.co_varnames}"
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _instructions(constant)
        else:
            yield repr(constant)
