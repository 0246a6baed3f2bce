"""RelativeBiasExplorer: what each scheme adds to a score, or makes of it, as a function of the distance to the key."""

from typing import Any, ClassVar

import numpy as np
import traitlets

from inorder.attention import attention_scores, softmax
from inorder.encodings import alibi_bias, alibi_slopes, rotary_encoding, shaw_bias, sinusoidal_encoding, t5_bias
from inorder.encodings.biases import DIRECTIONS
from inorder.transformer import SCHEMES
from inorder.widgets import marks
from inorder.widgets.interact.live import LiveFigure
from inorder.widgets.kit.state import InvalidState, boolean, choice, integer, real
from inorder.widgets.kit.twin import format_number
from inorder.widgets.relative_bias_explorer.arrays import MOST_CLIP, MOST_COLUMNS, MOST_HEADS, learned_arrays

LABELS = {name: SCHEMES[name].scheme.title for name in ("alibi", "t5", "shaw", "rotary", "sinusoidal")}
SAME = 1e-9  # numbers closer than this (times their size) count as the same


class RelativeBiasExplorer(LiveFigure):
    """What a distance does to a score: one of five schemes, as a curve along which a key slides.

    ALiBi, T5 and Shaw add a number to each score; RoPE turns query and key, and their score becomes a function of the
    distance; the dot product of two sinusoids is there for comparison. Each of the five is a function of
    Δ = (key position) − (query position) alone, here called its kernel. The reader picks a scheme and a head, and
    slides the key along the curve; a heat map, (query, key), shows all pairs.
    In Python, ``kernels``, ``bias`` and ``weights`` are computed by `inorder.encodings` for the state as it is.

    Args:
        table: T5's learned numbers, (n_buckets, head). Lists, NumPy or torch, like all arrays here.
        relative_keys: Shaw's learned vectors for −K … K, (2K + 1, d_head).
        queries, keys: (head, d_head), or (d_head,) for one head: Shaw uses the query, RoPE both. What is not given is
            made up, not trained: two of the made-up tables look left and right, one query looks one to the left.
        n: length of the text, 4 to 64.
        query, key: the chosen positions, below n. The key is by default three to the left of the query.
        scheme: "alibi", "t5", "shaw", "rotary" or "sinusoidal".
        as_weights: show the softmax of these numbers over the keys of the text, as if the rest of the score were 0?
        n_heads, head: how many heads (as many as were given, or fewer; ALiBi's slopes depend on it), and which one,
            counted from 0.
        direction: of ALiBi: "symmetric", "left", "right" or "split" (half the heads each way).
        max_distance, bidirectional: of T5's buckets, as in `t5_buckets`.
        clip: Shaw's farthest distance with a vector of its own, 1 to K.
        base: of RoPE and the sinusoids. pairing: of RoPE.
        d_model, sharpness: the sinusoids' score is sharpness · PE(i) · PE(j) / √d_model.

    Raises:
        ValueError: a shape or a value that the figure cannot show; the message names it. To change several together
            later, do it inside ``with widget.hold_trait_notifications():``.

    Source: Press et al. 2022; Raffel et al. 2020, section 2.1; Shaw et al. 2018, equations 4 and 5; Su et al. 2021.

    >>> explorer = RelativeBiasExplorer(n=5, query=2, n_heads=2)
    >>> explorer.kernels["alibi"]
    array([-0.25  , -0.1875, -0.125 , -0.0625,  0.    , -0.0625, -0.125 ,
           -0.1875, -0.25  ])
    >>> explorer.bias[2]
    array([-0.125 , -0.0625,  0.    , -0.0625, -0.125 ])
    >>> RelativeBiasExplorer(table=[[0.0], [1.0], [2.0]])
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: table must be (n_buckets, head) with an even number of buckets from 4 \
to 256, got shape (3, 1)
    """

    extra_marks = ("heat_map",)
    title = traitlets.Unicode("What does a distance do to a score?").tag(sync=True)
    learned = traitlets.Dict(read_only=True).tag(sync=True)
    labels = traitlets.Dict(LABELS, read_only=True).tag(sync=True)
    templates: ClassVar = {
        "weight": "the weight {number}",
        "own": "The key at the query’s own position gets {number}.",
        "alone": "A key {distance} to the {here} gets {number}; there is no key as far to the {there}.",
        "same": "A key {distance} to the {here} gets {number}, and so does one {distance} to the {there}.",
        "other": "A key {distance} to the {here} gets {number}; one {distance} to the {there} gets {other}.",
        "alibi": "−m |Δ|, m = {slope}",
        "alibi_left": "−m |Δ|, m = {slope}, right −∞",
        "alibi_right": "−m |Δ|, m = {slope}, left −∞",
        "t5": "table[bucket(Δ)]",
        "shaw": "q · a(clip Δ) / √{d_head}",
        "rotary": "q · R(Δ) k / √{d_head}",
        "sinusoidal": "β PE(i) · PE(j) / √{d_model}",
    }
    n = integer(32, low=4, high=64)
    query = integer(12, low=0, below="n")
    key = integer(9, low=0, below="n")
    scheme = choice("alibi", list(LABELS))
    as_weights = boolean(False)
    n_heads = integer(8, low=1, high=MOST_HEADS)
    head = integer(0, low=0, below="n_heads")
    direction = choice("symmetric", DIRECTIONS)
    max_distance = integer(32, low=3, high=10_000)
    bidirectional = boolean(True)
    clip = integer(8, low=1, high=MOST_CLIP)
    base = real(10_000.0, low=1, high=1e6)
    pairing = choice("interleaved", ["interleaved", "halves"])
    d_model = integer(16, low=2, high=MOST_COLUMNS, step=2)
    sharpness = real(1.0, low=0, high=20)

    def __init__(
        self, table: Any = None, relative_keys: Any = None, queries: Any = None, keys: Any = None, **state: Any
    ) -> None:
        self._arrays = learned_arrays(table, relative_keys, queries, keys)
        (n_buckets, most_heads), reach = self._arrays["table"].shape, len(self._arrays["relative_keys"]) // 2
        limits = {
            "n_heads": {"high": most_heads},
            "max_distance": {"low": n_buckets // 2 + 1},
            "clip": {"high": reach},
        }
        starts = {"n_heads": most_heads, "max_distance": max(32, n_buckets // 2 + 1), "clip": reach}
        state = starts | state
        n = state.get("n", 32)
        if isinstance(n, int):  # the key is three to the left of the query
            state.setdefault("query", n * 3 // 8)
        if isinstance(state.get("query"), int):
            state.setdefault("key", max(0, state["query"] - 3))
        super().__init__(limits=limits, **state)

    @traitlets.default("learned")
    def _given_arrays(self) -> dict[str, Any]:
        return {name: rows.tolist() for name, rows in self._arrays.items()}

    def check_together(self, state: dict[str, Any]) -> None:
        super().check_together(state)
        if state["direction"] == "split" and state["n_heads"] % 2:
            raise InvalidState(f'direction "split" needs an even number of heads, got {state["n_heads"]}')

    # what the figure shows

    @property
    def distances(self) -> np.ndarray:
        """Δ = (key position) − (query position), from −(n − 1) to n − 1."""
        return np.arange(1 - self.n, self.n)

    @property
    def kernels(self) -> dict[str, np.ndarray]:
        """{scheme: what it adds to the score, or makes of it, at each of the `distances`}, for the chosen head."""
        r, here, h = self.distances, np.zeros(1, dtype=int), self.head
        query, key = (self._arrays[name][h][None] for name in ("queries", "keys"))  # (1, d_head)
        middle = len(self._arrays["relative_keys"]) // 2
        near = self._arrays["relative_keys"][middle - self.clip : middle + self.clip + 1]
        settings: dict[str, Any] = {"max_distance": self.max_distance, "bidirectional": self.bidirectional}
        turn: dict[str, Any] = {"base": self.base, "pairing": self.pairing}
        turned = rotary_encoding(query, here, **turn), rotary_encoding(np.tile(key, (len(r), 1)), r, **turn)
        waves = sinusoidal_encoding(r + self.n - 1, self.d_model, base=self.base)  # (distance, d_model)
        return {
            "alibi": alibi_bias(self.n_heads, here, r, direction=self.direction)[h, 0],
            "t5": t5_bias(self._arrays["table"], here, r, **settings)[h, 0],
            "shaw": shaw_bias(query, near, here, r, max_distance=self.clip)[0],
            "rotary": attention_scores(*turned)[0],
            "sinusoidal": self.sharpness * attention_scores(waves[self.n - 1 : self.n], waves)[0],
        }

    @property
    def bias(self) -> np.ndarray:
        """The scheme of the heat map for every pair of positions, (query, key)."""
        place = np.arange(self.n)
        return self.kernels[self.scheme][place - place[:, None] + self.n - 1]

    @property
    def weights(self) -> np.ndarray:
        """softmax of `bias` over the keys: the attention weights if nothing else were in the scores, (query, key)."""
        return softmax(self.bias)

    @property
    def rows(self) -> dict[str, np.ndarray]:
        """{scheme: what the chosen query has for each key of the text}: the kernel, or its softmax if `as_weights`."""
        parts = {name: kernel[self._seen()] for name, kernel in self.kernels.items()}
        return {name: softmax(part) for name, part in parts.items()} if self.as_weights else parts

    def _seen(self) -> slice:
        """The distances at which the chosen query has a key."""
        return slice(self.n - 1 - self.query, 2 * self.n - 1 - self.query)

    # in words

    def formula(self) -> str:
        """The kernel of the chosen scheme, written out."""
        half, side = self.n_heads // 2, self.direction
        if side == "split":
            side = "left" if self.head < half else "right"
            slope = alibi_slopes(half)[self.head % half]
        else:
            slope = alibi_slopes(self.n_heads)[self.head]
        name = self.scheme if self.scheme != "alibi" or side == "symmetric" else f"alibi_{side}"
        d_head = self._arrays["queries"].shape[1]
        return self.say(name, slope=format_number(slope, 4), d_head=d_head, d_model=self.d_model)

    def summary(self) -> str:
        r, row = self.key - self.query, self.rows[self.scheme]
        number = brief(row[self.key])
        number = self.say("weight", number=number) if self.as_weights else number
        if r == 0:
            return self.say("own", number=number)
        here, there = ("left", "right") if r < 0 else ("right", "left")
        places: dict[str, str | int] = {"distance": abs(r), "here": here, "there": there}
        other = self.across
        if other is None:
            return self.say("alone", number=number, **places)
        return self.say(
            "same" if is_same(row[self.key], other) else "other", number=number, other=brief(other), **places
        )

    @property
    def across(self) -> float | None:
        """What a key as far from the query gets on the other side; None for a weight that no key of the text has."""
        r = self.key - self.query
        if not self.as_weights:
            return float(self.kernels[self.scheme][self.n - 1 - r])
        return float(self.rows[self.scheme][self.query - r]) if 0 <= self.query - r < self.n else None

    def marks(self) -> list[marks.Mark]:
        n, name, place = self.n, self.scheme, np.arange(self.n)
        x, y = (place - self.query, self.rows[name]) if self.as_weights else (self.distances, self.kernels[name])
        x, y = x[np.isfinite(y)], y[np.isfinite(y)]  # elsewhere there is no key, or it is hidden
        low, high = 0.0 if self.as_weights else float(y.min()), float(y.max())
        low, high = (low, high) if high > low else (low - 1, high + 1)
        look: dict[str, Any] = {
            "axes": ("distance to the key; shaded: in the text", ""),
            "x_limits": (1 - n, n - 1),
            "y_limits": (low, high),
            "title": f"{LABELS[name]}: {self.formula()}",
        }
        text = [-self.query, n - 1 - self.query]
        below = 2 * low - high  # out of sight
        shade = marks.lines(text, {"": [below, below]}, bands={"": [[low, low], [high, high]]})
        curve = marks.lines(x, {"": y}, handle=float(self.key - self.query), drag="key", **look) + shade
        value = self.rows[name][self.key]
        point = [[self.key - self.query, value]] if np.isfinite(value) else np.empty((0, 2))
        curve += marks.points(point, actor="position", equal=False)
        table = self.weights if self.as_weights else self.bias
        largest = max(1e-12, float(abs(table[np.isfinite(table)]).max()))
        pairs = marks.heat_map(
            table,
            axes=("query", "key"),
            limits=(0.0 if self.as_weights else -largest, largest),
            drag=("query", "key"),
        )
        across = self.across
        sign = None
        if self.key != self.query and across is not None:
            sign = "=" if is_same(value, across) else "≠"
        return [curve, pairs, marks.answer(self.summary(), sign)]


def is_same(x: float, other: float) -> bool:
    """Are they equal, up to rounding?"""
    return bool(x == other or (np.isfinite([x, other]).all() and abs(x - other) <= SAME * max(1.0, abs(x))))


def brief(x: float) -> str:
    """A number in as many digits as a label has room for.

    >>> brief(-0.125), brief(12.34), brief(1234.5)
    ('−0.13', '12.3', '1235')
    """
    return format_number(x, 2 if abs(x) < 10 else 1 if abs(x) < 100 else 0)
