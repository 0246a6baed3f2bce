"""The numbers of *Learning order*, checked with the names of its notebook at hand."""

from inorder.lab.results import read
from inorder.lab.runs import Setting, n_parameters
from inorder.stored import read_record, stored

EPSILON = np.finfo(float).eps
LEFT, LAST = CopyLeft(10), LastToken(10)
TEXT = ["cat", "dog", "cat", "cat", "man", "dog", "cat", "man"]
T5_REACHES = {"T5, up to 128": 128, "T5, up to 16": 16}


def exact_by_hand():
    says("Take the text *cat dog cat cat man dog cat man*")
    says("is right with probability $\\tfrac47$")
    assert TEXT[:7].count("cat") == 4
    neighbours = [{TEXT[row - 1], *TEXT[row + 1 : row + 2]} for row in (1, 4, 7)]
    assert [len(kinds) for kinds in neighbours] == [1, 2, 1]


def exact_floors_and_ceilings():
    says("For 12 words of ten kinds this is 0.27 and 0.59", 12, 10, LEFT.floor(12), LEFT.symmetric_ceiling(12))
    assert LEFT.symmetric_ceiling(12) > 0.55
    ceilings = [LAST.bucket_ceiling(20, max_distance=reach) for reach in (128, 16)]
    says("For texts of 20 words of ten kinds, the ceiling is 0.75", 20, ceilings[0])
    says("and 0.89 if they reach to 16", ceilings[1], 16)
    says("$\\ln 2 = 0.69$", 2, np.log(2))


def exact_one_half():
    assert np.abs(answer(X) - answer(partner)).max() < 10 * EPSILON


def exact_exercises():
    says("So the floor is $\\tfrac14 \\cdot 1 + \\tfrac34 \\cdot \\tfrac23 = \\tfrac34$", 3 / 4)
    says("= \\tfrac{11}{16}$. Two tasks", 11, 16)
    assert (CopyLeft(2).floor(4), LastToken(2).floor(4)) == (3 / 4, 11 / 16)
    bags = np.random.default_rng(1).integers(10, size=(2000, 12))
    guessed = [solution_guess_from_bag(text) for text in bags]
    assert abs(np.mean(guessed) - LEFT.floor(12)) < 4 * np.std(guessed) / np.sqrt(len(guessed))
    says("is close to the floor, 0.266", LEFT.floor(12))


def last_word(record):
    """By scheme, the mean share of rows that name the last of 20 words, from a stored sweep."""
    runs = read(stored(record)).table().query("task == 'last-token' and length == 20")
    means = runs.groupby("label")["accuracy"].mean()
    return [means[scheme] for scheme in (*T5_REACHES, "learned, added")]


def recorded_slow_or_unable():
    says("After 300 steps none of them is done", 300)
    assert max(last_word("learning_order.json")) < 0.75
    *t5, learned = last_word("ten_times_longer.json")
    says("now it gets every row right")
    assert learned > 0.9995
    says("both versions stand at their ceilings")
    for share, reach in zip(t5, T5_REACHES.values(), strict=True):
        assert abs(share - LAST.bucket_ceiling(20, max_distance=reach)) < 0.01
    runs = read().table().query("task == 'last-token' and scheme == 'learned' and length == 20")
    runs = runs.query("mask == 'bidirectional' and n_layers == 1 and not mark")
    says("After 300 steps, one table of positions in five was still at the floor", 300)
    finished = runs.accuracy.to_numpy()
    assert len(finished) == 5 and sum(abs(finished - runs.floor) < 4 * runs.error) == 1
    assert sum(finished > 0.9) > 1
    sizes = [n_parameters(Setting(task, name)) for task in ("copy-left", "last-token") for name in ("t5", "learned")]
    says("some 10,000 parameters", round(np.mean(sizes), -4))
    assert min(sizes) > 8_000 and max(sizes) < 12_000


def theorem_on_rows():
    """One half, exactly, in the row of "?" of one layer; nearly all right from the mean, and with two layers."""
    for name, runs in causal_runs.items():
        shares = np.array(runs["test"])
        assert (shares == 0.5).all() if name == "1, the row of “?”" else (shares > 0.99).all()


def recorded_read_out():
    says('the row of "?" is right in exactly half of the texts, and the mean of the rows in nearly all')
    theorem_on_rows()
    shares = read_record("mean_of_rows.json")["share right"]
    assert shares["one causal layer, rows after both"] == [0.5, 0.5]


def again_read_out():
    assert causal_runs.keys() == train_causal.stored().keys()
    theorem_on_rows()
