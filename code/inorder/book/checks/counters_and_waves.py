"""The exercises on counters and waves."""

import numpy as np

from inorder.book.exercise import Exercise, Mistake, integers


def _wavelengths(d_model: int, base: float) -> np.ndarray:
    return 2 * np.pi * base ** (2 * np.arange(d_model // 2) / d_model)


wavelengths = Exercise(
    name="wavelengths",
    reference=_wavelengths,
    cases=[
        {"d_model": 6, "base": 100.0},
        {"d_model": 8, "base": 16.0},
        {"d_model": 64, "base": 10_000.0},
    ],
    mistakes=[
        Mistake(
            "forgets the 2π",
            "ω is in radians per position: a full turn is 2π of them, so the wavelength is 2π/ω.",
            lambda d, base: _wavelengths(d, base) / (2 * np.pi),
        ),
        Mistake(
            "gives the frequencies",
            "A wavelength is the number of positions in one turn, 2π/ω: the slower the wave, the longer.",
            lambda d, base: base ** (-2 * np.arange(d // 2) / d),
        ),
        Mistake(
            "takes 10,000 whatever the base",
            "The base is an argument: use it in place of 10,000.",
            lambda d, base: _wavelengths(d, 10_000.0),
        ),
        Mistake(
            "has j/d_model in the exponent",
            "A hand takes two columns: hand j is in columns 2j and 2j + 1, and the exponent is 2j/d_model.",
            lambda d, base: 2 * np.pi * base ** (np.arange(d // 2) / d),
            planted=True,
        ),
    ],
)


def _turn(rows: np.ndarray, angle: np.ndarray) -> np.ndarray:
    sin, cos = rows[:, ::2], rows[:, 1::2]
    turned = np.empty_like(rows)
    turned[:, ::2] = sin * np.cos(angle) + cos * np.sin(angle)
    turned[:, 1::2] = cos * np.cos(angle) - sin * np.sin(angle)
    return turned


def _omega(rows: np.ndarray, base: float) -> np.ndarray:
    return base ** (-np.arange(0, rows.shape[1], 2) / rows.shape[1])


def _turn_halves(rows: np.ndarray, angle: np.ndarray) -> np.ndarray:
    half = rows.shape[1] // 2
    sin, cos = rows[:, :half], rows[:, half:]
    return np.concatenate([sin * np.cos(angle) + cos * np.sin(angle), cos * np.cos(angle) - sin * np.sin(angle)], 1)


shifted = Exercise(
    name="shifted",
    reference=lambda rows, offset, base: _turn(rows, offset * _omega(rows, base)),
    cases=[
        {"rows": np.array([[0.0, 1.0, 0.0, 1.0]]), "offset": 1, "base": 16.0},
        {"rows": integers(0, 2, 4), "offset": 2, "base": 100.0},
        {"rows": integers(1, 3, 6), "offset": -3, "base": 1000.0},
    ],
    mistakes=[
        Mistake(
            "turns the hands the wrong way",
            "Clockwise: the new sine is sin·cos δ + cos·sin δ, with a plus.",
            lambda rows, offset, base: _turn(rows, -offset * _omega(rows, base)),
        ),
        Mistake(
            "turns every hand by the same angle",
            "Hand j turns by offset · ω_j: each has its own speed.",
            lambda rows, offset, base: _turn(rows, offset * np.ones(rows.shape[1] // 2)),
        ),
        Mistake(
            "treats the columns as halves",
            "Here a hand’s sine and cosine are side by side, in columns 2j and 2j + 1.",
            lambda rows, offset, base: _turn_halves(rows, offset * _omega(rows, base)),
        ),
    ],
)
