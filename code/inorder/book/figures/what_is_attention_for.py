"""The live figures on what attention is for: one word asks, two rounds of it, and a real model's two rounds."""

import numpy as np

from inorder.attention import softmax
from inorder.book.sentence import KEY_AXES, KEYS, OTHERS, PLACES, SENTENCE, WORDS
from inorder.stored import read_record
from inorder.widgets import marks
from inorder.widgets.marks import Mark

SPOTS = KEYS + np.array([(0, 0), (-0.61, 0.45), (0, 0), (0, 0), (-0.61, -0.22)])  # three words have the key (0, 0)


def turn_the_question(creature: float = 1.6, place: float = 0.4) -> tuple[Mark, Mark]:
    """Drag the arrow: what does “it” ask for?"""
    query = np.array([creature, place])
    shares = softmax(KEYS @ query)  # (word 5,)
    plane = marks.threads(SPOTS, shares, WORDS, axes=KEY_AXES, x_limits=(-1, 2.4), y_limits=(-0.4, 2.2))
    name = "it asks" if np.linalg.norm(query) > 0.7 else ""  # where the name has room
    plane += marks.arrows([query], [name], actor="query", drag=("creature", "place"))
    most = [word for word, share in zip(WORDS, shares, strict=True) if np.isclose(share, shares.max())]
    several = {2: "Both nouns", 3: "The three other words", 4: "Four words", 5: "All words"}
    best = f"“{most[0]}” gets most" if len(most) == 1 else f"{several[len(most)]} get the same"
    return plane, marks.answer(f"{best}: a share of {shares.max():.2f}.")


SPEAKS_OF = {"tired": (2, 0), "hungry": (2, 0), "wide": (0, 2), "icy": (0, 2), "busy": (2, 2)}  # creatures, places
DESCRIBES = np.array([0.0, 0, 0, 0, 2])  # the keys of the first round: only the last word describes anything


def looks_of_it(last: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What *it* gives to the five words in both rounds, (5,) each, and between them what it collects first, (2,)."""
    first = softmax(2 * DESCRIBES)
    collected = first[4] * np.array(SPEAKS_OF[last], dtype=float)  # the other four hand over nothing
    return first, collected, softmax(KEYS @ collected)


def two_rounds(last: str = "tired") -> tuple[Mark, Mark, Mark]:
    """Change the last word. Where does “it” look?"""
    first, collected, second = looks_of_it(last)
    shares = np.zeros((2, len(SENTENCE)))
    shares[:, PLACES] = first, second
    arcs = marks.sentence(
        [*SENTENCE[:-1], last],
        {"first round": shares[0], "second round": shares[1]},
        asks=SENTENCE.index("it"),
        small=OTHERS,
        limits=(0, 1),
    )
    columns = {"describes": DESCRIBES, "score": 2 * DESCRIBES, "share": first}
    whole = {"describes": 0, "score": 0}
    first_round = marks.table(columns, [*WORDS[:4], last], digits=whole, title="first round: who describes?")
    most = [word for word, share in zip(WORDS, second, strict=True) if np.isclose(share, second.max())]
    finds = " and ".join(f"“{word}”" for word in most)
    collects = f"({collected[0]:.2f}, {collected[1]:.2f})"
    says = f"“It” collects {collects} from “{last}”, asks with that, and looks at {finds}."
    return arcs, first_round, marks.answer(says)


LAST_WORDS = ("tired", "hungry", "scared", "wide", "icy", "narrow", "busy")
SMALL = ("[CLS]", "the", "didn", "'", "t", "because", "was", "too", ".", "[SEP]")


def real_it(last: str = "tired", order: str = "animal first", view: str = "open") -> tuple[Mark, Mark, Mark]:
    """Where does “it” look in a real model?"""
    look = read_record("two_looks.json")["looks"][order][last]
    shown = [place for place, word in enumerate(look["words"]) if word not in SMALL]
    words = [look["words"][place] for place in shown]
    first, second = (np.array(look[view][name])[shown] for name in ("first", "second"))
    animal, street = (second[words.index(noun)] for noun in ("animal", "street"))
    return (
        marks.bars(first, words, title="layer 2, head 1", axis="weight", limits=(0, 1)),
        marks.bars(second, words, title="layer 4, head 0", axis="weight", limits=(0, 0.3)),
        marks.answer(f"In layer 4 “it” gives {animal:.2f} to “animal” and {street:.2f} to “street”."),
    )
