"""The live figures on other layers that mix words: which of them know order, and what they cost."""

import json
from functools import cache

import numpy as np
from jaxtyping import Float

from inorder.audit import LENGTHS, Audit, slope
from inorder.book.stored import stored
from inorder.mixers.sparse_attention import chunked_hashed_attention, hashed_attention
from inorder.widgets import marks

ORDERS = {
    "as it was": (0, 1, 2, 3, 4, 5, 6, 7),
    "dogs and men exchanged": (0, 1, 5, 3, 4, 2, 6, 7),
    "backwards": (7, 6, 5, 4, 3, 2, 1, 0),
    "well mixed": (3, 6, 0, 5, 2, 7, 1, 4),
}
LAYERS = (
    "self-attention",
    "causal self-attention",
    "encoder, sinusoids",
    "RNN (Elman)",
    "CNN (width 3)",
    "CNN (width 1)",
    "MLP-Mixer",
    "Reformer, hash alone",
    "Reformer, sorted chunks",
    "Linformer",
    "Performer",
    "Longformer",
    "S4, recurrence",
    "RWKV",
    "Deep Sets",
)

# What each word asks for, two numbers: beings, places, doings. Its bucket is the nearest of ±(1, 0) and ±(0, 1).
ASKS = {
    "dog": (2.0, 0.1),
    "cat": (1.8, 0.4),
    "man": (1.6, -0.3),
    "street": (0.2, 1.7),
    "house": (-0.1, 1.9),
    "yard": (0.4, 1.5),
    "bites": (-1.8, 0.2),
    "runs": (-1.5, -0.4),
}
WAYS = {"hash alone": None, "sorted chunks of 2": 2, "sorted chunks of 4": 4}


def looks(order: np.ndarray, chunk_size: int | None) -> Float[np.ndarray, "word word"]:
    """Reformer's weights, with rows and columns in the order of `ASKS` whatever the order of the text.

    The values are one-hot, so the output of the layer *is* its weights.
    """
    query, value = np.array(list(ASKS.values()))[order], np.eye(len(ASKS))[order]
    directions = np.eye(2)
    if chunk_size is None:
        output = hashed_attention(query, value, directions)
    else:
        output = chunked_hashed_attention(query, value, directions, chunk_size=chunk_size)
    weights = np.zeros_like(output)
    weights[order] = output
    return weights


def whole_or_chunks(how: str = "hash alone", order: str = "backwards") -> list[marks.Mark]:
    """Hash the words, with and without chunks. Who looks at whom?"""
    before, after = (looks(np.array(ORDERS[o]), WAYS[how]) for o in ("as it was", order))
    maps = [
        marks.heat_map(
            table,
            list(ASKS),
            axes=("asks", "is asked"),
            actors=("query", "key"),
            limits=(0, 1),
            digits=None,
            title=title,
        )
        for table, title in ((before, "text as it was"), (after, f"text {order}"))
    ]
    kept = int((np.abs(after - before).max(axis=1) < 1e-12).sum())
    told = f"All {kept} words look" if kept == len(ASKS) else f"{kept or 'None'} of {len(ASKS)} words look"
    return [*maps, marks.answer(f"{told} where they looked before.", "=" if kept == len(ASKS) else "≠")]


@cache
def costs() -> dict:
    """The stored counts: {"lengths": […], "costs": {name: {"operations": […], "bytes": […]}}, …}."""
    return json.loads(stored("audit_costs.json").read_text(encoding="utf8"))


def growth(name: str, what: str = "operations") -> float:
    """The exponent of n: the slope of the stored counts on log scales, from 256 words on, as in `inorder.audit`."""
    found = costs()
    long = [k for k, n in enumerate(found["lengths"]) if n >= LENGTHS[0]]
    return slope([found["lengths"][k] for k in long], [found["costs"][name][what][k] for k in long])


def what_it_costs(layer: str = "Performer", what: str = "operations") -> list[marks.Mark]:
    """Choose a layer. What does a longer text cost?"""
    lengths, found = costs()["lengths"], costs()["costs"]
    curves = {name: np.array(found[name][what], dtype=float) for name in ("self-attention", layer)}
    lines = marks.lines(lengths, curves, actor={layer: "value"}, axes=("words", what), log="xy", y_limits=(1e3, 2e9))
    twice, whole = (found[name][what][-1] / found[name][what][-2] for name in (layer, "self-attention"))
    told = f"From 1,024 words to 2,048, {what} grow {twice:.1f} times; those of self-attention {whole:.1f} times."
    return [lines, marks.answer(told)]


def law(error: float) -> str:
    """✓ for an error that is rounding, else × and the error."""
    return "✓" if error < 1e-12 else f"× {error:.2g}"


def row_of_table(name: str, audit: Audit, why: str) -> dict[str, str | float]:
    """One line of the chapter's table."""
    return {
        "layer": name,
        "permuted": law(audit.equivariance),
        "moved": law(audit.shift),
        "past only": law(audit.causality),
        "operations": growth(name),
        "memory": growth(name, "bytes"),
        "why": why,
    }


MODELS = {
    "bag-of-words": "bag of words",
    "none": "encoder, no positions",
    "sinusoidal": "encoder, sinusoids",
    "rotary": "encoder, rotary (RoPE)",
    "cnn": "CNN",
    "gru": "GRU",
    "mixer": "MLP-Mixer",
}


def same_data() -> list[dict[str, str]]:
    """Models trained on the same data, from the stored sweep: the mean accuracy over seeds, the lowest, the highest."""
    from inorder.lab.results import read  # needs pandas, which the package's core does without

    found = read().table()
    found = found[(found["mask"] == "bidirectional") & (found["n_layers"] == 1) & ~found["mark"]]

    def spread(task: str, scheme: str, length: int) -> str:
        is_one = (found["task"] == task) & (found["scheme"] == scheme) & (found["length"] == length)
        accuracies = found["accuracy"][is_one]
        return f"{accuracies.mean():.2f} ({accuracies.min():.2f} to {accuracies.max():.2f})"

    return [
        {"model": name}
        | {
            f"{task.replace('-', ' ')}, {length}": spread(task, scheme, length)
            for task in ("which-first", "copy-left")
            for length in (10, 60)
        }
        for scheme, name in MODELS.items()
    ]
