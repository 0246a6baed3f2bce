"""The numbers of *What a causal mask knows*, checked with the names of its notebook at hand."""

from functools import partial
from itertools import permutations, product

from harness.chapter import n_different
from inorder.attention import causal_mask, prefix_mask
from inorder.prefixes import blind_cells
from inorder.stored import read_record
from inorder.transformer import encode, fresh_model

EPSILON = np.finfo(float).eps
SEEDS = range(10)
ORDERS = np.array(list(permutations(range(4))))  # (order 24, n 4)
MARKED = np.c_[ORDERS, np.full(24, 4)]  # with a last word that stays
fresh = partial(fresh_model, vocabulary_size=12, d_model=32, n_heads=4, d_ff=64)


def rows_of(tokens, mask, **settings):
    """Rows of a model without positions, (order, n, d_model), for each seed."""
    for seed in SEEDS:
        yield encode(tokens, *fresh(seed, **settings), positions=np.arange(tokens.shape[1]), mask=mask)


def exact_follow_the_dog():
    first, third = twice @ dog_first, twice @ dog_third
    says("= \\tfrac{25}{48} \\approx 0.52", 48 * first[-1], 48, first[-1])
    says("= \\tfrac{7}{48} \\approx 0.15", 48 * third[-1], 48, third[-1])
    says("a quarter of *dog* in both texts: it is blind")
    assert np.abs([(once @ dog_first)[-1] - 1 / 4, (once @ dog_third)[-1] - 1 / 4]).max() < EPSILON
    says("counts more than three times as much")
    assert 3 < first[-1] / third[-1] < 4


def exact_who_can_see():
    """Each line of the table, in blocks with the norm before and after, and the second layer with attention alone."""
    n = MARKED.shape[1]
    for norm in ("pre", "post"):
        for n_layers in (1, 2, 4):
            says("| no mask, any number of layers | the last row | ✗ |")
            assert {n_different(x[:, -1]) for x in rows_of(MARKED, None, n_layers=n_layers, norm=norm)} == {1}
            says("| a prompt read in both directions, then causal | the first row after the prompt | ✗ |")
            longer = np.c_[MARKED, np.full(24, 5)]
            both_ways = rows_of(longer, prefix_mask(6, 4), n_layers=n_layers, norm=norm)
            assert {n_different(x[:, i]) for x in both_ways for i in (4, 5)} == {1}
            last = {n_different(x[:, -1]) for x in rows_of(MARKED, causal_mask(n), n_layers=n_layers, norm=norm)}
            says("| causal, one layer | the last row | ✗ |")
            says("| causal, two layers or more | the last row | ✓ |")
            assert last == ({1} if n_layers == 1 else {24})
        says("| causal, one layer | the mean of all rows | ✓ |")
        means = rows_of(MARKED, causal_mask(n), n_layers=1, norm=norm)
        assert {n_different(x.mean(axis=1)) for x in means} == {24}
    says("by hand with attention alone, and that is enough")
    alone = rows_of(MARKED, causal_mask(n), n_layers=2, d_ff=0, residual=0.0, norm="none")
    assert {n_different(x[:, -1]) for x in alone} == {24}


def exact_torch():
    says("these are PyTorch's own layers, with the parameters that they start with")
    for n_layers, notices in ((1, False), (2, True)):
        x = torch.nn.TransformerEncoder(layer, n_layers).eval()(pair, mask)
        assert ((x[0, -1] - x[1, -1]).abs().max() > 0.1) == notices


def exact_one_row():
    """A row that the shuffle leaves alone, under masks that it maps to themselves, or in one layer."""
    says("because in one layer row $i$ uses no other row of the mask")
    order = np.array([1, 0, 2, 3])
    allowed = np.array([[1, 0, 1, 0], [0, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 1]], dtype=bool)
    tokens = np.stack([np.arange(4), order])
    for row, n_layers, changes in ((2, 1, False), (3, 1, False), (2, 2, True)):
        for x in rows_of(tokens, allowed, n_layers=n_layers):
            assert (np.abs(x[0, row] - x[1, row]).max() > 1e-9) == changes


def exact_constant_text():
    constant, marked = np.zeros((1, 12), dtype=int), np.eye(1, 12, dtype=int)
    for n_layers in (1, 2, 6):
        for x in rows_of(constant, causal_mask(12), n_layers=n_layers):
            assert np.abs(np.diff(x, axis=1)).max() < 1e-12
        says("A row can count after all if one word is different and its position is known")
        for x in rows_of(marked, causal_mask(12), n_layers=n_layers):
            assert np.abs(np.diff(x[:, 1:], axis=1)).max(axis=-1).min() > 1e-4


def exact_eighty_one():
    says("Up to $n = 80$, any two different orders", 80)
    says("At $n = 81$ there are two orders with the same bag", len(first))
    assert blind_orders(80) is None and first != second and prefix_bag(first) == prefix_bag(second)
    kernels = {n: blind_cells(n) for n in (63, 64, 80, 81)}
    says("Up to 63 words its only solution is 0. From 64 to 80 words all solutions are multiples of one", 63, 0, 64, 80)
    assert [len(kernel) for kernel in kernels.values()] == [0, 1, 1, 3]
    for n in (64, 80):
        says("whose numbers are 1, −1, −2 and 3", 1, -1, -2, 3)
        (only,) = kernels[n]
        assert {abs(value) for value in only[only != 0]} == {1, 2, 3}
        assert {*only[only != 0]} in ({1, -1, -2, 3}, {-1, 1, 2, -3})
    says("the solutions form a space of three dimensions", len(kernels[81]))
    sums = [np.tensordot(f, kernels[81], 1) for f in product((-1, 0, 1), repeat=3)]
    small = [total for total in sums if total.any() and np.abs(total).max() == 1]
    says("nine cells of ±1", min(np.count_nonzero(total) for total in small), 1)
    says("Apart from these two, their sum and their difference, there are no others")
    assert len(small) == 2 * 4  # each with its negative
    assert figures.blind_pair()[0] == first and figures.blind_pair()[-1] == second


def recorded_real_decoder():
    """The card on the evidence page."""
    record = read_record("two_sources.json")["second_block"]
    says("no difference after its first block, one after the second")
    assert record["blocks"] == [1, 2, 30]
    pairs = record["differences"]
    assert len(pairs["pairs"]) == 8 and sum(map(len, pairs.values())) == 8 + 155
    for differences in pairs.values():
        mask, neither = (np.array([each[source] for each in differences]) for source in ("mask", "neither"))
        assert mask[:, 0].max() < 1e-6 < 1e-3 < mask[:, 1].min() and neither.max() < 1e-3


def exact_exercises():
    says("\\tfrac14 \\cdot \\tfrac12 = \\tfrac18")
    assert np.isclose(twice[-1, 1] - twice[-1, 2], 1 / 8)
    of_three = np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]
    says("the last row takes $\\tfrac13$")
    assert np.isclose((of_three @ of_three)[-1, 0] - (of_three @ of_three)[-1, 1], 1 / 3)
    gaps = -np.diff(1 / np.arange(1, 13))
    says("Row 9. Row $i$ holds", np.flatnonzero(gaps < 0.01)[0])
    assert verdict.passed
