"""The live figures on a position that is one number."""

from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.attention import causal_mask, softmax
from inorder.circuits import Head, head_weights, offset_head
from inorder.encodings import binary_encoding, frequencies, scalar_encoding, sinusoidal_encoding
from inorder.transformer import FeedForwardParameters, feed_forward, layer_norm
from inorder.widgets import marks

ASKS, N_HA = 4, 7  # the word that asks in the first figure
SENTENCES = {
    "animal first": ("animal", "cross", "street", "it", "tired"),
    "street first": ("street", "wide", "animal", "cross", "it"),
}
NOUNS = ("animal", "street")


def straight_line(slope: float = 6.0, sees: str = "all words") -> list[marks.Mark]:
    """Word 4 asks. Tilt its line of scores: which word gets the most weight?"""
    n_seen = N_HA if sees == "all words" else ASKS + 1
    s = scalar_encoding(np.arange(N_HA), N_HA)[:n_seen, 0]  # (word,)
    weights = np.zeros(N_HA)
    weights[:n_seen] = softmax(slope * s)
    line = marks.lines(s, slope * s, axes=("its number", "score"), x_limits=(0, 1), y_limits=(-16, 16))
    names = [f"word {j}" for j in range(N_HA)]
    bars = marks.bars(weights, names, axis="weight", limits=(0, 1), actor="key")
    best = int(weights.argmax())
    end = "the first" if best == 0 else "the last in sight"
    answer = f"Word {best}, {end}, gets most: {weights[best]:.2f}." if slope else "Level: all words get the same."
    return [line, bars, marks.answer(f"{answer} Word 3, one to the left, gets {weights[ASKS - 1]:.2f}.")]


def first_noun(sentence: str = "animal first", slope: float = 0.0) -> list[marks.Mark]:
    """Which of the two nouns comes first? Tilt the line"""
    words = SENTENCES[sentence]
    s = scalar_encoding(np.arange(5), 5)[:, 0]  # (word,)
    is_noun = np.isin(words, NOUNS)
    weights = softmax(20.0 * is_noun - slope * s)
    bars = marks.bars(weights, words, columns={"number": s}, axis="weight", limits=(0, 1), actor="key")
    best = words[weights.argmax()]
    answer = f"“{best}” is the first noun: {weights.max():.2f}." if weights.max() > 0.99 else "Not sure yet."
    return [bars, marks.answer(answer, "✓" if weights.max() > 0.99 else None)]


def bent_head(
    n: int, sharpness: float, *, ratio: float = 0.3, d_model: int = 16, seed: int = 0, built_for: int | None = None
) -> tuple[Float[np.ndarray, "n d_model"], Head]:
    """Rows c + s u, s from −½ to ½, and the head that looks one to the left once layer norm has bent them.

    c and u have mean 0 and stand at right angles; |c|/|u| is `ratio`. W_K reads the two coordinates, W_Q the same
    after the shear that takes h = 1/(built_for − 1) times the first, divided by `ratio`, from the second.
    """
    vectors = np.random.default_rng(seed).normal(size=(d_model, 2))
    axes, _ = np.linalg.qr(vectors - vectors.mean(axis=0))  # (d_model, 2), columns of mean 0
    s = scalar_encoding(np.arange(n), n) - 0.5  # (n, 1)
    shear = np.array([[1.0, -1 / ((built_for or n) - 1) / ratio], [0.0, 1.0]])
    return ratio * axes[:, 0] + s * axes[:, 1], Head(axes @ shear, axes, sharpness / d_model)


def on_an_arc(word: int = 3, norm: str = "off", sharpness: int = 400) -> list[marks.Mark]:
    """Take hold of the query. Which beads can it pick out?"""
    x, head = bent_head(16, float(sharpness))
    x = layer_norm(x, eps=1e-12) if norm == "on" else x
    beads = (x @ head.w_key)[:, ::-1]  # (word, 2): along u, along c
    query = 0.5 * (x[word] @ head.w_query)[::-1] / np.abs(beads).max()  # half as long, clear of the beads
    beads = beads / np.abs(beads).max()
    weights = head_weights(x, x, head)  # (query, key)
    rays = beads * (1 + 0.5 * weights[word] / np.linalg.norm(beads, axis=1))[:, None]  # as long as a bead has weight
    looks: dict[str, Any] = {"axes": ("along u", "along c"), "x_limits": (-1.5, 1.5), "y_limits": (0, 1.6)}
    plane = marks.lines(*beads.T, equal=True, **looks) + marks.arrows(rays, tails=beads, actor="key")
    plane += marks.points(beads, ["0"] + [""] * 14 + ["15"], actor="key")
    plane += marks.arrows([query], [f"word {word} asks"], actor="query", drag="word")
    right = int((weights.argmax(axis=1)[1:] == np.arange(15)).sum())
    best = int(weights[word].argmax())
    says = (
        f"Word {word} looks most at word {best}: {weights[word, best]:.2f}. {right} of 15 words look most at their "
        f"left neighbour, with {_left(weights):.2f} of the weight on average."
    )
    return [plane, marks.answer(says, "✓" if right == 15 else "×")]


def _left(weights: Float[np.ndarray, "query key"]) -> float:
    return float(np.diagonal(weights, -1).mean())


def _map_of(weights: Float[np.ndarray, "n n"]) -> marks.Mark:
    return marks.heat_map(
        weights, axes=("word that asks", "word that is asked"), actors=("query", "key"), limits=(0, 1), title="weights"
    )


def hinges(places: Float[np.ndarray, " place"], values: Float[np.ndarray, "place d"]) -> FeedForwardParameters:
    """A ReLU feed-forward part of width 1 + d that makes d curves of the number in column 0, without the number itself.

    f(s) = values[0] + Σ_k bend_k · relu(s − places[k]), straight from each given point to the next: bend_k is how much
    the slope changes at places[k].
    """
    d = values.shape[1]
    slopes = np.diff(values, axis=0) / np.diff(places)[:, None]  # (place − 1, d)
    bends = np.diff(slopes, axis=0, prepend=np.zeros((1, d)))
    return FeedForwardParameters(
        w_in=np.eye(1 + d)[:, :1] * np.ones(len(bends)),  # every unit reads column 0
        b_in=-places[:-1],
        w_out=np.pad(bends, ((0, 0), (1, 0))),  # (place − 1, 1 + d)
        b_out=np.pad(values[0], (1, 0)),
    )


def hinged_waves(
    s: Float[np.ndarray, "position 1"], n_units: int, n: int, *, d_model: int = 8, base: float = 100.0
) -> Float[np.ndarray, "position d_model"]:
    """The waves of an encoding of n positions, made from the number s by n_units evenly spaced ReLUs."""
    places = np.linspace(0, 1, n_units + 1)
    angles = (n - 1) * places[:, None] * frequencies(d_model, base=base)  # (place, pair)
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(places), -1)  # (place, d_model)
    rows = np.pad(s, ((0, 0), (0, d_model)))  # the number, and room
    return feed_forward(rows, hinges(places, waves), activation="relu")[:, 1:]


def words_in_line(n: int, n_units: int) -> list[int]:
    """The words j of n for which j − 1, j and j + 1 lie on one straight piece of a curve of n_units even ReLUs.

    Piece m reaches from m/n_units to (m + 1)/n_units, and word j stands at j/(n − 1). On a straight piece the scores of
    the three are a straight line, so no row can look at the middle one most. There is no such word if and only if
    n_units ≥ n/2: the first piece begins at word 0 and is (n − 1)/n_units steps long.

    >>> words_in_line(16, 7), words_in_line(16, 8)
    ([1, 14], [])
    """
    pieces = [(j - 1) * n_units // (n - 1) for j in range(1, n - 1)]  # in which word j − 1 stands
    return [j for j, piece in enumerate(pieces, start=1) if (j + 1) * n_units <= (piece + 1) * (n - 1)]


def made_of_hinges(units: int = 3) -> list[marks.Mark]:
    """How many hinges make a wave? Add some"""
    fine, n = np.linspace(0, 1, 91)[:, None], 16
    wave = {"sine": np.sin(15 * fine[:, 0]), "of hinges": hinged_waves(fine, units, n)[:, 0]}
    rows = hinged_waves(scalar_encoding(np.arange(n), n), units, n)  # (position, d_model)
    weights = head_weights(rows, rows, offset_head(-1, 8, base=100.0))  # (query, key)
    right = int((weights.argmax(axis=1)[1:] == np.arange(n - 1)).sum())
    waves = marks.lines(
        15 * fine[:, 0], wave, actor={"of hinges": "position"}, axes=("position", "fastest sine"), y_limits=(-1.4, 1.4)
    )
    answer = f"{units} hinge{'s' * (units > 1)}: {right} of 15 words look most at their left neighbour."
    return [waves, _map_of(weights), marks.answer(answer, "✓" if right == 15 else "×")]


def partial_sums(terms: int = 1) -> list[marks.Mark]:
    """Add sines of 1, 2, 3 … turns. What do they make together?"""
    t = np.linspace(0.002, 0.998, 250)
    k = np.arange(1, terms + 1)[:, None]
    total = 0.5 - (np.sin(2 * np.pi * k * t) / (np.pi * k)).sum(axis=0)
    middle = np.abs(total - t)[(t > 0.1) & (t < 0.9)].max()
    curves = marks.lines(t, {"the number": t, "the sum": total}, actor={"the sum": "position"}, axes=("t/T", "value"))
    waves = "sine makes" if terms == 1 else "sines make"
    answer = f"{terms} {waves} one number for each position, off by at most {middle:.2f} in the middle four fifths."
    return [curves, marks.answer(answer)]


def signals(n: int = 512) -> dict[str, Float[np.ndarray, "position column"]]:
    """Six ways to write n positions as rows, each column centred on 0."""
    t = np.arange(n)
    ramp = 2 * scalar_encoding(t, n) - 1  # (position, 1)
    pe = sinusoidal_encoding(t, 64)
    k = np.arange(1, 33)
    series = -(np.sin(2 * np.pi * np.outer(t, k) / n) / k).sum(axis=1, keepdims=True)
    rows = {
        "one number": ramp,
        "64 copies of it": np.repeat(ramp, 64, axis=1),
        "Fourier terms, added": series,
        "waves, added": pe[:, ::2].sum(axis=1, keepdims=True),
        "9 bits": 2 * binary_encoding(t, (n - 1).bit_length()) - 1.0,
        "waves, kept apart": pe,
    }
    return {name: signal - signal.mean(axis=0) for name, signal in rows.items()}


def read_back(signal: Float[np.ndarray, "position column"], percent: int, seed: int) -> float:
    """The share of positions whose row, with noise on every number, is still nearest to its own row.

    The noise has `percent` % of the signal's standard deviation: its root mean square, as its columns have mean 0.
    """
    sigma = percent / 100 * np.sqrt((signal**2).mean())
    noisy = signal + np.random.default_rng(seed).normal(0, sigma, signal.shape)
    distance = (signal**2).sum(axis=1) - 2 * noisy @ signal.T  # squared, without what is the same in a row
    return float((distance.argmin(axis=1) == np.arange(len(signal))).mean())


def through_noise(percent: int = 5) -> list[marks.Mark]:
    """Blur every number a little. How many of 512 positions can still be read?"""
    shares = {name: np.mean([read_back(s, percent, seed) for seed in range(10)]) for name, s in signals().items()}
    bars = marks.bars(list(shares.values()), list(shares), axis="read correctly", limits=(0, 1))
    apart, alone = shares["waves, kept apart"], shares["one number"]
    return [
        bars,
        marks.answer(
            f"From waves kept apart {100 * apart:.0f}% of the positions are read correctly, "
            f"from one number {100 * alone:.0f}%."
        ),
    ]


def left_weight(slopes: Float[np.ndarray, "... row"], n: int, *, causal: bool) -> Float[np.ndarray, "... row"]:
    """The weight of key i − 1 in row i = 1 … n − 1, where row i has scores slope_i · s_j."""
    s = scalar_encoding(np.arange(n), n)[:, 0]
    scores = slopes[..., None] * s  # (…, row, key)
    weights = softmax(np.where(causal_mask(n)[1:], scores, -np.inf) if causal else scores)
    rows = np.arange(n - 1)
    return weights[..., rows, rows]


def best_line(n: int, *, causal: bool, n_rounds: int = 8) -> float:
    """The most that scores (a + b s_i) s_j can give key i − 1, mean over the rows: a grid, refined n_rounds times."""
    s = scalar_encoding(np.arange(1, n), n)[:, 0]
    centre, width, best = np.zeros(2), 8.0 * n, 0.0
    for _ in range(n_rounds):
        steps = width * np.linspace(-1, 1, 21)
        for a in centre[0] + steps:
            slopes = a + np.outer(centre[1] + steps, s)  # (b, row)
            mean_weights = left_weight(slopes, n, causal=causal).mean(axis=1)
            if mean_weights.max() > best:
                best, line = float(mean_weights.max()), np.array([a, centre[1] + steps[mean_weights.argmax()]])
        centre, width = line, width / 4
    return best


def best_slopes(n: int, *, causal: bool) -> float:
    """The same if every row may choose a slope of its own: what no line can pass."""
    slopes = np.concatenate([-np.logspace(3.5, -2, 400), np.logspace(-2, 3.5, 400)])
    return float(left_weight(np.tile(slopes[:, None], (1, n - 1)), n, causal=causal).max(axis=0).mean())
