"""The numbers of *Is a query any different from a key?*, checked with the names of its notebook at hand."""

# See it, and by hand
row = np.exp([0, np.sqrt(2), 0, 2 * np.sqrt(2), 2 * np.sqrt(2)])
assert np.allclose(row, [1, 4.11, 1, 16.9, 16.9], atol=0.05) and abs(row.sum() - 39.9) < 0.1
assert np.allclose(weights_after[0], row / row.sum()) and abs(row[3] / row.sum() - 0.42) < 0.005
assert np.allclose(weights[0], 1 / 5)
assert np.array_equal(swapped, scores.T) and not np.allclose(weights_after, weights.T)
assert np.allclose(head_weights(X, X, swap(Head(W_Q, W_K))), weights_after)

# The roles
assert max(swapped_gaps) < 1e-13 and max(shared_out) < 1e-13 and max(tied_change) == 0
assert min(differences["queries, queries"]) > 0.4
assert 0 < max(small_changes) < 0.07
assert all(min(gaps) > 0.1 for sides_of, gaps in differences.items() if sides_of != "keys, keys")

# The gauge: scores stay, up to rounding that grows with how unevenly G
# stretches
for seed in SEEDS:
    rng = np.random.default_rng(seed)
    x, head, g = (
        rng.normal(size=(6, 16)),
        random_head(16, 4, rng),
        rng.normal(size=(4, 4)),
    )
    change = np.abs(head_scores(x, x, reparametrise(head, g)) - head_scores(x, x, head)).max()
    assert change < 50 * epsilon * np.linalg.cond(g)
    assert np.allclose(
        x @ qk_circuit(head) @ x.T,
        head_scores(x, x, head._replace(sharpness=1.0)),
    )
for turn in range(0, 181, 15):
    for stretch in (0.7, 1, 1.4):
        assert figures.turn_the_gauge(turn, stretch)[-1].parts["sign"] == "="

# A head that looks left
look_left = Head(np.eye(4, k=-1), np.eye(4), sharpness=np.log(9.0))
as_built, turned = (
    head_weights(np.eye(4), np.eye(4), look_left),
    head_weights(np.eye(4), np.eye(4), swap(look_left)),
)
assert np.allclose(np.diag(as_built, -1), 9 / 12) and np.allclose(np.diag(turned, 1), 9 / 12)
masked = head_weights(np.eye(4), np.eye(4), swap(look_left), mask=causal_mask(4))
assert np.allclose(masked, np.tri(4) / np.arange(1, 5)[:, None])
for seed in range(3):
    assert names["as trained", seed][0] > 0.99 and names["as trained", seed][1] < 0.2
    assert names["swapped", seed][0] < 0.15 and names["swapped", seed][1] > 0.8
for by_seed in by_setting.values():
    for each in by_seed:
        assert each["as trained"][0] > 0.99 and each["swapped"][1] > 0.8
        assert max(each["swapped, columns reversed"]) < 0.4

# What training leaves
free = np.array([moved[-1] for moved, _, _ in runs["plain"]])  # (seed, direction, matrix)
assert free[:, 0, 1].max() < 1e-14 and free[:, 1].min() > 0.1
assert (round(free[:, 0, 0].min(), 2), round(free[:, 0, 0].max(), 2)) == (
    0.51,
    1.5,
)
assert max(left for _, _, left in runs["plain"] + runs["Adam"]) < 0.1
by_adam = np.array([moved[-1, 0] for moved, _, _ in runs["Adam"]])  # (seed, matrix), along μ
assert by_adam.min(axis=0).round(2).tolist() == [
    0.53,
    0.29,
] and by_adam.max(axis=0).round(2).tolist() == [1.22, 0.82]
axis_moved = np.array([moved[-1, 0] for moved, _, _ in on_axis["Adam, μ on an axis"]])
assert axis_moved[:, 1].max() < 1e-8 and axis_moved[:, 0].min() > 0.1
for _, lengths, _ in runs["weight decay"]:
    assert np.isclose(
        lengths[-1, 0, 1] / lengths[0, 0, 1],
        (1 - 0.3 * 0.05) ** 300,
        rtol=1e-9,
    )
    assert lengths[-1, 0, 0] > 10 * lengths[-1, 0, 1]
query_bias, key_bias = (
    np.array(sides["query_bias"]),
    np.array(sides["key_bias"]),
)
assert query_bias.shape == (6, 12) and query_bias.min() > 20 * key_bias.max()
assert round(np.median(query_bias), 2) == 1.09 and round(np.median(key_bias), 3) == 0.004
assert (np.array(sides["key_gain"]) > np.array(sides["query_gain"])).sum() == 49
assert key_moved["SGD, float64"].max() < 1e-14 and key_moved["Adam, float64"].max() < 1e-8
drift = key_moved["Adam, float32"][:, -1]
assert drift.min() > 1e4 * key_moved["Adam, float64"][:, -1].max()
assert drift.min() > 0.003 and drift.max() < 0.3
assert key_moved["Adam, float32, ε = 1e-6"][:, -1].max() < 0.001
assert all(moved[:, -1].min() > 0.1 for moved in query_moved.values())
assert all(no_effect[run] < 500 * torch.finfo(how[1]).eps for run, how in optimisers.items())

# Merging
for heads in (1, 2, 4, 8, 16):
    counts = parameter_counts(512, 512 // heads, heads)
    assert counts.merged / counts.factored == heads / 2
    assert counts.distinct == heads * (2 * 512 * (512 // heads) - (512 // heads) ** 2)
assert (12 * np.array(parameter_counts(768, 64, 12))).tolist() == [
    14_155_776,
    84_934_656,
    13_565_952,
]
squares = [np.linalg.svd(np.random.default_rng(s).normal(size=(64, 64)), compute_uv=False) ** 2 for s in SEEDS]
assert abs(np.mean([np.sqrt(each[8:].sum() / each.sum()) for each in squares]) - 0.79) < 0.005
by_gauge = {"rotation": [], "stretch": []}
for seed in SEEDS:
    rng = np.random.default_rng(seed)
    head, gradient = random_head(16, 4, rng), rng.normal(size=(16, 16))

    def step(pair, gradient=gradient):
        new = (
            pair.w_query - 1e-3 * gradient @ pair.w_key,
            pair.w_key - 1e-3 * gradient.T @ pair.w_query,
        )
        return qk_circuit(Head(*new)) - qk_circuit(pair)

    for name, g in (
        ("rotation", np.linalg.qr(rng.normal(size=(4, 4))).Q),
        ("stretch", 2 * np.eye(4)),
    ):
        by_gauge[name].append(np.abs(step(reparametrise(head, g)) - step(head)).max() / np.abs(step(head)).max())
assert max(by_gauge["rotation"]) < 1e-10 and min(by_gauge["stretch"]) > 0.1

# Cross-attention: the swapped table is not the transpose, and where
# widths differ the shapes do not fit
rng = np.random.default_rng(0)
text, memory, head = (
    rng.normal(size=(5, 16)),
    rng.normal(size=(5, 16)),
    random_head(16, 4, rng),
)
assert np.abs(head_scores(text, memory, swap(head)) - head_scores(text, memory, head).T).max() > 1
refused = False
try:
    head_scores(
        np.zeros((4, 16)),
        np.zeros((6, 10)),
        swap(Head(np.zeros((16, 4)), np.zeros((10, 4)))),
    )
except ValueError:
    refused = True
assert refused

# Exercises
s = np.array([[0, np.log(2)], [0, 0]])
assert np.allclose(softmax(s).T, [[1 / 3, 1 / 2], [2 / 3, 1 / 2]])
assert np.allclose(softmax(s.T), [[1 / 2, 1 / 2], [2 / 3, 1 / 3]])
alike = np.array([[0.3, -1.2], [-1.2, 0.3]])
assert np.allclose(softmax(alike.T), softmax(alike).T)
for seed in SEEDS:  # which is which
    rng = np.random.default_rng(seed)
    w_query, w_key, w_value = rng.normal(size=(3, 16, 4)) / 2
    x = rng.normal(size=(5, 16))
    answer = scaled_dot_product_attention(x @ w_query, x @ w_key, x @ w_value)
    assert not np.allclose(
        scaled_dot_product_attention(x @ w_key, x @ w_query, x @ w_value),
        answer,
    )
assert WORDS[3] == "it"
# With the figure
turned = reparametrise(figures.head_of()[2], np.array([[0.0, 1.0], [-1.0, 0.0]]))
assert np.allclose(turned.w_query[3], [0, 2]) and np.allclose(turned.w_key[[0, 2]], [[0, 2], [-2, 0]])
for stretch in (0.7, 1, 1.4):
    assert "(0.0, 2.0)" in figures.turn_the_gauge(90, stretch)[-1].parts["words"]
