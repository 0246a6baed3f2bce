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

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np

from inorder._arrays import (
    Array,
    expect,
    expect_choice,
    expect_count,
    expect_floats,
    expect_positive,
    expect_shape,
    namespace,
)
from inorder.encodings.absolute import (
    binary_encoding,
    concatenate_encoding,
    look_up,
    scalar_encoding,
    sinusoidal_encoding,
    sinusoidal_encoding_2d,
)
from inorder.encodings.biases import alibi_bias, shaw_bias, t5_bias
from inorder.encodings.longer import (
    interpolated_frequencies,
    llama3_frequencies,
    ntk_frequencies,
    yarn_frequencies,
    yarn_magnitude,
)
from inorder.encodings.rotary import rotary_encoding, rotary_encoding_2d, turn_pairs

PositionTables = dict[str, Array]
HOOKS = ("embed", "rotate", "bias")
Normal = Callable[..., Array]  # normal(deviation, *shape): an array drawn from N(0, deviation²)


class PositionScheme:
    """No position at all; and the three hooks of every other scheme, here leaving everything as it is.

    A hook gets arrays of the model's back end and dtype and returns such arrays, of the shape that its docstring
    gives; another raises a ValueError. `positions` are int64, (position,) or (position, 2), the same for all sequences
    of a batch; `tables` is what `init_tables` returned, as trained since.
    """

    name: ClassVar[str] = "none"  # of the plain scheme of its kind in `SCHEMES`, and of the hook in JavaScript
    title: ClassVar[str] = "no positions"
    in_2d: ClassVar[bool] = False  # do the hooks take positions of shape (position, 2), too?

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

    def resized(self, longest: int, d_model: int) -> "PositionScheme":
        """The same scheme, its scale, tables and bits made for texts of up to `longest` tokens and rows of d_model.

        A scheme that concatenates takes half of the columns.
        """
        return self

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

    def resized(self, longest: int, d_model: int) -> PositionScheme:
        sizes = {"length": longest, "n_bits": max(1, (longest - 1).bit_length())}
        own = {name: size for name, size in sizes.items() if hasattr(self, name)}
        return replace(self, concatenate=d_model // 2 if self.concatenate else 0, **own)

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
    in_2d: ClassVar[bool] = True

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

    A direction, because layer norm takes away a number that is added to all coordinates.
    """

    name: ClassVar[str] = "scalar"
    title: ClassVar[str] = "scalar"

    length: int = 512

    def init_tables(self, normal: Normal, d_model: int, n_heads: int) -> PositionTables:
        return {"direction": normal(1.0, 1, self.position_width(d_model))}

    def vectors(self, positions: Array, width: int, tables: PositionTables, like: Array) -> Array:
        return scalar_encoding(positions, self.length, dtype=like.dtype) @ tables["direction"]


@dataclass(frozen=True)
class RelativeScalar(Scalar):
    """One number, from 0 for the first row of a text to 1 for its last, times a trainable direction."""

    name: ClassVar[str] = "scalar-relative"
    title: ClassVar[str] = "relative scalar"

    def vectors(self, positions: Array, width: int, tables: PositionTables, like: Array) -> Array:
        share = scalar_encoding(positions - positions[0], max(positions.shape[0], 2), dtype=like.dtype)
        return share @ tables["direction"]


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
    in_2d: ClassVar[bool] = True

    base: float = 10_000.0
    pairing: str = "interleaved"

    def rotate(self, query_or_key: Array, positions: Array, tables: PositionTables) -> Array:
        encoding = rotary_encoding if len(positions.shape) == 1 else rotary_encoding_2d
        return encoding(query_or_key, positions, base=self.base, pairing=self.pairing)


@dataclass(frozen=True)
class ScaledRotary(Rotary):
    """Rotary for texts `factor` times as long as those of training, which had up to `trained_length` tokens.

    scaling "interpolated" slows all hands, "ntk" takes a larger base, "yarn" leaves the fast hands alone, slows the
    others and sharpens the scores, and "llama3" does so without sharpening: see `inorder.encodings`. slow and fast are
    turns in a text of training: hands below the one are slowed, those above the other are not.

    Raises ValueError: an unknown scaling; a factor, slow or fast that is not a positive number; a trained_length that
    is not a positive whole number.
    """

    name: ClassVar[str] = "scaled-rotary"
    title: ClassVar[str] = "RoPE, scaled"
    in_2d: ClassVar[bool] = False

    scaling: str = "interpolated"
    factor: float = 1.0
    trained_length: int = 8192
    slow: float = 1.0
    fast: float = 32.0

    def __post_init__(self) -> None:
        expect_choice("scaling", self.scaling, ("interpolated", "ntk", "yarn", "llama3"))
        expect_positive("factor", self.factor)
        expect_count("trained_length", self.trained_length)

    def omega(self, d_head: int, like: Array | None = None) -> Array:
        """How far each pair turns at each step, (frequency,), float64."""
        by_parts = {"yarn": yarn_frequencies, "llama3": llama3_frequencies}.get(self.scaling)
        if by_parts is not None:
            borders = {"slow": self.slow, "fast": self.fast}
            return by_parts(d_head, self.factor, self.trained_length, base=self.base, like=like, **borders)
        scaled = ntk_frequencies if self.scaling == "ntk" else interpolated_frequencies
        return scaled(d_head, self.factor, base=self.base, like=like)

    def rotate(self, query_or_key: Array, positions: Array, tables: PositionTables) -> Array:
        xp = namespace(query_or_key)
        like = xp.empty(0, dtype=xp.float64, device=query_or_key.device)
        magnitude = yarn_magnitude(self.factor) if self.scaling == "yarn" else 1.0
        omega = self.omega(query_or_key.shape[-1], like)
        return turn_pairs(query_or_key, positions, omega, magnitude=magnitude, pairing=self.pairing)


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


class Entry(NamedTuple):
    """A line of the registry."""

    scheme: PositionScheme
    label: str  # what a reader sees
    in_browser: bool  # can JavaScript compute it?
    in_sweep: bool  # does the sweep train it?


# The registry. `TransformerConfig`, the sweep and the figures know a scheme by its name here, and have no list of their
# own. Other settings than the plain ones are arguments: Alibi("left").
SCHEMES: dict[str, Entry] = {}


def register(
    name: str, scheme: PositionScheme, label: str, *, in_browser: bool = False, in_sweep: bool = False
) -> PositionScheme:
    """Enter a scheme into `SCHEMES`, and return it.

    in_browser says that `HOOKS` in `inorder/widgets/kit/transformer.js` has one under the `name` of the scheme's class:
    the figures then offer it. in_sweep says that the sweep trains it unless told otherwise.

    Raises ValueError: a name or label that is empty or taken; a class without a `name` that begins the entry's; hooks
    that are missing, have other parameters than those of `PositionScheme`, or return another shape.

    >>> register("rotary", Rotary(base=100.0), "RoPE, fast")
    Traceback (most recent call last):
    ...
    ValueError: expected a name that no other position scheme has, got 'rotary'
    """
    expect(isinstance(name, str) and name, "the name of a position scheme", repr(name))
    expect(name not in SCHEMES, "a name that no other position scheme has", repr(name))
    expect(isinstance(scheme, PositionScheme), f"a PositionScheme for {name!r}", repr(scheme))
    expect(isinstance(label, str) and label.strip(), f"a label for {name!r}, which a reader sees", repr(label))
    taken = next((other for other, entry in SCHEMES.items() if entry.label == label), None)
    expect(taken is None, f"a label for {name!r} that no other position scheme has", f"{label!r}, that of {taken!r}")
    kind = type(scheme).__name__
    own_name = "name" in vars(type(scheme)) and name.startswith(scheme.name)
    expect(own_name, f"{kind} to have a name of its own with which {name!r} begins", repr(scheme.name))
    expect_hooks(scheme)
    if type(scheme).__module__ != __name__:  # the tests check those of this module, so that it imports faster
        apply_hooks(scheme)
    SCHEMES[name] = Entry(scheme, label, bool(in_browser), bool(in_sweep))
    return scheme


def expect_hooks(scheme: PositionScheme) -> None:
    """Raise ValueError unless a scheme has a hook, and each has the parameters of that of `PositionScheme`; and if a
    method is called almost like one, or has the parameters of one.
    """
    kind, calls = type(scheme).__name__, {}
    for hook in (*HOOKS, "init_tables", "token_width", "resized"):
        expected = list(inspect.signature(getattr(PositionScheme, hook)).parameters)[1:]
        call, method = f"{kind}.{hook}({', '.join(expected)})", getattr(scheme, hook)
        expect(callable(method), call, f"{kind}.{hook} = {method!r}")
        parameters = list(inspect.signature(method).parameters)
        expect(parameters == expected, call, f"{kind}.{hook}({', '.join(parameters)})")
        calls[hook] = parameters
    for name in sorted(set(dir(scheme)) - set(dir(PositionScheme))):
        method = getattr(scheme, name)
        if name[0] != "_" and (inspect.ismethod(method) or inspect.isfunction(method)):
            same = [hook for hook in HOOKS if list(inspect.signature(method).parameters) == calls[hook]]
            for hook in same or difflib.get_close_matches(name.lower(), calls, n=1, cutoff=0.8):
                raise ValueError(f"expected {kind}.{hook}, a hook, got {kind}.{name} (a helper's name begins with _)")
    has_hook = any(getattr(type(scheme), hook) is not getattr(PositionScheme, hook) for hook in HOOKS)
    expect(has_hook or type(scheme) is PositionScheme, f"{kind} to override {', '.join(HOOKS[:-1])} or bias", "none")


def apply_hooks(
    scheme: PositionScheme, n: int = 3, *, d_model: int = 32, n_heads: int = 4, like: Any = None
) -> dict[str, Array]:
    """What the hooks return for n tokens of fixed random numbers, and the tables they were given, each by its name.

    Raises ValueError: as `expect_hooks`; another shape or dtype from a hook; and what the hooks themselves raise.
    """
    expect_hooks(scheme)
    like = np.zeros(()) if like is None else like
    xp, rng = namespace(like), np.random.default_rng(0)

    def normal(deviation: float, *shape: int) -> Array:
        return xp.asarray(rng.normal(0.0, deviation, shape), dtype=like.dtype)

    d_head = d_model // n_heads
    tables = init_tables(scheme, normal, d_model, n_heads)
    rows = normal(1.0, 1, n, scheme.token_width(d_model))  # (batch, position, token_width)
    query, key = (normal(1.0, 1, n_heads, n, d_head) for _ in range(2))  # (batch, head, position, d_head)
    positions = xp.arange(n)
    embedded = from_hook(scheme, "embed", scheme.embed(rows, positions, tables), rows, 1, n, d_model)
    rotated = from_hook(scheme, "rotate", scheme.rotate(query, positions, tables), query, *query.shape)
    bias = scheme.bias(query, key, positions, positions, tables)
    arrays = {**tables, "embed": embedded, "rotate": rotated}
    if bias is None:
        return arrays
    full = (1, n_heads, n, n)
    shape = tuple(getattr(bias, "shape", ()))
    broadcasts = 2 <= len(shape) <= 4 and all(a in (1, b) for a, b in zip(shape[::-1], full[::-1], strict=False))
    shapes = "(query, key), (head, query, key) or (batch, head, query, key)"
    name = f"{type(scheme).__name__}.bias"
    expect(broadcasts, f"{name} to return {shapes} = {full}", shape or repr(bias))
    expect_floats(xp, bias=query, **{f"what {name} returns": bias})
    return arrays | {"bias": bias}


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


register("none", PositionScheme(), "no positions", in_browser=True, in_sweep=True)
register("sinusoidal", Sinusoidal(), "sinusoids, added", in_browser=True, in_sweep=True)
register(
    "sinusoidal-concatenated", Sinusoidal(concatenate=16), "sinusoids, concatenated", in_browser=True, in_sweep=True
)
register("learned", Learned(), "learned, added", in_browser=True, in_sweep=True)
register("learned-concatenated", Learned(concatenate=16), "learned, concatenated", in_browser=True, in_sweep=True)
register("scalar", Scalar(), "scalar, i/63", in_browser=True, in_sweep=True)
register("scalar-relative", RelativeScalar(), "scalar, i/(n − 1)", in_sweep=True)
register("binary", Binary(), "binary", in_browser=True, in_sweep=True)
register("rotary", Rotary(), "RoPE", in_browser=True, in_sweep=True)
register("alibi", Alibi(), "ALiBi", in_browser=True, in_sweep=True)
register("t5", T5(), "T5, up to 128", in_browser=True, in_sweep=True)
register("shaw", Shaw(), "Shaw", in_browser=True, in_sweep=True)
