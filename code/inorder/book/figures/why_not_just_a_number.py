"""The live figures on a position that is one number."""

from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.attention import softmax
from inorder.circuits import Head, head_weights
from inorder.encodings import scalar_encoding
from inorder.transformer import layer_norm
from inorder.widgets import marks

ASKS, N_HA = 4, 7  # the word that asks in the first figure
SENTENCES = {
    "animal first": ("animal", "cross", "street", "it", "tired"),
    "street first": ("street", "wide", "animal", "cross", "it"),
}
NOUNS = ("animal", "street")


def straight_line(slope: float = 6.0, sees: str = "all words") -> list[marks.Mark]:
    """Word 4 asks. Can you make it look at word 3?"""
    n_seen = N_HA if sees == "all words" else ASKS + 1
    s = scalar_encoding(np.arange(N_HA), N_HA)[:n_seen, 0]  # (word,)
    weights = np.zeros(N_HA)
    weights[:n_seen] = softmax(slope * s)
    dots = np.c_[s, slope * s]  # (word, 2)
    line = marks.lines(s, slope * s, axes=("its number", "score"), x_limits=(-0.05, 1.1), y_limits=(-18, 18))
    names = [f"word {j}" for j in range(N_HA)]
    labels = [name if j == ASKS - 1 else "" for j, name in enumerate(names[: n_seen - 1])]
    line += marks.points(dots[:-1], labels, actor="key", equal=False)
    line += marks.points(dots[-1:], names[n_seen - 1 : n_seen], actor="key", equal=False, drag="slope")
    bars = marks.bars(weights, names, axis="weight", limits=(0, 1), actor="key")
    best = int(weights.argmax())
    end = "the first" if best == 0 else "the last in sight"
    answer = f"Word {best}, {end}, gets most: {weights[best]:.2f}." if slope else "Level: all words get the same."
    return [line, bars, marks.answer(f"{answer} Word 3, one to the left, gets {weights[ASKS - 1]:.2f}.")]


def first_noun(sentence: str = "animal first", slope: float = 0.0) -> list[marks.Mark]:
    """Which of the two nouns comes first? Tilt the line"""
    words = SENTENCES[sentence]
    s = scalar_encoding(np.arange(5), 5)[:, 0]  # (word,)
    is_noun = np.isin(words, NOUNS)
    weights = softmax(20.0 * is_noun - slope * s)
    bars = marks.bars(weights, words, columns={"number": s}, axis="weight", limits=(0, 1), actor="key")
    best = words[weights.argmax()]
    answer = f"“{best}” is the first noun: {weights.max():.2f}." if weights.max() > 0.99 else "Not sure yet."
    return [bars, marks.answer(answer, "✓" if weights.max() > 0.99 else None)]


def bent_head(
    n: int, sharpness: float, *, ratio: float = 0.3, d_model: int = 16, seed: int = 0, built_for: int | None = None
) -> tuple[Float[np.ndarray, "n d_model"], Head]:
    """Rows c + s u, s from −½ to ½, and the head that looks one to the left once layer norm has bent them.

    c and u have mean 0 and stand at right angles; |c|/|u| is `ratio`. W_K reads the two coordinates, W_Q the same
    after the shear that takes h = 1/(built_for − 1) times the first, divided by `ratio`, from the second.
    """
    vectors = np.random.default_rng(seed).normal(size=(d_model, 2))
    axes, _ = np.linalg.qr(vectors - vectors.mean(axis=0))  # (d_model, 2), columns of mean 0
    s = scalar_encoding(np.arange(n), n) - 0.5  # (n, 1)
    shear = np.array([[1.0, -1 / ((built_for or n) - 1) / ratio], [0.0, 1.0]])
    return ratio * axes[:, 0] + s * axes[:, 1], Head(axes @ shear, axes, sharpness / d_model)


def on_an_arc(word: int = 3, norm: str = "off", sharpness: int = 400) -> list[marks.Mark]:
    """Take hold of the query. Which beads can it pick out?"""
    x, head = bent_head(16, float(sharpness))
    x = layer_norm(x, eps=1e-12) if norm == "on" else x
    beads = (x @ head.w_key)[:, ::-1]  # (word, 2): along u, along c
    query = 0.5 * (x[word] @ head.w_query)[::-1] / np.abs(beads).max()  # half as long, clear of the beads
    beads = beads / np.abs(beads).max()
    weights = head_weights(x, x, head)  # (query, key)
    rays = beads * (1 + 0.5 * weights[word] / np.linalg.norm(beads, axis=1))[:, None]  # as long as a bead has weight
    looks: dict[str, Any] = {"axes": ("along u", "along c"), "x_limits": (-1.5, 1.5), "y_limits": (0, 1.6)}
    plane = marks.lines(*beads.T, equal=True, **looks) + marks.arrows(rays, tails=beads, actor="key")
    plane += marks.points(beads, ["0"] + [""] * 14 + ["15"], actor="key")
    plane += marks.arrows([query], [f"word {word} asks"], actor="query", drag="word")
    right = int((weights.argmax(axis=1)[1:] == np.arange(15)).sum())
    best = int(weights[word].argmax())
    says = (
        f"Word {word} looks most at word {best}: {weights[word, best]:.2f}. {right} of 15 words look most at their "
        f"left neighbour, with {np.diagonal(weights, -1).mean():.2f} of the weight on average."
    )
    return [plane, marks.answer(says, "✓" if right == 15 else "×")]
