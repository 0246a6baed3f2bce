"""Time and peak memory of each encoding as n grows, beside x-transformers or plain torch at the same size.

Time: ours and theirs in turn, in rounds, float32 on one thread; the ratio is the median over rounds of ours / theirs.
Memory: the most that was allocated at once during a call, result included, inputs not. Every call starts from
positions, and a module that would keep its result for the next call is remade. d_model is 512; rotary has 8 heads of
64, a bias 2 heads.

Run it on an otherwise idle machine: make bench BENCHES=bench/encodings.py
"""

import gc
import os
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile
from transformers.models.vit_mae.modeling_vit_mae import build_2d_sinusoidal_position_embedding
from x_transformers.x_transformers import (
    AlibiPositionalBias,
    RelativePositionBias,
    RotaryEmbedding,
    ScaledSinusoidalEmbedding,
    apply_rotary_pos_emb,
)

from inorder import encodings

LENGTHS = [64, 256, 1024, 4096]
D_MODEL, D_HEAD, REACH = 512, 64, 16
N_HEADS, N_BIASED_HEADS = 8, 2
BUDGET = 1.0  # seconds for a row's rounds: 3 to 100 of them

Call = Callable[[], object]
generator = np.random.default_rng(0)


def floats(*shape: int) -> np.ndarray:
    return generator.standard_normal(shape, dtype=np.float32)


def plain_shaw(query: Any, table: Any, p: Any) -> Any:
    """As it is usually written, with a (query, key, d_head) array."""
    relative = (p[None] - p[:, None]).clamp(-REACH, REACH) + REACH
    return torch.einsum("hqd,qkd->hqk", query, table[relative]) / D_HEAD**0.5


def cases(n: int) -> dict[str, tuple[Callable, list[Any], str, Call | None]]:
    """{encoding: (ours, its arrays as NumPy, the name of theirs, theirs)}; theirs is None where it takes gigabytes."""
    p, side = np.arange(n), round(n**0.5)
    patches = np.stack(np.divmod(p, side), axis=-1)
    table, buckets, relative_keys = floats(n, D_MODEL), floats(32, N_BIASED_HEADS), floats(2 * REACH + 1, D_HEAD)
    x, query = floats(N_HEADS, n, D_HEAD), floats(N_BIASED_HEADS, n, D_HEAD)
    t, embedding = torch.from_numpy(p), torch.nn.Embedding(n, D_MODEL)
    sinusoid, blank = ScaledSinusoidalEmbedding(D_MODEL), torch.zeros(1, n, D_MODEL)
    rotary, rotated = RotaryEmbedding(D_HEAD), torch.from_numpy(x)[None]
    t5 = RelativePositionBias(scale=1.0, heads=N_BIASED_HEADS)
    return {
        "scalar": (lambda p: encodings.scalar_encoding(p, n), [p], "torch", lambda: (t / (n - 1))[:, None]),
        "binary": (
            lambda p: encodings.binary_encoding(p, 12),
            [p],
            "torch",
            lambda: (t[:, None] >> torch.arange(12) & 1).float(),
        ),
        "sinusoidal": (
            lambda p: encodings.sinusoidal_encoding(p, D_MODEL, layout="halves"),
            [p],
            "x-transformers",
            lambda: sinusoid(blank),
        ),
        "sinusoidal, 2-D": (
            lambda p: encodings.sinusoidal_encoding_2d(p, D_MODEL, layout="halves"),
            [patches],
            "transformers",
            lambda: build_2d_sinusoidal_position_embedding(side, side, D_MODEL),
        ),
        "learned": (encodings.look_up, [table, p], "torch", lambda: embedding(t)),
        "rotary": (
            encodings.rotary_encoding,
            [x, p],
            "x-transformers",
            lambda: apply_rotary_pos_emb(rotated, *rotary(t)),
        ),
        "rotary, 2-D": (encodings.rotary_encoding_2d, [x, patches], "", None),
        "ALiBi": (
            lambda p: encodings.alibi_bias(N_BIASED_HEADS, p, p),
            [p],
            "x-transformers",
            lambda: AlibiPositionalBias(N_BIASED_HEADS)(n, n),
        ),
        "T5": (encodings.t5_bias, [buckets, p, p], "x-transformers", lambda: t5(n, n)),
        "Shaw": (
            lambda *arrays: encodings.shaw_bias(*arrays, max_distance=REACH),
            [query, relative_keys, p, p],
            "torch",
            (lambda: plain_shaw(torch.from_numpy(query), torch.from_numpy(relative_keys), t)) if n <= 1024 else None,
        ),
    }


def seconds(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def times(calls: list[Call]) -> tuple[list[float], list[float]]:
    """(median milliseconds of each call, median ratio of the first to each)."""
    for call in calls:
        call()
    rounds: list[list[float]] = []
    began = time.perf_counter()
    while len(rounds) < 3 or (len(rounds) < 100 and time.perf_counter() - began < BUDGET):
        rounds.append([seconds(call) for call in calls])
    columns = list(zip(*rounds, strict=True))
    ratios = [[a / b for a, b in zip(columns[0], column, strict=True)] for column in columns]
    return [1e3 * statistics.median(column) for column in columns], [statistics.median(ratio) for ratio in ratios]


def numpy_peak(call: Call) -> float:
    """Megabytes."""
    gc.collect()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


@contextmanager
def silent_stderr() -> Iterator[None]:
    """The profiler writes to it from C++, whatever its log level."""
    stderr_copy = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    yield
    os.dup2(stderr_copy, 2)
    os.close(stderr_copy)


def torch_peak(call: Call) -> float:
    """Megabytes."""
    with silent_stderr(), profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recording:
        result = call()  # kept until all is counted
    events = [event for event in recording.profiler.kineto_results.events() if event.name() == "[memory]"]
    held = peak = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        peak = max(peak, held)
    del result
    return peak / 1e6


def main() -> None:
    torch.set_num_threads(1)
    print("float32 in torch; in NumPy float32 for what starts from floats, else float64")
    print(f"{'':17}{'':>6}{'ours, NumPy':>18}{'ours, torch':>18}{'theirs':>18}{'ours / theirs':>17}")
    print(f"{'':17}{'n':>6}" + f"{'ms':>9}{'MB':>9}" * 3 + f"{'time':>9}{'MB':>8}")
    for name in cases(LENGTHS[0]):
        for n in LENGTHS:
            function, arrays, whose, theirs = cases(n)[name]
            tensors = [torch.from_numpy(array) for array in arrays]
            calls: list[Call] = [lambda f=function, a=tensors: f(*a), lambda f=function, a=arrays: f(*a)]
            calls += [theirs] if theirs else []
            with torch.no_grad():
                milliseconds, ratios = times(calls)
                memory = [torch_peak(calls[0]), numpy_peak(calls[1]), *([torch_peak(theirs)] if theirs else [])]
            row = [(milliseconds[i], memory[i]) for i in (1, 0, *([2] if theirs else []))]
            line = f"{name:17}{n:6}" + "".join(f"{ms:9.3f}{mb:9.2f}" for ms, mb in row)
            if theirs:
                line += f"{ratios[2]:9.2f}{memory[0] / memory[2]:8.2f}   {whose}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
