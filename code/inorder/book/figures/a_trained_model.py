"""The live figures on a trained sentence encoder, over the record of `inorder.lab.trained_encoder`."""

import json
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.book.drawing import Number
from inorder.circuits import head_weights, offset_head
from inorder.encodings import sinusoidal_encoding
from inorder.stored import stored
from inorder.widgets import marks
from inorder.widgets.marks import Mark

MODELS = {
    "as trained": "with_positions",
    "its table left out": "without",
    "its table shuffled": "shuffled",
    "not trained": "untrained",
}
LAYER_BY_LAYER = ("as trained", "its table left out", "not trained")
BY_DISTANCE = ("as trained", "its table left out", "its table shuffled")
LAYERS, HEADS = tuple(f"layer {layer}" for layer in range(6)), tuple(str(head) for head in range(12))
OFFSETS = {f"{offset:+d}".replace("-", "−") if offset else "0": offset for offset in range(-4, 5)}
DARKEST = 0.5  # a change of a map; few are larger
TABLES = ("as trained", "left out")
ALONG_MEAN = ("pieces of 126 tokens", "pieces of 16 tokens", "an untrained model")  # trained, in the first two
OF_PAIRS = {"all eight": slice(0, 8), "without the word salad": slice(0, 7)}


@cache
def record() -> dict[str, Any]:
    """What `python -m inorder.lab.trained_encoder` has measured and stored."""
    return json.loads(stored("trained_encoder.json").read_text(encoding="utf8"))


@cache
def pronoun_map() -> tuple[tuple[str, ...], Float[np.ndarray, "layer head query key"]]:
    """The stored weights of all heads on "… because it was too tired.", and its tokens."""
    words = json.loads(stored("pronoun_attention.json").read_text(encoding="utf8"))["words"][0]
    with np.load(stored("pronoun_attention.npz")) as arrays:
        return tuple(words), arrays["tired"].astype(np.float64)


@cache
def map_changes() -> tuple[tuple[str, ...], Float[np.ndarray, "order layer head"], float]:
    """A sentence, the stored change of every map in each order of its words, and the most without the position table.

    The orders are those of `itertools.permutations`.
    """
    about = json.loads(stored("map_changes.json").read_text(encoding="utf8"))
    with np.load(stored("map_changes.npz")) as arrays:
        return tuple(about["sentence"].split()), arrays["changes"].astype(np.float64), about["without_table"]


def orders_of_words() -> dict[str, tuple[int, ...]]:
    """All orders of the words of that sentence, as `permutations` has them."""
    words, _, _ = map_changes()
    return {" ".join(words[i] for i in order): order for order in permutations(range(len(words)))}


def flinch(order: str = "she said only he lied", table: str = "as trained") -> list[Mark]:
    """Drag a word. Which of the 72 attention maps flinch?"""
    words, changes, _ = map_changes()
    orders = orders_of_words()
    change = changes[list(orders).index(order)] * (table == "as trained")  # (layer, head)
    line = marks.sentence(order, order=orders[order], drag="order")
    grid = marks.heat_map(
        change,
        LAYERS,
        HEADS,
        axes=("layer", "head"),
        limits=(0, DARKEST),
        digits=None,
        title="share of a head's weight that now goes elsewhere",
    )
    if order == " ".join(words):
        return [line, grid, marks.answer("The words as they were: drag one.", "=")]
    if table != "as trained":
        return [line, grid, marks.answer("No map changes: each has only moved along with its words.", "=")]
    (most_layer, most_head), (layer, head) = (
        np.unravel_index(where, change.shape) for where in (change.argmax(), change.argmin())
    )
    answer = f"On average {change.mean():.2f} of a head's weight goes elsewhere: most in layer {most_layer}, head "
    answer += f"{most_head} ({change.max():.2f}), least in layer {layer}, head {head} ({change.min():.2f})."
    return [line, grid, marks.answer(answer, "≠")]


def cosines(model: str) -> Float[np.ndarray, " pair"]:
    """The cosine of each pair; for the untrained models and the shuffled tables, the mean over three."""
    by_model = np.array(record()["pairs"][MODELS[model]])
    return by_model.mean(axis=0) if by_model.ndim == 2 else by_model


def errors_by_layer(model: str) -> Float[np.ndarray, " stage"]:
    """How far rows fail to travel with their words, relative to their norm; for untrained models, the mean of three."""
    errors = np.array(record()["equivariance_by_layer"][MODELS[model]])
    return errors.mean(axis=0) if errors.ndim == 2 else errors


def positions_named(model: str) -> dict[str, Float[np.ndarray, " stage"]]:
    """The share of rows whose position a probe names; for the trained model, also the share named to within one."""
    if model == "as trained":
        blur = record()["blur"]
        return {"position": np.array(blur["exact"]), "to within one": np.array(blur["within_one"])}
    return {"position": np.array(record()["probes"][MODELS[model]])}


def layer_by_layer(model: str = "as trained") -> list[Mark]:
    """Shuffle the words, or ask a row for its position. What does each layer know?"""
    errors, named = errors_by_layer(model), positions_named(model)
    plane = marks.lines(
        np.arange(7),
        {"order": errors, **named},
        actor=dict.fromkeys(named, "position"),
        axes=("layers passed", "share"),
        y_limits=(0, 1.05),
    )
    if errors.max() < 1e-12:
        return [plane, marks.answer("Every row travels with its word, and the probe can only guess.", "=")]
    answer = f"After the last layer the order changes the rows by {errors[-1]:.2f} of their norm; a probe names "
    shares = [
        f"{shares[-1]:.2f} of the positions" if not i else f"{shares[-1]:.2f} to within one"
        for i, shares in enumerate(named.values())
    ]
    return [plane, marks.answer(f"{answer}{', '.join(shares)}.", "≠")]


def weights_by_distance(model: str) -> Float[np.ndarray, "layer head offset"]:
    """The mean weight of each head at each distance; for the shuffled tables, the mean over three."""
    weights = np.array(record()["offsets"][MODELS[model]])
    return weights.mean(axis=0) if weights.ndim == 4 else weights


def heads_at(offset: str = "−1", model: str = "as trained") -> list[Mark]:
    """Choose a distance. Which heads look there?"""
    weights = weights_by_distance(model)[:, :, list(OFFSETS).index(offset)]  # (layer, head)
    grid = marks.heat_map(weights, LAYERS, HEADS, axes=("layer", "head"), limits=(0, 1), digits=2)
    layer, head = np.unravel_index(weights.argmax(), weights.shape)
    most = f"The most weight at {offset}: layer {layer}, head {head}, with {weights[layer, head]:.4f}."
    return [grid, marks.answer(f"{most} Uniform attention: {record()['offsets']['even']:.4f}.")]


def hand_built(sharpness: Number) -> Float[np.ndarray, "query key"]:
    """The weights of the book's previous-token head on 128 sinusoidal positions, 64 wide.

    The first and the last of them, where [CLS] and [SEP] would stand, are left out, as in the record.
    """
    p = sinusoidal_encoding(np.arange(128), 64)
    return head_weights(p, p, offset_head(-1, 64, sharpness=float(sharpness)))[1:-1, 1:-1]


def by_distance(weights: Float[np.ndarray, "query key"]) -> Float[np.ndarray, " offset"]:
    """The mean weight of a row on the key at each distance, where there is one."""
    return np.array([np.diagonal(weights, offset).mean() for offset in OFFSETS.values()])


def found_and_built(sharpness: Number = 1) -> list[Mark]:
    """Sharpen the head that was built by hand. When does it look like the one that was found?"""
    trained, built = np.array(record()["offsets"]["with_positions"])[0, 2], by_distance(hand_built(sharpness))
    curves = marks.lines(
        list(OFFSETS.values()),
        {"found": trained, "built": built},
        axes=("distance", "mean weight"),
        y_limits=(0, 1),
    )
    before = list(OFFSETS).index("−1")
    answer = f"On the token before: found {trained[before]:.4f}, built by hand {built[before]:.4f}."
    return [curves, marks.answer(answer, "=" if np.abs(trained - built).max() < 0.001 else "≠")]


def order_without(pairs: str = "all eight") -> tuple[float, Float[np.ndarray, "layer head"]]:
    """The mean of 1 − cosine over pairs, intact and with each head taken out."""
    ablation, chosen = record()["ablation"], OF_PAIRS[pairs]
    return float(np.mean(ablation["intact_order"][chosen])), np.array(ablation["order"])[..., chosen].mean(axis=-1)


def sides_of(model: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is stored of the two matrices, and of the rows, along the mean row, by the names of `ALONG_MEAN`."""
    sides, rows = record()["query_and_key"], record()["along_mean"]
    if model == "pieces of 16 tokens":
        return sides["by_length"][sides["lengths"].index(16)], rows["pieces_of_16"]
    name = "untrained" if model == "an untrained model" else "trained"
    return sides[name], rows[name]


def along_the_mean(model: str = "pieces of 126 tokens") -> list[Mark]:
    """Along the mean row, which of the two matrices stretches more? And do the rows share that part?"""
    sides, rows = sides_of(model)
    query, key = (np.array(sides[f"{side}_gain"]).ravel() for side in ("query", "key"))  # (72,)
    plane = marks.lines([0, 4], [0, 4], axes=("W_Q along the mean row", "W_K"), x_limits=(0, 4), y_limits=(0, 4))
    plane += marks.points(np.stack([query, key], axis=1), equal=False)
    parts = {"along μ": rows["deviation"], "other": rows["usual"]}
    spread = marks.lines(np.arange(6), parts, axes=("layer", "how much rows differ"), y_limits=(0, 2.2))
    answer = f"W_K stretches more in {(key > query).sum()} of 72 heads, and the rows differ "
    ratio = np.mean(np.array(rows["deviation"]) / rows["usual"])
    return [
        plane,
        spread,
        marks.answer(f"{answer}{ratio:.1f} times as much along their mean as along another direction."),
    ]
