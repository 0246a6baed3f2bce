"""The door of the package: a call from outside is checked once, and inside, functions call each other freely.

A shape is stated in one place, the annotation. `check_calls(globals())`, at the end of a public module, puts in the
place of each function that the module exports one that reads the annotations and asks for one back end, for the shapes,
for the dtypes and for finite numbers, in this order, before it calls the function itself; a call from the same module
goes straight through. What no annotation says, a function adds by `@expects(more)`, where `more` takes the arguments
that it needs by their names. A module inside the package imports from the module that defines a function, and gets the
function itself.

What the annotations, which are jaxtyping's, ask for:

    Float       floating-point numbers, finite, of the dtype of the first such array      Real: of any real dtype
    n           an axis of one entry or more, as long as in the arrays before this one
    2*{n}+1     an axis whose length follows from an argument, or from the axes so far
    *batch      any leading axes, those of the arrays before this one
    *#batch     the same, but each 1 or left out: it broadcasts
    ...         any axes (where others come before them, nothing is asked of the shape)

A NamedTuple of arrays is read field by field, as `parameters.w_query`; one that holds other trees, by its class alone.
"""

import sys
from collections.abc import Callable
from functools import wraps
from inspect import isclass, isfunction, signature
from types import CodeType, NoneType, UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

from inorder._arrays import (
    Array,
    expect,
    expect_broadcast,
    expect_finite,
    expect_floats,
    expect_no_plus_infinity,
    expect_shape,
    namespace,
)

F = TypeVar("F", bound=Callable[..., Any])
DTYPES = {"Float": "real floating", "Integer": "integral", "Bool": "bool", "Real": ("real floating", "integral")}
SAID = {"Integer": "an integer dtype", "Bool": "dtype bool", "Real": "a real dtype"}

# What PyTorch calls arguments of attention, and what to write here.
TORCH_NAMES = {
    "attn_mask": "use mask=, True = may attend, or bias= for what is added to the scores",
    "key_padding_mask": "use mask=padding_mask(keep), True = a token that may be attended to",
    "is_causal": "use mask=causal_mask(n_query, n_key)",
    "dropout_p": "there is no dropout here, so leave it out",
    "enable_gqa": "use repeat_heads on key and value first",
}


def expects(more: Callable[..., None] | None = None, *, minus_infinity: str = "") -> Callable[[F], F]:
    """What a call from outside is asked for beside its annotations; and the name of the argument that may hold −∞."""

    def noted(function: F) -> F:
        vars(function).update(expects=more, minus_infinity=minus_infinity)
        return function

    return noted


def check_calls(module: dict[str, Any]) -> None:
    """Check the calls of all functions that a module exports by its `__all__`."""
    for name in module["__all__"]:
        if isfunction(module[name]):
            module[name] = checked(module[name])


def checked(function: F) -> F:
    """The function behind its checks. Compiled by torch it has none: a graph can't stop to look at numbers."""
    parameters = signature(function).parameters
    defaults = {name: each.default for name, each in parameters.items() if each.default is not each.empty}
    arguments = {name: _read(each.annotation) for name, each in parameters.items()}
    more, minus_infinity = (vars(function).get(name) for name in ("expects", "minus_infinity"))
    asked_for = () if more is None else [name for name in signature(more).parameters if name in parameters]

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        torch = sys.modules.get("torch")
        if torch is not None and torch.compiler.is_compiling():
            return function(*given, **named)
        if sys._getframe(1).f_globals.get("__name__") == function.__module__:  # a call from its own module
            return function(*given, **named)
        values = {**defaults, **dict(zip(parameters, given, strict=False)), **named}
        for name in values.keys() - parameters.keys() & TORCH_NAMES.keys():
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}: {TORCH_NAMES[name]}")
        if values.keys() == parameters.keys() and len(given) <= len(parameters):  # else Python says what is wrong
            _expect_values(arguments, values, minus_infinity)
            if more is not None:
                more(**{name: values[name] for name in asked_for})
        return function(*given, **named)

    # pickle looks a function up by its names, and finds the plain one by its own.
    call.__qualname__ = f"{function.__qualname__}.checked"
    vars(function)["checked"] = vars(call)["checked"] = call
    return call  # type: ignore[return-value]


class _Axes(NamedTuple):
    """A shape, as an annotation states it."""

    kind: str  # Float, Integer, Bool, Real, Shaped
    names: tuple[str, ...]
    formulas: dict[str, CodeType]  # of those names that are more than a name
    depends: bool  # does the array itself say how long one of its axes must be?


class _Tree(NamedTuple):
    """A class, and its arrays by the names of their fields."""

    kind: type
    fields: dict[str, "_Argument"]


class _Argument(NamedTuple):
    """What may come for one argument: arrays of one of these shapes, or a tree; nothing is asked of anything else."""

    arrays: tuple[_Axes, ...]
    tree: _Tree | None
    optional: bool


def _read(annotation: Any) -> _Argument:
    options = get_args(annotation) if get_origin(annotation) is UnionType else (annotation,)
    classes = [option for option in options if isclass(option) and option is not NoneType]
    trees = [option for option in classes if option.__module__.startswith("inorder.") and option is not Array]
    tree = _Tree(trees[0], _fields(trees[0])) if len(trees) == len(options) - (NoneType in options) == 1 else None
    return _Argument(tuple(_axes(each) for each in classes if hasattr(each, "dim_str")), tree, NoneType in options)


def _fields(kind: type) -> dict[str, _Argument]:
    """The fields of a tree of arrays; none where some of them are trees."""
    if not hasattr(kind, "_fields"):
        return {}
    hints = [option for hint in kind.__annotations__.values() for option in (*get_args(hint), hint)]
    if any(hasattr(hint, "_fields") or get_origin(hint) in (tuple, dict) for hint in hints):
        return {}
    return {name: _read(hint) for name, hint in kind.__annotations__.items()}


def _axes(annotation: Any) -> _Axes:
    names = tuple(annotation.dim_str.replace("{", "").replace("}", "").split())
    formulas = {name: compile(name, name, "eval") for name in names if name[0] not in "*." and not name.isidentifier()}
    return _Axes(annotation.dtype.__name__, names, formulas, bool(formulas) or len(set(names)) < len(names))


def _expect_values(arguments: dict[str, _Argument], values: dict[str, Any], minus_infinity: str | None) -> None:
    given: dict[str, tuple[Any, tuple[_Axes, ...]]] = {}
    for name, (options, tree, optional) in arguments.items():
        value = values[name]
        if value is None and optional:
            continue
        if options:
            given[name] = value, options
        elif tree is not None:
            kind = tree.kind.__name__
            expect(isinstance(value, tree.kind), kind if kind.endswith("s") else f"a {kind}", type(value).__name__)
            for field, own in tree.fields.items():
                if own.arrays and not (own.optional and getattr(value, field) is None):
                    given[f"{name}.{field}"] = getattr(value, field), own.arrays
    if not given:
        return
    xp = namespace(**{name: array for name, (array, _) in given.items()})
    sizes: dict[str, Any] = {name: value for name, value in values.items() if isinstance(value, int)}
    kinds = {}
    for name, (array, options) in given.items():
        expect(array is not None, f"{name} to be a NumPy array or a torch tensor", "NoneType")
        fitting = [each for each in options if each.kind in DTYPES and xp.isdtype(array.dtype, DTYPES[each.kind])]
        axes = (fitting or options)[0]
        kinds[name] = axes.kind
        _expect_axes(name, array, axes, sizes)
    for name, kind in kinds.items():
        dtype = given[name][0].dtype
        if kind in SAID and not xp.isdtype(dtype, DTYPES[kind]):
            adds = name == "mask" and xp.isdtype(dtype, "real floating")
            advice = ": what is added to the scores is bias=" if adds else ""
            raise ValueError(f"expected {name} of {SAID[kind]}, got {dtype}{advice}")
    floats = {name: given[name][0] for name, kind in kinds.items() if kind == "Float"}
    if floats:
        expect_floats(xp, **floats)
    reals = {name: given[name][0] for name, kind in kinds.items() if kind == "Real"}
    for name, array in (floats | reals).items():
        expect_numbers = expect_no_plus_infinity if name == minus_infinity else expect_finite
        expect_numbers(name, array)


def _expect_axes(name: str, array: Array, axes: _Axes, sizes: dict[str, Any]) -> None:
    """Compare a shape with the axes, and enter those that are new into `sizes`."""
    if "..." in axes.names[1:]:
        return
    wanted = _wanted(axes, sizes)
    if axes.names[:1] and axes.names[0].startswith("*#"):
        expect_broadcast(name, array, wanted)
        return
    expect_shape(name, array, *wanted, advice=_advice(name, array, sizes))
    shape, single = tuple(array.shape), [axis for axis in axes.names if axis[0] not in "*."]
    if axes.names[:1] and axes.names[0][0] == "*":
        sizes.setdefault(axes.names[0], shape[: len(shape) - len(single)])
    for axis, size in zip(single, shape[len(shape) - len(single) :], strict=True):
        sizes.setdefault(axis, size)
    if axes.depends:
        expect_shape(name, array, *_wanted(axes, sizes))


def _wanted(axes: _Axes, sizes: dict[str, Any]) -> tuple[Any, ...]:
    """The shape as far as it is known, as `expect_shape` takes it."""
    wanted: list[Any] = []
    for axis in axes.names:
        if axis in axes.formulas:
            wanted.append(_value(axes.formulas[axis], sizes) or sizes.get(axis, axis))
        elif axis[0] in "*.":
            wanted.extend(sizes.get(axis.replace("#", ""), (...,)))
        else:
            wanted.append(sizes.get(axis, axis))
    return tuple(wanted)


def _value(formula: CodeType, sizes: dict[str, Any]) -> int | None:
    try:
        return int(eval(formula, {}, sizes))
    except (NameError, TypeError):  # an axis in it is not known yet
        return None


def _advice(name: str, array: Array, sizes: dict[str, Any]) -> str:
    """For keys that several query heads share."""
    batch, shape = sizes.get("*batch", ()), tuple(getattr(array, "shape", ()))
    if name != "key" or not batch or batch is ... or len(shape) < 3:
        return ""
    n_heads, n_key_heads = batch[-1], shape[-3]
    shared = 1 < n_key_heads < n_heads and n_heads % n_key_heads == 0
    return f"; for query heads that share a key, first repeat_heads(key, {n_heads})" if shared else ""
