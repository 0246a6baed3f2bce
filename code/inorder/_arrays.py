"""What the reference functions share: one array type for NumPy and torch, and checks that name what came.

The functions take either back end through the array API standard (https://data-apis.org/array-api).
"""

import math
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


def namespace(*arrays: Array | None) -> Any:
    """The array-API functions of the arrays' back end. None is skipped; two back ends or two devices are an error."""
    given = [array for array in arrays if array is not None]
    kinds = sorted({f"{type(array).__module__.split('.')[0]}.{type(array).__qualname__}" for array in given})
    expect(all(hasattr(array, "shape") for array in given), "NumPy arrays or torch tensors", " and ".join(kinds))
    try:
        xp = array_api_compat.array_namespace(*given)
    except TypeError:
        raise ValueError(f"expected arrays of one back end, NumPy or torch, got {' and '.join(kinds)}") from None
    devices = {str(array_api_compat.device(array)) for array in given}
    expect(len(devices) == 1, "arrays on one device", " and ".join(sorted(devices)))
    return xp


def creation(like: Array | None) -> tuple[Any, Any, Any]:
    """(namespace, device, dtype) for a function that makes an array from none: those of `like`, else NumPy float64."""
    if like is None:
        return array_api_compat.numpy, "cpu", np.float64
    return namespace(like), array_api_compat.device(like), like.dtype


def without_gradient(x: Array) -> Array:
    """The same numbers, as a constant to automatic differentiation (NumPy has none)."""
    return x.detach() if hasattr(x, "detach") else x


def expect_shape(name: str, array: Array, *axes: EllipsisType | str | int) -> None:
    """Each axis is an exact size, or the name of an axis of one entry or more; a leading `...` is any leading axes."""
    shape = tuple(array.shape)
    leading, axes = axes[:1] == (...,), tuple(axis for axis in axes if axis is not ...)
    sizes = shape[len(shape) - len(axes) :] if leading and len(shape) > len(axes) else shape
    fits = len(sizes) == len(axes) and all(
        size > 0 if isinstance(axis, str) else size == axis for size, axis in zip(sizes, axes, strict=True)
    )
    if not fits:
        wanted = ", ".join(["..."] * leading + [str(axis) for axis in axes]) + "," * (len(axes) + leading == 1)
        empty = " with no empty axis" if 0 in sizes else ""
        raise ValueError(f"expected {name} of shape ({wanted}){empty}, got {shape}")


def expect_floats(xp: Any, **arrays: Array) -> None:
    """Every array holds floating-point numbers, and all have the dtype of the first."""
    first = next(iter(arrays))
    dtype = arrays[first].dtype
    for name, array in arrays.items():
        expect(xp.isdtype(array.dtype, "real floating"), f"{name} of a floating-point dtype", array.dtype)
        expect(array.dtype == dtype, f"{name} of {first}'s dtype {dtype}", array.dtype)


def expect_finite(xp: Any, **arrays: Array) -> None:
    """No array holds NaN or an infinity: either would reach the largest magnitude, and fail the comparison."""
    for name, array in arrays.items():
        finite = 0 in array.shape or xp.max(xp.abs(array)) < math.inf
        expect(finite, f"{name} of finite numbers", "NaN or an infinity")


def expect_count(name: str, value: object) -> None:
    """A whole number, one or more."""
    expect(isinstance(value, int | np.integer) and value > 0, f"{name} to be a positive whole number", repr(value))


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
    expect(floating, f"dtype to be a floating-point dtype of {xp.__name__.split('.')[-1]}", repr(dtype))
    return dtype


def as_positions(name: str, positions: Array, *axes: int, negative: bool = True) -> Array:
    """Check that these are whole numbers of shape (position, *axes), and return them as int64.

    (Unsigned positions would wrap around where they are subtracted, small ones where they are multiplied.)
    """
    xp = namespace(positions)
    expect_shape(name, positions, "position", *axes)
    expect(xp.isdtype(positions.dtype, "integral"), f"{name} of an integer dtype", positions.dtype)
    positions = xp.astype(positions, xp.int64)
    expect(negative or xp.min(positions) >= 0, f"{name} of 0 or more", int(xp.min(positions)))
    return positions
