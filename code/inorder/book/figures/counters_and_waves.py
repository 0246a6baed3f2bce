"""The live figures on counters and waves."""

import numpy as np
from jaxtyping import Float

from inorder.attention import softmax
from inorder.encodings import binary_encoding, frequencies, scalar_encoding, shift_matrix, sinusoidal_encoding
from inorder.widgets import marks

N, N_BITS = 16, 4
SPEEDS = {"a fast hand": 1.0, "a slow hand": 0.1}
D_MODEL = 32  # of the scores
MATRICES = ("none", "turn by 3", "sines only", "random")


WAYS = ("the number", "a fraction of the text", "bits")


def two_to_the_left(position: int = 8, way: str = "the number") -> list[marks.Mark]:
    """Go two to the left. What happens to the row?"""
    pair = np.array([position, position - 2])
    rows = {
        "the number": pair[:, None] + 0.0,
        "a fraction of the text": scalar_encoding(pair, N),
        "bits": binary_encoding(pair, N_BITS)[:, ::-1] + 0.0,
    }[way]
    names = [f"position {i}" for i in pair]
    columns = [str(2**bit) for bit in range(N_BITS)][::-1] if way == "bits" else ["row"]
    table = marks.heat_map(rows, names, columns, digits=2 if "fraction" in way else 0, title=f"among {N} words")
    n_changed = int((rows[0] != rows[1]).sum())
    answer = {
        "the number": "The number falls by 2, however large it is.",
        "a fraction of the text": f"The fraction falls by 2/{N - 1}; in a text of 100 words it would be 2/99.",
        "bits": f"From {position} to {position - 2}, {n_changed} bit{'s change' if n_changed > 1 else ' changes'}.",
    }[way]
    return [table, marks.answer(answer)]


def bits_and_waves(position: int = 7) -> list[marks.Mark]:
    """Go one position to the right. What changes?"""
    bits = binary_encoding(np.arange(N + 1), N_BITS + 1)[:, :N_BITS]
    fine = np.linspace(-0.5, N - 0.5, 321)
    curves = {}
    for bit in range(N_BITS):
        wave = np.sin((fine + 0.5) * np.pi / 2**bit)
        curves[f"bit {bit}"] = 2.6 * bit + np.where(wave < 0, 0.8, -0.8)
        curves[f"wave {bit}"] = 2.6 * bit - wave  # above where the bit is 1
    actors = {f"wave {bit}": "position" for bit in range(N_BITS)}
    plane = marks.lines(fine, curves, actor=actors, axes=("position", "bits, the slowest on top"), y_limits=(-1.2, 9.2))
    whole = np.arange(N)
    dots = [[i, 2.6 * bit - np.sin((i + 0.5) * np.pi / 2**bit)] for bit in range(N_BITS) for i in whole]
    plane += marks.points(dots, actor="position", equal=False)
    plane += marks.arrows([[position, 9.2]], tails=[[position, -1.2]], actor="ink", equal=False)
    flips = int((bits[position] != bits[position + 1]).sum())
    digits = "".join(str(int(bit)) for bit in bits[position, ::-1])
    step = f"{flips} bit{'s' if flips > 1 else ''}"
    return [
        plane,
        marks.answer(f"Position {position} is {digits} in bits. To go on to position {position + 1}, flip {step}."),
    ]


def turn_a_hand(position: int = 3, shift: int = 2, speed: str = "a fast hand") -> list[marks.Mark]:
    """Turn the hand from one position to another. Does the turn depend on where you are?"""
    omega = SPEEDS[speed]
    before, after = (np.array([np.sin(p * omega), np.cos(p * omega)]) for p in (position, position + shift))
    turn = np.array([[np.cos(shift * omega), -np.sin(shift * omega)], [np.sin(shift * omega), np.cos(shift * omega)]])
    round_ = np.linspace(0, 2 * np.pi, 73)
    limits = (-1.3, 1.3)
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
    """Move the word that asks. Does its curve stay?"""
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
        else f"The curves differ by up to {moved:.0%} of the largest score."
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
