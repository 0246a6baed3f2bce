"""How a trained encoder reads a pronoun: first at what is said of it, then at the noun. And is the first the cause?

    python -m inorder.lab.two_looks        measures and stores, with provenance, in inorder/stored

The sentence is *The animal didn't cross the street because it was too …*, after [1]; the model is `inorder.pretrained`.
`door=2` forbids *it* to look at the last word in layer 2, in all heads, and nothing else.

[1] Levesque, Davis and Morgenstern 2012, The Winograd Schema Challenge
"""

import json
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from inorder.pretrained import HUB, REVISION, SHA256, Pretrained, load, tokenize
from inorder.stored import FOLDER
from inorder.transformer import block, embed

__all__ = [
    "Looks",
    "looks",
    "measure",
]

SENTENCE = "The animal didn't cross the street because it was too {}."
BEINGS = ("tired", "hungry", "angry", "sleepy", "scared")
PLACES = ("wide", "long", "icy", "dark", "narrow")
BOTH = ("busy", "crowded")
FIRST_LOOK, SECOND_LOOK = (2, 1), (3, 1)  # (layer, head), counted from 0


class Looks(NamedTuple):
    """The weights that the row of *it* gives to all tokens, in every layer and head."""

    words: list[str]
    weights: Float[np.ndarray, "layer head key"]


def looks(last: str, pretrained: Pretrained, *, door: int | None = None) -> Looks:
    """Where *it* looks, in the sentence that ends in `last`. `door`: the layer in which it may not look at that word.

    >>> words, weights = looks("tired", load())
    >>> words[weights[SECOND_LOOK].argmax()]
    'animal'
    """
    tokens = tokenize(SENTENCE.format(last), pretrained)
    words = tokens.words[0]
    it, described = words.index("it"), len(words) - 3  # before the full stop and [SEP]
    parameters, config = pretrained.model
    positions = np.arange(len(words))
    x = embed(tokens.ids[0], parameters, config, positions=positions)  # (token, d_model)
    rows = []
    for layer, weights in enumerate(parameters.blocks):
        mask = np.ones((len(words), len(words)), dtype=bool)
        mask[it, described] = layer != door
        state = block(x, weights, config, positions=positions, tables=parameters.position, mask=mask)
        rows.append(state.weights[:, it])  # (head, key)
        x = state.hidden
    return Looks(words, np.stack(rows))


def measure(pretrained: Pretrained) -> dict:
    """For each last word the two rows of weights, with the door of layer 2 open and shut."""
    record: dict = {}
    for last in BEINGS + PLACES + BOTH:
        record[last] = {}
        for name, door in (("open", None), ("shut", FIRST_LOOK[0])):
            words, weights = looks(last, pretrained, door=door)
            rows = {"first": weights[FIRST_LOOK], "second": weights[SECOND_LOOK]}
            record[last][name] = {look: [round(float(w), 4) for w in row] for look, row in rows.items()}
        record[last]["words"] = words
    return record


def main() -> None:
    path = FOLDER / "two_looks.json"
    provenance = {
        "model": f"{HUB}, revision {REVISION}",
        "sha256": SHA256,
        "made by": "python -m inorder.lab.two_looks",
    }
    stored = {"provenance": provenance, "sentence": SENTENCE, "looks": measure(load())}
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf8")
    print(f"stored {path}")


if __name__ == "__main__":
    main()
