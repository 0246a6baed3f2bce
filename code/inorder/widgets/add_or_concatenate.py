"""AddOrConcatenate: a token and a position, added or set side by side, and read back by the best affine map."""

from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
    matrix_rows,
)
from inorder.widgets.same_or_not import numbers_from_text

WORDS = [
    *("the", "cat", "sat", "down", "and", "slept", "while", "a", "dog", "barked", "at", "two"),
    *("birds", "that", "flew", "over", "our", "old", "house", "in", "May", "or", "early", "June"),
]
LARGEST_TABLE = len(WORDS)  # 24 rows
WIDEST = 64
N_SEEDS = 10
TIE = 1e-9  # a score that is no further ahead than this has not won
SPANNED = 1e-9  # what is left of a column, as a part of it, when the columns before it span it already


class OptionalMatrix(Matrix):
    """A `Matrix`, or an empty list."""

    def validate(self, obj: Any, value: Any) -> list[list[float]]:
        return [] if isinstance(value, list) and not value else super().validate(obj, value)


class ReadBack(NamedTuple):
    """What the best affine map from vectors to one-hot tokens and positions says of one pair: (token,), (position,)."""

    tokens: np.ndarray
    positions: np.ndarray


class AddOrConcatenate(InteractiveFigure):
    """One of V tokens and one of L positions in d dimensions, added or side by side, and read back from the result.

    Added, the vector is x_t + p_k, both of width d. Side by side it is [x_t; p_k], with d_x + d_p = d columns. The
    read-out is the affine map that comes closest, in least squares over all V · L pairs, to the one-hot vector of the
    token and to that of the position; the largest number wins. The reader picks the pair, d, V, L, the length of the
    positions relative to that of the tokens, and the part of d that the tokens take side by side. Below, the part of
    all pairs of which both are read back, against d, over ten pairs of random tables.

    For tables in general position the read-out is exact, one-hot vectors to rounding, if and only if d ≥ V + L − 2
    when added, and if and only if d_x ≥ V − 1 and d_p ≥ L − 1 side by side.

    Args:
        n_tokens, n_positions: V and L, from 2 to 24.
        d: the whole width, from 2 to 64.
        token, position: the pair, counted from 0 (the last, if there are not so many).
        ratio: what the positions are multiplied by; 1 makes them as long as the tokens, on average.
        share: the part of d that the tokens take side by side, between 0 and 1: d_x is share · d, rounded.
        token_table, position_table: tables of your own, (V, D) and (L, D), both or none, D from 2 to 64, of which the
            first d columns are used. Lists, NumPy or torch.

    Raises:
        ValueError: a number or a table that the figure cannot show; the message names it.

    >>> figure = AddOrConcatenate(n_tokens=5, n_positions=4, d=7)  # 5 + 4 − 2
    >>> figure.added.tokens.round(9) + 0.0, figure.added.positions.round(9) + 0.0
    (array([0., 1., 0., 0., 0.]), array([0., 0., 1., 0.]))
    >>> AddOrConcatenate(d=1)
    Traceback (most recent call last):
    ...
    inorder.widgets.base.InvalidState: d must be from 2 to 64, got 1
    """

    _esm = compose_module("add_or_concatenate.js")
    _css = compose_style("add_or_concatenate.css")

    state_names: ClassVar[tuple[str, ...]] = (*("n_tokens", "n_positions", "d", "token", "position", "ratio", "share"),)

    title = traitlets.Unicode("Add or concatenate?").tag(sync=True)
    n_tokens = traitlets.Int(16).tag(sync=True)
    n_positions = traitlets.Int(16).tag(sync=True)
    d = traitlets.Int(12).tag(sync=True)
    token = traitlets.Int(1).tag(sync=True)
    position = traitlets.Int(2).tag(sync=True)
    ratio = traitlets.Float(1.0).tag(sync=True)
    share = traitlets.Float(0.5).tag(sync=True)
    token_table = OptionalMatrix([]).tag(sync=True)  # empty: random tables
    position_table = OptionalMatrix([]).tag(sync=True)

    def __init__(self, *, token_table: Any = None, position_table: Any = None, **state: Any) -> None:
        if (token_table is None) != (position_table is None):
            raise InvalidState("token_table and position_table must both be given, or neither")
        if token_table is not None:
            tables = {"token_table": token_table, "position_table": position_table}
            tables = {name: matrix_rows(name, table) for name, table in tables.items()}
            sizes = {"n_tokens": len(tables["token_table"]), "n_positions": len(tables["position_table"])}
            state = sizes | {"d": min(12, len(tables["token_table"][0]))} | state | tables
        super().__init__(**state)

    @traitlets.validate(*state_names, "token_table", "position_table")
    def _check(self, proposal: Any) -> Any:
        names = (*self.state_names, "token_table", "position_table")
        state = {name: getattr(self, name) for name in names} | {proposal.trait.name: proposal.value}
        shapes = [np.shape(state[name]) for name in ("token_table", "position_table")]
        own = shapes[0] != (0,) or shapes[1] != (0,)
        if own:
            for name, shape in zip(("token_table", "position_table"), shapes, strict=True):
                if len(shape) != 2 or not (2 <= shape[0] <= LARGEST_TABLE and 2 <= shape[1] <= WIDEST):
                    raise InvalidState(f"{name} must have 2 to 24 rows and 2 to 64 columns, got shape {shape}")
            if shapes[0][1] != shapes[1][1]:
                raise InvalidState(f"both tables must have the same number of columns, got {shapes[0]} and {shapes[1]}")
        for name, shape in zip(("n_tokens", "n_positions"), shapes, strict=True):
            low, high = (shape[0], shape[0]) if own else (2, LARGEST_TABLE)
            _expect_within(name, state[name], low, high)
        _expect_within("d", state["d"], 2, shapes[0][1] if own else WIDEST)
        for name in ("token", "position"):
            _expect_within(name, state[name], 0, LARGEST_TABLE - 1)
        _expect_within("ratio", state["ratio"], 0.01, 100)
        _expect_within("share", state["share"], 0.01, 0.99)
        return proposal.value

    @property
    def widest(self) -> int:
        """The largest d: the width of the reader's own tables, or 64."""
        return len(self.token_table[0]) if self.token_table else WIDEST

    @property
    def tables(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(V, widest) and (L, widest), one pair for each seed; the reader's own are a single pair."""
        if self.token_table:
            return [(np.array(self.token_table), self.ratio * np.array(self.position_table))]
        pairs = (random_tables(seed) for seed in range(N_SEEDS))
        return [(x[: self.n_tokens], self.ratio * p[: self.n_positions]) for x, p in pairs]

    @property
    def pair(self) -> tuple[int, int]:
        """The token and the position shown."""
        return min(self.token, self.n_tokens - 1), min(self.position, self.n_positions - 1)

    @property
    def d_token(self) -> int:
        """d_x, how many columns the token takes side by side: at least one, and at least one is left."""
        return split(self.d, self.share)

    @property
    def added(self) -> ReadBack:
        """Read back from x + p."""
        x, p = self.tables[0]
        return read_sum(column_space(weighted(x, p)[:, : self.d])[-1][0], self.n_tokens, *self.pair)

    @property
    def side_by_side(self) -> ReadBack:
        """Read back from [x; p]."""
        (x, p), (t, k) = self.tables[0], self.pair
        return ReadBack(
            1 / len(x) + column_space(centred(x)[:, : self.d_token])[-1][0][t],
            1 / len(p) + column_space(centred(p)[:, : self.d - self.d_token])[-1][0][k],
        )

    @property
    def counts(self) -> dict[str, np.ndarray]:
        """How many of the V · L pairs are read back, {"added" or "side_by_side": (d − 2, seed)}, d from 2 to widest."""
        found: dict[str, list] = {"added": [], "side_by_side": []}
        for x, p in self.tables:
            steps = column_space(weighted(x, p))
            found["added"].append([pairs_read_from_sums(projector, len(x)) for projector, _ in steps[1:]])
            tokens, positions = (
                [won(projector).sum() for projector, _ in column_space(centred(table))] for table in (x, p)
            )
            parts = [(split(d, self.share), d) for d in range(2, self.widest + 1)]
            found["side_by_side"].append([tokens[a - 1] * positions[d - a - 1] for a, d in parts])
        return {name: np.transpose(values) for name, values in found.items()}

    @property
    def rates(self) -> dict[str, np.ndarray]:
        """The part of all pairs read back: `counts` divided by V · L."""
        return {name: counts / (self.n_tokens * self.n_positions) for name, counts in self.counts.items()}

    @property
    def exact_from(self) -> dict[str, int | None]:
        """The smallest d at which the read-out of the tables shown is exact, or None up to the widest."""
        x, p = self.tables[0]
        tokens, positions, both = (
            [rank for _, rank in column_space(table)] for table in (centred(x), centred(p), weighted(x, p))
        )
        n_token, n_position = len(x) - 1, len(p) - 1  # the ranks of the centred tables, at most
        found: dict[str, int | None] = {"added": None, "side_by_side": None}
        for d in range(self.widest, 1, -1):
            a = split(d, self.share)
            if both[d - 1] == n_token + n_position:
                found["added"] = d
            if tokens[a - 1] == n_token and positions[d - a - 1] == n_position:
                found["side_by_side"] = d
        return found

    def summary(self) -> str:
        (t, k), a = self.pair, self.d_token
        counts, exact = self.counts, self.exact_from
        n = self.n_tokens * self.n_positions

        def of_all(name: str) -> str:
            row = counts[name][self.d - 2]  # (seed,)
            spread = "" if self.token_table else f" ({format_number(row.min() / n)} to {format_number(row.max() / n)})"
            return f"{format_number(row.sum() / (len(row) * n))}{spread}"

        def since(name: str) -> str:
            return "at no width here" if exact[name] is None else f"from d = {exact[name]} on"

        where = "your tables" if self.token_table else f"{N_SEEDS} pairs of random tables"
        return (
            f"{self.n_tokens} tokens and {self.n_positions} positions, {self.d} dimensions, positions "
            f"times {format_number(self.ratio)}. The sum of “{WORDS[t]}” and position {k} is read as "
            f"{_said(self.added, t, k)}. Side by side, {a} + {self.d - a} dimensions: "
            f"{_said(self.side_by_side, t, k)}. "
            f"Of all {n} pairs, in {where}, both are read back from {of_all('added')} of the sums and from "
            f"{of_all('side_by_side')} side by side. The read-out is exact {since('added')} when added, and "
            f"{since('side_by_side')} side by side."
        )

    def alt_text(self) -> str:
        return (
            f"Four bar charts of what is read back, {self.n_tokens} bars for the tokens and {self.n_positions} for the "
            "positions, from the sum and from the two side by side; the bar of the right answer is marked. Below, the "
            f"part of all pairs read back against d from 2 to {self.widest}, one curve for sums and one for side by "
            f"side, with bars for the range over the tables. {self.summary()}"
        )

    def figure(self) -> Figure:
        figure = Figure(figsize=(6.6, 5.0), facecolor="white", layout="constrained")
        grid = figure.add_gridspec(3, 2, height_ratios=[1, 1, 1.7])
        (t, k), a = self.pair, self.d_token
        heads = (f"sum, d = {self.d}", f"side by side, {a} + {self.d - a}")
        for column, (head, read) in enumerate(zip(heads, (self.added, self.side_by_side), strict=True)):
            _draw_bars(figure.add_subplot(grid[0, column]), read.tokens, t, WORDS, f"{head}: which token?")
            positions = [str(i) for i in range(self.n_positions)]
            _draw_bars(figure.add_subplot(grid[1, column]), read.positions, k, positions, f"{head}: which position?")
        axes = figure.add_subplot(grid[2, :])
        d = np.arange(2, self.widest + 1)
        looks = {"added": (POSITIVE, "o", -0.12), "side_by_side": (NEGATIVE, "s", 0.12)}
        for name, values in self.rates.items():
            colour, marker, shift = looks[name]
            mean = values.mean(axis=1)
            spread = np.abs(np.stack([values.min(axis=1), values.max(axis=1)]) - mean)
            label = {"added": "added", "side_by_side": "side by side"}[name]
            axes.errorbar(
                d + shift, mean, spread, fmt=f"-{marker}", color=colour, ms=2.5, lw=1, elinewidth=0.6, label=label
            )
        axes.axvline(self.d, color="0.4", lw=0.8, ls=":")
        axes.set(xlabel="d", ylim=(-0.03, 1.05), ylabel="part of pairs read back")
        axes.legend(frameon=False, fontsize=8, loc="lower right")
        axes.spines[["top", "right"]].set_visible(False)
        return figure


# The arithmetic. Over all pairs the sums of centred rows vanish, and so do the cross terms of the squared error:
#   Σ_tk ‖(x_t + p_k) W − onehot_t‖² = L Σ_t ‖x_t W − onehot_t‖² + V Σ_k ‖p_k W‖²
# This is least squares with √L x_t and √V p_k as rows, so the predictions are H times the targets, H the projector on
# the columns of these rows. One column more adds one vector to an orthonormal basis of them.


def centred(table: np.ndarray) -> np.ndarray:
    return table - table.mean(axis=0)


def weighted(x: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The rows whose projector reads sums: √L x_t above √V p_k, both centred, (V + L, d)."""
    return np.concatenate([np.sqrt(len(p)) * centred(x), np.sqrt(len(x)) * centred(p)])


def column_space(rows: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """For 1, 2, … columns of (n, d): the projector on their span, (n, n), and its rank. Gram and Schmidt, twice."""
    n = len(rows)
    projector, basis, found = np.zeros((n, n)), np.zeros((0, n)), []
    for column in rows.T:
        rest = column - basis.T @ (basis @ column)
        rest = rest - basis.T @ (basis @ rest)
        length = np.linalg.norm(rest)
        if length > SPANNED * np.linalg.norm(column):
            basis = np.concatenate([basis, rest[None] / length])
            projector = projector + np.outer(basis[-1], basis[-1])
        found.append((projector, len(basis)))
    return found


def read_sum(projector: np.ndarray, n_tokens: int, token: int, position: int) -> ReadBack:
    """What the read-out says of x_t + p_k."""
    v, m = n_tokens, len(projector) - n_tokens  # tokens, positions
    of_token, of_position = projector[token], projector[v + position]
    return ReadBack(
        1 / v + of_token[:v] + np.sqrt(m / v) * of_position[:v],
        1 / m + of_position[v:] + np.sqrt(v / m) * of_token[v:],
    )


def pairs_read_from_sums(projector: np.ndarray, n_tokens: int) -> int:
    """The number of pairs of which token and position both win."""
    v, m = n_tokens, len(projector) - n_tokens  # tokens, positions
    tokens = projector[:v, None, :v] + np.sqrt(m / v) * projector[None, v:, :v]  # (token, position, token)
    positions = projector[None, v:, v:] + np.sqrt(v / m) * projector[:v, None, v:]  # (token, position, position)
    return int((won(np.swapaxes(tokens, 0, 1)).T & won(positions)).sum())


def won(scores: np.ndarray) -> np.ndarray:
    """Is the right answer, on the diagonal of the last two axes, ahead of all others? (..., n, n) to (..., n)."""
    right = np.diagonal(scores, axis1=-2, axis2=-1)
    others = np.where(np.eye(scores.shape[-1], dtype=bool), -np.inf, scores)
    return right > others.max(axis=-1) + TIE


def split(d: int, share: float) -> int:
    return min(max(int(np.floor(share * d + 0.5)), 1), d - 1)


@cache
def random_tables(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Tokens and positions, (24, 64) each, independent normal numbers of variance 1; the browser draws the same."""
    n = LARGEST_TABLE * WIDEST
    tokens, positions = (normal_numbers(f"{name}, table {seed}", n) for name in ("tokens", "positions"))
    return tokens.reshape(LARGEST_TABLE, WIDEST), positions.reshape(LARGEST_TABLE, WIDEST)


def normal_numbers(text: str, n: int) -> np.ndarray:
    """n normal numbers that are always the same for the same text: Box and Muller's, two uniform ones for each."""
    uniform = (np.array(numbers_from_text(text, 2 * n)).reshape(n, 2) + 1) / 2
    return np.sqrt(-2 * np.log(1 - uniform[:, 0])) * np.cos(2 * np.pi * uniform[:, 1])


def _expect_within(name: str, value: int | float, low: int | float, high: int | float) -> None:
    if not low <= value <= high:  # NaN too
        wanted = f"{low}, the rows of the table" if low == high else f"from {low} to {high}"
        raise InvalidState(f"{name} must be {wanted}, got {value}")


def _winner(scores: np.ndarray) -> tuple[int, bool]:
    """The place of the largest score, the first of several, and whether it is alone."""
    best = int(np.argmax(scores >= scores.max() - TIE))
    return best, int((scores >= scores.max() - TIE).sum()) == 1


def _said(read: ReadBack, token: int, position: int) -> str:
    parts = []
    for scores, right, name in (
        (read.tokens, token, lambda i: f"“{WORDS[i]}”"),
        (read.positions, position, lambda i: f"position {i}"),
    ):
        best, alone = _winner(scores)
        verdict = "right" if alone and best == right else "wrong" if alone else "undecided"
        parts.append(f"{name(best)} ({format_number(scores[best])}, {verdict})")
    return " and ".join(parts)


def _draw_bars(axes: Axes, scores: np.ndarray, right: int, names: list[str], title: str) -> None:
    best, alone = _winner(scores)
    places = np.arange(len(scores))
    pale = blend(WEIGHT, 0.35)[0]
    colours = [WEIGHT if place == right else pale for place in places]
    bars = axes.bar(places, scores, color=colours, width=0.75)
    if best != right or not alone:
        bars[best].set(hatch="////", edgecolor=NEGATIVE)
    axes.axhline(0, color="0.3", lw=0.6)
    verdict = "✓" if alone and best == right else "✗"
    axes.set_title(f"{title} {verdict}", size=8)
    shown = sorted({right, best})
    axes.set_xticks(shown, [names[place] for place in shown], size=7)
    axes.set(ylim=(min(-0.5, scores.min() * 1.1), max(1.05, scores.max() * 1.1)), yticks=[0, 1])
    axes.tick_params(axis="y", labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
