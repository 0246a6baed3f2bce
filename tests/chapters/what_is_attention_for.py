"""The numbers of *What is attention for?*, checked with the names of its notebook at hand."""

assert np.allclose(
    powers / powers.sum(),
    [54.5982 / 58.5982, *[1 / 58.5982] * 4],
    atol=1e-6,
)
assert np.allclose(taken_home, [1.88, 0.98], atol=0.005)
asks_two = np.exp(KEYS @ [1, 1]) / np.exp(KEYS @ [1, 1]).sum()
assert np.allclose(asks_two, [0.4156, 0.0562, 0.4156, 0.0562, 0.0562], atol=1e-4)
assert abs(np.log(396) / 2 - 2.99) < 0.001
half_way = np.exp(KEYS @ np.full(2, np.sqrt(2)))
assert abs(half_way[0] / half_way.sum() - 0.46) < 0.005
# where "busy" ends: half of each value, and not the longer arrow
torn = rows_of_it("busy")[2][2:]
assert np.allclose(torn, [1, 2], atol=0.1)
busy = rows_of_it("busy")[2]
assert (NOUNS @ busy / np.linalg.norm(NOUNS, axis=1)).argmax() == 1

# each round makes the row more like one of the nouns, except after "busy"
for last in DESCRIBES:
    best = [shares_of(NOUNS @ row).max().round(9) for row in rows_of_it(last)]
    assert best[0] == 0.5 and (best[1] < best[2])
    assert (best[1] == 0.5) == (last == "busy")

# the real model
frames = two_looks["frames"]
counts = np.array([frame["right"] for frame in frames.values()])
assert len(counts) == 8 and counts.shape[1:] == (6, 12)
assert counts[0, 4, 0] == counts[0, 3, 5] == counts[0].max() == 9
assert (counts[0] == 9).sum() == 2
assert counts[1, 4, 0] == 9
assert counts[1:, 4, 0].sum() == 64 and counts[1:, 3, 5].sum() == 57
remaining, controls = [], []
for frame in frames.values():
    gaps = {}
    for door, differences in frame["preferences"].items():
        gaps[door] = np.mean(differences[:5]) - np.mean(differences[5:])
    remaining.append(gaps["2"] / gaps["open"])
    others = [one["gap"] for one in frame["controls"]]
    others += [gaps[door] for door in "013"]
    controls.append(np.array(others) / gaps["open"])
    if frame["sentence"].startswith("The animal"):
        assert round(gaps["open"], 2) == 0.13
        assert round(gaps["2"], 2) == 0.02
assert min(each.min() for each in controls) > 0.86
for heads, least, most in (
    ("first look", 0.57, 0.71),
    ("all others", 0.43, 0.61),
):
    ratios = []
    for frame in frames.values():
        differences = frame["preferences"]["open"]
        ratios.append(frame["shut in"][heads] / (np.mean(differences[:5]) - np.mean(differences[5:])))
    assert (round(min(ratios), 2), round(max(ratios), 2)) == (least, most)
assert np.median(counts[1:].sum(axis=0)) == 35
assert round(max(remaining), 2) == 0.19
for order in ("animal first", "street first"):
    for last, results in two_looks["looks"][order].items():
        described = len(results["words"]) - 3
        assert np.argmax(results["open"]["first"]) == described, last
        assert results["shut"]["first"][described] == 0
misleading = {
    order: {
        last: [results["open"]["first noun"][results["words"].index(noun)] for noun in ("animal", "street")]
        for last, results in two_looks["looks"][order].items()
        if last not in KINDS["both"]
    }
    for order in ("animal first", "street first")
}
on_animal = [[misleading["animal first"][last][0] for last in KINDS[kind]] for kind in ("a being", "a place")]
assert (round(min(on_animal[0]), 2), round(max(on_animal[0]), 2)) == (
    0.55,
    0.71,
)
assert round(max(on_animal[1]), 2) == 0.35
assert sum(street > animal for animal, street in misleading["street first"].values()) == 9
assert checks.shares(lambda query, keys: np.exp(keys @ query) / np.exp(keys @ query).sum()).passed
