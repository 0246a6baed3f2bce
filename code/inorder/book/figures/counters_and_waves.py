"""The live figures on counters and waves."""

import numpy as np
from jaxtyping import Float

from inorder.attention import softmax
from inorder.encodings import frequencies, shift_matrix, sinusoidal_encoding
from inorder.widgets import marks

N_BITS = 6
OCTAVES = np.pi / 2.0 ** np.arange(N_BITS)[::-1]  # radians a position: half a turn in 32, 16, … 1 positions
TEXT = (  # 64 words
    "This is the house that Jack built This is the malt that lay in the house that Jack built This is the rat that ate "
    "the malt that lay in the house that Jack built This is the cat that killed the rat that ate the malt that lay in "
    "the house that Jack built This is the dog that worried the cat that"
)
SPEEDS = {"a fast hand": 1.0, "a slow hand": 0.1}
D_MODEL = 32  # of the scores
MATRICES = ("none", "turn by 3", "sines only", "random")


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


def hands_that_move(base: int = 10_000, words: int = 64) -> list[marks.Mark]:
    """Choose the base. How far do the 32 hands turn in a text?"""
    omega = frequencies(64, base=float(base))
    turns = omega * (words - 1) / (2 * np.pi)
    curves = {"turns in the text": turns, "a quarter turn": np.full(32, 0.25)}
    plane = marks.lines(
        np.arange(32),
        curves,
        actor={"turns in the text": "position"},
        axes=("hand, the fastest first", "turns"),
        log="y",
    )
    moving = int((turns >= 0.25).sum())
    longest = 2 * np.pi / omega[-1]
    answer = (
        f"{moving} of 32 hands make a quarter turn or more. The slowest needs {longest:,.0f} words for a whole turn."
    )
    return [plane, marks.answer(answer)]


def score_matrix(name: str) -> Float[np.ndarray, "d d"]:
    """The W of the scores p_i W p_jᵀ that goes by this name."""
    if name == "turn by 3":
        return shift_matrix(3, D_MODEL)
    if name == "sines only":
        return np.diag(np.tile([1.0, 0.0], D_MODEL // 2))
    if name == "random":
        return np.random.default_rng(0).normal(size=(D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    return np.eye(D_MODEL)


def score_by_distance(matrix: str = "none", position: int = 50) -> list[marks.Mark]:
    """Move the query. Does its curve stay the same?"""
    distance, w = np.arange(-20, 21), score_matrix(matrix)
    scores = [
        sinusoidal_encoding(np.array([i]), D_MODEL) @ w @ sinusoidal_encoding(i + distance, D_MODEL).T
        for i in (20, position)
    ]
    moved = np.abs(scores[1] - scores[0]).max() / np.abs(scores[0]).max()
    curves = {"from position 20": scores[0][0], f"from position {position}": scores[1][0]}
    actors = {f"from position {position}": "position"}
    plane = marks.lines(distance, curves, actor=actors, axes=("distance, key minus query", "score"))
    same = moved < 1e-9
    answer = (
        "Both positions see the same curve."
        if same
        else f"The curves differ by up to {100 * moved:.0f}% of the largest score."
    )
    return [plane, marks.answer(answer, "=" if same else "≠")]


# What the folds measure


def shift_residual(x: Float[np.ndarray, "position d"]) -> float:
    """The root mean square error of the best affine map from row p to row p + 1, relative to the rows' deviation."""
    before, after = np.c_[x[:-1], np.ones(len(x) - 1)], x[1:]
    left = after - before @ np.linalg.lstsq(before, after, rcond=None)[0]
    return float(np.sqrt((left**2).sum() / ((after - after.mean(axis=0)) ** 2).sum()))


def finds_itself(x: Float[np.ndarray, "position d"]) -> float:
    """The share of rows whose product with themselves beats those with all others."""
    products = x @ x.T  # (position, position)
    own = np.diag(products).copy()
    np.fill_diagonal(products, -np.inf)
    return float((own > products.max(axis=1) + 1e-9).mean())


def variation(scores: Float[np.ndarray, "n n"]) -> float:
    """The largest difference between entries of one diagonal, as a share of the largest entry."""
    n = len(scores)
    return float(max(np.ptp(np.diagonal(scores, k)) for k in range(1 - n, n)) / np.abs(scores).max())


def random_blocks(rng: np.random.Generator, d: int) -> Float[np.ndarray, "d d"]:
    """A W that turns and stretches each pair by itself: blocks [[a, −b], [b, a]] on the diagonal."""
    w = np.zeros((d, d))
    for j in range(0, d, 2):
        a, b = rng.normal(size=2)
        w[j : j + 2, j : j + 2] = [[a, -b], [b, a]]
    return w
