"""What the playground trains: its tasks, schemes and sizes, as inorder has them, and as the page gets them."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from inorder._extras import extra
from inorder.lab.schemes import compared, scheme
from inorder.transformer import PositionScheme, TransformerConfig
from inorder.widgets.kit.model_state import scheme_state

SIZES: dict[str, Any] = {"d_model": 16, "n_heads": 2, "d_ff": 32, "activation": "relu"}
N_TOKENS = 12  # of a sequence in training
TEST_LENGTHS = [12, 18, 24, 36, 48]
TRAINING: dict[str, Any] = {
    **{"n": N_TOKENS, "batch_size": 32, "test_size": 128, "longer_size": 64, "test_every": 10},
    **{"rate": 0.005, "betas": [0.9, 0.98], "longest": 1.0, "test_lengths": TEST_LENGTHS, "last_step": 1000},
}
TASKS = {
    "which-first": "which is first, A or B?",
    "copy-left": "the letter on the left",
    "last-token": "the last letter",
    "reversal": "the text backwards",
}
MASKS = ["none", "causal"]
LETTERS = "ABCDEFGHIJ"


def labels() -> dict[str, str]:
    """{name: what a reader sees} of the schemes of the sweep that the browser can compute.

    >>> "alibi-split" in labels(), "scalar-relative" in labels()
    (True, False)
    """
    return {name: entry.label for name, entry in compared().items() if entry.in_browser}


def lab_tasks() -> dict[str, Any]:
    """Those of `inorder.lab.tasks` by name. That module needs torch; the page does not."""
    with extra("lab", needed_by="TrainingPlayground"):
        from inorder.lab.tasks import TASKS as tasks

    return tasks


def lab_name(task: str, mask: str) -> str:
    """Which-first is asked by a "?" under a causal mask: the mean of the rows would give the order away."""
    return "which-first-asked" if (task, mask) == ("which-first", "causal") else task


def lab_task(task: str, mask: str) -> Any:
    return lab_tasks()[lab_name(task, mask)]


def config_of(task: str, mask: str, scheme_name: str, n_layers: int) -> TransformerConfig:
    """The model that learns the task.

    >>> config_of("which-first", "none", "rotary", 1).n_outputs
    2
    """
    learnt = lab_task(task, mask)
    widths = {"vocabulary_size": learnt.n_tokens, "n_outputs": learnt.n_outputs}
    return TransformerConfig(**SIZES, **widths, n_layers=n_layers, position=scheme(scheme_name, SIZES["d_model"]))


def known_to_the_page() -> dict[str, Any]:
    """Tasks with their bounds, schemes with their settings and tables, sizes, and how they are trained."""
    config = config_of("which-first", "none", "none", 2)
    settings = asdict(replace(config, position="none"))
    del settings["position"]
    tasks = {}
    for name, task in lab_tasks().items():
        counts = {
            "n_tokens": task.n_tokens,
            "n_outputs": task.n_outputs,
            "pooled": name == "which-first",
        }
        bounds = [(task.floor(n), task.symmetric_ceiling(n)) for n in TEST_LENGTHS]
        tasks[name] = counts | {"n_fillers": getattr(task, "n_fillers", 0), "bounds": bounds}
    schemes = {name: scheme(name, SIZES["d_model"]) for name in labels()}
    return {
        "config": settings,
        "training": TRAINING,
        "letters": LETTERS,
        "questions": TASKS,
        "tasks": tasks,
        "schemes": {
            name: {
                "label": labels()[name],
                "scheme": scheme_state(each),
                "d_token": each.token_width(SIZES["d_model"]),
                "tables": {table: [of.flat[0], *of.shape] for table, of in deviations(each).items()},
            }
            for name, each in schemes.items()
        },
    }


def deviations(position: PositionScheme) -> dict[str, np.ndarray]:
    """The tables of a scheme, each filled with the deviation at which its numbers are drawn."""

    def drawn(deviation: float, *shape: int) -> np.ndarray:
        return np.full(shape, deviation)

    return position.init_tables(drawn, SIZES["d_model"], SIZES["n_heads"])
