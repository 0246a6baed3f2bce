"""Position schemes: how a model may learn where its tokens are. Each is one setting of one model, `inorder.encodings`
put to use at one of three places:

    embed    once, in the row of each token, before the first block      sinusoidal, learned, scalar, binary
    rotate   in every block, on each head's query and key                rotary
    bias     in every block, on the scaled scores                        ALiBi, T5, Shaw

A scheme holds settings and no arrays. What it learns are its `tables`, which live in the parameters of the model and
are handed to every hook. A scheme of your own inherits from `PositionScheme` and overrides what it needs:

    >>> class Counter(PositionScheme):
    ...     def embed(self, x, positions, tables):
    ...         return x + positions[:, None]

[1] Vaswani et al. 2017, Attention Is All You Need, https://arxiv.org/abs/1706.03762
[2] Su et al. 2021, RoFormer, https://arxiv.org/abs/2104.09864
[3] Press, Smith and Lewis 2022, Train Short, Test Long (ALiBi), https://arxiv.org/abs/2108.12409
[4] Raffel et al. 2020, Exploring the Limits of Transfer Learning (T5), https://arxiv.org/abs/1910.10683
[5] Shaw, Uszkoreit and Vaswani 2018, Self-Attention with Relative Position Representations,
    https://arxiv.org/abs/1803.02155
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from inorder._arrays import Array, expect, expect_count, expect_floats, expect_shape, namespace
from inorder.encodings import (
    alibi_bias,
    binary_encoding,
    concatenate_encoding,
    look_up,
    rotary_encoding,
    rotary_encoding_2d,
    scalar_encoding,
    shaw_bias,
    sinusoidal_encoding,
    sinusoidal_encoding_2d,
    t5_bias,
)

PositionTables = dict[str, Array]
Normal = Callable[..., Array]  # normal(deviation, *shape): an array drawn from N(0, deviation²)


class PositionScheme:
    """No position at all; and the three hooks of every other scheme, here leaving everything as it is.

    A hook gets arrays of the model's back end and dtype and returns such arrays, of the shape that its docstring
    gives; another raises a ValueError. `positions` are int64, (position,) or (position, 2), the same for all sequences
    of a batch; `tables` is what `init_tables` returned, as trained since.
    """

    name: ClassVar[str] = "none"  # in `SCHEMES` and in the state of a figure
    title: ClassVar[str] = "no positions"

    @property
    def label(self) -> str:
        """What a figure calls the scheme."""
        return self.title

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def token_width(self, d_model: int) -> int:
        """The width of a token's own vector: d_model, less the columns that the scheme takes for the position."""
        return d_model

    def init_tables(self, normal: Normal, d_model: int, n_heads: int) -> PositionTables:
        """What the scheme learns, freshly drawn: a dictionary of arrays, whose shapes its settings determine.

        normal(deviation, *shape) draws one, in the back end of the model.
        """
        return {}

    def embed(self, x: Array, positions: Array, tables: PositionTables) -> Array:
        """The rows of the tokens, (*batch, position, token_width), to (*batch, position, d_model).

        Called once, before the first block.
        """
        return x

    def rotate(self, query_or_key: Array, positions: Array, tables: PositionTables) -> Array:
        """A query or key, (*batch, head, position, d_head), to the same shape.

        Called in every block for both, after the heads are split and before a key is cached.
        """
        return query_or_key

    def bias(
        self, query: Array, key: Array, query_positions: Array, key_positions: Array, tables: PositionTables
    ) -> Array | None:
        """What is added to the scaled scores, −∞ to mask; None for nothing.

        (query, key), (head, query, key), or (*batch, head, query, key) if it depends on the query. Called in every
        block; the keys, (*batch, head, key, d_head), and their positions include those of a cache.
        """
        return None


@dataclass(frozen=True)
class AbsoluteScheme(PositionScheme):
    """A vector for each absolute position, in the token's row: added to it, or put beside it in `concatenate` columns.

    A row is d_model wide either way, so concatenation leaves d_model − concatenate columns to the token.
    """

    concatenate: int = 0

    def __post_init__(self) -> None:
        valid = isinstance(self.concatenate, Integral) and self.concatenate >= 0
        expect(valid, "concatenate to be a number of columns, 0 to add instead", repr(self.concatenate))

    def token_width(self, d_model: int) -> int:
        return d_model - self.concatenate

    def position_width(self, d_model: int) -> int:
        return self.concatenate or d_model

    def embed(self, x: Array, positions: Array, tables: PositionTables) -> Array:
        vectors = self.vectors(positions, self.position_width(x.shape[-1]), tables, x)  # (position, width)
        return concatenate_encoding(x, vectors) if self.concatenate else x + vectors

    def vectors(self, positions: Array, width: int, tables: PositionTables, like: Array) -> Array:
        """(position, width), of the dtype of `like`."""
        raise NotImplementedError


@dataclass(frozen=True)
class Sinusoidal(AbsoluteScheme):
    """Sines and cosines of fixed frequencies. Positions of shape (position, 2) get the 2-D form. Source: [1], 3.5."""

    name: ClassVar[str] = "sinusoidal"
    title: ClassVar[str] = "sinusoids"

    base: float = 10_000.0
    layout: str = "interleaved"

    def vectors(self, positions: Array, width: int, tables: PositionTables, like: Array) -> Array:
        encoding = sinusoidal_encoding if len(positions.shape) == 1 else sinusoidal_encoding_2d
        return encoding(positions, width, base=self.base, layout=self.layout, dtype=like.dtype)


@dataclass(frozen=True)
class Learned(AbsoluteScheme):
    """A trainable row for each position below `length`, drawn on the scale of the tokens' own vectors."""

    name: ClassVar[str] = "learned"
    title: ClassVar[str] = "learned"

    length: int = 512

    def init_tables(self, normal: Normal, d_model: int, n_heads: int) -> PositionTables:
        expect_count("length", self.length)
        return {"rows": normal(1.0, self.length, self.position_width(d_model))}

    def vectors(self, positions: Array, width: int, tables: PositionTables, like: Array) -> Array:
        return look_up(tables["rows"], positions)


@dataclass(frozen=True)
class Scalar(AbsoluteScheme):
    """One number, from 0 at position 0 to 1 at position length − 1, times a trainable direction.

    A direction, because a number added to all coordinates alike is what layer norm takes away.
    """

    name: ClassVar[str] = "scalar"
    title: ClassVar[str] = "scalar"

    length: int = 512

    def init_tables(self, normal: Normal, d_model: int, n_heads: int) -> PositionTables:
        return {"direction": normal(1.0, 1, self.position_width(d_model))}

    def vectors(self, positions: Array, width: int, tables: PositionTables, like: Array) -> Array:
        return scalar_encoding(positions, self.length, dtype=like.dtype) @ tables["direction"]


@dataclass(frozen=True)
class Binary(AbsoluteScheme):
    """The bits of the position, each times a trainable direction."""

    name: ClassVar[str] = "binary"
    title: ClassVar[str] = "binary"

    n_bits: int = 9

    def init_tables(self, normal: Normal, d_model: int, n_heads: int) -> PositionTables:
        expect_count("n_bits", self.n_bits)
        return {"directions": normal(self.n_bits**-0.5, self.n_bits, self.position_width(d_model))}

    def vectors(self, positions: Array, width: int, tables: PositionTables, like: Array) -> Array:
        return binary_encoding(positions, self.n_bits, dtype=like.dtype) @ tables["directions"]


@dataclass(frozen=True)
class Rotary(PositionScheme):
    """Query and key turned by their positions. Positions of shape (position, 2) get the 2-D form. Source: [2]."""

    name: ClassVar[str] = "rotary"
    title: ClassVar[str] = "RoPE"

    base: float = 10_000.0
    pairing: str = "interleaved"

    def rotate(self, query_or_key: Array, positions: Array, tables: PositionTables) -> Array:
        encoding = rotary_encoding if len(positions.shape) == 1 else rotary_encoding_2d
        return encoding(query_or_key, positions, base=self.base, pairing=self.pairing)


@dataclass(frozen=True)
class Alibi(PositionScheme):
    """A penalty for distance, at a fixed slope for each head; direction as in `alibi_bias`. Source: [3]."""

    name: ClassVar[str] = "alibi"
    title: ClassVar[str] = "ALiBi"

    direction: str = "symmetric"

    @property
    def label(self) -> str:
        return self.title if self.direction == "symmetric" else f"{self.title}, {self.direction}"

    def bias(
        self, query: Array, key: Array, query_positions: Array, key_positions: Array, tables: PositionTables
    ) -> Array:
        n_heads = query.shape[-3]
        return alibi_bias(n_heads, query_positions, key_positions, direction=self.direction, dtype=query.dtype)


@dataclass(frozen=True)
class T5(PositionScheme):
    """A trainable number for each bucket of distances and each head, the same in all layers. Source: [4], section 2.1.

    T5's decoders have bidirectional=False. (T5 itself does not divide its scores by √d_head; here all schemes do.)
    """

    name: ClassVar[str] = "t5"
    title: ClassVar[str] = "T5"

    n_buckets: int = 32
    max_distance: int = 128
    bidirectional: bool = True

    def init_tables(self, normal: Normal, d_model: int, n_heads: int) -> PositionTables:
        expect_count("n_buckets", self.n_buckets)
        return {"buckets": normal(d_model**-0.5, self.n_buckets, n_heads)}

    def bias(
        self, query: Array, key: Array, query_positions: Array, key_positions: Array, tables: PositionTables
    ) -> Array:
        return t5_bias(
            tables["buckets"],
            query_positions,
            key_positions,
            max_distance=self.max_distance,
            bidirectional=self.bidirectional,
        )


@dataclass(frozen=True)
class Shaw(PositionScheme):
    """A trainable key for each distance up to ±max_distance, the same in all layers and heads. Source: [5].

    The paper's relative values are left out: it finds no gain from them (table 3).
    """

    name: ClassVar[str] = "shaw"
    title: ClassVar[str] = "Shaw"

    max_distance: int = 16

    def init_tables(self, normal: Normal, d_model: int, n_heads: int) -> PositionTables:
        expect_count("max_distance", self.max_distance)
        d_head = d_model // n_heads
        return {"relative_keys": normal(d_head**-0.5, 2 * self.max_distance + 1, d_head)}

    def bias(
        self, query: Array, key: Array, query_positions: Array, key_positions: Array, tables: PositionTables
    ) -> Array:
        keys = tables["relative_keys"]
        return shaw_bias(query, keys, query_positions, key_positions, max_distance=self.max_distance)


# The registry: by these names `TransformerConfig` and the figures know a scheme. `label` is what a reader sees.
SCHEMES: dict[str, PositionScheme] = {
    "none": PositionScheme(),
    "sinusoidal": Sinusoidal(),
    "learned": Learned(),
    "scalar": Scalar(),
    "binary": Binary(),
    "rotary": Rotary(),
    "alibi": Alibi(),
    "alibi-left": Alibi("left"),
    "alibi-right": Alibi("right"),
    "alibi-split": Alibi("split"),
    "t5": T5(),
    "shaw": Shaw(),
}


def from_hook(scheme: PositionScheme, hook: str, got: Any, like: Array, *shape: int) -> Array:
    """What a hook returned for `like`, checked: a scheme may be anyone's."""
    if got is like:
        return got
    name = f"what {type(scheme).__name__}.{hook} returns"
    expect_shape(name, got, *shape)
    expect_floats(namespace(like, got), **{hook: like, name: got})
    return got


def init_tables(scheme: PositionScheme, normal: Normal, d_model: int, n_heads: int) -> PositionTables:
    """What the scheme learns, freshly drawn, checked."""
    tables = scheme.init_tables(normal, d_model, n_heads)
    valid = isinstance(tables, dict) and all(isinstance(name, str) for name in tables)
    expect(valid, f"{type(scheme).__name__}.init_tables to return a dictionary of arrays", type(tables).__name__)
    for name, table in tables.items():
        expect_shape(f"{name} of {type(scheme).__name__}.init_tables", table, ...)
    return tables
