"""SameOrNot: a sentence and its reshuffle through one small attention model, told apart or not."""

from typing import Any, ClassVar

import numpy as np
import traitlets

from inorder.attention import scaled_dot_product_attention
from inorder.encodings import sinusoidal_encoding
from inorder.widgets import marks
from inorder.widgets.interact.live import LiveFigure
from inorder.widgets.kit.model_state import numbers_from_text
from inorder.widgets.kit.state import boolean, permutation, texts
from inorder.widgets.kit.twin import ROUNDING, format_difference

D_MODEL = 16
N_LAYERS = 2


def weights(name: str) -> np.ndarray:
    """The weight matrix of that name, (d_model, d_model), small enough for 16 columns."""
    rows = [numbers_from_text(f"{name}, row {row}", D_MODEL) for row in range(D_MODEL)]
    return np.array(rows) * np.sqrt(6 / D_MODEL)


def sentence_rows(words: list[str], positions: bool) -> np.ndarray:
    """What the model makes of each word of a sentence: its row after two layers X ← X + attention(X), (n, d_model).

    Attention without a mask, one head. With ``positions``, sinusoids are added to the words first.
    """
    x = np.array([numbers_from_text(word, D_MODEL) for word in words])  # (n, d_model)
    if positions:
        x = x + sinusoidal_encoding(np.arange(len(words)), D_MODEL)
    for layer in range(N_LAYERS):
        query, key, value = (x @ weights(f"layer {layer}, {name}") for name in ("query", "key", "value"))
        x = x + scaled_dot_product_attention(query, key, value)
    return x


class SameOrNot(LiveFigure):
    """A sentence and its reshuffle, read by a small model of two attention layers, without a mask: can it tell?

    The model's summary of a sentence is the mean of its outputs: each word adds its part to 16 numbers. Without
    positions they are the same for every order of the same words, up to rounding; with sinusoids added to the words
    they are not. In Python, ``vectors`` and ``difference`` are computed by `inorder.attention` and `inorder.encodings`
    for the state as it is. The weights are fixed, and every word has a vector of its own: both are made from their
    names by a hash.

    Args:
        words: 2 to 8 strings of up to 20 characters without spaces, or one string to be cut at its spaces.
        order: the reshuffle, as indices into ``words``, each once. By default the sentence backwards.
        positions: give the model the position of each word?

    Raises:
        ValueError: a sentence or an order that the figure cannot show; the message names it. To change the number of
            words later, change ``words`` and ``order`` together, inside ``with widget.hold_trait_notifications():``.

    >>> figure = SameOrNot("dog bites man")
    >>> figure.reshuffle, figure.difference < 1e-12
    (['man', 'bites', 'dog'], True)
    >>> figure.positions = True
    >>> figure.difference > 0.1
    True
    >>> SameOrNot("dog bites man", order=[0, 1])
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: order must hold each of 0 … 2 once, got [0, 1]
    """

    extra_marks = ("crossing", "heat_map")
    title = traitlets.Unicode("Same words, another order: can it tell?").tag(sync=True)
    words = texts(["dog", "bites", "man"], fewest=2, most=8, longest=20, spaces=False)
    order = permutation([2, 1, 0], of="words")
    positions = boolean(False)
    templates: ClassVar = {
        "unmoved": "Same sentence: move a word.",
        "none": "All {total} numbers stay the same.",
        "some": "{changed} of {total} numbers change.",
        "all": "All {total} numbers change.",
        "different": "Largest difference from “{sentence}”: {difference}.",
        "same": "Same as “{sentence}”, up to rounding.",
    }

    def __init__(
        self, words: Any = "dog bites man", order: Any = None, *, positions: bool = False, **options: Any
    ) -> None:
        words = words.split() if isinstance(words, str) else list(words)
        order = range(len(words))[::-1] if order is None else order
        super().__init__(words=words, order=order, positions=positions, **options)

    @property
    def reshuffle(self) -> list[str]:
        """The words in their other order."""
        return [self.words[i] for i in self.order]

    @property
    def vectors(self) -> np.ndarray:
        """What the model makes of the sentence and of its reshuffle, (2, d_model)."""
        return np.array([sentence_rows(words, self.positions).mean(axis=0) for words in (self.words, self.reshuffle)])

    @property
    def parts(self) -> np.ndarray:
        """What each word of the reshuffle adds to each of its numbers, (n, d_model)."""
        return sentence_rows(self.reshuffle, self.positions) / len(self.words)

    @property
    def difference(self) -> float:
        """The largest difference between the two vectors."""
        one, other = self.vectors
        return float(abs(one - other).max())

    def marks(self) -> list[marks.Mark]:
        places = [str(place) if self.positions else "–" for place in range(len(self.order))]
        line = marks.crossing(self.words, self.reshuffle, self.order, notes=places, drag="order")
        largest = abs(self.vectors).max()
        look: dict[str, Any] = {
            "limits": (-largest, largest),
            "digits": None,
            "title": f"{D_MODEL} numbers of the model",
        }
        numbers = marks.heat_map(self.vectors, ["as given", "as moved"], **look)
        return [line, numbers, marks.answer(self._answer(), "≠" if self.difference > ROUNDING else "=")]

    def _answer(self) -> str:
        if self.words == self.reshuffle:
            return self.say("unmoved")
        one, other = self.vectors
        changed = int((abs(one - other) > ROUNDING).sum())
        sentence = "none" if changed == 0 else "all" if changed == D_MODEL else "some"
        return self.say(sentence, changed=changed, total=D_MODEL)

    def note(self) -> str:
        """The smaller line below the answer."""
        sentence = "different" if self.difference > ROUNDING else "same"
        return self.say(sentence, sentence=" ".join(self.words), difference=format_difference(self.difference))
