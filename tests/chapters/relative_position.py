"""The numbers of *Relative position*, checked with the names of its notebook at hand."""

from fractions import Fraction
from itertools import permutations, product

from inorder.attention import softmax
from inorder.encodings import alibi_slopes, shaw_bias, t5_buckets
from inorder.stored import read_record
from inorder.transformer import T5, Alibi, Shaw, encode

SCHEMES = {
    "no positions": "none",
    "ALiBi, symmetric": "alibi",
    "ALiBi, directed": Alibi(direction="split"),
    "T5": T5(n_buckets=8, max_distance=16),
    "Shaw": Shaw(max_distance=3),
    "RoPE": "rotary",
}


def exact_mirror_images():
    """Among the 24 orders of four words, symmetric ALiBi confuses mirror images and nothing else."""
    four = np.array(list(permutations(range(4))))
    says("of six orders it can tell three apart", 6, 3)
    says("T5, Shaw and RoPE, which this chapter comes to, treat left and right differently")
    for (name, scheme), n_means in zip(SCHEMES.items(), (1, 12, 24, 24, 24, 24), strict=True):
        model = fresh_model(3, position=scheme)
        rows = encode(four, *model, positions=np.arange(4))  # (order, position, d_model)
        means = rows.mean(axis=1).round(9) + 0.0
        assert len(np.unique(means, axis=0)) == n_means
        away = np.abs(rows[-1] - rows[0][::-1]).max()  # the last order is the first, turned around
        assert (away < 1e-12) == (name in ("no positions", "ALiBi, symmetric"))


def exact_mark_at_one_end():
    says("So does a token that marks one end")
    mark, six = np.full((6, 1), 5), np.array(list(permutations(range(3))))
    model = fresh_model(3, position="alibi")
    for texts, n_means in (([mark, six], 6), ([mark, six, mark], 3)):
        joined = np.concatenate(texts, axis=1)
        means = encode(joined, *model, positions=np.arange(joined.shape[1])).mean(axis=1)
        assert len(np.unique(means.round(9) + 0.0, axis=0)) == n_means


def exact_alibi():
    np.testing.assert_allclose(softmax(-np.log(2) * np.arange(3)), [4 / 7, 2 / 7, 1 / 7])
    np.testing.assert_allclose(alibi_slopes(8)[[0, -1]], [1 / 2, 1 / 256])
    says("where a share halves every 1.4 words", np.log(2) / alibi_slopes(8)[0])
    slope, place = alibi_slopes(4)[0], np.arange(6)
    scores = np.random.default_rng(3).normal(size=(6, 6))
    sees = place <= place[:, None]
    by_key = softmax(np.where(sees, scores + slope * place, -np.inf))
    says("differ by one number for the whole row")
    np.testing.assert_allclose(by_key, softmax(scores + alibi_bias(4, place, place, direction="left")[0]))


def exact_t5():
    buckets = t5_buckets(-np.array([0, 1, 2, 5, 6, 99]), n_buckets=8, max_distance=16)
    says("they are 0 | 1 | 2 to 5 | 6 and farther", 0, 1, 2, 5, 6)
    assert buckets.tolist() == [0, 1, 2, 2, 3, 3]
    says("$\\sqrt{2 \\cdot 16} \\approx 5.7$", 2, 16, 32**0.5)
    says("one in 32 of the numbers", 32)
    assert set(range(32)) - set(t5_buckets(np.arange(-500, 501)).tolist()) == {16}
    says("has 16 for each side and a reach of 128, its decoder 32 on the left", 16, 128, 32)
    left = t5_buckets(-np.arange(512)), t5_buckets(-np.arange(512), bidirectional=False)
    assert [len(set(each.tolist())) for each in left] == [16, 32]


def exact_shaw():
    verb, vectors = np.array([[0.0, 2, 1, -1]]), np.array([[0.0, 2, 0, 0], [0, 0, 0, 0], [1, 0, 0, -1]])
    added = shaw_bias(verb, vectors, np.array([1]), np.arange(3), max_distance=1)[0, 0]
    says("this verb adds 2 to the score of every word on its left", added)


def share(word):
    """The share of A (digit 1) with slope ln 2 and equal raw scores; the last word weighs 1."""
    powers = [Fraction(1, 2**a) for a in range(len(word))][::-1]
    return sum((power for power, digit in zip(powers, word, strict=True) if digit), Fraction(0)) / sum(powers)


def primitive(word):
    """The shortest text of which this one is a repetition."""
    n = len(word)
    return next(word[:k] for k in range(1, n + 1) if n % k == 0 and word[:k] * (n // k) == word)


def exact_one_row():
    """Number 3 and its converse, in exact fractions: all texts of up to eight words of two kinds."""
    assert share((1, 1, 0, 0)) == Fraction(3, 15)
    texts = [w for n in range(1, 9) for w in product((0, 1), repeat=n)]
    roots = {}
    for text in texts:
        roots.setdefault(share(text), set()).add(primitive(text))
    assert all(len(each) == 1 for each in roots.values())
    assert len(roots) == len({primitive(text) for text in texts}) < len(texts)
    golden = (5**0.5 - 1) / 2
    says("$e^{-m} = 0.618\\dots$", golden)
    by_word = []
    for word in ((0, 1, 0), (0, 1, 1, 1, 0, 0)):
        powers = golden ** np.arange(len(word))[::-1]
        by_word.append(powers @ word / powers.sum())
    assert np.isclose(*by_word, rtol=0, atol=1e-14)


def exact_second_layer():
    says("A second layer overcomes numbers 2 and 3", 2, 3)
    says("It does not overcome number 1", 1)

    def last_row(tokens, model):
        return decode(tokens, *model, positions=np.arange(len(tokens)))[0][-1]

    far = t5_buckets(np.arange(8) - 7, n_buckets=4, max_distance=6, bidirectional=False)
    assert far[0] == far[1]  # the two that are swapped
    for n_layers in (1, 2):
        model = fresh_model(1, position="alibi", n_layers=n_layers)
        repeated = np.abs(last_row(np.arange(3), model) - last_row(np.tile(np.arange(3), 2), model)).max()
        equal = np.abs(last_row(np.zeros(2, int), model) - last_row(np.zeros(7, int), model)).max()
        t5 = T5(n_buckets=4, max_distance=6)
        model = fresh_model(1, position=t5, n_layers=n_layers)
        swapped = np.abs(last_row(np.arange(8), model) - last_row(np.array([1, 0, *range(2, 8)]), model)).max()
        assert equal < 1e-12 and (
            (repeated < 1e-12 and swapped < 1e-12) if n_layers == 1 else min(repeated, swapped) > 1e-3
        )


def recorded_census():
    census = read_record("position_census.json")
    since_2024 = {family for family, year in census["years"].items() if year and year >= 2024}
    turning = set(census["rotary"]) - {"clvp", "granitemoehybrid", "inkling2", "zamba2"}
    says("has gained since 2024, [102 of 118]", 2024, len(turning & since_2024), len(since_2024))
    says("ALiBi is rare")
    assert census["alibi"] == ["bloom", "falcon", "mpt"]


def exact_exercises():
    says("(9.2, rounded up), and 1179", 2 * np.log(100), np.ceil(256 * np.log(100)))
    plain, alibi = (figures.shares_of_the_last_row(scheme, 3) for scheme in ("no positions", "ALiBi"))
    ratio = alibi / plain
    np.testing.assert_allclose(ratio / ratio[2], np.exp([-1, -0.5, 0]))
