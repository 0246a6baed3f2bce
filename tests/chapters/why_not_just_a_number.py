"""The numbers of *Why not just a number?*, checked with the names of its notebook at hand."""

assert np.allclose(powers, [1, 2.7, 7.4, 20.1, 54.6], atol=0.05) and round(powers.sum(), 1) == 85.8
assert np.allclose((powers / powers.sum())[[4, 3]], [0.64, 0.23], atol=0.005)
free = softmax(np.linspace(0, 40, 4001)[:, None] * np.arange(5) / 4)[:, 3]  # the last but one, at any slope
assert abs(free.max() - 8 / 31) < 0.005 and round(8 / 31, 2) == 0.26

five = attention_weights(3 - 8 * s, 1 + 2 * s, scale=1.0)
assert five.argmax(axis=1).tolist() == [4, 4, 0, 0, 0]

# thm-straight: heads of random weights, with and without a mask
inside = total = 0
numbers_32 = scalar_encoding(np.arange(32), 32)
for seed in range(50):
    a, b, c, e = np.random.default_rng(seed).normal(size=(4, 16))
    for allowed in (np.ones((32, 32), dtype=bool), causal_mask(32)):
        best = attention_weights(a + numbers_32 * b, c + numbers_32 * e, mask=allowed).argmax(axis=1)
        inside += ((best != 0) & (best != allowed.sum(axis=1) - 1)).sum()
        total += 32
assert inside == 0 and total == 3200

for n, expected in {
    8: (0.25, 0.31),
    16: (0.14, 0.27),
    32: (0.07, 0.26),
}.items():
    assert (round(lines[n][0], 2), round(lines[n][2], 2)) == expected
    assert 1 / n < lines[n][0] < lines[n][1] and lines[n][2] < lines[n][3]
assert abs(figures.best_slopes(64, causal=True) - 0.25) < 0.02  # the left neighbour in a long text
halves = figures.left_weight(np.full(31, 31 * np.log(2)), 32, causal=True)  # each weight half of the next, row 1 to 31
assert abs(halves.mean() - lines[32][2]) < 0.002
assert (halves > 0.25).all() and halves[4:].mean() < 0.252

# causal ALiBi is a line in j
assert np.abs(alibi - by_line).max() < 1e-12
left_in_alibi = np.diagonal(alibi, -1, axis1=1, axis2=2)  # (head, row − 1)
itself = np.diagonal(alibi, 0, axis1=1, axis2=2)[:, 1:]
assert (left_in_alibi < itself).all()
r = np.exp(-alibi_slopes(8))  # (head,)
row = np.arange(2, 33)  # keys that a row sees
exact = (r * (1 - r))[:, None] / (1 - r[:, None] ** row)
assert np.allclose(left_in_alibi, exact)
assert np.round((r * (1 - r))[[0, -1]], 3).tolist() == [0.239, 0.004]
fine = np.exp(-np.linspace(0.01, 5, 5000))
assert abs((fine * (1 - fine)).max() - 0.25) < 1e-6
assert abs(-np.log(fine[(fine * (1 - fine)).argmax()]) - np.log(2)) < 1e-3

# layer norm
for n in needed:
    seeds = [left(weights_on_the_arc(n, 4000.0, seed=seed)) for seed in range(10)]
    assert np.ptp(seeds) < 1e-6
    assert (weights_on_the_arc(n, 4000.0).argmax(axis=1)[1:] == np.arange(n - 1)).all()
growth = np.array([needed[2 * n] for n in (16, 32, 64)])
growth /= np.array([needed[n] for n in (16, 32, 64)])  # (doubling, ratio)
assert np.round([growth.min(), growth.max()], 1).tolist() == [4.1, 4.6]
assert (np.abs(growth[-1] - 4) < 0.2).all()
j = np.array([10.0, 100.0, 1000.0])
assert np.allclose(
    np.arctan((j + 1) / 0.3) - np.arctan(j / 0.3),
    0.3 / (j * (j + 1)),
    rtol=1e-2,
)
looks_at = weights_on_the_arc(31, 40_000.0, built_for=16).argmax(axis=1)
assert (np.arange(2, 31) - looks_at[2:] == 2).all()
ends = figures.bent_head(16, 1.0)[0][[0, 15]]  # c − u/2 and c + u/2
assert np.isclose(
    np.linalg.norm(ends.mean(axis=0)) / np.linalg.norm(ends[1] - ends[0]),
    0.3,
)
left_of_each = np.diagonal(weights_on_the_arc(16, 50.0), -1)  # word 1 to word 15
assert np.allclose(left_of_each[[2, 13, 7]], [0.29, 0.27, 0.60], atol=0.005) and left_of_each.argmin() == 13
assert left_of_each[0] > left_of_each[1] > left_of_each[2] and left_of_each[14] > left_of_each[13]
for n_more in (0, 6):  # on the same arc, beyond each end
    at = (np.arange(-n_more, 16 + n_more) / 15 - 0.5) / 0.3  # tan φ
    angle, before = np.arctan(at), np.arctan(at - 1 / 15 / 0.3)
    size = 50 * np.cos(angle) / np.cos(before)
    shares = softmax(size[:, None] * np.cos(angle - before[:, None]))
    on_left = np.diagonal(shares, -1)[n_more : n_more + 15]
    if n_more:
        assert sorted(np.argsort(on_left)[:2].tolist()) == [0, 14]
    else:
        assert np.allclose(on_left, left_of_each, atol=1e-6)


# hinges
def fails(x, steps=1.0):
    """The rows in which the left neighbour isn't alone in front."""
    turned = sinusoidal_turn(x, -steps)
    scores = turned @ x.T
    rows = np.arange(1, len(x))
    target = scores[rows, rows - 1].copy()
    scores[rows, rows - 1] = -np.inf
    return rows[target <= scores[1:].max(axis=1) + 1e-9].tolist()


def sinusoidal_turn(x, steps):
    """Each pair of columns of (n, 8) turned by so many steps."""
    angle = steps * frequencies(8, base=100.0)
    s, c = x[:, ::2], x[:, 1::2]
    pairs = [s * np.cos(angle) + c * np.sin(angle)]
    pairs += [c * np.cos(angle) - s * np.sin(angle)]
    return np.stack(pairs, axis=-1).reshape(len(x), 8)


def through_corners(at, n, slower=1.0):
    """The waves at n words, straight between their values at `at`."""
    angle = slower * np.asarray(at)[:, None] * frequencies(8, base=100.0)
    values = np.stack([np.sin(angle), np.cos(angle)], -1).reshape(-1, 8)
    return np.stack([np.interp(np.arange(n), at, column) for column in values.T], axis=1)


assert np.allclose(waves, figures.hinged_waves(scalar_encoding(np.arange(32), 32), 16, 32)) and np.allclose(
    waves, through_corners(np.linspace(0, 31, 17), 32), atol=1e-12
)
assert (weights.argmax(axis=1) == np.maximum(np.arange(32) - 1, 0)).all()
for n in range(4, 161):
    half = -(-n // 2)
    for slower in (1.0, 0.25):
        enough, fewer = (
            fails(
                through_corners(np.linspace(0, n - 1, k + 1), n, slower),
                slower,
            )
            for k in (half, half - 1)
        )
        middle = figures.words_in_line(n, half - 1)
        assert not enough and fewer == [j + 1 for j in middle]
        assert fewer == ([2, n - 1] if n % 2 == 0 else [*range(2, n, 2)])
    assert not figures.words_in_line(n, half)
for n in range(8, 129):  # corners after words 1, 3, 5, …
    between = np.arange(1.5, n - 2 + n % 2, 2)
    assert len(between) == -(-n // 2) - 1
    assert not fails(through_corners([0, *between, n - 1], n))
sixteen = figures.hinged_waves(scalar_encoding(np.arange(16), 16), 15, 16)
assert np.allclose(sixteen, sinusoidal_encoding(np.arange(16), 8, base=100.0))
for d, base, n_failing in ((8, 100.0, 1844), (16, 10_000.0, 0)):
    x = figures.hinged_waves(
        scalar_encoding(np.arange(4096), 4096),
        2048,
        4096,
        d_model=d,
        base=base,
    )
    back = offset_head(-1, d, base=base)
    looks = ((x[1:] @ back.w_query) @ (x @ back.w_key).T).argmax(axis=1)
    assert (looks != np.arange(4095)).sum() == n_failing

surer = [
    left(head_weights(x, x, head))
    for x in (figures.hinged_waves(scalar_encoding(np.arange(16), 16), k, 16) for k in range(8, 16))
]
assert (np.diff(surer) > 0).all()

# training
learned = {name: [left(a) for a in each] for name, each in attention.items()}
assert np.allclose(learned["the number alone"], lines[16][2], atol=0.002)
for name in ("4 smooth units", "32 smooth units", "128 hinges"):
    assert min(learned[name]) > 0.9 and not any(failing[name])
assert len(failing["32 hinges"]) == 18
for seed, failed in enumerate(failing["32 hinges"]):
    is_free = not in_line[seed]["forbidden rows"]
    assert is_free == (not failed) == (seed == 17)
assert all(set(line["forbidden rows"]) <= set(line["rows that fail"]) for line in in_line)
others = [  # rows that fail though the theorem allows them
    len(line["rows that fail"]) - len(line["forbidden rows"]) for line in in_line
]
assert others == [0] * 7 + [1] + [0] * 8 + [1] + [0] * 4
for (directions, sizes), curve in zip(parts, curves, strict=True):
    assert (sizes[2:] ** 2).sum() < 1e-4 * (sizes**2).sum()
    turns = (np.diff(np.sign(np.diff(directions[:, :2], axis=0)), axis=0) != 0).sum(axis=0)
    assert turns.tolist() == [0, 1] and curve.shape == (16, 8)
    for column, degree in ((0, 1), (1, 2)):
        along = directions[:, column]
        fitted = np.polyfit(np.arange(16), along, degree)
        rest = along - np.polyval(fitted, np.arange(16))
        assert np.var(rest) < 0.02 * np.var(along)

for model, curve in zip(trained["32 smooth units"], curves, strict=True):
    mean, head = curve.mean(axis=0), model["head"]
    u, sizes, v = np.linalg.svd(curve - mean, full_matrices=False)
    for n_kept, n_failing in ((2, 0), (1, 14)):
        cut = mean + u[:, :n_kept] * sizes[:n_kept] @ v[:n_kept]
        query, key = (cut @ head[f"w_{name}"].numpy() + head[f"b_{name}"].numpy() for name in ("query", "key"))
        looks = attention_weights(query, key, mask=causal_mask(16))
        looks = looks.argmax(axis=1)[1:]
        assert (looks != np.arange(15)).sum() == n_failing

# bfloat16
for n, expected in ((512, 385), (1024, 513)):
    for signal, different in (
        (scalar_encoding(np.arange(n), n), expected),
        (sinusoidal_encoding(np.arange(n), 64), n),
    ):
        assert len(torch.unique(torch.from_numpy(signal).to(torch.bfloat16), dim=0)) == different
upper = torch.from_numpy(np.arange(512) / 511)
assert (upper > 0.5).sum() == 256 and len(torch.unique(upper[upper > 0.5].to(torch.bfloat16))) == 129

# noise
for name, share in derived.items():
    assert abs(np.mean(results[name]) - share) < 0.01
assert round(np.mean(results["one number"]), 2) == 0.06 and round(np.mean(results["64 copies of it"]), 2) == 0.41
pe = ways["waves, kept apart"]
assert (
    round(np.linalg.norm(pe[1] - pe[0]), 2) == 1.47
    and round(pe.std(), 3) == 0.544
    and round(np.linalg.norm(pe[1] - pe[0]) / 2 / (0.05 * pe.std())) == 27
)
for name in ("Fourier terms, added", "waves, added"):
    assert max(results[name]) < 0.12 and abs(np.mean(results[name]) - np.mean(results["one number"])) < 0.04
read = np.c_[pe, np.ones(512)]
fitted = read @ np.linalg.lstsq(read, ways["one number"][:, 0], rcond=None)[0]
assert np.abs(fitted - ways["one number"][:, 0]).max() < 1e-9
map_ = np.linalg.lstsq(read, ways["one number"][:, 0], rcond=None)[0]
centre = sinusoidal_encoding(np.arange(512), 64).mean(axis=0)
far_row = sinusoidal_encoding(np.array([1000]), 64) - centre
beyond = float((np.c_[far_row, 1] @ map_)[0])
assert round(beyond, 2) == 2.88 and round(2000 / 511 - 1, 2) == 2.91
assert round(np.mean(results["waves, added"]), 2) == 0.08

# exercises
assert abs(2 * np.log(99) - 9.19) < 0.005 and round(1 / (1 + np.exp(-4.5)), 3) == 0.989
assert [figures.first_noun("animal first", slope)[-1].parts["sign"] for slope in (9.0, 10.0)] == ["", "✓"]
assert both_rise.argmax() == 3 and both_rise[4] < 0 and (np.diff(one_falls) > 0).all()
