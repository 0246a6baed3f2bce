"""The live figures on counters and waves."""

import numpy as np
from jaxtyping import Float

from inorder.encodings import binary_encoding, frequencies, shift_matrix, sinusoidal_encoding
from inorder.widgets import marks

N, N_BITS = 16, 4
SPEEDS = {"a fast hand": 1.0, "a slow hand": 0.1}
D_MODEL = 32  # of the scores
MATRICES = ("none", "turn by 3", "sines only", "random")


def bits_and_waves(place: int = 7) -> list[marks.Mark]:
    """Go one place to the right. What changes?"""
    bits = binary_encoding(np.arange(N + 1), N_BITS + 1)[:, :N_BITS]
    fine = np.linspace(-0.5, N - 0.5, 321)
    curves = {}
    for bit in range(N_BITS):
        wave = np.sin((fine + 0.5) * np.pi / 2**bit)
        curves[f"bit {bit}"] = 2.6 * bit + np.where(wave < 0, 0.8, -0.8)
        curves[f"wave {bit}"] = 2.6 * bit - wave  # above where the bit is 1
    actors = {f"wave {bit}": "position" for bit in range(N_BITS)}
    plane = marks.lines(fine, curves, actor=actors, axes=("place", ""), y_limits=(-1.2, 9.2))
    plane += marks.arrows([[place, 9.2]], tails=[[place, -1.2]], actor="ink", equal=False)
    flips = int((bits[place] != bits[place + 1]).sum())
    digits = "".join(str(int(bit)) for bit in bits[place, ::-1])
    step = f"{flips} bit{'s' if flips > 1 else ''}"
    return [plane, marks.answer(f"Place {place} is {digits} in bits. To go on to place {place + 1}, flip {step}.")]


def turn_a_hand(place: int = 3, shift: int = 2, speed: str = "a fast hand") -> list[marks.Mark]:
    """Turn the hand from one place to another. Does the turn depend on where you are?"""
    omega = SPEEDS[speed]
    before, after = (np.array([np.sin(p * omega), np.cos(p * omega)]) for p in (place, place + shift))
    turn = np.array([[np.cos(shift * omega), -np.sin(shift * omega)], [np.sin(shift * omega), np.cos(shift * omega)]])
    round_ = np.linspace(0, 2 * np.pi, 73)
    limits = (-1.3, 1.3)
    dial = marks.lines(np.sin(round_), np.cos(round_), axes=("sine", "cosine"), x_limits=limits, y_limits=limits)
    dial += marks.arrows([before], [f"place {place}"], actor="ink")
    dial += marks.arrows([after], [f"place {place + shift}"], actor="position")
    grid = marks.heat_map(turn, ["sine", "cosine"], ["sine", "cosine"], limits=(-1, 1), title="the turn")
    right = np.allclose(before @ turn, after)
    way = f"{abs(shift)} place{'s' * (abs(shift) != 1)} {'on' if shift >= 0 else 'back'}"
    answer = f"{way} is a turn by {shift * omega:.1f} radians, from place {place} as from any other.".replace("-", "−")
    return [dial, grid, marks.answer(answer.capitalize(), "✓" if right else "×")]


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


def score_by_distance(matrix: str = "none", place: int = 50) -> list[marks.Mark]:
    """Move the word that asks. Does its curve stay?"""
    distance, w = np.arange(-20, 21), score_matrix(matrix)
    scores = [
        sinusoidal_encoding(np.array([i]), D_MODEL) @ w @ sinusoidal_encoding(i + distance, D_MODEL).T
        for i in (20, place)
    ]
    moved = np.abs(scores[1] - scores[0]).max() / np.abs(scores[0]).max()
    curves = {"from place 20": scores[0][0], f"from place {place}": scores[1][0]}
    actors = {f"from place {place}": "position"}
    plane = marks.lines(distance, curves, actor=actors, axes=("distance, key minus query", "score"))
    same = moved < 1e-9
    answer = (
        "Both places see the same curve." if same else f"The curves differ by up to {moved:.0%} of the largest score."
    )
    return [plane, marks.answer(answer, "=" if same else "≠")]


# What the folds measure


def shift_residual(x: Float[np.ndarray, "position d"]) -> float:
    """What the best affine map from row p to row p + 1 leaves over, root mean square, as a part of the rows' spread."""
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
    """How far the entries of one diagonal differ at most, as a part of the largest entry."""
    n = len(scores)
    return float(max(np.ptp(np.diagonal(scores, k)) for k in range(1 - n, n)) / np.abs(scores).max())


def random_blocks(rng: np.random.Generator, d: int) -> Float[np.ndarray, "d d"]:
    """A W that turns and stretches each pair by itself: blocks [[a, −b], [b, a]] on the diagonal."""
    w = np.zeros((d, d))
    for j in range(0, d, 2):
        a, b = rng.normal(size=2)
        w[j : j + 2, j : j + 2] = [[a, -b], [b, a]]
    return w
