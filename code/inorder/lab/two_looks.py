"""How a trained encoder reads a pronoun: first at what describes it, then at the noun. And is the first the cause?

    python -m inorder.lab.two_looks        measures and stores, with provenance, in inorder/stored

The sentences are of one pattern, *The animal didn't cross the street because it was too …*, after [1], with the animal
first or the street first; the model is `inorder.pretrained`. Shutting a door means that *it* may not look at one token
in one layer, in all heads or in some, and nothing else changes.

[1] Levesque, Davis and Morgenstern 2012, The Winograd Schema Challenge
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from inorder.lab.provenance import provenance
from inorder.lab.records import plain, store_parts
from inorder.pretrained import HUB, REVISION, SHA256, Pretrained, load, tokenize
from inorder.stored import FOLDER
from inorder.transformer import block, embed

BEINGS = ("tired", "hungry", "angry", "sleepy", "scared")
PLACES = ("wide", "long", "icy", "dark", "narrow")
BOTH = ("busy", "crowded")
FIRST_LOOK, SECOND_LOOK, FIRST_NOUN = (2, 1), (4, 0), (3, 1)  # (layer, head), counted from 0


class Frame(NamedTuple):
    """A sentence without its last word, and its two nouns: a being and a place."""

    sentence: str
    being: str
    place: str


FRAMES = {  # the heads were chosen in the first one
    "animal first": Frame("The animal didn't cross the street because it was too {}.", "animal", "street"),
    "street first": Frame("The street didn't suit the animal because it was too {}.", "animal", "street"),
    "dog first": Frame("The dog didn't cross the road because it was too {}.", "dog", "road"),
    "road first": Frame("The road didn't please the dog because it was too {}.", "dog", "road"),
    "horse first": Frame("The horse didn't swim across the river because it was too {}.", "horse", "river"),
    "river first": Frame("The river didn't stop the horse because it was too {}.", "horse", "river"),
    "street first, please": Frame("The street didn't please the animal because it was too {}.", "animal", "street"),
    "street first, stop": Frame("The street didn't stop the animal because it was too {}.", "animal", "street"),
}
SHOWN = ("animal first", "street first")


class Looks(NamedTuple):
    """The weights that the row of *it* gives to all tokens, in every layer and head."""

    words: list[str]
    weights: Float[np.ndarray, "layer head key"]


def looks(
    sentence: str,
    pretrained: Pretrained,
    *,
    door: tuple[int, int] | None = None,
    heads: Collection[int] | None = None,
) -> Looks:
    """Where *it* looks. `door`: (layer, token), what it may not look at in which layer; −1 is the last word.

    `heads`: those in which the door is shut; None means all of them.

    >>> words, weights = looks(FRAMES["animal first"].sentence.format("tired"), load())
    >>> words[weights[FIRST_LOOK].argmax()]
    'tired'
    """
    tokens = tokenize(sentence, pretrained)
    words = tokens.words[0]
    it, last = words.index("it"), len(words) - 3  # before the full stop and [SEP]
    parameters, config = pretrained.model
    positions = np.arange(len(words))
    x = embed(tokens.ids[0], parameters, config, positions=positions)  # (token, d_model)
    rows = []
    for layer, weights in enumerate(parameters.blocks):
        mask = np.ones((config.n_heads, len(words), len(words)), dtype=bool)
        if door is not None and layer == door[0]:
            shut = range(config.n_heads) if heads is None else heads
            mask[list(shut), it, last if door[1] == -1 else door[1]] = False
        state = block(x, weights, config, positions=positions, tables=parameters.position, mask=mask)
        rows.append(state.weights[:, it])  # (head, key)
        x = state.hidden
    return Looks(words, np.stack(rows))


def preferences(
    frame: Frame,
    pretrained: Pretrained,
    *,
    door: tuple[int, int] | None = None,
    heads: Collection[int] | None = None,
) -> Float[np.ndarray, "last layer head"]:
    """What *it* gives to the being minus what it gives to the place, for the words in `BEINGS`, then in `PLACES`."""
    differences = []
    for last in BEINGS + PLACES:
        words, weights = looks(frame.sentence.format(last), pretrained, door=door, heads=heads)
        differences.append(weights[:, :, words.index(frame.being)] - weights[:, :, words.index(frame.place)])
    return np.stack(differences)


def right(differences: Float[np.ndarray, "last ..."]) -> Integer[np.ndarray, "..."]:
    """In how many of the sentences the noun that is meant gets more than the other.

    >>> int(right(np.array([0.1] * 5 + [-0.1] * 4 + [0.2])[:, None])[0])
    9
    """
    n_beings = len(BEINGS)
    return (differences[:n_beings] > 0).sum(axis=0) + (differences[n_beings:] < 0).sum(axis=0)


def gap(differences: Float[np.ndarray, " last"]) -> float:
    """How much further the mean preference lies towards the being for `BEINGS` than for `PLACES`."""
    return float(differences[: len(BEINGS)].mean() - differences[len(BEINGS) :].mean())


def measure_frame(frame: Frame, pretrained: Pretrained) -> dict:
    """How often each head prefers the noun that is meant, and the preferences of one of them behind shut doors."""
    open_ = preferences(frame, pretrained)
    words = looks(frame.sentence.format(BEINGS[0]), pretrained).words
    doors = {"open": open_, **{str(layer): preferences(frame, pretrained, door=(layer, -1)) for layer in range(4)}}
    controls = [
        {"token": word, "gap": gap(preferences(frame, pretrained, door=(FIRST_LOOK[0], j))[:, *SECOND_LOOK])}
        for j, word in enumerate(words)
        if j != len(words) - 3
    ]
    layer, head = FIRST_LOOK
    others = [h for h in range(pretrained.model.config.n_heads) if h != head]
    by_heads = {
        name: gap(preferences(frame, pretrained, door=(layer, -1), heads=heads)[:, *SECOND_LOOK])
        for name, heads in (("first look", [head]), ("all others", others))
    }
    return {
        "sentence": frame.sentence,
        "right": right(open_),  # (layer, head)
        "preferences": {name: differences[:, *SECOND_LOOK] for name, differences in doors.items()},
        "controls": controls,
        "shut in": by_heads,
    }


def measure_looks(frame: Frame, pretrained: Pretrained) -> dict:
    """For each last word the rows of the heads that the page shows, with the door of layer 2 open and shut."""
    record: dict = {}
    for last in BEINGS + PLACES + BOTH:
        record[last] = {}
        for name, door in (("open", None), ("shut", (FIRST_LOOK[0], -1))):
            words, weights = looks(frame.sentence.format(last), pretrained, door=door)
            heads = {"first": FIRST_LOOK, "second": SECOND_LOOK, "first noun": FIRST_NOUN}
            record[last][name] = {look: [round(float(w), 4) for w in weights[head]] for look, head in heads.items()}
        record[last]["words"] = words
    return record


def main() -> None:
    path = FOLDER / "two_looks.json"
    pretrained = load()
    made = provenance("python -m inorder.lab.two_looks", ["numpy"], model=f"{HUB}, revision {REVISION}", sha256=SHA256)
    looks_by_frame = {name: measure_looks(FRAMES[name], pretrained) for name in SHOWN}
    measured = {name: plain(measure_frame(frame, pretrained), 4) for name, frame in FRAMES.items()}
    path.unlink(missing_ok=True)
    store_parts(path, {"provenance": made, "looks": looks_by_frame, "frames": measured})
    print(f"stored {path}")


if __name__ == "__main__":
    main()
