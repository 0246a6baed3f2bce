"""AddOrConcatenate: a token and a position, added or set side by side, and read back by the best affine map."""

from typing import Any, ClassVar

import numpy as np
import traitlets

from inorder.widgets import marks
from inorder.widgets.add_or_concatenate.read_back import (
    LARGEST_TABLE,
    WIDEST,
    ReadBack,
    centred,
    column_space,
    is_right,
    pairs_read_from_sums,
    random_tables,
    read_sum,
    split,
    weighted,
    won,
)
from inorder.widgets.interact.live import LiveFigure
from inorder.widgets.kit.state import InvalidState, check_matrix, integer, real

LARGEST_ENTRY = 1000.0
WORDS = [
    *("my", "cat", "sat", "down", "and", "slept", "while", "one", "dog", "barked", "at", "two"),
    *("birds", "that", "flew", "over", "our", "old", "house", "in", "May", "or", "early", "June"),
]


class AddOrConcatenate(LiveFigure):
    """One of V tokens and one of L positions in d dimensions, added or side by side, and read back from the result.

    Added, the vector is x_t + p_k, both of width d. Side by side it is [x_t; p_k], with d_x + d_p = d columns. The
    read-out is the affine map that comes closest, in least squares over all V · L pairs, to the one-hot vector of the
    token and to that of the position; the largest number wins. The reader picks the pair, d, V, L, the norm of the
    positions relative to that of the tokens, and the share of d that the tokens take side by side. A panel shows the
    share of all pairs in which both are read back, against d.

    For tables in general position the read-out is exact, one-hot up to rounding, if and only if d ≥ V + L − 2
    when added, and if and only if d_x ≥ V − 1 and d_p ≥ L − 1 side by side.

    Args:
        n_tokens, n_positions: V and L, from 2 to 24.
        d: the whole width, from 2 to 64.
        token, position: the pair, counted from 0 (the last, if there are not so many).
        ratio: what the positions are multiplied by; 1 gives them the norm of the tokens, on average.
        share: the share of d that the tokens take side by side, between 0 and 1: d_x is share · d, rounded.
        token_table, position_table: tables of your own, (V, D) and (L, D), both or none, D from 2 to 64, of which the
            first d columns are used. Lists, NumPy or torch.

    Raises:
        ValueError: a number or a table that the figure cannot show; the message names it.

    >>> figure = AddOrConcatenate(n_tokens=5, n_positions=4, d=7)  # 5 + 4 − 2
    >>> figure.added.tokens.round(9) + 0.0, figure.added.positions.round(9) + 0.0
    (array([0., 1., 0., 0., 0.]), array([0., 0., 1., 0.]))
    >>> figure.summary()
    'Either way, token and position are read back.'
    >>> AddOrConcatenate(d=1)
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: d must be a whole number from 2 to 64, got 1
    """

    extra_marks = ("heat_map",)
    title = traitlets.Unicode("A token and its position in one vector: can both be read back?").tag(sync=True)
    d = integer(12, low=2, high=WIDEST)
    token = integer(1, low=0, high=LARGEST_TABLE - 1)
    position = integer(2, low=0, high=LARGEST_TABLE - 1)
    n_tokens = integer(16, low=2, high=LARGEST_TABLE)
    n_positions = integer(16, low=2, high=LARGEST_TABLE)
    ratio = real(1, low=0.01, high=100)
    share = real(0.5, low=0.01, high=0.99)
    token_table: Any = traitlets.List(read_only=True).tag(sync=True)  # empty: random tables
    position_table: Any = traitlets.List(read_only=True).tag(sync=True)
    templates: ClassVar = {
        "neither": "both are lost",
        "no_token": "the token is lost",
        "no_position": "the position is lost",
        "both": "token and position are read back",
        "both_ways": "Either way, {answer}.",
        "each_way": "Added, {added}; side by side, {beside}.",
        "exact": "Exact {added} when added, {beside} side by side.",
        "exact_both_ways": "Exact {from_width}, either way.",
        "from": "from d = {d} on",
        "nowhere": "at no width here",
    }
    words = traitlets.List(WORDS, read_only=True).tag(sync=True)

    def __init__(self, *, token_table: Any = None, position_table: Any = None, **state: Any) -> None:
        if (token_table is None) != (position_table is None):
            raise InvalidState("token_table and position_table must both be given, or neither")
        if token_table is None:
            super().__init__(**state)
            return
        sizes: dict[str, Any] = {"low": -LARGEST_ENTRY, "high": LARGEST_ENTRY}
        sizes |= {"rows": (2, LARGEST_TABLE), "columns": (2, WIDEST)}
        for name, table in (("token_table", token_table), ("position_table", position_table)):
            self.set_trait(name, check_matrix(name, table, sizes))
        (v, width), (m, other) = np.shape(self.token_table), np.shape(self.position_table)
        if width != other:
            raise InvalidState(f"both tables must have the same number of columns, got {(v, width)} and {(m, other)}")
        limits = {name: {"low": n, "high": n} for name, n in (("n_tokens", v), ("n_positions", m))}
        super().__init__(
            limits=limits | {"d": {"high": width}}, **{"n_tokens": v, "n_positions": m, "d": min(12, width)} | state
        )

    @property
    def widest(self) -> int:
        """The largest d: the width of the reader's own tables, or 64."""
        return self.limits["d"]["high"]

    @property
    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of the tokens, (V, widest), and of the positions, (L, widest)."""
        x, p = (np.array(self.token_table), np.array(self.position_table)) if self.token_table else random_tables()
        return x[: self.n_tokens], self.ratio * p[: self.n_positions]

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
        x, p = self.tables
        return read_sum(column_space(weighted(x, p)[:, : self.d])[-1][0], self.n_tokens, *self.pair)

    @property
    def side_by_side(self) -> ReadBack:
        """Read back from [x; p]."""
        (x, p), (t, k) = self.tables, self.pair
        return ReadBack(
            1 / len(x) + column_space(centred(x)[:, : self.d_token])[-1][0][t],
            1 / len(p) + column_space(centred(p)[:, : self.d - self.d_token])[-1][0][k],
        )

    @property
    def rates(self) -> dict[str, np.ndarray]:
        """The share of all V · L pairs read back, {"added" or "side_by_side": (d − 2,)}, d from 2 to widest."""
        x, p = self.tables
        added = [pairs_read_from_sums(projector, len(x)) for projector, _ in column_space(weighted(x, p))]
        tokens, positions = ([won(projector).sum() for projector, _ in column_space(centred(t))] for t in (x, p))
        splits = [(split(d, self.share), d) for d in range(2, self.widest + 1)]
        rates = {"added": added[1:], "side_by_side": [tokens[a - 1] * positions[d - a - 1] for a, d in splits]}
        return {name: np.array(counts) / (len(x) * len(p)) for name, counts in rates.items()}

    @property
    def exact_from(self) -> dict[str, int | None]:
        """The smallest d at which the read-out of the tables shown is exact, or None up to the widest."""
        x, p = self.tables
        tokens, positions, both = (
            [rank for _, rank in column_space(table)] for table in (centred(x), centred(p), weighted(x, p))
        )
        n_token, n_position = len(x) - 1, len(p) - 1  # the ranks of the centred tables, at most
        widths: dict[str, int | None] = {"added": None, "side_by_side": None}
        for d in range(self.widest, 1, -1):
            a = split(d, self.share)
            if both[d - 1] == n_token + n_position:
                widths["added"] = d
            if tokens[a - 1] == n_token and positions[d - a - 1] == n_position:
                widths["side_by_side"] = d
        return widths

    def summary(self) -> str:
        added, beside = (self.say(self._answer(read)) for read in (self.added, self.side_by_side))
        return self.say("both_ways" if added == beside else "each_way", answer=added, added=added, beside=beside)

    def _answer(self, read: ReadBack) -> str:
        token, position = map(is_right, read, self.pair)
        return ["neither", "no_token", "no_position", "both"][2 * token + position]

    def note(self) -> str:
        """The smaller line below the answer: the width from which the read-out is exact."""
        added, beside = (self.say("nowhere") if d is None else self.say("from", d=d) for d in self.exact_from.values())
        if added == beside:
            return self.say("exact_both_ways", from_width=added)
        return self.say("exact", added=added, beside=beside)

    def marks(self) -> list[marks.Mark]:
        (x, p), (t, k), a, d = self.tables, self.pair, self.d_token, self.d
        token, position = x[t, :d], p[k, :d]
        vectors = np.stack([token, position, token + position, np.concatenate([token[:a], position[: d - a]])])
        largest = abs(vectors).max()
        names = [f"x: {WORDS[t]}", f"p: {k}", "x + p", "[x; p]"]
        look: dict[str, Any] = {"limits": (-largest, largest), "digits": None, "title": f"{d} numbers"}
        panels = [marks.heat_map(vectors, names, **look)]
        for what, right, labels in (
            ("token", t, WORDS[: len(x)]),
            ("position", k, [str(one) for one in range(len(p))]),
        ):
            scores = np.stack([getattr(read, f"{what}s") for read in (self.added, self.side_by_side)])
            largest = max(1.0, abs(scores).max())
            rows = [
                f"{name} {'✓' if is_right(row, right) else '×'}" for name, row in zip(names[2:], scores, strict=True)
            ]
            look = {"limits": (-largest, largest), "title": f"Which {what}? Should be {labels[right]}"}
            panels.append(marks.heat_map(scores, rows, labels, **look))
        curves = marks.lines(
            np.arange(2, self.widest + 1),
            {name.replace("_", " "): values for name, values in self.rates.items()},
            handle=float(d),
            drag="d",
            axes=("d", "share of all pairs"),
            x_limits=(2, self.widest),
            y_limits=(0, 1),
            log="x",
        )
        is_read = self._answer(self.added) == self._answer(self.side_by_side) == "both"
        return [*panels, curves, marks.answer(self.summary(), "✓" if is_read else "×")]
