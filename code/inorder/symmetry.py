"""Permutations of the rows, and by how much a function fails to commute with them or to ignore them.

    equivariant: f(P x) = P f(x)    the rows of the output travel with the rows of the input
    invariant:   f(P x) = f(x)      the output does not notice

With a mask M (True = may attend) the law is f(P x; P M Pᵀ) = P f(x; M): what is allowed travels too.

Zaheer et al. 2017, Deep Sets, https://arxiv.org/abs/1703.06114, section 2.
"""

from collections.abc import Callable, Iterator
from numbers import Integral
from operator import itemgetter
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device
from jaxtyping import Float, Integer, Shaped

from inorder._arrays import (
    Array,
    as_generator,
    as_int64,
    creation,
    expect,
    expect_count,
    expect_finite,
    expect_shape,
    float_dtype,
    holds,
    namespace,
)
from inorder._checked import check_calls, expects

__all__ = [
    "equivariance_error",
    "invariance_error",
    "permutation_matrix",
    "permute",
    "permute_mask",
    "random_order",
]


def _expect_order(order: Array) -> None:
    xp, n = array_namespace(order), order.shape[0]
    complete = holds(xp.all(xp.sort(order) == xp.arange(n, device=device(order))))
    expect(complete, f"order to hold each of 0 … {n - 1} once", order)


@expects(_expect_order)
def permute(
    x: Shaped[Array, "*batch position d"], order: Integer[Array, " position"]
) -> Shaped[Array, "*batch position d"]:
    """P x: out[i] = x[order[i]] on axis −2, the same order for every entry of the batch.

    Raises ValueError: an order that does not hold each of 0 … n − 1 once.

    >>> import numpy as np
    >>> permute(np.array([[10], [20], [30]]), np.array([2, 0, 1]))
    array([[30],
           [10],
           [20]])
    """
    return x[..., as_int64(order), :]


@expects(_expect_order)
def permute_mask(
    mask: Shaped[Array, "*batch position position"], order: Integer[Array, " position"]
) -> Shaped[Array, "*batch position position"]:
    """P M Pᵀ: out[i, j] = mask[order[i], order[j]] on the last two axes, for a mask or for a bias.

    Raises ValueError: an order that does not hold each of 0 … n − 1 once.

    >>> import numpy as np
    >>> permute_mask(np.array([[True, False], [True, True]]), np.array([1, 0]))
    array([[ True,  True],
           [False,  True]])
    """
    order = as_int64(order)
    return mask[..., order, :][..., order]


@expects(_expect_order)
def permutation_matrix(order: Integer[Array, " position"], *, dtype: Any = None) -> Float[Array, "position position"]:
    """The P with P @ x = permute(x, order): row i has its single 1 in column order[i]. Its transpose is its inverse.

    Raises ValueError: an order that does not hold each of 0 … n − 1 once.

    >>> import numpy as np
    >>> permutation_matrix(np.array([2, 0, 1]))
    array([[0., 0., 1.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    xp, order = array_namespace(order), as_int64(order)
    return xp.astype(order[:, None] == xp.sort(order)[None, :], float_dtype(xp, dtype))


def random_order(n: int, rng: int | np.random.Generator, *, like: Array | None = None) -> Integer[Array, " {n}"]:
    """An order of 0 … n − 1, each equally likely, but never the identity, which shows nothing.

    Raises ValueError: n below 2, where there is no other; an rng that is neither a seed nor a NumPy Generator.

    >>> random_order(5, rng=0)
    array([2, 4, 3, 0, 1])
    """
    expect(isinstance(n, Integral) and n >= 2, "2 rows or more, or the identity is the only order", repr(n))
    rng = as_generator(rng)
    xp, on, _ = creation(like)
    order = rng.permutation(n)
    while np.array_equal(order, np.arange(n)):
        order = rng.permutation(n)
    return xp.asarray(order, device=on)


def _expect_count_of_orders(n_orders: int) -> None:
    expect_count("n_orders", n_orders)


@expects(_expect_count_of_orders)
def equivariance_error(
    f: Callable[..., Array],
    x: Float[Array, "*batch position d"] | Integer[Array, "*batch position"],
    *,
    mask: Shaped[Array, "... position position"] | None = None,
    rng: int | np.random.Generator = 0,
    n_orders: int = 8,
) -> tuple[float, Integer[Array, " position"]]:
    """max |f(P x) − P f(x)| / max |f(x)|, the largest over random orders that are not the identity, and its order.

    x holds rows of floating-point numbers, or whole numbers: token ids, which lie along the last axis. f(x) holds a
    row for each, (*batch, position, d_output). With a mask, f takes (x, mask), and f(P x, P M Pᵀ) is compared with
    P f(x, M). The rows of x should differ: among equal rows no order can be told from another.

    Raises ValueError: x with fewer than 2 rows; f(x) that is no array, that differs from call to call, or with another
    number of rows, with NaN or ∞, or all 0.

    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(5, 3))
    >>> equivariance_error(np.tanh, x)[0]
    0.0
    >>> error, order = equivariance_error(lambda x: np.cumsum(x, axis=-2), x)
    >>> error > 0.1
    True
    """
    y = _answer(f, x, mask)
    expect_shape("f(x)", y, ..., x.shape[_token_axis(x)], "d_output")
    answers = _in_other_orders(f, x, mask, rng, n_orders)
    return max(((_difference(moved, permute(y, order)), order) for order, moved in answers), key=itemgetter(0))


@expects(_expect_count_of_orders)
def invariance_error(
    f: Callable[..., Array],
    x: Float[Array, "*batch position d"] | Integer[Array, "*batch position"],
    *,
    mask: Shaped[Array, "... position position"] | None = None,
    rng: int | np.random.Generator = 0,
    n_orders: int = 8,
) -> tuple[float, Integer[Array, " position"]]:
    """max |f(P x) − f(x)| / max |f(x)|, the largest over random orders that are not the identity, and its order.

    x, rows or token ids, and mask: as `equivariance_error`. f(x) may have any shape.

    Raises ValueError: x with fewer than 2 rows; f(x) that is no array, that differs from call to call, or with NaN or
    ∞, or all 0.

    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(5, 3))
    >>> invariance_error(lambda x: x.max(axis=-2), x)[0]
    0.0
    >>> error, order = invariance_error(lambda x: x[0], x)
    >>> error > 0.1
    True
    """
    y = _answer(f, x, mask)
    answers = _in_other_orders(f, x, mask, rng, n_orders)
    return max(((_difference(moved, y), order) for order, moved in answers), key=itemgetter(0))


def _answer(f: Callable[..., Array], x: Array, mask: Array | None) -> Array:
    """f(x), the same at each call."""
    y, again = (numbers_of(f(*_copies(x, mask)), x) for _ in range(2))
    same = y.shape == again.shape and holds((y == again).all())
    expect(same, "the same f(x) at each call", "another at the second: switch dropout off, as by eval()")
    return y


def _in_other_orders(
    f: Callable[..., Array], x: Array, mask: Array | None, rng: int | np.random.Generator, n_orders: int
) -> Iterator[tuple[Array, Array]]:
    """Random orders that are not the identity, each with f(P x) or, with a mask, f(P x, P M Pᵀ)."""
    rng = as_generator(rng)
    for _ in range(n_orders):
        order = random_order(x.shape[_token_axis(x)], rng, like=x)
        moved = x[..., order] if _token_axis(x) == -1 else permute(x, order)
        yield order, numbers_of(f(*_copies(moved, None if mask is None else permute_mask(mask, order))), x)


def _token_axis(x: Array) -> int:
    """Where the tokens lie: the last axis of token ids, the last but one of rows."""
    return -1 if array_namespace(x).isdtype(x.dtype, "integral") else -2


def _copies(x: Array, mask: Array | None = None) -> list[Array]:
    """The arguments of f, which may write into them."""
    return [array_namespace(each).asarray(each, copy=True) for each in (x, mask) if each is not None]


def numbers_of(y: Any, x: Array) -> Array:
    """What f returned for x, checked to be an array of finite numbers.

    A copy, as f may write into it at the next call; and float64, in which differences neither wrap nor overflow.
    """
    got = "a tuple: choose one, as lambda x: f(x)[0]" if isinstance(y, tuple) else type(y).__name__
    expect(hasattr(y, "shape") and hasattr(y, "dtype"), "f(x) to be a NumPy array or a torch tensor", got)
    xp = namespace(x, y)
    expect(xp.isdtype(y.dtype, "numeric"), "f(x) of numbers", y.dtype)
    expect_finite("f(x)", y)
    return xp.astype(y, y.dtype if xp.isdtype(y.dtype, "complex floating") else xp.float64)


def _difference(moved: Array, target: Array) -> float:
    """max |f(P x) − target| / max |target|"""
    expect_shape("f(P x)", moved, *target.shape)
    return largest(moved - target) / size_of(target)


def largest(y: Array) -> float:
    return abs(y).max().item()


def size_of(y: Array) -> float:
    """The largest entry, by which errors are divided."""
    size = largest(y)
    expect(size > 0, "f(x) with an entry that is not 0", "nothing but 0")
    return size


check_calls(globals())
