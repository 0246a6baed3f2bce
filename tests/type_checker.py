"""beartype as jaxtyping calls it, without making the same check twice.

A function inside a function is decorated again at each call of the outer one, and beartype would write and compile its
check again. What jaxtyping gives it to decorate has no body of its own, only names, defaults and annotations.

Of each function jaxtyping makes two: one with its parameters alone, and one that returns its last keyword, the result,
which would check the parameters again. The sizes that they have named are known by then.
"""

import functools
import sys
import typing
from collections.abc import Callable
from typing import Any

import jaxtyping
from beartype import beartype
from jaxtyping import AbstractArray

CHECKED: dict[tuple[Any, ...], Callable] = {}

if sys.version_info < (3, 12):  # each isinstance of a protocol lists its attributes twice, a million times in the tests
    typing._get_protocol_attrs = functools.cache(typing._get_protocol_attrs)
always_jaxtyped = jaxtyping.jaxtyped


def jaxtyped(function: Any = None, **options: Any) -> Any:
    """What the import hook decorates with. A function inside a function stays as it is while types are not checked.

    It does so, too, if its annotations name no shape: mypy reads the others.
    """
    if function is None:
        return functools.partial(jaxtyped, **options)
    annotations = getattr(function, "__annotations__", {})
    unchecked = jaxtyping.config.jaxtyping_disable or not any(map(names_a_shape, annotations.values()))
    if unchecked and "<locals>" in getattr(function, "__qualname__", "") and not isinstance(function, type):
        return function
    return always_jaxtyped(function, **options)


jaxtyping.jaxtyped = jaxtyped


def names_a_shape(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, AbstractArray):
        return True
    return any(map(names_a_shape, typing.get_args(annotation)))


def meaning(annotation: Any) -> Any:
    """Equal for equal annotations: each `Float[Array, "n"]` is a class of its own."""
    if isinstance(annotation, type) and issubclass(annotation, AbstractArray):
        return annotation.array_type, annotation.dtype, annotation.dim_str
    arguments = typing.get_args(annotation)
    return (typing.get_origin(annotation), *map(meaning, arguments)) if arguments else annotation


def returns_its_last_keyword(function: Callable) -> bool:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return (
        bool(code.co_kwonlyargcount)
        and names[-1].startswith("ret")
        and names[-1] not in (function.__kwdefaults__ or {})
    )


def type_checker(function: Callable) -> Callable:
    if returns_its_last_keyword(function):
        function.__annotations__ = {"return": function.__annotations__["return"]}
    defaults = function.__defaults__, *(function.__kwdefaults__ or {}).items()
    annotations = [(name, meaning(annotation)) for name, annotation in function.__annotations__.items()]
    key = (function.__module__, function.__qualname__, function.__code__, *defaults, *annotations)
    try:
        return CHECKED[key]
    except KeyError:
        return CHECKED.setdefault(key, beartype(function))
    except TypeError:  # a default or an annotation that cannot be a key
        return beartype(function)
