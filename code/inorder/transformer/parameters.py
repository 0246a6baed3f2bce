"""The configuration of a transformer, and the tree of arrays that belongs to it.

A tree is made of NamedTuples, tuples and dictionaries, with an array at each leaf, or None where the configuration has
no use for one. Nothing in it belongs to a back end: a tree of torch tensors is what an optimiser trains.

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Devlin et al. 2019, BERT, https://arxiv.org/abs/1810.04805
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from inorder._arrays import Array, expect, expect_count, expect_floats, float_creation, namespace
from inorder.attention import AttentionParameters
from inorder.transformer.schemes import SCHEMES, Normal, PositionScheme, Tables

NORMS = ("pre", "post", "none")
ACTIVATIONS = ("gelu", "relu")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The settings of one model: its sizes, and the switches that the chapters turn.

    d_ff              width inside the feed-forward layer; 0 leaves that layer out.
    position          a name in `SCHEMES`, or a `PositionScheme` with settings of its own.
    norm              "pre" (before each sublayer and after the last), "post" (after each residual sum, [1]) or "none".
    residual          weight of the skip connection: 1 is the usual one, 0 takes it away.
    activation        "gelu" or "relu".
    linear_biases     False takes the b out of every x W + b.
    cross_attention   True: after its own tokens, every block looks at a `memory`.
    norm_embedding    True: a layer norm before the first block, as in [2].
    n_outputs         width of what `unembed` returns; None is vocabulary_size.
    eps               of layer norm.

    Raises ValueError: a size that is not a positive whole number; d_model that n_heads does not divide; an unknown
    norm, activation or position; a residual or eps that is not a finite number; a scheme that leaves the token no
    column.

    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1, position="rotary")
    >>> config.scheme
    Rotary(base=10000.0, pairing='interleaved')
    """

    vocabulary_size: int
    d_model: int
    n_heads: int
    d_ff: int
    n_layers: int
    position: str | PositionScheme = "none"
    norm: str = "pre"
    residual: float = 1.0
    activation: str = "gelu"
    linear_biases: bool = True
    cross_attention: bool = False
    norm_embedding: bool = False
    n_outputs: int | None = None
    eps: float = 1e-5

    def __post_init__(self) -> None:
        for name in ("vocabulary_size", "d_model", "n_heads", "n_layers"):
            expect_count(name, getattr(self, name))
        expect(self.d_model % self.n_heads == 0, f"a d_model that n_heads = {self.n_heads} divides", self.d_model)
        whole = isinstance(self.d_ff, Integral) and self.d_ff >= 0
        expect(whole, "d_ff to be a whole number, 0 or more", repr(self.d_ff))
        if self.n_outputs is not None:
            expect_count("n_outputs", self.n_outputs)
        expect(self.norm in NORMS, f"norm to be one of {', '.join(NORMS)}", repr(self.norm))
        known = self.activation in ACTIVATIONS
        expect(known, f"activation to be one of {', '.join(ACTIVATIONS)}", repr(self.activation))
        finite = isinstance(self.residual, Real) and math.isfinite(self.residual)
        expect(finite, "residual to be a finite number", repr(self.residual))
        expect(isinstance(self.eps, Real) and 0 <= self.eps < math.inf, "eps to be a number, 0 or more", repr(self.eps))
        known = isinstance(self.position, PositionScheme) or self.position in SCHEMES
        expect(known, f"position to be a PositionScheme or one of {', '.join(SCHEMES)}", repr(self.position))
        width = self.scheme.token_width(self.d_model)
        expect(width > 0, f"a position scheme that leaves the token some of the {self.d_model} columns", width)

    @property
    def scheme(self) -> PositionScheme:
        """The position scheme itself."""
        return SCHEMES[self.position] if isinstance(self.position, str) else self.position


class LayerNormParameters(NamedTuple):
    """What `layer_norm` multiplies with and adds, coordinate by coordinate."""

    scale: Float[Array, " d_model"]
    shift: Float[Array, " d_model"]


class FeedForwardParameters(NamedTuple):
    """What `feed_forward` learns."""

    w_in: Float[Array, "d_model d_ff"]
    w_out: Float[Array, "d_ff d_model"]
    b_in: Float[Array, " d_ff"] | None = None
    b_out: Float[Array, " d_model"] | None = None


class BlockParameters(NamedTuple):
    """What one `block` learns. None stands for a part that the configuration leaves out."""

    attention: AttentionParameters
    cross_attention: AttentionParameters | None
    feed_forward: FeedForwardParameters | None
    norm_attention: LayerNormParameters | None
    norm_cross_attention: LayerNormParameters | None
    norm_feed_forward: LayerNormParameters | None


class TransformerParameters(NamedTuple):
    """All that a model learns: what its tokens and positions look like, its blocks, and the way to its outputs."""

    embedding: Float[Array, "vocabulary d_token"]
    position: Tables
    blocks: tuple[BlockParameters, ...]
    norm_embedding: LayerNormParameters | None
    norm_output: LayerNormParameters | None
    w_output: Float[Array, "d_model n_outputs"]
    b_output: Float[Array, " n_outputs"] | None


def init_parameters(
    config: TransformerConfig, rng: np.random.Generator, *, like: Array | None = None
) -> TransformerParameters:
    """Fresh parameters: W ~ N(0, 1/d_in), so that rows of unit variance keep it; b = 0; layer norm 1 and 0.

    Token vectors (and learned position vectors) are N(0, 1), the scale of Vaswani's √d_model times N(0, 1/d_model)
    ([1], section 3.4). NumPy draws for both back ends, so one generator gives one model; back end, device and dtype are
    those of `like`, else NumPy float64. To train with torch, turn the leaves into tensors that record a gradient:
    `map_parameters(lambda w: w.requires_grad_(), parameters)`.

    Raises ValueError: a config that is no TransformerConfig; an rng that is no NumPy Generator; a like without floats.

    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=3)
    >>> parameters = init_parameters(config, np.random.default_rng(0))
    >>> parameters.embedding.shape, len(parameters.blocks), parameters.blocks[0].feed_forward.w_in.shape
    ((5, 8), 3, (8, 16))
    """
    expect(isinstance(config, TransformerConfig), "a TransformerConfig", type(config).__name__)
    expect(isinstance(rng, np.random.Generator), "rng to be a numpy.random.Generator", repr(rng))
    xp, device, dtype = float_creation(like)

    def normal(deviation: float, *shape: int) -> Array:
        return xp.asarray(rng.normal(0.0, deviation, shape), dtype=dtype, device=device)

    def constant(value: float, *shape: int) -> Array:
        return xp.full(shape, value, dtype=dtype, device=device)

    return _make_tree(config, normal, constant)


def _make_tree(config: TransformerConfig, normal: Normal, constant: Normal) -> TransformerParameters:
    d_model, d_ff = config.d_model, config.d_ff
    normed, crossed = config.norm != "none", config.cross_attention

    def weight(d_in: int, d_out: int) -> Array:
        return normal(d_in**-0.5, d_in, d_out)

    def offset(d_out: int) -> Array | None:
        return constant(0.0, d_out) if config.linear_biases else None

    def norm() -> LayerNormParameters:
        return LayerNormParameters(constant(1.0, d_model), constant(0.0, d_model))

    def attention() -> AttentionParameters:
        return AttentionParameters(*(weight(d_model, d_model) for _ in "qkvo"), *(offset(d_model) for _ in "qkvo"))

    def feed_forward() -> FeedForwardParameters:
        return FeedForwardParameters(weight(d_model, d_ff), weight(d_ff, d_model), offset(d_ff), offset(d_model))

    def block() -> BlockParameters:
        return BlockParameters(
            attention=attention(),
            cross_attention=attention() if crossed else None,
            feed_forward=feed_forward() if d_ff else None,
            norm_attention=norm() if normed else None,
            norm_cross_attention=norm() if normed and crossed else None,
            norm_feed_forward=norm() if normed and d_ff else None,
        )

    n_outputs = config.n_outputs or config.vocabulary_size
    return TransformerParameters(
        embedding=normal(1.0, config.vocabulary_size, config.scheme.token_width(d_model)),
        position=config.scheme.init_tables(normal, d_model, config.n_heads),
        blocks=tuple(block() for _ in range(config.n_layers)),
        norm_embedding=norm() if config.norm_embedding else None,
        norm_output=norm() if config.norm == "pre" else None,
        w_output=weight(d_model, n_outputs),
        b_output=offset(n_outputs),
    )


def map_parameters(f: Callable[[Array], Any], parameters: Any) -> Any:
    """The same tree with f(array) in place of each array. None stays None.

    Works on any part of a tree too. An example: parameters for torch, `map_parameters(torch.tensor, parameters)`.

    >>> from inorder.transformer import LayerNormParameters
    >>> map_parameters(lambda w: 2 * w, LayerNormParameters(scale=np.ones(2), shift=np.zeros(2)))
    LayerNormParameters(scale=array([2., 2.]), shift=array([0., 0.]))
    """
    if parameters is None:
        return None
    if isinstance(parameters, dict):
        return {name: map_parameters(f, part) for name, part in parameters.items()}
    if isinstance(parameters, tuple):
        parts = [map_parameters(f, part) for part in parameters]
        return type(parameters)(*parts) if hasattr(parameters, "_fields") else tuple(parts)
    return f(parameters)


def named_parameters(parameters: Any, prefix: str = "") -> Iterator[tuple[str, Array]]:
    """(name, array) for each array of a tree, in the order of its fields: what an optimiser or a file wants.

    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1, position="t5")
    >>> names = [name for name, _ in named_parameters(init_parameters(config, np.random.default_rng(0)))]
    >>> names[:3]
    ['embedding', 'position.buckets', 'blocks.0.attention.w_query']
    """
    if isinstance(parameters, tuple):
        names = getattr(parameters, "_fields", range(len(parameters)))
        parameters = dict(zip(names, parameters, strict=True))
    if isinstance(parameters, dict):
        for name, part in parameters.items():
            yield from named_parameters(part, f"{prefix}.{name}" if prefix else str(name))
    elif parameters is not None:
        yield prefix, parameters


def parameter_shapes(config: TransformerConfig) -> dict[str, tuple[int, ...]]:
    """The shape of each array that a configuration asks for, by its name, without making any.

    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1)
    >>> sum(math.prod(shape) for shape in parameter_shapes(config).values())
    701
    """
    expect(isinstance(config, TransformerConfig), "a TransformerConfig", type(config).__name__)
    return _shapes(_make_tree(config, _no_numbers, _no_numbers))


def expect_parameters(parameters: Any, kind: type, config: TransformerConfig, **others: Array) -> None:
    """Arrays of the names and shapes that the configuration asks for, in the back end and dtype of the others.

    Of a whole model this checks the number of blocks and what lies outside them: each block checks its own. A
    dictionary holds the tables of the position scheme.
    """
    expect(isinstance(config, TransformerConfig), "a TransformerConfig", type(config).__name__)
    expect(isinstance(parameters, kind), kind.__name__, type(parameters).__name__)
    if isinstance(parameters, TransformerParameters):
        n_layers = len(parameters.blocks)
        expect(n_layers == config.n_layers, f"parameters of {config.n_layers} blocks", n_layers)
        parameters = parameters._replace(blocks=())
    arrays = dict(named_parameters(parameters))
    xp = namespace(*others.values(), *arrays.values())
    wanted, got = _shapes_of(kind, config), _shapes(parameters)
    for name in wanted | got:
        if name in wanted:
            expect(got.get(name) == wanted[name], f"{name} of shape {wanted[name]}", got.get(name, "none"))
        else:
            expect(False, f"parameters without {name}, which this configuration leaves out", f"shape {got[name]}")
    expect_floats(xp, **others, **arrays)


@cache
def _shapes_of(kind: type, config: TransformerConfig) -> dict[str, tuple[int, ...]]:
    tree = _make_tree(config, _no_numbers, _no_numbers)
    parts = {TransformerParameters: tree._replace(blocks=()), BlockParameters: tree.blocks[0], dict: tree.position}
    return _shapes(parts[kind])


def _shapes(tree: Any) -> dict[str, tuple[int, ...]]:
    return {name: tuple(array.shape) for name, array in named_parameters(tree)}


def _no_numbers(value: float, *shape: int) -> Array:
    return np.broadcast_to(value, shape)  # one number in memory, whatever the shape
