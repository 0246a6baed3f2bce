"""The numbers of *[A, B] against [B, A]*, checked with the names of its notebook at hand."""

import json

from inorder.stored import stored
from inorder.transformer import generate

close = partial(np.allclose, rtol=0, atol=1e-12)
rounding = 50 * epsilon
by_hand = {prompt: (weights, output) for prompt, weights, output in bars}
for prompt in ("ABC", "BAC"):
    assert close(by_hand[prompt][1], [15, 18])
assert close(by_hand["ABC"][0], [1 / 7, 2 / 7, 4 / 7]) and close(powers / powers.sum() @ values, [15, 18])
assert close(by_hand["AB"][0], [1 / 3, 2 / 3]) and close(by_hand["BA"][0], [1 / 2, 1 / 2])
assert close(by_hand["AB"][1], [7, 14]) and close(by_hand["BA"][1], [10.5, 10.5])
for prompt in permutations("ABC"):
    same = close(figures.weights_and_output("".join(prompt), prompt[-1])[1], [15, 18])
    assert close(figures.weights_and_output("".join(prompt), "C")[1], [15, 18]) and same == (prompt[-1] == "C")
scores = np.log([[1.0], [2], [4]])  # the slips: a column, and no softmax
assert close(softmax(scores).T @ values, [[42, 42]]) and close(scores.T @ values, np.log(2) * np.array([[42, 63]]))
assert np.round(scores.T @ values, 1).tolist() == [[29.1, 43.7]]

rng = np.random.default_rng(0)  # the theorem, and keys moved without their values
q, k, v = (
    rng.normal(size=(1, 8)),
    rng.normal(size=(5, 8)),
    rng.normal(size=(5, 3)),
)
output, moved = scaled_dot_product_attention(q, k, v), [3, 0, 4, 1, 2]
assert np.abs(scaled_dot_product_attention(q, k[moved], v[moved]) - output).max() < rounding
assert np.abs(scaled_dot_product_attention(q, k[moved], v) - output).max() > 0.1

unrelated, swapped, clean = results.values()
assert swapped.min() > 0.5 and clean.max() < rounding
assert 0.7 < swapped.mean() / unrelated.mean() < 1
for variant, about in (("equal queries", 0.82), ("no residual", 0.53)):
    unrelated, swapped, clean = by_variant[variant].values()
    assert abs(swapped.mean() / unrelated.mean() - about) < 0.01
    assert clean.max() < rounding
whole, equal_queries = (by_variant[variant]["[A, B] and [B, A]"].mean() for variant in ("whole model", "equal queries"))
assert abs(whole - equal_queries) < 0.02
assert by_variant["both"]["[A, B] and [B, A]"].max() < rounding
shares = results["[A, B] and [B, A]"] / next(iter(results.values()))
assert 0.4 < shares.min() < 0.45 and 1.5 < shares.max() < 1.55


def values_times(factor, seed, make=fresh):
    parameters, config = make(seed)
    only = parameters.blocks[0]
    scaled = only.attention._replace(w_value=factor * only.attention.w_value)
    only = only._replace(attention=scaled)
    return parameters._replace(blocks=(only,)), config


# other parameters, the last three without the residual
no_queries = partial(queries_times, 0)
for make, low, high in (
    (fresh, 0.83, 0.845),
    (partial(values_times, 10), 0.485, 0.495),
    (partial(values_times, 10, make=no_queries), 0.145, 0.155),
    (partial(values_times, 0.1), 0.99, 1.02),
    (partial(fresh, norm="post", residual=0.0), 0.5, 0.6),
    (partial(queries_times, 0.01, residual=0.0), 0.0, 0.01),
    (partial(queries_times, 10, residual=0.0), 0.735, 0.745),
):
    unrelated, swapped = (
        np.mean([difference(*pair, make(seed)) for seed in SEEDS]) for pair in list(pairs.values())[:2]
    )
    assert low < swapped / unrelated < high
assert min(torch_found["[A, B] and [B, A]"]) > 0.5 and max(torch_found["[A, B, C] and [B, A, C]"]) < rounding
assert state.query.shape == (4, 1, 8) and state.cache.key.shape == (4, 3, 8) and max(cache_differences) < rounding

assert (0.1 + 0.2) + 0.3 == (0.2 + 0.1) + 0.3 != (0.3 + 0.2) + 0.1
draws = np.random.default_rng(0).normal(size=(1000, 3)).tolist()
assert all((a + b) + c == (b + a) + c for a, b, c in draws)
assert not all((a + b) + c == (c + b) + a for a, b, c in draws)
assert np.finfo(np.float32).eps == 2.0**-23 and epsilon == 2.0**-52 and torch.finfo(torch.bfloat16).eps == 2.0**-7
assert max(small[:, 3].max(), large[:, 3].max()) < 0.1  # far below the bound, at every seed
assert all(
    in_epsilons(each[0].mean(), dtype) == "below 4 ε" for each, dtype in ((small.T, np.float32), (large.T, float))
)
assert (np.abs(np.log2(ratios[:3] / derived)) < [1.5, 1.5, 0.001]).all()
curves = figures.shuffled_differences()
for name, eps in figures.EPSILONS.items():
    assert curves[name].max() < 4 * eps and curves[name].min() > eps / 4
assert curves["another query"].min() > 0.05
assert np.allclose(curves["another query"], curves["another, float32"], rtol=1e-3)
units = []  # values around 100
for seed in range(8):
    rng = np.random.default_rng(seed)
    q, k, v, order = (
        rng.normal(size=(1, 16)),
        rng.normal(size=(4096, 16)),
        100 + rng.normal(size=(4096, 16)),
        rng.permutation(4096),
    )
    change = scaled_dot_product_attention(q, k[order], v[order]) - scaled_dot_product_attention(q, k, v)
    units.append(np.abs(change).max() / np.abs(v).max() / epsilon)
assert np.median(units) > 2 and max(units) < 2 * 4095
for scale, low, high in ((1, 0.01, 1), (10, 1, 2 * 4095)):  # larger scores
    units = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        q, k, v, order = (
            scale * rng.normal(size=(1, 16)),
            rng.normal(size=(4096, 16)),
            rng.normal(size=(4096, 16)),
            rng.permutation(4096),
        )
        change = scaled_dot_product_attention(q, k[order], v[order]) - scaled_dot_product_attention(q, k, v)
        units.append(np.abs(change).max() / np.abs(v).max() / epsilon)
    assert low < max(units) < high
# scores that differ in their last bit: past the bound if they are large
for scale, past in ((1, False), (30, True)):
    units = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        scores, v = scale * rng.normal(size=3), rng.normal(size=(3, 16))
        beside = np.nextafter(scores, rng.choice([-np.inf, np.inf], size=3))
        change = (softmax(beside) - softmax(scores)) @ v
        units.append(np.abs(change).max() / np.abs(v).max() / epsilon)
    assert (max(units) > 2 * 2) == past
# the ratio of a single draw: nearly always within a factor of four
in_32, in_64 = (np.array([in_precision(dtype, seed)[:2] for seed in range(300)]) for dtype in (np.float32, np.float64))
exponents = np.abs(np.log2(in_32 / in_64) - 29)  # (draw, kind 2)
assert ((exponents <= 2.001).mean(axis=0) > 0.99).all()
# caption: independent values are the cause, equal to the keys it levels off
for independent, fall in ((True, 10.0), (False, 2.0)):
    mean_changes = []
    for n_keys in (4, 4096):
        draws_of = [np.random.default_rng(seed) for seed in range(8)]
        each = []
        for rng in draws_of:
            two = rng.normal(size=(2, 16))  # two queries
            keys = rng.normal(size=(n_keys, 16))
            v = rng.normal(size=(n_keys, 16)) if independent else keys
            outputs = scaled_dot_product_attention(two, keys, v)
            each.append(np.abs(outputs[0] - outputs[1]).max())
        mean_changes.append(np.mean(each))
    ratio = mean_changes[0] / mean_changes[1]
    assert (ratio > fall) if independent else (ratio < fall)

i_love, man_bites, clean_row = sentence_rows
assert not i_love["same words"] and man_bites["same words"] and not man_bites["same end"]
assert clean_row["same words"] and clean_row["same end"] and max(clean_row["difference"]) < rounding
assert min(i_love["difference"] + man_bites["difference"]) > 0.01
for seed in SEEDS:  # the texts that are written after the clean pair
    first, second = (
        generate(
            np.array([words.index(word) for word in sentence.split()]),
            *fresh(seed),
            8,
        )[4:]
        for sentence in sentences[2]
    )
    assert (first == second).all()
assert all(row["measured"] == {row["expected"]} for row in read_outs)
ends = orders[[0, 6, 12, 23]][:, ::-1]  # four orders, four last tokens
for norm, left in (("post", 1), ("pre", 4)):  # a hundred layers
    for seed in SEEDS:
        deep = fresh(seed, n_layers=100, norm=norm)
        hidden = encode(ends, *deep, positions=np.arange(4))
        assert n_different(hidden[:, -1]) == left

continuations = json.loads(stored("trained_decoder.json").read_text())
for positions in ("trained", "unrotated"):  # the king and the queen
    texts = {
        continuations["prompts"]["placements"][prompt][positions]["text"]
        for prompt in (
            "The king saw the queen and",
            "The queen saw the king and",
        )
    }
    assert len(texts) == 2

lab = PromptOrderLab("A B C", "B A C")
assert lab.depth == 1 and lab.distance < 1e-12
assert PromptOrderLab("A B C", "B C A").distance > 0.01
assert PromptOrderLab("A B C", "B A C", position="sinusoidal").distance > 0.01

for prompt in ("CAB", "ACB"):  # the exercises
    assert close(figures.weights_and_output(prompt, "B")[1], [21 / 2, 63 / 4])


def recurrence(s, v):
    y = np.zeros(v.shape[1])
    for row in v:
        y = (y + row) / 2
    return y


blind = {
    lambda s, v: np.maximum(s, 0) @ v: True,
    lambda s, v: softmax(s) / np.arange(1, len(s) + 1) @ v: False,
    lambda s, v: v[s.argmax()]: True,
    recurrence: False,
}
for seed in range(10):
    rng = np.random.default_rng(seed)
    s, v, order = (
        rng.normal(size=5),
        rng.normal(size=(5, 2)),
        [1, 2, 3, 4, 0],
    )
    assert [close(f(s, v), f(s[order], v[order])) for f in blind] == list(blind.values())
    twelve = np.array(sorted(set(permutations([A, A, B, D]))))  # (order, n 4)
    assert len(twelve) == 12 and n_different(read_out(twelve, 1, True, seed)[0]) == 3
    marked_twelve = np.concatenate([twelve, np.full((12, 1), MARK)], axis=1)
    assert n_different(read_out(marked_twelve, 1, True, seed)[0]) == 1
assert verdict.passed
assert np.spacing(np.float32(1e9)) == 64 < 100 * np.finfo(np.float32).eps * 1e9 and 100 * epsilon * 1e9 > 1e-6  # hint
# With the figure
for setting, same in (({}, True), ({"position": "sinusoidal"}, False)):
    message = PromptOrderLab("A B C", "B A C", **setting).summary()
    assert message.startswith("“C” is last in both") and ("a sum has no order" in message) == same
for order in ("A C B", "B C A", "C A B", "C B A"):
    assert "a different query" in PromptOrderLab("A B C", order).summary()
