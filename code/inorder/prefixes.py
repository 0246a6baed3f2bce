"""What causal layers without positions can see of an order: bags of prefixes, and the orders that two layers confuse.

One causal layer makes each row a function of its *entry*: the word, and the shares of the words in its prefix. The last
row of a second layer reads these rows, with no order among them. So it depends on its own entry and on the bag of all
entries, and on nothing else, whatever the parameters are.

An order of two words A and B is a path over a lattice: from (0, 0), one step along the first axis for each A and one
along the second for each B. The entry of a step is its word, and the direction of its end as seen from (0, 0). Swapping
two neighbours, AB for BA, moves the path across one *cell* of the lattice. That changes four entries, which do not
depend on the rest of the path. So two orders differ by a sum over the cells between their paths, and two layers confuse
them exactly if that sum is 0.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, lcm

import numpy as np
from jaxtyping import Integer

from inorder._arrays import expect, expect_count

__all__ = ["blind_cells", "blind_orders", "prefix_bag", "swap_cells"]

Cell = tuple[int, int]
Entry = tuple[Hashable, frozenset[tuple[Hashable, Fraction]]]
OUTSIDE: Cell = (-1, -1)  # stands for every cell that no path of this length can cross
MOST_DIMENSIONS = 10


def prefix_bag(text: Iterable[Hashable]) -> Counter[Entry]:
    """How often each entry (word, shares of the words in its prefix) occurs in a text; a prefix ends with its word.

    Two orders of the words before the last are the same to the last row of two causal layers without positions if their
    bags are equal. The shares are exact fractions.

    >>> prefix_bag("AB") == prefix_bag("BA"), len(prefix_bag("AAA"))
    (False, 1)
    """
    counts: Counter[Hashable] = Counter()
    bag: Counter[Entry] = Counter()
    for n_seen, word in enumerate(text, start=1):
        counts[word] += 1
        bag[word, frozenset((seen, Fraction(count, n_seen)) for seen, count in counts.items())] += 1
    return bag


def swap_cells(
    first: Sequence[Hashable], second: Sequence[Hashable], word: Hashable
) -> Integer[np.ndarray, "n_word n_others"]:
    """The cells between the paths of two orders: +1 where the first path has more of `word`, −1 where the second has.

    Cell (a, b) is crossed by swapping the two neighbours that come after `a` times `word` and `b` other words. The
    shape is how often `word` occurs, and how often the others do together.

    Raises ValueError: two texts that are not orders of the same words.

    >>> swap_cells("ABB", "BBA", "A")
    array([[1, 1]])
    """
    expect(Counter(first) == Counter(second), "two orders of the same words", (first, second))
    passed = []
    for text in (first, second):
        is_word = np.array([token == word for token in text], dtype=bool)
        n_before = np.cumsum(is_word)[~is_word]  # how many of `word` come before each of the others
        passed.append(np.arange(is_word.sum())[:, None] < n_before)  # (n_word, n_others)
    return passed[0].astype(int) - passed[1]


def blind_cells(n_words: int) -> Integer[np.ndarray, "dimension a b"]:
    """A basis of the sums of cells that change no bag of entries: the kernel of the map from cells to entries.

    For texts of `n_words` words A and B. Cell (a, b), with a + b + 2 ≤ n_words, changes the bag by

        (A, (a + 1)/s) + (B, (a + 1)/(s + 1)) − (B, a/s) − (A, (a + 1)/(s + 1)),   s = a + b + 1,

    where the number is the share of A. Two orders have the same bag if and only if the signed cells between their paths
    are in this kernel. The equations are solved in exact fractions, and each solution is multiplied up to whole
    numbers, an array of shape (n_words − 1, n_words − 1) that is 0 where there is no cell.

    Raises ValueError: n_words that is no positive whole number.

    >>> [len(blind_cells(n)) for n in (10, 63, 64, 80, 81)]
    [0, 0, 1, 1, 3]
    """
    expect_count("n_words", n_words)
    solutions, root = _kernel(n_words)
    scales = [lcm(*(value.denominator for value in solution.values())) for solution in solutions]
    return np.array(
        [
            _as_array({cell: value * scale for cell, value in solution.items()}, root, n_words)
            for solution, scale in zip(solutions, scales, strict=True)
        ],
        dtype=int,
    ).reshape(len(solutions), n_words - 1, n_words - 1)


def blind_orders(n_words: int) -> tuple[str, str] | None:
    """Two orders of `n_words` words A and B that no two causal layers without positions tell apart, or None.

    None is a proof. The signed cells between two paths are 0 or ±1, and every sum of `blind_cells` with such numbers is
    tried for two paths that fit it. Other words do not help: if two orders have the same bag, keep a word whose places
    differ, make all others equal, and the bags stay equal. A common end can be added to shorter texts, so None for n
    words is None for fewer, too.

    Raises ValueError: n_words that is no positive whole number; so many words that there are too many sums to try.

    >>> blind_orders(80)
    >>> first, second = blind_orders(81)
    >>> first != second, prefix_bag(first) == prefix_bag(second)
    (True, True)
    """
    expect_count("n_words", n_words)
    solutions, root = _kernel(n_words)
    few = len(solutions) <= MOST_DIMENSIONS
    expect(few, f"n_words with a kernel of up to {MOST_DIMENSIONS} dimensions", f"{n_words}, with {len(solutions)}")
    for factors in product((0, 1, -1), repeat=len(solutions)):  # each solution has a cell of its own, where it is 1
        total: dict[Cell, Fraction] = defaultdict(Fraction)
        for factor, solution in zip(factors, solutions, strict=True):
            for cell, value in solution.items():
                total[cell] += factor * value
        if any(total.values()) and all(value in (-1, 0, 1) for value in total.values()):
            orders = _orders_around(_as_array(total, root, n_words), n_words)
            if orders is not None:
                return orders
    return None


def _kernel(n_words: int) -> tuple[list[dict[Cell, Fraction]], Callable[[Cell], Cell]]:
    """Solutions of all equations, in terms of a few cells, and which of those stands for a cell."""
    pending, root = _merged(_equations(n_words))
    return _null_space(pending), root


def _equations(n_words: int) -> list[Counter[Cell]]:
    """For each entry, how often each cell brings it in: in a solution every one of these sums is 0."""

    def inside(a: int, b: int) -> Cell:
        return (a, b) if a >= 0 and b >= 0 and a + b + 2 <= n_words else OUTSIDE

    equations: dict[tuple[str, int, int], Counter[Cell]] = defaultdict(Counter)
    for a, b in product(range(n_words), repeat=2):
        if a + b < n_words:  # the two steps from (a, b), each with a cell on either side
            divisor = gcd(a + 1, b)
            with_a = equations["A", (a + 1) // divisor, b // divisor]
            with_a[inside(a, b)] += 1
            with_a[inside(a, b - 1)] -= 1
            divisor = gcd(a, b + 1)
            with_b = equations["B", a // divisor, (b + 1) // divisor]
            with_b[inside(a - 1, b)] += 1
            with_b[inside(a, b)] -= 1
    return list(equations.values())


def _merged(equations: list[Counter[Cell]]) -> tuple[list[Counter[Cell]], Callable[[Cell], Cell]]:
    """The equations that remain once cells that must be equal are made one, and the cell that stands for each."""
    parents: dict[Cell, Cell] = {}

    def root(cell: Cell) -> Cell:
        while cell in parents:
            cell = parents[cell]
        return cell

    n_before = -1
    while len(equations) != n_before:
        n_before, remaining = len(equations), []
        for equation in equations:
            sums: Counter[Cell] = Counter()
            for cell, factor in equation.items():
                sums[root(cell)] += factor
            del sums[root(OUTSIDE)]
            cells = [cell for cell, factor in sums.items() if factor]
            if len(cells) == 1:
                parents[cells[0]] = OUTSIDE
            elif len(cells) == 2 and sums[cells[0]] == -sums[cells[1]]:
                parents[cells[0]] = cells[1]
            elif cells:
                remaining.append(Counter({cell: sums[cell] for cell in cells}))
        equations = remaining
    return equations, root


def _null_space(equations: list[Counter[Cell]]) -> list[dict[Cell, Fraction]]:
    """All solutions, by elimination: one for each free cell, which is 1 there and 0 in the other free cells."""
    solved: dict[Cell, dict[Cell, Fraction]] = {}  # what a cell is, in terms of free cells
    for equation in equations:
        terms: dict[Cell, Fraction] = defaultdict(Fraction)
        for cell, factor in equation.items():
            for other, part in solved.get(cell, {cell: Fraction(1)}).items():
                terms[other] += factor * part
        terms = {cell: multiple for cell, multiple in terms.items() if multiple}
        if not terms:
            continue
        pivot = min(terms)
        solution = {cell: -multiple / terms[pivot] for cell, multiple in terms.items() if cell != pivot}
        for parts in solved.values():
            share = parts.pop(pivot, Fraction(0))
            for cell, multiple in solution.items():
                parts[cell] = parts.get(cell, Fraction(0)) + share * multiple
        solved[pivot] = solution
    free = {cell for equation in equations for cell in equation} - set(solved)
    return [
        {cell: Fraction(1)} | {other: parts.get(cell, Fraction(0)) for other, parts in solved.items()}
        for cell in sorted(free)
    ]


def _as_array(
    values: Mapping[Cell, Fraction], root: Callable[[Cell], Cell], n_words: int
) -> Integer[np.ndarray, "a b"]:
    """Whole numbers at all cells, from those at the cells that stand for them."""
    cells = np.zeros((n_words - 1, n_words - 1), dtype=int)
    for a, b in product(range(n_words - 1), repeat=2):
        if a + b + 2 <= n_words:
            cells[a, b] = int(values.get(root((a, b)), 0))
    return cells


def _orders_around(cells: Integer[np.ndarray, "a b"], n_words: int) -> tuple[str, str] | None:
    """Two paths with just these signed cells between them, or None."""
    runs: dict[int, list[int]] = defaultdict(list)  # by step: in which rows there are cells between the paths
    signs: dict[int, int] = {}
    for a, b in np.argwhere(cells).tolist():
        runs[a + b + 1].append(a)
        if signs.setdefault(a + b + 1, int(cells[a, b])) != cells[a, b]:
            return None
    reached: list[dict[Cell, Cell]] = [{(0, 0): (0, 0)}]  # how many A's in the two paths, and from where they came
    for step in range(1, n_words + 1):
        run = runs.get(step, [])
        behind = run[:1] or range(step + 1)  # how many A's the path with fewer of them may have
        difference = len(run) * signs.get(step, 0)
        if run and run[-1] - run[0] + 1 != len(run):
            return None
        reached.append({})
        for counts, (first, second) in product(reached[-2], product((0, 1), repeat=2)):
            after = counts[0] + first, counts[1] + second
            if after[0] - after[1] == difference and min(after) in behind:
                reached[-1].setdefault(after, counts)
    if not reached[-1]:
        return None
    counts, texts = min(reached[-1], key=lambda ends: abs(2 * ends[0] - n_words)), ["", ""]
    for step in range(n_words, 0, -1):
        before = reached[step][counts]
        texts = [("A" if counts[k] > before[k] else "B") + text for k, text in enumerate(texts)]
        counts = before
    return texts[0], texts[1]
