"""Training the models of `inorder.transformer` with torch: the functions that a chapter prints are those that learn.

[1] Kingma and Ba 2015, Adam, https://arxiv.org/abs/1412.6980
[2] Loshchilov and Hutter 2017, SGDR (the cosine schedule, equation 5), https://arxiv.org/abs/1608.03983
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64, Integer
from torch import Tensor

from inorder._arrays import expect, expect_count
from inorder.attention import causal_mask
from inorder.lab.tasks import IGNORED, Batch, Task
from inorder.transformer import (
    TransformerConfig,
    TransformerParameters,
    encode,
    flatten_parameters,
    init_parameters,
    map_parameters,
    unembed,
)

__all__ = ["Trained", "accuracy", "as_numpy", "fit", "fit_task", "token_logits", "train"]

RECENT = 50  # steps, over which `stop_at` takes the mean


class Trained(NamedTuple):
    """What training leaves: the parameters, which record no gradient, and the loss of each step.

    Where the loss came with an accuracy, as in `train`, that of each step, too: measured before the step, on data that
    the model has not seen.
    """

    parameters: Any
    losses: Float[np.ndarray, " step"]
    accuracies: Float[np.ndarray, " step"] | None = None


def fit(
    parameters: Any,
    loss: Callable[[Any, int], Float[Tensor, ""] | tuple[Float[Tensor, ""], Float[Tensor, ""]]],
    *,
    n_steps: int,
    learning_rate: float = 3e-3,
    warm_up: int = 100,
    largest_gradient: float = 1.0,
    after_step: Callable[[], object] | None = None,
    stop_at: float | None = None,
) -> Trained:
    """Adam [1] on a tree of torch tensors, to lower loss(parameters, step). The tree given is left as it is.

    The rate rises linearly for `warm_up` steps (at most half of all) and falls along a half cosine [2]; a gradient
    whose norm over all parameters is above `largest_gradient` is scaled down to it. `after_step` is called after each
    step: the `update` of a tqdm bar. loss may return (loss, accuracy); then `stop_at` ends the training early, when the
    mean accuracy of 50 steps has reached it.

    Raises ValueError: n_steps, learning_rate or largest_gradient that are not positive; a tree without tensors; a loss
    that is not finite, with the step; stop_at without an accuracy.

    >>> target = torch.tensor([1.0, -2.0])
    >>> found = fit({"w": torch.zeros(2)}, lambda p, step: ((p["w"] - target) ** 2).sum(), n_steps=400, warm_up=10,
    ...             learning_rate=0.05)
    >>> found.parameters["w"].round(decimals=2)
    tensor([ 1., -2.])
    """
    expect_count("n_steps", n_steps)
    expect(learning_rate > 0, "a learning_rate above 0", learning_rate)
    expect(largest_gradient > 0, "a largest_gradient above 0", largest_gradient)
    trainable = map_parameters(lambda w: torch.as_tensor(w).detach().clone().requires_grad_(), parameters)
    weights = list(flatten_parameters(trainable).values())
    expect(weights, "parameters with at least one tensor", "none")
    optimiser = torch.optim.Adam(weights, lr=learning_rate, betas=(0.9, 0.98))
    warm_up = max(1, min(warm_up, n_steps // 2))
    record: list[list[float]] = []  # of each step, [loss] or [loss, accuracy]

    def done() -> bool:
        if len(record) == n_steps or stop_at is None or not record:
            return len(record) == n_steps
        expect(len(record[0]) == 2, "a loss that comes with an accuracy, for stop_at", "a loss alone")
        return len(record) >= RECENT and sum(right for _, right in record[-RECENT:]) / RECENT >= stop_at

    while not done():
        step = len(record)
        optimiser.param_groups[0]["lr"] = learning_rate * learning_rate_factor(step, warm_up, n_steps)
        optimiser.zero_grad()
        value = loss(trainable, step)
        parts = value if isinstance(value, tuple) else (value,)
        record.append([part.item() for part in parts])
        expect(math.isfinite(record[-1][0]), "a finite loss", f"{record[-1][0]} in step {step}")
        parts[0].backward()
        torch.nn.utils.clip_grad_norm_(weights, largest_gradient)
        optimiser.step()
        if after_step is not None:
            after_step()
    return Trained(map_parameters(lambda w: w.detach(), trainable), *np.array(record).T)


def learning_rate_factor(step: int, warm_up: int, n_steps: int) -> float:
    """(step + 1)/warm_up, then (1 + cos(π · share of the rest that is done))/2.

    >>> [round(learning_rate_factor(step, 2, 10), 3) for step in (0, 1, 2, 6, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.038]
    """
    done = max(0, step - warm_up) / max(1, n_steps - warm_up)
    return min(1.0, (step + 1) / warm_up) * (1 + math.cos(math.pi * done)) / 2


def train(
    config: TransformerConfig,
    task: Task,
    *,
    seed: int,
    n_steps: int = 1000,
    lengths: Sequence[int] = range(5, 21),
    batch_size: int = 64,
    causal: bool = False,
    learning_rate: float = 3e-3,
    after_step: Callable[[], object] | None = None,
    stop_at: float | None = None,
    device: torch.device | None = None,
) -> Trained:
    """A model of this configuration, trained from scratch on fresh sequences of the task in every step.

    The task is an `inorder.lab.tasks.Task`, say `CopyLeft(10)`: it has n_tokens and draws batches. Each batch has one
    length, drawn uniformly from `lengths`. One seed gives one run: it draws the parameters (those of
    `init_parameters` with `np.random.default_rng(seed)`, in float32), and a second stream draws the data, so that two
    configurations see the same sequences. The device is `best_device()` if not given. `after_step` and `stop_at` are
    those of `fit`.

    Raises ValueError: a config that is no TransformerConfig, or with fewer tokens than the task; no lengths; as `fit`.

    >>> from inorder.lab.tasks import CopyLeft
    >>> sizes = {"d_model": 16, "n_heads": 2, "d_ff": 0, "n_layers": 1}
    >>> config = TransformerConfig(vocabulary_size=10, position="learned", **sizes)
    >>> found = train(config, CopyLeft(10), seed=0, n_steps=3, lengths=[8])
    >>> found.losses.shape, found.parameters.embedding.dtype
    ((3,), torch.float32)
    """
    expect(isinstance(config, TransformerConfig), "a TransformerConfig", type(config).__name__)
    expect(isinstance(task, Task), "a task with n_tokens and draw(rng, n_sequences, n)", type(task).__name__)
    enough = config.vocabulary_size >= task.n_tokens
    expect(enough, f"a vocabulary_size of at least the task's {task.n_tokens} tokens", config.vocabulary_size)

    def logits(parameters: TransformerParameters, tokens: Tensor) -> Tensor:
        return token_logits(tokens, parameters, config, causal=causal)

    start = init_parameters(config, np.random.default_rng(seed), like=torch.zeros(()))
    given: dict[str, Any] = {"seed": seed, "lengths": lengths, "batch_size": batch_size, "device": device}
    given |= {"n_steps": n_steps, "learning_rate": learning_rate, "after_step": after_step, "stop_at": stop_at}
    return fit_task(start, logits, task, **given)


def fit_task(
    start: Any,
    logits: Callable[[Any, Tensor], Tensor],
    task: Task,
    *,
    seed: int,
    lengths: Sequence[int],
    batch_size: int,
    device: torch.device | None = None,
    **how: Any,
) -> Trained:
    """Any model on the data of a run: logits(parameters, tokens) is (batch, position, n_outputs), from `start` on.

    What else it takes is as in `fit`. Raises ValueError: no lengths; as `fit`.
    """
    device = best_device() if device is None else device
    batches = fresh_batches(task, seed, lengths, batch_size)

    def loss(parameters: Any, step: int) -> tuple[Tensor, Tensor]:
        batch = next(batch for number, batch in batches if number == step).to(device)
        return loss_and_accuracy(logits(parameters, batch.tokens), batch.targets)

    return fit(map_parameters(lambda w: w.to(device), start), loss, **how)


def best_device() -> torch.device:
    """A GPU if torch sees one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def fresh_batches(task: Task, seed: int, lengths: Sequence[int], batch_size: int) -> Iterator[tuple[int, Batch]]:
    """(0, batch), (1, batch), … without end: the data of a run, which its seed alone determines.

    Raises ValueError: no lengths.

    >>> from inorder.lab.tasks import CopyLeft
    >>> number, batch = next(fresh_batches(CopyLeft(10), 0, [8], 4))
    >>> number, batch.tokens.shape
    (0, torch.Size([4, 8]))
    """
    lengths = list(lengths)
    expect(lengths, "one length or more", "none")
    data = np.random.default_rng([seed, 1])
    return ((step, task.draw(data, batch_size, lengths[data.integers(len(lengths))])) for step in count())


def loss_and_accuracy(
    logits: Float[Tensor, "batch position n_outputs"], targets: Int64[Tensor, "batch answer"]
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Cross-entropy over the rows that count, and the share of them whose largest logit is the target's.

    With one target a sequence, its logits are the mean over its rows.

    >>> loss_and_accuracy(torch.eye(3)[None], torch.tensor([[0, 1, 1]]))[1]
    tensor(0.6667)
    """
    logits = answers(logits, targets)
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
    counts = targets != IGNORED
    return loss, (logits.argmax(dim=-1) == targets)[counts].to(logits.dtype).mean()


def answers(
    logits: Float[Tensor, "batch position n_outputs"], targets: Int64[Tensor, "batch answer"]
) -> Float[Tensor, "batch answer n_outputs"]:
    """What is compared with the targets: every row, or, where there is one target a sequence, the mean over rows."""
    return logits.mean(dim=1, keepdim=True) if targets.shape[1] == 1 else logits


def token_logits(
    tokens: Int64[Tensor, "batch position"] | Float[Tensor, "batch position d_token"],
    parameters: TransformerParameters,
    config: TransformerConfig,
    *,
    positions: Integer[Tensor, "position ..."] | None = None,
    causal: bool = False,
) -> Float[Tensor, "batch position n_outputs"]:
    """What every row says, as an encoder, or as a decoder that looks back only. Positions are 0, 1, 2 … if not given.

    Raises ValueError: as `inorder.transformer.encode`.

    >>> config = TransformerConfig(vocabulary_size=10, d_model=16, n_heads=2, d_ff=0, n_layers=1, n_outputs=3)
    >>> start = init_parameters(config, np.random.default_rng(0), like=torch.zeros(()))
    >>> token_logits(torch.zeros((2, 5), dtype=torch.int64), start, config).shape
    torch.Size([2, 5, 3])
    """
    n = tokens.shape[1]
    positions = torch.arange(n, device=tokens.device) if positions is None else positions
    mask: Bool[Tensor, "position position"] | None = causal_mask(n, like=positions) if causal else None
    return unembed(encode(tokens, parameters, config, positions=positions, mask=mask), parameters)


def accuracy(
    parameters: TransformerParameters, config: TransformerConfig, batch: Batch, *, causal: bool = False
) -> float:
    """The share of the rows that count whose largest logit is the target's.

    >>> from inorder.lab.tasks import CopyLeft
    >>> config = TransformerConfig(vocabulary_size=10, d_model=16, n_heads=2, d_ff=0, n_layers=1)
    >>> start = init_parameters(config, np.random.default_rng(0), like=torch.zeros(()))
    >>> 0 <= accuracy(start, config, CopyLeft().draw(np.random.default_rng(1), 20, 8)) < 0.5
    True
    """
    tokens, targets = batch.to(parameters.embedding.device)
    with torch.no_grad():
        guesses = answers(token_logits(tokens, parameters, config, causal=causal), targets).argmax(dim=-1)
    counts = targets != IGNORED  # (batch, answer)
    return (guesses[counts] == targets[counts]).double().mean().item()


def as_numpy(parameters: Any) -> Any:
    """The tree with NumPy float64 arrays in place of tensors, for measurements that rounding must not blur.

    >>> as_numpy({"w": torch.ones(2)})
    {'w': array([1., 1.])}
    """
    return map_parameters(lambda w: w.detach().cpu().double().numpy(), parameters)
