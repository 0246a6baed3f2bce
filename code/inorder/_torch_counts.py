"""What a call costs, read off the operations that torch carries out: `inorder.audit` counts with it.

Products, convolutions and fused attention are counted by `torch.utils.flop_counter`. It ignores all other
operations; here each is either known to cost 1 for each number, or raises an error that names it.
"""

import math
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

# Not tagged as pointwise by torch, but one operation for each number that goes in or comes out.
NAMES = """
arange empty empty_like eye fill_ full full_like lift_fresh new_empty new_full new_ones new_zeros ones ones_like rand
rand_like randn randn_like scalar_tensor zero_ zeros zeros_like normal_ uniform_ bernoulli_ native_dropout
_local_scalar_dense _to_copy cat clone constant_pad_nd copy_ diag_embed embedding flip gather index index_add
index_put index_put_ index_select masked_select nonzero repeat roll scatter scatter_ scatter_add scatter_add_ stack
squeeze_ transpose_ tril triu unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze_ all amax amin any argmax
argmin cummax cummin cumprod cumsum linalg_vector_norm logcumsumexp logsumexp max mean min prod std sum var var_mean
_log_softmax _safe_softmax _softmax native_group_norm native_layer_norm _fused_rms_norm
"""
ONE_A_NUMBER = set(NAMES.split())
LOGARITHMIC = {"_fft_c2c", "_fft_c2r", "_fft_r2c", "argsort", "sort", "topk"}
OF_A_VECTOR = {"addmv", "dot", "mv", "vdot"}  # 2 for each number of the matrix


class Operations(TorchDispatchMode):
    """Counts the operations of everything that runs inside it, in `total`.

    Raises ValueError: an operation whose cost is not known.
    """

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
    if name == "_scaled_dot_product_flash_attention_for_cpu":  # which the registry has for GPUs alone
        query, key, value = args[:3]
        return 2 * math.prod(query.shape[:-1]) * key.shape[-2] * (query.shape[-1] + value.shape[-1])
    largest = max((t.numel() for t in tree_leaves((args, kwargs, result)) if torch.is_tensor(t)), default=0)
    if name in OF_A_VECTOR:
        return 2 * largest
    if name in LOGARITHMIC:
        return int(largest * math.log2(max(2, largest)))
    if name in ONE_A_NUMBER or torch.Tag.pointwise in f.tags:
        return largest
    raise ValueError(f"expected operations whose cost is known, got {packet}: count it by hand, with lengths=None")


class LiveBytes(TorchDispatchMode):
    """Adds up the tensors that are made inside it, for as long as they live: `most` is their largest sum."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0
        self.known: set[int] = set()

    def __torch_dispatch__(self, f: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from_outside = {storage._cdata for storage in _storages((args, kwargs))} - self.known
        result = f(*args, **(kwargs or {}))
        for storage in _storages(result):
            if storage._cdata not in self.known | from_outside:
                self.known.add(storage._cdata)
                self.now += storage.nbytes()
                weakref.finalize(storage, self._free, storage._cdata, storage.nbytes())
        self.most = max(self.most, self.now)
        return result

    def _free(self, which: int, n_bytes: int) -> None:
        self.known.discard(which)
        self.now -= n_bytes


def _storages(tree: Any) -> list[Any]:
    return [t.untyped_storage() for t in tree_leaves(tree) if torch.is_tensor(t)]


@contextmanager
def piece_by_piece() -> Iterator[None]:
    """No short cuts by which a whole encoder layer or recurrent layer is one operation."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with torch.backends.mkldnn.flags(enabled=False), torch.no_grad():
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
