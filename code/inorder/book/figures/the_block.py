"""The figures on the block: its five lines of code, which rows each lets into which, and what two ReLUs can tell."""

from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.attention import attention_weights, causal_mask, multi_head_attention, project_heads
from inorder.book.sentence import VALUES, WORDS
from inorder.transformer import fresh_model, layer_norm
from inorder.widgets import marks
from inorder.widgets.marks import Mark

LINES = (
    "source = norm(x)",
    "collected = attention(source)",
    "x = x + collected",
    "hidden = relu(norm(x) @ W_in)",
    "x = x + hidden @ W_out",
)
EFFECTS = (
    "Nothing is computed yet: each row knows its own word alone.",
    "A norm takes the mean of one row: no ink leaves its column.",
    "Attention: every row collects from the rows it sees. Here, and only here, ink crosses.",
    "The residual adds each row to what it has collected: “{word}” is darker in its own column again.",
    "One matrix and a ReLU for every row, by itself: no ink leaves its column.",
    "The second matrix, and the residual: no ink leaves its column. That is the whole block.",
)
RELUS = np.array([[0.0, -1.0], [1.0, 1.0]]), np.array([1.0, -1.0])  # (warm and large, hidden), (hidden,)
MASKS = {"no mask": None, "causal": causal_mask(5)}


@cache
def moved_by_line(mask: str, seed: int) -> tuple[Float[np.ndarray, "6 5 5"], Float[np.ndarray, "5 5"]]:
    """By how much each row moves when one word is replaced, before and after each line of an untrained block.

    Also the attention weights, (row, word), the mean over its heads.
    """
    parameters, config = fresh_model(seed, n_layers=1, norm_kind="layer", activation="relu")
    weights: Any = parameters.blocks[0]  # whose parts are all there
    w_in, w_out, b_in, b_out = weights.feed_forward[:4]
    heads: dict[str, Any] = {"mask": MASKS[mask]}
    rng = np.random.default_rng(seed)
    x, other = rng.normal(size=(2, 5, config.d_model))  # (word, d_model) twice

    def run(x: np.ndarray) -> list[np.ndarray]:
        source = layer_norm(x)
        collected = multi_head_attention(source, source, weights.attention, config.n_heads, **heads)
        after = x + collected
        hidden = np.maximum(0, layer_norm(after) @ w_in + b_in)
        return [x, source, collected, after, hidden, after + hidden @ w_out + b_out]

    before = run(x)
    replaced = [run(np.where(np.eye(5, dtype=bool)[:, [j]], other, x)) for j in range(5)]
    moved = [
        [np.linalg.norm(now - then, axis=-1) for now, then in zip(rows, before, strict=True)] for rows in replaced
    ]  # (word, line, row)
    query, key, _ = project_heads(layer_norm(x), layer_norm(x), weights.attention, config.n_heads)
    return np.moveaxis(np.array(moved), 0, -1), attention_weights(query, key, **heads).mean(axis=0)


def five_lines(line: int = 2, word: str = "it", mask: str = "no mask") -> tuple[Mark, Mark]:
    """Add the lines one by one. Where does the ink of a word cross to another?

    An untrained block: a row is as dark as its share of the inked word, by how much it moves when that is replaced.
    """
    draws = [moved_by_line(mask, seed) for seed in range(10)]
    shares = np.mean([moved / moved.sum(axis=-1, keepdims=True) for moved, _ in draws], axis=0)  # (line, row, word)
    threads = np.stack([np.eye(5)] * 5)  # (line, row, row): each row by itself, but in attention
    threads[1] = np.mean([weights for _, weights in draws], axis=0)
    inked = WORDS.index(word)
    drawing = marks.program(
        LINES,
        WORDS,
        threads,
        shares[:, :, inked],
        lit=line,
        inked=inked,
        adds={2: 0, 4: 3},
        drag=("line", "word"),
    )
    return drawing, marks.answer(EFFECTS[line].format(word=word))


def both(warm: float, large: float) -> tuple[Float[np.ndarray, " hidden"], float]:
    """The two hidden numbers of a network of two ReLUs, and what it says: the smaller of the two, if large ≥ 0."""
    w_in, w_out = RELUS
    hidden = np.maximum(0, np.array([warm, large]) @ w_in)
    return hidden, float(hidden @ w_out)


def two_relus(warm: float = 2.0, large: float = 1.0) -> list[Mark]:
    """Pull the dot, or the corner. What do two ReLUs let through?"""
    across = np.arange(0, 3.5, 0.5)
    hidden, outputs = zip(*(both(warm, one) for one in across), strict=True)
    h0, h1 = np.transpose(hidden)
    smaller = both(warm, large)[1]
    words = [word for word, value in zip(WORDS, VALUES, strict=True) if value.any() and (value == (warm, large)).all()]
    plane = marks.lines(
        across, {"both": outputs, "h₀": h0, "h₁": h1}, axes=("large", ""), x_limits=(0, 3), y_limits=(0, 3)
    )
    plane += marks.points([[warm, warm]], [f"warm = {warm:g}"], actor="value", equal=False, drag="warm")
    plane += marks.points([[large, smaller]], words or ["a word"], equal=False, drag="large")
    name = f"“{words[0]}”" if words else "A word"
    return [
        plane,
        marks.answer(f"{name} with warm {warm:g} and large {large:g} gets {smaller:g}, the smaller of the two."),
    ]
