"""Training the models of `inorder.transformer` with torch: the functions that a chapter prints are those that learn.

[1] Kingma and Ba 2015, Adam, https://arxiv.org/abs/1412.6980
[2] Loshchilov and Hutter 2017, SGDR (the cosine schedule, equation 5), https://arxiv.org/abs/1608.03983
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64, Integer
from torch import Tensor

from inorder._arrays import expect, expect_count
from inorder.attention import causal_mask
from inorder.lab.tasks import IGNORED, Batch, CopyLeft
from inorder.transformer import (
    TransformerConfig,
    TransformerParameters,
    encode,
    init_parameters,
    map_parameters,
    named_parameters,
    unembed,
)


class Trained(NamedTuple):
    """What a training left: the parameters, which record no gradient, and the loss of each step."""

    parameters: Any
    losses: Float[np.ndarray, " step"]


def fit(
    parameters: Any,
    loss: Callable[[Any, int], Float[Tensor, ""]],
    *,
    n_steps: int,
    learning_rate: float = 3e-3,
    warm_up: int = 100,
    largest_gradient: float = 1.0,
    after_step: Callable[[], object] | None = None,
) -> Trained:
    """Adam [1] on a tree of torch tensors, to lower loss(parameters, step). The tree given is left as it is.

    The rate rises linearly for `warm_up` steps (at most half of all) and falls along a half cosine [2]; a gradient
    whose norm over all parameters is above `largest_gradient` is scaled down to it. `after_step` is called after each
    step: the `update` of a tqdm bar.

    Raises ValueError: n_steps, learning_rate or largest_gradient that are not positive; a tree without tensors; a loss
    that is not finite, with the step.

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
    weights = [w for _, w in named_parameters(trainable)]
    expect(weights, "parameters with at least one tensor", "none")
    optimiser = torch.optim.Adam(weights, lr=learning_rate, betas=(0.9, 0.98))
    warm_up = max(1, min(warm_up, n_steps // 2))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: learning_rate_factor(step, warm_up, n_steps))
    losses = np.empty(n_steps)
    for step in range(n_steps):
        optimiser.zero_grad()
        value = loss(trainable, step)
        losses[step] = value.item()
        expect(math.isfinite(losses[step]), "a finite loss", f"{losses[step]} in step {step}")
        value.backward()
        torch.nn.utils.clip_grad_norm_(weights, largest_gradient)
        optimiser.step()
        schedule.step()
        if after_step is not None:
            after_step()
    return Trained(map_parameters(lambda w: w.detach(), trainable), losses)


def learning_rate_factor(step: int, warm_up: int, n_steps: int) -> float:
    """(step + 1)/warm_up, then (1 + cos(π · share of the rest that is done))/2.

    >>> [round(learning_rate_factor(step, 2, 10), 3) for step in (0, 1, 2, 6, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.038]
    """
    done = max(0, step - warm_up) / max(1, n_steps - warm_up)
    return min(1.0, (step + 1) / warm_up) * (1 + math.cos(math.pi * done)) / 2


def train(
    config: TransformerConfig,
    task: CopyLeft,
    *,
    seed: int,
    n_steps: int = 1000,
    lengths: Sequence[int] = range(5, 21),
    batch_size: int = 64,
    causal: bool = False,
    learning_rate: float = 3e-3,
    after_step: Callable[[], object] | None = None,
) -> Trained:
    """A model of this configuration, trained from scratch on fresh sequences of the task in every step.

    Each batch has one length, drawn evenly from `lengths`. One seed gives one run: it draws the parameters (those of
    `init_parameters` with `np.random.default_rng(seed)`, in float32), and a second stream draws the data, so that two
    configurations see the same sequences.

    Raises ValueError: a config that is no TransformerConfig, or with fewer tokens than the task; no lengths; as `fit`.

    >>> sizes = {"d_model": 16, "n_heads": 2, "d_ff": 0, "n_layers": 1}
    >>> config = TransformerConfig(vocabulary_size=10, position="learned", **sizes)
    >>> found = train(config, CopyLeft(10), seed=0, n_steps=3, lengths=[8])
    >>> found.losses.shape, found.parameters.embedding.dtype
    ((3,), torch.float32)
    """
    expect(isinstance(config, TransformerConfig), "a TransformerConfig", type(config).__name__)
    enough = config.vocabulary_size >= task.n_tokens
    expect(enough, f"a vocabulary_size of at least the task's {task.n_tokens} tokens", config.vocabulary_size)
    lengths = list(lengths)
    expect(lengths, "one length or more", "none")
    data = np.random.default_rng([seed, 1])

    def loss(parameters: TransformerParameters, step: int) -> Tensor:
        batch = task.draw(data, batch_size, lengths[data.integers(len(lengths))])
        logits = row_logits(batch.tokens, parameters, config, causal=causal)  # (batch, position, n_outputs)
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED)

    start = init_parameters(config, np.random.default_rng(seed), like=torch.zeros(()))
    return fit(start, loss, n_steps=n_steps, learning_rate=learning_rate, after_step=after_step)


def row_logits(
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
    >>> row_logits(torch.zeros((2, 5), dtype=torch.int64), start, config).shape
    torch.Size([2, 5, 3])
    """
    n = tokens.shape[1]
    positions = torch.arange(n) if positions is None else positions
    mask: Bool[Tensor, "position position"] | None = causal_mask(n, like=positions) if causal else None
    return unembed(encode(tokens, parameters, config, positions=positions, mask=mask), parameters)


def accuracy(
    parameters: TransformerParameters, config: TransformerConfig, batch: Batch, *, causal: bool = False
) -> float:
    """The share of the rows that count whose largest logit is the target's.

    >>> config = TransformerConfig(vocabulary_size=10, d_model=16, n_heads=2, d_ff=0, n_layers=1)
    >>> start = init_parameters(config, np.random.default_rng(0), like=torch.zeros(()))
    >>> 0 <= accuracy(start, config, CopyLeft().draw(np.random.default_rng(1), 20, 8)) < 0.5
    True
    """
    with torch.no_grad():
        guesses = row_logits(batch.tokens, parameters, config, causal=causal).argmax(dim=-1)  # (batch, position)
    counts = batch.targets != IGNORED
    return (guesses[counts] == batch.targets[counts]).double().mean().item()


def as_numpy(parameters: Any) -> Any:
    """The tree with NumPy float64 arrays in place of tensors, for measurements that rounding must not blur.

    >>> as_numpy({"w": torch.ones(2)})
    {'w': array([1., 1.])}
    """
    return map_parameters(lambda w: w.detach().cpu().double().numpy(), parameters)
