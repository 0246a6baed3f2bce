"""The numbers of *Counters and waves*, checked with the names of its notebook at hand."""

from inorder.encodings import binary_encoding, frequencies

EPSILON = np.finfo(float).eps


def exact_attempts():
    says("At position 500 the new number is 500 times as large", 500, 500 / 1)
    says("position 3 is 0.75 among 5 words and 0.375 among 9", 3, 3 / 4, 5, 3 / 8, 9)
    bits = binary_encoding(np.arange(10), 4)
    changes = np.abs(np.diff(bits, axis=0)).sum(axis=1)
    says("from 7 to 8 four digits change, and from 8 to 9 only one", 7, 8, changes[7], 8, 9, changes[8])
    after = bits[1:5] @ 10 ** np.arange(4)  # the rows after those of positions 0 to 3, as they are written
    says("0010 + 0011 = 0021", after[1], after[2], after[1] + after[2])
    says("It should be 0100", after[3])
    says("That leaves 0020, which is no better", after[1] + after[2] - after[0])


def left_by_one_matrix(rows):
    """The root mean square error of the best matrix and bias from each row to the next, compared with the rows'."""
    before, after = np.c_[rows[:-1], np.ones(len(rows) - 1)], rows[1:]
    errors = after - before @ np.linalg.lstsq(before, after, rcond=None)[0]
    return np.sqrt((errors**2).mean() / after.var(axis=0).mean())


def exact_sines_alone():
    says("In a text that is long enough they can't")
    for d in (8, 64):
        waves = sinusoidal_encoding(np.arange(512), d)
        assert left_by_one_matrix(waves[:, ::2]) > 0.3 and left_by_one_matrix(waves) < 1e-9
    on_the_wall = (np.arange(64)[:, None] + 0.5) * figures.OCTAVES
    assert left_by_one_matrix(np.sin(on_the_wall)) > 0.3
    says("Only the fastest clock, which has two places, needs no more")
    assert np.abs(np.cos(on_the_wall[:, -1])).max() < 64 * 4 * EPSILON
    bits = binary_encoding(np.arange(64), figures.N_BITS)[:, ::-1]
    assert ((np.sin(on_the_wall) < 0) == bits).all()  # a digit is 1 while the hand is in the left half


def exact_by_hand():
    small = sinusoidal_encoding(np.arange(6), 4, base=100.0)
    says("= (0.141, -0.990, 0.296, 0.955)", *small[3])
    sin_a, cos_a, sin_b, cos_b = np.sin(0.3), np.cos(0.3), np.sin(0.2), np.cos(0.2)
    says("0.2955 \\cdot 0.9801 + 0.9553 \\cdot 0.1987 = 0.4794", sin_a, cos_b, cos_a, sin_b, np.sin(0.5))
    by_four_lines = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(6, 4)
    assert np.abs(by_four_lines - small).max() < 10 * EPSILON


def exact_products():
    p = sinusoidal_encoding(np.arange(50), 32)
    distances = np.arange(50) - np.arange(50)[:, None]
    by_formula = np.cos(distances[..., None] * frequencies(32)).sum(axis=-1)
    assert np.abs(p @ p.T - by_formula).max() < 32 * 50 * EPSILON
    assert ((p @ p.T).argmax(axis=1) == np.arange(50)).all()
    says("The query of position 5 is then the row of position 3, and finds position 3", 5, 3, 3)
    assert (scores.argmax(axis=1)[2:] == np.arange(10)).all()


def exact_speeds():
    says("some 60,000 positions for a turn", round(2 * np.pi / frequencies(512)[-1], -4))
    says("In a text of 64 words, 153 of the 256 hands", 64, (frequencies(512) * 63 < np.pi / 2).sum(), 256)
    of_40 = frequencies(512, base=40.0)
    assert of_40[-1] * 63 > np.pi / 2
    cosines = np.cos(frequencies(512)).mean(), np.cos(of_40).mean()
    says("is 0.973, and with base 40, which leaves no hand slow, it would be 0.934", cosines[0], 40, cosines[1])


def varies(w):
    """How far scores at one offset differ, as a share of the largest."""
    p = sinusoidal_encoding(np.arange(64), len(w))
    table = p @ w @ p.T
    return max(np.ptp(np.diagonal(table, k)) for k in range(-63, 64)) / np.abs(table).max()


def exact_which_matrices():
    says("for most matrices it depends on more")
    step = shift_matrix(1, 32)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        blocks = np.zeros((32, 32))
        for j in range(0, 32, 2):
            a, b = rng.normal(size=2)
            blocks[j : j + 2, j : j + 2] = [[a, b], [-b, a]]
        assert np.abs(blocks @ step - step @ blocks).max() < 100 * EPSILON and varies(blocks) < 1e-12
        assert varies(rng.normal(size=(32, 32))) > 0.5
    assert varies(np.diag(np.tile([1.0, 0.0], 16))) > 0.5  # the sines alone


def exact_exercises():
    base = (4095 * 2 / np.pi) ** (64 / 62)
    says("(4095 \\cdot 2/\\pi)^{64/62} = 3{,}360", 4095, 2, 64, 62, 3, 360)
    assert round(base) == 3360 and np.isclose(4095 * frequencies(64, base=base)[-1], np.pi / 2)
    slow = (4095 * frequencies(64) < np.pi / 2).sum()
    first = 32 * np.log(4095 * 2 / np.pi) / np.log(10_000)
    says("that is, if $j > 27.3$: 4 of the 32 hands", first, slow, 32)
    alike = EncodingExplorer(position=10, base=1.0)
    says("is that of position 54, which is 44 positions away", alike.nearest[0], alike.nearest[0] - 10)
    says("seven turns are 43.98", 7, 14 * np.pi)
    says("the nearest is 25 away, nearly four turns", abs(EncodingExplorer(position=30, base=1.0).nearest[0] - 30), 4)
    assert 25 < 4 * 2 * np.pi < 25.2
