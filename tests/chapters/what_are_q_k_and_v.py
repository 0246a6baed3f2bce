"""The numbers of *What are Q, K and V?*, checked with the names of its notebook at hand."""

from inorder.book.sentence import KEYS, QUERIES, VALUES

tiny = 20 * np.finfo(float).eps


def ask(query, key, value, beta):
    query, key, value = (np.array(part, dtype=float) for part in (query, key, value))
    return scaled_dot_product_attention(query, key, value, scale=beta)


# the soft dictionary
assert abs(figures.look_up(12, 0.1)[1] - 17.8) < 0.05
for beta, hour, answer, within in (
    (0, 13, 14, tiny),
    (0.3, 15, 17, 1e-4),
    (3, 15, 17, tiny),
    (3, 12, 20, 1e-9),
):
    assert abs(figures.look_up(hour, beta)[1] - answer) <= within * answer
assert abs(figures.look_up(13, 0.3)[1] - 20) < 0.2  # "about 20"
assert figures.look_up(1000, 0.03)[1] == 14
rng = np.random.default_rng(0)
q, k = rng.normal(size=(4, 8)), rng.normal(size=(6, 8))
by_dot = 0.5 * (q @ k.T - (k**2).sum(axis=1) / 2)
by_nearness = -0.5 * ((q[:, None] - k) ** 2).sum(axis=-1) / 2
assert np.abs(softmax(by_dot) - softmax(by_nearness)).max() < tiny

# one X, three tables: those of the first chapter
assert (Q == QUERIES).all() and (K == KEYS).all() and (V == VALUES).all()
assert np.allclose(Y[3], [1.88, 0.98], atol=0.005)
assert np.abs(Y - scaled_dot_product_attention(Q, K, V, scale=1.0)).max() < tiny
results = {way: figures.weights_by(way)[3] for way in figures.WAYS}
assert [round(row[0], 2) for row in results.values()] == [
    0.93,
    0.2,
    0.01,
    0.01,
]
assert results["W_K for both"].max() == results["W_K for both"].min()
for way in ("W_Q for both", "neither"):
    assert results[way][3] == results[way][4] > 0.45

# with one matrix a word finds itself, measured
assert (wins["one matrix, keys of equal norm"] == 1).all()
for kind in list(EXPECTED)[1:]:
    assert abs(wins[kind].mean() - 1 / 8) < 1.5 * wins[kind].std() / np.sqrt(N_SEEDS) < 0.01

# pairs
for word, taken in (("who?", [1.88, 0.98]), ("where?", [0.05, 2.81])):
    assert np.allclose(figures.answer_to(word, "nothing")[-1], taken, atol=0.005)
    assert np.abs(figures.answer_to(word, "keys and values")[-1] - figures.answer_to(word, "nothing")[-1]).max() < tiny
    for one in ("keys alone", "values alone"):
        assert np.abs(figures.answer_to(word, one)[-1] - figures.answer_to(word, "nothing")[-1]).max() > 1.8

# the trap
assert projected.shape == compared.shape and (bare @ x - compared).abs().max() < 1e-5
assert abs(inside[0].diagonal().mean() - 1 / 20) < 0.015 and bare[0].diagonal().mean() > 0.95
layer = nn.MultiheadAttention(
    16,
    num_heads=1,
    bias=False,
    batch_first=True,
    kdim=10,
    vdim=7,
    dtype=torch.float64,
)
asks, keys_from, values_from = (torch.randn(1, n, d, dtype=torch.float64) for n, d in ((3, 16), (5, 10), (5, 7)))
with torch.no_grad():
    module_out, _ = layer(asks, keys_from, values_from)
    parts = (
        asks @ layer.q_proj_weight.T,
        keys_from @ layer.k_proj_weight.T,
        values_from @ layer.v_proj_weight.T,
    )
    assert (scaled_dot_product_attention(*parts) @ layer.out_proj.weight.T - module_out).abs().max() < tiny
gauge, other = rng.normal(size=(2, 3, 3))
assert checks.same_as_bare(gauge, np.linalg.inv(gauge).T, other, np.linalg.inv(other)).passed

# the large figure
assert np.allclose(SoftLookup(**PLANE, sharpness=0).output, 4 / 3)
assert SoftLookup(**PLANE, sharpness=np.inf).output[0] == 1
before, after = (
    SoftLookup(**PLANE),
    SoftLookup(**PLANE | {"q": [[0.0, 1.5], PLANE["q"][1]]}),
)
assert (after.scores[0] != before.scores[0]).any() and (after.scores[1] == before.scores[1]).all()
far = PLANE | {"k": [PLANE["k"][0], [3.0, 3.0], PLANE["k"][2]]}
assert (SoftLookup(**far).scores[:, 1] != before.scores[:, 1]).all()
assert SoftLookup(**far).weights[0].argmax() == 1
assert SoftLookup(**far, matching="distance").weights[0].argmax() == 0
one = SoftLookup(**PLANE, attention="self")
moved = SoftLookup(**PLANE, attention="self", x=[[-1.0, 1.0], *one.x[1:]])
for part in ("query", "key", "value"):
    assert (getattr(one, part)[0] != getattr(moved, part)[0]).any()

# where it breaks, and the exercises
assert ask([[1, 1]], [[1, 0], [0, 1]], [[0], [10]], 3.0) == 5
q, k, v = [[1, 1]], [[1, 0], [0, 2], [-1, 1]], [[7], [14], [0]]
assert np.allclose(ask(q, k + k, v + v, 0.7), ask(q, k, v, 0.7), rtol=tiny)
for beta, answer in ((np.log(2), 10), (0, 7), (100, 14)):
    assert np.allclose(ask(q, k, v, beta), answer, rtol=tiny)
assert np.linalg.norm(np.subtract(q, k), axis=1).argmin() == 0
assert np.allclose(ask([[0, 0]], k, v, 3.0), 7, rtol=tiny)
assert np.allclose(
    softmax(-2 * np.log(2) * (np.array(k) ** 2).sum(axis=1) / 2) @ np.ravel(v),
    70 / 13,
    rtol=tiny,
)
two = np.array([[1.0, 0.0], [0.0, 2.0]])
assert np.allclose(
    softmax(np.log(2) * two @ two.T),
    [[2 / 3, 1 / 3], [1 / 17, 16 / 17]],
    rtol=tiny,
)
best = softmax(np.log(3996) / 4 * np.array([4.0, 0, 0, 0, 0]))[0]
assert abs(best - 0.999) < 1e-12 and round(np.log(3996) / 4, 2) == 2.07
# With the figure
level = SoftLookup(**PLANE | {"k": [*PLANE["k"][:2], [2.0, -1.5]]})
assert level.weights[0, 0] == level.weights[0, 2] and level.scores[0, 2] == 4
by_distance_too = SoftLookup(**PLANE | {"k": level.k}, matching="distance").weights[0]
assert by_distance_too[0] > by_distance_too[2]
