"""The live figures on how position survives the layers, two of them over what `studies` has stored."""

import numpy as np
from jaxtyping import Float

from inorder.stored import read_record
from inorder.widgets import marks
from inorder.widgets.marks import Mark

N_THREADS, N_LAYERS = 12, 6  # of the first figure
NORMS = {"post-norm": "post", "pre-norm": "pre"}
CHANCE = 1 / 16
LISTS = ("cities", "names", "animals", "other sentences")
ERASED = {"the position": "position", "other directions": "others"}
STATES = ("at the input", "after 1 layer", *(f"after {k} layers" for k in range(2, 7)))


def crude_layers(norm: str, alpha: float, n: int, n_layers: int) -> Float[np.ndarray, "layer row row"]:
    """Layers that add the plain mean of all n rows to each row, as shares: (a I + 1/n) / (a + 1).

    a is how much a row weighs beside what is added: always α with post-norm; α, α + 1, α + 2 … with pre-norm.
    """
    weights = alpha + (np.arange(n_layers) if norm == "pre" else np.zeros(n_layers))[:, None, None]
    return (weights * np.eye(n) + 1 / n) / (weights + 1)


def dyed_threads(norm: str = "post-norm", alpha: float = 1.0) -> list[Mark]:
    """What is left of a word’s colour?"""
    layers = crude_layers(NORMS[norm], alpha, N_THREADS, N_LAYERS)
    levels = ["input", "1 layer", *(f"{k} layers" for k in range(2, N_LAYERS + 1))]
    threads = marks.stream(layers, layers=levels, threads=False)
    own, *_, other = np.linalg.multi_dot(layers[::-1])[0]
    if not alpha:
        return [threads, marks.answer(f"Every word holds {own:.3f} of each colour: all are the same grey.", "=")]
    sentence = f"After six layers each word holds {own:.3f} of its own colour and {other:.3f} of each of the others."
    return [threads, marks.answer(sentence, "≠")]


def by_scale(norm: str, scale: float) -> Float[np.ndarray, " state"]:
    """How often a probe finds the position in stacks of PyTorch's layer, by layers passed: the mean of the seeds."""
    return np.mean(read_record("position_by_start.json")["scales"][norm][f"{scale:g}"], axis=0)


def initial_scale(scale: float = 1.0) -> list[Mark]:
    """How long does position last in 24 untrained layers?"""
    curves = {name: by_scale(norm, scale) for name, norm in NORMS.items()}
    layers = np.arange(len(curves["post-norm"]))
    axes = ("layers passed", "rows whose position is named")
    plane = marks.lines(layers, curves | {"a guess": np.full(len(layers), CHANCE)}, axes=axes, y_limits=(0, 1))
    post, pre = (curve[-1] for curve in curves.values())
    start = "At PyTorch’s default" if scale == 1 else f"At {scale:g} times PyTorch’s default"
    sentence = (
        f"{start}, the position is named in {post:.3f} of the last rows with post-norm, in {pre:.3f} with pre-norm."
    )
    return [plane, marks.answer(sentence)]


def distance_left(texts: str, what: str) -> Float[np.ndarray, " state"]:
    """The distance of the two orders, with something erased, divided by the untouched one: the median of the pairs."""
    distances = read_record("position_erased.json")["two orders"]
    return np.median(np.array(distances[what][texts]) / np.array(distances["untouched"][texts]), axis=1)


def two_orders(texts: str = "animals", erased: str = "the position") -> list[Mark]:
    """Erase the position. Does the encoder still tell two orders apart?"""
    shares = distance_left(texts, ERASED[erased])
    bars = marks.bars(shares, STATES, axis="distance left", label_axis="erased", limits=(0, 1.6), reference=1.0)
    sentence = (
        f"With {erased} erased at the input, {shares[0]:.2f} of the distance between the two orders is left; erased "
        f"after four layers, {shares[4]:.2f}."
    )
    return [bars, marks.answer(sentence)]
