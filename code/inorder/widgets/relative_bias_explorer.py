"""RelativeBiasExplorer: what each scheme adds to a score, or makes of it, as a function of the distance to the key."""

from math import sqrt
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from inorder.attention import attention_scores, softmax
from inorder.encodings import alibi_bias, alibi_slopes, rotary_encoding, shaw_bias, sinusoidal_encoding, t5_bias
from inorder.encodings.biases import DIRECTIONS
from inorder.widgets.base import (
    NEGATIVE,
    POSITIVE,
    WEIGHT,
    InteractiveFigure,
    InvalidState,
    blend,
    compose_module,
    compose_style,
    format_number,
    matrix_rows,
)

SCHEMES = ("ALiBi", "T5", "Shaw", "RoPE", "sinusoidal")
PAIRINGS = ("interleaved", "halves")
FEWEST, MOST = 4, 64  # tokens in the text
MOST_HEADS, MOST_BUCKETS, MOST_CLIP, MOST_COLUMNS = 16, 256, 64, 128
LARGEST_BASE, LARGEST_SHARPNESS, LARGEST_DISTANCE = 1e6, 20.0, 10_000
MIRRORED = 1e-9  # kernels closer to their mirror image than this (times their size) cannot tell left from right


class RelativeBiasExplorer(InteractiveFigure):
    """Bias or score against the distance from query to key: five schemes, one above the other.

    ALiBi, T5 and Shaw add a number to each score; RoPE turns query and key, and their score becomes a function of the
    distance; the dot product of two sinusoids is there for comparison. Each of the five is a function of
    r = (key position) − (query position) alone, here called its kernel. The reader picks a head, a query and a key;
    a heat map, (query, key), shows one scheme for all pairs, with the chosen query as a row. In Python, ``kernels``,
    ``bias`` and ``weights`` are computed by `inorder.encodings` for the state as it is.

    Args:
        table: T5's learned numbers, (n_buckets, head). Lists, NumPy or torch, like all arrays here.
        relative_keys: Shaw's learned vectors for −K … K, (2K + 1, d_head).
        queries, keys: (head, d_head), or (d_head,) for one head: Shaw uses the query, RoPE both. What is not given is
            made up, not trained: two of the made-up tables look left and right, one query looks one to the left.
        n: length of the text, 4 to 64.
        query, key: the chosen positions, below n. The key is by default three to the left of the query.
        scheme: which one the heat map shows: "ALiBi", "T5", "Shaw", "RoPE" or "sinusoidal".
        as_weights: show the softmax of these numbers over the keys of the text, as if the rest of the score were 0?
        n_heads, head: how many heads (as many as were given, or fewer; ALiBi's slopes depend on it), and which one,
            counted from 1.
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
    >>> explorer.kernels["ALiBi"]
    array([-0.25  , -0.1875, -0.125 , -0.0625,  0.    , -0.0625, -0.125 ,
           -0.1875, -0.25  ])
    >>> explorer.bias[2]
    array([-0.125 , -0.0625,  0.    , -0.0625, -0.125 ])
    >>> RelativeBiasExplorer(table=[[0.0], [1.0], [2.0]])
    Traceback (most recent call last):
    ...
    inorder.widgets.base.InvalidState: table must be (n_buckets, head) with an even number of buckets from 4 to 256, \
got shape (3, 1)
    """

    _esm = compose_module("relative_bias_explorer.js")
    _css = compose_style("relative_bias_explorer.css")

    state_names: ClassVar[tuple[str, ...]] = (
        *("n", "query", "key", "scheme", "as_weights", "n_heads", "head", "direction", "max_distance"),
        *("bidirectional", "clip", "base", "pairing", "d_model", "sharpness"),
    )

    title = traitlets.Unicode("What a distance does to a score").tag(sync=True)
    learned = traitlets.Dict(read_only=True).tag(sync=True)
    n = traitlets.Int(32).tag(sync=True)
    query = traitlets.Int(12).tag(sync=True)
    key = traitlets.Int(9).tag(sync=True)
    scheme = traitlets.Unicode("ALiBi").tag(sync=True)
    as_weights = traitlets.Bool(False).tag(sync=True)
    n_heads = traitlets.Int(8).tag(sync=True)
    head = traitlets.Int(1).tag(sync=True)
    direction = traitlets.Unicode("symmetric").tag(sync=True)
    max_distance = traitlets.Int(32).tag(sync=True)
    bidirectional = traitlets.Bool(True).tag(sync=True)
    clip = traitlets.Int(8).tag(sync=True)
    base = traitlets.Float(10_000.0).tag(sync=True)
    pairing = traitlets.Unicode("interleaved").tag(sync=True)
    d_model = traitlets.Int(16).tag(sync=True)
    sharpness = traitlets.Float(1.0).tag(sync=True)

    def __init__(
        self,
        table: Any = None,
        relative_keys: Any = None,
        queries: Any = None,
        keys: Any = None,
        *,
        n: int = 32,
        query: int | None = None,
        key: int | None = None,
        n_heads: int | None = None,
        max_distance: int | None = None,
        clip: int | None = None,
        **state: Any,
    ) -> None:
        learned = learned_arrays(table, relative_keys, queries, keys)
        self._learned = {name: rows.tolist() for name, rows in learned.items()}
        self._arrays = learned
        query = int(n) * 3 // 8 if query is None else query
        super().__init__(
            n=n,
            query=query,
            key=max(0, query - 3) if key is None else key,
            n_heads=learned["table"].shape[1] if n_heads is None else n_heads,
            max_distance=max(32, len(learned["table"]) // 2 + 1) if max_distance is None else max_distance,
            clip=len(learned["relative_keys"]) // 2 if clip is None else clip,
            **state,
        )

    @traitlets.default("learned")
    def _given_arrays(self) -> dict[str, Any]:
        return self._learned

    @traitlets.validate(*state_names)
    def _check(self, proposal: Any) -> Any:
        name, state = proposal.trait.name, {each: getattr(self, each) for each in self.state_names}
        state[name] = proposal.value
        n_buckets, most_heads = self._arrays["table"].shape
        ranges = {
            "n": (FEWEST, MOST),
            "query": (0, state["n"] - 1),
            "key": (0, state["n"] - 1),
            "n_heads": (1, most_heads),
            "head": (1, state["n_heads"]),
            "max_distance": (n_buckets // 2 + 1, LARGEST_DISTANCE),
            "clip": (1, len(self._arrays["relative_keys"]) // 2),
            "base": (1, LARGEST_BASE),
            "d_model": (2, MOST_COLUMNS),
            "sharpness": (0, LARGEST_SHARPNESS),
        }
        for each, (low, high) in ranges.items():
            if not low <= state[each] <= high:  # NaN too
                raise InvalidState(f"{each} must be from {low:g} to {high:g}, got {state[each]}")
        choices = {"scheme": SCHEMES, "direction": DIRECTIONS, "pairing": PAIRINGS}
        for each, wanted in choices.items():
            if state[each] not in wanted:
                raise InvalidState(f"{each} must be one of {', '.join(wanted)}, got {state[each]!r}")
        if state["direction"] == "split" and state["n_heads"] % 2:
            raise InvalidState(f'direction "split" needs an even number of heads, got {state["n_heads"]}')
        if state["d_model"] % 2:
            raise InvalidState(f"d_model must be even, got {state['d_model']}")
        return proposal.value

    # what the figure shows

    @property
    def distances(self) -> np.ndarray:
        """r = (key position) − (query position), from −(n − 1) to n − 1."""
        return np.arange(1 - self.n, self.n)

    @property
    def kernels(self) -> dict[str, np.ndarray]:
        """{scheme: what it adds to the score, or makes of it, at each of the `distances`}, for the chosen head."""
        r, here, h = self.distances, np.zeros(1, dtype=int), self.head - 1
        query, key = (self._arrays[name][h][None] for name in ("queries", "keys"))  # (1, d_head)
        middle = len(self._arrays["relative_keys"]) // 2
        near = self._arrays["relative_keys"][middle - self.clip : middle + self.clip + 1]
        settings: dict[str, Any] = {"max_distance": self.max_distance, "bidirectional": self.bidirectional}
        turn: dict[str, Any] = {"base": self.base, "pairing": self.pairing}
        turned = rotary_encoding(query, here, **turn), rotary_encoding(np.tile(key, (len(r), 1)), r, **turn)
        waves = sinusoidal_encoding(r + self.n - 1, self.d_model, base=self.base)  # (distance, d_model)
        return {
            "ALiBi": alibi_bias(self.n_heads, here, r, direction=self.direction)[h, 0],
            "T5": t5_bias(self._arrays["table"], here, r, **settings)[h, 0],
            "Shaw": shaw_bias(query, near, here, r, max_distance=self.clip)[0],
            "RoPE": attention_scores(*turned)[0],
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

    def formulas(self) -> dict[str, str]:
        """{scheme: its kernel, written out}."""
        half, side = self.n_heads // 2, self.direction
        if side == "split":
            side = "left" if self.head <= half else "right"
            slope = alibi_slopes(half)[(self.head - 1) % half]
        else:
            slope = alibi_slopes(self.n_heads)[self.head - 1]
        elsewhere = {"left": ", right −∞", "right": ", left −∞", "symmetric": ""}[side]
        return {
            "ALiBi": f"−m |r|, m = {format_number(slope, 4)}{elsewhere}",
            "T5": "table[bucket(r)]",
            "Shaw": f"q · a(clip r) / √{self._arrays['queries'].shape[1]}",
            "RoPE": f"q · R(r) k / √{self._arrays['queries'].shape[1]}",
            "sinusoidal": f"β PE(i) · PE(j) / √{self.d_model}",
        }

    def mirrored(self) -> list[str]:
        """The schemes whose kernel is the same at −r and r, here and now."""
        return [name for name, kernel in self.kernels.items() if is_mirrored(kernel)]

    def summary(self) -> str:
        r, numbers = self.key - self.query, {name: row[self.key] for name, row in self.rows.items()}
        side = "at no distance" if r == 0 else f"{abs(r)} to the {'left' if r < 0 else 'right'}"
        gets = "gets the weight" if self.as_weights else "gets"
        listed = ", ".join(f"{name} {brief(x)}" for name, x in numbers.items())
        mirrored = ", ".join(self.mirrored()) or "none"
        return (
            f"Head {self.head} of {self.n_heads}. From the query at {self.query} of {self.n} positions, the key at "
            f"{self.key}, {side}, {gets}: {listed}. "
            f"The same to the left and to the right at every distance: {mirrored}."
        )

    def alt_text(self) -> str:
        shown = "The weights from their softmax" if self.as_weights else "Bias or score"
        return (
            f"{shown} against the distance from query to key, −{self.n - 1} to {self.n - 1}, for five schemes one "
            f"above the other: {', '.join(SCHEMES)}. Beside them a heat map of {self.scheme} for all "
            f"{self.n} × {self.n} pairs of query and key, the row of query {self.query} framed. {self.summary()}"
        )

    def figure(self) -> Figure:
        return draw_twin(self)


def learned_arrays(table: Any, relative_keys: Any, queries: Any, keys: Any) -> dict[str, np.ndarray]:
    """The four arrays, checked; those that are None made up for as many heads and columns as the others have."""
    given: dict[str, np.ndarray] = {}
    for name, value in {"table": table, "relative_keys": relative_keys, "queries": queries, "keys": keys}.items():
        if value is not None:
            if name in ("queries", "keys") and np.ndim(value) == 1:  # a vector is that of one head
                value = value.reshape(1, -1) if hasattr(value, "reshape") else [value]
            given[name] = np.array(matrix_rows(name, value))
    heads = {name: part.shape[name == "table"] for name, part in given.items() if name != "relative_keys"}
    columns = {name: part.shape[1] for name, part in given.items() if name != "table"}
    for what, counts, most in (("heads", heads, MOST_HEADS), ("columns", columns, MOST_COLUMNS)):
        if len(set(counts.values())) > 1:
            raise InvalidState(f"{', '.join(counts)} must have the same number of {what}, got {[*counts.values()]}")
        if max(counts.values(), default=1) > most:
            raise InvalidState(f"{', '.join(counts)} may have up to {most} {what}, got {max(counts.values())}")
    n_heads, d_head = next(iter(heads.values()), 8), next(iter(columns.values()), 16)
    if d_head % 2:
        raise InvalidState(f"queries, keys and relative_keys must have an even number of columns, got {d_head}")
    arrays = made_up(n_heads, d_head) | given
    shape = arrays["table"].shape
    if shape[0] % 2 or not 4 <= shape[0] <= MOST_BUCKETS:
        wanted = f"(n_buckets, head) with an even number of buckets from 4 to {MOST_BUCKETS}"
        raise InvalidState(f"table must be {wanted}, got shape {shape}")
    shape = arrays["relative_keys"].shape
    if shape[0] % 2 == 0 or not 3 <= shape[0] <= 2 * MOST_CLIP + 1:
        wanted = f"(2K + 1, d_head) with K from 1 to {MOST_CLIP}"
        raise InvalidState(f"relative_keys must be {wanted}, got shape {shape}")
    return arrays


def made_up(n_heads: int, d_head: int) -> dict[str, np.ndarray]:
    """Arrays to begin with, with two decimals: the first four heads by hand, the rest drawn."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(16, n_heads))
    far = np.arange(16) % 8  # bucket b holds a distance on the left below 8, on the right from 8 on
    right = np.arange(16) >= 8
    by_hand = [-0.4 * far, -0.4 * far - 2.0 * right, -0.4 * far - 2.0 * ~right, 0.3 * far]
    keys = rng.normal(size=(n_heads, d_head))
    queries = rng.normal(size=(n_heads, d_head))
    pairs = np.tile([1.0, 0.0], (1, d_head // 2))
    for h, (column, offset) in enumerate(zip(by_hand[:n_heads], [0, -1, 3, -5], strict=False)):
        table[:, h] = column
        keys[h] = pairs * sqrt(h + 1)
        queries[h] = rotary_encoding(pairs * sqrt(h + 1), np.array([offset]))[0]  # its score is largest at the offset
    relative_keys = rng.normal(size=(17, d_head))
    drawn = {"table": table, "relative_keys": relative_keys, "queries": queries, "keys": keys}
    return {name: part.round(2) + 0.0 for name, part in drawn.items()}


def is_mirrored(kernel: np.ndarray) -> bool:
    """Is it the same read backwards, to rounding?

    >>> is_mirrored(np.array([1.0, 2.0, 1.0])), is_mirrored(np.array([1.0, 2.0, -np.inf]))
    (True, False)
    """
    hidden = np.isinf(kernel)
    if (hidden != hidden[::-1]).any():
        return False
    seen = kernel[~hidden]
    return bool(abs(seen - seen[::-1]).max() <= MIRRORED * max(1.0, abs(seen).max()))


def brief(x: float) -> str:
    """A number in as many digits as a label has room for.

    >>> brief(-0.125), brief(12.34), brief(1234.5)
    ('−0.13', '12.3', '1235')
    """
    return format_number(x, 2 if abs(x) < 10 else 1 if abs(x) < 100 else 0)


# The static twin.


def draw_twin(widget: RelativeBiasExplorer) -> Figure:
    """The state of the widget, drawn by matplotlib."""
    figure = Figure(figsize=(7.6, 6.4), facecolor="white", layout="constrained")
    halves: Any = figure.subfigures(1, 2, width_ratios=[1.25, 1])
    panels = halves[0].subplots(len(SCHEMES), 1, sharex=True)
    formulas, kernels, rows = widget.formulas(), widget.kernels, widget.rows
    seen = widget.distances[widget._seen()]
    for axes, name in zip(panels, SCHEMES, strict=True):
        kernel, row = np.where(np.isinf(kernels[name]), np.nan, kernels[name]), rows[name]
        row = np.where(np.isinf(row), np.nan, row)
        if not widget.as_weights:
            axes.plot(widget.distances, kernel, "o-", color="0.75", lw=0.8, markersize=2)
        axes.plot(seen, row, "o-", color=WEIGHT if widget.as_weights else POSITIVE, lw=1, markersize=2.5)
        if widget.as_weights:
            axes.set_ylim(bottom=0)
        axes.axvline(0, color="0.8", lw=0.8, zorder=0)
        axes.axvline(widget.key - widget.query, color=NEGATIVE, lw=1, linestyle="--", zorder=0)
        number = brief(rows[name][widget.key])
        axes.set_title(f"{name}: {formulas[name]}", size=8, loc="left", parse_math=False)
        axes.set_title(number, size=8, loc="right", color=NEGATIVE, parse_math=False)
        axes.tick_params(labelsize=7)
        axes.spines[["top", "right"]].set_visible(False)
    panels[-1].set_xlabel("distance r: keys to the left of the query, and to the right", size=8)

    axes = halves[1].subplots()
    shown = widget.weights if widget.as_weights else widget.bias
    largest = max(float(abs(shown[np.isfinite(shown)]).max()), 1e-12)
    pole = [(WEIGHT, 1.0) if widget.as_weights else (NEGATIVE if x < 0 else POSITIVE, 0.8) for x in shown.flat]
    hidden = np.isinf(shown)
    share = np.where(hidden, 0, abs(shown) / largest)
    fills = [blend(colour, most * x)[0] for (colour, most), x in zip(pole, share.flat, strict=True)]
    axes.imshow(np.array(fills).reshape(*shown.shape, 3), interpolation="nearest")
    for i, j in np.argwhere(hidden):
        axes.plot([j - 0.4, j + 0.4], [i + 0.4, i - 0.4], color="0.7", lw=0.5)
    axes.add_patch(Rectangle((-0.5, widget.query - 0.5), widget.n, 1, fill=False, edgecolor="black", lw=1.2))
    axes.plot(widget.key, widget.query, "s", color="none", markeredgecolor=NEGATIVE, markersize=6)
    axes.set_title(f"{widget.scheme}, full colour {brief(largest)}", size=8, loc="left", parse_math=False)
    axes.set_xlabel("key", size=8)
    axes.set_ylabel("query", size=8)
    axes.tick_params(labelsize=7)
    return figure
