"""The live figures on counters and waves."""

import numpy as np

from inorder.attention import softmax
from inorder.encodings import shift_matrix, sinusoidal_encoding
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
N_POSITIONS, BESIDE = 12, 4  # of its text; and how far the ruler goes on beyond either end


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
    dial = marks.clocks(
        {"this position": [position * omega], "the other": [(position + shift) * omega]},
        [f"from position {position} to {position + shift}".replace("-", "−")],
        actor={"the other": "position"},
        wedge=True,
        drag=("position", "shift"),
    )
    grid = marks.heat_map(turn, ["sine", "cosine"], ["sine", "cosine"], limits=(-1, 1), title="the turn")
    right = np.allclose(before @ turn, after)
    way = f"{abs(shift)} position{'s' * (abs(shift) != 1)} {'on' if shift >= 0 else 'back'}"
    answer = f"{way} is a turn by {shift * omega:.1f} radians, from position {position} as from any other.".replace(
        "-", "−"
    )
    return [dial, grid, marks.answer(answer.capitalize(), "✓" if right else "×")]


def head_with_a_turn(position: int = 5, offset: int = -2) -> list[marks.Mark]:
    """Let W be a turn. Where does the head look?"""
    p = sinusoidal_encoding(np.arange(N_POSITIONS), D_MODEL)  # (position, d)
    weights = softmax(4 * p[position] @ shift_matrix(offset, D_MODEL) @ p.T)  # (key,)
    ruler = np.arange(-BESIDE, N_POSITIONS + BESIDE)
    ink = marks.ink(
        [str(at).replace("-", "−") for at in ruler],
        np.pad(weights, BESIDE),
        asks=position + BESIDE,
        target=position + offset + BESIDE,
        absent=np.flatnonzero((ruler < 0) | (ruler >= N_POSITIONS)).tolist(),
        actor="position",
        drag="position",
    )
    best, wanted = int(weights.argmax()), position + offset
    answer = f"The head at position {position} gives most to position {best}: {weights[best]:.2f}."
    if best != wanted:
        return [ink, marks.answer(f"{answer} There is no position {wanted}.".replace("-", "−"), "×")]
    return [ink, marks.answer(answer, "✓")]
