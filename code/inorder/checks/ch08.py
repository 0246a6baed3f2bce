"""The exercises of chapter 8."""

import numpy as np

from inorder.checks.exercise import Exercise, Mistake


def _angles(distance: int, d_model: int) -> np.ndarray:
    return distance * 10_000.0 ** (-2 * np.arange(d_model // 2) / d_model)


check_pair_score = Exercise(
    name="pair_score",
    reference=lambda distance, d_model: np.cos(_angles(distance, d_model)).sum(),
    cases=[
        {"distance": 0, "d_model": 4},
        {"distance": 3, "d_model": 4},
        {"distance": -2, "d_model": 6},
        {"distance": 40, "d_model": 64},
    ],
    mistakes=[
        Mistake(
            "counts each frequency twice",
            "A frequency has two columns, but their products join into one cosine: sin·sin + cos·cos = cos of the "
            "difference. The largest score is d_model/2.",
            lambda distance, d_model: 2 * np.cos(_angles(distance, d_model)).sum(),
        ),
        Mistake(
            "divides by the number of frequencies",
            "A dot product is a sum, not a mean.",
            lambda distance, d_model: np.cos(_angles(distance, d_model)).mean(),
        ),
        Mistake(
            "adds the sines",
            "sin a sin b + cos a cos b = cos(a − b): no sine of the difference is left.",
            lambda distance, d_model: (np.cos(_angles(distance, d_model)) + np.sin(_angles(distance, d_model))).sum(),
        ),
        Mistake(
            "makes the frequencies fall too slowly",
            "ω_j = base^(−2j/d_model): the last of the d_model/2 is close to 1/base, not to its square root.",
            lambda distance, d_model: np.cos(distance * 10_000.0 ** (-np.arange(d_model // 2) / d_model)).sum(),
        ),
        Mistake(
            "leaves out the fastest frequency",
            "The frequencies start at j = 0, with ω_0 = 1.",
            lambda distance, d_model: np.cos(_angles(distance, d_model))[1:].sum(),
        ),
    ],
)


def _turn(omega: float, offset: int) -> np.ndarray:
    cos, sin = np.cos(omega * offset), np.sin(omega * offset)
    return np.array([[cos, -sin], [sin, cos]])


check_shift_block = Exercise(
    name="shift_block",
    reference=_turn,
    cases=[
        {"omega": 1.0, "offset": 1},
        {"omega": 0.1, "offset": 2},
        {"omega": 0.5, "offset": -3},
    ],
    mistakes=[
        Mistake(
            "shifts the other way",
            "With (sin a, cos a) as a row on the left, the block must give sin(a + δ), not sin(a − δ). Write out the "
            "first column: sin a cos δ + cos a sin δ.",
            lambda omega, offset: _turn(omega, -offset),
        ),
        Mistake(
            "forgets the frequency",
            "A shift by k turns the hand of frequency ω by k ω.",
            lambda omega, offset: _turn(1.0, offset),
        ),
        Mistake(
            "forgets the offset",
            "A shift by k turns the hand of frequency ω by k ω.",
            lambda omega, offset: _turn(omega, 1),
        ),
        Mistake(
            "is a reflection, not a rotation",
            "The two sines have opposite signs: cos(a + δ) = cos a cos δ − sin a sin δ.",
            lambda omega, offset: np.abs(_turn(omega, offset)) * [[1, 1], [1, -1]],
        ),
        Mistake(
            "has sines where the cosines belong",
            "At offset 0 the block must be the identity.",
            lambda omega, offset: _turn(omega, offset)[::-1],
        ),
    ],
)
