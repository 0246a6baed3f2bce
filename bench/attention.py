"""Memory and time of the two forms of attention, beside torch's own F.scaled_dot_product_attention.

Memory: each form in a fresh process, where the process stood at its highest above where it stood with the inputs made.
Time: in rounds, torch's own and ours in turn, on the same numbers; a ratio is the median over rounds of ours / torch's
in that round. Each turn starts with calls that are not timed, because NumPy and torch keep a pool of threads each,
and a pool that has just worked disturbs the other for a moment.

Run it on an otherwise idle machine: make bench BENCHES=bench/attention.py
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from aims import Aims

from inorder.attention import scaled_dot_product_attention, streaming_attention

D_HEAD = 64
FORMS = {"plain": scaled_dot_product_attention, "streaming": streaming_attention}
BACK_ENDS = ["torch", "numpy"]
MEMORY_LENGTH = 16_384
MEMORY_AIMS = {
    "streaming": {"at_most": 200},
    "plain": {"at_least": 1000},
}  # MB; the plain form shows what there is to save
TIME_AIMS = {  # times torch's own, at n = 1024
    ("torch", "plain"): 8,
    ("torch", "streaming"): 3,
    ("numpy", "plain"): 5,
    ("numpy", "streaming"): 5,
}
TURNS = {256: (40, 20), 1024: (40, 8), 4096: (9, 3)}  # n: (rounds, timed calls in a turn)


def inputs(n: int, back_end: str) -> Any:
    arrays = np.random.default_rng(0).standard_normal((3, n, D_HEAD), dtype=np.float32)
    if back_end == "numpy":
        return arrays
    import torch

    return torch.from_numpy(arrays)


def highest_resident_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def resident_bytes() -> int:
    """What the process holds now, where the system says so; else the highest so far."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * resource.getpagesize() if statm.exists() else highest_resident_bytes()


def measure_memory(form: str, back_end: str) -> float:
    """MB above the inputs. For a process of its own: what earlier calls took would hide what this one takes."""
    query, key, value = inputs(MEMORY_LENGTH, back_end)
    FORMS[form](query[:64], key[:64], value[:64])  # threads and work space of the linear algebra, once and for all
    before = resident_bytes()
    FORMS[form](query, key, value)
    return (highest_resident_bytes() - before) / 1e6


def turn(call: Callable[[], object], n_calls: int) -> float:
    """Median seconds of a call."""
    call()
    call()
    seconds = []
    for _ in range(n_calls):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def measure_time(n: int) -> dict[tuple[str, str], tuple[float, float]]:
    """{(back end, form): (milliseconds, ratio to torch's own)}."""
    import torch
    import torch.nn.functional as F

    torch_inputs = [x[None, None] for x in inputs(n, "torch")]  # (batch, head, n, d_head): what its fast kernel takes
    own = ("torch", "F.scaled_dot_product_attention")
    calls: dict[tuple[str, str], Callable[[], object]] = {own: lambda: F.scaled_dot_product_attention(*torch_inputs)}
    for back_end in BACK_ENDS:
        arrays = inputs(n, back_end)
        for form, function in FORMS.items():
            calls[back_end, form] = lambda function=function, arrays=arrays: function(*arrays)

    n_rounds, n_calls = TURNS[n]
    with torch.no_grad():
        rounds = [{name: turn(call, n_calls) for name, call in calls.items()} for _ in range(n_rounds)]
    return {
        name: (
            1e3 * statistics.median(seconds[name] for seconds in rounds),
            statistics.median(seconds[name] / seconds[own] for seconds in rounds),
        )
        for name in calls
    }


def report_memory(aims: Aims) -> None:
    print(f"\nMemory above the inputs, n = {MEMORY_LENGTH}, d = {D_HEAD}, one head, float32")
    print(f"{'':10}{'':12}{'MB':>8}   aim")
    for back_end in BACK_ENDS:
        for form, aim in MEMORY_AIMS.items():
            command = [sys.executable, __file__, "--memory", form, back_end]
            used = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            verdict = aims.verdict(f"memory of {form} in {back_end}", used, **aim)
            print(f"{back_end:10}{form:12}{used:8.0f}   {verdict}", flush=True)


def report_time(aims: Aims) -> None:
    import torch

    print(f"\nTime, d = {D_HEAD}, one head, float32, {torch.get_num_threads()} threads; ratio to torch's own")
    print(f"{'n':>6}  {'':10}{'':32}{'ms':>9}{'ratio':>8}   aim")
    for n in TURNS:
        for (back_end, form), (milliseconds, ratio) in measure_time(n).items():
            most = TIME_AIMS.get((back_end, form)) if n == 1024 else None
            verdict = "" if most is None else aims.verdict(f"time of {form} in {back_end}", ratio, at_most=most)
            print(f"{n:6}  {back_end:10}{form:32}{milliseconds:9.3f}{ratio:8.2f}   {verdict}".rstrip(), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memory", nargs=2, metavar=("FORM", "BACK_END"), help="print the MB that one form takes")
    options = parser.parse_args()
    if options.memory:
        print(measure_memory(*options.memory))
    else:
        aims = Aims()
        report_memory(aims)
        report_time(aims)
        sys.exit(aims.exit_status())
