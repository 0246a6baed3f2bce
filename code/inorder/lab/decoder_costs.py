"""What a real decoder weighs, and how long it takes to read and to generate, each time beside a control.

    python -m inorder.lab.decoder_costs [PART …]     measures all, or these parts; stores in inorder/stored

The model is that of `inorder.pretrained.decoder`, in torch, float32, on one thread. A time is processor time, the
shortest of several calls, since others may use the machine too; only ratios of times are comparable between machines.
"""

import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch

from inorder.attention import scaled_dot_product_attention, streaming_attention
from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, store_parts
from inorder.pretrained.decoder import NAME, SHA256, WEIGHTS, LanguageModel, count_weights, load
from inorder.stored import FOLDER
from inorder.transformer import decode

RESULTS = "decoder_costs.json"
BATCHES = (1, 2, 4, 8, 16, 32, 64)
PRODUCT_BATCHES = (*BATCHES, 128)
CONTEXTS = (16, 512, 1024)
N_CACHED = 16  # tokens in the cache while batches are timed: next to nothing
LENGTHS = (512, 1024, 2048, 4096)
WIDTH, N_HEADS = 256, 4  # of the block whose parts are timed against the length


def shortest_time(call: Callable[[], Any], repeats: int = 5) -> float:
    """Processor time of the fastest call, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def reading_time(lm: LanguageModel, n_tokens: int) -> float:
    """Seconds to read a text in one call."""
    tokens, positions = _random_tokens(lm, 1, n_tokens), torch.arange(n_tokens)
    return shortest_time(lambda: decode(tokens, *lm.model, positions=positions))


def generating_time(lm: LanguageModel, batch: int, n_cached: int = N_CACHED) -> float:
    """Seconds of one step, which adds one token to each of `batch` texts of n_cached tokens."""
    tokens = _random_tokens(lm, batch, n_cached)
    cache = decode(tokens, *lm.model, positions=torch.arange(n_cached))[1]
    here = torch.tensor([n_cached])
    return shortest_time(lambda: decode(tokens[:, -1:], *lm.model, positions=here, cache=cache))


def square_matrices(lm: LanguageModel) -> list[torch.Tensor]:
    """W_Q and W_O of every layer, all of one shape."""
    return [w for block in lm.model.parameters.blocks for w in (block.attention.w_query, block.attention.w_output)]


def product_time(matrices: Sequence[torch.Tensor], batch: int) -> float:
    """Seconds to multiply `batch` rows with each of the matrices in turn."""
    rows = torch.ones(batch, matrices[0].shape[0])

    def multiply() -> None:
        for w in matrices:
            torch.mm(rows, w)

    return shortest_time(multiply, repeats=9)


def block_times(n: int) -> dict[str, float]:
    """Seconds that parts of a block of width 256 take for n tokens: its matrices, and attention in three forms.

    "products" is attention without its softmax: the two matrix products alone.
    """
    x, w, q, k, v = _random_block(n)
    return {
        "matrices": shortest_time(lambda: x @ w, 3),
        "products": shortest_time(lambda: (q @ k.mT) @ v, 3),
        "plain": shortest_time(lambda: scaled_dot_product_attention(q, k, v), 3),
        "streaming": shortest_time(lambda: streaming_attention(q, k, v, block_size=128), 3),
    }


def memory_times(n: int) -> dict[str, float]:
    """Seconds for n tokens: the matrices of that block, and attention with its table in new memory or in used memory.

    "products", "plain" and "streaming" are those of `block_times`, which ask for new memory at each call. "products,
    reused" and "plain, reused" do the same sums in one table, which is there before the clock starts.
    """
    x, w, q, k, v = _random_block(n)
    table, output = torch.zeros(N_HEADS, n, n), torch.zeros_like(q)

    def products() -> None:
        torch.matmul(q, k.mT, out=table)
        torch.matmul(table, v, out=output)

    def attention() -> None:
        torch.matmul(q, k.mT, out=table)
        table.mul_(q.shape[-1] ** -0.5)
        table.sub_(table.amax(dim=-1, keepdim=True)).exp_()
        table.div_(table.sum(dim=-1, keepdim=True))
        torch.matmul(table, v, out=output)

    return {
        "matrices": shortest_time(lambda: x @ w, 3),
        "products": shortest_time(lambda: (q @ k.mT) @ v, 3),
        "products, reused": shortest_time(products, 3),
        "plain": shortest_time(lambda: scaled_dot_product_attention(q, k, v), 3),
        "plain, reused": shortest_time(attention, 3),
        "streaming": shortest_time(lambda: streaming_attention(q, k, v, block_size=128), 3),
    }


def _random_block(n: int) -> list[torch.Tensor]:
    """The rows of n tokens and a block's matrices, side by side; queries, keys and values of each head."""
    draw = np.random.default_rng(n)
    x, w = (torch.tensor(draw.normal(size=size), dtype=torch.float32) for size in ((n, WIDTH), (WIDTH, 12 * WIDTH)))
    return [x, w, *torch.tensor(draw.normal(size=(3, N_HEADS, n, WIDTH // N_HEADS)), dtype=torch.float32)]


def _random_tokens(lm: LanguageModel, batch: int, n: int) -> torch.Tensor:
    return torch.tensor(np.random.default_rng(n).integers(0, lm.model.config.vocabulary_size, size=(batch, n)))


@cache
def _decoder() -> LanguageModel:
    return load(like=torch.zeros(1))


def _lengths(measure: Callable[[int], dict[str, float]] = block_times) -> dict[str, Any]:
    times = [measure(n) for n in LENGTHS]
    seconds = {name: [each[name] for each in times] for name in times[0]}
    return {"width": WIDTH, "heads": N_HEADS, "lengths": LENGTHS, "seconds": seconds}


def _batches() -> dict[str, Any]:
    generating = [generating_time(_decoder(), batch) for batch in BATCHES]
    return {"batches": BATCHES, "generating": generating, "reading": [reading_time(_decoder(), n) for n in BATCHES]}


def _contexts() -> dict[str, Any]:
    times = {batch: [generating_time(_decoder(), batch, n) for n in CONTEXTS] for batch in (1, 8)}
    return {"contexts": CONTEXTS, "seconds": {str(batch): seconds for batch, seconds in times.items()}}


def _products() -> dict[str, Any]:
    matrices = square_matrices(_decoder())
    sets = {"all": matrices, "one": matrices[:1] * len(matrices)}
    times = {name: [product_time(each, batch) for batch in PRODUCT_BATCHES] for name, each in sets.items()}
    return {"batches": PRODUCT_BATCHES, "matrices": len(matrices), "seconds": times}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "weights": lambda: {"counts": count_weights()},
    "lengths": _lengths,
    "batches": _batches,
    "contexts": _contexts,
    "products": _products,
    "memory": lambda: _lengths(memory_times),
}


def main() -> None:
    about = (__doc__ or "").partition("\n")[0]
    command = "python -m inorder.lab.decoder_costs"
    parts = chosen_parts(command, about, PARTS)
    made = provenance(command, ["gguf", "numpy", "torch"], model=f"{NAME}, {WEIGHTS}", sha256=SHA256, threads=1)
    torch.set_num_threads(1)
    for part in parts:
        with torch.no_grad():
            record = PARTS[part]()
        store_parts(FOLDER / RESULTS, {part: {"provenance": made, **record}}, PARTS)
        print(part, flush=True)


if __name__ == "__main__":
    main()
