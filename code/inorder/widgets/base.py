"""What every interactive figure shares: its module, its state, and the static twin that stands in for it.

**A new widget is three files.** ``my_figure.js`` is an ES module that imports what it needs from ``kit.js``:

.. code-block:: javascript

    import { figureShell, followState, make, slider } from "./kit.js";

    // What the address bar may say about each part of the state: it is not to be trusted.
    const checks = { angle: (angle) => typeof angle === "number" && Math.abs(angle) <= 7 };

    function render({ model, el, page }) {
      const shell = figureShell({ model, el, page, checks });
      const angle = slider({ label: "Angle", min: 0, max: 6, step: 0.1,
                             onInput: (value) => shell.change({ angle: value }) });
      const cosine = make("output", {});
      shell.controls.append(angle.root);
      shell.stage.append(cosine);

      function draw(state, dark) {
        angle.set(state.angle);
        cosine.textContent = Math.cos(state.angle);
        shell.summary(`The cosine is ${cosine.textContent}.`);
      }
      const stop = followState(shell, draw); // now, and at each change of state or theme
      return () => { stop(); shell.close(); };
    }

    export default { render };

``my_figure.css`` (optional) styles what is its own, below ``.inorder-figure``. ``my_figure.py`` names the traits that
are the state, and says in Python what the browser shows:

.. code-block:: python

    class MyFigure(InteractiveFigure):
        _esm = compose_module("my_figure.js")
        _css = compose_style("my_figure.css")
        state_names = ("angle",)
        title = traitlets.Unicode("My figure").tag(sync=True)
        angle = traitlets.Float(0.0).tag(sync=True)

        def figure(self): ...       # the static twin: matplotlib, the same state
        def alt_text(self): ...     # what there is to see
        def summary(self): ...      # the same sentence as the JavaScript's

Writing goes through ``shell.change``, and drawing follows ``change:angle``; so Python can drive the figure, read it
back, and link it to other widgets. A changed file is read when the module is imported: restart the kernel.
"""

import io
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import matplotlib
import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

_FOLDER = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)

LARGEST_ENTRY = 1000.0  # a larger number does not fit its cell
ROUNDING = 1e-12  # adding the same numbers in another order leaves less: a difference below it counts as none

# As in kit.js; people with any colour vision tell them apart.
NEGATIVE, POSITIVE, WEIGHT = "#d55e00", "#0072b2", "#6a4fb3"


class InvalidState(traitlets.TraitError, ValueError):
    """A value the figure cannot show. A ValueError; also a TraitError, so that traitlets undoes the assignment."""


class Matrix(traitlets.TraitType[Any, Any]):
    """A trait that takes lists, NumPy arrays or torch tensors, and holds a list of rows of floats."""

    info_text = "a matrix of finite numbers"

    def validate(self, obj: Any, value: Any) -> list[list[float]]:
        return matrix_rows(self.name or "matrix", value)


def matrix_rows(name: str, value: Any) -> list[list[float]]:
    """The rows of a matrix given as lists, NumPy array or torch tensor; `InvalidState` names what does not fit."""
    if hasattr(value, "detach"):  # a torch tensor, possibly on a device, possibly with a gradient
        value = value.detach().cpu()
    try:
        matrix = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidState(f"{name} must be a matrix of numbers, got {value!r}") from error
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InvalidState(f"{name} must be a matrix with two axes, got shape {matrix.shape}")
    too_large = ~(np.abs(matrix) <= LARGEST_ENTRY)  # NaN too
    if too_large.any():
        raise InvalidState(f"{name} must hold numbers from -1000 to 1000, got {matrix[too_large][0]}")
    return (matrix + 0.0).tolist()  # + 0.0 turns -0.0 into 0.0


class InteractiveFigure(anywidget.AnyWidget):
    """An anywidget with a static twin, an alternative text and a state that can be shared. See the module's docstring.

    A subclass lists in ``state_names`` the traits that make up its state. ``Reset`` in the figure, and `reset` in
    Python, go back to the values the figure was built with.
    """

    state_names: ClassVar[tuple[str, ...]] = ()
    title = traitlets.Unicode("Interactive figure").tag(sync=True)
    initial_state = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(self, **state: Any) -> None:
        try:
            super().__init__(**state)
        except InvalidState:
            raise
        except traitlets.TraitError as error:
            raise InvalidState(str(error)) from error

    @traitlets.default("initial_state")
    def _state_when_built(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.state_names}

    def reset(self) -> None:
        """Return to the state the figure was built with."""
        with self.hold_trait_notifications():
            for name, value in self.initial_state.items():
                setattr(self, name, value)

    def figure(self) -> Figure:
        """The static twin: this state, drawn by matplotlib."""
        raise NotImplementedError

    def alt_text(self) -> str:
        """What the figure shows, for a reader who does not see it."""
        raise NotImplementedError

    def summary(self) -> str:
        """The sentence below the figure; the JavaScript says the same."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        twin = {"text/plain": self.alt_text(), "image/svg+xml": svg(self.figure())}
        return data | twin, metadata | {"image/svg+xml": {"alt": self.alt_text()}}


def compose_module(name: str) -> str:
    """One ES module out of ``name`` and everything it imports from this folder, each file once, the imported first."""
    done: set[str] = set()

    def inline(file: str) -> str:
        if file in done:
            return ""
        done.add(file)
        source = (_FOLDER / file).read_text(encoding="utf-8")
        imported = "".join(inline(other) for other in _IMPORT.findall(source))
        source = _IMPORT.sub("", source)
        if re.search(r"^import\b", source, re.MULTILINE):
            raise ValueError(f'{file}: the only import understood is `import {{ a, b }} from "./file.js";`')
        return imported + source

    return _EXPORT.sub("", inline(name))


def compose_style(*names: str) -> str:
    """The style sheet of the kit, then those in ``names``."""
    return "".join((_FOLDER / name).read_text(encoding="utf-8") for name in ("kit.css", *names))


def svg(figure: Figure) -> str:
    """The figure as SVG, the same text each time it is drawn."""
    out = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "path", "svg.hashsalt": "inorder"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def format_number(x: float, digits: int = 2) -> str:
    """A number as the figures print it: a real minus sign, no minus zero, halves rounded away from zero.

    >>> format_number(-0.125), format_number(-0.001), format_number(float("-inf"))
    ('−0.13', '0.00', '−∞')
    """
    if np.isinf(x):
        return "∞" if x > 0 else "−∞"
    text = str(abs(Decimal(float(x))).quantize(Decimal(10) ** -digits, ROUND_HALF_UP))
    return f"−{text}" if x < 0 and float(text) else text


def format_difference(x: float) -> str:
    """Two decimals, or one digit and a power of ten where those would hide it.

    >>> format_difference(0.537), format_difference(0.0), format_difference(3.05e-16)
    ('0.54', '0', '3e-16')
    """
    if x == 0:
        return "0"
    digits, power = f"{x:.0e}".split("e")
    return format_number(x) if x >= 0.005 else f"{digits}e{int(power)}"


def blend(pole: str, amount: float) -> tuple[tuple[float, ...], str]:
    """The fill ``amount`` (0 to 1) of the way from white to ``pole``, and black or white, whichever reads on it."""
    share = min(max(amount, 0.0), 1.0)
    fill = tuple(1 + (channel - 1) * share for channel in matplotlib.colors.to_rgb(pole))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in fill)
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return fill, "black" if luminance > 0.1791 else "white"


def draw_matrix(
    axes: Axes,
    left: float,
    top: float,
    values: np.ndarray,
    *,
    row_labels: list[str],
    column_labels: list[str],
    equation: str,
    words: str,
    pole: str | None = None,
    largest: float = np.inf,
) -> None:
    """A labelled matrix of numbers in axes whose unit is one cell and whose y runs downwards.

    The upper left cell has its corner at (left, top); labels and equation stand outside it. Cells are tinted by sign,
    or towards ``pole``; full colour stands for ``largest``, and infinity leaves them white.
    """
    n_rows, n_columns = values.shape
    axes.text(left, top - 1.25, equation, size=10, va="center")
    axes.text(left, top - 0.8, f"{words}, {n_rows} × {n_columns}", size=7, va="center", color="0.35")
    label: dict[str, Any] = {"size": 7.5, "va": "center", "parse_math": False}
    for row, text in enumerate(row_labels):
        axes.text(left - 0.12, top + row + 0.5, text, ha="right", **label)
    for column, text in enumerate(column_labels):
        axes.text(left + column + 0.5, top - 0.28, text, ha="center", color="0.35", **label)
    for (row, column), value in np.ndenumerate(values):
        masked = np.isinf(value)
        share = 0.0 if masked else abs(value) / largest
        fill, ink = blend(pole, share) if pole else blend(POSITIVE if value > 0 else NEGATIVE, 0.8 * share)
        corner, hatch = (left + column, top + row), "////" if masked else None
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=fill, edgecolor="0.8", lw=0.6, hatch=hatch))
        axes.text(left + column + 0.5, top + row + 0.5, format_number(value), ha="center", color=ink, **label)
