"""EncodingExplorer: a sinusoidal encoding, or a table of one's own, as heat map, waves, clock hands and products."""

import base64
import math
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from inorder.encodings import frequencies, sinusoidal_encoding
from inorder.widgets.base import (
    NEGATIVE,
    POSITIVE,
    InteractiveFigure,
    InvalidState,
    blend,
    compose_module,
    compose_style,
    format_number,
    matrix_rows,
)

MOST_POSITIONS, MOST_DIMENSIONS, LARGEST_BASE = 2048, 512, 1e6
LAYOUTS, PRODUCTS = ("interleaved", "halves"), ("all", "sines")
POLES: Any = [blend(NEGATIVE, 0.8)[0], "white", blend(POSITIVE, 0.8)[0]]
SIGNED = LinearSegmentedColormap.from_list("signed", POLES)
CURVE, MARK, DIALS_SHOWN = "#0a58a8", "#b34700", 64
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class EncodingExplorer(InteractiveFigure):
    """Sinusoidal positional encoding, up to 2,048 positions × 512 dimensions: every cell, wave, hand and product.

    The reader moves through positions and columns, changes length, d_model, base and layout, and zooms. A wave is one
    column against position; a clock hand is one pair of columns (sin pω_j, cos pω_j); the product of a row with every
    other is drawn against their distance. In Python the traits below can be set and read, and ``encoding``, ``wave``,
    ``products`` and the rest are computed by `inorder.encodings` for the state as it is.

    Args:
        encoding: a table of your own instead, (position, d_model), such as one that was learned: lists, NumPy or
            torch, 2 to 2,048 rows and up to 512 columns. Then d_model is its width, there are no hands, and base,
            column_layout and product have no effect.
        position, column: the row and the column chosen, from 0. One beyond the end stands for the last.
        length: how many positions, from 0 on: 2 to 2,048, or to the rows of the table.
        d_model: an even number from 2 to 512.
        base: from 1, where all hands turn alike, to 1,000,000.
        column_layout: "interleaved" (sine and cosine side by side) or "halves" (all sines, then all cosines).
        product: which columns a product of two rows reads: "all" of them, or the "sines" only, which stands for a
            score p_i W p_jᵀ whose W is not the identity.
        view: the part in view, [first position, first column, positions, columns], cut to what is there.

    Raises:
        ValueError: a value that the figure cannot show; the message names it.

    Source: Vaswani et al. 2017, section 3.5.

    >>> explorer = EncodingExplorer(length=64, d_model=32, position=10)
    >>> explorer.products[9:12].round(2)
    array([15.31, 16.  , 15.31])
    >>> format_length(explorer.wavelengths[-1])
    '35333'
    >>> EncodingExplorer(d_model=7)
    Traceback (most recent call last):
    ...
    inorder.widgets.base.InvalidState: d_model must be an even number from 2 to 512, got 7
    """

    _esm = compose_module("encoding_explorer.js")
    _css = compose_style("encoding_explorer.css")

    state_names: ClassVar[tuple[str, ...]] = (
        "position",
        "length",
        "d_model",
        "base",
        "column_layout",
        "column",
        "view",
        "product",
    )

    title = traitlets.Unicode("Positional encoding, cell by cell").tag(sync=True)
    given = traitlets.Dict(read_only=True).tag(sync=True)
    position = traitlets.Int(0).tag(sync=True)
    length = traitlets.Int(64).tag(sync=True)
    d_model = traitlets.Int(64).tag(sync=True)
    base = traitlets.Float(10_000.0).tag(sync=True)
    column_layout = traitlets.Unicode("interleaved").tag(sync=True)
    column = traitlets.Int(0).tag(sync=True)
    view = traitlets.List(traitlets.Int()).tag(sync=True)
    product = traitlets.Unicode("all").tag(sync=True)

    def __init__(
        self,
        encoding: Any = None,
        *,
        position: int = 0,
        length: int | None = None,
        d_model: int | None = None,
        base: float = 10_000.0,
        column_layout: str = "interleaved",
        column: int = 0,
        view: Any = (0, 0, MOST_POSITIONS, MOST_DIMENSIONS),
        product: str = "all",
        **options: Any,
    ) -> None:
        self._table = None if encoding is None else np.array(matrix_rows("encoding", encoding))
        if self._table is not None:
            rows, columns = self._table.shape
            if not 2 <= rows <= MOST_POSITIONS or columns > MOST_DIMENSIONS:
                raise InvalidState(
                    f"encoding must have 2 to {MOST_POSITIONS} rows and up to {MOST_DIMENSIONS} columns, "
                    f"got shape {(rows, columns)}"
                )
        rows, columns = (64, 64) if self._table is None else self._table.shape
        super().__init__(
            position=position,
            length=rows if length is None else length,
            d_model=columns if d_model is None else d_model,
            base=base,
            column_layout=column_layout,
            column=column,
            view=[int(part) for part in view],
            product=product,
            **options,
        )

    @traitlets.default("given")
    def _given_table(self) -> dict[str, Any]:
        if self._table is None:
            return {}
        text = base64.b64encode(self._table.astype("<f8").tobytes()).decode("ascii")
        return {"n_rows": self._table.shape[0], "n_columns": self._table.shape[1], "float64": text}

    @traitlets.validate("position", "length", "d_model", "base", "column_layout", "column", "view", "product")
    def _check(self, proposal: Any) -> Any:
        name, value = proposal.trait.name, proposal.value
        most = MOST_POSITIONS if self._table is None else self._table.shape[0]
        width = None if self._table is None else self._table.shape[1]
        fits, wanted = {
            "position": lambda: (0 <= value < MOST_POSITIONS, f"from 0 to {MOST_POSITIONS - 1}"),
            "column": lambda: (0 <= value < MOST_DIMENSIONS, f"from 0 to {MOST_DIMENSIONS - 1}"),
            "length": lambda: (2 <= value <= most, f"from 2 to {most}"),
            "d_model": lambda: (
                (value == width, f"{width}, the width of the table")
                if width
                else (2 <= value <= MOST_DIMENSIONS and value % 2 == 0, f"an even number from 2 to {MOST_DIMENSIONS}")
            ),
            "base": lambda: (1 <= value <= LARGEST_BASE, f"from 1 to {LARGEST_BASE:.0f}"),
            "column_layout": lambda: (value in LAYOUTS, " or ".join(LAYOUTS)),
            "product": lambda: (
                value in PRODUCTS[: 1 if width else 2],
                "all, for a given table" if width else " or ".join(PRODUCTS),
            ),
            "view": lambda: (
                _is_view(value),
                "[first position, first column, positions, columns], the last two at least 1",
            ),
        }[name]()
        if not fits:
            raise InvalidState(f"{name} must be {wanted}, got {value!r}")
        return value

    # what the state stands for

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
    def chosen(self) -> tuple[int, int]:
        """(position, column), inside the table."""
        return min(self.position, self.length - 1), min(self.column, self.d_model - 1)

    @property
    def window(self) -> tuple[int, int, int, int]:
        """The part in view: first position, first column, positions, columns; inside the table."""
        row, column, rows, columns = self.view
        rows, columns = min(rows, self.length), min(columns, self.d_model)
        return min(row, self.length - rows), min(column, self.d_model - columns), rows, columns

    @property
    def value(self) -> float:
        """The chosen cell."""
        return float(self.encoding[self.chosen])

    @property
    def wave(self) -> np.ndarray:
        """The chosen column, (length,)."""
        return self.encoding[:, self.chosen[1]]

    @property
    def products(self) -> np.ndarray:
        """p_i · p_j of the chosen row i with every row j, over the columns that `product` names, (length,)."""
        read = self.encoding
        if self.product == "sines":
            read = read[:, ::2] if self.column_layout == "interleaved" else read[:, : self.d_model // 2]
        return read @ read[self.chosen[0]]

    # in words

    def summary(self) -> str:
        (row, column), products = self.chosen, self.products
        next_row = row + 1 if row + 1 < self.length else row - 1
        side = "after" if next_row > row else "before"
        digits = 2 if self._table is None else 4  # learned tables hold small numbers
        falls = (
            f"Its product with itself is {format_number(products[row], digits)}, "
            f"with the row {side} it {format_number(products[next_row], digits)}"
        )
        if self._table is not None:
            return (
                f"A table of {self.length} positions × {self.d_model} dimensions. "
                f"Position {row}, column {column}: {format_number(self.value, digits)}. {falls}."
            )
        wave, pair = self._wave_of(column)
        slow = int((self.frequencies * (self.length - 1) < math.pi / 2).sum())
        read = "" if self.product == "all" else " (sines only)"
        return (
            f"{self.length} positions × {self.d_model} dimensions, base {format_length(self.base)}, "
            f"{self.column_layout}. "
            f"Position {row}, column {column}: {wave}({row} ω{str(pair).translate(SUBSCRIPTS)}) = "
            f"{format_number(self.value)}, a wavelength of {format_length(self.wavelengths[pair])} positions. "
            f"The longest is {format_length(self.wavelengths[-1])}; from the first position to the last, {slow} of "
            f"{self.d_model // 2} hands make less than a quarter turn. {falls}{read}."
        )

    def _wave_of(self, column: int) -> tuple[str, int]:
        half = self.d_model // 2
        wave, pair = divmod(column, half) if self.column_layout == "halves" else (column % 2, column // 2)
        return ("sin", "cos")[wave], pair

    def alt_text(self) -> str:
        rows, columns = self.window[2:]
        hands = "" if self._table is not None else "; below, one clock hand for each pair of columns"
        return (
            f"Heat map of a positional encoding, {rows} positions down and {columns} columns across, orange below zero "
            f"and blue above; the chosen column as a wave against position, and the product of the chosen row with "
            f"every other against their distance{hands}. {self.summary()}"
        )

    # the static twin

    def figure(self) -> Figure:
        has_hands = self._table is None
        figure = Figure(figsize=(7.2, 6.4 if has_hands else 4.7), facecolor="white", layout="constrained")
        grid = figure.add_gridspec(3 if has_hands else 2, 2, height_ratios=[2.6, 1.2, 1.6][: 3 if has_hands else 2])
        self._draw_map(figure.add_subplot(grid[0, :]), figure)
        (row, column), (first, _, rows, _) = self.chosen, self.window
        wave = figure.add_subplot(grid[1, 0])
        wave.plot(np.arange(first, first + rows), self.wave[first : first + rows], color=CURVE, lw=1)
        if first <= row < first + rows:
            wave.plot(row, self.value, "o", color=MARK, ms=5)
        wave.set_title(f"column {column}", size=8)
        wave.set_xlabel("position", size=8)
        product = figure.add_subplot(grid[1, 1])
        distance = np.arange(self.length) - row
        near = abs(distance) < max(rows, 2)
        product.plot(distance[near], self.products[near], color=CURVE, lw=1)
        product.plot(0, self.products[row], "o", color=MARK, ms=5)
        product.set_title(f"product of row {row} with every other", size=8)
        product.set_xlabel("distance", size=8)
        for axes in (wave, product):
            axes.tick_params(labelsize=7)
            axes.axhline(0, color="0.8", lw=0.8, zorder=0)
            axes.spines[["top", "right"]].set_visible(False)
        if has_hands:
            self._draw_hands(figure.add_subplot(grid[2, :]))
        return figure

    def _draw_map(self, axes: Axes, figure: Figure) -> None:
        (row, column), (top, left, rows, columns) = self.chosen, self.window
        shown = self.encoding[top : top + rows, left : left + columns]
        largest = float(abs(self._table).max()) or 1.0 if self._table is not None else 1.0
        edges = (left - 0.5, left + columns - 0.5, top + rows - 0.5, top - 0.5)
        image = axes.imshow(
            shown, cmap=SIGNED, vmin=-largest, vmax=largest, extent=edges, aspect="auto", interpolation="antialiased"
        )
        axes.axhline(row, color="black", lw=0.8)
        axes.axvline(column, color="black", lw=0.8)
        axes.set(xlim=edges[:2], ylim=edges[2:])
        axes.tick_params(labelsize=7)
        axes.set_xlabel("column", size=8)
        axes.set_ylabel("position", size=8)
        figure.colorbar(image, ax=axes, pad=0.01, fraction=0.03).ax.tick_params(labelsize=7)

    def _draw_hands(self, axes: Axes) -> None:
        row, column = self.chosen
        angle, chosen = row * self.frequencies, self._wave_of(column)[1]
        shown = min(len(angle), DIALS_SHOWN)
        across = min(shown, 16)
        x, y = np.arange(shown) % across, -(np.arange(shown) // across)
        for j in range(shown):
            colour, weight = (CURVE, 2.0) if j == chosen else ("0.8", 0.8)
            turn = np.linspace(0, 2 * math.pi, 49)
            axes.plot(x[j] + 0.42 * np.sin(turn), y[j] + 0.42 * np.cos(turn), color=colour, lw=weight)
        tips = x + 0.42 * np.sin(angle[:shown]), y + 0.42 * np.cos(angle[:shown])
        axes.plot(*np.stack([(x, y), tips], axis=1), color="black", lw=1.2)
        of = f"the first {shown} of {len(angle)}" if shown < len(angle) else f"{shown}"
        axes.set_title(f"clock hands at position {row}: {of} frequencies, fastest first", size=8)
        axes.set_aspect("equal")
        axes.axis("off")


def _is_view(view: list[int]) -> bool:
    least, most = (0, 0, 1, 1), (MOST_POSITIONS - 1, MOST_DIMENSIONS - 1, MOST_POSITIONS, MOST_DIMENSIONS)
    return len(view) == 4 and all(a <= part <= b for a, part, b in zip(least, view, most, strict=True))


def format_length(x: float) -> str:
    """A wavelength: one digit after the point, none from a hundred on.

    >>> format_length(6.2832), format_length(47117.2)
    ('6.3', '47117')
    """
    return format_number(x, 0 if x >= 99.95 else 1)
