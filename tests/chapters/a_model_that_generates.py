"""The numbers of *A model that generates*, checked with the names of its notebook at hand."""

prompts_, rows_, swaps_ = record["prompts"], record["rows"], record["swaps"]
texts = {
    setting: prompts_["placements"]["Once upon a time there was a little girl who"][setting]["text"]
    for setting in decoder.PLACEMENTS
}
assert texts["trained"].startswith(" loved to play in the sun.")
assert texts["unrotated"].startswith(" had been a woman, a man, a woman")
assert first == "2026-11-24" and last == max(each["date"] for each in made)
assert texts["mispaired"].startswith(" was a little girl named Emily who")
for of_prompt in prompts_["placements"].values():
    assert of_prompt["shifted"]["text"] == of_prompt["trained"]["text"]
assert decoder.PLACEMENTS["shifted"].offset == 1000
assert decoder.PLACEMENTS["stretched"].scale == 2
cities = {
    setting: [figures.first_choice(prompt, setting) for prompt in prompts] for setting in ("trained", "unrotated")
}
assert cities["trained"] == [" Paris", " London"]
assert cities["unrotated"][0] == cities["unrotated"][1]

# the clean pair
differences = {
    source: np.array([pair[source] for pair in rows_["differences"]]) for source in figures.SOURCES
}  # (pair, state)
mask, both = differences["mask"], differences["both"]
assert mask[:, 1].max() < 1e-6 < 1e-3 < both[:, 1].min()
assert (round(mask[:, 2].min(), 3), round(mask[:, 2].max(), 3)) == (
    0.009,
    0.034,
)
many = figures.word_pair_answers()
differences = {
    source: np.concatenate([answers[source]["differences"] for answers in many.values()]) for source in figures.SOURCES
}  # (pair, after 1, 2 and 30 blocks)
more_mask, more_both = differences["mask"], differences["both"]
assert more_mask.shape == (155, 3) and len(mask) == 8
assert more_mask[:, 0].max() < 1e-6 and both[:, 1].min() > 1e-3
least = min(more_mask[:, 1].min(), mask[:, 2].min())
assert 0.006 < least < 0.007
assert differences["neither"].max() < 3e-4
at_top = more_mask[:, 2] / more_both[:, 2]
assert (round(at_top.min(), 2), round(at_top.max(), 2)) == (0.24, 1.06)
assert (at_top > 0.5).sum() == 101
rotated = differences["rotations"][:, 2] / more_both[:, 2]
assert (round(rotated.min(), 2), round(rotated.max(), 1)) == (0.05, 8.9)
by_list = {row["prompt"]: row for row in figures.word_pair_rows()}
preferred = [[row[key] for key in ("first", "last", "same word")] for row in by_list.values()]
assert preferred == [[2, 42, 11], [0, 10, 35], [38, 0, 17]]
assert [sum(counts) for counts in preferred] == [55, 45, 55]
crossed = {
    (prompt, words_): [(sign * np.array(preference) > 0).all(axis=1).sum() for sign in (1, -1)]
    for prompt, by_words in record["word_pairs"]["crossed"].items()
    for words_, preference in by_words.items()
}  # how often the first of two words is preferred in both orders, the last
assert crossed["animals", "cities"] == [30, 1]  # "bites"
assert crossed["names", "cities"] == [0, 33]  # "loves"
assert crossed["names", "animals"] == [19, 1]
assert figures.named_first_both_ways("cities") == [("London", "Paris")]
assert figures.named_first_both_ways("animals") == []
closer = sum((np.array(answers["mask"]["distance"]) < answers["both"]["distance"]).sum() for answers in many.values())
assert closer == 148
assert min(min(answers["both"]["distance"]) for answers in many.values()) > 0.1

# one source at a time
share = {
    task: {view: part["share"] for view, part in swaps_[key]["shares"].items()} for task, key in figures.TASKS.items()
}
assert all(abs(of_task["neither"]) < 1e-3 for of_task in share.values())
expected = {
    "title, near": (1.02, 0.05, 0.66),
    "title, far": (1.07, 0.04, 0.55),
    "adjective": (1.05, 0.0, 0.23),
    "verb, first noun": (0.67, 0.28, 0.57),
    "verb, last noun": (1.03, -0.17, 0.46),
    "the last name": (-0.54, 1.08, 1.3),
}
views = "rotations", "mask, first", "mask, second"
for task, numbers in expected.items():
    assert np.allclose([share[task][view] for view in views], numbers, atol=0.006)
assert round(share["verb, first noun"]["unrotated"], 2) == 0.67
pull = swaps_["last name"]["shares"]["rotations"]["interval"]
assert np.allclose(pull, (-2.46, -0.12), atol=0.006)
others_ = record["other_swaps"]
other_share = {
    task: {view: part["share"] for view, part in others_[key]["shares"].items()} for task, key in figures.TASKS.items()
}
kept = [
    shares[task]["rotations"]
    for shares in (share, other_share)
    for task in (
        "title, near",
        "title, far",
        "adjective",
        "verb, last noun",
    )
]
assert (round(min(kept), 2), round(max(kept), 2)) == (0.88, 1.11)
assert round(other_share["verb, first noun"]["rotations"], 2) == 0.78
assert round(other_share["verb, first noun"]["unrotated"], 2) == 0.59
assert all(abs(each["neither"]) < 1e-3 for each in other_share.values())
assert (
    max(shares[task]["mask, first"] for shares in (share, other_share) for task in shares if task != "the last name")
    < 0.285
)
assert other_share["the last name"]["mask, first"] > 0.7
second = [
    shares[task]["mask, second"]
    for shares in (share, other_share)
    for task in figures.TASKS
    if task.startswith(("title", "verb"))
]
assert (round(min(second), 2), round(max(second), 2)) == (0.46, 0.66)
tasks_of_claim = "title, near", "title, far", "adjective", "verb, last noun"
for view, tasks, expected in (
    ("mask, second, between", "title verb", (-0.09, 0.03)),
    ("mask, second, other word", "title verb", (0.4, 0.76)),
    ("mask, second, hidden", "title verb", (0.4, 0.66)),
    ("mask, second, between", "the", (-0.07, 0.1)),
    ("rotations, narrow", tasks_of_claim, (0.84, 1.09)),
):
    names = tasks.split() if isinstance(tasks, str) else tasks
    of_view = [
        shares[task][view] for shares in (share, other_share) for task in shares if task.startswith(tuple(names))
    ]
    assert (round(min(of_view), 2), round(max(of_view), 2)) == expected
other_pull = others_["last name"]["shares"]["rotations"]
assert round(other_pull["share"], 2) == 0.01
assert np.allclose(other_pull["interval"], (-0.09, 0.13), atol=0.006)
other_effects = np.array(others_["last name"]["effects"]["both"]) @ (1, -1)
assert round(other_effects.mean(), 1) == 3.9
assert ((other_effects < 0).sum(), len(other_effects)) == (2, 40)
for part, n_pairs, n_solved, n_last in (
    ("patterns", 6, 0, 23),
    ("other_patterns", 10, 1, 18),
):
    prefers_first = np.array(record[part]["differences"]) > 0
    assert prefers_first.shape == (25, 2, 2 * n_pairs)
    answered = np.stack(
        [
            prefers_first[:, 0].mean(axis=-1),
            1 - prefers_first[:, 1].mean(axis=-1),
        ],
        axis=1,
    )
    assert (answered >= 0.75).all(axis=1).sum() == n_solved
    assert (prefers_first.mean(axis=(1, 2)) < 0.2).sum() == n_last
right = swaps_["agreement, first noun"]["shares"]
assert right["rotations"]["right"] == [1.0, 0.875]
assert right["unrotated"]["right"] == [0.375, 1.0]
assert right["mask, second"]["right"] == [0.75, 1.0]
effects = {task: np.array(swaps_[task]["effects"]["both"]) @ (1, -1) for task in ("last name", "title, 3 apart")}
assert round(effects["last name"].mean(), 1) == 1.6
assert (effects["last name"] < 0).sum() == 6
assert round(effects["title, 3 apart"].mean(), 1) == 9.7
counts = [len(swaps_[key]["effects"]["both"]) for key in figures.TASKS.values()]
assert counts == [12, 12, 10, 8, 8, 20]

# a list twice
copies = {
    length: {view: np.mean(record["copies"][key][view]) for view in figures.COPIES}
    for length, key in figures.LISTS.items()
}
twenty, newline = copies["20 words"], copies["20 words, newline first"]
assert np.allclose(
    [
        twenty[view]
        for view in (
            "untouched",
            "rotations",
            "mask",
            "neither",
            "another list",
        )
    ],
    (1.58, 1.38, 8.53, 9.32, 10.84),
    atol=0.006,
)
assert np.allclose(
    [newline["rotations, first row too"], newline["untouched"]],
    (1.68, 1.3),
    atol=0.006,
)
assert all(copies[length]["rotations, first row too"] > 10 for length in list(copies)[:3])
forty = copies["40 words"]
assert np.allclose([forty["rotations"], forty["untouched"]], (1.9, 1.53), atol=0.006)
assert all(
    np.allclose(
        record["copies"][key]["rotations"],
        record["copies"][key]["rotations, rows shuffled"],
        atol=2e-3,
    )
    for key in figures.LISTS.values()
)

# heads
heads = record["heads"]
scores = {half: {k: np.array(v) for k, v in s.items()} for half, s in heads["scores"].items()}


def of_chosen(kind, half):
    """The scores of the chosen heads of a kind."""
    return np.array([scores[half][kind][tuple(head)] for head in heads["chosen"][kind]])


assert [len(heads["chosen"][kind]) for kind in ("induction", "previous", "duplicate", "sink")] == [9, 5, 4, 10]
assert of_chosen("induction", "second half").max().round(2) == 0.93
assert of_chosen("induction", "second half").min() >= 0.4
assert of_chosen("previous", "second half").min() >= 0.4
assert of_chosen("induction", "second half").mean().round(2) == 0.65
assert of_chosen("induction", "unrotated").mean().round(3) == 0.003
assert of_chosen("previous", "unrotated").mean().round(2) == 0.04
assert of_chosen("sink", "unrotated").min() > 0.5
layers = [layer for layer, _ in heads["chosen"]["induction"]]
assert (min(layers), max(layers)) == (17, 24)
assert heads["n_sinks"] == 140
assert round(np.mean(heads["ablations"]["duplicate"]["zero"]["copy"]), 2) == 5.06
twenty_list = record["copies"]["20 words after 'The'"]
assert round(np.mean(twenty_list["by position"]), 2) == 6.3
assert round(np.mean(twenty_list["by row"]), 2) == 9.25
assert heads["n_sinks"] / scores["first half"]["sink"].size > 0.5
assert round(weights[17, 4, 9, 3], 2) == 0.96
assert words[3] == "Moore" and words[2] == words[9] == "Doctor"
assert [round(weights[at][9, 2], 2) for at in ((14, 3), (5, 6))] == [
    0.69,
    0.8,
]


def loss(results, key="copy"):
    """The mean loss of one ablation."""
    return np.mean(results[key])


of_kind = heads["ablations"]
assert np.allclose(
    [
        loss(heads["intact"]),
        loss(of_kind["induction"]["zero"]),
        loss(of_kind["previous"]["zero"]),
    ],
    (1.96, 8.62, 6.66),
    atol=0.006,
)
assert np.allclose(
    [loss(of_kind["induction"]["mean"]), loss(of_kind["previous"]["mean"])],
    (8.75, 6.81),
    atol=0.006,
)
assert round(loss(of_kind["induction"]["zero"], "prose"), 2) == 3.8 == round(loss(heads["intact"], "prose"), 2)
for key, limits in (("copy", (1.76, 3.45)), ("prose", (3.75, 4.11))):
    draws = [loss(draw, key) for kind in of_kind.values() for draw in kind["random"]]
    assert np.allclose((min(draws), max(draws)), limits, atol=0.006)
single = heads["previous, one at a time"]
below_ = [each for each in single[1:] if each["zero"]["heads"][0][0] < min(layers)]
assert [round(np.mean(each["induction_scores"]), 2) for each in below_] == [0.65] * 3
assert single[0]["zero"]["heads"] == [[16, 0]]
assert round(np.mean(single[0]["induction_scores"]), 2) == 0.15
assert all(abs(loss(each["zero"]) - loss(heads["intact"])) < 0.2 for each in single[1:])
for step, run in enumerate(record["redirected"]["back"]):
    assert np.argmax(run["after"]) == step
    if step > 1:
        expected = {2: 0.52, 3: 0.48}[step]
        assert round(run["after"][step], 2) == expected
circuit = record["circuit"]
pattern = {
    name: np.mean(run["induction_scores"]).round(2)
    for part in ("unrotated", "damaged")
    for name, run in circuit[part].items()
}
assert pattern["none"] == 0.64 and pattern["0 to 15"] == 0.11
assert (pattern["17 to 24"], pattern["16"]) == (0.51, 0.12)
assert np.mean(circuit["unrotated"]["17 to 24"]["loss"]).round(2) == 5.71
assert [pattern[part] for part in ("key", "query", "value")] == [
    0.16,
    0.54,
    0.63,
]
below = circuit["one below"]  # (layer, head)
assert np.shape(below) == (16, 9) and len(circuit["others"]) == 3
least = min(head["induction_scores"] for row in below for head in row)
assert 0.41 < least < 0.42
worst = sorted(head["loss"] for row in below for head in row)[-3:]
assert np.allclose(worst[1:], (4.92, 5.17), atol=0.006)
assert worst[0] < 3.5 and worst[1:] == sorted(head["loss"] for head in below[0])[-2:]
alone = [run["induction_scores"] for run in circuit["one layer unrotated"]]
assert min(alone[:16]) > 0.54 and round(alone[16], 2) == 0.12
without_others = np.mean(circuit["without others"]["induction_scores"])
assert round(without_others, 2) == 0.64
sinks = record["sinks"]
assert [
    sinks[f"{view}, after {start!r}"] for start in ("The", "\n") for view in ("untouched", "rotations, first row too")
] == [102, 0, 104, 93]
flat = {name: np.mean(record["unrotated_heads"][name]["induction_scores"]) for name in ("none", "others")}
assert [round(weight, 2) for weight in flat.values()] == [0.64, 0.6]
flat_alone = [np.mean(run["induction_scores"]) for run in record["unrotated_heads"]["alone"]]
assert round(flat_alone[0], 2) == 0.17 and min(flat_alone[1:]) > 0.62
others = circuit["one of layer 16"]
assert min(np.mean(run["induction_scores"]) for run in others[1:]).round(2) == 0.6
assert np.allclose(
    [
        np.mean(run["loss"])
        for run in (
            circuit["unrotated"]["none"],
            others[0],
            circuit["damaged"]["key"],
        )
    ],
    (1.93, 5.25, 5.22),
    atol=0.006,
)
assert max(np.mean(run["loss"]) for run in others[1:]).round(2) == 2.16

# other positions
costs = record["placements"]["costs"]
table = {
    "shifted": 3.50,
    "trained": 3.50,
    "stretched": 3.84,
    "counted again": 4.02,
    "mispaired": 5.09,
    "reversed": 5.12,
    "restarted": 5.16,
    "unrotated": 5.53,
    "permuted": 5.79,
    "stretched ×4": 6.40,
}
losses = {name: np.mean(of_name["loss_by_row"][16:]) for name, of_name in costs.items()}
for name, number in table.items():
    assert round(losses[name], 2) == number, name
permuted = [losses[name] for name in costs if name.startswith("permuted")]
assert len(permuted) == 4 and min(permuted) > losses["unrotated"]
assert (round(min(permuted), 2), round(max(permuted), 2)) == (5.63, 5.79)
assert abs(costs["shifted by −500"]["loss"] - costs["trained"]["loss"]) < 1e-3
assert round(losses["mispaired"] - losses["trained"], 1) == 1.6
assert round(losses["restarted"] - losses["trained"], 1) == 1.7
assert len(costs["trained"]["loss_by_window"]) == 6
probes = record["probes"]
best = {
    name: [max(probes[name][key]) for key in ("exact", "within one")]
    for name in ("trained", "unrotated", "untrained", "permuted labels")
}
assert np.allclose(
    best["trained"] + best["unrotated"],
    (0.19, 0.42, 0.22, 0.49),
    atol=0.006,
)
assert best["untrained"][0] < 0.085 and best["permuted labels"][0] <= 0.05
assert (probes["positions"], probes["n_train"], probes["n_test"]) == (
    24,
    200,
    40,
)

if lm:
    parameters, config = lm.model
    attention = parameters.blocks[0].attention
    assert attention.w_query.shape == (576, 576)
    assert attention.w_key.shape == (576, 192)
    assert (config.n_layers, config.n_heads, config.n_key_heads) == (
        30,
        9,
        3,
    )
    assert parameters.embedding.shape == (49152, 576)
    for setting, stored_tokens in cities.items():
        for prompt, token in zip(prompts, stored_tokens, strict=True):
            assert decoder.next_tokens(prompt, lm, 1, setting)[0].token == token
    computed = decoder.generate("The capital of France is", lm, 5)
    assert prompts_["placements"]["The capital of France is"]["trained"]["text"].startswith(computed[:6])
