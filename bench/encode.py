"""What one `encode` of a few tokens costs: calls, lines of Python and milliseconds, with NumPy and with torch.

On so small an input the arithmetic costs next to nothing, so the numbers show what stands around it: the checks, and
the calls from function to function. Calls and lines are those of the package alone, the same on every machine; the time
is the least of many calls, on one thread.

Run it on an otherwise idle machine: make bench BENCHES=bench/encode.py
"""

import sys
import time
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from aims import Aims

import inorder
from inorder.transformer import encode, fresh_model

FOLDER = str(Path(inorder.__file__).parent)
CALLS_AT_MOST = 250  # 990 for one block alone when every part checked again
N_TOKENS, N_LAYERS, N_TIMED = 16, 2, 2_000


def events(**call: Any) -> Counter[str]:
    """How many functions and lines of the package one `encode` runs."""
    counts: Counter[str] = Counter()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        counts[event] += 1
        return trace

    sys.settrace(trace)
    try:
        encode(**call)
    finally:
        sys.settrace(None)
    return counts


def milliseconds(**call: Any) -> float:
    times = []
    for _ in range(N_TIMED):
        start = time.perf_counter()
        encode(**call)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main() -> None:
    aims = Aims()
    print(f"\nOne encode: {N_TOKENS} tokens, {N_LAYERS} blocks, d_model 32, learned positions")
    print(f"{'':10}{'calls':>8}{'lines':>8}{'ms':>8}   aim")
    for back_end, like in {"numpy": np.empty(0), "torch": torch.empty(0)}.items():
        parameters, config = fresh_model(0, n_layers=N_LAYERS, position="learned", like=like)
        positions = np.arange(N_TOKENS) if back_end == "numpy" else torch.arange(N_TOKENS)
        call = {"tokens": positions % 12, "parameters": parameters, "config": config, "positions": positions}
        encode(**call)
        counts = events(**call)
        verdict = aims.verdict(f"calls of one encode in {back_end}", counts["call"], at_most=CALLS_AT_MOST)
        print(f"{back_end:10}{counts['call']:8}{counts['line']:8}{milliseconds(**call):8.3f}   {verdict}", flush=True)
    sys.exit(aims.exit_status())


if __name__ == "__main__":
    torch.set_num_threads(1)
    with torch.no_grad():
        main()
