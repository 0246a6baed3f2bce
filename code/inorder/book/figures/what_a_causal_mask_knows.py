"""The live figures on what a causal mask knows."""

from collections import Counter
from functools import cache

import numpy as np
from jaxtyping import Float

from inorder.attention import causal_mask, scaled_dot_product_attention
from inorder.prefixes import blind_orders, prefix_bag, swap_cells
from inorder.widgets import marks
from inorder.widgets.kit.twin import listed

TEXTS = {text: tuple(text.split()) for text in ("dog bites man today", "man bites dog today")}
N_EQUAL = 12  # words of the constant text


def averages(n_layers: int) -> Float[np.ndarray, "layer 4 4"]:
    """The weights of causal layers whose scores are all equal."""
    nothing = np.zeros((4, 1))
    return np.stack([scaled_dot_product_attention(nothing, nothing, np.eye(4), mask=causal_mask(4))] * n_layers)


def light_cone(word: str = "bites") -> list[marks.Mark]:
    """Which words can a word reach?"""
    words = TEXTS["dog bites man today"]
    position = words.index(word)
    weights = averages(3)
    reached = np.stack([np.eye(4), *[causal_mask(4)] * 3]) > 0  # (level, row, word), by one layer as by three
    levels = ["words", "1 layer", "2 layers", "3 layers"]
    picture = marks.stream(weights, words, shares=reached, layers=levels, inked=position, digits=None, drag="word")
    after = [f"“{other}”" for other in words[position + 1 :]]
    reaches = listed(["itself", *after]) if after else "itself alone"
    return [picture, marks.answer(f"“{word}” reaches {reaches}, at any depth.")]


def paths_to_today(word: str = "dog") -> list[marks.Mark]:
    """By how many paths does a word reach “today”?"""
    weights = averages(2)
    levels = ["words", "1 layer", "2 layers"]
    streams, paths, shares = [], [], []
    for text, words in TEXTS.items():
        position = words.index(word)
        streams.append(marks.stream(weights, words, layers=levels, inked=position, drag="word", title=text))
        paths.append(int(np.linalg.matrix_power(causal_mask(4).astype(int), 2)[3, position]))
        shares.append((weights[1] @ weights[0])[3, position])
    first, second = (f"{n} path{'s' * (n > 1)}" for n in paths)
    if first == second:
        says = f"“{word}” reaches “today” by {first} in both texts, with a share of {shares[0]:.2f}."
        return [*streams, marks.answer(says, "=")]
    says = f"“{word}” reaches “today” by {first} in the first text, by {second} in the second"
    return [*streams, marks.answer(f"{says}: its shares are {shares[0]:.2f} and {shares[1]:.2f}.", "≠")]


def count_rows(row: int = 4, marked: bool = True) -> list[marks.Mark]:
    """Can a row count what it has seen?"""
    first = np.eye(N_EQUAL)[:, :1] * marked  # (key, d_value 1): is the first word a mark?
    scores = np.zeros((N_EQUAL, 1))
    averages = scaled_dot_product_attention(scores, scores, first, mask=causal_mask(N_EQUAL))[:, 0]
    axes = ("row", "what its average holds")
    curve = marks.lines(np.arange(N_EQUAL), averages, axes=axes, y_limits=(-0.05, 1.1))
    here = marks.points([[row, averages[row]]], [f"{averages[row]:.2f}"], actor="position", equal=False)
    if marked:
        answer = marks.answer(
            f"Row {row} holds 1/{row + 1} of the mark. No other row does: it can tell where it is.", "✓"
        )
    else:
        answer = marks.answer(f"Row {row} holds what every other row holds: it cannot tell where it is.", "×")
    return [curve + here, answer]


def by_swaps(first: str, second: str, word: str = "A") -> list[str]:
    """The texts on the way from one order to another, each one swap of neighbours from the last: one for each cell.

    >>> by_swaps("ABB", "BBA")
    ['ABB', 'BAB', 'BBA']
    """
    texts = [first]
    while (text := texts[-1]) != second:
        distance = abs(swap_cells(text, second, word)).sum()
        swapped = (text[:k] + text[k + 1] + text[k] + text[k + 2 :] for k in range(len(text) - 1))
        texts.append(next(other for other in swapped if abs(swap_cells(other, second, word)).sum() < distance))
    return texts


@cache
def blind_pair() -> tuple[str, ...]:
    """From one text of 81 words to the other that two causal layers confuse with it, swap by swap."""
    first, second = blind_orders(81) or ("", "")
    return tuple(by_swaps(first, second))


def without_partner(text: str, other: str) -> list[int]:
    """The places of the words whose entries have no partner in the other text, an equal one of their own.

    Equal entries at one place are partners first, the others in the order of the text.

    >>> without_partner("AB", "BA"), without_partner("AAB", "ABA")
    ([0, 1], [1, 2])
    """
    entries, others = (
        [next(iter(prefix_bag(t[:k]) - prefix_bag(t[: k - 1]))) for k in range(1, len(t) + 1)] for t in (text, other)
    )
    left = [place for place, entry in enumerate(entries) if entry != others[place]]
    partners = Counter(others[place] for place in left)
    alone = []
    for place in left:
        partners[entries[place]] -= 1
        if partners[entries[place]] < 0:
            alone.append(place)
    return alone


def eighty_one_words(swaps: int = 4) -> list[marks.Mark]:
    """Swap neighbours. Do two layers notice?"""
    texts = blind_pair()
    paths = [np.cumsum([0, *(1 if letter == "A" else -1 for letter in text)]) for text in (texts[0], texts[swaps])]
    read = np.arange(len(texts[0]) + 1)
    plane = marks.lines(read, paths[0], axes=("words read", "A’s minus B’s"), equal=False)
    plane += marks.lines(read, paths[1], actor="position")
    alone = [without_partner(texts[0], texts[swaps]), without_partner(texts[swaps], texts[0])]
    ends = [[end + 1, path[end + 1]] for path, places in zip(paths, alone, strict=True) for end in places]
    plane += marks.points(np.array(ends).reshape(-1, 2), actor="value", equal=False)
    apart = len(alone[0])
    if apart:
        made = f"{swaps} of {len(texts) - 1} swaps"
        says = f"{made}: in each text {apart} entries have no partner (■). Two layers can tell the texts apart."
        return [plane, marks.answer(says, "≠")]
    says = "No swap: the two texts are the same."
    if swaps:
        says = f"All {swaps} swaps: two orders, but every entry has a partner. No two layers can tell the texts apart."
    return [plane, marks.answer(says, "=")]
