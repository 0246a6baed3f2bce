"""What a layer knows of order, and what it costs: measured, for any layer, yours too.

    python -m inorder.audit        one row for every architecture that the book's sources name

Four questions. *Equivariant:* do the outputs travel with the inputs when all rows are permuted? *Shift:* do they when a
text moves as a whole through rows of zeros? *Causal:* does no row notice a change in a later one? *Cost:* with which
power of the length n do operations, memory and time grow?

    audit(lambda n: layer, d_model=8)      layer: (n, d_model) to (n, d_output), made again for each length n
    audit(module, d_model=8)               a torch module that does so

How the cost is found. Operations are counted as torch carries them out, one by one; an operation whose cost is not
known is an error that names it. Memory is the most that NumPy and torch hold at once. Both are the same in every run,
on any machine, and both are compared with theory. Time is what a clock says: it is shown beside them and not
judged, because it depends on what else the machine is doing.

[1] Zaheer et al. 2017, Deep Sets, https://arxiv.org/abs/1703.06114, section 2
"""

import argparse
import math
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder._arrays import (
    Array,
    as_generator,
    expect,
    expect_count,
    expect_finite,
    expect_shape,
    float_creation,
    namespace,
)
from inorder._extras import extra
from inorder.mixers.catalogue import ARCHITECTURES, Architecture, Draw, Layer
from inorder.symmetry import equivariance_error

__all__ = [
    "Audit",
    "Cost",
    "Row",
    "audit",
    "causality_error",
    "count_operations",
    "draw_rows",
    "measure_cost",
    "peak_bytes",
    "rows",
    "shift_error",
    "slope",
    "taken_by",
    "time_slope",
]

LENGTHS = (256, 512, 1024, 2048)
D_MODEL = 8  # of the layers in the table
ROUNDING, BROKEN = 1e-12, 1e-2  # an error below the one is rounding; above the other, the layer breaks the law


class Cost(NamedTuple):
    """The exponent p of n in what each length took, fitted: c · n^p is a straight line of slope p on log scales."""

    operations: float | None  # None for a layer that does not take torch tensors, or does nothing
    memory: float | None  # None for a layer that holds nothing of its own
    time: float


class Audit(NamedTuple):
    """Errors are the largest difference divided by the largest output: 0 up to rounding if the answer is yes."""

    equivariance: float
    shift: float
    causality: float
    cost: Cost | None


def audit(
    make: Callable[[int], Layer] | Any,
    d_model: int,
    *,
    n: int = 24,
    lengths: Sequence[int] | None = LENGTHS,
    make_torch: Callable[[int], Layer] | None = None,
    like: Array | None = None,
    seed: int = 0,
) -> Audit:
    """All four answers for the layers that make(n) returns, on random rows; lengths=None leaves the cost out.

    `make` may also be a `torch.nn.Module`, or return one: it gets tensors of its own dtype and device. Another layer
    gets rows of the back end, device and dtype of `like`, NumPy float64 where that is None. In float32 an error of 1e-7
    is rounding. Operations are counted where the rows are tensors; for a layer of NumPy arrays, make_torch(n) returns
    the same layer for tensors.

    Raises ValueError: sizes that are not positive whole numbers; fewer than two lengths; a layer that does not take
    (n, d_model), returns anything but n rows of finite numbers, or answers the same rows differently (a module
    with dropout: call its eval()); an operation whose cost is not known.
    Raises ImportError: the cost is asked for and torch or threadpoolctl is missing.

    >>> errors = audit(lambda n: lambda x: np.cumsum(x, axis=-2), d_model=3, lengths=None)
    >>> errors.equivariance > 0.1, errors.causality, errors.shift < 1e-12
    (True, 0.0, True)
    """
    expect_count("d_model", d_model)
    expect_count("n", n)
    make = _as_maker(make)
    layer = make(n)
    x = draw_rows(n, d_model, seed, like=taken_by(layer, like))
    _expect_same_answer(layer, x)
    return Audit(
        equivariance_error(layer, x, rng=seed)[0],
        shift_error(layer, x),
        causality_error(layer, x, rng=seed),
        None if lengths is None else measure_cost(make, d_model, lengths, make_torch=make_torch, like=like),
    )


def taken_by(layer: Layer, like: Array | None = None) -> Array | None:
    """An array of the back end, device and dtype that the layer takes: `like`, else a module's first parameter of
    floating-point numbers (float64 where it has none); None for NumPy float64.

    >>> taken_by(np.tanh) is None
    True
    """
    if like is not None or not _is_module(layer):
        return like
    import torch

    numbers = [w for w in (*layer.parameters(), *layer.buffers()) if w.is_floating_point()]  # type: ignore[attr-defined]
    return numbers[0].detach() if numbers else torch.zeros(1, dtype=torch.float64)


def draw_rows(
    n: int, d_model: int, rng: int | np.random.Generator, *, like: Array | None = None
) -> Float[Array, "position d_model"]:
    """(n, d_model) numbers of N(0, 1), of the back end, device and dtype of `like`.

    >>> draw_rows(2, 3, rng=0).shape
    (2, 3)
    """
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
    expect_shape("x", x, "position", "d_model")
    xp, n = namespace(x), x.shape[0]
    expect(n >= 6, "6 rows or more, of which a third moves", n)
    width, margin = n // 3, n // 6

    def output(start: int) -> Array:
        blocks = [xp.zeros_like(x[:start]), x[:width], xp.zeros_like(x[start + width :])]
        return _output(layer, xp.concat(blocks))[start : start + width]

    still = output(margin)
    changes = [_largest(output(start) - still) for start in range(margin + 1, n - width - margin + 1)]
    return max(changes) / _size(still)


def causality_error(layer: Layer, x: Float[Array, "position d_model"], *, rng: int | np.random.Generator = 0) -> float:
    """How far a row moves when rows after it are redrawn: max |Δ f(x)_i| / max |f(x)|, i before it.

    The layer gets x's back end.

    Raises ValueError: x of fewer than 2 rows; a layer that returns another number of rows, or nothing but 0.

    >>> x = np.random.default_rng(0).normal(size=(5, 2))
    >>> causality_error(lambda x: np.cumsum(x, axis=0), x), causality_error(lambda x: x + x.mean(axis=0), x) > 0.1
    (0.0, True)
    """
    expect_shape("x", x, "position", "d_model")
    xp, (n, d_model) = namespace(x), x.shape
    expect(n >= 2, "2 rows or more", n)
    rng = as_generator(rng)
    y = _output(layer, x)
    worst = 0.0
    for first in range(1, n):
        other = xp.concat([x[:first], draw_rows(n - first, d_model, rng, like=x)])
        worst = max(worst, _largest(_output(layer, other)[:first] - y[:first]))
    return worst / _size(y)


def measure_cost(
    make: Callable[[int], Layer] | Any,
    d_model: int,
    lengths: Sequence[int] = LENGTHS,
    *,
    make_torch: Callable[[int], Layer] | None = None,
    like: Array | None = None,
) -> Cost:
    """The exponents of n in operations, memory and time, each the slope of a straight line on log scales.

    make, make_torch and like: as `audit`.

    Raises ValueError: fewer than two lengths; an operation whose cost is not known.
    Raises ImportError: torch or threadpoolctl is missing.

    >>> cost = measure_cost(lambda n: lambda x: x @ x.T @ x, 4, (128, 256, 512))
    >>> round(cost.memory, 1)
    2.0
    """
    expect(len(lengths) >= 2, "two lengths or more", list(lengths))
    make = _as_maker(make)
    layers = {n: make(n) for n in lengths}
    rows = {n: draw_rows(n, d_model, n, like=taken_by(layer, like)) for n, layer in layers.items()}
    memory = [peak_bytes(layer, rows[n]) for n, layer in layers.items()]
    if make_torch is None and not isinstance(rows[lengths[0]], np.ndarray):
        make_torch = layers.__getitem__
    operations = None
    if make_torch is not None:
        operations = _slope_if_any(lengths, [count_operations(make_torch(n), rows[n]) for n in lengths])
    return Cost(operations, _slope_if_any(lengths, memory), time_slope(make, d_model, like=like))


def _slope_if_any(lengths: Sequence[int], amounts: Sequence[int]) -> float | None:
    return slope(lengths, amounts) if min(amounts) > 0 else None


def slope(lengths: Sequence[int], amounts: Sequence[float | int]) -> float:
    """The p of the straight line log amount = p log n + c, by the median of the slopes of all pairs (Theil and Sen).

    A median, so that one length during which the machine was busy elsewhere does not turn the line.

    >>> slope([1, 2, 4, 8, 16], [3, 12, 48, 1000, 768])
    2.0
    """
    pairs = [(a, b) for b in range(len(lengths)) for a in range(b)]
    return float(np.median([math.log(amounts[b] / amounts[a]) / math.log(lengths[b] / lengths[a]) for a, b in pairs]))


def peak_bytes(layer: Layer, x: Float[Array, "position d_model"]) -> int:
    """The most memory that a call holds above what stood before it: what NumPy reports to `tracemalloc`, and the
    tensors that are alive. What an operation of torch uses within itself is not seen.

    >>> peak_bytes(lambda x: x @ x.T, np.ones((100, 2))) // 1000  # 100 × 100 numbers of 8 bytes
    80
    """
    _call(layer, x)  # what a first call keeps (caches, imports) is not the layer's
    in_torch = _tensor_bytes(layer, x) if "torch" in sys.modules else 0
    if not isinstance(x, np.ndarray):
        return in_torch
    tracemalloc.start()
    try:
        layer(x)
        return tracemalloc.get_traced_memory()[1] + in_torch
    finally:
        tracemalloc.stop()


def _tensor_bytes(layer: Layer, x: Array) -> int:
    """The most bytes of tensors, made during a call, that are alive at once. Views hold nothing of their own."""
    from inorder._torch_counts import LiveBytes, piece_by_piece

    with piece_by_piece(), LiveBytes() as live:
        _call(layer, x)
    return live.most


def count_operations(layer: Layer, x: Float[Array, "position d_model"]) -> int:
    """Arithmetic operations of a call on torch tensors: a product of matrices, a convolution or fused attention counts
    2 for each number multiplied, a Fourier transform or a sort n log₂ n, and an operation on single numbers, a sum or a
    copy 1 for each number that goes in or comes out.

    Raises ValueError: an operation of torch whose cost is not known; the message names it.
    Raises ImportError: torch is missing.

    >>> count_operations(lambda x: x @ x.T, np.ones((10, 3)))  # 2 · 10 · 10 · 3
    600
    """
    with extra("lab", needed_by="counting operations"):
        import torch
    from inorder._torch_counts import Operations, piece_by_piece

    x = torch.as_tensor(x)
    with piece_by_piece(), Operations() as operations:
        _call(layer, x)
    return operations.total


def time_slope(
    make: Callable[[int], Layer],
    d_model: int,
    *,
    like: Array | None = None,
    shortest: float = 1e-3,
    n_rounds: int = 7,
) -> float:
    """The exponent of n in processor time, at n, 2n and 4n, where n is the first length to take `shortest` seconds.

    What a text of 8 rows takes is subtracted, because checks and calls cost the same at every length. The least of
    n_rounds counts: other programs only ever add. One thread, because a second one that waits is counted too. Even so
    the slope is off by 0.3 on a busy machine, where a table that no longer fits the cache costs more than its share.

    >>> 0.5 < time_slope(lambda n: lambda x: np.cumsum(x, axis=0), 4) < 1.5
    True
    """
    with extra("lab", needed_by="timing a layer"):
        from threadpoolctl import threadpool_limits

    def draw(n: int) -> tuple[Layer, Array]:
        layer = make(n)
        return layer, draw_rows(n, d_model, 0, like=taken_by(layer, like))

    with threadpool_limits(1):
        n, few = 64, draw(8)
        while min(_seconds(*draw(n)) - _seconds(*few) for _ in range(3)) < shortest and n < 2**16:
            n *= 2
        lengths = [n, 2 * n, 4 * n]
        calls = [few, *(draw(n) for n in lengths)]
        least = np.min([[_seconds(*call) for call in calls] for _ in range(n_rounds)], axis=0)
    return slope(lengths, np.maximum(least[1:] - least[0], 1e-9).tolist())


def _seconds(layer: Layer, x: Array) -> float:
    start = time.thread_time()
    _call(layer, x)
    return time.thread_time() - start


class Row(NamedTuple):
    """One line of the table."""

    architecture: Architecture
    audit: Audit

    @property
    def laws(self) -> str:
        """The laws of `Architecture` that hold: "P", "S", "C", each where its error is rounding."""
        return "".join(law for law, error in zip("PSC", self.audit[:3], strict=True) if error < ROUNDING)

    @property
    def as_theory_says(self) -> bool:
        """Every error is plainly rounding or plainly not, as theory says, and no exponent is off by more than 0.25."""
        clear = all(error < ROUNDING or error > BROKEN for error in self.audit[:3])
        cost, theory = self.audit.cost, self.architecture
        near = cost is None or all(
            measured is None or abs(measured - exponent) <= 0.25
            for measured, exponent in [(cost.operations, theory.operations), (cost.memory, theory.memory)]
        )
        return clear and near and self.laws == theory.laws


def rows(architectures: Sequence[Architecture] = ARCHITECTURES, *, cost: bool = True) -> list[Row]:
    """The audit of every architecture, its weights drawn from one seed. With costs it takes a minute or two.

    >>> [row] = rows(ARCHITECTURES[:1], cost=False)
    >>> row.architecture.name, row.laws, row.as_theory_says
    ('self-attention', 'PS', True)
    """
    return [_row(architecture, cost) for architecture in architectures]


def _row(architecture: Architecture, cost: bool) -> Row:
    def maker(like: Array | None = None) -> Callable[[int], Layer]:
        return lambda n: architecture.make(Draw(np.random.default_rng(0), D_MODEL, like=like), n)

    if not cost:
        return Row(architecture, audit(maker(), D_MODEL, lengths=None))
    with extra("lab", needed_by="the cost of a layer"):
        import torch
    in_torch = maker(torch.zeros(1, dtype=torch.float64))
    return Row(architecture, audit(maker(), D_MODEL, make_torch=in_torch))


def _as_maker(make: Any) -> Callable[[int], Layer]:
    if _is_module(make):
        return lambda n: make
    expect(callable(make), "make to be a function of n or a torch.nn.Module", type(make).__name__)
    return make


def _is_module(layer: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(layer, torch.nn.Module)


def _call(layer: Layer, x: Array) -> Array:
    """The layer's output, without the graph that torch keeps for gradients."""
    if isinstance(x, np.ndarray):
        return layer(x)
    import torch

    with torch.no_grad():
        return layer(x)


def _output(layer: Layer, x: Array) -> Array:
    y = _call(layer, x)
    if isinstance(y, tuple):
        raise ValueError(
            "expected the layer's output to be an array, got a tuple: choose one, as lambda x: layer(x)[0]"
        )
    expect_shape("the layer's output", y, x.shape[0], "d_output")
    expect_finite("the layer's output", y)
    return y


def _expect_same_answer(layer: Layer, x: Array) -> None:
    try:
        first, second = _output(layer, x), _output(layer, x)
    except (AttributeError, TypeError, RuntimeError) as error:
        kind = f"{type(x).__module__}.{type(x).__name__} of {x.dtype}"
        raise ValueError(
            f"expected a layer that takes rows (n, d_model) = {tuple(x.shape)}, as {kind}, got {type(error).__name__}: "
            f"{error}. A layer of tensors that isn't a module needs like=, a tensor"
        ) from error
    same = namespace(first).all(first == second)
    expect(same, "the same answer to the same rows", "another at the second call: switch dropout off, as by eval()")


def _largest(y: Array) -> float:
    return float(abs(y).max())


def _size(y: Array) -> float:
    size = _largest(y)
    expect(size > 0, "an output that is not all 0", "nothing but 0")
    return size


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m inorder.audit", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--no-cost", action="store_true", help="the three errors alone, in a second")
    cost = not parser.parse_args().no_cost
    print(f"{'':30}{'error under':>13}{'':20}{'exponent of n in (theory)':>26}")
    print(f"{'':30}{'permutation':>13}{'shift':>10}{'future':>10}{'operations':>12}{'memory':>10}{'time':>6}   why")
    wrong = 0
    for architecture in ARCHITECTURES:
        row = _row(architecture, cost)
        exponents = row.audit.cost
        line = f"{architecture.name:30}{row.audit.equivariance:13.0e}{row.audit.shift:10.0e}{row.audit.causality:10.0e}"
        if exponents is None:
            line += f"{'':28}"
        else:
            operations, memory = (f"({exponent})" for exponent in (architecture.operations, architecture.memory))
            measured = [f"{np.nan if exponent is None else exponent:.2f}" for exponent in exponents]
            line += f"{measured[0]:>8} {operations}{measured[1]:>6} {memory}{measured[2]:>6}"
        wrong += not row.as_theory_says
        print(f"{line}   {architecture.why}" + ("" if row.as_theory_says else "  <- NOT AS THEORY SAYS"), flush=True)
    print(f"\nBelow {ROUNDING:.0e} an error is rounding: the layer obeys. Above {BROKEN:.0e} it does not.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
