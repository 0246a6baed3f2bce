"""The live figures on a position that is one number."""

from typing import Any

import numpy as np
from jaxtyping import Float

from inorder.attention import softmax
from inorder.circuits import Head, head_weights
from inorder.encodings import scalar_encoding
from inorder.transformer import layer_norm
from inorder.widgets import marks

N_HA = 7  # words of the first figure
SENTENCES = {
    "animal first": ("animal", "cross", "street", "it", "tired"),
    "street first": ("street", "wide", "animal", "cross", "it"),
}
NOUNS = ("animal", "street")


def straight_line(slope: float = 6.0, asks: int = 4, sees: str = "all words") -> list[marks.Mark]:
    """Can you give the word before ◆ the most ink?

    A dot for each word: its score, up to a number that is the same for all words. The ink is the weight.
    """
    n_seen = N_HA if sees == "all words" else asks + 1
    s = scalar_encoding(np.arange(N_HA), N_HA)[:, 0]  # (word,)
    scores = slope * (s - 0.5)  # as if the line turned about its middle
    weights = np.zeros(N_HA)
    weights[:n_seen] = softmax(scores[:n_seen])
    dots = np.c_[np.arange(N_HA), scores][:n_seen]  # (word, 2)
    limits: dict[str, Any] = {"x_limits": (-0.5, N_HA - 0.5), "y_limits": (-9.0, 9.0)}
    line = marks.lines(dots[:, 0], dots[:, 1], bare=True, title="score", **limits)
    line += marks.points(dots[1:-1], actor="key", equal=False)
    line += marks.points(dots[[-1, 0]][: min(n_seen, 2)], actor="key", equal=False, drag="slope")
    unseen = range(n_seen, N_HA)
    ink = marks.ink(["ha"] * N_HA, weights, asks=asks, absent=unseen, notes=range(N_HA), drag="asks")
    best = int(weights.argmax())
    end = "the first" if best == 0 else "the last" if sees == "all words" else "the one that asks"
    answer = f"Word {best}, {end}, gets most: {weights[best]:.2f}."
    if asks:
        answer += f" Word {asks - 1}, before the one that asks, gets {weights[asks - 1]:.2f}."
    if n_seen == 1:
        answer = "Word 0 sees itself alone, and gets all the ink."
    elif not slope:
        answer = f"Level: all {n_seen} words get the same."
    return [line, ink, marks.answer(answer)]


def first_noun(sentence: str = "animal first", slope: float = 0.0) -> list[marks.Mark]:
    """Which of the two nouns comes first? Tilt the line"""
    words = SENTENCES[sentence]
    s = scalar_encoding(np.arange(5), 5)[:, 0]  # (word,)
    is_noun = np.isin(words, NOUNS)
    weights = softmax(20.0 * is_noun - slope * s)
    ink = marks.ink(words, weights, notes=["0", "¼", "½", "¾", "1"])
    best = words[weights.argmax()]
    answer = f"“{best}” is the first noun: {weights.max():.2f}." if weights.max() > 0.99 else "Not sure yet."
    return [ink, marks.answer(answer, "✓" if weights.max() > 0.99 else None)]


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
