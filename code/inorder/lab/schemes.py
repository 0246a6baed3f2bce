"""The position schemes that the sweep compares, by name; and a reader's own, for the same table.

The schemes are those of the registry in `inorder.transformer`, with settings for texts of up to `LONGEST` tokens.
"""

import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inorder._arrays import Array, expect, expect_choice, namespace
from inorder.attention import attention_scores
from inorder.encodings import relative_positions
from inorder.transformer import SCHEMES, T5, Alibi, PositionScheme
from inorder.transformer.schemes import Entry, Normal, PositionTables

__all__ = ["FromPositions", "FromScores", "scheme_labels"]

LONGEST = 64  # tokens: what fixed scales, tables and bits have room for

STEP = 1e-6 * math.pi  # of the fingerprint: no number that is round lies halfway between two of its steps

BASELINES = {"bag-of-words": "bag of words", "cnn": "CNN", "gru": "GRU", "mixer": "MLP-Mixer"}  # of the other models


# Other settings of a scheme that the sweep trains beside the plain one, under a name of their own in tables.
VARIANTS = {
    "alibi-split": Entry(Alibi("split"), "ALiBi, directed", in_browser=True, in_sweep=True),
    "t5-16": Entry(T5(max_distance=16), "T5, up to 16", in_browser=True, in_sweep=True),
}


def compared() -> dict[str, Entry]:
    """What the sweep trains, by name: the schemes that say `in_sweep` in the registry, each before its variants."""
    entries: dict[str, Entry] = {}
    for name, entry in SCHEMES.items():
        if entry.in_sweep:
            entries[name] = entry
            entries |= {other: variant for other, variant in VARIANTS.items() if variant.scheme.name == name}
    return entries


def scheme_labels() -> dict[str, str]:
    """{name: what a reader sees} of what the sweep trains.

    >>> scheme_labels()["t5-16"]
    'T5, up to 16'
    """
    return {name: entry.label for name, entry in compared().items()}


def scheme(name: str, d_model: int = 32) -> PositionScheme:
    """The scheme of this name, for texts of up to `LONGEST` tokens and rows of this width.

    Raises ValueError: an unknown name.

    >>> scheme("t5-16"), scheme("learned-concatenated", 32)
    (T5(n_buckets=32, max_distance=16, bidirectional=True), Learned(concatenate=16, length=64))
    """
    known = SCHEMES | VARIANTS
    expect_choice("name", name, tuple(known))
    return known[name].scheme.resized(LONGEST, d_model)


def in_digits(arrays: Mapping[str, np.ndarray]) -> str:
    """Arrays by their names as 12 digits, which stay the same where another processor rounds the numbers otherwise.

    >>> third = {"share": np.array([1 / 3, 0.0])}
    >>> in_digits(third) == in_digits({"share": np.array([1 - 2 / 3, 1e-17])})
    True
    >>> in_digits(third) == in_digits({"share": np.array([0.3334, 0.0])})
    False
    """
    digest = hashlib.sha256()
    for name, array in arrays.items():
        steps = np.round(np.asarray(array, dtype=float) / STEP) + 0.0  # −0 is 0
        digest.update(f"{name} {steps.shape} ".encode() + np.ascontiguousarray(steps, "<f8").tobytes())
    return digest.hexdigest()[:12]


def scheme_name(scheme: str | PositionScheme) -> str:
    """What a table calls a scheme: by its name; one with settings of its own by its name, or kind, and the settings.

    >>> scheme_name("rotary"), scheme_name(FromScores("mine", lambda scores, relative: scores))
    ('rotary', 'mine')
    >>> scheme_name(SCHEMES["alibi"].scheme)
    "Alibi(direction='symmetric')"
    """
    if isinstance(scheme, str):
        return scheme
    if scheme.name in SCHEMES:
        return repr(scheme)
    return scheme.name + _settings(scheme)


def scheme_label(scheme: PositionScheme) -> str:
    """What a reader sees of an object: its label, if its class has one of its own, and its settings; else its name.

    >>> scheme_label(FromScores("mine", lambda scores, relative: scores))
    'mine'
    """
    named = scheme.name not in SCHEMES and scheme.label != PositionScheme.title
    return scheme.label + _settings(scheme) if named else scheme_name(scheme)


def _settings(scheme: PositionScheme) -> str:
    """Those that are plain values, of an object whose class does not put them into its name."""
    if isinstance(scheme, _OfYourOwn):
        return ""
    plain = {name: value for name, value in vars(scheme).items() if isinstance(value, bool | int | float | str)}
    return f"({', '.join(f'{name}={value!r}' for name, value in plain.items())})" if plain else ""


class _OfYourOwn(PositionScheme):
    """A function under a name. Two are the same if they do the same to the same numbers."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        valid = isinstance(name, str) and name and name not in SCHEMES | VARIANTS | BASELINES
        expect(valid, "a name that no other scheme has", repr(name))
        expect(callable(function), "a function", type(function).__name__)
        self.name, self.function = name, function  # type: ignore[misc]  # the name of this object, not of the class

    @property
    def label(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {in_digits({self.name: self.tried()})})"

    def __eq__(self, other: object) -> bool:
        return repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(self.name)

    def tried(self) -> np.ndarray:
        """What the function makes of some fixed input."""
        raise NotImplementedError


class FromPositions(_OfYourOwn):
    """A function of your own, positions (n,) → array (n, any width), times a trainable matrix, added to the rows.

    It gets and returns NumPy arrays.

    >>> waves = FromPositions("slow wave", lambda positions: np.sin(positions[:, None] / 10))
    >>> tables = waves.init_tables(lambda deviation, *shape: np.ones(shape), 4, 2)
    >>> waves.embed(np.zeros((3, 4)), np.arange(3), tables).round(2)[:, 0]
    array([0. , 0.1, 0.2])
    """

    def tried(self) -> np.ndarray:
        return self.values(np.arange(LONGEST))

    def values(self, positions: np.ndarray) -> np.ndarray:
        """(n, width), checked."""
        vectors = np.asarray(self.function(positions), dtype=float)
        right = vectors.ndim == 2 and vectors.shape[0] == len(positions) and vectors.shape[1] > 0
        expect(right, f"{self.name} to return an array of shape ({len(positions)}, width)", vectors.shape)
        expect(np.isfinite(vectors).all(), f"{self.name} to return finite numbers", "NaN or an infinity")
        return vectors

    def init_tables(self, normal: Normal, d_model: int, n_heads: int) -> PositionTables:
        width = self.values(np.arange(2)).shape[1]
        return {"matrix": normal(width**-0.5, width, d_model)}

    def embed(self, x: Array, positions: Array, tables: PositionTables) -> Array:
        xp = namespace(x)
        places = positions if isinstance(positions, np.ndarray) else positions.cpu().numpy()
        values = xp.asarray(self.values(places), dtype=x.dtype, device=x.device)  # (position, width)
        return x + values @ tables["matrix"]


class FromScores(_OfYourOwn):
    """A function of your own, scores (…, query, key) and key position minus query position (query, key) → scores.

    The scores are those scaled by 1/√d_head, before the softmax; −∞ forbids a look. Both are arrays of the back end
    that the model runs in, NumPy or torch, so arithmetic will do.

    >>> nearer = FromScores("nearer", lambda scores, relative: scores - abs(relative))
    >>> query = np.zeros((1, 3, 2))
    >>> nearer.bias(query, query, np.arange(3), np.arange(3), {})[0, 0]
    array([ 0., -1., -2.])
    """

    def tried(self) -> np.ndarray:
        places = np.arange(12)
        scores = np.random.default_rng(0).normal(size=(1, 2, 12, 12))
        return np.asarray(self.function(scores, relative_positions(places, places)), dtype=float)

    def bias(
        self, query: Array, key: Array, query_positions: Array, key_positions: Array, tables: PositionTables
    ) -> Array:
        scores = attention_scores(query, key)  # (*batch, head, query, key)
        biased = self.function(scores, relative_positions(query_positions, key_positions))
        same = getattr(biased, "shape", None) == scores.shape
        expect(same, f"{self.name} to return scores of shape {tuple(scores.shape)}", getattr(biased, "shape", biased))
        return biased - scores
