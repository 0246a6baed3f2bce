"""What OrderAudit shows of a layer: its outputs on every change of a short text, computed once and packed."""

import itertools
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from inorder._arrays import Array, expect, float_creation
from inorder.audit import ROUNDING, Audit, Row, audit, rows, taken_by
from inorder.mixers.catalogue import ARCHITECTURES, Draw, Layer
from inorder.widgets.kit.model_state import numbers_from_text

N_ROWS, MARGIN = 12, 2  # the text stands in rows 2 … 6, between rows of zeros
MOST_WORDS, MOST_MOVED = 5, 3
D_MODEL = 4
OTHERS = ("cats", "saw", "mice", "before", "noon")  # the words of a new ending
LARGEST_CODE = 2**16 - 1


class Run(NamedTuple):
    """One layer: the law letters of `inorder.mixers.catalogue`, why, the three errors, and the words' outputs."""

    name: str
    laws: str
    why: str
    errors: tuple[float, float, float]
    outputs: np.ndarray  # (change, word, d_output), a change as in `changes`


def verdict(laws: str) -> str:
    """The law letters of the catalogue in words."""
    if "P" in laws:
        return "this layer follows every permutation" + (", and treats each row by itself" if "C" in laws else "")
    meanings = {"S": "follows shifts only", "C": "sees only what came before"}
    if laws == "SC":
        return "this layer follows shifts, and sees only what came before"
    return f"this layer {meanings.get(laws, 'obeys none of the three laws')}"


def word_rows(words: Sequence[str]) -> np.ndarray:
    """(word, d_model): numbers made from the words by a hash, of variance 1."""
    return np.sqrt(3) * np.array([numbers_from_text(word, D_MODEL) for word in words])


def padded(text: np.ndarray, start: int = MARGIN) -> np.ndarray:
    """The text between rows of zeros, (N_ROWS, d_model)."""
    x = np.zeros((N_ROWS, D_MODEL))
    x[start : start + len(text)] = text
    return x


def changes(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Every change of the text, as (change, N_ROWS, d_model), and the first row of the text in each.

    First all orders, as `itertools.permutations` counts them; then the text moved by 1, 2, … rows; then with new words
    from position 2, 3, … on. Number 0 is the text as it is.
    """
    n, text = len(words), word_rows(words)
    orders = [padded(text[list(order)]) for order in itertools.permutations(range(n))]
    moved = [padded(text, MARGIN + by) for by in range(1, MOST_MOVED + 1)]
    new = [padded(np.concatenate([text[:k], word_rows(OTHERS[k:n])])) for k in range(2, n)]
    starts = [MARGIN] * len(orders) + [MARGIN + by for by in range(1, MOST_MOVED + 1)] + [MARGIN] * len(new)
    return np.array(orders + moved + new), np.array(starts)


def outputs_of(layer: Layer, words: Sequence[str]) -> np.ndarray:
    """The layer's outputs at the words, for every change: (change, word, d_output)."""
    inputs, starts = changes(words)
    return np.array([layer(x)[start : start + len(words)] for x, start in zip(inputs, starts, strict=True)])


@cache
def catalogue_runs(words: tuple[str, ...]) -> tuple[Run, ...]:
    """Every layer of the audit, with the weights that it draws from the audit's seed."""
    runs = []
    for architecture, row in zip(ARCHITECTURES, _audits(), strict=True):
        layer = architecture.make(Draw(np.random.default_rng(0), D_MODEL), N_ROWS)
        inputs, starts = changes(words)
        whole = layer(inputs)
        outputs = np.array([y[start : start + len(words)] for y, start in zip(whole, starts, strict=True)])
        runs.append(Run(architecture.name, row.laws, architecture.why, row.audit, outputs))
    return tuple(runs)


@cache
def _audits() -> tuple[Row, ...]:
    return tuple(rows())


def own_run(name: str, make: Callable[[int], Layer], words: Sequence[str]) -> Run:
    """A layer of the reader's, which `make(n)` returns for n rows. A module of torch gets tensors.

    Raises ValueError: a layer that `inorder.audit.audit` refuses; a module of less than double precision, whose
    rounding cannot be told from a small change.
    """
    layer = make(N_ROWS)
    like = taken_by(layer)
    if like is not None:
        expect("float64" in str(like.dtype), "a module in double precision, as module.double()", like.dtype)
    errors: Audit = audit(make, D_MODEL)
    laws = "".join(law for law, error in zip("PSC", errors, strict=True) if error < ROUNDING)
    return Run(name, laws, "A layer of your own.", errors, outputs_of(on_numpy(layer, like), words))


def on_numpy(layer: Layer, like: Array | None) -> Layer:
    """The layer as a function of NumPy arrays, where it takes tensors as `like` is."""
    if like is None:
        return layer
    xp, device, dtype = float_creation(like)
    return lambda x: layer(xp.asarray(x, dtype=dtype, device=device)).detach().cpu().numpy()


@cache
def catalogue_pack(words: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    """`pack` of every layer of the audit."""
    return tuple(pack(run) for run in catalogue_runs(words))


def pack_all(layers: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Layers as `pack` has packed them. Which row stands where is often the same, so ``places`` holds it once."""
    places = list(dict.fromkeys(layer["places"] for layer in layers))
    return {"layers": [layer | {"places": places.index(layer["places"])} for layer in layers], "places": places}


def pack(run: Run) -> dict[str, Any]:
    """A layer for the page: its distinct output rows, as 16-bit codes, and which row stands where.

    Rows that differ by rounding alone are one row, so that the page knows equal from nearly equal. A number is
    ``low + step · code``.
    """
    _, n_words, d_output = run.outputs.shape
    flat = run.outputs.reshape(-1, d_output)
    is_same = np.abs(flat[:, None] - flat).max(axis=-1) < ROUNDING * np.abs(flat).max()
    first, places = np.unique(is_same.argmax(axis=1), return_inverse=True)
    low = float(flat.min())
    step = (float(flat.max()) - low) / LARGEST_CODE or 1.0
    return {
        **{"name": run.name, "laws": run.laws, "why": run.why, "verdict": verdict(run.laws)},
        **{"nWords": n_words, "dOutput": d_output, "low": low, "step": step},
        "codes": np.rint((flat[first] - low) / step).astype("<u2").tobytes(),
        "places": places.astype("<u2").tobytes(),
    }
