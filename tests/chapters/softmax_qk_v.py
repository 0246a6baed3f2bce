"""The numbers of *softmax(QKᵀ/√d)V, derived*, checked with the names of its notebook at hand."""

from functools import partial

import torch.nn.functional as F

from inorder.attention import (
    AttentionParameters,
    multi_head_attention,
    split_heads,
)
from inorder.stored import stored

tiny = 20 * np.finfo(float).eps

# four steps, by hand and by function
assert np.abs(Y - scaled_dot_product_attention(Q, K, V)).max() < tiny
assert abs(np.exp(4 / np.sqrt(2)) - 16.92) < 0.005 and abs(weights[3, 0] - 16.92 / 20.92) < 1e-4
assert np.round(weights[3], 3).tolist() == [
    0.809,
    0.048,
    0.048,
    0.048,
    0.048,
]
assert np.allclose(Y[3], [1.67, 0.95], atol=0.005)
assert round(softmax(Q @ K.T)[3, 0], 2) == 0.93  # without the scale
for seed in range(5):
    rng = np.random.default_rng(seed)
    q, k, v = (
        rng.normal(size=(2, 3, 5, 8)),
        rng.normal(size=(2, 3, 7, 8)),
        rng.normal(size=(2, 3, 7, 6)),
    )
    theirs = F.scaled_dot_product_attention(*map(torch.from_numpy, (q, k, v))).numpy()
    assert np.abs(scaled_dot_product_attention(q, k, v) - theirs).max() < tiny

# the figure of sharpness: the second best grows, then goes
seconds = [softmax(beta * MADE_UP_SCORES)[1] for beta in np.arange(0, 8.1, 0.2)]
assert 0 < np.argmax(seconds) < len(seconds) - 1 and seconds[0] == 0.2 and seconds[-1] < 0.01

# the exponential
s = rng.normal(size=6)
assert np.abs(softmax(s + 1000) - softmax(s)).max() < 1e-12
with np.errstate(over="ignore"):
    assert np.isinf(np.exp(1000.0))


def sparsemax(s):
    ordered = np.sort(s)[::-1]
    total = np.cumsum(ordered) - 1
    count = np.flatnonzero(ordered * np.arange(1, len(s) + 1) > total)[-1] + 1
    return np.maximum(s - total[count - 1] / count, 0)


assert np.allclose(sparsemax(MADE_UP_SCORES + 3), sparsemax(MADE_UP_SCORES), atol=1e-12)
assert np.isclose(sparsemax(MADE_UP_SCORES).sum(), 1) and (sparsemax(MADE_UP_SCORES)[2:] == 0).all()

# the gradient
jacobian = torch.func.jacrev(lambda x: torch.softmax(x, dim=0))


def largest_derivative(*s, dtype=torch.float64):
    return jacobian(torch.tensor(s, dtype=dtype)).abs().max().item()


assert largest_derivative(0.0, 0.0, -1000.0, -2000.0) == 0.25
# where the loser's weight becomes 0: half the smallest number; some libraries end at the last normal one
for dtype, last_power in ((np.float64, -1074), (np.float32, -149)):
    smallest = np.ldexp(dtype(1), last_power)
    assert smallest == np.finfo(dtype).smallest_subnormal > 0 == smallest / dtype(2)
    normal, gone = -np.log(np.finfo(dtype).smallest_normal), (1 - last_power) * np.log(2)
    in_torch = partial(largest_derivative, 0.0, dtype=torch.from_numpy(np.zeros(1, dtype)).dtype)
    assert in_torch(gone + 0.1) == in_torch(1000.0) == 0 < in_torch(normal - 0.1)
# the winner's derivative is 0 much earlier: its weight rounds to 1
for dtype, places, said in ((torch.float64, 53, 36.7), (torch.float32, 24, 16.6)):
    lead = places * np.log(2)
    here, before = (jacobian(torch.tensor([at, 0.0], dtype=dtype))[0, 0].item() for at in (lead + 0.25, lead - 0.25))
    assert here == 0 < before and abs(lead - said) < 0.05
assert np.isclose(0.7 * (1 - 0.7), 0.21)
assert abs(1075 * np.log(2) - 745.13) < 0.005
assert abs(150 * np.log(2) - 103.97) < 0.005
logits = torch.tensor([0.0, 1000.0], dtype=torch.float64, requires_grad=True)
F.cross_entropy(logits[None], torch.tensor([0])).backward()
assert logits.grad.tolist() == [-1, 1]  # prediction minus truth

# the size of scores: by derivation, and in PyTorch's untrained layers
entries, sizes = [], []
for seed in range(5):
    torch.manual_seed(seed)
    both = torch.nn.MultiheadAttention(512, num_heads=8, bias=False).in_proj_weight[:1024].detach().numpy()
    x = np.random.default_rng(seed).normal(size=(64, 512))
    heads_q, heads_k = (split_heads(x @ w.T, 8) for w in np.split(both, 2))
    entries.append(heads_q.std())
    off_diagonal = ~np.eye(64, dtype=bool)
    sizes.append((heads_q @ heads_k.swapaxes(-1, -2) / 8)[:, off_diagonal].std())
assert abs(np.mean(entries) - np.sqrt(1 / 2)) < 0.01 and abs(np.mean(sizes) - 1 / 2) < 0.02

# how much the best key takes
assert np.median(widest) > 0.9998
assert np.allclose(np.mean(widest, axis=1), largest_bare[-1])
signs_below = largest_bare.mean(axis=1) - largest_signs.mean(axis=1)
assert np.abs(signs_below).max() < 0.05
with np.load(stored("pronoun_attention.npz")) as arrays:
    real = arrays["tired"].astype(float)  # (layer, head, query, key)
largest = np.sort(real.max(axis=-1).mean(axis=-1), axis=None)
assert real.shape == (6, 12, 16, 16)
assert [round(one, 2) for one in (largest[0], largest[-1])] == [0.19, 1.0]
assert round(np.median(largest), 2) == 0.53
of_16 = softmax(np.random.default_rng(0).normal(size=(20_000, 16)))
assert round(of_16.max(axis=1).mean(), 2) == 0.25
by_width = []
for d in (4, 16, 64, 256, 1024):
    by_width.append(softmax(wide_query[:, :d] @ wide_key[:, :d].T / np.sqrt(d)).max(axis=1).mean())
assert max(by_width) - min(by_width) < 0.02
for largest, exact in (
    (largest_bare, expected_bare),
    (largest_scaled, expected_scaled),
):
    for by_seed, e in zip(largest, exact, strict=True):
        assert abs(by_seed.mean() - e) < 4 * by_seed.std(ddof=1) / np.sqrt(N_SEEDS) < 0.05
assert round(z_32, 2) == 2.07 and round(z_32 * np.log(2), 2) == 1.43
law = {d: 1 - z_32 * np.log(2) / np.sqrt(d) for d in WIDTHS}
assert round(law[64], 2) == round(expected_bare[WIDTHS.index(64)], 2) == 0.82
assert round(law[64], 3) == 0.821 and round(law[1024], 3) == 0.955
assert np.allclose(expected_scaled, 0.16, atol=0.005) and abs(softmax(np.array([3.0, 0]))[0] * 21 - 20) < 0.1
assert max(abs(law[d] - e) for d, e in zip(WIDTHS, expected_bare, strict=True)) < 0.03
lost = []
for seed in range(200):
    q, k = np.random.default_rng([64, seed]).normal(size=(2, 32, 64))
    lost.append((attention_weights(q, k, scale=1.0).max(axis=1) > 0.999).mean())
assert abs(np.mean(lost) - 1 / 9) < 4 * np.std(lost) / np.sqrt(200) < 0.02

# average, masks
outputs = softmax(2 * np.random.default_rng(0).normal(size=(200, 3))) @ V[THREE]
assert (outputs >= V[THREE].min(axis=0)).all() and (outputs <= V[THREE].max(axis=0)).all()
assert np.linalg.norm(outputs, axis=1).max() <= np.linalg.norm(V[THREE], axis=1).max()
for way, a in zip(
    masked,
    ([1 / 3, 2 / 3, 0], [1 / 4, 2 / 4, 1 / 4], [1 / 5, 2 / 5, 0]),
    strict=True,
):
    assert np.allclose(masked[way], a, rtol=tiny)
try:
    attention_weights(Q, K, mask=np.zeros((5, 5), dtype=bool))
    raise AssertionError("a row without keys went through")
except ValueError:
    pass
q, k, v = torch.from_numpy(np.random.default_rng(0).normal(size=(3, 5, 8)))
full = scaled_dot_product_attention(q, k, v, mask=causal_mask(5, like=q))
assert torch.allclose(
    F.scaled_dot_product_attention(q, k, v, attn_mask=causal_mask(5, like=q)),
    full,
)
assert torch.allclose(F.scaled_dot_product_attention(q[-2:], k, v, is_causal=True)[0], v[0])
assert torch.allclose(
    scaled_dot_product_attention(q[-2:], k, v, mask=causal_mask(2, 5, like=q)),
    full[-2:],
)

# heads: the function is PyTorch's module, whose mask means the opposite;
# which d
w, b = (
    rng.normal(size=(4, 12, 12)) / np.sqrt(12),
    0.1 * rng.normal(size=(4, 12)),
)
module = torch.nn.MultiheadAttention(12, num_heads=3, dtype=torch.float64)
stacked = {
    "in_proj_weight": np.concatenate([m.T for m in w[:3]]),
    "in_proj_bias": np.concatenate(b[:3]),
}
stacked |= {"out_proj.weight": w[3].T.copy(), "out_proj.bias": b[3]}
module.load_state_dict({name: torch.from_numpy(part) for name, part in stacked.items()})
x = rng.normal(size=(7, 12))
ours = multi_head_attention(x, x, AttentionParameters(*w, *b), n_heads=3, mask=causal_mask(7))
tensors = [torch.from_numpy(x)] * 3
theirs = module(*tensors, attn_mask=torch.from_numpy(~causal_mask(7)))[0].detach().numpy()
assert np.abs(ours - theirs).max() < 100 * np.finfo(float).eps and w.size == 4 * 12**2
labels = figures.NUMBERS
assert (figures.CUTS["cut, then swap axes"] == [labels[:, :2], labels[:, 2:]]).all()
variances = []
for seed in range(20):
    heads_q, heads_k = split_heads(np.random.default_rng(seed).normal(size=(2, 32, 512)), 8)
    variances.append((heads_q @ heads_k.swapaxes(-1, -2)).var() / 512)
assert abs(np.mean(variances) - 1 / 8) < 4 * np.std(variances) / np.sqrt(20) < 0.01

# the large figure
head = AttentionCalculator(**CALCULATOR)
assert round(head.weights[2, 0], 2) == round(np.exp(4 / np.sqrt(2)) / (np.exp(4 / np.sqrt(2)) + 3), 2) == 0.85
bare = AttentionCalculator(**CALCULATOR, scale=False).weights[2]
assert np.isclose(
    bare[0] / bare[1],
    (head.weights[2, 0] / head.weights[2, 1]) ** np.sqrt(2),
)
causal = AttentionCalculator(**CALCULATOR, mask="causal").weights
assert causal[0, 0] == 1 and causal[:, 0].round(2).tolist()[1:] == [
    0.5,
    0.89,
    0.85,
]
turned = CALCULATOR | {"w_key": [[1, 0], [2, 1], [0, 0], [0, 0]]}
assert AttentionCalculator(**turned).key[1].tolist() == [4, 2]
assert AttentionCalculator(**turned).weights[2].argmax() == 1

# the exercises
s = np.log(2) * np.array([[1.0, 0, 0], [0, 1, 1], [2, 0, 1]])
v = np.array([[4.0, 0], [0, 4], [8, 8]])
assert np.allclose(softmax(s) @ v, [[4, 3], [4, 24 / 5], [32 / 7, 20 / 7]], rtol=tiny)
late = softmax(np.where(causal_mask(3), s, -np.inf)) @ v
assert np.allclose(late, [[4, 0], [4 / 3, 8 / 3], [32 / 7, 20 / 7]], rtol=tiny)
q, k, push = (
    rng.normal(size=(5, 8)),
    rng.normal(size=(7, 8)),
    rng.normal(size=8),
)
assert np.abs(attention_weights(q, k + push) - attention_weights(q, k)).max() < tiny
assert np.abs(attention_weights(q + push, k) - attention_weights(q, k)).max() > 0.01
# With the figure
before = attention_weights(QUERIES, KEYS)[WORDS.index("it")]
assert round(before[1:].sum(), 2) == 0.19 and len(set(before[1:].round(12))) == 1
assert "had 0.19 of the weight" in figures.paint("it", animal=False)[1].parts["words"]
