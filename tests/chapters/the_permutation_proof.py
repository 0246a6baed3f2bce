"""The numbers of *The permutation proof*, checked with the names of its notebook at hand."""

from math import factorial, log2, prod

from inorder.attention import linear
from inorder.transformer import feed_forward

close = partial(np.allclose, rtol=0, atol=1e-12)


def gap(left, right):
    """As on the page, but with all digits."""
    return np.abs(left - right).max()


rounding = 50 * epsilon
weights = attention_weights(figures.QUERIES, figures.KEYS)  # by hand
assert close(
    weights,
    [[1 / 4, 1 / 2, 1 / 4], [4 / 7, 1 / 7, 2 / 7], [1 / 2, 1 / 4, 1 / 4]],
)
hand, moved_hand = (attention(figures.QUERIES[o], figures.KEYS[o], figures.VALUES[o]) for o in ([0, 1, 2], [2, 0, 1]))
assert close(hand, [[7, 14], [16, 4], [14, 7]])
assert close(moved_hand, [[14, 7], [7, 14], [16, 4]])
moved_weights = attention_weights(figures.QUERIES[[2, 0, 1]], figures.KEYS[[2, 0, 1]])
assert close(
    moved_weights,
    [[1 / 4, 1 / 2, 1 / 4], [1 / 4, 1 / 4, 1 / 2], [2 / 7, 4 / 7, 1 / 7]],
)
P3 = permutation_matrix(np.array([2, 0, 1]))
assert np.array_equal(P3 @ np.diag([1, 2, 3]) @ P3.T, np.diag([3, 1, 2])) and np.array_equal(P3.T @ P3, np.eye(3))
three_rows = np.array([[1.0, 2], [3, 5], [8, 4]])
o = np.array([2, 0, 1])  # the square, the sum and the running sum
assert gap(np.square(three_rows[o]), np.square(three_rows)[o]) == 0
assert gap(three_rows.sum(axis=0), three_rows[o].sum(axis=0)) == 0
run_on, moved_on = three_rows.cumsum(axis=0), three_rows[o].cumsum(axis=0)
assert min(gap(moved_on, run_on[o]), gap(moved_on, run_on)) > 1
rng = np.random.default_rng(1)
X_any, S_any = rng.normal(size=(7, 16)), rng.normal(size=(7, 7))
P_any = permutation_matrix(random_order(7, rng))  # the broken step
assert gap(softmax(P_any @ S_any @ P_any.T), P_any @ softmax(S_any)) > 0.1
assert real is None or (0.5 < DOGS[True] < 0.9 and DOGS[False] < 1e-12)
signs = np.where(np.arange(16) % 3 == 0, -1.0, 1.0)  # single columns
gain = np.arange(1.0, 17)
flipped = figures.rms_norm(X_any * signs) * gain
assert gap(flipped, figures.rms_norm(X_any) * gain * signs) == 0
rng = np.random.default_rng(0)  # step 1, the parts that the page does not show
X, p = (
    rng.normal(size=(7, 16)),
    with_biases(fresh(0), rng).parameters.blocks[0],
)
P7 = permutation_matrix(random_order(7, rng))
assert gap(P7 @ X + P7 @ X**2, P7 @ (X + X**2)) == 0
assert (
    gap(
        feed_forward(P7 @ X, p.feed_forward),
        P7 @ feed_forward(X, p.feed_forward),
    )
    < 20 * rounding
)
assert (
    gap(
        linear(P7 @ X, p.feed_forward.w_in, p.feed_forward.b_in),
        P7 @ linear(X, *p.feed_forward[:4:2]),
    )
    < rounding
)
for row in deep_errors:
    assert max(row["f(PX) = P f(X)"]) < rounding * row["layers"] and min(row["f(PX) = f(X)"]) > 0.1
assert max(torch_errors["eval()"] + torch_errors["eval(), mask moves"]) < rounding
assert min(torch_errors["eval(), mask stays"] + torch_errors["train(): dropout"]) > 0.1

S_hand = np.array([[np.log(3), 0], [0, 0]])
R_hand = np.diag([1, -1])
assert close(softmax(S_hand), [[3 / 4, 1 / 4], [1 / 2, 1 / 2]])
assert close(R_hand @ softmax(S_hand) @ R_hand.T, [[3 / 4, -1 / 4], [-1 / 2, 1 / 2]])
assert [max(errors) < 1e-14 for errors in slips.values()] == [
    True,
    False,
    True,
    True,
    False,
    False,
]
assert (
    min(
        slips["(P A Pᵀ) V = P (A V)"]
        + slips["softmax(D S D) = D A D, D flips signs"]
        + slips["softmax(R S Rᵀ) = R A Rᵀ, R a rotation"]
    )
    > 0.1
)

for seed in SEEDS:  # what a row can know
    first = first_numbers("none", seed)
    assert {n_distinct(first[:, row]) for row in range(5)} == {5}
    assert {n_distinct(first[orders == word]) for word in range(5)} == {1}
    first = first_numbers("sinusoidal", seed)
    assert {n_distinct(first[orders == word]) for word in range(5)} == {120}
    model = fresh(seed, n_layers=6)
    for text, same in (
        (["AABB"], True),
        (["ABABAB"], True),
        (["BBAA"], True),
        (["AAB"], False),
        (["ABC"], False),
    ):
        letters = np.array(["ABC".index(letter) for letter in text[0]])
        change = np.abs(run(letters, model)[text[0].index("A")] - run(np.array([0, 1]), model)[0]).max()
        assert change < 1e-13 if same else change > 0.01

playground = partial(PermutationPlayground, "big dog bites old dog", order=[3, 4, 2, 0, 1])
play, waves, causal = (
    playground(),
    playground(position="sinusoidal"),
    playground(mask="causal"),
)
assert play.error < 1e-12 and close(play.output[1], play.output[4])
assert waves.error > 0.05 and waves.pooled_error > 0.01 and causal.error > 0.05
assert playground(mask="causal", mask_moves=True).error < 1e-12
two_dogs = PermutationPlayground("dog big bites old dog", order=[4, 0, 1, 2, 3], mask="causal")  # the exercise
assert close(two_dogs.new_output[1], two_dogs.output[0]) and two_dogs.error > 0.05
# one token after A B and after B A: the same row in one layer, not in two
for seed in SEEDS:
    one, two = (fresh(seed, n_layers=n_layers) for n_layers in (1, 2))
    one, two = (gap(*(run(np.array(t), m, causal_mask(3))[2] for t in ([0, 1, 2], [1, 0, 2]))) for m in (one, two))
    assert one < rounding and two > 0.1

invariant_ones = (
    "mean of the rows",
    "largest of each column",
    "row of the special token",
)
for name, changes in read_out_changes.items():
    assert max(changes) < 1e-13 if name in invariant_ones else min(changes) > 0.1
assert set(scores["none"]) == {0.5} and min(scores["sinusoidal"]) > 0.5

layer, rms, batch, by_position = norm_rows
assert min(by_position["f(PX) = P f(X)"]) > 0.1
assert max(by_position["mixes"]) == 0
assert max(layer["f(PX) = P f(X)"] + rms["f(PX) = P f(X)"] + layer["mixes"] + rms["mixes"]) == 0
assert max(batch["f(PX) = P f(X)"]) < rounding and min(batch["mixes"]) > 0.1
survives = {
    (way, norm): figures.what_a_norm_leaves(12, way, norm)[-1].parts["sign"] == "≠"
    for way in figures.WAYS_TO_WRITE
    for norm in ("layer norm", "RMS norm")
}
assert [pair for pair, remaining in survives.items() if not remaining] == [
    ("added to every number", "layer norm"),
    ("times the row", "layer norm"),
    ("times the row", "RMS norm"),
]
assert max(invisible["pre-norm"] + invisible["post-norm, embeddings normalised"]) < 1e-13
assert min(invisible["post-norm"]) > 0.1
assert directions[0][f"directions of {d}"] == {d - 2} and directions[1][f"directions of {d}"] == {d - 1}
assert np.allclose(
    directions[1]["factor, derived"],
    directions[1]["measured"],
    rtol=1e-9,
    atol=0,
)

for errors in figures.errors_of_marks().values():  # proportional from 1e−13 to 1e−1; the smallest are rounding
    slope = errors[5:-1] / 10.0 ** figures.POWERS[5:-1]
    assert np.ptp(slope) < 0.1 * slope.mean() and max(errors[:2]) < rounding
assert np.abs(ratios - 1).max() < 0.01
for name, errors in breaks.items():
    assert max(errors) < rounding if name.endswith("moves along") else min(errors) > 0.01

right = {"order", "tokens, renamed model", "rotated rows, turned model"}
assert {name for name, errors in hidden.items() if max(errors) < 1e-12} == right
assert min(min(errors) for name, errors in hidden.items() if name not in right) > 0.05
text = ["dog", "bites", "man", "bites", "dog"]
n_texts = factorial(len(text)) // prod(factorial(text.count(word)) for word in set(text))
assert n_texts == len(set(permutations(text))) == 30 and round(log2(n_texts), 1) == 4.9
named = 0
for seed in SEEDS:
    rng, table = (
        np.random.default_rng(seed),
        fresh(seed).parameters.embedding,
    )
    sent_tokens = rng.integers(20, size=n)
    lengths = np.linalg.norm(table[sent_tokens] @ rotation(rng, keep_ones=False), axis=1)[:, None]  # (n, 1)
    named += int((np.abs(lengths - np.linalg.norm(table, axis=1)).argmin(axis=1) == sent_tokens).sum())
assert named == len(SEEDS) * n == 100

for seed in SEEDS:  # the exercises
    y = run(np.array([4, 9, 4]), fresh(seed, n_layers=6))
    assert close(y[0], y[2])
    model, x = fresh(seed), np.random.default_rng(seed).normal(size=(n, 16))
    for mask in (
        np.ones((n, n), dtype=bool),
        np.eye(n, dtype=bool),
        ~np.eye(n, dtype=bool),
    ):
        assert equivariance_error(partial(run, model=model, mask=mask), x, rng=seed)[0] < rounding
    assert np.abs(run(x, model, causal_mask(n)).sum(axis=1)).max() < 1e-13  # an untrained layer norm ends the model
assert [error < rounding for error in which_step.values()] == [
    True,
    False,
    True,
    False,
    True,
]
row = np.array([1.0, 1, 3, 3])
assert close(layer_norm(row, eps=0), [-1, -1, 1, 1]) and close(layer_norm(row + 5, eps=0), [-1, -1, 1, 1])
assert close(
    layer_norm(row + np.array([1.0, 0, 1, 0]), eps=0),
    np.array([-1, -3, 3, 1]) / np.sqrt(5),
)
assert np.prod(np.arange(1, 22)) < 0 < factorial(21)  # NumPy's product overflows
assert verdict.passed
