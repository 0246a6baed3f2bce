"""The figures on adding and concatenating: live ones for `interact`, and stills."""

from functools import cache

import matplotlib as mpl
import numpy as np
from jaxtyping import Float, Integer, Real
from matplotlib.axes import Axes

from inorder.book.drawing import INK, MUTED, POSITION, STYLE, Number, Picture, draw_range, said, span
from inorder.book.sentence import VALUES, WORDS
from inorder.circuits import head_scores, head_weights, offset_head, position_readout, read_through
from inorder.encodings import sinusoidal_encoding
from inorder.widgets import marks
from inorder.widgets.kit.twin import format_number, listed
from inorder.widgets.marks import Mark

TOKEN_MARK, POSITION_MARK = (INK, "o"), (POSITION, "^")
KEPT = [0, 2, 4]  # animal, street, tired: the words of the running sentence whose values are not 0
RATIOS = 2.0 ** np.arange(-4, 4.5, 0.5)
TEXT = ["man", "bites", "dog", "dog", "bites", "man", "man", "bites", "cat"]


def plane_and_line(lean: int = 60, around: int = 30, above: int = 25) -> list[Mark]:
    """Turn the picture by hand until the words no longer change the height. What is left?

    Words are a plane, positions a line that leans against it. A word at a position is the sum of the two.
    """
    slope = np.radians(lean)
    step = 1.2 * np.array([np.cos(slope), 0.0, np.sin(slope)])  # of the line, in space
    words = np.column_stack([VALUES[KEPT], np.zeros(len(KEPT))])  # (word 3, axis 3)
    places = np.arange(4)[:, None] * step  # (position 4, axis 3)
    sums = words + places[:, None]  # (position, word, axis)
    drawing = marks.lines(places, actor="position")
    for corners in sums:
        drawing += marks.lines(corners[[0, 1, 2, 0]])
    drawing += marks.points(words, [WORDS[k] for k in KEPT])
    drawing += marks.points(sums[1:].reshape(-1, 3)) + marks.points(places, "0 1 2 3", actor="position")
    space = marks.space(drawing, view=(around, above), turn=("around", "above"), heights="height")

    up = marks.view_matrix(around, above)[:, 1]  # (axis 3,)
    apart, rise = np.ptp(words @ up), step @ up
    if apart > 1e-9:
        says = (
            f"From here, words at the same position differ in height by {apart:.1f}, and one position from the next by "
        )
        return [space, marks.answer(f"{says}{format_number(rise, 1)}.", "×")]
    if abs(rise) < 1e-9:
        return [space, marks.answer("The line lies in the plane: what hides the words hides the positions.", "×")]
    says = f"Only positions are left: each is {rise:.1f} higher than the one before, whatever the word."
    return [space, marks.answer(says, "✓")]


def found_by_look_up(n_rows: int, ratio: Number, d: int) -> float:
    """The probability that a vector is the best match for its own sum with another, `ratio` times as long.

    All directions are random, and n_rows vectors are compared. It is the mean over the cosine c between the two of
    F((1 + ratio c)/√(1 + ratio² + 2 ratio c))^(n_rows − 1), where F is the distribution function of the cosine of a
    random direction; the integral is a sum over 20,001 angles.

    >>> round(found_by_look_up(1000, 2.0, 64), 2)
    0.71
    """
    angle = np.linspace(0, np.pi, 20_001)
    density = np.sin(angle) ** (d - 2)
    density /= density.sum()
    c = np.cos(angle)
    score = (1 + ratio * c) / np.sqrt(1 + ratio**2 + 2 * ratio * c).clip(1e-12)
    below = 1 - np.interp(np.arccos(score.clip(-1, 1)), angle, np.cumsum(density))  # a wrong row scores less
    return float((density * below ** (n_rows - 1)).sum())


@cache
def _look_up_curves(d: int) -> tuple[list[float], list[float]]:
    """The share of 1000 tokens and of 64 positions that is found, at each of RATIOS."""
    tokens = [found_by_look_up(1000, ratio, d) for ratio in RATIOS]
    return tokens, [found_by_look_up(64, 1 / ratio, d) for ratio in RATIOS]


def who_is_lost(doublings: int = 0, d: int = 64) -> list[Mark]:
    """Make the positions longer or shorter. Which can still be found in the sum?"""
    parts = dict(zip(("tokens", "positions"), _look_up_curves(d), strict=True))
    curves = marks.lines(
        np.log2(RATIOS),
        parts,
        actor={"positions": "position"},
        axes=("norm of a position against a token’s, in doublings", "share that is found"),
        y_limits=(0, 1.05),
    )
    here = int(np.flatnonzero(np.log2(RATIOS) == doublings)[0])
    tokens, positions = (curve[here] for curve in parts.values())
    curves += marks.points([[doublings, tokens]], equal=False)
    curves += marks.points([[doublings, positions]], actor="position", equal=False)
    longer = "as long as tokens" if not doublings else f"{2.0**doublings:g} times as long as tokens"
    found = f"{100 * tokens:.0f}% of the tokens are found and {100 * positions:.0f}% of the positions"
    says = f"With positions {longer}, {found}."
    return [curves, marks.answer(says, "✓" if min(tokens, positions) > 0.99 else "×")]


def words_at_positions(
    length: Number,
) -> tuple[Float[np.ndarray, "position d_model"], Float[np.ndarray, "position d_model"]]:
    """The sinusoids of the positions of TEXT, and for each the vector of its word, `length` times as long."""
    positions = sinusoidal_encoding(np.arange(len(TEXT)), 64)
    names = sorted(set(TEXT))
    table = np.random.default_rng(4).normal(size=(len(names), 64))
    table *= length * np.sqrt(32) / np.linalg.norm(table, axis=1, keepdims=True)
    return positions, table[[names.index(word) for word in TEXT]]


def with_words(length: Number = 0, row: int = 2, reads: str = "the sum") -> list[Mark]:
    """Where does the head “two to the right” look, when positions have words?"""
    positions, words = words_at_positions(length)
    head = offset_head(2, 64)
    if reads == "the sum through C":
        head = read_through(head, position_readout(words, positions))
    weights = head_weights(positions + words, positions + words, head)[row]
    unit = head._replace(sharpness=1.0)
    of_positions, of_words = (head_scores(x, x, unit)[row] for x in (positions, words))
    labels = [f"{k} {word}" for k, word in enumerate(TEXT)]
    best = int(weights.argmax())
    title = f"row {row}, {TEXT[row]}, looks at"
    bars = marks.bars(
        weights,
        labels,
        columns={
            name: [format_number(s, 1) for s in of]
            for name, of in (("by position", of_positions), ("by word", of_words))
        },
        axis="weight",
        limits=(0, 1),
        actor="key",
        title=title,
    )
    target = "itself" if best == row else f"“{TEXT[best]}” at {best}"
    right = best == row + 2
    why = ", two to the right" if right else ", its own word" if TEXT[best] == TEXT[row] and best != row else ""
    says = f"It gives {weights[best]:.2f} to {target}{why}."
    return [bars, marks.answer(says, "✓" if right else "×")]


def _draw_recovery(
    axes: Axes, x: Real[np.ndarray, " point"], measured: Float[np.ndarray, "point seed"], look: tuple, label: str
) -> None:
    colour, marker = look
    draw_range(axes, x, measured, seeds=1, marker=marker, color=colour, label=label)


@mpl.rc_context(STYLE)
def look_up_recovery(
    panels: dict[
        str,
        tuple[
            Real[np.ndarray, " point"],
            dict[str, Float[np.ndarray, "point seed"]],
            Real[np.ndarray, " curve"],
            dict[str, Float[np.ndarray, " curve"]],
        ],
    ],
) -> Picture:
    """{x axis: (x, {part: measured}, x of the curves, {part: derived})}, both axes logarithmic in x."""
    sentences = []
    for name, (x, measured, *_) in panels.items():
        ends = listed(f"{part} from {said(v[0].mean())} to {said(v[-1].mean())}" for part, v in measured.items())
        sentences.append(f"Against the {name}, from {span(x)}: {ends}.")
    figure = Picture(
        f"{len(panels)} panels, the share of sums from which a look-up finds the token, circles, and the position, "
        f"triangles. {' '.join(sentences)} The dots lie on the derived curves.",
        height=3.4,
    )
    columns = zip(figure.subplots(1, len(panels), sharey=True), panels.items(), strict=True)
    for axes, (name, (x, measured, at, derived)) in columns:
        for (part, values), look in zip(measured.items(), (TOKEN_MARK, POSITION_MARK), strict=True):
            axes.plot(at, derived[part], color=look[0], linewidth=1)
            _draw_recovery(axes, x, values, look, part)
        axes.set(xscale="log", xlabel=name, ylim=(-0.03, 1.05))
        axes.set_xticks(x[:: max(len(x) // 4, 1)], [f"{value:g}" for value in x[:: max(len(x) // 4, 1)]])
        axes.minorticks_off()
    figure.axes[0].set_ylabel("found")
    figure.axes[0].legend(loc="upper left")
    return figure


@mpl.rc_context(STYLE)
def affine_recovery(
    widths: Integer[np.ndarray, " width"],
    shares: dict[str, Float[np.ndarray, "width seed"]],
    recovery: dict[str, Float[np.ndarray, "width seed"]],
    exact: Number,
) -> Picture:
    """How much of the target an affine read-out explains, and how often its largest number is right."""
    half = {way: widths[(values.mean(axis=1) >= 0.5).argmax()] for way, values in recovery.items()}
    climb = listed(f"one half at d = {d} for {way}" for way, d in half.items())
    figure = Picture(
        f"Two panels, both against the width d, for {listed(shares)}, circles and squares. Left, the share of the "
        f"target that the best affine read-out explains: both lie on the straight line from 0 to 1 at d = {exact}, "
        "marked by a dashed line, and stay at 1 from there on. Right, the share of all pairs in which both are read "
        f"back: it reaches {climb}.",
        height=3.4,
    )
    left, right = figure.subplots(1, 2)
    ends = np.array([0, exact, max(widths)])
    left.plot(ends, np.minimum(ends / exact, 1), color=MUTED, linewidth=1, label="derived")
    for axes, measured, title in ((left, shares, "share explained"), (right, recovery, "both read back")):
        for (way, values), look, shift in zip(measured.items(), (TOKEN_MARK, (MUTED, "s")), (-0.3, 0.3), strict=True):
            _draw_recovery(axes, widths + shift, values, look, way)
        axes.axvline(exact, color=MUTED, linestyle="--", linewidth=0.8)
        axes.set(xlabel="d", ylim=(-0.03, 1.05))
        axes.set_title(title)
    left.legend(loc="upper left")
    return figure


@mpl.rc_context(STYLE)
def heads_with_words(
    lengths: Real[np.ndarray, " length"],
    failing: Float[np.ndarray, "length seed"],
    vocabulary: Integer[np.ndarray, " size"],
    repaired: Float[np.ndarray, "size seed"],
) -> Picture:
    """The weight of an offset head on its target: against the words' length, and repaired, against their number."""

    def ends(x: np.ndarray, values: np.ndarray) -> str:
        return listed(f"{said(mean)} at {said(at)}" for at, mean in zip(x, values.mean(axis=1), strict=True))

    figure = Picture(
        "Two panels, the weight that the head built to look two to the right puts on its target, mean over seeds. "
        "Left, as built, against the norm of the words relative to that of the positions: "
        f"{ends(lengths, failing)}. Right, at equal norms, read through a matrix that cancels the words, against "
        f"their number: {ends(vocabulary, repaired)}.",
        height=3.2,
    )
    left, right = figure.subplots(1, 2, sharey=True)
    _draw_recovery(left, lengths, failing, TOKEN_MARK, "as built")
    left.set(xlabel="norm of words / of positions", ylabel="weight on the target", ylim=(-0.03, 1.05))
    left.set_title("as built")
    _draw_recovery(right, vocabulary, repaired, TOKEN_MARK, "repaired")
    right.set(xlabel="number of words")
    right.set_title("words cancelled")
    return figure
