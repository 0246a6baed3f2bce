"""SoftLookup: attention as a dictionary look-up in the plane, from a uniform average to a single entry."""

import math
from typing import Any, ClassVar

import numpy as np
import traitlets

from inorder.attention import attention_scores, softmax
from inorder.widgets import marks
from inorder.widgets.interact.live import LiveFigure
from inorder.widgets.kit.state import boolean, choice, integer, matrix, real, texts
from inorder.widgets.kit.twin import format_number

TOKENS = ["the", "cat", "sat", "down", "and", "slept"]  # the first four, unless the caller says otherwise
QUERIES = [[1.0, 1.5], [-1.5, 0.0]]
KEYS = [[2.0, 0.5], [0.5, 2.0], [-1.5, 1.0], [-1.0, -2.0], [1.5, -1.5], [0.0, -1.0]]
VALUES = [[2.0], [12.0], [7.0], [4.0], [9.0], [5.0]]
X = [[-1.0, 0.5], [2.5, 1.0], [1.0, 2.5], [0.5, -1.5], [-2.0, -1.0], [-2.0, 2.0]]
W_Q = [[-1.0, -1.0], [0.5, 1.0]]
W_K = [[0.5, 0.0], [0.5, -1.0]]
W_V = [[4.0], [2.0]]

INPUTS = {"cross": "cross-attention", "self": "self-attention"}
MATCHINGS = {"dot": "dot product", "distance": "distance"}
TIE = 1e-9  # scores closer than this are equal to the hard look-up
REACH = 3.5  # what the plane shows at least, to each side
EMPTY = "␣"  # how a token of no letters is shown
LONGEST = 8  # letters of a token that stand in the plane


class SoftLookup(LiveFigure):
    """A soft dictionary: each query weighs all the keys, and gets the weighted average of their values.

    weights = softmax(β · scores) over the keys; output = weights @ value. A score is the dot product q · k, or
    −‖q − k‖²/2, which makes the weights those of a Gaussian kernel. β = 0 gives the plain average of all values; the
    hard look-up is the limit β → ∞: the best-matching key alone, or an equal share for each of several that match
    equally well.

    Cross-attention has two inputs: the reader moves queries and keys one by one, and sets the values. Self-attention
    has one: the reader moves the tokens x, and each is the source of its own query x W_Q, key x W_K and value x W_V.

    Args:
        q: the queries of cross-attention, (m, 2), 1 to 4 points. Lists, NumPy or torch, like all arrays here.
        k, v: its keys, (n, 2), 2 to 6 points, and its values, (n,) or (n, 1), one number a key.
        x: (n, 2), the tokens of self-attention; w_query, w_key: (2, 2); w_value: (2, 1).
        tokens: names of the n keys, up to 20 characters each, or one string to be cut at its spaces.
        attention: "cross" or "self".
        matching: "dot" or "distance".
        sharpness: β, from 0 to 100, or math.inf for the hard look-up.
        tied: self-attention with one matrix for queries and keys, W_Q = W_K (w_query is then not used).
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
    >>> SoftLookup(k=[[1, 2, 3], [4, 5, 6]])
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: k must have 2 columns, got shape (2, 3)
    """

    title = traitlets.Unicode("Move the query. What does it find?").tag(sync=True)
    labels = traitlets.Dict({"attention": INPUTS, "matching": MATCHINGS}, read_only=True).tag(sync=True)
    templates: ClassVar = {
        "query": "query {i}",
        "query_of": "the query of “{token}”",
        "all": "{name} weighs all {count} keys equally and gets the mean of the values, {output}.",
        "several": "{name} weighs {count} keys equally, more than the rest, and gets {output}.",
        "one": "{name} puts {weight} of its weight on “{token}” and gets {output}.",
        "note": "{attention}, by {matching}, {sharpness}.",
        "note_tied": "{attention}, W_Q = W_K, by {matching}, {sharpness}.",
        "beta": "β = {beta}",
        "hard": "hard look-up",
    }
    tokens = texts(TOKENS[:4], fewest=2, most=6, shortest=0, longest=20)
    q = matrix(QUERIES, low=-10, high=10, rows=(1, 4), columns=(2, 2))
    k = matrix(KEYS[:4], low=-10, high=10, rows="tokens", columns=(2, 2))
    v = matrix(VALUES[:4], rows="tokens", columns=(1, 1))
    x = matrix(X[:4], low=-10, high=10, rows="tokens", columns=(2, 2))
    w_query = matrix(W_Q, low=-10, high=10, rows=(2, 2), columns=(2, 2))
    w_key = matrix(W_K, low=-10, high=10, rows=(2, 2), columns=(2, 2))
    w_value = matrix(W_V, low=-10, high=10, rows=(2, 2), columns=(1, 1))
    attention = choice("cross", list(INPUTS))
    matching = choice("dot", list(MATCHINGS))
    sharpness = real(1.0, low=0, high=100)
    hard = boolean(False)  # JSON has no infinity
    tied = boolean(False)
    chosen = integer(0, low=0, high=5)

    def __init__(
        self,
        q: Any = None,
        k: Any = None,
        v: Any = None,
        *,
        x: Any = None,
        w_query: Any = None,
        w_key: Any = None,
        w_value: Any = None,
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
            v = v[:, None] if hasattr(v, "shape") else [[number] for number in v]
        hard = options.pop("hard", False) or bool(sharpness == math.inf)
        super().__init__(
            tokens=TOKENS[:n] if tokens is None else list(tokens),
            q=QUERIES if q is None else q,
            k=KEYS[:n] if k is None else k,
            v=VALUES[:n] if v is None else v,
            x=X[:n] if x is None else x,
            w_query=W_Q if w_query is None else w_query,
            w_key=W_K if w_key is None else w_key,
            w_value=W_V if w_value is None else w_value,
            attention=attention,
            matching=matching,
            sharpness=1.0 if sharpness == math.inf else sharpness,
            hard=hard,
            tied=tied,
            chosen=chosen,
            **options,
        )

    @property
    def query(self) -> np.ndarray:
        """Q, (query, 2): ``q``, or x W_Q in self-attention (x W_K if tied)."""
        if self.attention == "cross":
            return np.array(self.q)
        return np.array(self.x) @ np.array(self.w_key if self.tied else self.w_query)

    @property
    def key(self) -> np.ndarray:
        """K, (key, 2): ``k``, or x W_K in self-attention."""
        return np.array(self.k) if self.attention == "cross" else np.array(self.x) @ np.array(self.w_key)

    @property
    def value(self) -> np.ndarray:
        """V, (key, 1): ``v``, or x W_V in self-attention."""
        return np.array(self.v) if self.attention == "cross" else np.array(self.x) @ np.array(self.w_value)

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
    def row(self) -> int:
        """The chosen query, if there is such a row."""
        return min(self.chosen, len(self.query) - 1)

    def _query_name(self, i: int) -> str:
        if self.attention == "cross":
            return self.say("query", i=i)
        return self.say("query_of", token=self.tokens[i] or EMPTY)

    def note(self) -> str:
        """The smaller line below the answer: how it was found."""
        sharpness = self.say("hard") if self.hard else self.say("beta", beta=format_number(self.sharpness))
        sentence = "note_tied" if self.attention == "self" and self.tied else "note"
        attention, matching = INPUTS[self.attention].capitalize(), MATCHINGS[self.matching]
        return self.say(sentence, attention=attention, matching=matching, sharpness=sharpness)

    def marks(self) -> list[marks.Mark]:
        query, key, row, weights = self.query, self.key, self.row, self.weights[self.row]
        is_self = self.attention == "self"
        x = np.array(self.x) if is_self else np.empty((0, 2))
        reach = max(REACH, np.ceil(np.abs(np.concatenate([query, key, x])).max()))
        names = [f"{token[: LONGEST - 1]}…" if len(token) > LONGEST else token or EMPTY for token in self.tokens]
        tails = np.tile(query[row], (len(key), 1))
        ends = (-reach, reach)
        plane = marks.threads(
            key, weights, names, tails=tails, x_limits=ends, y_limits=ends, drag=() if is_self else "k"
        )
        plane += marks.arrows([key[row], query[row]] if is_self else x, tails=[x[row], x[row]] if is_self else x)
        plane += marks.points(x, [f"x of {name}" for name in names[: len(x)]], drag="x")
        labels = ["query" if i == row else "" for i in range(len(query))]
        labels = labels if is_self else [self._query_name(i) for i in range(len(query))]
        plane += marks.points(query, labels, actor="query", drag=() if is_self else "q")
        columns = {"value": self.value[:, 0]}
        bars = marks.bars(weights, names, columns=columns, axis="weight", limits=(0, 1), actor="key")
        return [plane, bars, marks.answer(self._answer())]

    def _answer(self) -> str:
        row, output = self.weights[self.row], format_number(self.output[self.row, 0])
        name = self._query_name(self.row)
        name = name[0].upper() + name[1:]
        count = int((row >= row.max() - TIE).sum())
        if count > 1:
            return self.say("all" if count == len(row) else "several", name=name, count=count, output=output)
        token, weight = self.tokens[row.argmax()] or EMPTY, format_number(row.max())
        return self.say("one", name=name, weight=weight, token=token, output=output)
