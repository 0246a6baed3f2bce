"""Time and memory of one step of a decoder, with the cache and without, beside x-transformers and torch's own modules.

The step is the logits after token n, when tokens 1 … n − 1 came before. With the cache, one row runs through the model
and looks at n stored keys and values. Without it, all n rows run through it again. x-transformers does both, with its
fused attention; torch's nn.TransformerEncoder with a causal mask, which has no cache and is fused too, does the second.
All models have the same widths, depth and heads, in float32; ours and x-transformers' have rotary positions.

Time: in rounds, each model in turn; a ratio is the median over rounds of ours / theirs in that round. Each turn starts
with a call that is not timed, and there is one thread, because NumPy's pool of threads and torch's disturb each other.
Memory: the most that one step holds above what stood before it, as torch's allocator and NumPy's (through tracemalloc)
count it, so that small steps show as well. The cache that a step returns counts; the one that it was given does not.

Run it on an otherwise idle machine: make bench BENCHES=bench/decoder.py
"""

import logging
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch import nn
from torch.profiler import ProfilerActivity, profile

from inorder.transformer import KeyValueCache, TransformerConfig, decode, init_parameters, map_parameters

VOCABULARY, D_MODEL, N_HEADS, D_FF, N_LAYERS = 256, 128, 2, 512, 4
CONFIG = TransformerConfig(
    vocabulary_size=VOCABULARY, d_model=D_MODEL, n_heads=N_HEADS, d_ff=D_FF, n_layers=N_LAYERS, position="rotary"
)
PARAMETERS = init_parameters(CONFIG, np.random.default_rng(0), like=torch.empty(0))
ROUNDS = {64: 15, 256: 15, 1024: 7, 4096: 2}
OURS, OURS_IN_NUMPY, X_TRANSFORMERS, TORCH = "inorder", "inorder, NumPy", "x-transformers", "nn.TransformerEncoder"
Step = Callable[[], Any]


def our_steps(tokens: Any, back_end: str) -> tuple[Step, Step]:
    """(with the cache, without)."""
    parameters, positions = PARAMETERS, torch.arange(len(tokens))
    if back_end == "numpy":
        parameters, tokens, positions = map_parameters(lambda x: x.numpy(), (parameters, tokens, positions))
    cache: KeyValueCache | None = None
    for start in range(0, len(tokens) - 1, 256):  # in pieces, so that no large matrix is made here
        piece = slice(start, min(start + 256, len(tokens) - 1))
        _, cache = decode(tokens[piece], parameters, CONFIG, positions=positions[piece], cache=cache)
    return (
        lambda: decode(tokens[-1:], parameters, CONFIG, positions=positions[-1:], cache=cache)[0],
        lambda: decode(tokens, parameters, CONFIG, positions=positions)[0],
    )


def x_transformers_steps(tokens: torch.Tensor) -> tuple[Step, Step]:
    logging.disable(logging.WARNING)
    from x_transformers import Decoder, TransformerWrapper

    layers = Decoder(
        dim=D_MODEL,
        depth=N_LAYERS,
        heads=N_HEADS,
        attn_dim_head=D_MODEL // N_HEADS,
        ff_mult=D_FF // D_MODEL,
        rotary_pos_emb=True,
        attn_flash=True,
    )
    model = TransformerWrapper(
        num_tokens=VOCABULARY, max_seq_len=max(ROUNDS), use_abs_pos_emb=False, attn_layers=layers
    ).eval()
    _, cache = model(tokens[None, :-1], return_intermediates=True)
    return lambda: model(tokens[None], cache=cache, return_intermediates=True)[0], lambda: model(tokens[None])


def torch_step(tokens: torch.Tensor) -> Step:
    layer = nn.TransformerEncoderLayer(D_MODEL, N_HEADS, D_FF, activation="gelu", batch_first=True, norm_first=True)
    body = nn.TransformerEncoder(layer, N_LAYERS, norm=nn.LayerNorm(D_MODEL), enable_nested_tensor=False)
    model = nn.ModuleDict(
        {"embed": nn.Embedding(VOCABULARY, D_MODEL), "body": body, "unembed": nn.Linear(D_MODEL, VOCABULARY)}
    ).eval()
    mask = nn.Transformer.generate_square_subsequent_mask(len(tokens))
    return lambda: model["unembed"](model["body"](model["embed"](tokens[None]), mask=mask, is_causal=True))


def seconds(step: Step) -> float:
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def measure_times(steps: dict[str, Step], n_rounds: int) -> dict[str, list[float]]:
    """The seconds of each model in each round."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(n_rounds):
        for name, step in steps.items():
            step()
            times[name].append(seconds(step))
    return times


def peak_bytes(step: Step) -> int:
    """The most that torch held during the step above what it held before."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        step()
    events = [event for event in recorded.profiler.kineto_results.events() if event.name() == "[memory]"]
    held = np.cumsum([event.nbytes() for event in sorted(events, key=lambda event: event.start_ns())])
    return int(held.max())


def peak_bytes_numpy(step: Step) -> int:
    tracemalloc.start()
    step()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def report(n: int, title: str, steps: dict[str, Step]) -> dict[str, float]:
    """Print a line for each model, and return the median milliseconds of each."""
    times = measure_times(steps, ROUNDS[n])
    memory = {
        name: peak_bytes_numpy(step) if name == OURS_IN_NUMPY else peak_bytes(step) for name, step in steps.items()
    }
    medians = {name: 1e3 * statistics.median(times[name]) for name in steps}
    for name in steps:
        ratio = statistics.median(ours / theirs for ours, theirs in zip(times[OURS], times[name], strict=True))
        line = f"{n:6}  {title:14} {name:22}{medians[name]:10.2f}{memory[name] / 1e6:10.3f}"
        if name != OURS:
            line += f"{ratio:12.2f}{memory[OURS] / memory[name]:10.2f}"
        print(line, flush=True)
    return medians


def main() -> None:
    print(f"{N_LAYERS} layers, d_model {D_MODEL}, {N_HEADS} heads, float32, {torch.get_num_threads()} thread")
    print(f"{'':47}{'':10}{'':6}ratio of inorder (torch) to it in")
    print(f"{'n':>6}  {'step':14} {'':22}{'ms':>10}{'MB':>10}{'time':>12}{'memory':>10}")
    gains = {}
    for n in ROUNDS:
        tokens = torch.from_numpy(np.random.default_rng(0).integers(VOCABULARY, size=n))
        cached, full = our_steps(tokens, "torch")
        numpy_cached, numpy_full = our_steps(tokens, "numpy")
        their_cached, their_full = x_transformers_steps(tokens)
        with_cache = {OURS: cached, OURS_IN_NUMPY: numpy_cached, X_TRANSFORMERS: their_cached}
        without = {OURS: full, OURS_IN_NUMPY: numpy_full, X_TRANSFORMERS: their_full, TORCH: torch_step(tokens)}
        np.testing.assert_allclose(cached()[-1], full()[-1], rtol=1e-3, atol=1e-3)
        times = [report(n, title, steps) for title, steps in [("with cache", with_cache), ("without", without)]]
        gains[n] = {name: times[1][name] / times[0][name] for name in with_cache}
    print("\nHow many times faster a step is with the cache")
    for n, gain in gains.items():
        print(f"{n:6}  " + "   ".join(f"{name} {ratio:.1f}" for name, ratio in gain.items()))


if __name__ == "__main__":
    with threadpool_limits(1), torch.no_grad():
        main()
