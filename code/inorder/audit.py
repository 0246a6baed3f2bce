"""What a layer knows of order, and what it costs: measured, for any layer, yours too.

    python -m inorder.audit        one row for every architecture that the book's sources name

Four questions. *Equivariant:* do the outputs travel with the inputs when all rows are permuted? *Shift:* do they when a
text moves as a whole through rows of zeros? *Causal:* does no row notice a change in a later one? *Cost:* with which
power of the length n do operations, memory and time grow?

    audit(lambda n: layer, d_model=8)      layer: (n, d_model) to (n, d_output), made anew for each length n

How the cost is found. Operations are counted as torch carries them out, one by one, and memory is the most that NumPy
holds at once: both are the same in every run, on any machine, and both are held to theory. Time is what a clock says:
it is shown beside them and judged by nobody, because it depends on what else the machine does.

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

from inorder._arrays import Array, expect, expect_count, expect_finite, expect_shape
from inorder.mixers.catalogue import ARCHITECTURES, Architecture, Draw, Layer
from inorder.symmetry import equivariance_error

LENGTHS = (256, 512, 1024, 2048)
D_MODEL = 8  # of the layers in the table
ROUNDING, BROKEN = 1e-12, 1e-2  # an error below the one is rounding; above the other, the layer breaks the law


class Cost(NamedTuple):
    """The exponent p of n in what each length took, fitted: c · n^p is a straight line of slope p on log scales."""

    operations: float | None  # None for a layer that does not take torch tensors
    memory: float
    time: float


class Audit(NamedTuple):
    """Errors are the largest difference divided by the largest output: 0 but for rounding where the answer is yes."""

    equivariance: float
    shift: float
    causality: float
    cost: Cost | None


def audit(
    make: Callable[[int], Layer],
    d_model: int,
    *,
    n: int = 24,
    lengths: Sequence[int] | None = LENGTHS,
    make_torch: Callable[[int], Layer] | None = None,
    seed: int = 0,
) -> Audit:
    """All four answers for the layers that make(n) returns, on random rows; lengths=None leaves the cost out.

    make_torch(n) returns the same layer for torch tensors (float64), to count its operations; where it is None they are
    not counted.

    Raises ValueError: sizes that are not positive whole numbers; fewer than two lengths; a layer that returns another
    number of rows, or numbers that are not finite.

    >>> found = audit(lambda n: lambda x: np.cumsum(x, axis=-2), d_model=3, lengths=None)
    >>> found.equivariance > 0.1, found.causality, found.shift < 1e-12
    (True, 0.0, True)
    """
    expect_count("d_model", d_model)
    expect_count("n", n)
    layer, x = make(n), np.random.default_rng(seed).normal(size=(n, d_model))
    return Audit(
        equivariance_error(layer, x, rng=seed)[0],
        shift_error(layer, x),
        causality_error(layer, x, rng=seed),
        None if lengths is None else measure_cost(make, d_model, lengths, make_torch=make_torch),
    )


def shift_error(layer: Layer, x: Float[Array, "position d_model"]) -> float:
    """A third of the rows of x, between rows of zeros, moved: max |f(S x) − S f(x)| / max |f(x)| on those rows.

    The zeros leave room for a window of up to n/6 rows on either side. A layer that weighs zeros too, as attention
    does, sees equally many of them before and after; a causal one does not.

    Raises ValueError: x of fewer than 6 rows; a layer that returns another number of rows, or nothing but 0.

    >>> x = np.random.default_rng(0).normal(size=(12, 2))
    >>> shift_error(lambda x: x[::-1] - x, x) > 0.1
    True
    """
    expect_shape("x", x, "position", "d_model")
    n = x.shape[0]
    expect(n >= 6, "6 rows or more, of which a third moves", n)
    width, margin = n // 3, n // 6
    text = x[:width]

    def output(start: int) -> Array:
        padded = np.zeros_like(x)
        padded[start : start + width] = text
        return _output(layer, padded)[start : start + width]

    still = output(margin)
    moved = [abs(output(start) - still).max() for start in range(margin + 1, n - width - margin + 1)]
    return float(max(moved)) / _size(still)


def causality_error(layer: Layer, x: Float[Array, "position d_model"], *, rng: int | np.random.Generator = 0) -> float:
    """How far a row moves when rows after it are drawn anew: max |Δ f(x)_i| / max |f(x)|, i before it.

    Raises ValueError: x of fewer than 2 rows; a layer that returns another number of rows, or nothing but 0.

    >>> x = np.random.default_rng(0).normal(size=(5, 2))
    >>> causality_error(lambda x: np.cumsum(x, axis=0), x), causality_error(lambda x: x + x.mean(axis=0), x) > 0.1
    (0.0, True)
    """
    expect_shape("x", x, "position", "d_model")
    expect(x.shape[0] >= 2, "2 rows or more", x.shape[0])
    rng = np.random.default_rng(rng)
    y = _output(layer, x)
    worst = 0.0
    for first in range(1, x.shape[0]):
        other = np.concatenate([x[:first], rng.normal(size=x[first:].shape)])
        worst = max(worst, abs(_output(layer, other)[:first] - y[:first]).max())
    return float(worst / _size(y))


def measure_cost(
    make: Callable[[int], Layer],
    d_model: int,
    lengths: Sequence[int] = LENGTHS,
    *,
    make_torch: Callable[[int], Layer] | None = None,
) -> Cost:
    """The exponents of n in operations, memory and time, each the slope of a straight line on log scales.

    Raises ValueError: fewer than two lengths.

    >>> cost = measure_cost(lambda n: lambda x: x @ x.T @ x, 4, (128, 256, 512))
    >>> round(cost.memory, 1)
    2.0
    """
    expect(len(lengths) >= 2, "two lengths or more", list(lengths))
    layers = {n: make(n) for n in lengths}
    rows = {n: np.random.default_rng(n).normal(size=(n, d_model)) for n in lengths}
    memory = [peak_bytes(layers[n], rows[n]) for n in lengths]
    operations = None
    if make_torch is not None:
        operations = slope(lengths, [count_operations(make_torch(n), rows[n]) for n in lengths])
    return Cost(operations, slope(lengths, memory), time_slope(make, d_model))


def slope(lengths: Sequence[int], amounts: Sequence[float | int]) -> float:
    """The p of the straight line log amount = p log n + c, by the median of the slopes of all pairs (Theil and Sen).

    A median, so that one length during which the machine was busy elsewhere does not turn the line.

    >>> slope([1, 2, 4, 8, 16], [3, 12, 48, 1000, 768])
    2.0
    """
    pairs = [(a, b) for b in range(len(lengths)) for a in range(b)]
    return float(np.median([math.log(amounts[b] / amounts[a]) / math.log(lengths[b] / lengths[a]) for a, b in pairs]))


def peak_bytes(layer: Layer, x: Float[Array, "position d_model"]) -> int:
    """The most memory that a call holds above what stood before it, as NumPy reports it to `tracemalloc`.

    >>> peak_bytes(lambda x: x @ x.T, np.ones((100, 2))) // 1000  # 100 × 100 numbers of 8 bytes
    80
    """
    layer(x)  # what a first call keeps (caches, imports) is not the layer's
    tracemalloc.start()
    try:
        layer(x)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def count_operations(layer: Layer, x: Float[Array, "position d_model"]) -> int:
    """Arithmetic operations of a call on torch tensors: a product of matrices counts 2 for each number multiplied,
    a Fourier transform or a sort n log₂ n, and anything else 1 for each number that goes in or comes out.

    >>> count_operations(lambda x: x @ x.T, np.ones((10, 3)))  # 2 · 10 · 10 · 3
    600
    """
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Count(TorchDispatchMode):
        total = 0

        def __torch_dispatch__(self, f: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = f(*args, **(kwargs or {}))
            self.total += _operations(f, args, result)
            return result

    with torch.no_grad(), Count() as count:
        layer(torch.as_tensor(x))
    return count.total


def _operations(f: Any, args: Any, result: Any) -> int:
    import torch

    name = f.overloadpacket.__name__
    if f.is_view or name == "_unsafe_view":
        return 0
    tensors = [a for a in (*args, *(result if isinstance(result, tuple | list) else [result])) if torch.is_tensor(a)]
    largest = max((t.numel() for t in tensors), default=0)
    if name in ("mm", "bmm", "addmm"):
        left = next(t for t in tensors if t.ndim >= 2)
        return 2 * result.numel() * left.shape[-1]
    if name.startswith("_fft") or name in ("sort", "argsort"):
        return int(largest * math.log2(max(2, largest)))
    return largest


def time_slope(make: Callable[[int], Layer], d_model: int, *, shortest: float = 1e-3, n_rounds: int = 7) -> float:
    """The exponent of n in processor time, at n, 2n and 4n, where n is the first length to take `shortest` seconds.

    What a text of 8 rows takes is subtracted, because checks and calls cost the same at every length. The least of
    n_rounds counts: other programs only ever add. One thread, because a second one that waits is counted too. Even so
    the slope bends by 0.3 on a busy machine, where a table that no longer fits the cache costs more than its share.

    >>> 0.5 < time_slope(lambda n: lambda x: np.cumsum(x, axis=0), 4) < 1.5
    True
    """
    from threadpoolctl import threadpool_limits

    def draw(n: int) -> tuple[Layer, Array]:
        return make(n), np.random.default_rng(0).normal(size=(n, d_model))

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
    layer(x)
    return time.thread_time() - start


class Row(NamedTuple):
    """One line of the table."""

    architecture: Architecture
    audit: Audit

    @property
    def laws(self) -> str:
        """The laws of `Architecture` that were found to hold: "P", "S", "C", each where its error is rounding."""
        return "".join(law for law, error in zip("PSC", self.audit[:3], strict=True) if error < ROUNDING)

    @property
    def as_theory_says(self) -> bool:
        """No error lies between rounding and a plain break, each on its side, and no exponent is off by over 0.25."""
        clear = all(error < ROUNDING or error > BROKEN for error in self.audit[:3])
        cost, theory = self.audit.cost, self.architecture
        near = cost is None or all(
            found is None or abs(found - exponent) <= 0.25
            for found, exponent in [(cost.operations, theory.operations), (cost.memory, theory.memory)]
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
    import torch

    def maker(like: Array | None) -> Callable[[int], Layer]:
        return lambda n: architecture.make(Draw(np.random.default_rng(0), D_MODEL, like=like), n)

    in_torch = maker(torch.zeros(1, dtype=torch.float64))
    lengths = LENGTHS if cost else None
    return Row(architecture, audit(maker(None), D_MODEL, lengths=lengths, make_torch=in_torch))


def _output(layer: Layer, x: Array) -> Array:
    y = layer(x)
    expect_shape("the layer's output", y, x.shape[0], "d_output")
    expect_finite("the layer's output", y)
    return y


def _size(y: Array) -> float:
    size = float(abs(y).max())
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
        found = row.audit.cost
        line = f"{architecture.name:30}{row.audit.equivariance:13.0e}{row.audit.shift:10.0e}{row.audit.causality:10.0e}"
        if found is None:
            line += f"{'':28}"
        else:
            operations, memory = (f"({exponent})" for exponent in (architecture.operations, architecture.memory))
            line += f"{found.operations:8.2f} {operations}{found.memory:6.2f} {memory}{found.time:6.2f}"
        wrong += not row.as_theory_says
        print(f"{line}   {architecture.why}" + ("" if row.as_theory_says else "  <- NOT AS THEORY SAYS"), flush=True)
    print(f"\nBelow {ROUNDING:.0e} an error is rounding: the layer obeys. Above {BROKEN:.0e} it does not.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
