"""The numbers of *Counters and waves*, checked with the names of its notebook at hand."""

assert round(3 / 99, 3) == 0.030 and round(3 / 511, 3) == 0.006
assert facts["integer"]["norm"] == 511 and facts["integer"]["finds itself"] == 1 / 512
assert np.isclose(facts["fraction"]["moved"], 3 / 99 - 3 / 511) and round(3 / 99 - 3 / 511, 4) == 0.0244
assert np.isclose(facts["bits"]["step"].min(), 1) and np.isclose(facts["bits"]["step"].max(), 3)
bits_left = (sum(1 - (1 - 2.0 ** (1 - b)) ** 2 for b in range(1, 9)) / 9) ** 0.5
assert round(bits_left, 3) == 0.543 and round(facts["bits"]["shift error"], 3) == 0.538
cycle = binary_encoding(np.arange(513) % 512, 9)  # with the step from 511 back to 0
assert np.isclose(figures.shift_residual(cycle), bits_left, rtol=1e-12)
hands = (np.arange(64)[:, None] + 0.5) * figures.OCTAVES  # of the wall
assert figures.shift_residual(np.sin(hands)) > 0.3
both = np.c_[np.sin(hands), np.cos(hands)]
assert figures.shift_residual(both) < 1e-12
assert np.abs(np.cos(hands[:, -1])).max() < 1e-12  # the fastest clock
assert facts["sines"]["shift error"] > 0.3 and np.ptp(facts["sines"]["step"]) > 0.5
best = facts["sines, cosines"]
assert np.isclose(best["norm"], np.sqrt(32)) and best["moved"] == 0 and np.ptp(best["step"]) < 1e-9
assert best["shift error"] < 1e-12 and best["finds itself"] == 1
assert figures.finds_itself(2 * binary_encoding(positions, 9) - 1) == 1

# a bit is the sign of a wave
bits = binary_encoding(positions, 9)
octave = np.pi / 2.0 ** np.arange(9)  # half a turn in 2^b positions
assert ((np.sin((positions[:, None] + 0.5) * octave) < 0) == bits).all()

# by hand, in code
small = sinusoidal_encoding(np.arange(6), 4, base=100.0)
assert np.allclose(small[3], [0.141, -0.990, 0.296, 0.955], atol=5e-4)
digits = [np.sin(0.3), np.cos(0.2), np.cos(0.3), np.sin(0.2), np.sin(0.5)]
assert np.allclose([0.2955, 0.9801, 0.9553, 0.1987, 0.4794], digits, atol=5e-5)
assert round(0.2955 * 0.9801 + 0.9553 * 0.1987, 4) == 0.4794
next_of = binary_encoding(np.arange(1, 5), 4)  # of positions 0 to 3
assert (next_of[1] + next_of[2] - next_of[0]).tolist() == [
    0,
    2,
    0,
    0,
] and next_of[3].tolist() == [0, 0, 1, 0]
peak = figures.score_by_distance("turn by 3", 50)[0].parts["layers"][0]
assert peak["x"][peak["y"][0].argmax()] == 3
assert np.allclose((small @ R)[:4], small[2:])
by_four_lines = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(6, 4)
assert np.allclose(by_four_lines, small)
for k in (-3, 1, 7, 100):
    at = np.arange(100, 200)
    assert np.allclose(
        sinusoidal_encoding(at, 64) @ shift_matrix(k, 64),
        sinusoidal_encoding(at + k, 64),
        atol=1e-12,
    )
    assert np.allclose(shift_matrix(k, 64).T, shift_matrix(-k, 64))
    assert np.allclose(shift_matrix(k, 64) @ shift_matrix(5, 64), shift_matrix(k + 5, 64))

# speeds
slowest = frequencies(64)[-1]
assert round(1 / slowest) == 7499 and (2 * np.pi / np.linspace(1, slowest, 32) > 100).sum() == 2
assert (2 * np.pi / frequencies(64) > 100).sum() == 22
far = np.arange(195, 4097)[:, None]  # (distance, 1)
assert round(np.cos(195 * np.linspace(1, slowest, 32)).mean(), 2) == 0.99
assert np.cos(far * frequencies(64)).mean(axis=1).max() < 0.5
assert round(1e4 ** (2 / 512), 3) == 1.037
assert round(2 * np.pi / frequencies(512)[-1]) == 60611 < 2 * np.pi * 1e4
away = np.linalg.norm(np.diff(sinusoidal_encoding(np.array([0, 710]), 2), axis=0))
assert np.isclose(away, abs(710 - 113 * 2 * np.pi), rtol=1e-6) and round(away, 5) == 0.00006
assert np.linalg.norm(np.diff(sinusoidal_encoding(np.array([0, 710]), 64), axis=0)) > 3
for results in slow_hands.values():
    assert results["slow hands"] == results["by the formula"] and results["largest error of the variance"] < 1e-10
assert [results["directions for 99.9%"] for results in slow_hands.values()] == [4, 22, 77, 242]
assert slow_hands[5000]["slow hands"] == 31
assert round(slow_hands[5000]["their share of the variance"], 2) == 0.01
assert slow_hands[64]["slow hands"] == 153 and round(slow_hands[64]["their share of the variance"], 2) == 0.03
first_two = sinusoidal_encoding(np.arange(2), 512)
assert round(first_two[0] @ first_two[1] / 256, 3) == 0.973
omega_40 = frequencies(512, base=40.0)  # no hand slow in 64 words
assert omega_40[-1] * 63 > np.pi / 2
assert round(np.cos(omega_40).mean(), 3) == 0.934
assert (frequencies(64) * 63 < np.pi / 2).sum() > 16
turned = np.cos(np.arange(4000)[:, None] * omega_512)  # (distance, hand)
idle = omega_512 * 63 < np.pi / 2
for hands_, numbers in ((idle | True, [0.39, 0.05]), (~idle, [0.01, 0.0])):
    similar = turned[:, hands_].mean(axis=1)  # (distance,)
    far = similar[100:200].mean(), similar[3000:].mean()
    assert np.allclose(far, numbers, atol=0.006)

# scores
assert (scores.argmax(axis=1)[2:] == np.arange(10)).all()
products = (sinusoidal_encoding(np.arange(8), 32) @ p[0]).tolist()
assert products[4] < products[5] < products[6]  # the ripple
slower = np.array(products) - np.cos(np.arange(8))
assert slower[4] > slower[5] > slower[6]  # its cause taken away
of_512 = turned.mean(axis=1)  # (distance,)
assert (np.diff(of_512[:44]) < 0).all() and of_512[44] > of_512[43]
short_sines = sinusoidal_encoding(np.arange(8), 64)[:, ::2]
assert figures.shift_residual(short_sines) < 1e-10
one = np.c_[short_sines[:-1], np.ones(7)]
fit = np.linalg.lstsq(one, short_sines[1:], rcond=None)[0]
assert round(np.abs(fit).max()) == 33_688
assert max(varies["none (W = 1)"] + varies["turn by 3"] + varies["random blocks"]) < 1e-12
assert min(varies["sines only"]) > 0.5 and min(varies["random W"]) > 1
i, j = np.arange(64)[:, None], np.arange(64)
omega_32 = frequencies(32)[:, None, None]
by_formula = (np.cos(omega_32 * (i - j)) - np.cos(omega_32 * (i + j))).sum(axis=0) / 2
assert np.allclose(p_64[:, ::2] @ p_64[:, ::2].T, by_formula)
turn = shift_matrix(1, 2)
for name, w in {
    "turned, stretched": [[0.3, -2.0], [2.0, 0.3]],
    "other": [[0.3, 2.0], [2.0, 0.3]],
}.items():
    assert np.allclose(turn @ w, w @ turn) == (name != "other")
# a short text has other W: 25 equations for 64 numbers, and a solution that
# does not commute with the turn
short = sinusoidal_encoding(np.arange(6), 8, base=100.0)
equations = np.stack(
    [np.kron(short[a + 1], short[b + 1]) - np.kron(short[a], short[b]) for a in range(5) for b in range(5)]
)
w = np.linalg.svd(equations)[2][-1].reshape(8, 8)
one = shift_matrix(1, 8, base=100.0)
assert equations.shape == (25, 64) and figures.variation(short @ w @ short.T) < 1e-9
assert np.abs(one @ w - w @ one).max() > 0.01 * np.abs(w).max()

# tables
assert max(first for first, _ in fitted) < 1e-12 and min(rest for _, rest in fitted) > 1 and max(by_turning) < 1e-14
assert max(by_fitting) < 1e-4

# exercises
assert np.allclose(frequencies(6, base=1000.0), [1, 0.1, 0.01]) and round(200 * np.pi) == 628
assert np.allclose(frequencies(32, base=2.0**16), 2.0 ** -np.arange(16))
needed = (4095 * 2 / np.pi) ** (64 / 62)
assert round(needed) == 3360 and np.isclose(4095 * frequencies(64, base=needed)[-1], np.pi / 2)
slow_of = {base: int((4095 * frequencies(64, base=base) < np.pi / 2).sum()) for base in (1e3, 1e4)}
assert slow_of == {1e3: 0, 1e4: 4}
alike = EncodingExplorer(position=10, base=1.0)
assert alike.nearest[0] == 54 and round(7 * 2 * np.pi, 2) == 43.98
assert abs(EncodingExplorer(position=30, base=1.0).nearest[0] - 30) == 25 and 25 < 4 * 2 * np.pi < 25.2
