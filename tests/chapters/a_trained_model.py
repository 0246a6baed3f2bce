"""The numbers of *A trained model*, checked with the names of its notebook at hand."""

from inorder.stored import read_record

RECORD = read_record("trained_encoder.json")
RULES = figures.by_rule()


def exact_by_hand():
    words, positions = np.array([1, 2, 3]), np.arange(3)
    for name, numbers in {
        "words alone": lambda x: x,
        "words alone, squared": lambda x: x**2,
        "words + positions": lambda x: x + positions,
        "words + positions, squared": lambda x: (x + positions) ** 2,
    }.items():
        one, other = numbers(words), numbers(words[::-1])
        cells = " | ".join(", ".join(map(str, row)) for row in (one, other))
        says(f"| {name} | {cells} | {one.sum()} and {other.sum()} |", *one, *other, one.sum(), other.sum())


def exact_without_the_table():
    _, _, of_maps = figures.map_changes()
    assert of_maps < 1e-13
    rules = [name for name in RULES if name not in figures.OF_OTHER_WORDS]
    left_out = np.concatenate([RECORD["pairs"]["left out"][name] for name in rules])
    says("312 pairs by seven rules", len(left_out), len(rules))
    says("all 312 distances are 0", len(left_out), abs(left_out).max())
    assert abs(left_out).max() < 1e-13
    assert figures.distance("i love you / you love me", "left out") > 0.01


def recorded_pairs():
    as_trained, left_out = results
    says("About 0.97. It notices, but only just", as_trained)
    assert abs(left_out - 1) < 1e-13
    says("this model gives about 0.1", 1 - np.median(RULES["unrelated sentences"]))
    swapped, replaced = RULES["who bites whom"], RULES["one word replaced"]
    says("in all 45 pairs", (swapped < replaced).sum())
    assert len(swapped) == len(replaced) == 45
    man, woman = figures.examples()[:2]
    assert (man, woman) == (
        "the dog bites the man / the man bites the dog",
        "the dog bites the man / the dog bites the woman",
    )
    assert figures.distance(man) < figures.distance(woman)
    medians = {name: np.median(distances) for name, distances in RULES.items()}
    says("the median distance is 0.004", medians["from, to"])
    assert list(dict(sorted(medians.items(), key=lambda rule: rule[1]))) == [
        "from, to",
        "not this but that",
        "who is older",
        "who left first",
        "who bites whom",
        "only",
        "question",
        "one word replaced",
        "unrelated sentences",
    ]
    says("ten pairs of ours", len(figures.examples()))


def recorded_heads():
    _, changes, _ = figures.map_changes()
    most = changes[1:].reshape(-1, 72).argmax(axis=1)
    says("in each of the 119 orders", (most == 2).sum())  # layer 0, head 2
    offsets = RECORD["offsets"]
    before = np.array(offsets["with_positions"])[..., offsets["offsets"].index(-1)]
    assert np.unravel_index(before.argmax(), before.shape) == (0, 2) and before[0, 2] > 0.999
    assert np.array(offsets["without"])[0, 2, offsets["offsets"].index(-1)] < 0.02
    tokens, maps = figures.pronoun_map()
    assert np.diagonal(maps[0, 2], -1).min() > 0.999
    ahead, place = maps[1, 8], {token: i for i, token in enumerate(tokens)}
    in_order = (maps[:, :, :-1].argmax(axis=-1) == np.arange(1, 16)).sum(axis=-1)  # (layer, head)
    says("It is layer 1, head 8. Ten of the fifteen", *np.unravel_index(in_order.argmax(), (6, 12)))
    assert in_order.max() == 10 and len(tokens) == 16
    says("*too* gives *tired* 0.95", ahead[place["too"], place["tired"]])
    says("they give [CLS] 0.65 and 0.78", *(ahead[place[word], 0] for word in ("street", "tired")))
    assert tokens[0] == "[CLS]"


def recorded_parameters():
    room = RECORD["parameters"]["room"]["512 positions"]
    says("twelve of the 384 directions hold 95%", room["n_directions"], 384, 0.95)
    assert 7 < room["chance"] / room["words"] < 9  # an eighth
    key, query = (np.array(RECORD["parameters"]["bias_norms"][side]) for side in ("key", "query"))
    says("In each of the 72 heads", key.size)
    assert key.max() < query.min() / 20 and key.max() < 0.01
