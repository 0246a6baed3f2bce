"""The figures on the block: who hears whom, rows of a deep model, parameters counted, and the drawing."""

from dataclasses import replace
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from inorder.attention import attention_weights, causal_mask, multi_head_attention, project_heads
from inorder.book.drawing import EDGE, INK, MUTED, RAISED, STYLE, Number, Picture, draw_arrow, draw_box, mix
from inorder.book.sentence import WORDS
from inorder.palette import LIGHT
from inorder.pretrained.decoder import CONFIG
from inorder.transformer import (
    TransformerConfig,
    block,
    feed_forward,
    fresh_model,
    layer_norm,
)
from inorder.transformer.parameters import parameter_shapes
from inorder.widgets import marks
from inorder.widgets.marks import Mark

MASKS = {"no mask": None, "causal": causal_mask(5)}


STAGES = ("words", "norm", "attention", "sum", "norm", "feed-forward", "sum")


@cache
def stages(
    attention: bool, residual: bool, feed: bool, mask: str, seed: int
) -> tuple[Float[np.ndarray, "7 5 5"], Float[np.ndarray, "5 5"]]:
    """By how much each row moves when one word is replaced, from stage to stage of an untrained block; its weights.

    The stages are what goes in, then norm, attention and sum, then norm, network and sum. What is off leaves the rows
    as they are. The weights are those of attention, (row, word), the mean over its heads.
    """
    parameters, config = fresh_model(seed, n_layers=1)
    weights: Any = parameters.blocks[0]  # whose parts are all there
    rng = np.random.default_rng(seed)
    x, other = rng.normal(size=(2, 5, config.d_model))  # (word, d_model) twice
    heads: dict[str, Any] = {"mask": MASKS[mask]}

    def run(x: np.ndarray) -> np.ndarray:
        passed = [x]
        for is_on, part in (
            (attention, lambda rows: multi_head_attention(rows, rows, weights.attention, config.n_heads, **heads)),
            (feed, lambda rows: feed_forward(rows, weights.feed_forward)),
        ):
            x = passed[-1]
            source = layer_norm(x) if is_on else x
            added = part(source) if is_on else x
            passed += [source, added, residual * x + added if is_on else x]
        return np.stack(passed)  # (stage, word, d_model)

    changed = [run(np.where(np.eye(5, dtype=bool)[:, [j]], other, x)) for j in range(5)]
    moved = np.stack([np.linalg.norm(rows - run(x), axis=-1) for rows in changed], axis=-1)
    query, key, _ = project_heads(layer_norm(x), layer_norm(x), weights.attention, config.n_heads)
    return moved, attention_weights(query, key, **heads).mean(axis=0)


def heard(attention: bool, residual: bool, feed: bool, mask: str, seed: int) -> Float[np.ndarray, "5 5"]:
    """By how much each row that leaves an untrained block moves when one word is replaced."""
    return stages(attention, residual, feed, mask, seed)[0][-1]


def who_hears_whom(
    word: str = "it",
    attention: bool = True,
    feed_forward: bool = True,
    residual: bool = True,
    mask: str = "no mask",
) -> tuple[Mark, Mark]:
    """Ink a word, and switch a part off. Which words does it reach?

    An untrained block with the norm before each part: its share of each word’s changes, mean of ten draws.
    """
    draws = [stages(attention, residual, feed_forward, mask, seed) for seed in range(10)]
    shares = np.mean([moved / moved.sum(axis=-1, keepdims=True) for moved, _ in draws], axis=0)  # (stage, row, word)
    threads = np.stack([np.eye(5)] * 6)  # (layer, row, row): by itself, each row, but in attention
    if attention:
        threads[1] = np.mean([weights for _, weights in draws], axis=0)
    inked = WORDS.index(word)
    columns = marks.stream(threads, WORDS, shares=shares, layers=STAGES, inked=inked, drag="word")
    own, reached = shares[-1, inked, inked], np.count_nonzero(shares[-1, :, inked])
    if not attention:
        return columns, marks.answer(f"“{word}” reaches no word but itself: what is left treats each word by itself.")
    words = "all five words" if reached == 5 else "itself alone" if reached == 1 else f"{reached} of the five words"
    return columns, marks.answer(
        f"“{word}” reaches {words}. At the top, “{word}” owes {own:.2f} of its changes to itself."
    )


def drawn_like_torch(parameters: Any, rng: np.random.Generator) -> Any:
    """As nn.TransformerEncoderLayer draws: Q, K, V by Glorot's rule for the three together, the rest by nn.Linear."""

    def uniform(w: np.ndarray, bound: float) -> np.ndarray:
        return rng.uniform(-bound, bound, w.shape)

    def linear(w: np.ndarray) -> np.ndarray:
        return uniform(w, w.shape[0] ** -0.5)

    blocks = []
    for each in parameters.blocks:
        a, f = each.attention, each.feed_forward
        together = np.sqrt(6 / (4 * len(a.w_query)))
        queries_keys_values = (uniform(w, together) for w in (a.w_query, a.w_key, a.w_value))
        attention = a._replace(**dict(zip(("w_query", "w_key", "w_value"), queries_keys_values, strict=True)))
        attention = attention._replace(w_output=linear(a.w_output))
        biases = {"b_in": uniform(f.b_in, len(f.w_in) ** -0.5), "b_out": uniform(f.b_out, len(f.w_out) ** -0.5)}
        feed = f._replace(w_in=linear(f.w_in), w_out=linear(f.w_out), **biases)
        blocks.append(each._replace(attention=attention, feed_forward=feed))
    return parameters._replace(blocks=tuple(blocks))


@cache
def similarities(norm: str, residual: bool, seed: int, n_layers: int = 24) -> np.ndarray:
    """The mean cosine of two of ten rows before and after each layer of an untrained model, shape (n_layers + 1,)."""
    parameters, config = fresh_model(
        seed, n_layers=n_layers, d_model=64, d_ff=256, norm=norm, residual=float(residual), position="none"
    )
    parameters = drawn_like_torch(parameters, np.random.default_rng(1000 + seed))
    rows = np.random.default_rng(100 + seed).normal(size=(10, 64))  # (n, d_model)
    layers = [rows]
    for weights in parameters.blocks:
        layers.append(block(layers[-1], weights, config, positions=np.arange(10)).hidden)
    unit = np.stack(layers) / np.linalg.norm(layers, axis=-1, keepdims=True)
    return (unit @ unit.swapaxes(1, 2))[:, *np.triu_indices(10, 1)].mean(axis=-1)


def deep(residual: bool = True, norm: str = "pre") -> tuple[Mark, Mark]:
    """Twenty-four layers deep: do ten rows still differ?

    Untrained models with 10 tokens of width 64, the mean over three draws of the parameters.
    """
    cosines = np.mean([similarities(norm, residual, seed) for seed in range(3)], axis=0)  # (layer 25,)
    curve = marks.lines(np.arange(25), cosines, axes=("layers passed", "cosine of two rows"), y_limits=(-0.1, 1))
    if residual:
        return curve, marks.answer(f"After 24 layers two rows have a cosine of {cosines[-1]:.2f}: they still differ.")
    return curve, marks.answer(f"After 2 layers two rows have a cosine of {cosines[2]:.2f}: all words say the same.")


NAMES = {
    "embedding": "embedding",
    "w_query": "W_Q",
    "w_key": "W_K",
    "w_value": "W_V",
    "w_output": "W_O",
    "w_gate": "W_gate",
    "w_in": "W_in",
    "w_out": "W_out",
    "gain": "norms",
}


def parameters_by_part(config: TransformerConfig = CONFIG) -> dict[str, int]:
    """How many numbers each part of such a model has, all layers together."""
    counts = dict.fromkeys(NAMES.values(), 0)
    for name, shape in parameter_shapes(config).items():
        part = "output matrix" if name == "w_output" else NAMES[name.rpartition(".")[2]]
        counts[part] = counts.get(part, 0) + int(np.prod(shape))
    return {part: count for part, count in counts.items() if count}


def count_parts(key_heads: int = 3, feed_forward: str = "gated", output: str = "tied") -> tuple[Mark, Mark]:
    """Where are the parameters of a model? Build it differently, and count again.

    SmolLM2-135M: 30 layers of width 576 with 9 query heads; a gated network is 1,536 wide, a plain one 2,304.
    """
    gated = feed_forward == "gated"
    config = replace(
        CONFIG, n_key_heads=key_heads, gated=gated, d_ff=1536 if gated else 4 * 576, tied_output=output == "tied"
    )
    counts = parameters_by_part(config)
    total, smol = sum(counts.values()), sum(parameters_by_part().values())
    bars = marks.bars([count / 1e6 for count in counts.values()], list(counts), axis="millions", limits=(0, 90))
    message = f"{total:,} parameters"
    if config == CONFIG:
        return bars, marks.answer(f"{message}, as many as the file has.", "=")
    change = f"{abs(total - smol) / 1e6:.1f} million {'more' if total > smol else 'fewer'} than the file has"
    return bars, marks.answer(f"{message}: {'as many as the file has' if total == smol else change}.")


@mpl.rc_context(STYLE)
def transformer_block() -> Picture:
    """An encoder and a decoder, one block of each opened, with the shape at every arrow."""
    figure = Picture(
        "Two columns that read from top to bottom. On the left, the encoder: tokens, shape (n_k), are embedded with "
        "their positions to (n_k, d_model), then go through a block that is repeated L times: layer norm, "
        "self-attention without a mask, added to the residual stream that passes by; layer norm, feed-forward, added "
        "again. A last layer norm gives the memory, (n_k, d_model). On the right, the decoder: the same with a "
        "causal mask, and between its two parts a cross-attention that makes its keys and values from the memory, "
        "which reaches it by an arrow. A last layer norm and a linear map give the logits, (n_q, vocabulary). Only "
        "the attention boxes are marked as mixing rows.",
        height=10.4,
    )
    axes = figure.subplots()
    axes.set(xlim=(1, 99), ylim=(173, 0))
    axes.axis("off")

    _part(axes, 25, "ENCODER", "$n_k$", [("self-attention", "no mask, H heads", True), _FEED_FORWARD])
    bottom = _part(
        axes,
        75,
        "DECODER",
        "$n_q$",
        [
            ("self-attention", "causal mask, H heads", True),
            ("cross-attention", "K, V from memory", True),
            _FEED_FORWARD,
        ],
    )
    draw_arrow(axes, (75, bottom), (75, bottom + 5))
    draw_box(axes, 75, bottom + 5, 9, "linear map", "(d_model, vocabulary)")
    draw_arrow(axes, (75, bottom + 14), (75, bottom + 19))
    axes.text(75, bottom + 21.5, "logits ($n_q$, vocabulary)", ha="center", va="center", weight="bold")

    # the encoder's memory goes to the decoder's cross-attention, the second part of its block
    memory_y, cross_y = _MEMORY_Y, _TOP + _STEP + 14.5
    axes.plot([25, 25, 48.5, 48.5], [memory_y + 2, memory_y + 7, memory_y + 7, cross_y], color=MUTED, linewidth=1.6)
    draw_arrow(axes, (48.5, cross_y), (58.5, cross_y), MUTED)

    for y, colour, hatch, text in (
        (163, mix(0.16), "", "mixes rows: a token hears the others"),
        (170, RAISED, "", "row by row: each token on its own"),
    ):
        axes.add_patch(Rectangle((3, y - 2), 5, 4, facecolor=colour, edgecolor=MUTED, hatch=hatch))
        axes.text(10, y, text, va="center", fontsize=10.5)
    return figure


_FEED_FORWARD = ("feed-forward", "d_model → d_ff → d_model", False)
_TOP, _STEP, _MEMORY_Y = 32, 31, 108


def _part(axes: Axes, x: Number, title: str, n: str, parts: list[tuple[str, str, bool]]) -> Number:
    """One column of the drawing around x. Returns the y below its last layer norm."""
    axes.text(x, 3.5, title, ha="center", va="center", weight="bold", color=MUTED)
    axes.text(x, 9, f"tokens ({n},)", ha="center", va="center", weight="bold")
    draw_arrow(axes, (x, 11), (x, 14))
    draw_box(axes, x, 14, 9, "embedding", "+ position")
    y = _TOP
    axes.plot([x, x], [23, y], color=INK, linewidth=1)
    axes.text(x + 1.5, 26.5, f"({n}, d_model)", va="center", fontsize=10.5)
    frame = FancyBboxPatch(
        (x - 21.5, y - 3),
        width=43,
        height=_STEP * len(parts) + 1.5,
        boxstyle="round,pad=0,rounding_size=2",
        facecolor=LIGHT["plate"],
        edgecolor=MUTED,
        linewidth=0.8,
        zorder=0,
    )
    axes.add_patch(frame)
    axes.text(x + 20, y - 0.5, "× L", ha="right", va="center", weight="bold", color=MUTED)
    for name, detail, mixes in parts:
        draw_arrow(axes, (x, y), (x, y + 4))
        draw_box(axes, x, y + 4, 5, "layer norm")
        draw_arrow(axes, (x, y + 9), (x, y + 11))
        draw_box(axes, x, y + 11, 9, name, detail, mixes)
        draw_arrow(axes, (x, y + 20), (x, y + 23))
        # the residual stream: leaves above the layer norm, comes back at the plus
        side = x - 19.5
        axes.plot([x, side, side, x - 2.6], [y + 1.8, y + 1.8, y + 25, y + 25], color=EDGE, linewidth=1.6)
        axes.plot(x, y + 25, "+", markersize=9, color=INK, zorder=4)
        axes.plot(x, y + 25, "o", markersize=15, color=RAISED, markeredgecolor=EDGE, markeredgewidth=1.4, zorder=3)
        axes.plot([x, x], [y + 27, y + _STEP], color=INK, linewidth=1)
        axes.text(x + 4, y + 25, f"({n}, d_model)", va="center", fontsize=10.5)
        y += _STEP
    draw_arrow(axes, (x, y), (x, y + 4))
    draw_box(axes, x, y + 4, 5, "layer norm")
    if title == "ENCODER":
        draw_arrow(axes, (x, y + 9), (x, _MEMORY_Y - 2))
        axes.text(x, _MEMORY_Y, f"memory ({n}, d_model)", ha="center", va="center", weight="bold")
    return y + 9
