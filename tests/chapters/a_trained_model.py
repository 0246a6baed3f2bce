"""The numbers of *A trained model*, checked with the names of its notebook at hand."""


def array(*path):
    """A stored table of numbers."""
    results = record
    for key in path:
        results = results[key]
    return np.array(results)


# two orders
trained, without = (
    figures.cosines("as trained"),
    figures.cosines("its table left out"),
)
assert (without == 1).all() and array("pairs", "untrained").min() > 0.99
assert round(trained[0], 2) == 0.97 and round(1 - trained[0], 2) == 0.03 and round(1 - trained[7], 2) == 0.21
assert (
    round((1 - trained[:7]).min(), 2),
    round((1 - trained[:7]).max(), 2),
) == (0.01, 0.05)
assert array("pairs", "unrelated_sentences")[:2].round(2).tolist() == [
    0.11,
    0.09,
]
assert (1 - trained)[7] > (1 - trained)[:7].sum()
# the table of the pairs, in thousandths
thousandths = [
    (1000 * (1 - figures.cosines(name))).round().astype(int).tolist()
    for name in ("as trained", "its table shuffled", "not trained")
]
assert thousandths == [
    [28, 11, 43, 8, 11, 22, 53, 208],
    [67, 46, 100, 39, 54, 36, 61, 247],
    [2, 3, 6, 1, 3, 4, 2, 7],
]
shuffled = 1 - array("pairs", "shuffled")[:, :7]
assert (round(shuffled.min(), 3), round(shuffled.max(), 2)) == (0.003, 0.17)
apart = {name: 1 - array("pairs", f"unrelated_{name}") for name in ("untrained", "shuffled")}
for name, expected in (
    ("untrained", (0.38, 0.45)),
    ("shuffled", (0.55, 0.59)),
):
    assert (
        round(apart[name].min(), 2),
        round(apart[name].max(), 2),
    ) == expected
# in units of the distance of unrelated sentences
untrained = (1 - array("pairs", "untrained"))[:, :7].mean(axis=1)
assert (untrained / apart["untrained"]).max() < 0.01
assert round((1 - trained[:7]).mean() / 0.9, 2) == 0.03
assert len(record["pairs"]["sentences"]) == 8 and tuple(record["pairs"]["sentences"][0]) == pair
assert abs(results[0] - trained[0]) < 1e-5 and abs(results[1] - 1) < 1e-13  # 384 numbers

# other pairs, and another word, where the model is at hand
if model:
    more = (
        ("john owes mary money", "mary owes john money"),
        (
            "the movie was not good but bad",
            "the movie was not bad but good",
        ),
        ("flights from paris to london", "flights from london to paris"),
        (
            "the teacher praised the student",
            "the student praised the teacher",
        ),
        ("apple sued samsung", "samsung sued apple"),
        ("he is older than she is", "she is older than he is"),
        ("cats eat mice", "mice eat cats"),
        (
            "the police arrested the protesters",
            "the protesters arrested the police",
        ),
        ("man eating shark", "shark eating man"),
        ("is the door open", "the door is open"),
    )
    *shifts, door = (1 - cosine(*each, True) for each in more)
    assert round(min(shifts), 3) == 0.003 and round(max(shifts), 2) == 0.11
    assert round(door, 2) == 0.22
    other_word = 1 - cosine(pair[0], "the dog bites the woman", True)
    assert round(other_word, 2) == 0.28

# the wider start, where the model's shape is at hand
if model:
    from inorder.lab.trained_encoder import order as orders
    from inorder.lab.trained_encoder.__main__ import unrelated_cosines
    from inorder.lab.trained_encoder.sides import along_mean
    from inorder.lab.trained_encoder.texts import PAIRS, windows
    from inorder.stored import stored
    from inorder.transformer import Model, map_parameters

    def started(seed, width=1, segment=False):
        """An untrained model, perhaps wider, or with a segment's row."""
        start = pretrained.untrained(model, seed)
        drawn = map_parameters(
            lambda w: w if w.ndim == 1 else width * w,
            start.model.parameters,
        )
        if segment:  # the same row for all words
            row = np.random.default_rng(1000 + seed).normal(size=384)
            embedding = drawn.embedding + np.float32(0.02 * width * row)
            drawn = drawn._replace(embedding=embedding)
        return start._replace(model=Model(drawn, start.model.config))

    start = started(0, 2.5)
    few = [3, 4, 5]  # of the pairs
    wide = 1 - orders.pair_cosines(start, [PAIRS[k] for k in few])
    assert (wide > 3 * (1 - trained[few]) * 0.24 / 0.9).all()
    assert round(orders.layer_errors(PAIRS[7][0], start)[-1], 1) == 0.5
    marked = {width: [started(seed, width, segment=True) for seed in range(3)] for width in (1, 2.5)}
    by_order, by_text, rows = (
        {width: [each(start) for start in marked[width]] for width in marked}
        for each in (
            lambda start: (1 - orders.pair_cosines(start)[:7]).mean(),
            lambda start: 1 - unrelated_cosines(start).mean(),
            lambda start: orders.layer_errors(PAIRS[7][0], start),
        )
    )

    def between(values):
        return np.min(values).round(2), np.max(values).round(2)

    assert between(by_text[1]) == (0.08, 0.10)
    assert np.max(np.divide(by_order[1], by_text[1])) < 0.01
    assert between(np.divide(by_order[2.5], by_text[2.5])) == (0.07, 0.12)
    assert between(rows[1]) == (0.71, 0.77)
    assert between([row[-1] for row in rows[2.5]]) == (0.20, 0.24)
    text = windows(stored("alice.txt").read_text(encoding="utf8"), model, 126, 20)
    along = along_mean(text, marked[1][0], ["the"])
    assert round((along.deviation / along.usual).mean(), 1) == 0.8

# the maps of all heads on one sentence, in every order of its words
sentence, changes, without_table = figures.map_changes()
assert len(sentence) == 5 and changes.shape == (120, 6, 12)
assert changes[0].max() == 0 and without_table < 1e-13
most = changes[1:].reshape(119, 72).argmax(axis=1)
assert (most == 2).all()  # layer 0, head 2

# by hand
dog, place = np.array([1, 2, 3]), np.arange(3)
for numbers, sums in ((dog, (6, 14, 9, 35)), (dog[::-1], (6, 14, 9, 27))):
    assert (
        numbers.sum(),
        (numbers**2).sum(),
        (numbers + place).sum(),
        ((numbers + place) ** 2).sum(),
    ) == sums

# layer by layer
errors = figures.errors_by_layer("as trained")
assert (round(errors[0], 2), round(errors[-1], 2)) == (0.31, 0.66)
assert figures.errors_by_layer("its table left out").max() < 1e-13
fresh = figures.errors_by_layer("not trained")
assert fresh.min() > 0.85 and fresh.max() < 0.95 and errors.max() < 0.7
three = array("equivariance_by_layer", "untrained")  # (model, stage)
assert (three.min().round(2), three.max().round(2)) == (0.89, 0.93)
by_sentence = array("equivariance_by_layer", "by_sentence")
assert np.allclose(by_sentence[7], errors, atol=1e-3)
assert (
    round(by_sentence[:7, -1].min(), 2),
    round(by_sentence[:7, -1].max(), 2),
) == (0.38, 0.62)
assert (by_sentence[:, -1] > by_sentence[:, 0]).all()
blur = {name: array("blur", name) for name in ("exact", "within_one", "within_two")}
assert [shares[-1].round(2) for shares in blur.values()] == [
    0.34,
    0.7,
    0.82,
]
assert blur["exact"][0] == 1 and blur["exact"][4] > 0.9
assert blur["exact"][5].round(2) == 0.45
assert record["blur"]["n_train"] == 843
rows_by_miss = array("blur", "rows_by_miss")[-1] / (40 * 32)
assert rows_by_miss[6:].sum().round(2) == 0.13
assert rows_by_miss[10:18].sum().round(2) == 0.11
assert rows_by_miss[:3].sum().round(2) == 0.82
assert round((3 * 32 - 2) / 32**2, 2) == 0.09  # a guess, to within one
probe, near = (array("probes", name) for name in ("with_positions", "within_one"))
assert (round(probe[-1], 2), near[-1] > 0.52, near[-1] < 0.535) == (
    0.24,
    True,
    True,
)
assert array("probes", "without").max() < 0.04 and array("probes", "untrained").min() == 1
assert [record["probes"][key] for key in ("places", "n_train", "n_test")] == [32, 80, 40]

# heads by distance
at = {name: figures.weights_by_distance(name) for name in figures.MODELS}  # (layer, head, offset)
three = array("offsets", "shuffled")  # (table, layer, head, offset)
assert record["offsets"]["n_tokens"] == 20 * 128 and 20 * 126 == 2520  # [CLS] and [SEP] are left out of the means
assert round(record["offsets"]["even"], 3) == 0.008
before, after = 3, 5
assert list(figures.OFFSETS.values()) == record["offsets"]["offsets"] and figures.OFFSETS["−1"] == -1
assert round(at["as trained"][0, 2, before], 4) == 0.9996
longer = array("offsets", "longer")[:, 0, 2, before]  # 254 and 510 tokens
assert longer.round(2).tolist() == [0.77, 0.8]
by_query = [  # from position 2 on
    np.array(weights) for weights in record["offsets"]["longer_by_query"]
]
early, late = ([round(weights[part].mean(), 2) for weights in by_query] for part in (slice(125), slice(127, None)))
assert (early, late) == ([0.55, 0.22], [1.00, 0.99])
assert max(weights[125:127].max() for weights in by_query) < 0.015
from_128 = array("offsets", "from_position_128")[0, 2, before]
assert round(from_128, 4) == 0.9994
assert np.sort(at["as trained"][..., before].ravel())[-2].round(2) == 0.40
assert (
    at["as trained"][..., after].max() == at["as trained"][1, 8, after]
    and at["as trained"][1, 8, after].round(2) == 0.72
)
farther = at["as trained"][..., [0, 1, 2, 6, 7, 8]].max(axis=(0, 1))
assert (farther.min().round(2), farther.max().round(2)) == (0.08, 0.23)
assert at["its table left out"][0, 2, before].round(3) == 0.013 and at["not trained"].max() < 0.0081
for head, offset, expected in (
    ((0, 2), before, (0.004, 0.025)),
    ((1, 8), after, (0.003, 0.013)),
):
    weights_there = three[:, *head, offset]
    assert (
        round(weights_there.min(), 3),
        round(weights_there.max(), 3),
    ) == expected
itself = three[..., 4].max(axis=(1, 2))
assert (itself.min().round(2), itself.max().round(2)) == (0.35, 0.38)
assert (three[:, 1, 8, 4] == itself).all()
trained_weights = at["as trained"][..., 4]
assert trained_weights[1, 8].round(2) == 0.05
assert trained_weights.max() == trained_weights[1, 1]
assert trained_weights.max().round(2) == 0.12
# at distance 0 of the 72 heads: those that grow, and those that fall
left_out = at["its table left out"][..., 4]
assert ((three[..., 4] > trained_weights).sum(axis=(1, 2)) == 69).all()
assert (left_out > trained_weights).sum() == 10
assert (left_out < trained_weights).sum() == 62
assert left_out[1, 8].round(3) == 0.003
assert (
    at["its table left out"].max() == at["its table left out"][1, 1, 4]
    and at["its table left out"].max().round(2) == 0.31
)

assert three[..., [k for k in range(9) if k != 4]].max() < 0.03

# the map, stored in half precision, and the head built by hand
tokens, stored_map = figures.pronoun_map()
assert list(words) == list(tokens) and np.abs(np.asarray(weights) - stored_map).max() < 2.5e-4
assert np.diagonal(stored_map[0, 2], -1).min() > 0.999
for sharpness, alike in ((4, False), (8, True)):
    ours = figures.by_distance(figures.hand_built(sharpness))
    assert (np.abs(ours - at["as trained"][0, 2]).max() < 0.001) == alike
ahead = stored_map[1, 8]
assert (ahead.argmax(axis=1)[:-1] == np.arange(1, 16)).sum() == 10
place = {token: i for i, token in enumerate(tokens)}
looks = {
    pair: ahead[place[pair[0]], place[pair[1]]].round(2)
    for pair in (("too", "tired"), ("street", "[CLS]"), ("tired", "[CLS]"))
}
assert list(looks.values()) == [0.95, 0.65, 0.78]
assert (stored_map[:, :, :-1].argmax(axis=-1) == np.arange(1, 16)).sum(axis=-1).max() == 10

# one head taken out
for pairs, head_2, rank, first, fall in (
    ("all eight", 14, 1, (0, 2), 14),
    ("without the word salad", 8, 5, (4, 10), 21),
):
    intact, order = figures.order_without(pairs)
    change = 100 * (1 - order / intact)
    assert round(change[0, 2]) == head_2 and (change > change[0, 2]).sum() + 1 == rank
    assert np.unravel_index(change.argmax(), change.shape) == first and round(change.max()) == fall
    assert 3.9 < change.std() < 5 and change.min() < -5
# draw the pairs again, with replacement
ablation = record["ablation"]
for n, head, expected in (
    (8, (0, 2), 0.46),
    (7, (0, 2), 0.04),
    (7, (4, 10), 0.77),
):
    draws = np.random.default_rng(0).integers(n, size=(2000, n))
    order_of = np.array(ablation["order"]).reshape(72, 8)
    costs = np.array(ablation["intact_order"])[:, None] - order_of.T
    firsts = costs[draws].mean(axis=1).argmax(axis=1)  # (draw,)
    share = (firsts == 12 * head[0] + head[1]).mean()
    assert round(share, 2) == expected, share
one_pair = 1 - np.array(ablation["order"]) / ablation["intact_order"]
assert one_pair.max() < 0.5
intact, order = figures.order_without()
assert (round(intact, 3), order[0, 2].round(3)) == (
    0.048,
    0.041,
) and np.sort(order.ravel())[1] == order[2, 8]

# room for positions
twelve, most = record["geometry"]["trained, first 512 positions"]
assert (
    twelve["n_dimensions"],
    round(twelve["words"], 3),
    round(twelve["chance"], 3),
) == (12, 0.004, 0.031)
assert round(twelve["chance_deviation"], 4) == 0.0006 and 7 < twelve["chance"] / twelve["words"] < 9
assert (most["n_dimensions"], round(most["words"], 2)) == (
    77,
    0.15,
) and 0.7 < most["words"] / most["chance"] < 0.8
ten = record["geometry"]["trained, first 128 positions"][0]
assert ten["n_dimensions"] == 10 and round(ten["words"], 3) == 0.004
for fresh in record["geometry"]["untrained, first 512 positions"]:
    assert abs(fresh["words"] - fresh["chance"]) < 3 * fresh["chance_deviation"]

# queries and keys
sides, fresh = (
    record["query_and_key"]["trained"],
    record["query_and_key"]["untrained"],
)
gains = [
    array("query_and_key", model, f"{side}_gain") for model in ("trained", "untrained") for side in ("key", "query")
]
assert [round(g.mean(), 2) for g in gains] == [1.82, 1.53, 1.00, 0.98]
assert [round(g.std(), 2) for g in gains[:2]] == [0.50, 0.32] and (gains[0] > gains[1]).sum() == 49
by_length = record["query_and_key"]["by_length"]
along_key, along_query, rest_key, rest_query = (
    np.array([sides[f"{side}_{what}"] for sides in by_length])
    for what in ("gain", "spread")
    for side in ("key", "query")
)
lengths = record["query_and_key"]["lengths"]
ahead, rest_ahead, ahead_of_rest = (
    dict(zip(lengths, (key > query).sum(axis=(1, 2)), strict=True))
    for key, query in (
        (along_key, along_query),
        (rest_key, rest_query),
        (along_key / rest_key, along_query / rest_query),
    )
)
assert [ahead[n] for n in (126, 64, 32, 16, 6)] == [49, 41, 34, 31, 26]
assert (rest_ahead[126], rest_ahead[16]) == (62, 58)
assert (ahead_of_rest[126], ahead_of_rest[16]) == (39, 26)
assert 72 - max(ahead[n] for n in (6, 8, 12, 16)) == 41
sides_of_rows = [
    *record["query_and_key"]["by_start"],
    *record["query_and_key"]["same_rows"],
    record["query_and_key"]["same_rows_without_cls"],
]
assert record["query_and_key"]["starts"] == [0, 16, 60, 108] and [
    (np.array(sides["key_gain"]) > np.array(sides["query_gain"])).sum() for sides in sides_of_rows
] == [31, 41, 43, 47, 32, 52, 57, 47, 39]
of_16 = lengths.index(16)
assert [round(g[of_16].mean(), 2) for g in (along_key, along_query)] == [
    1.44,
    1.59,
]
assert array("separation", "trained", "positions")[3:, 1].max() < 0.33
lengths = [array("query_and_key", "trained", f"{side}_bias") for side in ("key", "query")]
apart = {name: array("separation", "trained", name)[:, 1] for name in ("query", "key", "positions")}
assert (apart["key"][0].round(2), apart["query"][0].round(2)) == (
    13.64,
    2.68,
)
fresh_key, fresh_query = (array("separation", "untrained", name)[0, 1] for name in ("key", "query"))
fresh_sides = [fresh_key.round(3), fresh_query.round(3)]
assert [
    (apart["key"] - apart["query"])[0].round(2),
    (fresh_key - fresh_query).round(2),
] == [10.96, 3.26]
reverse = array("separation", "trained", "positions")[:3, 0]
assert (reverse.min().round(2), reverse.max().round(2)) == (0.04, 0.19)
assert fresh_sides == [3.736, 0.473] and apart["positions"][:3].round(2).tolist() == [0.39, 0.55, 0.33]
assert [f"{b.mean():.2g}" for b in lengths] == [
    "0.0041",
    "1.2",
] and lengths[0].max() < lengths[1].min()
ratios = [
    np.mean(array("along_mean", m, "deviation") / array("along_mean", m, "usual")) for m in ("trained", "untrained")
]
assert [round(ratio, 1) for ratio in ratios] == [2.3, 1.8]
assert record["along_mean"]["words"] == [
    "[CLS]",
    "[SEP]",
    ",",
    "the",
    "alice",
]
assert array("along_mean", "trained", "words")[0].round(1).tolist() == [
    -0.8,
    2.4,
    4.6,
    3.6,
    1.0,
]
