"""`inorder.prefixes`: bags of prefixes, cells between paths, and the orders that two causal layers confuse."""

from collections import Counter, defaultdict
from itertools import product
from math import gcd

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inorder import prefixes
from inorder.attention import causal_mask
from inorder.prefixes import blind_cells, blind_orders, prefix_bag, swap_cells
from inorder.transformer import encode, fresh_model

PRIME = 2_147_483_647


def entries(text):
    """The bag of a text of A and B with its shares as reduced pairs of whole numbers, counted word by word."""
    bag = []
    for n_seen in range(1, len(text) + 1):
        n_a = text[:n_seen].count("A")
        divisor = gcd(n_a, n_seen)
        bag.append((text[n_seen - 1], n_a // divisor, n_seen // divisor))
    return tuple(sorted(bag))


def cell_changes(a, b):
    """What a swap of AB for BA takes out of the bag and brings into it, from two whole texts."""
    before, after = "A" * a + "B" * b + "AB", "A" * a + "B" * b + "BA"
    changes = Counter(entries(before))
    changes.subtract(entries(after))
    return {entry: n for entry, n in changes.items() if n}


def rank_modulo_prime(n_words):
    """The rank of the map from cells to entries, by elimination modulo a prime: the true rank is at least this."""
    rows = defaultdict(dict)
    for a, b in product(range(n_words - 1), repeat=2):
        if a + b + 2 <= n_words:
            for entry, n in cell_changes(a, b).items():
                rows[entry][a, b] = n
    pivots = {}
    for row in sorted(rows.values(), key=len):
        while row:
            pivot = max(row, key=sum)  # the cells farthest out have the fewest equations
            if pivot not in pivots:
                inverse = pow(row[pivot], -1, PRIME)
                pivots[pivot] = {cell: n * inverse % PRIME for cell, n in row.items()}
                break
            factor = row[pivot]
            for cell, n in pivots[pivot].items():
                row[cell] = (row.get(cell, 0) - factor * n) % PRIME
                if not row[cell]:
                    del row[cell]
    return len(pivots)


@given(st.text("AB", max_size=12))
def test_a_bag_holds_an_entry_for_each_word(text):
    bag = [(word, dict(shares).get("A", 0)) for word, shares in prefix_bag(text).elements()]
    expected = [(word, n_a / n) for word, n_a, n in entries(text)]
    assert sorted((word, float(share)) for word, share in bag) == sorted(expected)


@given(st.permutations("ABCDE"), st.permutations("ABCDE"))
def test_orders_of_different_words_have_different_bags(first, second):
    assert (prefix_bag(first) == prefix_bag(second)) == (first == second)


@given(st.text("AB", min_size=2, max_size=12).flatmap(lambda text: st.tuples(st.just(text), st.permutations(text))))
def test_two_bags_differ_by_the_cells_between_the_paths(texts):
    first, second = texts[0], "".join(texts[1])
    cells = swap_cells(first, second, "A")
    assert cells.shape == (first.count("A"), first.count("B"))
    assert np.array_equal(cells, -swap_cells(second, first, "A"))
    change = Counter(entries(second))
    for a, b in np.argwhere(cells):
        for entry, n in cell_changes(a, b).items():
            change[entry] += int(cells[a, b]) * n
    assert {entry: n for entry, n in change.items() if n} == Counter(entries(first))


@given(st.text("ABC", min_size=2, max_size=9).flatmap(lambda text: st.tuples(st.just(text), st.permutations(text))))
def test_the_cells_of_one_word_tell_whether_it_has_moved(texts):
    first, second = texts
    moved = [i for i in range(len(first)) if (first[i] == "C") != (second[i] == "C")]
    assert swap_cells(first, second, "C").any() == bool(moved)


def test_no_two_short_texts_have_the_same_bag():
    for n_words in range(1, 12):
        bags = {entries("".join(text)) for text in product("AB", repeat=n_words)}
        assert len(bags) == 2**n_words
        assert blind_orders(n_words) is None
    bags = {frozenset(prefix_bag(text).items()) for text in product("ABC", repeat=6)}
    assert len(bags) == 3**6


@pytest.mark.parametrize("n_words", [9, 30, 63, 64, 81])
def test_the_kernel_is_whole_and_nothing_else_is_in_it(n_words):
    basis = blind_cells(n_words)
    n_cells = n_words * (n_words - 1) // 2
    assert len(basis) == n_cells - rank_modulo_prime(n_words)
    assert not len(basis) or np.linalg.matrix_rank(basis.reshape(len(basis), -1)) == len(basis)
    for cells in basis:
        change = Counter()
        for a, b in np.argwhere(cells):
            for entry, n in cell_changes(int(a), int(b)).items():
                change[entry] += int(cells[a, b]) * n
        assert cells.any()
        assert not any(change.values())


def test_the_one_solution_below_81_words_fits_no_two_paths():
    (cells,) = blind_cells(80)
    assert set(np.unique(np.abs(cells))) == {0, 1, 2, 3}
    assert blind_orders(80) is None


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_at_81_words_no_two_layers_see_what_three_see(norm):
    first, second = blind_orders(81)
    assert first != second
    assert entries(first) == entries(second)
    tokens = np.array([["AB".index(letter) for letter in text] + [2] for text in (first, second)])
    mask, positions = causal_mask(82), np.arange(82)
    for n_layers, notices in ((2, False), (3, True)):
        model = fresh_model(0, vocabulary_size=3, d_model=32, n_heads=4, d_ff=64, n_layers=n_layers, norm=norm)
        rows = encode(tokens, *model, positions=positions, mask=mask)[:, -1]
        assert (np.abs(rows[0] - rows[1]).max() > 1e-6) == notices
        assert notices or np.abs(rows[0] - rows[1]).max() < 1e-13


def test_too_many_sums_to_try_are_refused(monkeypatch):
    monkeypatch.setattr(prefixes, "MOST_DIMENSIONS", 2)
    with pytest.raises(ValueError, match="expected n_words with a kernel of up to 2 dimensions, got 81, with 3"):
        blind_orders(81)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: swap_cells("AB", "AA", "A"), r"expected two orders of the same words, got \('AB', 'AA'\)"),
        (lambda: blind_cells(0), "expected n_words to be a positive whole number, got 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
