"""A head built to look two to the right, once each position has a word: where do its rows look?

    python -m studies.own_word        measures and stores, with provenance, in inorder/stored

The words are random rows, or the word rows of a real encoder (`inorder.pretrained`) in twenty stretches of *Alice's
Adventures in Wonderland*; they are as long as a position, sqrt(d/2). Each of the 58 rows of a text with a target
counts once. All is computed in float64, and nothing is trained.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from jaxtyping import Float, Integer

from inorder.attention import softmax
from inorder.circuits import offset_head
from inorder.encodings import shift_matrix, sinusoidal_encoding
from inorder.lab.provenance import provenance
from inorder.lab.records import store_parts
from inorder.pretrained.encoder import HUB, REVISION, SHA256, load, tokenize
from inorder.stored import FOLDER, stored

N_POSITIONS, N_TEXTS, OFFSET = 60, 20, 2
BASE = 10_000.0
TERMS = ("word with word", "word with position", "position with word", "position with position")

Text = tuple[Integer[np.ndarray, " position"], Float[np.ndarray, "position d_model"]]


def as_long_as_a_position(rows: Float[np.ndarray, "row d_model"]) -> Float[np.ndarray, "row d_model"]:
    return rows * np.sqrt(rows.shape[1] / 2) / np.linalg.norm(rows, axis=1, keepdims=True)


def random_texts(n_words: int = 32, d_model: int = 64) -> Iterator[Text]:
    """Texts of random words: the number of the word at each position, and its row."""
    for seed in range(N_TEXTS):
        rng = np.random.default_rng(seed)
        rows = as_long_as_a_position(rng.normal(size=(n_words, d_model)))
        text = rng.integers(n_words, size=N_POSITIONS)
        yield text, rows[text]


def real_texts() -> Iterator[Text]:
    """The first texts of *Alice* as the encoder reads them, each word with its row in the encoder's table."""
    pretrained = load()
    table = np.asarray(pretrained.model.parameters.embedding, dtype=float)
    paragraphs = stored("alice.txt").read_text(encoding="utf8").split("\n")
    tokens = np.concatenate([tokenize(p, pretrained).ids[0, 1:-1] for p in paragraphs if p])
    for start in range(N_TEXTS):
        text = tokens[start * N_POSITIONS : (start + 1) * N_POSITIONS]
        yield text, as_long_as_a_position(table[text])


def looks(texts: Iterable[Text], *, base: float = BASE, without: str | None = None) -> dict[str, int]:
    """Of all rows with a target, how many look at it, at a token with their own word, and at themselves.

    The score of the head has four terms, `TERMS`; one of them may be left out.
    """
    counts = {"rows": 0, "at the target": 0, "at their own word": 0, "at themselves": 0}
    for text, words in texts:
        d_model = words.shape[1]
        parts = {"word": words, "position": sinusoidal_encoding(np.arange(N_POSITIONS), d_model, base=base)}
        shift = shift_matrix(OFFSET, d_model, base=base)
        kept = (term.split(" with ") for term in TERMS if term != without)
        scores = sum(parts[one] @ shift @ parts[other].T for one, other in kept)
        weights = softmax(offset_head(OFFSET, d_model).sharpness * scores)  # (query, key)
        rows = np.arange(N_POSITIONS - OFFSET)
        at = weights[rows].argmax(axis=1)
        counts["rows"] += len(rows)
        counts["at the target"] += int((at == rows + OFFSET).sum())
        counts["at their own word"] += int((text[at] == text[rows]).sum())
        counts["at themselves"] += int((at == rows).sum())
    return counts


def main() -> None:
    random, real = list(random_texts()), list(real_texts())
    measured = {
        "random rows": looks(random),
        "random rows, without word with word": looks(random, without="word with word"),
        "random rows, fast hands alone (base 2)": looks(random, base=2.0),
        "a real encoder's rows": looks(real),
        "a real encoder's rows, without word with word": looks(real, without="word with word"),
    }
    path = FOLDER / "own_word.json"
    made = provenance("python -m studies.own_word", ["numpy"], model=f"{HUB}, revision {REVISION}", sha256=SHA256)
    store_parts(path, {"provenance": made, "looks": measured}, ["provenance", "looks"])
    print(f"stored {path}")


if __name__ == "__main__":
    main()
