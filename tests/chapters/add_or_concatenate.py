"""The numbers of *Add or concatenate?*, checked with the names of its notebook at hand."""

from inorder.encodings import concatenate_encoding, frequencies

assert np.abs(beside - added).max() < 1e-13
rng = np.random.default_rng(0)
x_12, p_5 = rng.normal(size=(7, 12)), rng.normal(size=(7, 5))
assert np.allclose(concatenate_encoding(x_12, p_5) @ w, added, atol=1e-13)
assert round((576 / 512) ** 2 - 1, 2) == 0.27 and 576 / 512 == 1.125
corners = np.array([[0, 0], [1, 0], [0, 1]])  # each is the outermost in some direction
assert [int((corners @ v).argmax()) for v in ([-1, -1], [1, 0], [0, 1])] == [0, 1, 2]
# Which contains which: the fold's tables, at every seed
for seed in range(10):
    rng = np.random.default_rng(seed)
    u, y = rng.normal(size=(20, 8)), rng.normal(size=(6, 8))
    for d_x, d_p in ((8, 5), (7, 5), (8, 4), (4, 4)):
        enough = d_x >= min(20 - 1, 8) and d_p >= min(6 - 1, 8)
        assert (max(best_error(u, d_x), best_error(y, d_p)) < 1e-12) == enough
    tokens, positions = rng.normal(size=(20, 4)), rng.normal(size=(6, 4))
    filled = sum(
        all_pairs(
            np.pad(tokens, ((0, 0), (0, 4))),
            np.pad(positions, ((0, 0), (4, 0))),
        )
    )
    assert np.array_equal(np.hstack(all_pairs(tokens, positions)), filled)
    low, r, matrix = (
        rng.normal(size=(20, 5)),
        rng.normal(size=(5, 8)),
        rng.normal(size=(8, 3)),
    )
    arguments = low @ r  # a fixed position table of rank 5
    assert np.allclose(
        np.hstack([u, low]) @ np.vstack([matrix, r @ matrix]),
        (u + arguments) @ matrix,
    )
assert np.min(neither) > 0.5
# Look-up
assert min(figures.found_by_look_up(n, 1, 64) for n in (1000, 64)) > 0.9999
assert round(1 - figures.found_by_look_up(1000, 2, 64), 2) == 0.29
assert round(1 - figures.found_by_look_up(1000, 4, 64), 2) == 0.90
for parts, expected in (
    (by_width, derived([(512, 1, d) for d in widths])),
    (by_ratio, derived([(64, r, 64) for r in ratios])),
):
    for part, likely in enumerate(expected.values()):
        assert np.abs(parts[..., part].mean(axis=1) - likely).max() < 0.02
assert (by_width[-1] == 1).all()
# The budget
for a, b in ((1, 1), (2, 1), (0.3, 0.7)):
    explained = (
        1
        - unexplained(
            np.array([[a + b], [a - b], [b - a], [-a - b]]),
            np.array([[1], [1], [-1], [-1]]),
        )
        ** 2
    )
    assert np.isclose(explained, a**2 / (a**2 + b**2))
for values in results.values():
    assert np.allclose(
        23 * values[:, :, 0] + 16 * values[:, :, 1],
        np.minimum(dims, EXACT)[:, None],
    )
assert np.abs(results["sum"][:, :, 0].mean(axis=1) - np.minimum(dims / EXACT, 1)).max() < 0.02
assert np.abs(results["side by side"][:, :, 0].mean(axis=1) - np.minimum(dims / EXACT, 1)).max() < 0.5 / 23
assert results["sum"][dims >= 39, :, 3].max() < 1e-9 and results["sum"][dims < 39, :, 3].min() > 0.1
assert results["sum"][dims >= 27, :, 2].min() > 0.99
assert min(by_sum(27, seed, 1)[2] for seed in range(20)) > 0.99  # and at equal lengths
assert all(np.allclose(values["23 η_x + 16 η_p"], 16) for values in budgets.values())
assert (np.diff([values["tokens"].mean() for values in budgets.values()]) < 0).all()
assert 50_000 + 512 - 2 == 50_510 and 30_522 + 512 - 2 == 31_032 and 768 - 511 == 257
assert AddOrConcatenate(n_tokens=6, n_positions=5).exact_from == {
    "added": 9,
    "side_by_side": 9,
}
assert AddOrConcatenate(n_tokens=24, n_positions=4).exact_from["added"] == 26
assert AddOrConcatenate(n_tokens=24, n_positions=4, share=0.9).exact_from == {"added": 26, "side_by_side": 26}
# The head with words
omega = frequencies(D_MODEL)
g = [float(np.cos(k * omega).sum()) for k in range(3)]
assert np.allclose(g, [32, 30.92, 28.30], atol=0.005) and abs(g[2] / 32 - 0.88) < 0.005
assert np.isclose(np.trace(shift_matrix(2, D_MODEL)) / D_MODEL, g[2] / 32)
same, other, mixed, steps = [], [], [], []
for seed in range(20):
    vectors, text = text_of(seed, 32, 1.0)
    by_word = vectors @ shift_matrix(2, D_MODEL) @ vectors.T
    same.append(np.diag(by_word).mean())
    other.append(by_word[~np.eye(32, dtype=bool)].std())
    mixed.append((position_table @ shift_matrix(2, D_MODEL) @ vectors.T).std())
    steps.append(np.diff(vectors @ shift_matrix(2, D_MODEL) @ position_table.T).std())
assert abs(np.mean(same) - g[2]) < 0.3 and abs(np.mean(other) - 4) < 0.1 and abs(np.mean(mixed) - 4) < 0.1
step = math.sqrt(32 * 2 * (g[0] - g[1]) / 64)
assert round(step, 2) == 1.04 and abs(np.mean(steps) - step) < 0.02
counts = {length: [int(each.sum()) for each in values[1:]] for length, values in looks.items()}
assert counts[0] == [1160, 37, 0] and counts[1] == [37, 1160, 1027] and 20 * 58 == 1160
assert max(float(np.cos((2 - k) * omega).sum()) for k in range(-N, N) if abs(k) >= 10) < 23  # position with position
assert round(37 / 1160, 3) == 0.032 and round(1 / 32, 3) == 0.031
assert looks[0][0].min() > 0.9999999 and abs(looks[1][0].mean() - 1 / 32) < 0.002
hits = {name: [int(each.sum()) for each in values[1:]] for name, values in controls.items()}
weights_at = {name: values[0].mean() for name, values in controls.items()}
assert hits["without position with position"][2] == 526
blind = sum(
    (1 / np.bincount(text, minlength=32)[text])[: N - 2].sum()
    for _, text in (text_of(seed, 32, 1.0) for seed in range(20))
)
assert abs(blind - 526) < 30, blind
assert round(weights_at["a quarter of the norm"], 2) == 0.62
assert round(weights_at["the same, without position with word"], 2) == 0.92
assert hits["base 2"][1] == 51 and hits["base 2, no words"][0] == 1160
assert hits["base 2 for word with word"][1] == 191
assert round(float(np.cos(2 * frequencies(D_MODEL, base=2)).mean()), 2) == 0.11
assert hits["words at right angles"][1] == 1160
assert hits["without word with word"][1] < 100
cut = room[-1]
assert cut["rank in float64"] == 17 and cut["measured"] == room[1]["measured"]
singular = np.linalg.svd(position_table, compute_uv=False)
singular = singular / singular[0]
assert np.linalg.matrix_rank(position_table) == 25
assert (singular > 0.01).sum() == 17 and round(singular[17], 4) == 0.0014
assert ((repaired_at.min(axis=1) > 0.9995) == (sizes <= 46)).all()
means = dict(zip(sizes.tolist(), repaired_at.mean(axis=1), strict=True))
assert (round(means[47], 2), round(means[56], 2)) == (0.99, 0.56)
for entry in room:
    assert abs(entry["measured"] - entry["predicted"]) <= 2
    by_rank = entry["d_model"] - entry["rank in float64"]
    if entry["d_model"] == 64 and "cut" not in entry["positions"]:
        assert entry["measured"] - by_rank in (7, 8)
assert all(lost >= 5 and most < 1e-4 for lost, most in changes.values())
for n_words, share in ((4, 0.23), (32, 0.03)):
    hits = [looks_of(two_right, *text_of(seed, n_words, 1.0))[1].mean() for seed in range(20)]
    assert round(np.mean(hits), 2) == share
for seed in range(20):  # all words different
    vectors, _ = text_of(seed, N, 1.0)
    assert looks_of(two_right, vectors, np.arange(N))[3].all()
# The trained model
trained, fresh = (geometry[f"{name}, first 512 positions"] for name in ("trained", "untrained"))
assert [values["n_dimensions"] for values in trained] == [12, 77]
first_128 = geometry["trained, first 128 positions"][0]
assert first_128["words"] < first_128["chance"] / 5
assert [round(values["words"], 3) for values in trained] == [0.004, 0.150]
assert [round(values["chance"], 3) for values in trained] == [0.031, 0.201]
assert [round(trained[1][key] - trained[0][key], 3) for key in ("words", "chance")] == [0.146, 0.169]
assert 7 < trained[0]["chance"] / trained[0]["words"] < 8
assert round(100 * trained[0]["chance_deviation"], 2) == 0.06
assert (first_128["n_dimensions"], round(first_128["words"], 3)) == (
    10,
    0.004,
)
assert all(abs(values["words"] - values["chance"]) < 0.001 for values in fresh)
# The folds on sinusoids and on accidents
omega = frequencies(512)
nodes = np.exp(1j * np.concatenate([omega, -omega]))
differences = np.abs(nodes[:, None] - nodes)[np.triu_indices(512, 1)]
assert round(np.log10(differences).sum() - 256 * math.log10(2)) == -177_883 and differences.min() > 0
assert np.linalg.matrix_rank(sinusoidal_encoding(np.arange(512), 512)) == 131
for n, directions in ((64, 22), (5000, 242)):
    rows = sinusoidal_encoding(np.arange(n), 512)
    variance = np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False) ** 2
    assert int((np.cumsum(variance) / variance.sum() < 0.999).sum()) + 1 == directions
for d, nearest, farthest in ((8, 0.11, 0.22), (32, 0.54, 0.65)):
    gaps = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        sums = sum(all_pairs(rng.normal(size=(40, d)), rng.normal(size=(40, d))))
        squares = (sums**2).sum(axis=1)
        apart = squares[:, None] + squares - 2 * sums @ sums.T
        np.fill_diagonal(apart, np.inf)
        gaps.append(math.sqrt(apart.min() / squares.mean()))
    assert (round(min(gaps), 2), round(max(gaps), 2)) == (nearest, farthest)
# The exercises
assert len({token + 10 * position for token in range(10) for position in range(10)}) == 100
assert np.count_nonzero(np.diff(np.diff(np.arange(100) % 10), prepend=0)) == 19  # the ReLUs of the remainder
assert checks.finds_its_own_word(position_readout(forty_positions, words)).passed
