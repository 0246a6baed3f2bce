"""How a trained encoder reads a pronoun: first at what describes it, then at the noun. And is the first the cause?

    python -m studies.two_looks        measures and stores, with provenance, in inorder/stored

The sentences are of one pattern, *The animal didn't cross the street because it was too …*, after [1], with the
creature first or the place first; the model is `inorder.pretrained`. To block a view is to keep *it* from looking at
one token in one layer, in all heads; nothing else changes.

[1] Levesque, Davis and Morgenstern 2012, The Winograd Schema Challenge
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from inorder.lab.provenance import provenance
from inorder.lab.records import plain, store_parts
from inorder.pretrained.encoder import HUB, REVISION, SHA256, Pretrained, load, tokenize
from inorder.stored import FOLDER
from inorder.transformer import block, embed

OF_CREATURES = ("tired", "hungry", "angry", "sleepy", "scared")
OF_PLACES = ("wide", "long", "icy", "dark", "narrow")
OF_BOTH = ("busy",)
FIRST_LOOK, SECOND_LOOK = (2, 1), (4, 0)  # (layer, head), counted from 0, chosen in the sentences of `SHOWN`


class Frame(NamedTuple):
    """A sentence without its last word, and its two nouns."""

    sentence: str
    creature: str
    place: str


SHOWN = {
    "animal first": Frame("The animal didn't cross the street because it was too {}.", "animal", "street"),
    "street first": Frame("The street didn't suit the animal because it was too {}.", "animal", "street"),
}
PATTERNS = (
    "The {creature} didn't cross the {place} because it was too {{}}.",
    "The {place} didn't please the {creature} because it was too {{}}.",
)
CREATURES = ("animal", "dog", "horse", "cat", "cow")
LOCATIONS = ("street", "road", "river", "field", "bridge")
FRAMES = [
    Frame(pattern.format(creature=creature, place=place), creature, place)
    for pattern, creature, place in product(PATTERNS, CREATURES, LOCATIONS)
]


class Looks(NamedTuple):
    """The weights that the row of *it* gives to all tokens, in every layer and head."""

    words: list[str]
    weights: Float[np.ndarray, "layer head key"]


def looks(sentence: str, pretrained: Pretrained, *, blocked: tuple[int, str] | None = None) -> Looks:
    """Where *it* looks. `blocked`: (layer, word), which word it may not look at in which layer.

    >>> words, weights = looks(SHOWN["animal first"].sentence.format("tired"), load())
    >>> words[weights[FIRST_LOOK].argmax()]
    'tired'
    """
    tokens = tokenize(sentence, pretrained)
    words = tokens.words[0]
    it = words.index("it")
    parameters, config = pretrained.model
    positions = np.arange(len(words))
    x = embed(tokens.ids[0], parameters, config, positions=positions)  # (token, d_model)
    rows = []
    for layer, weights in enumerate(parameters.blocks):
        mask = np.ones((len(words), len(words)), dtype=bool)
        if blocked is not None and layer == blocked[0]:
            mask[it, words.index(blocked[1])] = False
        state = block(x, weights, config, positions=positions, tables=parameters.position, mask=mask)
        rows.append(state.weights[:, it])  # (head, key)
        x = state.hidden
    return Looks(words, np.stack(rows))


def leads(
    frame: Frame, pretrained: Pretrained, *, layer: int | None = None, word: str | None = None
) -> Float[np.ndarray, " last"]:
    """What *it* gives to the creature minus what it gives to the place, in the head of the second look.

    For the last words in `OF_CREATURES`, then in `OF_PLACES`. In `layer` the view of `word` is blocked: the last word,
    unless it is named.
    """
    differences = []
    for last in OF_CREATURES + OF_PLACES:
        blocked = None if layer is None else (layer, word or last)
        words, weights = looks(frame.sentence.format(last), pretrained, blocked=blocked)
        second = weights[SECOND_LOOK]
        differences.append(second[words.index(frame.creature)] - second[words.index(frame.place)])
    return np.array(differences)


def right(differences: Float[np.ndarray, " last"]) -> int:
    """In how many of the sentences the noun that is meant gets more than the other.

    >>> right(np.array([0.1] * 5 + [-0.1] * 4 + [0.2]))
    9
    """
    n = len(OF_CREATURES)
    return int((differences[:n] > 0).sum() + (differences[n:] < 0).sum())


def gap(differences: Float[np.ndarray, " last"]) -> float:
    """How much further the mean lead of the creature goes for `OF_CREATURES` than for `OF_PLACES`."""
    n = len(OF_CREATURES)
    return float(differences[:n].mean() - differences[n:].mean())


def measure_frame(frame: Frame, pretrained: Pretrained) -> dict:
    """In how many sentences the second look is right, and the gap with nothing blocked and with something blocked."""
    layer, _ = FIRST_LOOK
    differences = leads(frame, pretrained)
    gaps = {
        "open": gap(differences),
        "blocked": gap(leads(frame, pretrained, layer=layer)),
        "another word": gap(leads(frame, pretrained, layer=layer, word="because")),
    } | {f"layer {other}": gap(leads(frame, pretrained, layer=other)) for other in (0, 1, 3)}
    return {"sentence": frame.sentence, "right": right(differences), "gaps": gaps}


def measure_looks(frame: Frame, pretrained: Pretrained) -> dict:
    """For each last word the rows of the two heads, with the view of it in layer 2 open and blocked."""
    record: dict = {}
    for last in OF_CREATURES + OF_PLACES + OF_BOTH:
        record[last] = {}
        for view, blocked in (("open", None), ("blocked", (FIRST_LOOK[0], last))):
            words, weights = looks(frame.sentence.format(last), pretrained, blocked=blocked)
            record[last][view] = {"first": weights[FIRST_LOOK], "second": weights[SECOND_LOOK]}
        record[last]["words"] = words
    return record


def main() -> None:
    path = FOLDER / "two_looks.json"
    pretrained = load()
    made = provenance("python -m studies.two_looks", ["numpy"], model=f"{HUB}, revision {REVISION}", sha256=SHA256)
    shown = {name: plain(measure_looks(frame, pretrained), 4) for name, frame in SHOWN.items()}
    frames = [plain(measure_frame(frame, pretrained), 4) for frame in FRAMES]
    path.unlink(missing_ok=True)
    store_parts(path, {"provenance": made, "looks": shown, "frames": frames})
    print(f"stored {path}")


if __name__ == "__main__":
    main()
