"""The configuration of a transformer, and the tree of arrays that belongs to it.

A tree is made of NamedTuples, tuples and dictionaries, with an array at each leaf, or None where the configuration has
no use for one. Nothing in it belongs to a back end: a tree of torch tensors is what an optimiser trains.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Devlin et al. 2019, BERT, https://arxiv.org/abs/1810.04805
[3] Press and Wolf 2017, Using the Output Embedding to Improve Language Models, https://arxiv.org/abs/1608.05859
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder._arrays import (
    Array,
    as_generator,
    expect,
    expect_choice,
    expect_count,
    expect_floats,
    expect_not_negative,
    expect_number,
    expect_shape,
    float_creation,
    namespace,
    short_repr,
)
from inorder.attention.heads import AttentionParameters
from inorder.transformer.schemes import (
    SCHEMES,
    Normal,
    PositionScheme,
    PositionTables,
    expect_hooks,
    init_tables,
)
from inorder.transformer.trees import flatten_parameters, map_parameters

ACTIVATIONS = ("gelu", "gelu_tanh", "relu", "silu")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The settings of one model: its sizes, and the switches that the chapters turn.

    By default it is the block of 2017 [1]. The block of today has norm_kind="rms", gated=True, activation="silu",
    linear_biases=False, position="rotary", and often a small n_key_heads and tied_output=True.

    d_head            width of a head's query, key and value; None is d_model / n_heads.
    n_key_heads       heads of keys and values, each shared by n_heads / n_key_heads query heads; None is n_heads.
    d_ff              width inside the feed-forward layer; 0 leaves that layer out.
    position          a name in `SCHEMES`, or a `PositionScheme` with settings of its own.
    norm              "pre" (before each sublayer and after the last), "post" (after each residual sum, [1]) or "none".
    norm_kind         "layer" (`layer_norm`) or "rms" (`rms_norm`, which has no bias).
    residual          weight of the skip connection: 1 is the usual one, 0 takes it away.
    activation        "gelu", "gelu_tanh", "relu" or "silu".
    gated             True: what the activation returns is multiplied by a second projection, as in `feed_forward`.
    linear_biases     False takes the b out of every x W + b.
    cross_attention   True: after its own tokens, every block looks at a `memory`.
    query_key_norm    True: an RMS norm of each head's query and key, before they are rotated (Qwen3).
    norm_embedding    True: a norm before the first block, as in [2].
    norm_output       a norm after the last block; None: with norm="pre" alone.
    n_outputs         width of what `unembed` returns; None is vocabulary_size.
    tied_output       True: the output matrix is the embedding, transposed ([3]).
    eps               of the norms.
    encoder_only      True: made to see later tokens, as BERT is; `decode` and `generate` refuse it.

    Raises ValueError: a size that is not a positive whole number; without a d_head, a d_model that n_heads does not
    divide; n_heads that n_key_heads does not; a scheme without a hook or with a misspelt one (`expect_hooks`); an
    unknown norm, norm_kind, activation or position; a residual or eps that is not a finite number; a
    scheme that leaves the token no column; a tied output of another shape than the embedding's.

    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1, position="rotary")
    >>> config.scheme
    Rotary(base=10000.0, pairing='interleaved')
    """

    vocabulary_size: int
    d_model: int
    n_heads: int
    d_head: int | None = None
    n_key_heads: int | None = None
    d_ff: int
    n_layers: int
    position: str | PositionScheme = "none"
    norm: str = "pre"
    norm_kind: str = "layer"
    residual: float = 1.0
    activation: str = "gelu"
    gated: bool = False
    linear_biases: bool = True
    cross_attention: bool = False
    query_key_norm: bool = False
    norm_embedding: bool = False
    norm_output: bool | None = None
    n_outputs: int | None = None
    tied_output: bool = False
    eps: float = 1e-5
    encoder_only: bool = False

    def __post_init__(self) -> None:
        for name in ("vocabulary_size", "d_model", "n_heads", "n_layers"):
            expect_count(name, getattr(self, name))
        for name in ("d_head", "n_key_heads", "n_outputs"):
            if getattr(self, name) is not None:
                expect_count(name, getattr(self, name))
        divides = self.d_head is not None or self.d_model % self.n_heads == 0
        expect(divides, f"a d_model that n_heads = {self.n_heads} divides", self.d_model)
        divides = self.n_heads % (self.n_key_heads or 1) == 0
        expect(divides, f"an n_heads that n_key_heads = {self.n_key_heads} divides", self.n_heads)
        whole = isinstance(self.d_ff, Integral) and self.d_ff >= 0
        expect(whole, "d_ff to be a whole number, 0 or more", repr(self.d_ff))
        expect_choice("norm", self.norm, ("pre", "post", "none"))
        expect_choice("norm_kind", self.norm_kind, ("layer", "rms"))
        expect_choice("activation", self.activation, ACTIVATIONS)
        expect_number("residual", self.residual)
        expect_not_negative("eps", self.eps)
        if not isinstance(self.position, PositionScheme):
            known = isinstance(self.position, str) and self.position in SCHEMES
            expect(known, f"position to be a PositionScheme or one of {', '.join(SCHEMES)}", repr(self.position))
        else:
            expect_hooks(self.position)
        width = self.scheme.token_width(self.d_model)
        expect(width > 0, f"a position scheme that leaves the token some of the {self.d_model} columns", width)
        if self.tied_output:
            tied, untied = (self.vocabulary_size, self.d_model), (self.n_outputs or self.vocabulary_size, width)
            expect(tied == untied, f"an embedding of shape {tied}, as tied_output needs", untied)

    @property
    def scheme(self) -> PositionScheme:
        """The position scheme itself."""
        return SCHEMES[self.position].scheme if isinstance(self.position, str) else self.position

    @property
    def head_width(self) -> int:
        """d_head, or what it is without one."""
        return self.d_head or self.d_model // self.n_heads

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array that the model learns, by its name in `flatten_parameters`."""
        flat = flatten_parameters(_make_tree(self, _no_numbers, _no_numbers))
        return {name: tuple(array.shape) for name, array in flat.items()}


class LayerNormParameters(NamedTuple):
    """What `layer_norm` multiplies by and adds, coordinate by coordinate; `rms_norm` adds nothing."""

    gain: Float[Array, " d_model"]
    bias: Float[Array, " d_model"] | None = None

    def __repr__(self) -> str:
        return short_repr(self)


class FeedForwardParameters(NamedTuple):
    """What `feed_forward` learns. With a w_gate it is the gated form."""

    w_in: Float[Array, "d_model d_ff"]
    w_out: Float[Array, "d_ff d_model"]
    b_in: Float[Array, " d_ff"] | None = None
    b_out: Float[Array, " d_model"] | None = None
    w_gate: Float[Array, "d_model d_ff"] | None = None
    b_gate: Float[Array, " d_ff"] | None = None

    def __repr__(self) -> str:
        return short_repr(self)


class BlockParameters(NamedTuple):
    """What one `block` learns. None stands for a part that the configuration leaves out."""

    attention: AttentionParameters
    cross_attention: AttentionParameters | None = None
    feed_forward: FeedForwardParameters | None = None
    norm_attention: LayerNormParameters | None = None
    norm_cross_attention: LayerNormParameters | None = None
    norm_feed_forward: LayerNormParameters | None = None
    norm_query: LayerNormParameters | None = None  # both (d_head,)
    norm_key: LayerNormParameters | None = None

    def __repr__(self) -> str:
        return short_repr(self)


class TransformerParameters(NamedTuple):
    """All that a model learns: what its tokens and positions look like, its blocks, and the way to its outputs.

    Without a w_output, that way is the embedding, transposed.
    """

    embedding: Float[Array, "vocabulary d_token"]
    position: PositionTables
    blocks: tuple[BlockParameters, ...]
    norm_embedding: LayerNormParameters | None = None
    norm_output: LayerNormParameters | None = None
    w_output: Float[Array, "d_model n_outputs"] | None = None
    b_output: Float[Array, " n_outputs"] | None = None

    def __repr__(self) -> str:
        return short_repr(self)


class Model(NamedTuple):
    """A model: its parameters and the configuration that they belong to, `encode(tokens, *model, positions=…)`."""

    parameters: TransformerParameters
    config: TransformerConfig


def fresh_model(seed: int | np.random.Generator, *, like: Array | None = None, **settings: Any) -> Model:
    """An untrained model. The settings are those of `TransformerConfig`; sizes left out are small.

    Those are vocabulary_size 12, d_model 32, n_heads 4, d_ff 64 and n_layers 2.

    Raises ValueError: as `TransformerConfig` and `init_parameters`.

    >>> model = fresh_model(0, position="alibi", d_model=8)
    >>> model.parameters.embedding.shape, model.config.n_heads
    ((12, 8), 4)
    """
    sizes = {"vocabulary_size": 12, "d_model": 32, "n_heads": 4, "d_ff": 64, "n_layers": 2}
    config = TransformerConfig(**{**sizes, **settings})
    return Model(init_parameters(config, seed, like=like), config)


def init_parameters(
    config: TransformerConfig, rng: int | np.random.Generator, *, like: Array | None = None
) -> TransformerParameters:
    """Untrained parameters: W ~ N(0, 1/d_in), so that rows of unit variance keep it; b = 0; norms 1 and 0.

    Token vectors (and learned position vectors) are N(0, 1), the scale of Vaswani's √d_model times N(0, 1/d_model)
    ([1], section 3.4); token vectors that are the output matrix too, N(0, 1/d_model). NumPy draws for both back ends,
    so one generator gives one model; back end, device and dtype are those of `like`, else NumPy float64. To train with
    torch, turn the leaves into tensors that record a gradient:
    `map_parameters(lambda w: w.requires_grad_(), parameters)`.

    Raises ValueError: an rng that is neither a seed nor a NumPy Generator; a like without floats.

    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=3)
    >>> parameters = init_parameters(config, np.random.default_rng(0))
    >>> parameters.embedding.shape, len(parameters.blocks), parameters.blocks[0].feed_forward.w_in.shape
    ((5, 8), 3, (8, 16))
    """
    rng = as_generator(rng)
    xp, device, dtype = float_creation(like)

    def normal(deviation: float, *shape: int) -> Array:
        return xp.asarray(rng.normal(0.0, deviation, shape), dtype=dtype, device=device)

    def constant(value: float, *shape: int) -> Array:
        return xp.full(shape, value, dtype=dtype, device=device)

    return _make_tree(config, normal, constant)


def _make_tree(config: TransformerConfig, normal: Normal, constant: Normal) -> TransformerParameters:
    d_model, d_ff = config.d_model, config.d_ff
    d_queries, d_keys = (config.head_width * n for n in (config.n_heads, config.n_key_heads or config.n_heads))
    normed, crossed = config.norm != "none", config.cross_attention

    def weight(d_in: int, d_out: int) -> Array:
        return normal(d_in**-0.5, d_in, d_out)

    def offset(d_out: int) -> Array | None:
        return constant(0.0, d_out) if config.linear_biases else None

    def norm() -> LayerNormParameters:
        bias = constant(0.0, d_model) if config.norm_kind == "layer" else None
        return LayerNormParameters(constant(1.0, d_model), bias)

    def head_norm() -> LayerNormParameters | None:
        return LayerNormParameters(constant(1.0, config.head_width)) if config.query_key_norm else None

    def attention() -> AttentionParameters:
        widths = (d_queries, d_keys, d_keys)  # of query, key and value
        weights = (*(weight(d_model, width) for width in widths), weight(d_queries, d_model))
        return AttentionParameters(*weights, *map(offset, (*widths, d_model)))

    def feed_forward() -> FeedForwardParameters:
        ungated = (weight(d_model, d_ff), weight(d_ff, d_model), offset(d_ff), offset(d_model))
        return FeedForwardParameters(*ungated, *((weight(d_model, d_ff), offset(d_ff)) if config.gated else ()))

    def block() -> BlockParameters:
        return BlockParameters(
            attention=attention(),
            cross_attention=attention() if crossed else None,
            feed_forward=feed_forward() if d_ff else None,
            norm_attention=norm() if normed else None,
            norm_cross_attention=norm() if normed and crossed else None,
            norm_feed_forward=norm() if normed and d_ff else None,
            norm_query=head_norm(),
            norm_key=head_norm(),
        )

    tied, n_outputs = config.tied_output, config.n_outputs or config.vocabulary_size
    return TransformerParameters(
        embedding=normal(d_model**-0.5 if tied else 1.0, config.vocabulary_size, config.scheme.token_width(d_model)),
        position=init_tables(config.scheme, normal, d_model, config.n_heads),
        blocks=tuple(block() for _ in range(config.n_layers)),
        norm_embedding=norm() if config.norm_embedding else None,
        norm_output=norm() if (config.norm == "pre" if config.norm_output is None else config.norm_output) else None,
        w_output=None if tied else weight(d_model, n_outputs),
        b_output=offset(n_outputs),
    )


def unflatten_parameters(flat: Mapping[str, Array], config: TransformerConfig) -> TransformerParameters:
    """The tree whose arrays have these names: the inverse of `flatten_parameters`.

    Raises ValueError: an array missing, too many, or of another shape, dtype or back end than the others.

    >>> parameters, config = fresh_model(0, position="shaw")
    >>> again = unflatten_parameters(flatten_parameters(parameters), config)
    >>> bool((again.blocks[1].attention.w_key == parameters.blocks[1].attention.w_key).all())
    True
    """
    flat = {name: flat[name] for name in flat}  # (a file of NumPy's reads an array each time that it is asked for)
    _expect_arrays(flat, config.shapes)
    arrays = iter(flat[name] for name in config.shapes)
    return map_parameters(lambda _: next(arrays), _make_tree(config, _no_numbers, _no_numbers))


def expect_parameters(parameters: Any, kind: type, config: TransformerConfig, **others: Array | None) -> None:
    """Arrays of the names and shapes that the configuration asks for, in the back end and dtype of the others.

    `kind` is TransformerParameters; BlockParameters, for one block of it; or dict, for the tables of the position
    scheme.
    """
    expect(isinstance(parameters, kind), kind.__name__, type(parameters).__name__)
    if isinstance(parameters, TransformerParameters):
        n_layers = len(parameters.blocks)
        expect(n_layers == config.n_layers, f"parameters of {config.n_layers} blocks", n_layers)
    part = {TransformerParameters: "", BlockParameters: "blocks.0.", dict: "position."}[kind]
    wanted = {name.removeprefix(part): shape for name, shape in config.shapes.items() if name.startswith(part)}
    _expect_arrays(flatten_parameters(parameters), wanted, **others)


def _expect_arrays(got: dict[str, Array], wanted: dict[str, tuple[int, ...]], **others: Array | None) -> None:
    for name, shape in wanted.items():
        if name not in got:
            raise ValueError(f"expected {name} of shape {shape}, got none")
        if getattr(got[name], "shape", None) != shape:
            expect_shape(name, got[name], *shape)
    if len(got) > len(wanted):
        name = next(name for name in got if name not in wanted)
        shape = tuple(got[name].shape)
        raise ValueError(f"expected parameters without {name}, which this configuration leaves out, got shape {shape}")
    given = {name: array for name, array in others.items() if array is not None} | got
    if given:
        expect_floats(namespace(**given), **given)


def _no_numbers(value: float, *shape: int) -> Array:
    return np.broadcast_to(value, shape)  # one number in memory, whatever the shape
