"""The numbers of *Longer than trained*, checked with the names of its notebook at hand."""

import json

from inorder.encodings import alibi_slopes, frequencies, interpolated_frequencies, ntk_frequencies, yarn_frequencies
from inorder.lab.results import read
from inorder.stored import stored


def results_of(name):
    """The results of each part of a record."""
    record = json.loads(stored(name).read_text(encoding="utf8"))
    return {part: content["results"] for part, content in record.items()}


def mean_at(task, scheme, words=60):
    return figures.accuracies(task, scheme, words).mean()


signs = [figures.more_keys(4, slope, 200)[1].parts["sign"] for slope in ("0", "1/64", "1/16", "1/4")]
assert signs == ["≠", "≠", "≠", "="]
assert "0.81, with 200 it gets 0.74" in figures.more_keys(4, "1/16", 200)[1].parts["words"]

assert np.allclose(weights[0], [0.95, 361 / 420])
assert np.round(np.array(weights[1]), 2).tolist() == [0.99, 0.99]
assert np.allclose(
    figures.share_of_the_best(np.array([20, 60]), np.log(19)),
    [1 / 2, 19 / 78],
)
assert changes.met_buckets(max_distance=128).sum() == 21
farthest = figures.NUMBERS["T5, reach 128"].of(np.arange(60), 60)
assert np.flatnonzero(farthest == farthest[19]).tolist() == [*range(16, 23)]
remaining = {
    "which-first": {"alibi-split", "t5-16", "shaw", "scalar-relative"},
    "copy-left": {"rotary", "shaw"},
    "last-token": set(),
}
for task, names in remaining.items():
    assert {name for name in figures.labels() if mean_at(task, name) > 0.95} == names
for scheme in ("rotary", "scalar-relative", "shaw", "t5-16", "alibi-split"):
    assert mean_at("which-first", scheme, 20) > 0.99
full_at_20 = [sum(mean_at(task, name, 20) >= 0.9 for name in figures.labels()) for task in figures.TASKS]
assert full_at_20 == [10, 7, 3] and len(figures.labels()) == 12
weak = {task: {name for name in figures.labels() if mean_at(task, name, 20) < 0.5} for task in figures.TASKS}
assert weak["copy-left"] == {
    "none",
    "alibi",
    "alibi-split",
    "scalar",
    "scalar-relative",
}
assert weak["last-token"] == {"none", "alibi", "alibi-split", "t5", "t5-16"}
assert alibi_slopes(figures.N_HEADS).max() == 1 / 4 and np.exp(1 / 4).round(2) == 1.28
for name, worst in (("learned", 0.21), ("binary", 0.23)):
    assert figures.accuracies("last-token", name, 20).min().round(2) == worst
assert figures.accuracies("which-first", "t5-16", 60).min().round(2) == 0.87
assert mean_at("which-first", "scalar").round(2) == 0.84 and mean_at("which-first", "rotary").round(2) == 0.68
assert figures.accuracies("which-first", "alibi-split", 60).min() > 0.995
assert 0.6 < mean_at("which-first", "rotary") < 0.8 and mean_at("copy-left", "rotary") == 1
assert max(mean_at("which-first", name) for name in ("sinusoidal", "learned")) < 0.6
assert 0.7 < mean_at("copy-left", "t5-16") < 0.8 and mean_at("copy-left", "t5-16", 20) > 0.99
assert mean_at("copy-left", "scalar-relative", 20) < 0.35
others = [mean_at("last-token", name) for name in figures.labels() if name != "scalar-relative"]
assert 0.75 < mean_at("last-token", "scalar-relative") < 0.85 and max(others) < 0.5
assert mean_at("last-token", "rotary") < 0.2 and mean_at("last-token", "rotary", 20) > 0.99
assert mean_at("last-token", "sinusoidal") < figures.bound("last-token", 60) / 2
assert figures.accuracies("last-token", "learned", 60).max() < 0.55 * figures.bound("last-token", 60)
for name in ("alibi", "alibi-split"):
    assert max(mean_at("copy-left", name, 20), mean_at("last-token", name, 20)) < 0.5
assert set(figures.accuracies("which-first", "alibi", 60)) == {0.5}
stored_changes = figures.record()
seeds = stored_changes["which-first, rotary"]["as it is"]
assert np.round(
    np.abs(seeds[:, -1] - figures.accuracies("which-first", "rotary", 60)),
    2,
).max() in (0.11, 0.12)
assert (seeds[:, 1] == 1).all() and np.abs(seeds[:, -1] - [0.77, 0.53, 0.58, 0.57, 0.72]).max() < 0.0051
squeezed = [stored_changes[f"which-first, {name}"] for name in ("learned", "sinusoidal", "rotary", "t5")]
lost = [results["squeezed"][:, -1] - results["as it is"][:, 1] for results in squeezed]
assert np.min(lost).round(2) == -0.06 == lost[3].min().round(2)
for name in ("learned", "sinusoidal", "rotary"):
    results = stored_changes[f"which-first, {name}"]
    assert np.all(np.abs(results["squeezed"][:, -1] - results["as it is"][:, 1]) < 0.04)  # as at 20 words
    assert results["as it is"][:, -1].mean() < 0.65
for name in ("learned", "rotary"):
    assert stored_changes[f"copy-left, {name}"]["squeezed"][:, -1].max() < 0.22
t5_changes = {how: results[:, -1].mean() for how, results in stored_changes["copy-left, t5"].items()}
expected = {"as it is": 0.55, "filled": 0.76, "windowed": 1.0}
assert {how: round(results, 2) for how, results in t5_changes.items()} == expected
assert abs(t5_changes["filled"] - mean_at("copy-left", "t5-16")) < 0.05
table_changes = {how: results[:, -1].mean() for how, results in stored_changes["copy-left, learned"].items()}
assert table_changes["windowed"] - table_changes["as it is"] < 0.05 and table_changes["random starts"] > 0.8
filled_t5 = stored_changes["which-first, t5"]["filled"][:, -1]
assert (filled_t5.min().round(2), filled_t5.max().round(3)) == (0.76, 0.995)
assert stored_changes["which-first, t5"]["as it is"][:, 1].min().round(2) == 1
directed = stored_changes["copy-left, alibi-split"]
at_20_and_60 = [directed[how][:, k].mean().round(2) for how, k in (("as it is", 1), ("as it is", -1), ("windowed", -1))]
assert at_20_and_60 == [0.42, 0.34, 0.39]
assert (
    table_changes["as it is"].round(2),
    table_changes["random starts"].round(2),
) == (0.39, 0.84)
assert stored_changes["copy-left, rotary"]["windowed"][:, -1].min() == 1
# Slower hands, in the library and here
assert np.allclose(interpolated, interpolated_frequencies(d, s, base=base))
assert np.allclose(ntk, ntk_frequencies(d, s, base=base))
assert np.allclose(yarn, yarn_frequencies(d, s, trained, base=base))
assert np.ceil(2 * np.pi / omega[20:23]).tolist() == [8379, 12_007, 17_206]
assert (begin, end) == (10, 20) and turns[19] > 1 > turns[20]
last = {
    (text, how): figures.losses(text, run.run)[-1]
    for text in ("alice", "book")
    for how, run in figures.REMEDIES.items()
}
expected = {
    "as trained": 3.55,
    "half the text": 2.78,
    "half, with a gap": 3.67,
    "NTK-aware": 2.78,
    "YaRN": 2.78,
    "interpolated": 3.14,
    "window": 3.18,
}
assert {how: round(last["alice", how], 2) for how in expected} == expected
known_gap = [figures.losses(text, "known gap")[-1] for text in ("alice", "book")]
costs = [round(loss - last[text, "half the text"], 2) for text, loss in zip(("alice", "book"), known_gap, strict=True)]
assert round(known_gap[0], 2) == 2.78 and costs == [0.00, 0.03]
first_gap = figures.losses("alice", "first gap")[-1]
assert round(first_gap - last["alice", "half the text"], 2) == 0.01
wide = [figures.losses(text, "wide known gap")[-1] - figures.losses(text, "end")[-1] for text in ("alice", "book")]
assert np.round(wide, 2).tolist() == [0.11, 0.18]
of_distances = [
    (last[text, "half, with a gap"] - last[text, "half the text"] - cost)
    / (last[text, "as trained"] - last[text, "half the text"])
    for text, cost in zip(("alice", "book"), wide, strict=True)
]
assert np.round(of_distances, 2).tolist() == [1.00, 0.85]
for text in ("alice", "book"):
    assert last[text, "as trained"] > last[text, "half the text"] + 0.7
    for how in ("NTK-aware", "YaRN"):
        assert last[text, how] < last[text, "half the text"] + 0.01
    assert last[text, "interpolated"] > last[text, "YaRN"] + 0.35
    assert figures.short_loss(text, "interpolated") > 0.6 + max(
        figures.short_loss(text, how) for how in ("trained", "ntk", "yarn")
    )
assert np.allclose(
    figures.losses("alice", "shifted"),
    figures.losses("alice", "cut"),
    atol=1e-4,
)

# The crowd theorem with ALiBi's slope, and without the factor exp(md)
others = 1 / figures.share_of_the_best(np.array([200]), 4, 1 / 4)[0] - 1
half = (2 / (np.exp(1 / 4) - 1) + 1) * np.exp(-4)
assert half.round(3) == 0.147 and others.round(3) == 0.157
assert half < others < half * np.exp(3 / 4)

# T5's crowd, thinned; Shaw's rows
t5_crowd = {how: results[:, -1].mean().round(2) for how, results in stored_changes["copy-left, t5-16"].items()}
assert t5_crowd["thinned"] == 0.99 and t5_crowd["windowed"] > 0.995
assert [t5_crowd[f"thinned to {n}"] for n in (40, 30)] == [0.91, 0.96]
whole = stored_changes["copy-left, t5-16"]["as it is"].mean(axis=0)
for k, how in ((1, "thinned"), (2, "thinned to 30"), (3, "thinned to 40")):
    assert 0 <= whole[k] - t5_crowd[how] < 0.03  # texts of 20, 30 and 40
uses = figures.uses_the_far_vector()
by_row = {how: rows[:, :43] for how, rows in figures.rows().items()}
assert uses.sum() == 3
moved_rows = by_row["moved, 60 words"][uses].mean(axis=1)
assert moved_rows.round(2).tolist() == [1.0, 1.0, 0.95]
moved = stored_changes["last-token, shaw"]["moved"][:, -1]
assert moved[uses].min().round(2) == 0.96
assert np.all(figures.rows()["moved, 20 words"][uses][:, :3] > 0.9)
assert by_row["as it is, 60 words"][uses].max() < 0.65
assert figures.rows()["as it is, 60 words"][:, 46:].mean() > 0.97
assert np.all(figures.rows()["as it is, 20 words"][uses][:, 3:] > 0.85)
assert np.all(figures.rows()["as it is, 20 words"][~uses][:, :4] < 0.15)
assert mean_at("last-token", "shaw").round(2) == 0.39

# The far right left to another word than the last
named = results_of("named_words.json")
far_right = named["far-right"]
assert far_right["end"] == 50
assert far_right["seeds"] == list(range(len(uses)))
assert np.array(far_right["named there"])[uses].min() > 0.94
assert np.array(far_right["named last"])[uses].max() < 0.11

# Which words do models name at last-token that do not find the last?
up_to_20, up_to_15 = (named["longest"][f"up to {longest}"]["named"] for longest in (20, 15))
for shares, n_models, low, high in (
    (up_to_20["18 to 21"], 10, 0.83, 1.00),
    (up_to_20["41 to 44"], 10, 0.31, 0.37),
    (up_to_15["13 to 16"], 4, 0.93, 0.96),
    (up_to_15["18 to 21"], 4, 0.32, 0.36),
):
    assert len(shares) == n_models
    assert np.abs([min(shares) - low, max(shares) - high]).max() < 0.02
assert [most["word"] for most in named["binary"]["most often"]] == [32, 32]

# Ten times the steps
longer = read(stored("ten_times_longer.json")).table()
these = (longer["length"] == 60) & longer["scheme"].isin(figures.labels())
best = longer[these].groupby(["scheme", "task"])["accuracy"].max()
worst_task = best.groupby("scheme").min()
assert len(worst_task) == 8 and worst_task.max() < 0.5

# Two layers
assert {task: two_layers["shaw", task].mean().round(2) for task in figures.TASKS} == {
    "which-first": 1.0,
    "copy-left": 1.0,
    "last-token": 0.97,
}
assert two_layers["shaw", "last-token"].min().round(2) == 0.88
assert two_layers["alibi-split", "last-token"].min() > 0.999


# RoPE's remedies in small models: one frequency moved or slowed, or the
# others
assert frequencies(figures.D_HEAD)[1] == 0.1
gaps = results_of("across_a_gap.json")
for task, share, slowed in (
    ("which-first", 0.55, 0.995),
    ("last-token", 0.08, 0.895),
):
    right = {name: np.array(seeds) for name, seeds in gaps["frequencies"]["tasks"][task].items()}
    assert {len(seeds) for seeds in right.values()} == {3}
    assert np.abs(right["20 words, gap 40, one"] - share).max() < 0.03
    assert right["20 words, gap 40, others"].min() > 0.97
    assert right["60 words, one slowed"].min() > slowed
    assert np.all(right["60 words, others slowed"] < right["60 words"] + 0.03)
    assert np.abs(right["20 words, gap 40"] - share).max() < 0.03
    assert right["20 words, gap 63"].min() > 0.99
    assert right["10 words, gap 10"].min() > 0.97
    if task == "last-token":
        assert right["20 words, gap 10"].max() < 0.5
    else:  # a pair at a time, across the gap: beyond half a turn, and below
        assert right["gap 40, across"].max() < 0.005
        assert right["gap 10, across"].min() > 0.99
        assert round(1 - right["gap 10, one side"].min(), 2) == 0.11
        near_pairs = right["60 words, near"]
        assert near_pairs.min() > 0.535 and near_pairs.max() < 0.885

# Whose distances reverse a pair across the gap
for which, low, high in (
    ("all", 0.00, 0.00),
    ("of the pair", 0.94, 1.00),
    ("all but of the pair", 0.00, 0.03),
    ("to the pair", 0.00, 0.08),
    ("all but to the pair", 0.88, 1.00),
):
    shares = gaps["distances"][which]
    assert len(shares) == 5
    assert np.abs([min(shares) - low, max(shares) - high]).max() < 0.02
assert gaps["distances"]["ends"] == [1] * 5

# Where the vote tips
tips = {(each["base"], each["words"], each["before the gap"]): each["gap"] for each in gaps["tipping"]}
apart = {}
for this_base, n_models in ((1e4, 5), (3e3, 5), (3e4, 10)):
    second = frequencies(figures.D_HEAD, base=this_base)[1]
    for n in (10, 20):
        expected = np.pi / second - n / 2
        assert expected.round(1) in (21.4, 26.4, 13.3, 18.3, 31.3, 36.3)
        apart[this_base, n] = np.abs(np.array(tips[this_base, n, n // 2]) - expected)
        assert len(apart[this_base, n]) == n_models
        assert apart[this_base, n][:2].max() < 0.7
        if this_base < 3e4:
            assert apart[this_base, n].max() < 0.7
assert [apart[3e4, n].max().round(1) for n in (20, 10)] == [0.8, 1.7]
assert min(tips[1e4, 20, 10]) > 20.9 and max(tips[1e4, 20, 10]) < 22.1
assert min(tips[1e4, 10, 5]) > 26 and max(tips[1e4, 10, 5]) < 27
for left in (5, 15):
    shares = tips[1e4, 20, left]
    assert min(shares) > 19 and max(shares) < 24
for text, share in (("alice", 0.47), ("book", 0.66)):
    harm, remains = (last[text, how] - last[text, "half the text"] for how in ("as trained", "interpolated"))
    assert round(remains / harm, 2) == share
farther = ntk_frequencies(d, 1.5, base=base) * 12_287 / (omega * 8191)
assert (farther[20:] > 1.001).sum() == 11
assert round(100 * farther[20:].max()) == 115
yarn_20, yarn_60 = (1 - stored_changes["copy-left, rotary"]["yarn"][:, k].mean() for k in (1, -1))
assert yarn_20 > yarn_60 / 2 and round(yarn_60, 2) == 0.23
assert at_60["interpolated", "which-first"] > 0.99
assert at_60["interpolated", "copy-left"] < 0.2
assert at_60["NTK-aware", "copy-left"] > 0.99
assert at_60["NTK-aware", "last-token"] < 0.5
assert 0.7 < at_60["YaRN", "copy-left"] < 0.8
assert min(at_60["interpolated", "last-token"], at_60["YaRN", "last-token"]) > 0.9

assert leaders["all three"][0].startswith("Shaw") and len({first for first, _ in leaders.values()}) > 1
assert leaders["without copy-left"][0].startswith("scalar, i/(n − 1)")
assert np.isclose(59 / 19, 3.1, atol=0.01) and np.isclose(np.log(3), 1.1, atol=0.002)


def recorded_squeezed():
    says("Untouched, the model does no better than a coin")
    assert as_it_is < 0.55
    says("it is right 92 times in 100", 100 * at_known_positions, 100)
    at_20_words = stored_changes["which-first, learned"]["as it is"][0, 1]
    says("as with 20 words (0.90)", 20, at_20_words)


def again_squeezed():
    """The record of `inorder.lab.longer_than_trained` has five seeds."""
    for share, how in ((as_it_is, "as it is"), (at_known_positions, "squeezed")):
        alike(share, stored_changes["which-first, learned"][how][:, -1])


def recorded_own_scheme():
    assert own["60"] > 0.9


def again_own_scheme():
    """A coin gets one half, and at 20 words, the longest in training, nothing is new."""
    assert min(own["20"], own["60"]) > 3 / 4


@recorded("longer_than_trained/filled_and_thinned", script="tests/chapters/longer_than_trained.py")
def fill_and_thin(seed=0):
    """T5 with both of its failures at copy-left taken away: the share right in texts of 60 words."""
    model = train_model(Setting("copy-left", "t5", seed=seed))
    return changes.right(changes.filled(model), "copy-left", 60, mask=changes.thinned)


def recorded_filled_and_thinned():
    says("Filled and thinned, the first is nearly always right, too")
    assert fill_and_thin() > 0.97


def again_filled_and_thinned():
    """Filled alone, the crowd remains: thinning it, too, must help."""
    assert fill_and_thin() > stored_changes["copy-left, t5"]["filled"][:, -1].max()


def again_changes():
    """Three of the stored models, trained again."""
    t5 = train_model(Setting("which-first", "t5", seed=0))
    with_starts = changes.train_with_random_starts(Setting("copy-left", "learned", seed=0))
    for name, how, share in (
        ("which-first, t5", "as it is", changes.right(t5, "which-first", 60)),
        ("which-first, t5", "filled", changes.right(changes.filled(t5), "which-first", 60)),
        ("copy-left, learned", "random starts", changes.right(with_starts, "copy-left", 60)),
    ):
        assert abs(share - stored_changes[name][how][0, -1]) < 0.05
