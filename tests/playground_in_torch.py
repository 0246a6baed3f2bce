"""The playground's training in torch, through inorder: the same start, the same batches, the same optimiser."""

from functools import cache
from typing import Any

import numpy as np
import torch

from inorder.lab.runs import one_thread
from inorder.lab.tasks import IGNORED, Batch, WhichFirst
from inorder.lab.training import loss_and_accuracy, token_logits
from inorder.transformer import (
    TransformerParameters,
    flatten_parameters,
    map_parameters,
    unflatten_parameters,
)
from inorder.widgets.kit.model_state import numbers_from_text
from inorder.widgets.training_playground import setting
from inorder.widgets.training_playground.setting import config_of, deviations, lab_task


def start(config: Any, seed: int) -> TransformerParameters:
    """Where the page's models start: even draws, of the deviation of `init_parameters`, from each name and seed."""
    tables = {f"position.{name}": table.flat[0] for name, table in deviations(config.scheme).items()}
    flat = {}
    for name, shape in config.shapes.items():
        if name.endswith(".gain"):
            flat[name] = np.ones(shape)
        elif len(shape) == 1:
            flat[name] = np.zeros(shape)
        else:
            deviation = 1.0 if name == "embedding" else tables.get(name, shape[0] ** -0.5)
            numbers = numbers_from_text(f"{name}, seed {seed}", int(np.prod(shape)))
            flat[name] = np.reshape(numbers, shape) * (deviation * np.sqrt(3))
    return unflatten_parameters(flat, config)


def sequences(task: Any, text: str, count: int, n: int, *, is_test: bool = False) -> np.ndarray:
    """The sequences that the page draws for this text, (count, n); closed under swap for a test of which-first."""
    pair = isinstance(task, WhichFirst)
    n_kinds = task.n_fillers if pair else task.n_tokens
    n_drawn = count // 4 if pair and is_test else count
    numbers = np.reshape(numbers_from_text(text, n_drawn * (n + 2 * pair)), (n_drawn, -1))
    share = (numbers + 1) / 2
    tokens = np.floor(share[:, :n] * n_kinds).astype(int)
    if not pair:
        return tokens
    a, b = np.floor(share[:, n] * n).astype(int), np.floor(share[:, n + 1] * (n - 1)).astype(int)
    rows = np.arange(n_drawn)
    tokens[rows, a], tokens[rows, b + (b >= a)] = n_kinds, n_kinds + 1
    if not is_test:
        return tokens
    swapped = np.where(tokens < n_kinds, tokens, 2 * n_kinds + 1 - tokens)
    four = np.stack([tokens, swapped, tokens[:, ::-1], swapped[:, ::-1]], axis=1)
    return four.reshape(count, n)


def batch(task: Any, text: str, count: int, n: int, *, is_test: bool = False) -> Batch:
    """What the page asks of these sequences."""
    tokens = sequences(task, text, count, n, is_test=is_test)
    if not isinstance(task, WhichFirst):
        as_tensor = torch.from_numpy(tokens)
        return Batch(as_tensor, task.targets(as_tensor))
    answers = ((tokens == task.n_fillers).argmax(axis=1) < (tokens == task.n_fillers + 1).argmax(axis=1)).astype(int)
    targets = answers[:, None]
    if task.asked:
        tokens = np.pad(tokens, ((0, 0), (0, 1)), constant_values=task.n_fillers + 2)
        targets = np.pad(targets, ((0, 0), (n, 0)), constant_values=IGNORED)
    return Batch(torch.from_numpy(tokens), torch.from_numpy(targets))


@cache
@one_thread()
def first_steps(
    scheme: str, name: str, mask: str, n_layers: int, seed: int, n_steps: int
) -> tuple[list[float], list[float]]:
    """The losses of that many steps, and the accuracies at every test, from step 0 on."""
    task, config = lab_task(name, mask), config_of(name, mask, scheme, n_layers)
    training, causal = setting.TRAINING, mask == "causal"
    parameters = map_parameters(lambda w: torch.from_numpy(w).requires_grad_(), start(config, seed))
    weights = list(flatten_parameters(parameters).values())
    adam = torch.optim.Adam(weights, lr=training["rate"], betas=tuple(training["betas"]))
    tested = batch(task, f"{name}, test, {training['n']} tokens", training["test_size"], training["n"], is_test=True)
    losses: list[float] = []
    accuracies: list[float] = []
    for step in range(n_steps + 1):
        if step % training["test_every"] == 0:
            with torch.no_grad():
                rows = token_logits(tested.tokens, parameters, config, causal=causal)
            accuracies.append(loss_and_accuracy(rows, tested.targets)[1].item())
        if step == n_steps:
            return losses, accuracies
        drawn = batch(task, f"{name}, seed {seed}, step {step}", training["batch_size"], training["n"])
        adam.zero_grad()
        rows = token_logits(drawn.tokens, parameters, config, causal=causal)
        loss, _ = loss_and_accuracy(rows, drawn.targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, training["longest"])
        adam.step()
        losses.append(loss.item())
    raise AssertionError("unreachable")
