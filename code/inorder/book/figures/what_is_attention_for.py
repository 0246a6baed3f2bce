"""The live figure on what attention is for: one word asks, and the others answer."""

import numpy as np

from inorder.attention import softmax
from inorder.book.sentence import KEY_AXES, KEYS, WORDS
from inorder.widgets import marks
from inorder.widgets.marks import Mark


def turn_the_question(degrees: int = 0) -> tuple[Mark, Mark, Mark]:
    """Change what “it” asks for. Which word gets its attention?"""
    angle = np.deg2rad(degrees)
    query = 2 * np.array([np.cos(angle), np.sin(angle)])
    shares = softmax(KEYS @ query)  # (word 5,)
    limits = (-0.5, 2.7)
    plane = marks.arrows([query], ["it asks"], actor="query", axes=KEY_AXES, x_limits=limits, y_limits=limits)
    plane += marks.points(KEYS[[0, 2]], ["animal", "street"], actor="key")
    best = "Both nouns get the same" if degrees == 45 else f"“{WORDS[shares.argmax()]}” gets most"
    bars = marks.bars(shares, WORDS, axis="share of the attention", limits=(0, 1), actor="key")
    return plane, bars, marks.answer(f"{best}: a share of {shares.max():.2f}.")
