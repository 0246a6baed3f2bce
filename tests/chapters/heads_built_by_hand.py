"""The numbers of *Heads built by hand*, checked with the names of its notebook at hand."""

from inorder.circuits import Head, induction_shares, induction_weights, rank

omega = frequencies(64)
assert np.allclose(kappa(np.arange(4), frequencies(4)), [2, 1.540, 0.584, 0.010], atol=5e-4)
for d_model in (4, 64, 512):
    x = sinusoidal_encoding(np.arange(200), d_model)
    assert np.allclose(
        x @ x.T,
        kappa(np.arange(200)[:, None] - np.arange(200), frequencies(d_model)),
        atol=1e-10,
    )
    assert kappa(np.arange(1, 10_000), frequencies(d_model)).max() < d_model / 2
# Two to the right
assert np.allclose(weights, head_weights(p, p, offset_head(2, 64)), atol=1e-15)
assert (weights[:58].argmax(axis=1) == np.arange(2, 60)).all()
assert weights[np.arange(58), np.arange(2, 60)].min() > 0.9999999
scaled = p @ (16 * math.sqrt(64) * shift_matrix(2, 64)) @ p.T / math.sqrt(64)  # the usual factor, and β √d_head
assert np.allclose(softmax(scaled), weights, atol=1e-12)
assert [(round(gap, 2), round(beta, 2)) for gap, beta in sharp.values()] == [
    (0.46, 24.46),
    (0.51, 10.27),
    (1.08, 4.88),
    (6.9, 0.77),
]
for d_model in (64, 512):
    assert abs(sharp[d_model][0] / (0.23 + 0.013 * d_model) - 1) < 0.03
assert (
    round(kappa(1, frequencies(8)), 2) == 3.54
    and kappa(np.arange(1, 60), frequencies(8)).argmax() == 5
    and round(kappa(6, frequencies(8)), 2) == 3.78
)
for d_model in derived:
    assert np.allclose(measured[d_model], np.interp(at, curve, derived[d_model]), atol=2e-3)
assert all(a < 1e-16 * start and b <= a for start, (a, b) in far.items())
assert inside.max() < 1e-12 and outside.min() > 3
# Narrow and causal
assert [narrow[d][0] for d in (4, 6, 8, 16, 64)] == [25, 1, 1, 1, 1]
assert narrow[4][1] < 0.02 and narrow[4][2] < 0.5 and all(narrow[d][2] > 0.99999 for d in (6, 8, 16, 64))
assert narrow[6][1] / narrow[64][1] > 0.8
for hands, after in ((2, 25), (3, 201), (4, 402)):
    far_away = np.arange(2, 60 if hands == 2 else 1000)
    back = kappa(far_away, omega[:hands])
    assert far_away[back.argmax()] == after and back.max() > hands - 0.04
returns = kappa(0, omega[:4]) - kappa(np.arange(1, 10_000), omega[:4])
assert returns.argmin() == 401 and returns.min() < 0.04
assert kappa(6, omega) < 24  # of 32: the fastest hand has come round, the others have not
looks_back = head_weights(p, p, offset_head(-1, 64), mask=causal_mask(60))
assert looks_back[0, 0] == 1 and looks_back[np.arange(1, 60), np.arange(59)].min() > 0.9999999
# The first token, and weighing by distance
gentle = first_token_head(64, sharpness=4.0)
on_first = head_weights(p, p, gentle)[:, 0]
assert rank(gentle) == 1 and np.allclose(on_first, 0.987, atol=5e-4)
assert np.allclose(np.cos(np.array([1000, 2000]) * omega[-1]), [0.99, 0.96], atol=0.006)
assert round(32 / math.log(10_000), 2) == 3.47
assert all(abs(m / c - 1) < 0.03 for m, c in slopes.values())
for d_model, base, off in ((64, 1e3, 4), (64, 1e6, 5), (16, 1e4, -22)):
    near = kappa(np.arange(200), frequencies(d_model, base=base))
    slope = np.polyfit(np.log(distances), near[1:], 1)[0]
    power_there = -d_model / 2 / math.log(base)
    assert round(100 * (slope / power_there - 1)) == off
assert (np.diff(slow) < 0).all() and (np.diff(everything) > 0).any()
assert slow[0] > 0.99 and everything[0] < 0.4  # the slow ones hardly tell neighbours apart
# Both neighbours
both = Head(shift_matrix(1, 64) + shift_matrix(-1, 64), np.eye(64), 16.0)
assert (head_weights(p, p, both).argmax(axis=1) == np.arange(60)).all()
others = kappa(np.arange(60), omega[1:])
assert np.allclose(others[:3], [31, 30.38, 28.72], atol=0.005)
assert np.allclose(np.cos(np.arange(3)), [1, 0.54, -0.42], atol=0.005)
score = others - 1.5 * np.cos(np.arange(60))
assert np.allclose(score[:3], [29.5, 29.57, 29.34], atol=0.005) and score.argmax() == 1
assert round(score[1] - score[0], 2) == 0.07
signed = Head(np.diag(np.repeat([-1.5, *[1.0] * 31], 2)), np.eye(64), 128.0)
assert np.allclose(
    head_weights(p, p, signed)[30, 29:32],
    [0.4999, 0.0001, 0.4999],
    atol=1e-4,
)
best = {vote: int((others + vote * np.cos(np.arange(60))).argmax()) for vote in np.arange(-5, 1.5, 0.5)}
assert [vote for vote in best if best[vote] == 1] == [-1.5]
assert [vote for vote in best if best[vote] == 2] == [-3.5, -3, -2.5, -2]
assert [vote for vote in best if best[vote] == 3] == [-5, -4.5, -4]
assert all((others - strong * np.cos(np.arange(60))).argmax() != 4 for strong in np.geomspace(0.1, 1e6, 200))
# The trained model
seen, unseen, fresh = on_previous.values()
assert (round(seen, 4), round(unseen, 3), round(fresh, 3), layer) == (
    0.9996,
    0.013,
    0.008,
    0,
)
shuffled = [each[layer][head][before] for each in results["shuffled"]]
assert len(shuffled) == 3 and round(max(shuffled), 3) == 0.025
own = results["offsets"].index(0)
by_word = {
    (at, head): (
        round(results["with_positions"][at][head][own], 2),
        round(results["without"][at][head][own], 2),
    )
    for at in range(6)
    for head in range(12)
}
assert sorted(by_word, key=lambda at: by_word[at][1])[-2:] == [
    (2, 9),
    (1, 1),
]
assert by_word[1, 1] == (0.12, 0.31) and by_word[2, 9] == (0.10, 0.30)
assert (
    results["n_tokens"] == 20 * 128 and 20 * 126 == 2520 and results["even"] == 1 / 128
)  # 126 and the marks, 20 times
# Two heads that continue a text
brought = (looks @ words)[-1]
assert brought.argmax() == 2 and brought.max() > 0.99
assert np.allclose(looks, induction_weights(words, one_back), atol=1e-15)
assert np.allclose(looks @ words, induction_shares(tokens, 5), atol=1e-6)
pair = InductionHeads("to be to do to")
assert np.allclose([pair.shares["be"], pair.shares["do"]], 0.5, atol=2e-3)
pair.words = ["to", "be", "to", "be", "to", "do", "to"]
assert np.allclose([pair.shares["be"], pair.shares["do"]], [2 / 3, 1 / 3], atol=2e-3)
pair = InductionHeads("the cat sat down the", first_head="no positions")
rows = np.arange(1, 7)
the_share = np.cumsum(tokens == 1) / rows  # of each row's prefix
assert np.allclose(pair.weights, softmax(8 * the_share), atol=1e-9)
assert pair.weights.argmax() == the_share.argmax() == 1
pair.first_head = "off"
assert np.allclose(pair.weights, 1 / 6)
long_text = np.arange(1000)  # the last word follows word 0, and is it again
long_text[-1] = 500
assert round(1 - induction_shares(long_text, 1000)[-1, 501], 2) == 0.25
for beta, repeats in (
    (math.log(2) - 0.01, False),
    (math.log(2) + 0.01, True),
):
    for length in (2, 5, 20):
        text = [0, *range(1, length + 1), 1]
        for _ in range(5 * length):
            next_word = induction_shares(np.array(text), length + 1, sharpness=beta)[-1]
            text.append(int(next_word.argmax()))
        around = [0, *(1 + np.arange(len(text) - 1) % length)]
        assert (text == around) == repeats
no_start = induction_shares(np.array([0, 1, 2, 0]), 3)[-1]
assert np.allclose(no_start[:2], 0.5, atol=1e-3)  # itself, too
decoder = json.loads(stored("trained_decoder.json").read_text(encoding="utf8"))["heads"]
induction_heads = decoder["chosen"]["induction"]
intact = decoder["scores"]["second half"]["induction"]
assert len(induction_heads) == 9 and np.size(intact) == 270
assert round(np.mean([intact[at][h] for at, h in induction_heads]), 2) == 0.65
without_one = decoder["previous, one at a time"][0]
assert round(np.mean(without_one["induction_scores"]), 2) == 0.15
lowest = min(layer for layer, _ in induction_heads)
below = [
    without["induction_scores"]
    for without in decoder["previous, one at a time"][1:]
    if without["zero"]["heads"][0][0] < lowest
]
assert [round(np.mean(scores), 2) for scores in below] == [0.65] * 3
before, rotated_not = (
    [decoder["scores"][part]["previous"][at][h] for at, h in decoder["chosen"]["previous"]]
    for part in ("first half", "unrotated")
)
assert np.round([min(before), max(before)], 2).tolist() == [0.43, 0.77]
assert len(before) == 5 and round(max(rotated_not), 2) == 0.06
norms = {d: 1 - sharp[d][0] / (d / 2) for d in (64, 512)}  # cosines of neighbours
assert (round(1 - norms[64], 3), round(1 - norms[512], 3)) == (0.034, 0.027)
# The edges
assert weights[-4:].argmax(axis=1).tolist() == [58, 59, 59, 59] and weights[-2:, -1].min() > 0.999
narrower = sinusoidal_encoding(np.arange(30), 16)
assert head_weights(narrower, narrower, offset_head(2, 16))[-1].argmax() == 25
assert np.diff(kappa(np.arange(6), omega)).max() < 0 < kappa(6, omega) - kappa(5, omega)
for map_, astray in zip(maps.values(), ([1, 0, 0, 0, 0], [39, 39, 29, 30, 0]), strict=True):
    assert map_.argmax(axis=1).tolist() == [*astray, 0, 1, 2, 3, 4]
assert (np.sort(maps["all 32 hands"][:5].max(axis=1))[:2] > [0.7, 0.99]).all()  # row 0 is the unsure one
assert all((key == 0) == (position < 11_780) for position, (_, key) in far_rows.items())
late = sinusoidal_encoding(np.arange(1000, 1060), 64)
assert len(set(head_weights(late, late, first_token_head(64)).argmax(axis=1))) == 1
near = head_weights(p, p, distance_head(64))
assert round(near[0, 0], 2) == 0.73 and round(near[30, 30], 2) == 0.58
# The exercises
one = head_weights(
    sinusoidal_encoding(np.array([0]), 2),
    sinusoidal_encoding(np.arange(45), 2),
    offset_head(0, 2),
)[0]
assert round(one[0] / one[6], 1) == 1.9 and round(one[0] / one[44], 3) == 1.003
four_away = np.ones(32)
four_away[1] = -4
lead = np.sort(np.cos(np.outer(np.arange(60), omega)) @ four_away)
assert round(lead[-1] - lead[-2], 2) == 0.16
assert checks.looks_four_away(four_away).passed and round(math.pi / omega[1], 1) == 4.2 and round(omega[1], 2) == 0.75
