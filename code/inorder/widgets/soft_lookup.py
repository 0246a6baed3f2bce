"""SoftLookup: attention as a dictionary look-up in the plane, from a uniform average to a single entry."""

import math
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from inorder.attention import attention_scores, softmax
from inorder.widgets.base import (
    NEGATIVE,
    POSITIVE,
    WEIGHT,
    InteractiveFigure,
    InvalidState,
    Matrix,
    blend,
    compose_module,
    compose_style,
    format_number,
)

TOKENS = ["the", "cat", "sat", "down", "and", "slept"]  # the first four, unless the caller says otherwise
QUERIES = [[1.0, 1.5], [-1.5, 0.0]]
KEYS = [[2.0, 0.5], [0.5, 2.0], [-1.5, 1.0], [-1.0, -2.0], [1.5, -1.5], [0.0, -1.0]]
VALUES = [[2.0], [12.0], [7.0], [4.0], [9.0], [5.0]]
X = [[-1.0, 0.5], [2.5, 1.0], [1.0, 2.5], [0.5, -1.5], [-2.0, -1.0], [-2.0, 2.0]]
W_Q = [[-1.0, -1.0], [0.5, 1.0]]
W_K = [[0.5, 0.0], [0.5, -1.0]]
W_V = [[4.0], [2.0]]

LONGEST_TOKEN = 20
LARGEST_POINT = 10.0  # a coordinate, or an entry of a weight matrix
LARGEST_SHARPNESS = 100.0
TIE = 1e-9  # scores closer than this are equal to the hard look-up


class SoftLookup(InteractiveFigure):
    """A soft dictionary: each query weighs all the keys, and gets the average of their values with those weights.

    weights = softmax(β · scores) over the keys; output = weights @ value. A score is the dot product q · k, or
    −‖q − k‖²/2, which makes the weights those of a Gaussian kernel. β = 0 averages all values alike; the hard look-up
    is the limit β → ∞: the best-matching key alone, or an equal share for each of several that match equally well.

    Cross-attention has two inputs: the reader moves queries and keys one by one, and sets the values. Self-attention
    has one: the reader moves the tokens x, and each is the source of its own query x W_Q, key x W_K and value x W_V.

    Args:
        q: the queries of cross-attention, (m, 2), 1 to 4 points. Lists, NumPy or torch, like all arrays here.
        k, v: its keys, (n, 2), 2 to 6 points, and its values, (n,) or (n, 1), one number a key.
        x: (n, 2), the tokens of self-attention; w_q, w_k: (2, 2); w_v: (2, 1).
        tokens: names of the n keys, up to 20 characters each, or one string to be cut at its spaces.
        attention: "cross" or "self".
        matching: "dot" or "distance".
        sharpness: β, from 0 to 100, or math.inf for the hard look-up.
        tied: self-attention with one matrix for queries and keys, W_Q = W_K (w_q is then not used).
        chosen: the query whose weights are shown, counted from 0 (the last, if there are not so many).

    Raises:
        ValueError: a shape, a value or a token that the figure cannot show; the message names it. To change the number
            of keys later, change tokens, k, v and x together, inside `widget.hold_trait_notifications()`.

    Source: Nadaraya 1964 and Watson 1964 for the kernel-weighted average; Vaswani et al. 2017, section 3.2.

    >>> lookup = SoftLookup([[1, 1]], [[1, 0], [0, 2], [-1, 1]], [7, 14, 0], sharpness=np.log(2))
    >>> lookup.scores, lookup.output.round(6)
    (array([[1., 2., 0.]]), array([[10.]]))
    >>> SoftLookup(sharpness=float("inf")).weights
    array([[0., 1., 0., 0.],
           [0., 0., 1., 0.]])
    >>> SoftLookup(k=[[1, 2, 3]])
    Traceback (most recent call last):
    ...
    inorder.widgets.base.InvalidState: k must be 2 to 6 points in the plane, shape (n, 2), got shape (1, 3)
    """

    _esm = compose_module("soft_lookup.js")
    _css = compose_style("soft_lookup.css")

    state_names: ClassVar[tuple[str, ...]] = (
        *("tokens", "q", "k", "v", "x", "w_q", "w_k", "w_v"),
        *("attention", "matching", "sharpness", "hard", "tied", "chosen"),
    )

    title = traitlets.Unicode("A soft dictionary").tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    q = Matrix().tag(sync=True)
    k = Matrix().tag(sync=True)
    v = Matrix().tag(sync=True)
    x = Matrix().tag(sync=True)
    w_q = Matrix().tag(sync=True)
    w_k = Matrix().tag(sync=True)
    w_v = Matrix().tag(sync=True)
    attention = traitlets.Unicode("cross").tag(sync=True)
    matching = traitlets.Unicode("dot").tag(sync=True)
    sharpness = traitlets.Float(1.0).tag(sync=True)
    hard = traitlets.Bool(False).tag(sync=True)  # JSON has no infinity
    tied = traitlets.Bool(False).tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        q: Any = None,
        k: Any = None,
        v: Any = None,
        *,
        x: Any = None,
        w_q: Any = None,
        w_k: Any = None,
        w_v: Any = None,
        tokens: Any = None,
        attention: str = "cross",
        matching: str = "dot",
        sharpness: int | float = 1.0,
        tied: bool = False,
        chosen: int = 0,
        **options: Any,
    ) -> None:
        tokens = tokens.split() if isinstance(tokens, str) else tokens
        n = next((len(part) for part in (k, v, x, tokens) if np.ndim(part)), 4)
        if np.ndim(v) == 1:
            v = [[number] for number in v]
        hard = options.pop("hard", False) or bool(sharpness == math.inf)
        super().__init__(
            tokens=TOKENS[:n] if tokens is None else list(tokens),
            q=QUERIES if q is None else q,
            k=KEYS[:n] if k is None else k,
            v=VALUES[:n] if v is None else v,
            x=X[:n] if x is None else x,
            w_q=W_Q if w_q is None else w_q,
            w_k=W_K if w_k is None else w_k,
            w_v=W_V if w_v is None else w_v,
            attention=attention,
            matching=matching,
            sharpness=1.0 if sharpness == math.inf else sharpness,
            hard=hard,
            tied=tied,
            chosen=chosen,
            **options,
        )

    @traitlets.validate(*state_names)
    def _check(self, proposal: Any) -> Any:
        state = {name: getattr(self, name) for name in self.state_names} | {proposal.trait.name: proposal.value}
        m, n = len(state["q"]), len(state["k"])
        wanted = {
            "k": (2 <= n <= 6, "2 to 6 points in the plane, shape (n, 2)", (n, 2)),
            "q": (m <= 4, "1 to 4 points in the plane, shape (m, 2)", (m, 2)),
            "v": (True, f"one number for each of the {n} keys, shape ({n},) or ({n}, 1)", (n, 1)),
            "x": (True, f"as many points in the plane as there are keys, shape ({n}, 2)", (n, 2)),
            "w_q": (True, "of shape (2, 2)", (2, 2)),
            "w_k": (True, "of shape (2, 2)", (2, 2)),
            "w_v": (True, "of shape (2, 1)", (2, 1)),
        }
        for name, (fits, words, shape) in wanted.items():
            if not fits or np.shape(state[name]) != shape:
                raise InvalidState(f"{name} must be {words}, got shape {np.shape(state[name])}")
            largest = np.abs(state[name]).max()
            if name != "v" and largest > LARGEST_POINT:
                raise InvalidState(f"{name} must hold numbers from −10 to 10, got magnitude {largest}")
        tokens = state["tokens"]
        if len(tokens) != n:
            raise InvalidState(f"tokens must name each of the {n} keys, got {len(tokens)}")
        if longest := [token for token in tokens if len(token) > LONGEST_TOKEN]:
            raise InvalidState(f"a token may have up to {LONGEST_TOKEN} characters, got {longest[0]!r}")
        for name, choices in (("attention", ("cross", "self")), ("matching", ("dot", "distance"))):
            if state[name] not in choices:
                raise InvalidState(f"{name} must be {' or '.join(map(repr, choices))}, got {state[name]!r}")
        if not 0 <= state["sharpness"] <= LARGEST_SHARPNESS:  # NaN too
            raise InvalidState(f"sharpness must be from 0 to 100, or math.inf, got {state['sharpness']}")
        if not 0 <= state["chosen"] < 6:
            raise InvalidState(f"chosen must be the number of a query, from 0 to 5, got {state['chosen']}")
        return proposal.value

    @property
    def query(self) -> np.ndarray:
        """Q, (query, 2): ``q``, or x W_Q in self-attention (x W_K if tied)."""
        if self.attention == "cross":
            return np.array(self.q)
        return np.array(self.x) @ np.array(self.w_k if self.tied else self.w_q)

    @property
    def key(self) -> np.ndarray:
        """K, (key, 2): ``k``, or x W_K in self-attention."""
        return np.array(self.k) if self.attention == "cross" else np.array(self.x) @ np.array(self.w_k)

    @property
    def value(self) -> np.ndarray:
        """V, (key, 1): ``v``, or x W_V in self-attention."""
        return np.array(self.v) if self.attention == "cross" else np.array(self.x) @ np.array(self.w_v)

    @property
    def scores(self) -> np.ndarray:
        """q · k or −‖q − k‖²/2, before the sharpness, (query, key)."""
        if self.matching == "dot":
            return attention_scores(self.query, self.key, scale=1.0)
        return -0.5 * ((self.query[:, None] - self.key) ** 2).sum(axis=-1)

    @property
    def weights(self) -> np.ndarray:
        """A = softmax(β · scores) over the keys, or its limit for β → ∞, (query, key)."""
        if not self.hard:
            return softmax(self.sharpness * self.scores)
        best = self.scores >= self.scores.max(axis=-1, keepdims=True) - TIE
        return best / best.sum(axis=-1, keepdims=True)

    @property
    def output(self) -> np.ndarray:
        """Y = AV, (query, 1): for each query, the weighted average of the values."""
        return self.weights @ self.value

    @property
    def _row(self) -> int:
        """The chosen query, if there is such a row."""
        return min(self.chosen, len(self.query) - 1)

    def _query_name(self, i: int) -> str:
        return f"query {i + 1}" if self.attention == "cross" else f"the query of “{self.tokens[i]}”"

    def summary(self) -> str:
        inputs = "Two inputs (cross-attention)" if self.attention == "cross" else "One input (self-attention)"
        tied = ", W_Q = W_K" if self.attention == "self" and self.tied else ""
        matching = "dot product" if self.matching == "dot" else "distance"
        sharpness = "hard look-up" if self.hard else f"β = {format_number(self.sharpness)}"
        rows = [self._finds(i) for i in range(len(self.query))]
        return f"{inputs}{tied}, matched by {matching}, {sharpness}. {'; '.join(rows)}."

    def _finds(self, i: int) -> str:
        row, name, output = self.weights[i], self._query_name(i), format_number(self.output[i, 0])
        name = name[0].upper() + name[1:] if i == 0 else name
        best = row >= row.max() - TIE
        if best.all():
            return f"{name} weighs all {len(row)} keys equally and gets their mean, {output}"
        if best.sum() > 1:
            return f"{name} weighs {best.sum()} keys equally, above the rest, and gets {output}"
        token = self.tokens[row.argmax()]
        return f"{name} puts {format_number(row.max())} of its weight on “{token}” and gets {output}"

    def alt_text(self) -> str:
        names = ", ".join(self.tokens)
        sources = (
            " The tokens are squares, with arrows to their keys and to that query." if self.attention == "self" else ""
        )
        return (
            f"Left, a plane with {len(self.query)} queries as diamonds and {len(self.key)} keys as circles that hold "
            f"their values ({names}); a line from {self._query_name(self._row)} to each key is thicker the larger the "
            f"weight.{sources} Right, these weights as bars. {self.summary()}"
        )

    def figure(self) -> Figure:
        figure = Figure(figsize=(6.6, 3.5), facecolor="white", layout="constrained")
        plane, bars = figure.subplots(1, 2, width_ratios=[1.15, 1])
        _draw_plane(plane, self)
        row, value = self.weights[self._row], self.value[:, 0]
        places = np.arange(len(row))
        bars.barh(places, row, color=WEIGHT, height=0.6)
        for place, weight in zip(places, row, strict=True):
            bars.text(weight + 0.02, place, format_number(weight), va="center", size=8)
        labels = [f"{_short(token)}: {format_number(v)}" for token, v in zip(self.tokens, value, strict=True)]
        bars.set_yticks(places, labels)
        for label in bars.get_yticklabels():
            label.set_parse_math(False)
        bars.set(ylim=(len(row) - 0.5, -0.5), xlim=(0, 1.18), xticks=[0, 0.5, 1], xlabel="weight")
        bars.tick_params(labelsize=8)
        bars.spines[["top", "right"]].set_visible(False)
        title = f"{self._query_name(self._row)} gets {format_number(self.output[self._row, 0])}"
        bars.set_title(title[0].upper() + title[1:], size=9, parse_math=False)
        return figure


def _short(token: str) -> str:
    return token if len(token) <= 8 else token[:7] + "…"


def _brief(value: float) -> str:
    """A value inside its circle."""
    return format_number(value, 0 if value == int(value) or abs(value) >= 100 else 1)


def _draw_plane(axes: Axes, lookup: SoftLookup) -> None:
    query, key, value, row = lookup.query, lookup.key, lookup.value[:, 0], lookup._row
    points = [query, key] + ([np.array(lookup.x)] if lookup.attention == "self" else [])
    reach = 1.15 * max(3.0, np.ceil(np.abs(np.concatenate(points)).max()))
    largest = max(1.0, float(np.abs(value).max()))
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[], yticks=[])
    axes.axhline(0, color="0.85", lw=0.8, zorder=0)
    axes.axvline(0, color="0.85", lw=0.8, zorder=0)
    for weight, point in zip(lookup.weights[row], key, strict=True):
        axes.plot(*np.transpose([query[row], point]), color=WEIGHT, lw=0.4 + 7 * weight, alpha=0.55, zorder=1)

    def fill(v: float) -> tuple[Any, str]:
        return blend(POSITIVE if v > 0 else NEGATIVE, 0.8 * abs(v) / largest)

    text: dict[str, Any] = {"ha": "center", "va": "center", "size": 7, "parse_math": False}
    label = text | {"path_effects": [withStroke(linewidth=2.2, foreground="white")]}
    if lookup.attention == "self":
        arrow = {"arrowstyle": "-|>", "color": "0.4", "linestyle": "--", "lw": 0.8, "shrinkB": 9, "mutation_scale": 8}
        for source, target in [*zip(lookup.x, key, strict=True), (lookup.x[row], query[row])]:
            axes.annotate("", target, source, arrowprops=arrow, zorder=1)
        axes.plot(*np.transpose(lookup.x), "s", color="0.35", markersize=5, zorder=2)
        for token, source in zip(lookup.tokens, lookup.x, strict=True):
            axes.text(source[0], source[1] + reach * 0.09, _short(token), zorder=4, **label)
    for token, point, v in zip(lookup.tokens, key, value, strict=True):
        face, ink = fill(v)
        axes.plot(*point, "o", color=face, markersize=19, markeredgecolor="0.2", markeredgewidth=0.8, zorder=3)
        axes.text(point[0], point[1], _brief(v), color=ink, zorder=7, **text)
        name = _short(token) if lookup.attention == "cross" else f"key: {_short(token)}"
        axes.text(point[0], point[1] + reach * 0.145, name, zorder=4, **label)
    for i, point in enumerate(query):
        shown = i == row
        face, _ = fill(lookup.output[i, 0])
        size, order = (9, 5) if shown else (5, 2)
        axes.plot(*point, "D", color=face, markersize=size, markeredgecolor="black", zorder=order)
        if shown or lookup.attention == "cross":
            name = f"query {i + 1}" if lookup.attention == "cross" else f"query: {_short(lookup.tokens[i])}"
            axes.text(point[0], point[1] - reach * 0.115, name, zorder=6, **label)
