"""The numbers of *Why not just a number?*, checked with the names of its notebook at hand."""

from inorder.encodings import sinusoidal_encoding

EPSILON = np.finfo(float).eps


def exact_by_hand():
    shares = powers / powers.sum()
    says("The powers of $e$ are 1, 2.7, 7.4, 20.1 and 54.6, and they add up to 85.8", *powers, powers.sum())
    says("The last word gets 0.64 and the word before it 0.23", shares[4], shares[3])
    at_any_slope = softmax(np.linspace(0, 40, 4001)[:, None] * np.arange(5) / 4)[:, 3]  # of the last word but one
    says("the word before the last has $8/31 = 0.26$, and hardly more is possible", 8, 31, 8 / 31)
    assert 8 / 31 <= at_any_slope.max() < 8 / 31 + 0.005
    five = attention_weights(3 - 8 * s, 1 + 2 * s, scale=1.0)
    assert five.argmax(axis=1).tolist() == [4, 4, 0, 0, 0]


def exact_straight_line_peaks_at_an_end():
    """Heads of random weights, with and without a mask."""
    numbers_32 = scalar_encoding(np.arange(32), 32)
    for seed in range(50):
        a, b, c, e = np.random.default_rng(seed).normal(size=(4, 16))
        for allowed in (np.ones((32, 32), dtype=bool), causal_mask(32)):
            best = attention_weights(a + numbers_32 * b, c + numbers_32 * e, mask=allowed).argmax(axis=1)
            assert ((best == 0) | (best == allowed.sum(axis=1) - 1)).all()


def exact_best_line():
    says("Without a mask the best line gets worse each time the text doubles")
    assert lines[8][0] > lines[16][0] > lines[32][0]
    for n, (line_all, slopes_all, line, slopes) in lines.items():
        assert 1 / n < line_all < slopes_all and line < slopes
    says("With a causal mask it stays close to a quarter, a little above it")
    assert 1 / 4 < lines[32][2] < lines[16][2] < 1 / 4 + 0.03
    assert abs(figures.best_slopes(64, causal=True) - 1 / 4) < 0.02  # in a long text
    halves = figures.left_weight(np.full(31, 31 * np.log(2)), 32, causal=True)  # each weight half of the next
    assert abs(halves.mean() - lines[32][2]) < 0.002
    assert (halves > 1 / 4).all() and halves[4:].mean() < 1 / 4 + 0.002


def exact_alibi():
    assert np.abs(alibi - by_line).max() < 10 * 32 * EPSILON  # a softmax of 32 scores of size 10
    left_in_alibi = np.diagonal(alibi, -1, axis1=1, axis2=2)  # (head, row − 1)
    assert (left_in_alibi < np.diagonal(alibi, 0, axis1=1, axis2=2)[:, 1:]).all()
    r, row = np.exp(-alibi_slopes(8)), np.arange(2, 33)  # (head,), and the keys that a row sees
    exact = (r * (1 - r))[:, None] / (1 - r[:, None] ** row)
    assert np.allclose(left_in_alibi, exact, rtol=256 * 32 * EPSILON)  # 1 − r is 1/256 at least
    long_row = r * (1 - r)
    says("the steepest, ½, gives it 0.24, and the gentlest, 1/256, only 0.004", long_row[0], 1, 256, long_row[-1])
    assert alibi_slopes(8)[[0, -1]].tolist() == [1 / 2, 1 / 256]
    says("at most ¼, at the slope $\\ln 2 = 0.69$", 2, np.log(2))
    fine = np.exp(-np.linspace(0.01, 5, 5000))
    best = (fine * (1 - fine)).argmax()
    assert abs(fine[best] * (1 - fine[best]) - 1 / 4) < 1e-6 and abs(-np.log(fine[best]) - np.log(2)) < 1e-3


def exact_arc():
    for n in needed:
        seeds = [left(weights_on_the_arc(n, 4000.0, seed=seed)) for seed in range(10)]
        assert np.ptp(seeds) < 100 * n * 4000 * EPSILON  # scores of size 4,000
        assert (weights_on_the_arc(n, 4000.0).argmax(axis=1)[1:] == np.arange(n - 1)).all()
    growth = np.array([needed[2 * n] for n in (16, 32, 64)])
    growth /= np.array([needed[n] for n in (16, 32, 64)])  # (doubling, ratio)
    says("about four times the sharpness (4.1 to 4.6), as expected", 4, growth.min(), growth.max())
    assert (np.abs(growth[-1] - 4) < 0.2).all()
    j = np.array([10.0, 100.0, 1000.0])  # counts crowd at the end of the arc
    assert np.allclose(np.arctan((j + 1) / 0.3) - np.arctan(j / 0.3), 0.3 / (j * (j + 1)), rtol=1e-2)
    says("The head on the arc looks *two* to the left there, in every row that has two")
    looks_at = weights_on_the_arc(31, 40_000.0, built_for=16).argmax(axis=1)
    assert (np.arange(2, 31) - looks_at[2:] == 2).all()
    ends = figures.bent_head(16, 1.0)[0][[0, 15]]  # c − u/2 and c + u/2
    ratio = np.linalg.norm(ends.mean(axis=0)) / np.linalg.norm(ends[1] - ends[0])
    says("In the figure $\\lVert c \\rVert = 0.3\\, \\lVert u \\rVert$", ratio)


def exact_ends_of_the_arc():
    """The exercise with the figure."""
    left_of_each = np.diagonal(weights_on_the_arc(16, 50.0), -1)  # word 1 to word 15
    says(
        "word 3 gives word 2 only 0.29 and word 14 gives word 13 only 0.27, while word 8 gives word 7 0.60",
        *(3, 2, left_of_each[2], 14, 13, left_of_each[13], 8, 7, left_of_each[7]),
    )
    assert left_of_each.argmin() == 13
    assert left_of_each[0] > left_of_each[1] > left_of_each[2] and left_of_each[14] > left_of_each[13]
    for n_more in (0, 6):  # on the same arc, beyond each end
        at = (np.arange(-n_more, 16 + n_more) / 15 - 0.5) / 0.3  # tan φ
        angle, before = np.arctan(at), np.arctan(at - 1 / 15 / 0.3)
        size = 50 * np.cos(angle) / np.cos(before)
        shares = softmax(size[:, None] * np.cos(angle - before[:, None]))
        on_left = np.diagonal(shares, -1)[n_more : n_more + 15]
        if n_more:
            assert sorted(np.argsort(on_left)[:2].tolist()) == [0, 14]
        else:  # layer norm's ε of 10⁻¹² in rows with a mean square of 0.3²/16 at least, times the sharpness
            assert np.abs(on_left - left_of_each).max() < 50 * 1e-12 / (0.3**2 / 16)


def fails(x, steps=1.0):
    """The rows in which the left neighbour isn't alone in front."""
    targets = sinusoidal_turn(x, -steps) @ x.T
    rows = np.arange(1, len(x))
    target = targets[rows, rows - 1].copy()
    targets[rows, rows - 1] = -np.inf
    return rows[target <= targets[1:].max(axis=1) + 1e-9].tolist()


def sinusoidal_turn(x, steps):
    """Each pair of columns of (n, 8) turned by so many steps."""
    angle = steps * frequencies(8, base=100.0)
    s, c = x[:, ::2], x[:, 1::2]
    pairs = [s * np.cos(angle) + c * np.sin(angle), c * np.cos(angle) - s * np.sin(angle)]
    return np.stack(pairs, axis=-1).reshape(len(x), 8)


def through_corners(at, n, slower=1.0):
    """The waves at n words, straight between their values at `at`."""
    angle = slower * np.asarray(at)[:, None] * frequencies(8, base=100.0)
    values = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(-1, 8)
    return np.stack([np.interp(np.arange(n), at, column) for column in values.T], axis=1)


def exact_waves_of_hinges():
    number = scalar_encoding(np.arange(32), 32)
    tolerance = 100 * 16 * EPSILON  # 16 hinges of sizes up to some tens
    assert np.abs(waves - figures.hinged_waves(number, 16, 32)).max() < tolerance
    assert np.abs(waves - through_corners(np.linspace(0, 31, 17), 32)).max() < tolerance
    assert (weights.argmax(axis=1) == np.maximum(np.arange(32) - 1, 0)).all()
    sixteen = figures.hinged_waves(scalar_encoding(np.arange(16), 16), 15, 16)
    assert np.abs(sixteen - sinusoidal_encoding(np.arange(16), 8, base=100.0)).max() < tolerance
    says("With 8 hinges, every word looks most at its left neighbour, and each further hinge makes it surer", 8)
    surer = [
        left(head_weights(x, x, head))
        for x in (figures.hinged_waves(scalar_encoding(np.arange(16), 16), k, 16) for k in range(8, 16))
    ]
    assert (np.diff(surer) > 0).all()


def half_up(n):
    return -(-n // 2)


def exact_how_many_hinges():
    says("at every length from 4 to 160, and with the waves four times slower as well", 4, 160, 4)
    for n in range(4, 161):
        half = half_up(n)
        for slower in (1.0, 0.25):
            enough, fewer = (
                fails(through_corners(np.linspace(0, n - 1, k + 1), n, slower), slower) for k in (half, half - 1)
            )
            assert not enough and fewer == [j + 1 for j in figures.words_in_line(n, half - 1)]
            assert fewer == ([2, n - 1] if n % 2 == 0 else [*range(2, n, 2)])
        assert not figures.words_in_line(n, half)
    says("(8 to 128 words), so the bound in 2 cannot be improved", 8, 128, 2)
    for n in range(8, 129):  # corners after words 1, 3, 5, …
        between = np.arange(1.5, n - 2 + n % 2, 2)
        assert len(between) == half_up(n) - 1
        assert not fails(through_corners([0, *between, n - 1], n))
    n_failing = [failing_of_4096(d, base) for d, base in ((8, 100.0), (16, 10_000.0))]
    says("of 4,096 words with 2,048 hinges, 1,844 fail with our eight waves", 4096, 2048, n_failing[0], 8)
    assert n_failing[1] == 0  # "none with sixteen of the usual base 10,000"


def failing_of_4096(d, base):
    x = figures.hinged_waves(scalar_encoding(np.arange(4096), 4096), 2048, 4096, d_model=d, base=base)
    back = offset_head(-1, d, base=base)
    looks = ((x[1:] @ back.w_query) @ (x @ back.w_key).T).argmax(axis=1)
    return (looks != np.arange(4095)).sum()


def theorem_on_hinges():
    """Every row that the theorem forbids fails; without hinges no line is better than the best."""
    assert all(set(line["forbidden rows"]) <= set(line["rows that fail"]) for line in in_line)
    assert max(learned["the number alone"]["left"]) < lines[16][3]


SOLVED = ("4 smooth units", "32 smooth units", "128 hinges")


def recorded_training():
    theorem_on_hinges()
    says("The number alone stops at 0.27, the best line of our table", lines[16][2])
    for share in learned["the number alone"]["left"]:
        says("The number alone stops at 0.27", share)
    for name in SOLVED:
        assert len(learned[name]["left"]) == 3
        assert min(learned[name]["left"]) > 0.9 and not any(learned[name]["failing"])
    of_32 = [line for line in in_line if line["hinges"] == "32 hinges"]
    solved = [line for line in of_32 if not line["rows that fail"]]
    says("With 32 hinges, one of eighteen does", 32)
    assert (len(solved), len(of_32)) == (1, 18)
    says("The one model that succeeds is the one in which no row is forbidden")
    assert [line for line in of_32 if not line["forbidden rows"]] == solved
    others = [len(line["rows that fail"]) - len(line["forbidden rows"]) for line in of_32]
    says("In two of the eighteen, one row fails besides the forbidden ones", np.count_nonzero(others), max(others))
    says("After three seeds we expected it, and the eighth refuted it")
    assert np.flatnonzero(others)[0] == 8 - 1


def recorded_bend():
    """The two directions of the rows of 32 smooth units, and what is left without the others."""
    for (directions, sizes), curve in zip(parts, curves, strict=True):
        says("All but a ten-thousandth of the variance lies in these two directions")
        assert (sizes[2:] ** 2).sum() < 1e-4 * (sizes**2).sum()
        turns = (np.diff(np.sign(np.diff(directions[:, :2], axis=0)), axis=0) != 0).sum(axis=0)
        assert turns.tolist() == [0, 1] and curve.shape == (16, 8)
        bound = 0.98
        says("either explains more than 98% of the variance along its direction", bound)
        for column, degree in ((0, 1), (1, 2)):
            along = directions[:, column]
            rest = along - np.polyval(np.polyfit(np.arange(16), along, degree), np.arange(16))
            assert 1 - np.var(rest) / np.var(along) > bound
    n_failing = np.array(
        [[failing_without(*pair, kept) for kept in (2, 1)] for pair in zip(smooth, curves, strict=True)]
    )
    says("no row fails in any of the three models; reduce them to the first alone", len(n_failing))
    assert (n_failing[:, 0] == 0).all()
    for count in n_failing[:, 1]:
        says("to the first alone, and 14 of 15 fail in each", count, 15)


def failing_without(model, curve, n_kept):
    """How many rows fail if all but so many directions are taken away."""
    mean, head = curve.mean(axis=0), model["head"]
    u, sizes, v = np.linalg.svd(curve - mean, full_matrices=False)
    cut = mean + u[:, :n_kept] * sizes[:n_kept] @ v[:n_kept]
    query, key = (cut @ head[f"w_{name}"].numpy() + head[f"b_{name}"].numpy() for name in ("query", "key"))
    looks = attention_weights(query, key, mask=causal_mask(16)).argmax(axis=1)[1:]
    return (looks != np.arange(15)).sum()


def again_training():
    theorem_on_hinges()
    for name in SOLVED:  # far beyond what any line can give
        assert min(learned[name]["left"]) > 2 * lines[16][3]
    before = train_to_look_left.stored()["32 hinges"]
    alike(learned["32 hinges"]["left"], before["left"])
    alike(*([len(failed) for failed in runs["failing"]] for runs in (learned["32 hinges"], before)))


def exact_bfloat16():
    def distinct(values):
        return len(torch.unique(torch.from_numpy(values).to(torch.bfloat16), dim=0))

    says("Of 512 fractions only 385 remain distinct", 512, distinct(scalar_encoding(np.arange(512), 512)))
    assert distinct(scalar_encoding(np.arange(1024), 1024)) == 513
    says("A row of 32 sines and 32 cosines keeps all positions apart", 32, 32)
    for n in (512, 1024):
        assert distinct(sinusoidal_encoding(np.arange(n), 64)) == n
    upper = np.arange(512) / 511
    upper = upper[upper > 0.5]
    says(
        "there are only 129 numbers from one half to 1, and 256 of the 512 fractions have to share them",
        *(distinct(upper), 1, len(upper), 512),
    )


def exact_noise():
    """Ten draws of noise, the same on every machine; a position is read by the nearest row."""
    mean = {name: np.mean(shares) for name, shares in results.items()}
    for name, share in derived.items():
        assert abs(mean[name] - share) < 0.01
    says(
        "With noise of 5% the number alone is read correctly 6% of the time, a sum of waves 8%, and 64 copies of the "
        "number 41%",
        *(0.05, mean["one number"], mean["waves, added"], 64, mean["64 copies of it"]),
    )
    for name in ("waves, kept apart", "9 bits"):
        assert min(results[name]) == 1
    pe = ways["waves, kept apart"]
    apart, spread = np.linalg.norm(pe[1] - pe[0]), pe.std()
    says("Two neighbouring rows of waves are 1.47 apart", apart)
    says("the noise on each entry is $0.05 \\cdot 0.544 = 0.027$", 0.05, spread, 0.05 * spread)
    says("would need noise of 27 standard deviations towards the neighbour", apart / 2 / (0.05 * spread))
    for name in ("Fourier terms, added", "waves, added"):
        assert max(results[name]) < 0.12 and abs(mean[name] - mean["one number"]) < 0.04


def exact_harmonic_regression():
    number = ways["one number"][:, 0]
    read = np.c_[ways["waves, kept apart"], np.ones(512)]
    weights_of = np.linalg.lstsq(read, number, rcond=None)[0]
    says("on these 512 positions to nine decimals", 512, 9)
    assert np.abs(read @ weights_of - number).max() < 1e-9
    centre = sinusoidal_encoding(np.arange(512), 64).mean(axis=0)
    far_row = sinusoidal_encoding(np.array([1000]), 64) - centre
    beyond = float((np.c_[far_row, 1] @ weights_of)[0])
    says("at position 1,000 it reads 2.88 in place of 2.91", 1000, beyond, 2 * 1000 / 511 - 1)


def exact_exercises():
    says("$m = 2 \\ln 99 = 9.19$", 2, 99, 2 * np.log(99))
    says("At 9, which gives 0.989, the figure is not sure yet; at 10 it is", 9, 1 / (1 + np.exp(-4.5)), 10)
    assert [figures.first_noun("animal first", slope)[-1].parts["sign"] for slope in (9.0, 10.0)] == ["", "✓"]
    assert both_rise.argmax() == 3 and both_rise[4] < 0 and (np.diff(one_falls) > 0).all()
