"""What a layer knows of order: measured, for any layer, yours too.

Three questions. *Equivariant:* do the outputs travel with the inputs when all rows are permuted? *Shift:* do they when
a text moves as a whole through rows of zeros? *Causal:* does no row notice a change in a later one?

    audit(lambda n: layer, d_model=8)      layer: (n, d_model) to (n, d_output), made again for each length n
    audit(module, d_model=8)               a torch module that does so
    rows()                                 every architecture that the book's sources name

[1] Zaheer et al. 2017, Deep Sets, https://arxiv.org/abs/1703.06114, section 2
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder._arrays import (
    Array,
    as_generator,
    expect,
    expect_count,
    expect_shape,
    float_creation,
    namespace,
)
from inorder._checked import check_calls
from inorder.mixers.catalogue import ARCHITECTURES, Architecture, Draw, Layer
from inorder.symmetry import equivariance_error, largest, numbers_of, size_of

__all__ = [
    "Audit",
    "Row",
    "audit",
    "causality_error",
    "rows",
    "shift_error",
    "taken_by",
]

D_MODEL = 8  # of the layers in the table
SINGLE_ROUNDING = 1e-5  # of an audit's verdict, which may be of float32
ROUNDING, BROKEN = 1e-12, 1e-2  # an error below the one is rounding; above the other, the layer breaks the law


class Audit(NamedTuple):
    """Errors are the largest difference divided by the largest output: 0 up to rounding if the answer is yes."""

    equivariance: float
    shift: float
    causality: float

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={error:.2g}" for name, error in self._asdict().items())
        laws = ("travels with permuted rows", "travels with shifted rows", "is causal")
        holds = [law for law, error in zip(laws, self, strict=True) if error < SINGLE_ROUNDING]
        return f"Audit({numbers}: {'; '.join(holds) or 'breaks all three laws'})"


def audit(
    make: Callable[[int], Layer] | Any,
    d_model: int,
    *,
    n: int = 24,
    like: Array | None = None,
    seed: int = 0,
) -> Audit:
    """All three answers for the layer that make(n) returns, on random rows.

    `make` may also be a `torch.nn.Module`, or return one: it gets tensors of its own dtype and device. Another layer
    gets rows of the back end, device and dtype of `like`, NumPy float64 where that is None. In float32 an error of 1e-7
    is rounding.

    Raises ValueError: sizes that are not positive whole numbers; a layer that does not take (n, d_model), returns
    anything but n rows of finite numbers, or answers the same rows differently (a module with dropout: call its
    eval()).

    >>> errors = audit(lambda n: lambda x: np.cumsum(x, axis=-2), d_model=3)
    >>> errors.equivariance > 0.1, errors.causality, errors.shift < 1e-12
    (True, 0.0, True)
    """
    expect_count("d_model", d_model)
    expect_count("n", n)
    expect(callable(make), "make to be a function of n or a torch.nn.Module", type(make).__name__)
    layer = make if _is_module(make) else _made(make, n)
    x = draw_rows(n, d_model, seed, like=taken_by(layer, like))
    _expect_answer(layer, x)
    return Audit(
        equivariance_error(layer, x, rng=seed)[0],
        shift_error(layer, x),
        causality_error(layer, x, rng=seed),
    )


def _made(make: Callable[[int], Layer], n: int) -> Layer:
    advice = "for a layer itself, audit(lambda n: layer, …)"
    try:
        layer = make(n)
    except Exception as error:
        got = f"{type(error).__name__}: {error}; {advice}"
        raise ValueError(f"expected make({n}) to return a layer, got {got}") from error
    expect(callable(layer), f"make({n}) to return a layer", f"{type(layer).__name__}; {advice}")
    return layer


def taken_by(layer: Layer, like: Array | None = None) -> Array | None:
    """An array of the back end, device and dtype that the layer takes: `like`, else a module's first parameter of
    floating-point numbers (float64 where it has none); None for NumPy float64.
    """
    if like is not None or not _is_module(layer):
        return like
    import torch

    numbers = [w for w in (*layer.parameters(), *layer.buffers()) if w.is_floating_point()]  # type: ignore[attr-defined]
    return numbers[0].detach() if numbers else torch.zeros(1, dtype=torch.float64)


def draw_rows(
    n: int, d_model: int, rng: int | np.random.Generator, *, like: Array | None = None
) -> Float[Array, "position d_model"]:
    """(n, d_model) numbers of N(0, 1), of the back end, device and dtype of `like`."""
    xp, device, dtype = float_creation(like)
    return xp.asarray(as_generator(rng).normal(size=(n, d_model)), dtype=dtype, device=device)


def shift_error(layer: Layer, x: Float[Array, "position d_model"]) -> float:
    """A third of the rows of x, between rows of zeros, moved: max |f(S x) − S f(x)| / max |f(x)| on those rows.

    The zeros leave room for a window of up to n/6 rows on either side. A layer that weighs zeros too, as attention
    does, sees equally many of them before and after; a causal one does not. The layer gets x's back end.

    Raises ValueError: x of fewer than 6 rows; a layer that returns another number of rows, or nothing but 0.

    >>> x = np.random.default_rng(0).normal(size=(12, 2))
    >>> shift_error(lambda x: x[::-1] - x, x) > 0.1
    True
    """
    xp, n = namespace(x), x.shape[0]
    expect(n >= 6, "6 rows or more, of which a third moves", n)
    width, margin = n // 3, n // 6

    def moved_by(start: int) -> Array:
        blocks = [xp.zeros_like(x[:start]), x[:width], xp.zeros_like(x[start + width :])]
        return _output(layer, xp.concat(blocks))

    whole = moved_by(margin)
    still = whole[margin : margin + width]
    moved = range(margin + 1, n - width - margin + 1)
    changes = [largest(moved_by(start)[start : start + width] - still) for start in moved]
    return max(changes) / (largest(still) or size_of(whole))  # (a layer may send all of it to other rows)


def causality_error(layer: Layer, x: Float[Array, "position d_model"], *, rng: int | np.random.Generator = 0) -> float:
    """How far a row moves when rows after it are redrawn: max |Δ f(x)_i| / max |f(x)|, i before it.

    The layer gets x's back end.

    Raises ValueError: x of fewer than 2 rows; a layer that returns another number of rows, or nothing but 0.

    >>> x = np.random.default_rng(0).normal(size=(5, 2))
    >>> causality_error(lambda x: np.cumsum(x, axis=0), x), causality_error(lambda x: x + x.mean(axis=0), x) > 0.1
    (0.0, True)
    """
    xp, (n, d_model) = namespace(x), x.shape
    expect(n >= 2, "2 rows or more", n)
    rng = as_generator(rng)
    y = _output(layer, x)
    worst = 0.0
    for first in range(1, n):
        other = xp.concat([x[:first], draw_rows(n - first, d_model, rng, like=x)])
        worst = max(worst, largest(_output(layer, other)[:first] - y[:first]))
    return worst / size_of(y)


class Row(NamedTuple):
    """One line of the table."""

    architecture: Architecture
    audit: Audit

    @property
    def laws(self) -> str:
        """The laws of `Architecture` that hold: "P", "S", "C", each where its error is rounding."""
        return "".join(law for law, error in zip("PSC", self.audit, strict=True) if error < ROUNDING)

    @property
    def as_theory_says(self) -> bool:
        """Every error is plainly rounding or plainly not, as theory says."""
        clear = all(error < ROUNDING or error > BROKEN for error in self.audit)
        return clear and self.laws == self.architecture.laws


def rows(architectures: Sequence[Architecture] = ARCHITECTURES) -> list[Row]:
    """The audit of every architecture, its weights drawn from one seed.

    >>> [row] = rows(ARCHITECTURES[:1])
    >>> row.architecture.name, row.laws, row.as_theory_says
    ('self-attention', 'PS', True)
    """

    def maker(architecture: Architecture) -> Callable[[int], Layer]:
        return lambda n: architecture.make(Draw(np.random.default_rng(0), D_MODEL), n)

    return [Row(architecture, audit(maker(architecture), D_MODEL)) for architecture in architectures]


def _is_module(layer: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(layer, torch.nn.Module)


def _output(layer: Layer, x: Array) -> Array:
    y = numbers_of(layer(namespace(x).asarray(x, copy=True)), x)  # it may write into x
    expect_shape("f(x)", y, x.shape[0], "d_output")
    return y


def _expect_answer(layer: Layer, x: Array) -> None:
    try:
        _output(layer, x)
    except (AttributeError, IndexError, TypeError, RuntimeError) as error:
        kind = f"{type(x).__module__}.{type(x).__name__} of {x.dtype}"
        raise ValueError(
            f"expected a layer that takes rows (n, d_model) = {tuple(x.shape)}, as {kind}, got {type(error).__name__}: "
            f"{error}. A layer of tensors that isn't a module needs like=, a tensor"
        ) from error


check_calls(globals())
