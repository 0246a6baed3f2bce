"""The texts of the measurements: pairs of one bag of tokens, tasks that need an order, prose, random words twice.

[1] Linzen, Dupoux and Goldberg 2016, Assessing the Ability of LSTMs to Learn Syntax-Sensitive Dependencies,
    https://arxiv.org/abs/1611.01368
[2] Olsson et al. 2022, In-context Learning and Induction Heads, https://arxiv.org/abs/2209.11895
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Integer

from inorder._arrays import expect, expect_count
from inorder.pretrained.decoder import LanguageModel, tokenize

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
# The pairs of the live figure: those, and four in which other words move. The first is the one it begins with.
FIGURE_PAIRS = (
    ("Yesterday Doctor Moore met Captain Hill. Then Doctor", "Yesterday Doctor Hill met Captain Moore. Then Doctor"),
    PAIRS[4],
    *PAIRS[:4],
    *PAIRS[5:],
    ("Alice loves Bob. The one who is loved is", "Bob loves Alice. The one who is loved is"),
    ("The capital of France is", "The France of capital is"),
    ("Once upon a time there was a little girl who", "Once upon a girl there was a little time who"),
)
PROMPTS = ("The capital of France is", "Once upon a time there was a little girl who")


Pairs = Sequence[tuple[str, str]]


class Swap(NamedTuple):
    """A text, two of its words, and what should come next: as the text stands, and with the two words swapped."""

    text: str
    words: tuple[str, str]
    answers: tuple[str, str]


# The five most frequent given names of each sex in the United States, 1923 to 2022 (Social Security Administration),
# in turn. All are one token.
COMMON_NAMES = (
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
NEIGHBOURS = tuple(zip(COMMON_NAMES, (*COMMON_NAMES[1:], COMMON_NAMES[0]), strict=True))  # ten pairs

TITLES = ("Doctor", "Captain", "Judge", "King", "Professor", "General")
SURNAMES = ("Moore", "Davis", "Hill", "Young", "Allen", "Scott")


def _titles(between: str, titles: Sequence[str] = TITLES, names: Sequence[str] = SURNAMES) -> tuple[Swap, ...]:
    def both(i: int) -> tuple[Swap, Swap]:
        title, other = titles[i], titles[(i + 1) % 6]
        name, rival = names[i], names[(i + 3) % 6]
        text = f"Yesterday {title} {name} {between} {other} {rival}. Then "
        return Swap(text + title, (name, rival), (name, rival)), Swap(text + other, (name, rival), (rival, name))

    return tuple(swap for i in range(6) for swap in both(i))


ADJECTIVES = (("green", "white"), ("tall", "short"), ("rich", "poor"), ("new", "old"), ("dark", "bright"))
NOUNS = (("door", "bed"), ("man", "woman"), ("farmer", "doctor"), ("bridge", "road"), ("room", "street"))


def _adjectives(adjectives: Pairs = ADJECTIVES, nouns: Pairs = NOUNS) -> tuple[Swap, ...]:
    def both(adjective: str, other: str, noun: str, rival: str) -> tuple[Swap, Swap]:
        text = f"I saw the {adjective} {noun} and the {other} {rival}. The "
        return Swap(text + adjective, (noun, rival), (noun, rival)), Swap(text + other, (noun, rival), (rival, noun))

    return tuple(swap for pair in zip(adjectives, nouns, strict=True) for swap in both(*pair[0], *pair[1]))


ONE = ("cat", "girl", "house", "student", "tree", "nurse", "artist", "river")
MANY = ("dogs", "boys", "cars", "teachers", "birds", "doctors", "writers", "trees")


def _agreement(
    text: str, answers: tuple[str, str], one: Sequence[str] = ONE, many: Sequence[str] = MANY
) -> tuple[Swap, ...]:
    return tuple(Swap(text.format(*pair), pair, answers) for pair in zip(one, many, strict=True))


NAME_PAIRS = (("Alice", "Bob"), ("Tom", "Sam"), ("Mary", "John"), ("Anna", "Paul"), ("Mark", "Sarah"))


def _last_name(pairs: Pairs = NAME_PAIRS) -> tuple[Swap, ...]:
    texts = (
        "Today {} loves {}. The one who loves is",
        "Today {} hit {}. The person who hit someone is",
        "Today {} beat {} in the race. The winner was",
        "Today {}, {}. The first name is",
    )
    return tuple(Swap(text.format(*pair), pair, pair[::-1]) for text in texts for pair in pairs)


# The last word of a text, whose row is read, is never one of the two. The first five tasks are solved when asked both
# ways. The last is a habit and no task: the model gives the last name, whatever the question, so its "answers" are
# the last names.
TASKS: dict[str, tuple[Swap, ...]] = {
    "title, 3 apart": _titles("met"),
    "title, 10 apart": _titles("walked in the garden of the house with"),
    "adjective": _adjectives(),
    "agreement, first noun": _agreement("The {} near the {} always", ("is", "are")),  # [1]
    "agreement, last noun": _agreement("The {} that the {} always", ("like", "likes")),
    "last name": _last_name(),
}

# The same tasks with other words, fixed before the model saw them: the six most frequent surnames of the United States
# (census of 2010), the names above, and words of one token.
_OTHER_ONE = ("bird", "lawyer", "bridge", "actor", "flower", "soldier", "singer", "mountain")
_OTHER_MANY = ("horses", "mothers", "houses", "pilots", "stars", "farmers", "players", "lakes")
_OTHER_TITLES = (
    ("Bishop", "Senator", "Mayor", "Colonel", "Prince", "Lord"),
    ("Smith", "Johnson", "Williams", "Brown", "Jones", "Garcia"),
)
OTHER_TASKS: dict[str, tuple[Swap, ...]] = {
    "title, 3 apart": _titles("met", *_OTHER_TITLES),
    "title, 10 apart": _titles("walked in the garden of the house with", *_OTHER_TITLES),
    "adjective": _adjectives(
        (("big", "small"), ("young", "old"), ("warm", "cold"), ("clean", "dirty"), ("fast", "slow")),
        (("house", "tower"), ("king", "queen"), ("lake", "river"), ("table", "window"), ("car", "train")),
    ),
    "agreement, first noun": _agreement("The {} near the {} always", ("is", "are"), _OTHER_ONE, _OTHER_MANY),
    "agreement, last noun": _agreement("The {} that the {} always", ("like", "likes"), _OTHER_ONE, _OTHER_MANY),
    "last name": _last_name(NEIGHBOURS),
}


class SwapTokens(NamedTuple):
    """Swaps of one shape: the same number of tokens, and the words that are swapped in the same two rows."""

    members: list[int]  # which of the swaps
    ids: Integer[np.ndarray, "swap position"]
    rows: tuple[int, int]
    answers: Integer[np.ndarray, "swap 2"]


def swap_tokens(swaps: tuple[Swap, ...], lm: LanguageModel) -> list[SwapTokens]:
    """The swaps as the model reads them, those of one shape together.

    Raises ValueError: a word or an answer that is not one token, or a word that is not in its text once, after a space.

    >>> from inorder.pretrained.decoder import load
    >>> [group.ids.shape for group in swap_tokens(TASKS["title, 3 apart"], load())]
    [(12, 10)]
    """
    groups: dict[tuple[int, int, int], SwapTokens] = {}
    for member, swap in enumerate(swaps):
        ids = tokenize(swap.text, lm).ids
        word_ids, answers = ([_token(word, lm) for word in words] for words in (swap.words, swap.answers))
        rows = [np.flatnonzero(ids == word) for word in word_ids]
        expect(all(len(row) == 1 for row in rows), f"{swap.words} in the text, each once", swap.text)
        first, second = (int(row[0]) for row in rows)
        empty = SwapTokens([], np.empty((0, len(ids)), int), (first, second), np.empty((0, 2), int))
        group = groups.get((len(ids), first, second), empty)
        groups[len(ids), first, second] = SwapTokens(
            [*group.members, member],
            np.concatenate([group.ids, ids[None]]),
            group.rows,
            np.concatenate([group.answers, [answers]]),
        )
    return list(groups.values())


def _token(word: str, lm: LanguageModel) -> int:
    ids = tokenize(f" {word}", lm).ids
    expect(len(ids) == 1, "a word of one token", word)
    return int(ids[0])


def text_windows(text: str, lm: LanguageModel, n_tokens: int, n_windows: int) -> Integer[np.ndarray, "window position"]:
    """Pieces of a text at even distances, from its first token to its last; they overlap if the text is short.

    Raises ValueError: a text of fewer than n_tokens; sizes that are not positive whole numbers.

    >>> from inorder.pretrained.decoder import load
    >>> text_windows("one two three four five", load(), 2, 3).shape
    (3, 2)
    """
    expect_count("n_tokens", n_tokens)
    expect_count("n_windows", n_windows)
    ids = tokenize(text, lm).ids
    expect(len(ids) >= n_tokens, f"a text of {n_tokens} tokens or more", len(ids))
    starts = np.linspace(0, len(ids) - n_tokens, n_windows).astype(int)
    return ids[starts[:, None] + np.arange(n_tokens)]


def random_words(lm: LanguageModel, n_words: int, n_lists: int, seed: int) -> Integer[np.ndarray, "list word"]:
    """Lists of words drawn at random, none twice in a list: common words of one token, with their space. Source: [2].

    Raises ValueError: sizes that are not positive whole numbers.

    >>> from inorder.pretrained.decoder import load
    >>> random_words(load(), 5, 2, seed=0).shape
    (2, 5)
    """
    expect_count("n_words", n_words)
    expect_count("n_lists", n_lists)
    rng, words = np.random.default_rng(seed), np.array(list(_common_words(lm)))
    return np.stack([rng.choice(words, n_words, replace=False) for _ in range(n_lists)])


def _common_words(lm: LanguageModel) -> Iterator[int]:
    """Tokens that are a space and four small letters or more, among the first 12,000: the merges made first."""
    for token in range(1000, 12000):
        word = lm.tokenizer.decode([token])
        if word[0] == " " and len(word) > 4 and word.isascii() and word[1:].isalpha() and word.islower():
            yield token
