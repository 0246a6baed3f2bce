"""Time of one forward pass of all-MiniLM-L6-v2: ours, in torch and in NumPy, beside the transformers library's.

The same weights, the same 8 texts of 128 tokens, float32, one thread, no gradient. Theirs twice: with torch's fused
attention, its default, and with the weights of all heads returned ("eager"), as ours always does.

Time: in rounds, each in turn, after a call that is not timed; a ratio is the median over rounds of ours / theirs.
Run it on an otherwise idle machine: python bench/pretrained.py
"""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from transformers import BertModel

from inorder.lab.trained_encoder.texts import windows
from inorder.pretrained import find_files, load, states
from inorder.stored import stored

BATCH, N_TOKENS, ROUNDS = 8, 128, 7
ALICE = stored("alice.txt")
OURS = "inorder, torch"


def main() -> None:
    tokens = windows(ALICE.read_text(encoding="utf-8"), load(), N_TOKENS - 2, BATCH)
    ids, in_torch = torch.tensor(tokens.ids), load(like=torch.zeros(1))
    models = {
        kind: BertModel.from_pretrained(find_files()[0].parent, attn_implementation=kind).eval()
        for kind in ("sdpa", "eager")
    }
    calls: dict[str, Callable[[], Any]] = {
        OURS: lambda: states(tokens, in_torch)[-1].hidden,
        "inorder, NumPy": lambda: states(tokens, load())[-1].hidden,
        "transformers, fused": lambda: models["sdpa"](ids).last_hidden_state,
        "transformers, eager": lambda: models["eager"](ids, output_attentions=True).last_hidden_state,
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    outputs = {name: np.asarray(call()) for name, call in calls.items()}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    print(f"{BATCH} texts of {N_TOKENS} tokens, float32, one thread")
    print(f"{'':24}{'ms':>8}{'ours / it':>12}{'largest difference from ours':>32}")
    for name in calls:
        ratio = statistics.median(ours / theirs for ours, theirs in zip(times[OURS], times[name], strict=True))
        difference = abs(outputs[name] - outputs[OURS]).max()
        print(f"{name:24}{1e3 * statistics.median(times[name]):8.0f}{ratio:12.2f}{difference:32.1e}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    with threadpool_limits(1), torch.no_grad():
        main()
