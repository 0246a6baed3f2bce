"""The numbers of *Who else knows order?*, checked with the names of its notebook at hand."""

from inorder.audit import Row, rows
from inorder.encodings import alibi_bias
from inorder.lab.schemes import LONGEST
from inorder.lab.tasks import CopyLeft
from inorder.mixers.catalogue import ARCHITECTURES, Draw
from inorder.mixers.low_rank_attention import linformer_attention
from inorder.transformer import TransformerConfig, encode, init_parameters
from inorder.widgets import OrderAudit

results = rows()
answers = {row.architecture.name: row for row in results}


def kept(law):
    return {name for name, row in answers.items() if law in row.laws}


# the audit
assert len(results) == 29 and all(row.as_theory_says for row in results)
assert len(kept("P")) == 8 and sum(row.laws == "" for row in results) == 7
assert kept("P") & kept("C") == {
    "ViT: patch embedding",
    "CNN (width 1)",
    "cross-attention",
}
assert {
    "RNN (Elman)",
    "RNN (GRU)",
    "S4, recurrence",
    "S4, convolution",
    "H3",
    "Mamba",
} <= kept("S") & kept("C")
assert {"CNN (width 3)", "encoder, rotary (RoPE)"} <= kept("S") - kept("P")
assert not {
    "MLP-Mixer",
    "FNet",
    "Linformer",
    "BERT: encoder, learned table",
} & (kept("P") | kept("S"))
assert not {
    "causal self-attention",
    "Performer, causal",
    "RWKV",
    "encoder, ALiBi",
} & kept("S")
assert answers["encoder, no positions"].laws == "PS" and answers["decoder, no positions"].laws == "C"
assert answers["Performer"].audit.equivariance < 1e-12

# other weights and sizes: (seed, d_model), and which breaks are too small
too_small = {}
for seed, width in ((1, 8), (2, 8), (3, 8), (4, 8), (0, 16)):
    for each in ARCHITECTURES:
        redrawn = Row(
            each,
            audit(
                lambda n, each=each, seed=seed, width=width: each.make(Draw(np.random.default_rng(seed), width), n),
                width,
                seed=seed,
            ),
        )
        assert set(each.laws) <= set(redrawn.laws), (each.name, seed)
        for law, error in zip("PSC", redrawn.audit, strict=True):
            if law not in each.laws and error < 0.01:
                too_small[each.name, law, seed, width] = error
assert set(too_small) == {
    ("Reformer, sorted chunks", "S", 1, 8),
    ("Reformer, sorted chunks", "S", 4, 8),
    ("encoder, ALiBi", "S", 3, 8),
    ("encoder, ALiBi", "S", 0, 16),
    ("RWKV", "S", 4, 8),
}
for (name, *_), error in too_small.items():
    assert (error == 0) == (name == "Reformer, sorted chunks")
    assert error == 0 or error > 0.005
# the two draws in which no word shares the bucket of the zeros
for seed in range(5):
    draw = Draw(np.random.default_rng(seed), 8)
    w_asks, _, directions = draw.square(), draw.square(), draw(8, 2)
    text = np.random.default_rng(seed).normal(size=(24, 8))[:8]
    along = text @ w_asks @ directions
    buckets = np.concatenate([along, -along], axis=1).argmax(axis=1)
    assert (0 not in buckets) == (seed in (1, 4))


# the cause taken away: words put into that bucket, or out of it
def chunks_moved(seed, text):
    """How far a row of the chunked Reformer is off, in any place."""
    make = {each.name: each.make for each in ARCHITECTURES}
    outputs = []
    for start in range(17):
        X = np.zeros((24, 8))
        X[start : start + 8] = text
        layer = make["Reformer, sorted chunks"](Draw(np.random.default_rng(seed), 8), 24)
        outputs.append(layer(X)[start : start + 8])
    return np.abs(np.array(outputs) - outputs[0]).max()


for seed in range(5):
    draw = Draw(np.random.default_rng(seed), 8)
    w_asks, _, directions = draw.square(), draw.square(), draw(8, 2)
    text = np.random.default_rng(seed).normal(size=(24, 8))[:8]
    spare = np.random.default_rng(9).normal(size=(200, 8))
    inside, spare_inside = (
        np.concatenate([along, -along], axis=1).argmax(axis=1) == 0
        for along in (each @ w_asks @ directions for each in (text, spare))
    )
    changed = text.copy()
    if seed in (1, 4):
        changed[3] = spare[spare_inside][0]
        assert chunks_moved(seed, text) == 0 < 0.1
        assert chunks_moved(seed, changed) > 0.1
    else:
        changed[inside] = spare[~spare_inside][: inside.sum()]
        assert chunks_moved(seed, text) > 0.1
        assert chunks_moved(seed, changed) == 0

# the costs: by counts, within a quarter of the exponent of theory
for row in results:
    name, theory = row.architecture.name, row.architecture
    assert abs(figures.growth(name) - theory.operations) < 0.25, name
    assert abs(figures.growth(name, "bytes") - theory.memory) < 0.25, name
for name, times in (("self-attention", 4), ("Performer", 2)):
    counts = figures.costs()["costs"][name]["operations"]
    assert abs(counts[-1] / counts[-2] - times) < 0.05


# the first figure
def keepers(name, new):
    return np.flatnonzero(OrderAudit(name, order=new).follows).tolist()


swapped, backwards = [2, 1, 0, 3, 4], [4, 3, 2, 1, 0]
assert OrderAudit().order == swapped and OrderAudit().words == [
    "dogs",
    "bit",
    "men",
    "without",
    "mercy",
]
assert keepers("self-attention", swapped) == list(range(5)) == keepers("Longformer", backwards)
assert keepers("RNN (Elman)", swapped) == []
assert keepers("causal self-attention", swapped) == [3, 4]

# by hand
places = np.array([1.0, 0, 2])
for numbers, sums, neighbours, weighed in (
    ([1, 2, 4], [1, 3, 7], [3, 7, 6], 9),
    ([4, 1, 2], [4, 5, 7], [5, 7, 3], 8),
):
    assert sum(numbers) == 7 and np.cumsum(numbers).tolist() == sums
    assert np.convolve(numbers, [1, 1, 1], mode="same").tolist() == neighbours and places @ numbers == weighed
assert permuted > 0.1 and past_only == 0

# chunks: which of the three creatures is the third is decided by the text
for order_name, last in (("as it was", "man"), ("backwards", "dog")):
    new = np.array(figures.ORDERS[order_name])
    text = [list(figures.ASKS)[j] for j in new]
    chunks = np.argsort(
        [["dog", "cat", "man"].count(word) == 0 for word in text],
        kind="stable",
    )
    assert text[chunks[2]] == last
assert figures.whole_or_chunks("hash alone", "backwards")[-1].parts["sign"] == "="
assert figures.whole_or_chunks("sorted chunks of 2", "backwards")[-1].parts["sign"] == "≠"

# all layers at once: what the figure says of its short text
for words, change, n_kept, lucky in (
    ("mercy bit men without dogs", "new order", 8, set()),
    ("mercy without men bit dogs", "new order", 9, {"Longformer"}),
    (
        "dogs bit men without mercy",
        "moved",
        18,
        {"Reformer, sorted chunks"},
    ),
    ("dogs bit men without mercy", "new ending", 14, set()),
):
    law = figures.CHANGES[change]
    light = {
        run.name for run in figures.layers_of_the_audit() if figures.keeps_rows(run, change, figures.TEXT_ORDERS[words])
    }
    assert light - kept(law) == lucky and kept(law) <= light
    assert len(light) == n_kept

# ALiBi's scores, counted from 5
near = np.arange(6)
assert np.array_equal(alibi_bias(2, near, near), alibi_bias(2, near + 5, near + 5))

# who minds the zeros: those before the text, and not those after it
makers = {each.name: each.make for each in ARCHITECTURES}
text, zeros = np.random.default_rng(0).normal(size=(6, 8)), np.zeros((4, 8))
for name in ("causal self-attention", "Performer, causal", "RWKV"):
    layer = makers[name](Draw(np.random.default_rng(0), 8), 10)
    bare = layer(text)
    after, before = (
        np.concatenate([text, zeros]),
        np.concatenate([zeros, text]),
    )
    assert np.abs(layer(after)[:6] - bare).max() < 1e-12
    assert (np.abs(layer(before)[4:] - bare).max(axis=1) > 0.01).all(), name
for scheme, stays in (("alibi", True), ("sinusoidal", False)):
    config = TransformerConfig(
        vocabulary_size=8,
        d_model=8,
        n_heads=2,
        d_ff=16,
        n_layers=1,
        position=scheme,
    )
    parameters = init_parameters(config, 0)
    from_0, from_5 = (encode(text, parameters, config, positions=np.arange(6) + start) for start in (0, 5))
    moved_by = np.abs(from_5 - from_0).max(axis=1)
    assert (moved_by < 1e-12).all() if stays else (moved_by > 0.01).all()

# exercises
laws = {name: [error < 1e-12 for error in errors[:3]] for name, errors in own.items()}
assert laws["minus_largest"] == [False, True, True] and laws["minus_smallest"] == [True, True, False]
assert laws["plus_mirror"] == [False, False, False]
rng = np.random.default_rng(1)
q, k, v = rng.normal(size=(3, 6, 2))
equal_columns = rng.normal(size=(3, 1)) * np.ones(6)
blind = linformer_attention(q, k, v, equal_columns, equal_columns)
shuffled = linformer_attention(q[order], k[order], v[order], equal_columns, equal_columns)
assert np.allclose(shuffled, blind[order], atol=1e-12) and np.linalg.matrix_rank(blind) == 1
# With the figure
for new, n_kept in ((backwards, 5), (swapped, 1), ([1, 2, 3, 4, 0], 0)):
    assert len(keepers("Longformer", new)) == n_kept
by_luck = [row.architecture.name for row in results if len(keepers(row.architecture.name, backwards)) == 5]
assert set(by_luck) - kept("P") == {"Longformer"}
alibi = {row.name: row.make for row in ARCHITECTURES}["encoder, ALiBi"](Draw(np.random.default_rng(0), d_model=4), 5)
alone = np.random.default_rng(1).normal(size=(5, 4))
assert np.abs(alibi(alone[::-1]) - alibi(alone)[::-1]).max() < 1e-14
assert OrderAudit().data["zeros"] == [2, 5]

# the same data
learned = {
    (line["model"], column): line[column]
    for line in figures.same_data()
    for column in line
    if column not in ("model", "parameters")
}
mean = {key: float(value.split()[0]) for key, value in learned.items()}
blind = ("bag of words", "encoder, no positions")
for model in blind:
    assert learned[model, "which first, 10"] == learned[model, "which first, 60"] == "0.50 (0.50 to 0.50)"
    assert abs(mean[model, "copy left, 10"] - 0.29) < 0.011
assert all(mean[key] > 0.98 for key in mean if key[0] not in blind and key[1].endswith("10"))
assert all(mean["GRU", f"{task}, 60"] > 0.99 for task in ("which first", "copy left"))
assert [mean["MLP-Mixer", f"{task}, 60"] for task in ("which first", "copy left")] == [0.53, 0.39] and LONGEST == 64
for model in ("encoder, rotary (RoPE)", "CNN"):
    assert mean[model, "copy left, 60"] == 1 and mean[model, "which first, 60"] < 0.75
assert max(mean["encoder, sinusoids", f"{task}, 60"] for task in ("which first", "copy left")) < 0.6
assert round(CopyLeft(10).floor(10), 3) == 0.286 and CopyLeft().n_tokens == 10

# layers of PyTorch
fails = audit(lambda n: lambda X: lstm(X)[0], d_model=8, like=double)
assert fails.causality == 0 and fails.equivariance > 0.1
assert round(fails.shift, 1) == 0.2
kept_in_torch = {
    name: "".join(law for law, error in zip("PSC", errors[:3], strict=True) if error < 1e-12)
    for name, errors in of_torch.items()
}
assert kept_in_torch == {
    "LSTM without biases": "SC",
    "LSTM, both ways": "S",
    "Conv1d": "S",
    "TransformerEncoderLayer": "PS",
}

with torch.no_grad():
    lstm.bias_ih_l0.zero_()
    lstm.bias_hh_l0.zero_()
assert audit(lambda n: lambda X: lstm(X)[0], d_model=8, like=double).shift == 0

# blind and past only
for blind_, past, allowed in (
    (True, True, 5),
    (True, False, 25),
    (False, True, 15),
    (False, False, 25),
):
    assert figures.may_hear(blind_, past).sum() == allowed

# parameters
sizes = {line["model"]: int(line["parameters"].replace(",", "")) for line in figures.same_data()}
assert sizes["bag of words"] == 13098 and sizes["GRU"] == 13642
assert sizes["CNN"] == 16106 and max(sizes.values()) == 25994
assert {size for name, size in sizes.items() if name.startswith("encoder")} == {9258}
assert sizes["MLP-Mixer"] == 25994
