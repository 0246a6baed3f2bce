"""How long a real decoder takes for one text and for many, and whether it waits for its matrices.

    python -m studies.decoder_costs        measures and stores, with provenance, in inorder/stored

The model is that of `inorder.pretrained.decoder`, in torch, float32, on one thread. A time is processor time, the
shortest of nine calls, since others may use the machine too; only ratios of times are comparable between machines.

The control takes the fetching away: the same products with sixty matrices of the model in turn, and with the first of
them sixty times, which stays in fast memory. The other set-up is the feed-forward network of an 8B model: three
matrices of 4,096 × 14,336.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from inorder.lab.provenance import provenance
from inorder.lab.records import store_parts
from inorder.pretrained.decoder import NAME, SHA256, WEIGHTS, LanguageModel, load
from inorder.stored import FOLDER
from inorder.transformer import decode

BATCHES = [1, 2, 4, 8, 16, 32, 64]
N_CACHED = 16  # tokens in the cache while batches are timed: next to nothing
LARGE = (4096, 14_336)


def shortest_time(call: Callable[[], Any], repeats: int = 9) -> float:
    """Processor time of the fastest call, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def random_tokens(lm: LanguageModel, batch: int, n: int) -> torch.Tensor:
    return torch.tensor(np.random.default_rng(n).integers(0, lm.model.config.vocabulary_size, size=(batch, n)))


def reading_time(lm: LanguageModel, n_tokens: int) -> float:
    """Seconds to read a text in one call."""
    tokens, positions = random_tokens(lm, 1, n_tokens), torch.arange(n_tokens)
    return shortest_time(lambda: decode(tokens, *lm.model, positions=positions))


def generating_time(lm: LanguageModel, batch: int) -> float:
    """Seconds of one step, which adds one token to each of `batch` texts."""
    tokens = random_tokens(lm, batch, N_CACHED)
    cache = decode(tokens, *lm.model, positions=torch.arange(N_CACHED))[1]
    here = torch.tensor([N_CACHED])
    return shortest_time(lambda: decode(tokens[:, -1:], *lm.model, positions=here, cache=cache))


def product_times(matrices: Sequence[torch.Tensor]) -> list[float]:
    """Seconds to multiply each number of rows with each of the matrices in turn."""

    def multiply(rows: torch.Tensor) -> None:
        for w in matrices:
            torch.mm(rows, w)

    return [shortest_time(lambda n=n: multiply(torch.ones(n, len(matrices[0])))) for n in BATCHES]


def main() -> None:
    torch.set_num_threads(1)
    lm = load(like=torch.zeros(1))
    attention = [block.attention for block in lm.model.parameters.blocks]
    squares = [w for each in attention for w in (each.w_query, each.w_output)]  # all of one shape
    with torch.no_grad():
        measured = {
            "texts": BATCHES,
            "generating": [generating_time(lm, batch) for batch in BATCHES],
            "reading": [reading_time(lm, n) for n in BATCHES],
            "products": {
                "sixty matrices": product_times(squares),
                "one of them, sixty times": product_times(squares[:1] * len(squares)),
                "three large matrices": product_times([torch.ones(LARGE) for _ in range(3)]),
            },
        }
    path = FOLDER / "decoder_costs.json"
    made = provenance(
        "python -m studies.decoder_costs", ["gguf", "numpy", "torch"], model=f"{NAME}, {WEIGHTS}", sha256=SHA256
    )
    store_parts(path, {"provenance": made, **measured}, ["provenance", *measured])
    print(f"stored {path}")


if __name__ == "__main__":
    main()
