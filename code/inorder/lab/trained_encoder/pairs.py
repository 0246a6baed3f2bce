"""Minimal pairs by rule: the same words in two orders, both of them sentences. And pairs to measure them by."""

from collections.abc import Sequence
from itertools import combinations, permutations, product

import numpy as np
from jaxtyping import Float

from inorder.pretrained import Pretrained, sentence_vector

CREATURES = ("dog", "cat", "horse", "wolf", "bear", "man", "woman", "boy", "girl", "teacher")
NAMES = ("alice", "bob", "carol", "david", "emma", "frank", "grace", "henry", "laura", "peter")
CITIES = ("paris", "london", "berlin", "rome", "madrid", "vienna", "boston", "tokyo", "cairo", "sydney")
THINGS = ("door", "food", "road", "room", "shop")
OPPOSITES = (
    ("big", "small"),
    ("cheap", "expensive"),
    ("clean", "dirty"),
    ("cold", "hot"),
    ("dark", "bright"),
    ("good", "bad"),
    ("new", "old"),
    ("open", "closed"),
    ("ready", "late"),
)

RULES = {
    "who bites whom": [(f"the {a} bites the {b}", f"the {b} bites the {a}") for a, b in combinations(CREATURES, 2)],
    "who is older": [(f"{a} is older than {b}", f"{b} is older than {a}") for a, b in combinations(NAMES, 2)],
    "who left first": [(f"{a} left before {b} came", f"{b} left before {a} came") for a, b in combinations(NAMES, 2)],
    "from, to": [(f"flights from {a} to {b}", f"flights from {b} to {a}") for a, b in combinations(CITIES, 2)],
    "not this but that": [
        (f"the {thing} was not {a} but {b}", f"the {thing} was not {b} but {a}")
        for thing, (a, b) in product(THINGS, OPPOSITES)
    ],
    "only": [(f"only the {a} saw the {b}", f"the {a} saw only the {b}") for a, b in permutations(CREATURES[2:9], 2)],
    "question": [(f"is the {thing} {a}", f"the {thing} is {a}") for thing, (a, _) in product(THINGS, OPPOSITES)],
}


def another(creature: str, other: str) -> str:
    """The creature that follows the second of these in the list, which begins again at its end; never the first.

    >>> another("dog", "man"), another("dog", "teacher")
    ('woman', 'cat')
    """
    others = [each for each in CREATURES if each != creature]
    return others[(others.index(other) + 1) % len(others)]


YARDSTICKS = {
    "one word replaced": [
        (f"the {a} bites the {b}", f"the {a} bites the {another(a, b)}") for a, b in combinations(CREATURES, 2)
    ],
    "unrelated sentences": [
        (one, other)
        for first, second in combinations(RULES, 2)
        for (one, _), (other, _) in list(zip(RULES[first], reversed(RULES[second]), strict=False))[::15]
    ],
}

EXAMPLES = (  # for the text box of the chapter's figure
    ("the dog bites the man", "the man bites the dog"),
    ("the dog bites the man", "the dog bites the woman"),
    ("flights from london to berlin", "flights from berlin to london"),
    ("the food was not good but bad", "the food was not bad but good"),
    ("is the door open", "the door is open"),
    ("only she said that he lied", "she said that only he lied"),
    ("we eat to live and do not live to eat", "we live to eat and do not eat to live"),
    ("race horse", "horse race"),
    ("i love you", "you love me"),
    (
        "the animal did not cross the street because it was too tired",
        "street too the was because tired animal it not the cross did",
    ),
)


def distances(
    pairs: Sequence[tuple[str, str]], pretrained: Pretrained, *, positions: bool = True
) -> Float[np.ndarray, " pair"]:
    """1 − the cosine of the two sentences' vectors.

    >>> from inorder.pretrained import load
    >>> bool(abs(distances(EXAMPLES[:1], load(), positions=False)).max() < 1e-5)
    True
    """
    one, other = (sentence_vector([pair[side] for pair in pairs], pretrained, positions) for side in (0, 1))
    return 1 - np.asarray((one * other).sum(-1))
