"""What a trained decoder takes from its causal mask, and what from its rotations: one made to say nothing of the order,
then the other, then both.

    python -m studies.two_sources [PART …]        measures and stores, with provenance, in inorder/stored

The mask says nothing of the order of some rows if they all see each other; the rotations, if they share one position.

[1] Olsson et al. 2022, In-context Learning and Induction Heads, https://arxiv.org/abs/2209.11895
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Integer

from inorder._arrays import expect, expect_choice
from inorder.attention import causal_mask
from inorder.lab.provenance import provenance
from inorder.lab.records import chosen_parts, plain, store_parts
from inorder.lab.trained_decoder import last_rows, relative_differences
from inorder.pretrained.decoder import NAME, SHA256, WEIGHTS, LanguageModel, load, tokenize
from inorder.stored import FOLDER
from inorder.transformer import encode, layer_states, unembed

RESULTS = "two_sources.json"
BLOCKS = (1, 2, 30)  # after which the last rows are compared
FIRST = "The"  # before each list; its row sees only itself

# One bag of tokens in two orders, the same last word. (A text's first word has no space before it and is another token
# than the same word inside: so no pair swaps its first word.)
PAIRS = (
    ("The dog bites the man then", "The man bites the dog then"),
    ("When Alice loves Bob and", "When Bob loves Alice and"),
    ("First red then blue then", "First blue then red then"),
    ("The king saw the queen and", "The queen saw the king and"),
    ("From Paris to London and", "From London to Paris and"),
    ("The salt without pepper is", "The pepper without salt is"),
    ("The cat and the mouse in the", "The mouse and the cat in the"),
    ("She gave money for love because", "She gave love for money because"),
)


class Frame(NamedTuple):
    """A prompt about {a} and {b} that ends in another word, and the words to put there: every two, both ways."""

    text: str
    words: tuple[str, ...]


# The five most frequent given names of each sex in the United States, 1923 to 2022 (Social Security Administration),
# in turn. All are one token.
_NAMES = (
    "James",
    "Mary",
    "Michael",
    "Patricia",
    "Robert",
    "Jennifer",
    "John",
    "Linda",
    "David",
    "Elizabeth",
)
# Each list was fixed by a rule before the model saw it: all its words that are one token.
FRAMES = {
    # the capitals of the countries of the G20
    "cities": Frame(
        "From {a} to {b} and",
        (
            "Beijing",
            "Berlin",
            "Canberra",
            "London",
            "Moscow",
            "Ottawa",
            "Paris",
            "Rome",
            "Seoul",
            "Tokyo",
            "Washington",
        ),
    ),
    "names": Frame("When {a} loves {b} and", _NAMES),
    # the animals of the Chinese zodiac
    "animals": Frame(
        "The {a} bites the {b} then",
        ("rat", "ox", "tiger", "rabbit", "dragon", "snake", "horse", "goat", "monkey", "dog", "pig"),
    ),
}


def open_mask(n: int, start: int, end: int) -> Bool[np.ndarray, "query key"]:
    """A causal mask, opened: rows start … end − 1 see each other whatever their order.

    >>> open_mask(4, 1, 3).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 1, 0],
           [1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    mask = np.array(causal_mask(n))
    mask[start:end, start:end] = True
    return mask


def row_differences(pair: tuple[str, str], lm: LanguageModel) -> dict[str, Float[np.ndarray, " block"]]:
    """How much the last rows of two texts differ, |a − b| / √(|a| |b|), after the `BLOCKS`, with all positions equal:
    through the "mask", and with all rows open through "neither".

    Raises ValueError: two texts of different lengths.
    """
    ids = np.stack([tokenize(text, lm).ids for text in pair])  # NumPy refuses different lengths
    n = ids.shape[1]
    differences = {}
    for source, n_open in (("mask", 0), ("neither", n)):
        rows = last_rows(layer_states(ids, *lm.model, positions=np.zeros(n, int), mask=open_mask(n, 0, n_open)))
        differences[source] = relative_differences(*np.moveaxis(rows[list(BLOCKS)], 1, 0))
    return differences


class Swap(NamedTuple):
    """A text, two of its words, and what should come next: as the text stands, and with the two words swapped."""

    text: str
    words: tuple[str, str]
    answers: tuple[str, str]


def titles(names: Sequence[str], titles: Sequence[str]) -> tuple[Swap, ...]:
    """Asked for the name of the first title, and of the second; the names are swapped."""
    return _both_ways("Yesterday {a} {c} met {b} {d}. Then {asked}", titles, names, shift=3)


def homes(cities: Sequence[str], names: Sequence[str]) -> tuple[Swap, ...]:
    """Asked for the city of the first name, and of the second; the cities are swapped."""
    return _both_ways("My friend {a} lives in {c} and {b} lives in {d}. {asked} lives in", names, cities, shift=2)


def _both_ways(text: str, subjects: Sequence[str], answers: Sequence[str], shift: int) -> tuple[Swap, ...]:
    n, swaps = len(subjects), []
    for i in range(n):
        a, b, c, d = subjects[i], subjects[(i + 1) % n], answers[i], answers[(i + shift) % n]
        swaps.append(Swap(text.format(a=a, b=b, c=c, d=d, asked=a), (c, d), (c, d)))
        swaps.append(Swap(text.format(a=a, b=b, c=c, d=d, asked=b), (c, d), (d, c)))
    return tuple(swaps)


def mentioned_last(pairs: Sequence[tuple[str, str]]) -> tuple[Swap, ...]:
    """A habit and no task: the model gives the name mentioned last, whatever the question. So that is the "answer"."""
    texts = (
        "Today {} loves {}. The one who loves is",
        "Today {} hit {}. The person who hit someone is",
        "Today {} beat {} in the race. The winner was",
        "Today {}, {}. The first name is",
    )
    return tuple(Swap(text.format(*pair), pair, pair[::-1]) for text in texts for pair in pairs)


# The row that is read, the last one, is never one of the two words: then T of "neither" would not be 0.
TASKS = {
    "title": titles(
        ("Moore", "Davis", "Hill", "Young", "Allen", "Scott"),
        ("Doctor", "Captain", "Judge", "King", "Professor", "General"),
    ),
    "home": homes(
        ("Paris", "London", "Rome", "Berlin", "Tokyo", "Moscow"), ("Anna", "Paul", "Tom", "Mary", "John", "Sarah")
    ),
    "mentioned last": mentioned_last(
        (("Alice", "Bob"), ("Tom", "Sam"), ("Mary", "John"), ("Anna", "Paul"), ("Mark", "Sarah"))
    ),
}
# With other words, fixed before the model saw them: the most frequent surnames of the United States (census of 2010),
# the most frequent given names of a century (`FRAMES`), each with the next.
OTHER_TASKS = {
    "title": titles(
        ("Smith", "Johnson", "Williams", "Brown", "Jones", "Garcia"),
        ("Bishop", "Senator", "Mayor", "Colonel", "Prince", "Lord"),
    ),
    "home": homes(("Chicago", "Boston", "Madrid", "Vienna", "Dublin", "Toronto"), _NAMES[:6]),
    "mentioned last": mentioned_last(tuple(zip(_NAMES, (*_NAMES[1:], _NAMES[0]), strict=True))),
}
VIEWS = ("both", "rotations", "rotations, narrow", "mask, first", "mask, second", "neither")


def swap_effects(
    swaps: Sequence[Swap], lm: LanguageModel, views: Sequence[str] = VIEWS
) -> dict[str, Float[np.ndarray, "swap 2"]]:
    """logit of the first answer − logit of the second, for each text and for its two words swapped.

    views: "both" (nothing is taken away); "rotations" (the mask is open from row 1 to the second word) and "rotations,
    narrow" (open from the first of the two words on: this, too, says nothing of their order); "mask, first" and "mask,
    second" (both words stand at the position of the first, or of the second); "neither" (the mask open, both at the
    first). Row 0 always sees only itself.

    Raises ValueError: a word or an answer that is not one token, or a word that is not in its text once, after a space;
    an unknown view.
    """
    effects = {view: np.empty((len(swaps), 2)) for view in views}
    for member, swap in enumerate(swaps):
        ids, rows, answers = _tokens(swap, lm)
        n, order = len(ids), np.arange(len(ids))
        order[list(rows)] = rows[::-1]
        for view in views:
            positions, mask = _view(view, n, *rows)
            last = encode(np.stack([ids, ids[order]]), *lm.model, positions=positions, mask=mask)[:, -1]
            logits = np.asarray(unembed(last, lm.model.parameters))
            effects[view][member] = logits[:, answers[0]] - logits[:, answers[1]]
    return effects


def _tokens(swap: Swap, lm: LanguageModel) -> tuple[np.ndarray, tuple[int, int], list[int]]:
    """The text's tokens, the rows of its two words, and the tokens of the answers."""
    ids = tokenize(swap.text, lm).ids
    rows = [np.flatnonzero(ids == _token(word, lm)) for word in swap.words]
    expect(all(len(row) == 1 for row in rows), f"{swap.words} in the text, each once", swap.text)
    return ids, (int(rows[0][0]), int(rows[1][0])), [_token(word, lm) for word in swap.answers]


def _token(word: str, lm: LanguageModel) -> int:
    ids = tokenize(f" {word}", lm).ids
    expect(len(ids) == 1, "a word of one token", word)
    return int(ids[0])


def _view(view: str, n: int, first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
    expect_choice("view", view, VIEWS)
    positions = np.arange(n)
    if view in ("mask, first", "neither"):
        positions[second] = first
    elif view == "mask, second":
        positions[first] = second
    starts = {"rotations": 1, "neither": 1, "rotations, narrow": first}
    return positions, open_mask(n, starts.get(view, 0), second + 1 if view in starts else 0)


def swap_share(
    effects: Mapping[str, Float[np.ndarray, "swap 2"]], view: str, *, n_draws: int = 1000, seed: int = 0
) -> dict[str, Any]:
    """How much of the swap's effect is left in a view, with the interval of 95% of bootstrap samples of the swaps; and
    how often the answer is right, as the text stands and swapped.

    >>> effects = {"both": np.array([[3.0, -1.0], [2.0, -2.0]]), "mask": np.array([[2.0, 0.0], [1.0, -1.0]])}
    >>> float(swap_share(effects, "mask")["share"])
    0.5
    """
    whole, left = (effects[name][:, 0] - effects[name][:, 1] for name in ("both", view))
    draws = np.random.default_rng(seed).integers(0, len(whole), (n_draws, len(whole)))
    shares = left[draws].sum(axis=1) / whole[draws].sum(axis=1)
    right = [float((effects[view][:, 0] > 0).mean()), float((effects[view][:, 1] < 0).mean())]
    return {"share": left.sum() / whole.sum(), "interval": np.quantile(shares, [0.025, 0.975]), "right": right}


def random_words(lm: LanguageModel, n_words: int, n_lists: int, seed: int) -> Integer[np.ndarray, "list word"]:
    """Lists of random words, none twice in a list: common words of one token, with their space. Source: [1]."""
    rng, words = np.random.default_rng(seed), np.array(list(_common_words(lm)))
    return np.stack([rng.choice(words, n_words, replace=False) for _ in range(n_lists)])


def _common_words(lm: LanguageModel) -> Iterator[int]:
    """Tokens that are a space and four small letters or more, among the first 12,000: the merges made first."""
    for token in range(1000, 12000):
        word = lm.tokenizer.decode([token])
        if word[0] == " " and len(word) > 4 and word.isascii() and word[1:].isalpha() and word.islower():
            yield token


def copy_losses(
    words: Integer[np.ndarray, "list word"], lm: LanguageModel, *, seed: int = 0
) -> dict[str, Float[np.ndarray, " list"]]:
    """`FIRST`, a list of words, and the same list again: the mean loss of each list's second copy, in nats.

    untouched                 as the model reads any text
    rotations                 the words of the first copy all see each other: no order in their mask
    rotations, rows shuffled  the same with the rows in another order, and each word's position as it was
    mask                      the words of the first copy share one position: no order in their rotations
    neither                   both
    rotations, first row too  the first copy and `FIRST` all see each other
    another list              the first copy is another list: what an unpredictable word costs

    Raises ValueError: fewer than three words, or than two lists (each is another list for its neighbour).
    """
    n_lists, length = words.shape
    expect(n_lists > 1 and length > 2, "two lists or more, of three words or more", words.shape)
    n, order = 2 * length + 1, np.random.default_rng(seed).permutation(length)
    others = np.roll(words, 1, axis=0)[:, ::-1]
    ordered, equal, permuted = np.arange(n), np.arange(n), np.arange(n)
    equal[1 : length + 1] = (length + 1) // 2
    permuted[1 : length + 1] = 1 + order
    causal, opened, wide = (open_mask(n, *rows) for rows in ((0, 0), (1, length + 1), (0, length + 1)))
    views = {  # the first copy, positions, mask
        "untouched": (words, ordered, causal),
        "rotations": (words, ordered, opened),
        "rotations, rows shuffled": (words[:, order], permuted, opened),
        "mask": (words, equal, causal),
        "neither": (words, equal, opened),
        "rotations, first row too": (words, ordered, wide),
        "another list": (others, ordered, causal),
    }
    start = np.full((n_lists, 1), int(tokenize(FIRST, lm).ids[0]))
    return {
        name: token_losses(np.concatenate([start, copy, words], axis=1), lm, positions, mask)[:, length + 1 :].mean(1)
        for name, (copy, positions, mask) in views.items()
    }


def token_losses(
    ids: Integer[np.ndarray, "text position"],
    lm: LanguageModel,
    positions: Integer[np.ndarray, " position"],
    mask: Bool[np.ndarray, "position position"],
) -> Float[np.ndarray, "text position-1"]:
    """−log p(token i + 1) in row i, in nats."""
    rows = encode(ids, *lm.model, positions=positions, mask=mask)[:, :-1]
    logits = np.asarray(unembed(rows, lm.model.parameters), np.float64)
    top = logits.max(axis=-1, keepdims=True)
    totals = top[..., 0] + np.log(np.exp(logits - top).sum(axis=-1))
    return totals - np.take_along_axis(logits, ids[:, 1:, None], axis=-1)[..., 0]


def every_pair(frame: Frame) -> list[tuple[str, str]]:
    """The frame with each two of its words, in both orders."""
    return [(frame.text.format(a=a, b=b), frame.text.format(a=b, b=a)) for a, b in combinations(frame.words, 2)]


def second_block() -> dict[str, Any]:
    """The pairs, and every two words of three lists."""
    lm = load()
    texts = {"pairs": PAIRS, **{name: every_pair(frame) for name, frame in FRAMES.items()}}
    differences = {name: [row_differences(pair, lm) for pair in pairs] for name, pairs in texts.items()}
    return {"blocks": BLOCKS, "differences": differences}


def swaps() -> dict[str, Any]:
    """What is left of a swap's effect when the mask, or the rotations, say nothing of the order."""
    return _swap_results(TASKS)


def other_swaps() -> dict[str, Any]:
    """The same tasks with other words."""
    return _swap_results(OTHER_TASKS)


def _swap_results(tasks: Mapping[str, tuple[Swap, ...]]) -> dict[str, Any]:
    results = {}
    for name, task in tasks.items():
        effects = swap_effects(task, load())
        shares = {view: swap_share(effects, view) for view in effects}
        results[name] = {"text": task[0].text, "effects": effects, "shares": shares}
    return results


def copies() -> dict[str, Any]:
    """The loss on the second copy of random lists, by what is left of the order of the first."""
    lm = load()
    return {
        f"{length} words": copy_losses(random_words(lm, length, n_lists, seed=length), lm)
        for length, n_lists in ((10, 6), (20, 4), (40, 3))
    }


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    part.__name__: part for part in (second_block, swaps, other_swaps, copies)
}


def main() -> None:
    about = "One source of order at a time, in a trained decoder."
    command = "python -m studies.two_sources"
    made = provenance(command, ["numpy", "tokenizers", "gguf"], model=NAME, file=WEIGHTS, sha256=SHA256)
    for part in chosen_parts(command, about, PARTS):
        store_parts(FOLDER / RESULTS, {part: plain({"provenance": made, **PARTS[part]()})}, PARTS)


if __name__ == "__main__":
    main()
