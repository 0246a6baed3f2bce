"""EncodingExplorer: a sinusoidal encoding, or a table of your own, as heat map, waves, clock hands and products."""

import base64
import math
from typing import Any, ClassVar

import numpy as np
import traitlets

from inorder.encodings import frequencies, sinusoidal_encoding
from inorder.widgets import marks
from inorder.widgets.interact.live import LiveFigure
from inorder.widgets.kit.figure import matrix_rows
from inorder.widgets.kit.state import InvalidState, choice, integer, real
from inorder.widgets.kit.twin import format_difference, format_number

MOST_POSITIONS, MOST_DIMENSIONS = 2048, 512
AS_NEAR = 1e-9  # a distance that is larger by less counts as the same
MOST_NAMES = 16  # of hands
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class EncodingExplorer(LiveFigure):
    """Sinusoidal positional encoding, up to 2,048 positions × 512 dimensions: each row is a set of clock hands.

    The reader moves through positions and columns, changes length, d_model, base and the order of the columns, and
    zooms. A clock hand is one pair of columns (sin pω_j, cos pω_j); one curve is a column along the positions, the
    other the product of a row with every other against their distance. In Python the traits below can be set and
    read, and ``encoding``, ``wave``, ``products``, ``nearest`` and the rest are computed by `inorder.encodings` for the
    state as it is.

    Args:
        encoding: a table of your own instead, (position, d_model), such as one that was learned: lists, NumPy or
            torch, 2 to 2,048 rows and up to 512 columns. Then d_model is its width, there are no hands, and base,
            column_layout and product have no effect.
        position, column: the row and the column chosen, from 0, inside the table.
        length: how many positions, from 0 on: 2 to 2,048, or to the rows of the table.
        d_model: an even number from 2 to 512.
        base: from 1, where all hands turn at the same speed, to 1,000,000.
        column_layout: "interleaved" (sine and cosine side by side) or "halves" (all sines, then all cosines).
        product: which columns a product of two rows reads: "all" of them, or the "sines" only, which stands for a
            score p_i W p_jᵀ whose W is not the identity.
        zoom, top, left: the part in view: 1/zoom of the rows and of the columns, from row ``top`` and column ``left``
            on, as far as the table reaches.

    Raises:
        ValueError: a value that the figure cannot show; the message names it. To make the table smaller than the row
            or the column that is chosen, change both, inside ``with widget.hold_trait_notifications():``.

    Source: Vaswani et al. 2017, section 3.5.

    >>> explorer = EncodingExplorer(length=64, d_model=32, position=10)
    >>> explorer.products[9:12].round(2)
    array([15.31, 16.  , 15.31])
    >>> row, distance = explorer.nearest
    >>> row, round(distance, 2)
    (11, 1.17)
    >>> format_length(explorer.wavelengths[-1])
    '35333'
    >>> EncodingExplorer(d_model=7)
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: d_model must be a whole number from 2 to 512 in steps of 2, got 7
    """

    extra_marks = ("clocks", "heat_map")
    title = traitlets.Unicode("Where is the word? Read the hands").tag(sync=True)
    given = traitlets.Dict(read_only=True).tag(sync=True)
    position = integer(0, low=0, below="length")
    length = integer(64, low=2, high=MOST_POSITIONS)
    d_model = integer(16, low=2, high=MOST_DIMENSIONS, step=2)
    base = real(10_000.0, low=1, high=1e6)
    column_layout = choice("interleaved", ["interleaved", "halves"])
    column = integer(0, low=0, below="d_model")
    product = choice("all", ["all", "sines"])
    zoom = real(1.0, low=1, high=MOST_POSITIONS)
    top = integer(0, low=0, high=MOST_POSITIONS - 1)
    left = integer(0, low=0, high=MOST_DIMENSIONS - 1)
    templates: ClassVar = {
        "same_row": "Position {row} has the same row.",
        "no_other_row": "No other position has this row.",
        "no_other_angle": "No other position has this angle.",
        "no_other_angles": "No other position has these {pairs} angles.",
        "nearest": "The nearest is that of position {row}, {distance} away.",
        "entry": "Position {row}, column {column}: {value}.",
        "wave": "Position {row}, column {column}: {wave}({row} ω{pair}) = {value}, one turn in {turn} positions.",
        "speeds": (
            "The fastest hand turns once in {fastest} positions, the slowest in {slowest}; from position 0 to {last}, "
            "{slow} of {pairs} {make} less than a quarter turn."
        ),
        "likeness": "The dot product of row {row} with itself is {own}; with row {other}, {product}.",
    }

    def __init__(self, encoding: Any = None, **state: Any) -> None:
        self._table = None if encoding is None else np.array(matrix_rows("encoding", encoding))
        if self._table is None:
            super().__init__(**state)
            return
        rows, columns = self._table.shape
        if not 2 <= rows <= MOST_POSITIONS or columns > MOST_DIMENSIONS:
            raise InvalidState(
                f"encoding must have 2 to {MOST_POSITIONS} rows and up to {MOST_DIMENSIONS} columns, "
                f"got shape {(rows, columns)}"
            )
        limits = {
            "length": {"high": rows},
            "d_model": {"low": columns, "high": columns, "step": 1},  # its width
            "product": {"options": ["all"]},
        }
        of_its_own = {"title": "Where is the word? Read its row", "length": rows, "d_model": columns}
        super().__init__(limits=limits, **of_its_own | state)

    @traitlets.default("given")
    def _given_table(self) -> dict[str, Any]:
        if self._table is None:
            return {}
        text = base64.b64encode(self._table.astype("<f8").tobytes()).decode("ascii")
        return {"n_rows": self._table.shape[0], "n_columns": self._table.shape[1], "float64": text}

    # what the state describes

    @property
    def encoding(self) -> np.ndarray:
        """The table that is shown, (length, d_model)."""
        if self._table is not None:
            return self._table[: self.length].copy()
        return sinusoidal_encoding(np.arange(self.length), self.d_model, base=self.base, layout=self.column_layout)

    @property
    def frequencies(self) -> np.ndarray:
        """ω_j, (d_model/2,); empty for a table."""
        return np.zeros(0) if self._table is not None else frequencies(self.d_model, base=self.base)

    @property
    def wavelengths(self) -> np.ndarray:
        """2π/ω_j, in positions, (d_model/2,)."""
        return 2 * math.pi / self.frequencies

    @property
    def window(self) -> tuple[int, int, int, int]:
        """The part in view: first position, first column, positions, columns; inside the table."""
        rows, columns = (max(1, math.floor(size / self.zoom + 0.5)) for size in (self.length, self.d_model))
        return min(self.top, self.length - rows), min(self.left, self.d_model - columns), rows, columns

    @property
    def value(self) -> float:
        """The chosen cell."""
        return float(self.encoding[self.position, self.column])

    @property
    def wave(self) -> np.ndarray:
        """The chosen column, (length,)."""
        return self.encoding[:, self.column]

    @property
    def products(self) -> np.ndarray:
        """p_i · p_j of the chosen row i with every row j, over the columns that `product` names, (length,)."""
        read = self.encoding
        if self.product == "sines":
            read = read[:, ::2] if self.column_layout == "interleaved" else read[:, : self.d_model // 2]
        return read @ read[self.position]

    @property
    def nearest(self) -> tuple[int, float]:
        """The other row that is nearest to the chosen one, the last of those equally near, and how far it is."""
        encoding = self.encoding
        distances = np.sqrt(((encoding - encoding[self.position]) ** 2).sum(axis=1))
        distances[self.position] = np.inf
        return int(np.flatnonzero(distances <= distances.min() + AS_NEAR)[-1]), float(distances.min())

    # in words

    def summary(self) -> str:
        row, distance = self.nearest
        if distance == 0:
            return self.say("same_row", row=row)
        if self._table is not None:
            return self.say("no_other_row")
        pairs = self.d_model // 2
        return self.say("no_other_angle" if pairs == 1 else "no_other_angles", pairs=pairs)

    def note(self) -> str:
        """The smaller line below the answer."""
        row, distance = self.nearest
        nearest = self.say("nearest", row=row, distance=format_difference(distance)) if distance else ""
        return f"{self.cell()} {nearest}".rstrip()

    def cell(self) -> str:
        """The chosen cell."""
        parts = {"row": self.position, "column": self.column, "value": format_number(self.value, 4)}
        if self._table is not None:
            return self.say("entry", **parts)
        wave, pair = self._wave_of(self.column)
        turn = format_length(self.wavelengths[pair])
        return self.say("wave", **parts, wave=wave, pair=str(pair).translate(SUBSCRIPTS), turn=turn)

    def speeds(self) -> str:
        """How fast the hands turn; empty for a table."""
        if self._table is not None:
            return ""
        slow = int((self.frequencies * (self.length - 1) < math.pi / 2).sum())
        ends = {"fastest": format_length(self.wavelengths[0]), "slowest": format_length(self.wavelengths[-1])}
        counts = {"last": self.length - 1, "slow": slow, "pairs": self.d_model // 2}
        return self.say("speeds", **ends, **counts, make="makes" if slow == 1 else "make")

    def likeness(self) -> str:
        """The product of the chosen row with itself and with its neighbour."""
        digits = 2 if self._table is None else 4  # learned tables hold small numbers
        row, products = self.position, self.products
        other = row + 1 if row + 1 < self.length else row - 1
        own, product = (format_number(products[i], digits) for i in (row, other))
        return self.say("likeness", row=row, own=own, other=other, product=product)

    def _wave_of(self, column: int) -> tuple[str, int]:
        half = self.d_model // 2
        wave, pair = divmod(column, half) if self.column_layout == "halves" else (column % 2, column // 2)
        return ("sin", "cos")[wave], pair

    def marks(self) -> list[marks.Mark]:
        table, at, column = self.encoding, self.position, self.column
        top, left, rows, columns = self.window
        largest = 1.0 if self._table is None else float(abs(self._table).max()) or 1.0
        panels = [
            marks.heat_map(
                table,
                axes=("position", "column"),
                limits=(-largest, largest),
                part=(top, left, rows, columns),
                drag=("position", "column"),
            )
        ]
        name = f"Column {column}"
        if self._table is None:
            n = self.d_model // 2
            labels = [f"ω{str(pair).translate(SUBSCRIPTS)}" for pair in range(n)] if n <= MOST_NAMES else None
            hands = f"Position {at}: fast hands count positions, slow ones their turns"
            panels.append(marks.clocks(at * self.frequencies, labels, drag="position", title=hands))
            form, pair = self._wave_of(column)
            name += f", {form} ω{str(pair).translate(SUBSCRIPTS)}p"
        is_seen = top <= at < top + rows
        seen = slice(top, top + rows)
        wave = marks.lines(
            np.arange(self.length)[seen],
            {"": self.wave[seen]},
            axes=("position", ""),
            x_limits=(top - 0.5, top + rows - 0.5),
            y_limits=(-largest, largest),
            handle=float(at) if is_seen else None,
            drag="position" if is_seen else (),
            title=name,
        )
        reach = max(rows - 1, 1)
        near = slice(max(at - reach, 0), at + reach + 1)
        products = self.products[near]
        low, high = min(0.0, float(products.min())), max(0.0, float(products.max()))
        likeness = marks.lines(
            np.arange(self.length)[near] - at,
            {"": products},
            axes=("distance from the row", ""),
            x_limits=(-reach, reach),
            y_limits=(low, high if high > low else low + 1.0),
            title="Dot product with the others",
        )
        sign = "≠" if self.nearest[1] else "="
        return [*panels, wave, likeness, marks.answer(self.summary(), sign)]


def format_length(x: float) -> str:
    """A wavelength: one digit after the point, none from a hundred on.

    >>> format_length(6.2832), format_length(47117.2)
    ('6.3', '47117')
    """
    return format_number(x, 0 if x >= 99.95 else 1)
