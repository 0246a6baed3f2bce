"""InductionHeads: two heads built by hand continue a text that the reader types."""

from typing import Any, ClassVar

import numpy as np
import traitlets

from inorder.attention import causal_mask
from inorder.circuits import head_weights, induction_weights, offset_head
from inorder.encodings import sinusoidal_encoding
from inorder.widgets import marks
from inorder.widgets.interact.live import LiveFigure
from inorder.widgets.kit.state import choice, integer, texts
from inorder.widgets.kit.twin import format_number

D_MODEL = 64
SHARPNESS = 8.0  # of the second head
FIRST_HEADS = ["looks back", "no positions", "off"]
SURE, LEVEL = 0.95, 1e-3  # a share that decides, weights that count as equal
MOST_SHARES = 3


class InductionHeads(LiveFigure):
    """A text, and two attention heads under a causal mask that find what comes next.

    The first head looks one token back and writes that word into each row, as a note. The second compares the word that
    asks, the last one, with all notes, looks at the rows whose note names it, and collects the words found there; its
    weights are ink. Dragged, ◆ makes an earlier word ask, which sees no later one. Nothing is trained:
    the heads are `inorder.circuits.offset_head` and `inorder.circuits.induction_weights`, words are one-hot, and a
    start token stands before the text. Without positions the first head notes the mean of all words so far; switched
    off, it notes nothing.

    In Python, ``looks_back`` and ``notes`` are the first head's weights and what it writes, ``weights`` is the second
    head's in the row that asks, and ``shares`` says what comes next.

    Args:
        words: 1 to 10 strings of up to 8 characters without spaces, or one string to be cut at its spaces.
        first_head: "looks back", "no positions" or "off".
        back: how many words before the last one the word that asks stands.

    Raises:
        ValueError: a text or a first head that the figure cannot show; the message names it.

    >>> figure = InductionHeads("the cat sat on the")
    >>> figure.summary()
    'After “the” comes “cat”, with 1.00 of the weight.'
    >>> figure.first_head = "off"
    >>> figure.summary()
    'No note names “the”: the second head looks at all 6 rows equally.'
    """

    extra_marks = ("ink",)
    title = traitlets.Unicode("Type a text: which word comes next?").tag(sync=True)
    words = texts(["the", "cat", "sat", "down", "the"], fewest=1, most=10, longest=8, spaces=False)
    first_head = choice(FIRST_HEADS[0], FIRST_HEADS)
    back = integer(0, low=0, below="words")
    templates: ClassVar = {
        "one": "After “{last}” comes “{word}”, with {share} of the weight.",
        "several": "“{last}” leads to {words}.",
        "none": "No note names “{last}”: the second head looks at all {count} rows equally.",
    }

    def __init__(
        self, words: Any = "the cat sat down the", *, first_head: str = FIRST_HEADS[0], back: int = 0, **options: Any
    ) -> None:
        words = words.split() if isinstance(words, str) else list(words)
        super().__init__(words=words, first_head=first_head, back=back, **options)

    @property
    def tokens(self) -> list[str]:
        """The different words, in the order in which they appear; the first is the start token, an empty string."""
        return list(dict.fromkeys(["", *self.words]))

    @property
    def one_hot(self) -> np.ndarray:
        """The start token and the words of the text, (position, token)."""
        return np.eye(len(self.tokens))[[self.tokens.index(word) for word in ["", *self.words]]]

    @property
    def looks_back(self) -> np.ndarray:
        """The first head's weights, (position, position); all 0 if it is off."""
        n = len(self.words) + 1
        if self.first_head == "off":
            return np.zeros((n, n))
        positions = sinusoidal_encoding(np.arange(n), D_MODEL) * (self.first_head == "looks back")
        return head_weights(positions, positions, offset_head(-1, D_MODEL), mask=causal_mask(n))

    @property
    def notes(self) -> np.ndarray:
        """What the first head writes into each row, (position, token)."""
        return self.looks_back @ self.one_hot

    @property
    def weights(self) -> np.ndarray:
        """The second head's weights in the row that asks, (position,)."""
        return induction_weights(self.one_hot, self.looks_back, sharpness=SHARPNESS)[-1 - self.back]

    @property
    def shares(self) -> dict[str, float]:
        """What comes next: each token's share of the weight, the largest first."""
        shares = dict(zip(self.tokens, map(float, self.weights @ self.one_hot), strict=True))
        return dict(sorted(shares.items(), key=lambda item: -round(item[1], 9)))

    def marks(self) -> list[marks.Mark]:
        n = len(self.words) + 1
        ink = marks.ink(
            ["start", *self.words],
            self.weights,
            asks=n - 1 - self.back,
            absent=range(n - self.back, n),
            notes=[note_in_words(note, self.tokens) for note in self.notes],
            drag="back",
        )
        return [ink, marks.answer(*self._answer())]

    def _answer(self) -> tuple[str, str]:
        last, shares = self.words[-1 - self.back], self.shares
        n_seen = len(self.words) + 1 - self.back
        if np.ptp(self.weights[:n_seen]) < LEVEL:
            return self.say("none", last=last, count=n_seen), "×"
        (word, share), *_ = shares.items()
        if share > SURE:
            return self.say("one", last=last, word=word or "start", share=format_number(share)), "✓"
        first = [(token or "start", part) for token, part in list(shares.items())[:MOST_SHARES] if part > 1 - SURE]
        words = ", ".join(f"“{token}” ({format_number(part)})" for token, part in first)
        return self.say("several", last=last, words=words), "×"


def note_in_words(note: np.ndarray, tokens: list[str]) -> str:
    """What a row's note holds: one word, several, or nothing.

    >>> note_in_words(np.array([0.0, 1.0]), ["", "cat"]), note_in_words(np.array([0.5, 0.5]), ["", "cat"])
    ('cat', 'a mix')
    """
    if not note.any():
        return "–"
    return tokens[note.argmax()] or "start" if note.max() > SURE else "a mix"
