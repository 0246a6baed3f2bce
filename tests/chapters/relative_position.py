"""The numbers of *Relative position*, checked with the names of its notebook at hand."""

import json
from fractions import Fraction

from inorder.attention import scaled_dot_product_attention, softmax
from inorder.encodings import alibi_slopes, shaw_bias, shift_matrix, sinusoidal_encoding, t5_buckets
from inorder.stored import stored
from inorder.symmetry import permute_mask

# by hand: ALiBi, T5, Shaw, RoPE
assert np.allclose(softmax(-np.log(2) * np.arange(3)), [4 / 7, 2 / 7, 1 / 7])
assert np.allclose(alibi_slopes(8)[[0, -1]], [1 / 2, 1 / 256])
assert np.allclose(np.log(2) / alibi_slopes(8)[[0, -1]], [1.386, 177.4], atol=0.05)
assert t5_buckets(-np.array([0, 1, 2, 5, 6, 99]), n_buckets=8, max_distance=16).tolist() == [0, 1, 2, 2, 3, 3]
assert set(range(32)) - set(t5_buckets(np.arange(-500, 501)).tolist()) == {16}
verb, other = np.array([[0.0, 2, 1, -1]]), np.array([[1.0, 0, 1, 1]])
sides = np.array([[0.0, 2, 0, 0], [0, 0, 0, 0], [1, 0, 0, -1]])
for row, expected_left in ((verb, 2.0), (other, 0.0)):
    assert shaw_bias(row, sides, np.array([1]), np.arange(3), max_distance=1)[0, 0] == expected_left
slope, six = alibi_slopes(4)[0], np.arange(6)
by_key = np.tile(slope * six, (6, 1))
left_only = alibi_bias(4, six, six, direction="left")[0]
values = np.random.default_rng(3).normal(size=(6, 5))
sees = six <= six[:, None]
assert np.allclose(
    softmax(np.where(sees, by_key, -np.inf)) @ values,
    softmax(left_only) @ values,
)
assert softmax(by_key).argmax(axis=1).tolist() == [5] * 6
rows_of_16 = np.random.default_rng(0).normal(size=(12, 16))
queries, keys = np.random.default_rng(1).normal(size=(2, 12, 16))
with_rope = rotary_encoding(queries, np.arange(12)) @ rotary_encoding(keys, np.arange(12)).T
for i, j in np.ndindex(12, 12):
    assert np.isclose(with_rope[i, j], queries[i] @ shift_matrix(j - i, 16) @ keys[j])
kappa = np.cos(np.outer([0, 1, 10, 1000], 10_000.0 ** (-np.arange(0, 64, 2) / 64))).mean(axis=1)
assert np.allclose(kappa, [1, 0.97, 0.66, 0.28], atol=0.005)
falls = np.diff(np.cos(np.outer(np.arange(200), 10_000.0 ** (-np.arange(0, 64, 2) / 64))).mean(axis=1))
assert (falls > 0).any()
# the explorer's head that looks one to the left
looking = RelativeBiasExplorer(head=1, scheme="rotary", as_weights=True).rows["rotary"]
assert looking.argmax() == 11 and abs(looking[11] - 0.09) < 0.005
# T5: numbers that short texts never train
left = t5_buckets(-np.arange(512))
assert len(set(left.tolist())) == 16
assert len(set(left[:20].tolist())) == 16 - 5
decoder = t5_buckets(-np.arange(512), bidirectional=False)
assert len(set(decoder.tolist())) == 32
# why not the values
q, k, v = np.random.default_rng(11).normal(size=(3, 6, 8))


def with_turned_values(start, is_turned, is_turned_back):
    at = np.arange(6) + start
    rows = scaled_dot_product_attention(
        rotary_encoding(q, at),
        rotary_encoding(k, at),
        rotary_encoding(v, at) if is_turned else v,
    )
    return rotary_encoding(rows, -at) if is_turned_back else rows


for case, moves in {(0, 0): False, (1, 0): True, (1, 1): False}.items():
    shift = rms(with_turned_values(50, *case) - with_turned_values(0, *case))
    assert shift > 0.1 if moves else shift < 1e-13
# stretched arrows, xPos
u, z_q, z_k = 1.1 * np.exp(0.3j), 1.5 - 0.2j, 0.4 + 1j
for i, j in ((2, 5), (12, 15)):
    stretched = (z_q * u**i * (z_k * u.conjugate() ** -j).conjugate()).real
    assert np.isclose(stretched, (z_q * z_k.conjugate() * u**-3).real)
# one row: said again, swapped in a bucket, and the converse
for (name, layers), results in again.items():
    blind = layers == 1 and name in ("no positions", "ALiBi")
    assert max(results) < 1e-13 if blind else min(results) > 1e-3
far = t5_buckets(np.arange(8) - 7, n_buckets=4, max_distance=6, bidirectional=False)
assert far.tolist()[:2] == [3, 3]  # the two that were swapped
assert max(swapped[1]) < 1e-13 and min(swapped[2]) > 1e-3


def primitive(word):
    """The shortest text of which this one is a repetition."""
    n = len(word)
    return next(word[:k] for k in range(1, n + 1) if n % k == 0 and word[:k] * (n // k) == word)


def share(word):
    """The share of A (digit 1) with slope log 2; the last word weighs 1."""
    powers = [Fraction(1, 2**a) for a in range(len(word))][::-1]
    ones = [power for power, digit in zip(powers, word, strict=True) if digit]
    return sum(ones, Fraction(0)) / sum(powers)


assert share((1, 0, 0, 1)) == Fraction(9, 15)
words = [w for n in range(1, 9) for w in product((0, 1), repeat=n)]
shares = {}
for word in words:
    shares.setdefault(share(word), set()).add(primitive(word))
assert all(len(roots) == 1 for roots in shares.values())
assert (len(words), len(shares)) == (510, len({primitive(w) for w in words})) == (510, 472)
assert 2.0**-50 < 1e-15 < 2.0**-49
for slope in (*alibi_slopes(8)[[0, 1, 3, 7]], alibi_slopes(16)[0], 1.0):
    in_floats = []
    for word in words:
        powers = np.exp(-slope * np.arange(len(word))[::-1])
        in_floats.append((powers * word).sum() / powers.sum())
    assert (np.diff(np.sort(in_floats)) > 1e-10).sum() + 1 == 472
golden = (5**0.5 - 1) / 2
by_word = []
for word in ((0, 1, 0), (0, 1, 1, 1, 0, 0)):
    powers = golden ** np.arange(len(word))[::-1]
    by_word.append(powers @ word / powers.sum())
assert np.isclose(*by_word, rtol=0, atol=1e-15)
# number 5: one row of RoPE, T5 or Shaw and texts with the same last word
rng = np.random.default_rng(0)
query, word_keys = rng.normal(size=(1, 8)), rng.normal(size=(2, 8))
by_distance_alone, vectors = rng.normal(size=8), rng.normal(size=(17, 8))
for name, last in product(("RoPE", "T5", "Shaw"), (0, 1)):
    in_floats = []
    for word in (word for word in words if word[-1] == last):
        at = np.arange(len(word))
        asks, keys, bias = query, word_keys[list(word)], 0.0
        if name == "RoPE":
            asks = rotary_encoding(query, at[-1:])
            keys = rotary_encoding(keys, at)
        elif name == "T5":
            bias = by_distance_alone[at[::-1]]
        else:
            bias = shaw_bias(query, vectors, at[-1:], at, max_distance=8)[0]
        weights = softmax((asks @ keys.T)[0] / np.sqrt(8) + bias)
        in_floats.append(weights @ np.array(word))
    assert (np.diff(np.sort(in_floats)) > 1e-10).sum() + 1 == 255 - 7
# more kinds of words than a value needs to be affinely independent
five_keys, five_values = rng.normal(size=(5, 8)), rng.normal(size=5)
rows_of_one_number = []
for n in range(1, 6):
    for word in product(range(5), repeat=n - 1):
        word, at = [*word, 0], np.arange(n)
        asks = rotary_encoding(query, at[-1:])
        keys = rotary_encoding(five_keys[word], at)
        weights = softmax((asks @ keys.T)[0] / np.sqrt(8))
        rows_of_one_number.append(weights @ five_values[word])
distinct = (np.diff(np.sort(rows_of_one_number)) > 1e-10).sum() + 1
assert distinct == len(rows_of_one_number) - 4 == 777
# the settings of today's models: each score by differences alone
at = np.random.default_rng(12).integers(0, 40, size=(9, 3))


def moves(turn, positions, d_head=128):
    """How much the scores change if all positions move by 50."""
    rows = np.random.default_rng(13).normal(size=(2, 9, d_head))
    near, far = (attention_scores(*(turn(each, positions + start) for each in rows)) for start in (0, 50))
    return abs(far - near).max()


line, rows_of_96 = (
    np.arange(9),
    np.random.default_rng(14).normal(size=(9, 96)),
)
partly = turn_pairs(rows_of_96, line, frequencies(24), pairing="halves")
assert np.array_equal(partly[:, 24:], rows_of_96[:, 24:])
assert not np.isclose(partly[1:, :24], rows_of_96[1:, :24]).all()
still = turn_pairs(rows_of_96, line, 0 * frequencies(96))
assert np.allclose(still, rows_of_96)
pixtral = np.concatenate([frequencies(64)[::2], frequencies(64)[1::2]])
for turn, positions, d_head in (
    (partial(rotary_encoding, base=500_000), line, 128),
    (partial(rotary_encoding, base=160_000), line, 64),
    (lambda x, p: turn_pairs(x, p, frequencies(24)), line, 96),
    (lambda x, p: turn_pairs(x, p, 0 * frequencies(128)), line, 128),
    (
        lambda x, p: np.concatenate([x[:, :128], rotary_encoding(x[:, 128:], p)], -1),
        line,
        192,
    ),
    (
        lambda x, p: turn_pairs(x, p, pixtral, axes=np.repeat([0, 1], 16), pairing="halves"),
        at[:, :2],
        64,
    ),
    (
        lambda x, p: turn_pairs(
            x,
            p,
            frequencies(128),
            axes=np.repeat([0, 1, 2], [16, 24, 24]),
            pairing="halves",
        ),
        at,
        128,
    ),
):
    assert moves(turn, positions, d_head) < 1e-10
content, turning = np.random.default_rng(15).normal(size=(2, 2, 9, 6))
side_by_side = [np.concatenate([c, rotary_encoding(r, line)], axis=-1) for c, r in zip(content, turning, strict=True)]
assert np.allclose(
    side_by_side[0] @ side_by_side[1].T,
    content[0] @ content[1].T + rotary_encoding(turning[0], line) @ rotary_encoding(turning[1], line).T,
)
# mirror images
for name, results in counted.items():
    assert results == {expected[name]}
    blind = name in ("no positions", "ALiBi, symmetric")
    assert max(mirror[name]) < 1e-13 if blind else min(mirror[name]) > 0.04
for scheme in SCHEMES.values():  # "ha ha", and seven times "ha"
    model = fresh(0, position=scheme, n_layers=2)
    two_ha, seven_ha = (encode(np.zeros(k, dtype=int), *model, positions=np.arange(k)) for k in (2, 7))
    assert abs(seven_ha - two_ha[0]).max() < 1e-13
assert [row["means"] for row in all_texts] == [row["up to mirror image"] for row in all_texts] == [136, 135]
for n_layers, n_heads in ((1, 4), (4, 4), (2, 1)):
    means = encode(
        four,
        *fresh(0, position="alibi", n_layers=n_layers, n_heads=n_heads),
        positions=np.arange(4),
    ).mean(axis=1)
    assert len(set(groups(means))) == 12
mark = np.full((24, 1), 4)  # before each text, or at both ends
for seed in SEEDS:
    for ends, expected_means in (
        ([mark, four], 24),
        ([mark, four, mark], 12),
    ):
        texts = np.concatenate(ends, axis=1)
        means = encode(
            texts,
            *fresh(seed, position="alibi", n_layers=2),
            positions=np.arange(texts.shape[1]),
        ).mean(axis=1)
        assert len(set(groups(means))) == expected_means
texts_of_two = np.array(list(product(range(2), repeat=8)))
for norm, seed in product(("pre", "post"), range(3)):
    means = encode(
        texts_of_two,
        *fresh(seed, position="alibi", n_layers=2, norm=norm),
        positions=np.arange(8),
    ).mean(axis=1)
    assert len(set(groups(means))) == 136


# two words swapped: how far does the mean move?
def moves_the_mean(gap, model):
    swapped = np.tile(np.arange(10), (10 - gap, 1))
    for start, tokens in enumerate(swapped):
        tokens[[start, start + gap]] = start + gap, start
    texts = np.concatenate([np.arange(10)[None], swapped])
    means = encode(texts, *model, positions=np.arange(10)).mean(axis=1)
    return np.mean([rms(row - means[0]) for row in means[1:]])


for norm, seed in product(("pre", "post"), SEEDS):
    model = fresh(seed, position="alibi", n_layers=2, norm=norm)
    assert moves_the_mean(6, model) > 1.5 * moves_the_mean(1, model)
# W_Q = W_K: different words still tell a text from its mirror image
parameters, config = fresh(0, position="rotary", n_layers=1)
tied = parameters._replace(
    blocks=tuple(
        block._replace(attention=block.attention._replace(w_query=block.attention.w_key)) for block in parameters.blocks
    )
)
forth, back = (
    encode(order, tied, config, positions=np.arange(3)) for order in (np.array([0, 1, 2]), np.array([2, 1, 0]))
)
assert abs(forth - back[::-1]).max() > 0.1
assert set(exact) == {0.5} and (
    round(min(lucky), 2),
    round(max(lucky), 2),
) == (0.46, 0.56)
row = np.random.default_rng(5).normal(size=(1, 8))
keys_around = rotary_encoding(np.repeat(row, 9, axis=0), np.arange(-4, 5))
along = attention_scores(rotary_encoding(row, np.array([0])), keys_around)
assert np.allclose(along, along[:, ::-1])
# a shift of 50
for name, results in changed.items():
    assert (
        min(results) > (0.09 if name == "plain number i/63" else 0.1)
        if name in ("plain number i/63", "binary number") or name.endswith(("added", "concatenated"))
        else max(results) < 1e-13
    )
assert min(changed["plain number i/63"]) < 0.1  # just below a tenth
moved_further = []
for seed in SEEDS:
    model = fresh(seed, position="scalar", n_layers=2)
    tokens = np.random.default_rng(seed).permutation(12)[:10]
    near, far = (encode(tokens, *model, positions=np.arange(10) + start) for start in (0, 200))
    moved_further.append(rms(far - near) / rms(near))
times_as_much = np.divide(moved_further, changed["plain number i/63"])
assert round(times_as_much.min(), 1) == 3.2
assert round(times_as_much.max(), 1) == 4.2
model = fresh(0, position="scalar-relative", n_layers=2)
near, far = (encode(np.arange(10), *model, positions=np.arange(10) + start) for start in (0, 50))
assert np.allclose(near, far, atol=1e-13)
# the census
census = json.loads(stored("position_census.json").read_text(encoding="utf8"))
assert (census["families"], len(census["rotary"]), census["alibi"]) == (
    172,
    121,
    ["bloom", "falcon", "mpt"],
)
assert "falcon" in census["rotary"]
assert (len(census["neither"]), len(census["neither, added"])) == (49, 35)
assert {"jamba", "kimi_linear", "nemotron_h", "zamba"} <= set(census["neither"]) - set(census["neither, added"])
assert census["by the library's list"] == {"families": 177, "rotary": 118}
assert census["rotary, modular"] == 107
turning = set(census["rotary"]) - {
    "clvp",
    "granitemoehybrid",
    "inkling2",
    "zamba2",
}
adding = {*census["neither, added"], "clvp"}
for first, last, counts in (
    (2024, 2026, (118, 102, 2)),
    (2000, 2022, (37, 5, 29)),
):
    dated = {family for family, year in census["years"].items() if year and first <= year <= last}
    assert counts == (
        len(dated),
        len(turning & dated),
        len(adding & dated),
    )
alone = {  # decoders up to 2022 without an encoder
    "biogpt",
    "bloom",
    "codegen",
    "cpmant",
    "gpt_neo",
    "gpt_neox_japanese",
    "gptj",
    "llama",
    "opt",
    "rwkv",
    "xglm",
}
assert all(census["years"][name] <= 2022 for name in alone)
assert (len(alone), len(alone & turning), len(alone & adding)) == (11, 4, 4)
undated = {name for name, year in census["years"].items() if year is None}
assert len(undated) == 7 and undated <= turning
# restarted positions
for name in STEPPED:
    restarted, counted_on = (
        errors["restarted"][name],
        errors["counted on"][name],
    )
    assert counted_on.max() < 1e-13 and restarted[:, 0].max() < 1e-13
    assert restarted.max() < 1e-13 if name == "none" else restarted[:, 1:].min() > 0.01
for name in STEPPED:  # one word, repeated
    model, one_word = (
        fresh(0, position=name, n_layers=2),
        np.zeros(6, dtype=int),
    )
    whole, _ = decode(one_word, *model, positions=np.arange(6))
    off = step_by_step(one_word, model, np.zeros(6, dtype=int)) - whole
    assert (abs(off).max() > 0.1) == (name in ("sinusoidal", "learned"))
    assert abs(off).max() > 0.1 or abs(off).max() < 1e-13
# pairings
assert round(growing[1], 2) == 0.48
columns, speed = np.arange(16), frequencies(16)
other = np.cos(speed[columns % 8]) - np.cos(speed[columns // 2])
derived = ((other**2).sum() + 4 * (np.sin(speed) ** 2).sum()) / 16
assert np.isclose(np.sqrt(derived), 0.478, atol=0.0005)
assert abs(growing[1] - np.sqrt(derived)) < 0.02
for width, expected_off in ((64, 0.35), (128, 0.33)):
    columns, speed = np.arange(width), frequencies(width)
    half = width // 2
    other = np.cos(speed[columns % half]) - np.cos(speed[columns // 2])
    wide = ((other**2).sum() + 4 * (np.sin(speed) ** 2).sum()) / width
    assert round(np.sqrt(wide), 2) == expected_off
assert growing[0] < 1e-13 and (np.diff(growing[:5]) > 0).all()
assert max(converted["both"]) < 1e-13 and min(converted["neither"]) > 0.5
assert abs(np.mean(converted["only W_Q"]) - np.sqrt(2 * (1 - 2 / 16))) < 0.03
# merged matrices, and the gauge that is left
w_q, w_k = np.random.default_rng(7).normal(size=(2, 16, 6))
merged = [w_q @ shift_matrix(r, 6, base=100.0) @ w_k.T for r in range(-20, 21)]
assert np.linalg.matrix_rank(np.reshape(merged, (41, -1))) == 6
gauge = shift_matrix(3, 6, base=2.0) * np.repeat([2.0, 0.5, 3.0], 2)
tokens = np.random.default_rng(8).normal(size=(10, 16))
before, after = (
    attention_scores(*(rotary_encoding(tokens @ w, np.arange(10)) for w in pair))
    for pair in ((w_q, w_k), (w_q @ gauge, w_k @ np.linalg.inv(gauge).T))
)
assert np.allclose(before, after)
# a cache that forgets: rotated keys turned back
raw, value, asks = (
    *np.random.default_rng(9).normal(size=(2, 12, 16)),
    np.random.default_rng(10).normal(size=(1, 16)),
)
remaining, rotated = np.arange(5, 12), rotary_encoding(raw, np.arange(12))


def answer(query_position, keys):
    return scaled_dot_product_attention(
        rotary_encoding(asks, np.array([query_position])),
        keys,
        value[remaining],
    )


counting_on = answer(12, rotated[remaining])
assert np.allclose(answer(7, rotary_encoding(raw[remaining], np.arange(7))), counting_on)
assert np.allclose(
    answer(7, rotary_encoding(rotated[remaining], np.full(7, -5))),
    counting_on,
)
assert abs(answer(7, rotated[remaining]) - counting_on).max() > 0.05
remaining, forgotten = (
    np.array([0, 1, 7, 8, 9, 10, 11]),
    np.array([0, 0, 5, 5, 5, 5, 5]),
)  # a gap, closed
closed = answer(7, rotary_encoding(raw[remaining], np.arange(7)))
assert np.allclose(answer(7, rotary_encoding(rotated[remaining], -forgotten)), closed)
assert abs(answer(12, rotated[remaining]) - closed).max() > 0.05
# patches
assert np.allclose(map_2d, map_2d[:, [3]] + map_2d[[2], :] - map_2d[2, 3])
assert np.isclose(flat[6, 7], flat[0, 1]) and not np.isclose(two[6, 7], two[0, 1])
# exercises
assert np.searchsorted(1 - np.exp(-np.arange(1, 2000) / 2), 0.99) + 1 == 10
assert np.searchsorted(1 - np.exp(-np.arange(1, 2000) / 256), 0.99) + 1 == 1179
parity = np.where((np.arange(4)[:, None] - np.arange(4)) % 2 == 0, 0.0, -1.0)
assert sum(np.array_equal(permute_mask(parity, order), parity) for order in four) == 8
angle = np.pi / 2 * np.arange(-1, 3)
assert np.allclose(-np.sin(angle), [1, 0, -1, 0])
ones = np.ones(8)
assert checks.looks_left(rotary_encoding(ones[None], np.array([-1]))[0], ones).passed
sinusoids = sinusoidal_encoding(np.arange(9), 8)
pairs_of_one = rotary_encoding(np.tile([1.0, 0.0], (9, 4)), np.arange(9))
assert np.allclose(pairs_of_one @ pairs_of_one.T, sinusoids @ sinusoids.T)
# With the figure
facing = [1.5 * (1.2 * np.cos(np.pi / 6 * step) - np.sin(np.pi / 6 * step)) for step in range(-6, 7)]
assert np.argmax(facing) - 6 == -1 and np.allclose([facing[5], facing[6]], [2.31, 1.80], atol=0.005)
assert (
    "their raw score is 2.31" in figures.two_arrows(12, -1)[-1].parts["words"]
    and np.allclose(abs(np.array([figures.QUERY, figures.KEY])), [1.5, 1.56], atol=0.005)
    and round(np.degrees(np.arctan2(1, 1.2))) == 40
)
six = figures.six_clocks(12, -2, "looks two to the left", 100)
assert "add up to 6.00" in six[-1].parts["words"]
