"""The figures on counters and waves: a still for each attempt that fails, and the live ones."""

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from inorder.attention import softmax
from inorder.book.drawing import EDGE, MUTED, POSITION, STYLE, Picture, mix
from inorder.encodings import binary_encoding, shift_matrix, sinusoidal_encoding
from inorder.widgets import marks

N_BITS = 6
OCTAVES = np.pi / 2.0 ** np.arange(N_BITS)[::-1]  # radians a position: half a turn in 32, 16, … 1 positions
TEXT = (  # 64 words
    "This is the house that Jack built This is the malt that lay in the house that Jack built This is the rat that ate "
    "the malt that lay in the house that Jack built This is the cat that killed the rat that ate the malt that lay in "
    "the house that Jack built This is the dog that worried the cat that"
)
SPEEDS = {"a fast hand": 1.0, "a slow hand": 0.1}
D_MODEL = 32  # of the head


def wall_of_clocks(position: int = 21, steps: int = -2) -> list[marks.Mark]:
    """Slide the text. What stays the same between the two words?

    Each clock turns half as fast as the one to its right. Each begins half a step past the top, so that the digit below
    it is 1 while the hand of this word is in its left half.
    """
    places = np.array([position, position + steps])
    names = ["this word", "the other"]
    angles = (places[:, None] + 0.5) * OCTAVES  # (word 2, clock)
    counts = places[:, None] // 2 ** np.arange(N_BITS)[::-1]  # (word 2, clock)
    turns = steps * np.degrees(OCTAVES)
    clocks = marks.clocks(
        dict(zip(names, angles, strict=True)),
        actor={"the other": "position"},
        wedge=True,
        halves=True,
        notes=[f"{turn:+.4g}°".replace("-", "−") if steps else "0°" for turn in turns],
        wheels=dict(zip(names, counts, strict=True)),
        digits="01",
        text=TEXT,
        places=places.tolist(),
        drag=("position", "steps"),
    )
    n_changed = int((counts[0] % 2 != counts[1] % 2).sum())
    digits = f"{n_changed} of the {N_BITS} digits change{'s' * (n_changed == 1)}"
    side, way = ("right", "forward") if steps > 0 else ("left", "back")
    words = f"{abs(steps)} to the {side}: each clock turns {way} by its own angle, at any position. Here {digits}."
    return [clocks, marks.answer(words if steps else "The same word: no clock turns, and no digit changes.")]


def turn_a_hand(position: int = 3, shift: int = 2, speed: str = "a fast hand") -> list[marks.Mark]:
    """Turn the hand from one position to another. Does the turn depend on where you are?"""
    omega = SPEEDS[speed]
    before, after = (np.array([np.sin(p * omega), np.cos(p * omega)]) for p in (position, position + shift))
    turn = np.array([[np.cos(shift * omega), -np.sin(shift * omega)], [np.sin(shift * omega), np.cos(shift * omega)]])
    round_ = np.linspace(0, 2 * np.pi, 73)
    limits = (-1.45, 1.45)  # room for a name below, on a phone, too
    dial = marks.lines(np.sin(round_), np.cos(round_), axes=("sine", "cosine"), x_limits=limits, y_limits=limits)
    dial += marks.arrows([before], [f"position {position}"], actor="ink")
    dial += marks.arrows([after], [f"position {position + shift}"], actor="position")
    grid = marks.heat_map(turn, ["sine", "cosine"], ["sine", "cosine"], limits=(-1, 1), title="the turn")
    right = np.allclose(before @ turn, after)
    way = f"{abs(shift)} position{'s' * (abs(shift) != 1)} {'on' if shift >= 0 else 'back'}"
    answer = f"{way} is a turn by {shift * omega:.1f} radians, from position {position} as from any other.".replace(
        "-", "−"
    )
    return [dial, grid, marks.answer(answer.capitalize(), "✓" if right else "×")]


def head_with_a_turn(position: int = 5, offset: int = -2) -> list[marks.Mark]:
    """Let W be a turn. Where does the head look?"""
    p = sinusoidal_encoding(np.arange(12), D_MODEL)  # (position 12, d)
    weights = softmax(4 * p[position] @ shift_matrix(offset, D_MODEL) @ p.T)  # (key 12,)
    bars = marks.bars(weights, [f"position {j}" for j in range(12)], axis="weight", limits=(0, 1), actor="key")
    best, wanted = int(weights.argmax()), position + offset
    answer = f"The head at position {position} gives most to position {best}: {weights[best]:.2f}."
    if best != wanted:
        return [bars, marks.answer(f"{answer} There is no position {wanted}.".replace("-", "−"), "×")]
    return [bars, marks.answer(answer, "✓")]


# The attempts that fail


@mpl.rc_context(STYLE)
def the_position_itself() -> Picture:
    """The number of each position, and the size of a word's numbers."""
    figure = Picture(
        "The number of a position rises in a straight line from 0 to 500. The numbers of a word, between −1 and 1, are "
        "a band so thin that it looks like the axis.",
        height=1.8,
    )
    axes = figure.subplots()
    axes.axhspan(-1, 1, color=EDGE)
    axes.plot([0, 500], [0, 500], color=POSITION)
    axes.text(300, 345, "the position’s number", ha="right", color=POSITION)
    axes.text(300, 22, "a word’s numbers, −1 to 1", color=MUTED)
    axes.set(xlim=(0, 500), ylim=(-15, 520), xlabel="position", yticks=[0, 500])
    return figure


@mpl.rc_context(STYLE)
def the_fraction() -> Picture:
    """The fractions of the positions of a short text and of a longer one, with position 3 marked in both."""
    figure = Picture(
        "Two rows of dots from 0 to 1. A text of 5 words has 5 dots, and position 3 is at 0.75. A text of 9 words has "
        "9 dots, and position 3 is at 0.375.",
        height=1.6,
    )
    axes = figure.subplots()
    for row, n_words in enumerate((9, 5)):
        fractions = np.arange(n_words) / (n_words - 1)
        axes.plot(fractions, np.full(n_words, row), "o", color=MUTED)
        axes.plot(fractions[3], row, "^", color=POSITION, markersize=8)
        axes.text(fractions[3], row + 0.2, f"position 3: {fractions[3]:g}", ha="center", color=POSITION)
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.4, 1.6), xticks=[0, 1], xlabel="position divided by the last")
    _bare(axes, ["9 words", "5 words"])
    return figure


@mpl.rc_context(STYLE)
def the_bits() -> Picture:
    """Positions 0 to 8 in binary, and how many digits change at each step."""
    bits = binary_encoding(np.arange(9), 4)[:, ::-1].astype(int)  # (position, digit), the eights first
    changes = np.abs(np.diff(bits, axis=0)).sum(axis=1)
    figure = Picture(
        f"The positions 0 to 8 in binary, four digits each. From one to the next {', '.join(map(str, changes))} digits "
        "change.",
        height=1.6,
    )
    axes = figure.subplots()
    for position, digits in enumerate(bits):
        ground = {"facecolor": mix(0.08), "edgecolor": "none", "pad": 3}
        axes.text(position, 1, "".join(map(str, digits)), ha="center", va="center", bbox=ground)
        axes.text(position, 2, str(position), ha="center", va="center", color=MUTED)
    for step, n_changed in enumerate(changes):
        axes.text(step + 0.5, 0, str(n_changed), ha="center", va="center", color=POSITION)
    axes.set(xlim=(-0.5, 8.5), ylim=(-0.5, 2.5), xticks=[])
    _bare(axes, ["they change", "digits", "position"])
    return figure


@mpl.rc_context(STYLE)
def one_height() -> Picture:
    """One wave, two positions at the same height, and where each goes from there."""
    figure = Picture(
        "A wave of 16 positions. Positions 2 and 6 are at the same height. The step after position 2 leads up, the "
        "step after position 6 leads down.",
        height=1.9,
    )
    axes = figure.subplots()
    x, positions = np.linspace(0, 16, 161), np.arange(17)
    axes.plot(x, np.sin(np.pi * x / 8), color=EDGE)
    axes.plot(positions, np.sin(np.pi * positions / 8), "o", color=MUTED)
    axes.axhline(np.sin(np.pi / 4), color=EDGE, linestyle=":")
    for at, side in ((2, "right"), (6, "left")):
        heights = np.sin(np.pi * np.array([at, at + 1]) / 8)
        arrow = {"arrowstyle": "-|>", "color": POSITION, "linewidth": 1.5}
        axes.annotate("", (at + 1, heights[1]), (at, heights[0]), arrowprops=arrow)
        axes.text(at - 0.3 if at == 2 else at + 0.4, 0.78, f"position {at}", ha=side, color=POSITION)
    axes.set(xlim=(-0.3, 16.3), ylim=(-1.15, 1.3), xticks=[0, 8, 16], yticks=[-1, 1], xlabel="position")
    return figure


def _bare(axes: Axes, rows: list[str]) -> None:
    """Name the rows, and draw no axis beside them."""
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
