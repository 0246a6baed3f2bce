"""What a run of the lab costs beside the same training of torch's own encoder, and two workers beside one.

The same size, data, optimiser and schedule, float32, one thread. Aims: at most 1.5 times torch's own; two workers at
least 1.5 times as fast as one, where there are two cores.

Time: in rounds, each in turn, after a round that is not timed; a ratio is the median over rounds.
Run it on an otherwise idle machine: python bench/lab.py
"""

import os
import statistics
import sys
import time

import torch
from torch import Tensor, nn

from inorder.lab.runs import TRAINED_ON, Setting, one_thread, train_setting
from inorder.lab.sweep import grid, sweep
from inorder.lab.training import fresh_batches, learning_rate_factor, loss_and_accuracy

ROUNDS, N_STEPS = 5, 60
AIM, AIM_OF_TWO = 1.5, 1.5


class Plain(nn.Module):
    """What anyone would write: an embedding, torch's encoder, and a linear read-out."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        task, d_model = setting.bounded_task, setting.d_model
        sizes = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
        layer = nn.TransformerEncoderLayer(d_model, setting.n_heads, setting.d_ff, **sizes)
        self.embedding = nn.Embedding(task.n_tokens, d_model)
        self.encoder = nn.TransformerEncoder(layer, setting.n_layers, nn.LayerNorm(d_model), enable_nested_tensor=False)
        self.read = nn.Linear(d_model, task.n_outputs)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.read(self.encoder(self.embedding(tokens)))


def train_plain(setting: Setting) -> None:
    """The loop of `inorder.lab.training.fit`, by hand."""
    model = Plain(setting)
    optimiser = torch.optim.Adam(model.parameters(), lr=setting.learning_rate, betas=(0.9, 0.98))
    batches = fresh_batches(setting.bounded_task, setting.seed, TRAINED_ON, setting.batch_size)
    for step in range(setting.n_steps):
        optimiser.param_groups[0]["lr"] = setting.learning_rate * learning_rate_factor(step, 50, setting.n_steps)
        optimiser.zero_grad()
        _, batch = next(batches)
        loss, right = loss_and_accuracy(model(batch.tokens), batch.targets)
        loss.item(), right.item()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()


def beside_torch(n_layers: int) -> float:
    """Prints the line of a depth; returns how many times torch's own time ours is."""
    setting = Setting("copy-left", "none", n_layers=n_layers, n_steps=N_STEPS)
    times: dict[str, list[float]] = {"ours": [], "torch": []}
    for round_ in range(ROUNDS + 1):
        for name, call in (("ours", train_setting), ("torch", train_plain)):
            start = time.process_time()
            with one_thread():
                call(setting)
            if round_:
                times[name].append((time.process_time() - start) / N_STEPS)
    ratio = statistics.median(ours / torchs for ours, torchs in zip(*times.values(), strict=True))
    ours, torchs = (1e3 * statistics.median(each) for each in times.values())
    a_run = ours * Setting.n_steps / 1e3
    print(f"{n_layers:8}{ours:14.2f}{torchs:14.2f}{ratio:10.2f}{a_run:22.1f}")
    return ratio


def speed_up() -> float:
    """Eight runs on one worker and on two, both warm."""
    seconds = []
    for n_jobs in (1, 2):
        sweep(grid(["copy-left"], ["none"], range(2), n_steps=2), n_jobs=n_jobs, bar=False)
        start = time.perf_counter()
        sweep(grid(["copy-left"], ["none"], range(8), n_steps=N_STEPS), n_jobs=n_jobs, bar=False)
        seconds.append(time.perf_counter() - start)
    print(f"8 runs of {N_STEPS} steps: {seconds[0]:.1f} s on one worker, {seconds[1]:.1f} s on two")
    return seconds[0] / seconds[1]


def main() -> None:
    print("Training on copy-left, d_model 32, 4 heads, feed-forward 64, batch 32, lengths 5 to 20, one thread")
    print(f"{'layers':>8}{'ms a step':>14}{'torch, ms':>14}{'ratio':>10}{'seconds a run':>22}")
    ratios = [beside_torch(n_layers) for n_layers in (1, 2)]
    gain = speed_up()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    print(
        f"at most {AIM} times torch's own: {max(ratios):.2f}; two workers at least {AIM_OF_TWO} times one: {gain:.2f}"
    )
    if max(ratios) > AIM or (cores > 1 and gain < AIM_OF_TWO):
        sys.exit(1)


if __name__ == "__main__":
    main()
