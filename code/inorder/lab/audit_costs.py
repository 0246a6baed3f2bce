"""What the layers of the audit cost as the text grows: counted, not timed.

    python -m inorder.lab.audit_costs        counts, and stores in inorder/stored/audit_costs.json

Operations are counted as torch carries them out, one by one: products of matrices by `torch.utils.flop_counter`, which
ignores all others; each of these is known here, or raises an error that names it. Memory is the most that NumPy holds
at once. Both are the same in every run.
"""

import json
import math
import tracemalloc
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from inorder.audit import D_MODEL
from inorder.lab.provenance import provenance
from inorder.mixers.catalogue import ARCHITECTURES, Architecture, Draw, Layer
from inorder.stored import FOLDER

LENGTHS = (32, 64, 128, 256, 512, 1024, 2048)
# Not tagged as pointwise by torch, but one operation for each number that goes in or comes out.
NAMES = """
_local_scalar_dense _to_copy all amax amin arange argmax cat clone constant_pad_nd cumsum fill_ gather index max mean
scalar_tensor squeeze_ stack sum zeros zeros_like
"""
ONE_A_NUMBER = set(NAMES.split())
LOGARITHMIC = {"_fft_c2c", "_fft_c2r", "_fft_r2c", "sort"}


def count_operations(layer: Layer, x: Float[np.ndarray, "position d_model"]) -> int:
    """Arithmetic operations of a call on torch tensors: a product of matrices counts 2 for each number multiplied, a
    Fourier transform or a sort n log₂ n, and an operation on single numbers, a sum or a copy 1 for each number that
    goes in or comes out.

    Raises ValueError: an operation of torch whose cost is not known; the message names it.

    >>> count_operations(lambda x: x @ x.T, np.ones((10, 3)))  # 2 · 10 · 10 · 3
    600
    """
    with torch.no_grad(), _Operations() as operations:
        layer(torch.as_tensor(x))
    return operations.total


class _Operations(TorchDispatchMode):
    """Counts the operations of everything that runs inside it, in `total`."""

    total = 0

    def __torch_dispatch__(self, f: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = f(*args, **(kwargs or {}))
        self.total += _operations(f, args, kwargs or {}, result)
        return result


def _operations(f: Any, args: Any, kwargs: Any, result: Any) -> int:
    packet, name = f.overloadpacket, f.overloadpacket.__name__
    if f.is_view or name == "_unsafe_view":
        return 0
    if packet in flop_registry:
        return flop_registry[packet](*args, **kwargs, out_val=result)
    largest = max((t.numel() for t in tree_leaves((args, kwargs, result)) if torch.is_tensor(t)), default=0)
    if name in LOGARITHMIC:
        return int(largest * math.log2(max(2, largest)))
    if name in ONE_A_NUMBER or torch.Tag.pointwise in f.tags:
        return largest
    raise ValueError(f"expected operations whose cost is known, got {packet}")


def peak_bytes(layer: Layer, x: Float[np.ndarray, "position d_model"]) -> int:
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


def costs(architecture: Architecture, lengths: tuple[int, ...] = LENGTHS) -> dict[str, list[int]]:
    """{"operations": one number a length, "bytes": the same}, at width 8.

    >>> few, many = costs(ARCHITECTURES[0], (64, 128))["operations"]
    >>> 3 < many / few < 4
    True
    """
    like = torch.zeros(1, dtype=torch.float64)
    counts: dict[str, list[int]] = {"operations": [], "bytes": []}
    for n in lengths:
        x = np.random.default_rng(n).normal(size=(n, D_MODEL))
        in_torch = architecture.make(Draw(np.random.default_rng(0), D_MODEL, like=like), n)
        counts["operations"].append(count_operations(in_torch, x))
        counts["bytes"].append(peak_bytes(architecture.make(Draw(np.random.default_rng(0), D_MODEL), n), x))
    return counts


def main() -> None:
    path = FOLDER / "audit_costs.json"
    stored = {
        "provenance": provenance("python -m inorder.lab.audit_costs"),
        "d_model": D_MODEL,
        "lengths": list(LENGTHS),
        "costs": {each.name: costs(each) for each in ARCHITECTURES},
    }
    path.write_text(json.dumps(stored) + "\n", encoding="utf8")
    print(f"stored {path}")


if __name__ == "__main__":
    main()
