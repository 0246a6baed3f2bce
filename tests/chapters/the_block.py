"""The numbers of *What else is in a block?*, checked with the names of its notebook at hand."""

from inorder.pretrained import decoder
from inorder.transformer import feed_forward

epsilon = np.finfo(float).eps

# See it, and why the other parts are there
for residual, own in ((True, 0.50), (False, 0.29)):
    assert f"owes {own:.2f} of its changes to itself" in figures.who_hears_whom(residual=residual)[1].parts["words"]
for seed in range(10):  # only attention has another row in it: everything else exactly 0
    off = figures.heard(attention=False, residual=True, feed=True, mask="no mask", seed=seed)
    on = figures.heard(attention=True, residual=True, feed=True, mask="no mask", seed=seed)
    seen = figures.heard(attention=True, residual=True, feed=True, mask="causal", seed=seed)
    assert np.array_equal(off, np.diag(off.diagonal())) and off.diagonal().min() > 0.1
    assert on.min() > 0.01 and np.array_equal(seen, np.tril(seen)) and seen[np.tril_indices(5)].min() > 0.01
# mixtures of attention are more similar than rows, with every start
for draw in figures.STARTS.values():
    mean_cosines = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        model, config = fresh_model(seed, n_layers=1, d_model=64, d_ff=256)
        weights = draw(model, rng).blocks[0].attention
        raw = rng.normal(size=(10, 64))
        source = layer_norm(raw)
        mixed = multi_head_attention(source, source, weights, config.n_heads)
        unit = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        mean_cosines.append(((unit @ unit.T).sum() - 10) / 90)
    assert np.mean(mean_cosines) > 0.5
ends = {}
for start in figures.STARTS:
    for norm_place in ("none", "pre", "post"):
        for keeps in (True, False):
            runs = [figures.through_layers(norm_place, keeps, start, seed) for seed in range(3)]
            ends[start, norm_place, keeps] = [
                np.mean([run[0][-1] for run in runs]),
                np.mean([run[1][-1] for run in runs]),
                np.mean([run[2] for run in runs]),
            ]
            if not keeps:
                assert min(run[1][3] for run in runs) > 0.99
BOOK, TORCH, UNDIVIDED, GPT2 = figures.STARTS


def one_part_alone(part, place, start, seed):
    """The mean cosine of two rows after three layers of one part without
    the residual.
    """
    model, config = fresh_model(seed, n_layers=3, d_model=64, d_ff=256)
    model = figures.STARTS[start](model, np.random.default_rng(seed))
    rows = np.random.default_rng(100 + seed).normal(size=(10, 64))
    for weights in model.blocks:
        if place == "pre":
            rows = layer_norm(rows)
        rows = part(rows, weights, config)
        if place == "post":
            rows = layer_norm(rows)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return ((unit @ unit.T).sum() - 10) / 90


def attention_alone(rows, weights, config):
    return multi_head_attention(rows, rows, weights.attention, config.n_heads)


def network_alone(rows, weights, config):
    return feed_forward(rows, weights.feed_forward)


for start in figures.STARTS:
    for place in ("none", "pre", "post"):
        by_attention, by_network = (
            [one_part_alone(part, place, start, seed) for seed in range(3)] for part in (attention_alone, network_alone)
        )
        assert min(by_attention) > 0.99
        exception = start == TORCH and place == "none"
        assert (max(by_network) < 0.5) != exception
sizes = {key: size for key, (size, _, _) in ends.items()}
cosines = {key: cosine for key, (_, cosine, _) in ends.items()}
assert 4e5 < sizes[BOOK, "none", True] < 6e5
assert round(ends[BOOK, "none", True][2], 2) == 1.00
assert round(sizes[GPT2, "none", True], 2) == 1.05
for start in figures.STARTS:
    assert abs(sizes[start, "post", True] - 1) < 1e-3
    assert 1 < sizes[start, "pre", True] < 5.55
assert round(sizes[BOOK, "pre", True], 1) == 5.5
for start, before, after in (
    (BOOK, 0.84, 1.00),
    (TORCH, 0.47, 0.74),
    (UNDIVIDED, 0.34, 0.70),
    (GPT2, 0.03, 0.03),
):
    assert round(cosines[start, "pre", True], 2) == before
    assert round(cosines[start, "post", True], 2) == after
for d_model in (32, 128):
    likeness = {
        (start, place): np.mean(
            [figures.through_layers(place, True, start, seed, d_model=d_model)[1][-1] for seed in range(3)]
        )
        for start in figures.STARTS
        for place in ("pre", "post")
    }
    for start in (BOOK, TORCH, UNDIVIDED):
        assert likeness[start, "pre"] < likeness[start, "post"] - 0.15
    for place in ("pre", "post"):
        assert likeness[GPT2, place] < 0.05
        assert likeness[GPT2, place] < likeness[UNDIVIDED, place] < likeness[BOOK, place]
        assert likeness[GPT2, place] < likeness[TORCH, place] < likeness[BOOK, place]
    undivided_first = likeness[UNDIVIDED, "post"] > likeness[TORCH, "post"]
    assert undivided_first == (d_model == 32)
sixteen = [
    figures.through_layers(place, False, start, seed, d_model=16)[1]
    for place in ("none", "pre", "post")
    for start in figures.STARTS
    for seed in range(3)
]
assert min(cosine[3] for cosine in sixteen) < 0.9
assert min(cosine[4] for cosine in sixteen) > 0.99
assert round(figures.GPT2_SCALE, 2) == 0.55
assert np.allclose(layer_norm(np.array([1.0, 1, 3, 3]), eps=0), [-1, -1, 1, 1])
assert np.allclose(layer_norm(np.array([[1.0, 3], [10, 50]]), eps=0), [-1, 1])
assert np.allclose(
    rms_norm(np.array([[1.0, 3], [10, 30]]), eps=0)[0],
    rms_norm(np.array([[1.0, 3], [10, 30]]), eps=0)[1],
)
assert both == {"animal": 1, "street": 0, "tired": 0, "wide": 0}

# In code
for y, (parameters, config) in ((y_2017, old_model), (y_today, new_model)):
    hidden = block(x, parameters.blocks[0], config, positions=np.arange(5)).hidden
    assert np.abs(hidden - y).max() < 20 * epsilon
assert max(against_torch.values()) < 100 * epsilon
assert min(other_place) > 0.5

# A real model, counted
assert 2 * 576**2 + 2 * 576 * 192 == 884736
assert 3 * 576 * 1536 == 2654208
assert 30 * (884736 + 2654208 + 2 * 576) + 576 + 49152 * 576 == 134515008
counts = figures.parameters_by_part(decoder.CONFIG)
assert sum(counts.values()) == 134515008
assert 2654208 / (2654208 + 884736) == 3 / 4
assert round(counts["embedding"] / 134515008, 1) == 0.2
try:  # the file itself, where it is at hand
    in_file = decoder.count_weights()
except (FileNotFoundError, ImportError):
    in_file = figures.stored_counts()
assert in_file == figures.stored_counts()
assert figures.parameters_in_file(in_file) == counts

# What changes
for mask, moved in bert.items():
    assert (moved[:, 0] == 0).all()
    assert (moved[:, 1] == 0).all() if mask == "causal" else moved[:, 1].min() > 0.05
before = np.array(
    [figures.changes_in_bert("no mask", seed, norm="pre")[:2, 3] for seed in range(20)]
)  # the norm before each part: (seed, layer, 3)
assert (before[:, 0] == 0).all() and before[:, 1].min() > 0.05


# Exercises
assert checks.difference([[1, -1], [-1, 1]], [[1], [1]]).passed
# With the figure
for feed, residual in (
    (True, True),
    (True, False),
    (False, True),
    (False, False),
):
    hears = figures.heard(True, residual, feed, "causal", 0) > 0
    assert hears[0].tolist() == [True] + [False] * 4 and hears[4].all()
    assert (figures.heard(True, residual, feed, "no mask", 0) > 0).all()
    alone = figures.heard(False, residual, feed, "no mask", 0) > 0
    assert (alone == np.eye(5, dtype=bool)).all()
