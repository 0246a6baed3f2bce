"""Every architecture that the book's sources name, as a layer that can be measured, with what theory says of it.

An `Architecture` makes its layer, with random weights, for a given length and width. Theory says whether the layer
commutes with every permutation of its rows, with a shift of a text between rows of zeros, and whether it looks at
earlier rows only.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inorder._arrays import Array, float_creation
from inorder.attention.heads import AttentionParameters, multi_head_attention
from inorder.attention.masks import causal_mask
from inorder.mixers.convolutional import convolution, patch_embedding
from inorder.mixers.low_rank_attention import linformer_attention, orthogonal_directions, performer_attention
from inorder.mixers.mixing import deep_sets, fourier_mixing, token_mixing_mlp
from inorder.mixers.recurrent import GRUParameters, RWKVParameters, elman_rnn, gru, rwkv
from inorder.mixers.sparse_attention import chunked_hashed_attention, hashed_attention, sliding_window_attention
from inorder.mixers.state_space import (
    H3Parameters,
    MambaParameters,
    discretize,
    h3,
    hippo_legs,
    mamba,
    s4_convolution,
    s4_recurrence,
)
from inorder.transformer import FeedForwardParameters, Learned, decode, encode, fresh_model

Layer = Callable[[Array], Array]  # (*batch, position, d_model) to (*batch, position, d_output)


class Architecture(NamedTuple):
    """A row of the audit."""

    name: str
    make: Callable[["Draw", int], Layer]  # from a source of weights and a length n
    laws: str  # P: it commutes with every permutation; S: with every shift; C: it is causal
    why: str


class Draw:
    """A source of random weights for layers `d_model` wide; back end, device and dtype are those of `like`."""

    def __init__(self, rng: np.random.Generator, d_model: int, *, like: Array | None = None) -> None:
        self.rng, self.d_model = rng, d_model
        self.xp, self.device, self.dtype = float_creation(like)
        self.like = self.xp.zeros(1, dtype=self.dtype, device=self.device)

    def __call__(self, *shape: int, size: float | None = None) -> Array:
        """N(0, size²), and without a size N(0, 1/d_in)."""
        return self.array(self.rng.normal(0.0, shape[0] ** -0.5 if size is None else size, shape))

    def uniform(self, low: float, high: float, *shape: int) -> Array:
        return self.array(self.rng.uniform(low, high, shape))

    def array(self, numbers: Any) -> Array:
        return self.xp.asarray(numbers, dtype=self.dtype, device=self.device)

    def square(self) -> Array:
        return self(self.d_model, self.d_model)


def _attention(causal: bool) -> Callable[[Draw, int], Layer]:
    def make(draw: Draw, n: int) -> Layer:
        p = AttentionParameters(*(draw.square() for _ in "qkvo"))
        return lambda x: multi_head_attention(x, x, p, 2, mask=causal_mask(x.shape[-2], like=x) if causal else None)

    return make


def _cross_attention(draw: Draw, n: int) -> Layer:
    p, memory = AttentionParameters(*(draw.square() for _ in "qkvo")), draw(7, draw.d_model, size=1.0)
    return lambda x: multi_head_attention(x, draw.xp.broadcast_to(memory, (*x.shape[:-2], *memory.shape)), p, 2)


def _transformer(position: str, causal: bool = False) -> Callable[[Draw, int], Layer]:
    def make(draw: Draw, n: int) -> Layer:
        d, scheme = draw.d_model, Learned(length=n) if position == "learned" else position
        sizes = {"vocabulary_size": d, "d_model": d, "n_heads": 2, "d_ff": 2 * d, "n_layers": 1}
        model = fresh_model(draw.rng, like=draw.like, position=scheme, **sizes)

        def layer(x: Array) -> Array:
            positions = draw.xp.arange(x.shape[-2], device=draw.device)
            return decode(x, *model, positions=positions)[0] if causal else encode(x, *model, positions=positions)

        return layer

    return make


def _patches(draw: Draw, n: int) -> Layer:
    """A row is a patch of 2 × 2 pixels and d_model/4 channels, in an image of one column of patches."""
    weight = draw.square()

    def layer(x: Array) -> Array:
        image = draw.xp.reshape(x, (*x.shape[:-2], 2 * x.shape[-2], 2, draw.d_model // 4))
        return patch_embedding(image, weight, patch_size=2)

    return layer


def _projected(f: Callable[..., Array], weights: list[Array], *more: Array, **settings: Any) -> Layer:
    return lambda x: f(*(x @ w for w in weights), *more, **settings)


def _reformer(draw: Draw, n: int) -> Layer:
    return _projected(hashed_attention, [draw.square() for _ in "qv"], draw(draw.d_model, 2))


def _chunked_reformer(draw: Draw, n: int) -> Layer:
    weights = [draw.square() for _ in "qv"]
    return _projected(chunked_hashed_attention, weights, draw(draw.d_model, 2), chunk_size=4)


def _linformer(draw: Draw, n: int) -> Layer:
    weights = [draw.square() for _ in "qkv"]
    return _projected(linformer_attention, weights, draw(4, n, size=n**-0.5), draw(4, n, size=n**-0.5))


def _performer(causal: bool) -> Callable[[Draw, int], Layer]:
    def make(draw: Draw, n: int) -> Layer:
        weights = [draw.square() for _ in "qkv"]
        directions = orthogonal_directions(16, draw.d_model, draw.rng, like=draw.like)
        return _projected(performer_attention, weights, directions, causal=causal)

    return make


def _longformer(draw: Draw, n: int) -> Layer:
    return _projected(sliding_window_attention, [draw.square() for _ in "qkv"], radius=2)


def _elman(draw: Draw, n: int) -> Layer:
    w_input, w_hidden = draw.square(), draw.square()
    return lambda x: elman_rnn(x, w_input, w_hidden)


def _gru(draw: Draw, n: int) -> Layer:
    p = GRUParameters(draw(draw.d_model, 3 * draw.d_model), draw(draw.d_model, 3 * draw.d_model))
    return lambda x: gru(x, p)


def _rwkv(draw: Draw, n: int) -> Layer:
    d = draw.d_model
    mixes, weights = [draw.uniform(0.2, 0.8, d) for _ in "rkv"], [draw.square() for _ in "rkvo"]
    p = RWKVParameters._make([*mixes, *weights, draw.uniform(0.1, 1.0, d), draw(d, size=1.0)])
    return lambda x: rwkv(x, p)


def _s4(f: Callable[..., Array]) -> Callable[[Draw, int], Layer]:
    def make(draw: Draw, n: int) -> Layer:
        d = draw.d_model
        ssm = discretize(*hippo_legs(4, like=draw.like), draw(d, 4, size=1.0), draw(d), draw.uniform(0.05, 0.5, d))
        return lambda x: f(x, ssm)

    return make


def _h3(draw: Draw, n: int) -> Layer:
    d = draw.d_model
    a = -draw.xp.eye(4, dtype=draw.dtype, device=draw.device) * draw.array([1, 2, 3, 4])  # S4D-Real
    ones = draw.array([1, 1, 1, 1])
    diagonal = discretize(a, ones, draw(d, 4, size=1.0), draw(d), draw.uniform(0.05, 0.5, d))
    p = H3Parameters._make([*(draw.square() for _ in "qkvo"), draw(4, d), draw(d), diagonal])
    return lambda x: h3(x, p)


def _mamba(draw: Draw, n: int) -> Layer:
    """Twice as wide inside, four states a feature, steps from 0.05 to 0.5; without bias, zeros leave no state."""
    d, inner, n_states = draw.d_model, 2 * draw.d_model, 4
    rates = draw.xp.broadcast_to(draw.array([1, 2, 3, 4]), (inner, n_states))  # S4D-Real
    p = MambaParameters(
        w_input=draw(d, inner),
        w_gate=draw(d, inner),
        kernel=draw(4, inner),
        w_b=draw(inner, n_states),
        w_c=draw(inner, n_states),
        w_step_in=draw(inner, 1),
        w_step_out=draw(1, inner),
        step_bias=draw.uniform(-3.0, -0.4, inner),
        log_a=draw.xp.log(rates),
        skip=draw(inner),
        w_output=draw(inner, d),
    )
    return lambda x: mamba(x, p)


def _convolution(width: int) -> Callable[[Draw, int], Layer]:
    def make(draw: Draw, n: int) -> Layer:
        kernel = draw(width, draw.d_model, draw.d_model, size=(width * draw.d_model) ** -0.5)
        return lambda x: convolution(x, kernel)

    return make


def _mixer(draw: Draw, n: int) -> Layer:
    p = FeedForwardParameters(draw(n, 16), draw(16, n), draw(16, size=0.1), draw(n, size=0.1))
    return lambda x: token_mixing_mlp(x, p)


def _deep_sets(draw: Draw, n: int) -> Layer:
    w_own, w_mean = draw.square(), draw.square()
    return lambda x: deep_sets(x, w_own, w_mean)


ARCHITECTURES = (
    Architecture("self-attention", _attention(False), "PS", "A sum over all rows, weighted by what they hold."),
    Architecture("causal self-attention", _attention(True), "C", "The mask compares row numbers."),
    Architecture("cross-attention", _cross_attention, "PSC", "Each row asks a memory that stays as it is."),
    Architecture("encoder, no positions", _transformer("none"), "PS", "Attention, and layers that act on rows."),
    Architecture("encoder, sinusoids", _transformer("sinusoidal"), "", "Each row is marked by its number."),
    Architecture("encoder, rotary (RoPE)", _transformer("rotary"), "S", "Scores depend on distance."),
    Architecture("encoder, ALiBi", _transformer("alibi"), "", "Scores depend on distance."),
    Architecture("BERT: encoder, learned table", _transformer("learned"), "", "Each row is marked by its number."),
    Architecture(
        "GPT: decoder, learned table", _transformer("learned", True), "C", "A mark in each row, and the mask."
    ),
    Architecture("decoder, no positions", _transformer("none", True), "C", "The mask compares row numbers."),
    Architecture("ViT: patch embedding", _patches, "PSC", "One matrix for every patch; none sees another."),
    Architecture("RNN (Elman)", _elman, "SC", "The state has seen earlier rows only, in order."),
    Architecture("RNN (GRU)", _gru, "SC", "The state has seen earlier rows only, in order."),
    Architecture("CNN (width 3)", _convolution(3), "S", "Every offset has a matrix of its own."),
    Architecture("CNN (width 1)", _convolution(1), "PSC", "One matrix for every row; none sees another."),
    Architecture("MLP-Mixer", _mixer, "", "Every position has weights of its own, which fix n."),
    Architecture("FNet", lambda draw, n: fourier_mixing, "", "Every position has a phase of its own."),
    Architecture("Reformer, hash alone", _reformer, "PS", "The hash reads a row, never its number."),
    Architecture("Reformer, sorted chunks", _chunked_reformer, "", "Among equal rows, order decides the chunk."),
    Architecture("Linformer", _linformer, "", "The projection has a weight for every position."),
    Architecture("Performer", _performer(False), "PS", "All rows meet in one sum."),
    Architecture("Performer, causal", _performer(True), "C", "The sum stops at each row."),
    Architecture("Longformer", _longformer, "S", "A row sees its neighbours only."),
    Architecture("S4, recurrence", _s4(s4_recurrence), "SC", "The past fades step by step."),
    Architecture("S4, convolution", _s4(s4_convolution), "SC", "The same numbers, all at once."),
    Architecture("H3", _h3, "SC", "In two state spaces the past fades step by step."),
    Architecture("Mamba", _mamba, "SC", "The past fades step by step; each row says how fast."),
    Architecture("RWKV", _rwkv, "C", "The past fades step by step; even zeros have weight."),
    Architecture("Deep Sets", _deep_sets, "PS", "A row and the mean of all."),
)
