"""SameOrNot: a sentence and its reshuffle through one small attention model, told apart or not."""

from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.figure import Figure

from inorder.attention import scaled_dot_product_attention
from inorder.encodings import sinusoidal_encoding
from inorder.widgets.base import (
    ROUNDING,
    InteractiveFigure,
    InvalidState,
    compose_module,
    compose_style,
    draw_matrix,
    format_difference,
    format_number,
)

WORDS = ["dog", "bites", "man"]
FEWEST_WORDS, MOST_WORDS, LONGEST_WORD = 2, 8, 20

D_MODEL = 6
N_LAYERS = 2


def numbers_from_text(text: str, n: int) -> list[float]:
    """n numbers in [−1, 1) that look random and are always the same for the same text: a vector for any word.

    An FNV-1a hash of the UTF-16 code units starts a 32-bit SplitMix generator; kit.js has the same function.

    >>> numbers_from_text("dog", 2) == numbers_from_text("dog", 3)[:2]
    True
    """
    state = 0x811C9DC5
    for unit in np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2"):
        state = (state ^ int(unit)) * 0x01000193 % 2**32
    numbers = []
    for _ in range(n):
        state = (state + 0x9E3779B9) % 2**32
        bits = (state ^ state >> 16) * 0x21F0AAAD % 2**32
        bits = (bits ^ bits >> 15) * 0x735A2D97 % 2**32
        numbers.append(2 * (bits ^ bits >> 15) / 2**32 - 1)
    return numbers


def weights(name: str) -> np.ndarray:
    """The weight matrix of that name, (d_model, d_model)."""
    return np.array([numbers_from_text(f"{name}, row {row}", D_MODEL) for row in range(D_MODEL)])


def sentence_vector(words: list[str], positions: bool) -> np.ndarray:
    """What the model makes of a sentence: the mean of its rows after two layers X ← X + attention(X), (d_model,).

    Attention without a mask, one head. With ``positions``, sinusoids are added to the words first.
    """
    x = np.array([numbers_from_text(word, D_MODEL) for word in words])  # (n, d_model)
    if positions:
        x = x + sinusoidal_encoding(np.arange(len(words)), D_MODEL)
    for layer in range(N_LAYERS):
        query, key, value = (x @ weights(f"layer {layer}, {name}") for name in ("query", "key", "value"))
        x = x + scaled_dot_product_attention(query, key, value)
    return x.mean(axis=0)


class SameOrNot(InteractiveFigure):
    """A sentence and its reshuffle, read by a small model of two attention layers without a mask: told apart or not.

    The model's summary of a sentence is the mean of its outputs. Without positions it is the same for every order of
    the same words, up to rounding; with sinusoids added to the words it is not. In Python, ``vectors`` and
    ``difference`` are computed by `inorder.attention` and `inorder.encodings` for the state as it is. The weights are
    fixed, and every word has a vector of its own: both are made from their names by a hash.

    Args:
        words: 2 to 8 strings of up to 20 characters without spaces, or one string to be cut at its spaces.
        order: the reshuffle, as indices into ``words``, each once. By default the sentence backwards.
        positions: tell the model where each word stands?

    Raises:
        ValueError: a sentence or an order that the figure cannot show; the message names it. To change the number of
            words later, change ``words`` and ``order`` together, inside ``with widget.hold_trait_notifications():``.

    >>> figure = SameOrNot("dog bites man")
    >>> figure.reshuffle, figure.difference < 1e-12
    (['man', 'bites', 'dog'], True)
    >>> figure.positions = True
    >>> round(figure.difference, 2)
    1.37
    >>> SameOrNot("dog bites man", order=[0, 1])
    Traceback (most recent call last):
    ...
    inorder.widgets.base.InvalidState: order must hold each of 0 … 2 once, got [0, 1]
    """

    _esm = compose_module("same_or_not.js")
    _css = compose_style("same_or_not.css")

    state_names: ClassVar[tuple[str, ...]] = ("words", "order", "positions")

    title = traitlets.Unicode("Same words, another order: can the model tell?").tag(sync=True)
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    order = traitlets.List(traitlets.Int()).tag(sync=True)
    positions = traitlets.Bool(False).tag(sync=True)

    def __init__(self, words: Any = None, order: Any = None, *, positions: bool = False, **options: Any) -> None:
        words = WORDS if words is None else words
        words = words.split() if isinstance(words, str) else list(words)
        order = range(len(words))[::-1] if order is None else order
        super().__init__(words=words, order=[int(i) for i in order], positions=positions, **options)

    @traitlets.validate("words", "order")
    def _check(self, proposal: Any) -> Any:
        state = {name: getattr(self, name) for name in self.state_names} | {proposal.trait.name: proposal.value}
        words, order = state["words"], state["order"]
        if not FEWEST_WORDS <= len(words) <= MOST_WORDS:
            raise InvalidState(f"words must be {FEWEST_WORDS} to {MOST_WORDS} strings, got {len(words)}")
        for word in words:
            if len(word) > LONGEST_WORD or word.split() != [word]:
                raise InvalidState(f"a word must be 1 to {LONGEST_WORD} characters without spaces, got {word!r}")
        if sorted(order) != list(range(len(words))):
            raise InvalidState(f"order must hold each of 0 … {len(words) - 1} once, got {order}")
        return proposal.value

    @property
    def reshuffle(self) -> list[str]:
        """The words in their other order."""
        return [self.words[i] for i in self.order]

    @property
    def vectors(self) -> np.ndarray:
        """What the model makes of the sentence and of its reshuffle, (2, d_model)."""
        return np.array([sentence_vector(words, self.positions) for words in (self.words, self.reshuffle)])

    @property
    def difference(self) -> float:
        """The largest difference between the two vectors."""
        one, other = self.vectors
        return float(abs(one - other).max())

    def verdict(self) -> str:
        """The line below the two vectors."""
        told = "The model tells them apart" if self.difference > ROUNDING else "The model cannot tell them apart"
        return f"{told} (difference {format_difference(self.difference)})."

    def summary(self) -> str:
        one, other = (f"“{' '.join(words)}”" for words in (self.words, self.reshuffle))
        positions = "Positions on" if self.positions else "Positions off"
        if one == other:
            return f"{positions}. Both sentences read {one}: move a word."
        if self.difference > ROUNDING:
            return f"{positions}: {one} and {other} leave two vectors that differ by {format_number(self.difference)}."
        return f"{positions}: {one} and {other} leave the same vector, up to rounding."

    def alt_text(self) -> str:
        return (
            f"Two rows of {D_MODEL} numbers: what a small attention model makes of a sentence and of its reshuffle. "
            f"{self.summary()}"
        )

    def figure(self) -> Figure:
        names = [" ".join(words) for words in (self.words, self.reshuffle)]
        names = [name if len(name) <= 32 else name[:31] + "…" for name in names]
        left = 0.4 + 0.115 * max(map(len, names))
        width = left + D_MODEL + 0.3
        figure = Figure(figsize=(0.6 * width, 1.9), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(4.6, 0))
        axes.axis("off")
        numbers = [str(column + 1) for column in range(D_MODEL)]
        words = "positions on" if self.positions else "positions off"
        labels: dict[str, Any] = {"row_labels": names, "column_labels": numbers}
        largest = max(1.0, abs(self.vectors).max())
        equation = "what the model makes of each sentence"
        draw_matrix(axes, left, 1.6, self.vectors, equation=equation, words=words, largest=largest, **labels)
        axes.text(left, 4.1, self.verdict(), size=10, va="center", parse_math=False)
        return figure
