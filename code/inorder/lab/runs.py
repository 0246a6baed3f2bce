"""One run of the sweep: a setting that determines it, and the plain record of its results."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from inorder._arrays import expect, expect_choice, expect_count
from inorder.lab.baselines import baseline
from inorder.lab.results import packed_models, unpacked_models
from inorder.lab.schemes import BASELINES, scheme, scheme_label, scheme_labels, scheme_name
from inorder.lab.tasks import IGNORED, TASKS, Batch, BoundedTask, Marked
from inorder.lab.training import Trained, answers, as_numpy, best_device, fit_task, token_logits
from inorder.transformer import (
    Model,
    PositionScheme,
    TransformerConfig,
    flatten_parameters,
    init_parameters,
    map_parameters,
)

__all__ = ["Setting", "measure", "n_parameters", "run", "train_model", "train_setting"]

MASKS = ("bidirectional", "causal")
TRAINED_ON = range(5, 21)  # lengths
TESTED_AT = (10, 20, 30, 40, 60)
N_TEST, TEST_SEED, AT_ONCE = 200, 2026, 100  # sequences of each length, the same in every run; so many at a time
N_BINS = 20  # into which the steps are gathered for the learning curves


@dataclass(frozen=True)
class Setting:
    """All that determines a run. `scheme` is a name of `inorder.lab.schemes`, or a `PositionScheme` of your own.

    The names of the baselines will do, too; for these mask, n_layers, n_heads and d_ff mean nothing.

    Raises ValueError: an unknown task, scheme or mask; sizes that are not positive whole numbers; a baseline or a task
    that asks for tokens that lie ahead, if the mask is causal.

    >>> Setting("copy-left", "rotary", seed=3).config.d_ff
    64
    """

    task: str
    scheme: str | PositionScheme = "none"
    seed: int = 0
    mask: str = "bidirectional"
    n_layers: int = 1
    mark: bool = False
    n_steps: int = 300
    d_model: int = 32
    n_heads: int = 4
    d_ff: int = 64
    batch_size: int = 32
    learning_rate: float = 1e-2

    def __post_init__(self) -> None:
        expect_choice("task", self.task, tuple(TASKS))
        expect_choice("mask", self.mask, MASKS)
        for name in ("n_layers", "n_steps", "d_model", "n_heads", "d_ff", "batch_size"):
            expect_count(name, getattr(self, name))
        valid = isinstance(self.seed, int | np.integer) and self.seed >= 0
        expect(valid, "a seed that is a whole number, 0 or more", repr(self.seed))
        expect(self.learning_rate > 0, "a learning_rate above 0", self.learning_rate)
        if not isinstance(self.scheme, PositionScheme):
            expect_choice("scheme", self.scheme, (*scheme_labels(), *BASELINES))
        if self.mask == "causal":
            possible = self.task in ("which-first-asked", "copy-left") and not self.is_baseline
            expect(possible, "a transformer on which-first-asked or copy-left, for a causal mask", self.identity)

    @property
    def is_baseline(self) -> bool:
        return isinstance(self.scheme, str) and self.scheme in BASELINES

    @property
    def name(self) -> str:
        """The scheme's name, as `scheme_name`."""
        return scheme_name(self.scheme)

    @property
    def identity(self) -> dict[str, Any]:
        """The setting in plain values; of a scheme of your own also its label."""
        label = {"label": scheme_label(self.scheme)} if isinstance(self.scheme, PositionScheme) else {}
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"scheme": self.name} | label

    @property
    def bounded_task(self) -> BoundedTask:
        task = TASKS[self.task]
        return Marked(task) if self.mark else task

    @property
    def position(self) -> PositionScheme:
        """The scheme itself. Raises ValueError: a baseline, which has none."""
        expect(not self.is_baseline, "a position scheme", self.name)
        return scheme(self.scheme, self.d_model) if isinstance(self.scheme, str) else self.scheme

    @property
    def config(self) -> TransformerConfig:
        """The transformer's. Raises ValueError: a baseline, which has none."""
        position = self.position
        task = self.bounded_task
        return TransformerConfig(
            vocabulary_size=task.n_tokens,
            n_outputs=task.n_outputs,
            d_model=self.d_model,
            n_heads=self.n_heads,
            d_ff=self.d_ff,
            n_layers=self.n_layers,
            position=position,
        )


class Finished(NamedTuple):
    """A trained model: its parameters, and logits(parameters, tokens); and the curves of its training."""

    setting: Setting
    trained: Trained
    logits: Callable[[Any, Tensor], Tensor]


def train_setting(setting: Setting, after_step: Callable[[], object] | None = None) -> Finished:
    """Train the model of a setting, on one thread, on lengths 5 to 20."""
    task, start, logits = setting.bounded_task, *_fresh(setting)
    with one_thread():
        trained = fit_task(
            start,
            logits,
            task,
            seed=setting.seed,
            lengths=TRAINED_ON,
            batch_size=setting.batch_size,
            n_steps=setting.n_steps,
            learning_rate=setting.learning_rate,
            after_step=after_step,
        )
    return Finished(setting, trained, logits)


def _fresh(setting: Setting) -> tuple[Any, Callable[[Any, Tensor], Tensor]]:
    if setting.is_baseline:
        task = setting.bounded_task
        module = baseline(setting.name, task.n_tokens, task.n_outputs, seed=setting.seed, width=setting.d_model)
        parameters = {name: weight.detach() for name, weight in module.named_parameters()}
        return parameters, lambda weights, tokens: torch.func.functional_call(module, weights, (tokens,))
    config, causal = setting.config, setting.mask == "causal"
    start = init_parameters(config, np.random.default_rng(setting.seed), like=torch.zeros(()))
    return start, lambda weights, tokens: token_logits(tokens, weights, config, causal=causal)


def n_parameters(setting: Setting) -> int:
    """How many numbers the model of a setting learns.

    >>> n_parameters(Setting("copy-left", "rotary")), n_parameters(Setting("copy-left", "rotary", n_layers=2))
    (9258, 17802)
    """
    start, _ = _fresh(setting)
    parameters = start if setting.is_baseline else flatten_parameters(start)
    return sum(int(np.prod(weight.shape)) for weight in parameters.values())


def train_model(setting: Setting, after_step: Callable[[], object] | None = None) -> Model:
    """The trained transformer of a setting, in NumPy: what `encode` and the figures take.

    Raises ValueError: a baseline.

    >>> model = train_model(Setting("which-first", "rotary", n_steps=2))
    >>> model.config.n_outputs, model.parameters.embedding.dtype
    (2, dtype('float64'))
    """
    config = setting.config
    return Model(as_numpy(train_setting(setting, after_step).trained.parameters), config)


class Measured(NamedTuple):
    """The share of right answers, and its standard error over test sequences (over fours that belong together)."""

    accuracy: float
    error: float


def measure(finished: Finished, n: int, n_sequences: int = N_TEST) -> Measured:
    """Accuracy on fresh sequences of n tokens, the same for every model, in float64.

    In float64, because a blind model's two answers to a pair must not differ by rounding.
    """
    setting, trained, logits = finished
    task = setting.bounded_task
    parameters = map_parameters(lambda w: w.double(), trained.parameters)
    batch = task.draw_test(np.random.default_rng([TEST_SEED, n]), n_sequences, n).to(best_device())
    parts = [Batch(*(x[i : i + AT_ONCE] for x in batch)) for i in range(0, n_sequences, AT_ONCE)]
    with one_thread(), torch.no_grad():
        right = torch.cat([_right(logits(parameters, part.tokens), part.targets) for part in parts])
    shares = right.reshape(-1, task.n_together).mean(dim=1)  # of what is independent
    return Measured(shares.mean().item(), shares.std().item() / len(shares) ** 0.5)


def _right(logits: Tensor, targets: Tensor) -> Tensor:
    """The share of right answers in each sequence."""
    counts = targets != IGNORED
    return ((answers(logits, targets).argmax(dim=-1) == targets) & counts).double().sum(dim=1) / counts.sum(dim=1)


def record(finished: Finished, seconds: float) -> dict[str, Any]:
    """What is kept of a run, in plain numbers: the setting, the learning curve in 20 bins, accuracy at each length."""
    measured = [measure(finished, n) for n in TESTED_AT]
    losses, accuracies = (np.asarray(each) for each in finished.trained[1:])
    bins = min(N_BINS, len(losses))
    return finished.setting.identity | {
        "seconds": round(seconds, 2),
        "device": best_device().type,
        "losses": [round(float(part.mean()), 2) for part in np.array_split(losses, bins)],
        "accuracies": [round(float(part.mean()), 2) for part in np.array_split(accuracies, bins)],
        "tested_at": list(TESTED_AT),
        "accuracy": [round(each.accuracy, 5) for each in measured],
        "error": [round(each.error, 3) for each in measured],
    }


def run(setting: Setting, keep: bool = False) -> tuple[dict[str, Any], dict[str, np.ndarray] | None]:
    """Train and test: the record, and the parameters, in 6 bits, if they are to be kept.

    >>> finding, _ = run(Setting("which-first", "none", n_steps=20))
    >>> finding["accuracy"]
    [0.5, 0.5, 0.5, 0.5, 0.5]
    """
    started = time.process_time()
    finished = train_setting(setting)
    finding = record(finished, time.process_time() - started)
    weights = as_numpy(finished.trained.parameters) if keep else None
    return finding, weights and unpacked_models(packed_models(flatten_parameters(weights)))


@contextmanager
def one_thread() -> Iterator[None]:
    """These models are small: a second thread costs more than it saves, and its sums come out in another order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
