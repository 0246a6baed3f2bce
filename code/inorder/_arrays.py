"""What the reference functions share: one array type for NumPy and torch, and checks that say what they got.

The functions take either back end through the array API standard (https://data-apis.org/array-api).

`inorder._checked` checks what annotations state; the rest is said with the functions here. Whatever reads the numbers
of an array goes through `holds`.
"""

import math
import sys
from collections.abc import Collection
from numbers import Integral, Real
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import array_api_compat
import array_api_compat.numpy
import numpy as np

if TYPE_CHECKING:
    Array = Any  # type checkers reject `@` on the protocol below
else:

    @runtime_checkable
    class Array(Protocol):
        """A NumPy array or a torch tensor: jaxtyping reads these two attributes and nothing else."""

        shape: Any
        dtype: Any


def expect(condition: object, expected: str, got: object) -> None:
    """Raise `ValueError("expected …, got …")` unless the condition holds."""
    if not condition:
        raise ValueError(f"expected {expected}, got {got}")


def holds(condition: Any) -> bool:
    """Is a condition on the numbers of an array true?

    Taken on trust where the numbers can't be looked at: under `torch.vmap`, under `torch.compile`, which would have to
    cut its graph, and on torch's "meta" device, where there are no numbers.
    """
    torch = sys.modules.get("torch")
    if torch is not None and (torch.compiler.is_compiling() or getattr(condition, "is_meta", False)):
        return True
    try:
        return bool(condition)
    except RuntimeError as error:
        if str(error).startswith("vmap: "):  # the class alone says nothing: an error of the GPU has the same
            return True
        raise


def namespace(*arrays: Array | None, **named: Array | None) -> Any:
    """The array-API functions of the arrays' back end. None is skipped; two back ends or two devices are an error.

    An error speaks of the `named` ones by their names.
    """
    examples = {type(array): array for array in (*arrays, *named.values()) if array is not None}
    for kind, array in examples.items():
        masked = issubclass(kind, np.ma.MaskedArray | np.matrix)
        if masked or not hasattr(array, "shape"):
            names = [name for name, other in named.items() if type(other) is kind]
            got = f"{_type_name(kind)}{' as ' * bool(names)}{' and '.join(names)}"
            raise ValueError(f"expected NumPy arrays or torch tensors, got {got}")
    try:
        xp = array_api_compat.array_namespace(*examples.values())
    except TypeError:
        kinds = " and ".join(sorted(map(_type_name, examples)))
        raise ValueError(f"expected arrays of one back end, NumPy or torch, got {kinds}") from None
    if xp is not array_api_compat.numpy:
        devices = {str(array.device) for array in (*arrays, *named.values()) if array is not None}
        expect(len(devices) == 1, "arrays on one device", " and ".join(sorted(devices)))
    return xp


def _type_name(kind: type) -> str:
    return f"{kind.__module__.split('.')[0]}.{kind.__qualname__}"


def short_repr(tree: Any) -> str:
    """A named tuple of arrays in a line or two: of an array its dtype and shape, of a tuple of parts their number."""
    fields = [f"{name}={_in_short(part)}" for name, part in zip(tree._fields, tree, strict=True) if part is not None]
    return f"{type(tree).__name__}({', '.join(fields)})"


def _in_short(part: Any) -> str:
    if hasattr(part, "shape") and hasattr(part, "dtype"):
        return f"{str(part.dtype).removeprefix('torch.')}{list(part.shape)}"
    if isinstance(part, dict):
        return "{" + ", ".join(f"{name!r}: {_in_short(each)}" for name, each in part.items()) + "}"
    if hasattr(part, "_fields"):
        return f"{type(part).__name__}(…)"
    if isinstance(part, tuple):
        return f"({len(part)} × {_in_short(part[0])})" if part else "()"
    return repr(part)


def creation(like: Array | None) -> tuple[Any, Any, Any]:
    """(namespace, device, dtype) for a function that makes an array from none: those of `like`, else NumPy float64."""
    if like is None:
        return array_api_compat.numpy, "cpu", np.float64
    return namespace(like), array_api_compat.device(like), like.dtype


def without_gradient(x: Array) -> Array:
    """The same numbers, as a constant to automatic differentiation (NumPy has none)."""
    return x.detach() if hasattr(x, "detach") else x


def in_float32(x: Array) -> Array:
    """Numbers of 16 bits as float32, to be added up as torch does: a square overflows float16 from 256 on."""
    xp = array_api_compat.array_namespace(x)
    return xp.astype(x, xp.float32) if xp.finfo(x.dtype).bits < 32 else x


def expect_shape(name: str, array: Array, *axes: EllipsisType | str | int, advice: str = "") -> None:
    """Each axis is an exact size, or the name of an axis of one entry or more; a leading `...` is any leading axes.

    The message ends in `advice`.
    """
    expect(hasattr(array, "shape"), f"{name} to be a NumPy array or a torch tensor", type(array).__name__)
    shape = tuple(array.shape)
    leading, axes = axes[:1] == (...,), tuple(axis for axis in axes if axis is not ...)
    sizes = shape[len(shape) - len(axes) :] if leading and len(shape) > len(axes) else shape
    fits = len(sizes) == len(axes)
    for size, axis in zip(sizes, axes, strict=False):
        fits = fits and (size > 0 if isinstance(axis, str) else size == axis)
    if not fits:
        expected = ", ".join(["..."] * leading + [str(axis) for axis in axes]) + "," * (len(axes) + leading == 1)
        empty = " with no empty axis" if 0 in sizes else ""
        raise ValueError(f"expected {name} of shape ({expected}){empty}, got {shape}{advice}")


def expect_floats(xp: Any, **arrays: Array | None) -> None:
    """Every array holds floating-point numbers, and all have the dtype of the first. None is skipped."""
    first, like = next((name, array) for name, array in arrays.items() if array is not None)
    expect(xp.isdtype(like.dtype, "real floating"), f"{first} of a floating-point dtype", like.dtype)
    for name, array in arrays.items():
        if array is not None and array.dtype != like.dtype:
            expect(xp.isdtype(array.dtype, "real floating"), f"{name} of a floating-point dtype", array.dtype)
            raise ValueError(f"expected {name} of {first}'s dtype {like.dtype}, got {array.dtype}")


def expect_finite(name: str, array: Array) -> None:
    """Neither NaN nor an infinity: either would reach the largest magnitude, and fail the comparison."""
    finite = 0 in array.shape or holds(abs(without_gradient(array)).max() < math.inf)
    expect(finite, f"{name} of finite numbers", "NaN or an infinity")


def expect_no_plus_infinity(name: str, array: Array) -> None:
    """Of what is added to scores: −∞ masks, and NaN or +∞ would reach the largest."""
    fine = 0 in array.shape or holds(without_gradient(array).max() < math.inf)
    expect(fine, f"{name} of numbers or -inf", "NaN or +inf")


def expect_broadcast(name: str, array: Array, shape: tuple[int, ...]) -> None:
    """A mask or a bias: its last two axes are those of the scores, any before them 1 or left out."""
    got = tuple(array.shape)
    fits = len(got) <= len(shape) and got[-2:] == shape[-2:]
    for size, full in zip(got[-3::-1], shape[-3::-1], strict=False):
        fits = fits and size in (1, full)
    by_key = name == "mask" and got[-1:] == shape[-1:]
    advice = "; one that says which keys are padding goes through padding_mask" if by_key else ""
    expect(fits, f"{name} of shape {shape}, its leading axes 1 or left out", f"{got}{advice}")


def expect_number(name: str, value: object) -> None:
    """A finite number."""
    expect(isinstance(value, Real) and math.isfinite(value), f"{name} to be a finite number", repr(value))


def expect_not_negative(name: str, value: object) -> None:
    """A number, 0 or more, and not infinite."""
    expect(isinstance(value, Real) and 0 <= float(value) < math.inf, f"{name} to be a number, 0 or more", repr(value))


def expect_positive(name: str, value: object) -> None:
    """A number above 0, and not infinite."""
    expect(isinstance(value, Real) and 0 < float(value) < math.inf, f"{name} to be a positive number", repr(value))


def expect_count(name: str, value: object) -> None:
    """A whole number, one or more."""
    expect(isinstance(value, int | np.integer) and value > 0, f"{name} to be a positive whole number", repr(value))


def expect_multiple(name: str, value: object, factor: int) -> None:
    """A positive whole number that `factor` divides."""
    expect_count(name, value)
    expect(value % factor == 0, f"{name} to be a multiple of {factor}", value)  # type: ignore[operator]


def expect_choice(name: str, value: object, choices: Collection[str]) -> None:
    """One of a few words."""
    known = isinstance(value, str) and value in choices
    expect(known, f"{name} to be one of {', '.join(choices)}", repr(value))


def as_generator(rng: object) -> np.random.Generator:
    """A NumPy generator as it is, or a fresh one for a seed."""
    expect(isinstance(rng, Integral | np.random.Generator), "rng to be a seed or a numpy.random.Generator", repr(rng))
    return np.random.default_rng(rng)  # type: ignore[arg-type]


def float_creation(like: Array | None) -> tuple[Any, Any, Any]:
    """As `creation`, for an array of floating-point numbers."""
    xp, device, dtype = creation(like)
    expect(xp.isdtype(dtype, "real floating"), "like of a floating-point dtype", dtype)
    return xp, device, dtype


def float_dtype(xp: Any, dtype: Any) -> Any:
    """`dtype` itself, or the back end's default (NumPy float64; torch, unless set otherwise, float32)."""
    if dtype is None:
        return xp.empty(0).dtype
    try:
        floating = xp.isdtype(dtype, "real floating")
    except (TypeError, AttributeError):  # not a dtype, or one of the other back end
        floating = False
    back_end = xp.__name__.split(".")[-1]
    expect(floating, f"dtype to be a floating-point dtype of {back_end}, such as {back_end}.float32", repr(dtype))
    return dtype


def as_int64(positions: Array) -> Array:
    """Unsigned positions would wrap around where they are subtracted, small ones where they are multiplied."""
    xp = array_api_compat.array_namespace(positions)
    return xp.astype(positions, xp.int64, copy=False)


def not_negative(name: str, numbers: Array) -> Array:
    """Whole numbers as int64, none of them below 0."""
    xp = array_api_compat.array_namespace(numbers)
    numbers = as_int64(numbers)
    if not holds(xp.min(numbers) >= 0):
        raise ValueError(f"expected {name} of 0 or more, got {int(xp.min(numbers))}")
    return numbers
