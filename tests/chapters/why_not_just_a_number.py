"""The numbers of *Why not just a number?*, checked with the names of its notebook at hand."""

import torch

from inorder.circuits import head_weights
from inorder.encodings import shift_matrix, sinusoidal_encoding
from inorder.transformer import layer_norm

EPSILON = np.finfo(float).eps


def exact_by_hand():
    powers = np.exp(np.arange(5))
    shares = powers / powers.sum()
    says("| 0 | 0 | 0 | 1.0 | 0.01 |", 0, 0 / 4, 0, powers[0], shares[0])
    says("| 1 | ¼ | 1 | 2.7 | 0.03 |", 1, 1, powers[1], shares[1])
    says("| 2 | ½ | 2 | 7.4 | 0.09 |", 2, 2, powers[2], shares[2])
    says("| 3 | ¾ | 3 | 20.1 | 0.23 |", 3, 3, powers[3], shares[3])
    says("| 4 | 1 | 4 | 54.6 | 0.64 |", 4, 4 / 4, 4, powers[4], shares[4])
    says("The powers add up to 85.8", powers.sum())
    says("The last word gets 0.64 and the word before it 0.23", shares[4], shares[3])
    at_any_slope = softmax(np.linspace(0, 40, 4001)[:, None] * np.arange(5) / 4)[:, 3]  # of the last word but one
    says("the word before the last has $8/31 = 0.26$, and hardly more is possible", 8, 31, 8 / 31)
    assert 8 / 31 <= at_any_slope.max() < 8 / 31 + 0.005


def exact_straight_line_peaks_at_an_end():
    """Heads of random weights, with and without a mask; and that of the cell."""
    says("The first two words look at the last one, the other three at the first")
    assert weights.argmax(axis=1).tolist() == [4, 4, 0, 0, 0]
    numbers = scalar_encoding(np.arange(32), 32)
    for seed in range(50):
        a, b, c, e = np.random.default_rng(seed).normal(size=(4, 16))
        for allowed in (np.ones((32, 32), dtype=bool), causal_mask(32)):
            best = attention_weights(a + numbers * b, c + numbers * e, mask=allowed).argmax(axis=1)
            assert ((best == 0) | (best == allowed.sum(axis=1) - 1)).all()


def exact_alibi():
    assert np.abs(alibi - by_line).max() < 10 * 32 * EPSILON  # a softmax of 32 scores of size 10
    own, left = (np.diagonal(alibi, k, axis1=1, axis2=2) for k in (0, -1))  # (head, row)
    says("the asking word itself gets the most weight")
    assert (left < own[:, 1:]).all()
    r, row = np.exp(-alibi_slopes(8))[:, None], np.arange(2, 33)  # (head, 1), and the keys that a row sees
    says("the word itself has $1 - r$ and its left neighbour $r(1 - r)$", 1, 1)
    assert np.allclose(own[:, 1:], (1 - r) / (1 - r**row), rtol=256 * 32 * EPSILON)  # 1 − r is 1/256 at least
    assert np.allclose(left, r * (1 - r) / (1 - r**row), rtol=256 * 32 * EPSILON)
    says("never more than ¼, reached at the slope $\\ln 2 = 0.69$", 2, np.log(2))
    fine = np.exp(-np.linspace(0.01, 5, 5000))
    best = (fine * (1 - fine)).argmax()
    assert abs(fine[best] * (1 - fine[best]) - 1 / 4) < 1e-6 and abs(-np.log(fine[best]) - np.log(2)) < 1e-3


def weights_on_the_arc(n, sharpness, **settings):
    x, head = figures.bent_head(n, sharpness, **settings)
    normed = layer_norm(x, eps=1e-12)
    return head_weights(normed, normed, head)  # (query, key)


def exact_arc():
    says("each word finds the one on its left")
    assert (weights_on_the_arc(16, 4000.0).argmax(axis=1)[1:] == np.arange(15)).all()
    says("what has been built for 16 words is wrong for 31", 16, 31)
    says("The head on the arc looks *two* to the left there")
    looks_at = weights_on_the_arc(31, 40_000.0, built_for=16).argmax(axis=1)
    assert (np.arange(2, 31) - looks_at[2:] == 2).all()
    ends = figures.bent_head(16, 1.0)[0][[0, 15]]  # c − u/2 and c + u/2
    ratio = np.linalg.norm(ends.mean(axis=0)) / np.linalg.norm(ends[1] - ends[0])
    says("In the figure $\\lVert c \\rVert = 0.3\\, \\lVert u \\rVert$", ratio)


def exact_price_of_the_arc():
    """The gap between a neighbour's score and the next one falls to a quarter when the text doubles."""
    says("a text twice as long needs about four times the sharpness")

    def gaps(n):
        angle = np.arctan((np.arange(n) / (n - 1) - 0.5) / 0.3)
        return 1 - np.cos(np.diff(angle))

    for n in (64, 128, 256):
        assert abs(gaps(n).min() / gaps(2 * n).min() - 4) < 0.2
        assert abs(gaps(n).max() / gaps(2 * n).max() - 4) < 0.2


def exact_ends_of_the_arc():
    """The exercise with the figure."""
    left = np.diagonal(weights_on_the_arc(16, 50.0), -1)  # word 1 to word 15
    says(
        "word 3 gives word 2 only 0.29 and word 14 gives word 13 only 0.27, while word 8 gives word 7 0.60",
        *(3, 2, left[2], 14, 13, left[13], 8, 7, left[7]),
    )
    assert left.argmin() == 13 and left[0] > left[1] > left[2] and left[14] > left[13]


def exact_corners():
    """ReLUs that pass through a sine and a cosine at every word; and curves with a corner too few."""
    n = 16
    places, waves = np.arange(n), sinusoidal_encoding(np.arange(n), 8, base=100.0)
    bends = np.diff(np.diff(waves, axis=0), axis=0, prepend=np.zeros((1, 8)))
    of_relus = waves[0] + np.maximum(0, places[:, None] - places[:-1]) @ bends
    assert np.abs(of_relus - waves).max() < 100 * n * EPSILON
    scores = of_relus @ shift_matrix(-1, 8, base=100.0) @ of_relus.T
    assert (scores.argmax(axis=1)[1:] == np.arange(n - 1)).all()
    says("at least $\\lceil n/2 \\rceil - 1$ corners", 2, 1)
    for seed in range(50):
        rng = np.random.default_rng(seed)
        corners = np.sort(rng.uniform(0, n - 1, size=n // 2 - 2))  # one too few
        at = np.array([0, *corners, n - 1])
        curve = np.stack([np.interp(places, at, rng.normal(size=len(at))) for _ in range(8)], axis=1)
        looks = (curve @ rng.normal(size=(8, 8)) @ curve.T).argmax(axis=1)
        alone = [j for j in range(1, n - 1) if not ((corners > j - 1) & (corners < j + 1)).any()]
        assert alone and all(looks[j + 1] != j for j in alone)


def exact_bfloat16():
    def distinct(values):
        return len(torch.unique(torch.from_numpy(values).to(torch.bfloat16), dim=0))

    says("Of 512 fractions only 385 remain distinct", 512, distinct(scalar_encoding(np.arange(512), 512)))
    says("A row of 32 sines and 32 cosines keeps all positions apart", 32, 32)
    assert distinct(sinusoidal_encoding(np.arange(512), 64)) == 512


def exact_fourier():
    t, k = np.linspace(0.05, 0.95, 19)[:, None], np.arange(1, 2001)
    series = 1 / 2 - (np.sin(2 * np.pi * k * t) / k).sum(axis=1) / np.pi
    assert np.abs(series - t[:, 0]).max() < 2 / (np.pi * 2000 * np.sin(0.05 * np.pi))  # Abel's bound on the rest
    says("It can come close to the plain number on a range that you choose")
    waves, number = np.c_[sinusoidal_encoding(np.arange(512), 64), np.ones(512)], np.arange(512) / 511
    assert np.abs(waves @ np.linalg.lstsq(waves, number, rcond=None)[0] - number).max() < 1e-6


def exact_exercises():
    says("$m = 2 \\ln 99 = 9.19$", 2, 99, 2 * np.log(99))
    says("At 9, which gives 0.989, the figure is not sure yet; at 10 it is", 9, 1 / (1 + np.exp(-4.5)), 10)
    assert [figures.first_noun("animal first", slope)[-1].parts["sign"] for slope in (9.0, 10.0)] == ["", "✓"]
