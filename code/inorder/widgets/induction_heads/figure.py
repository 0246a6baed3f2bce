"""InductionHeads: two heads built by hand continue a text that the reader types."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from inorder.attention import causal_mask
from inorder.circuits import head_weights, induction_weights, offset_head
from inorder.encodings import sinusoidal_encoding
from inorder.palette import LIGHT
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.state import choice, texts
from inorder.widgets.kit.twin import format_number

D_MODEL = 64
SHARPNESS = 8.0  # of the second head
FIRST_HEADS = ["looks back", "no positions", "off"]
SURE, LEVEL = 0.95, 1e-3  # a share that decides, and weights that count as equal


class InductionHeads(InteractiveFigure):
    """A text, and two attention heads under a causal mask that find what comes next.

    The first head looks one token back and writes that word into each row, as a note. The second compares the last word
    with all notes, looks at the rows whose note names it, and collects the words found there. Nothing is trained:
    the heads are `inorder.circuits.offset_head` and `inorder.circuits.induction_weights`, words are one-hot, and a
    start token stands before the text. Without positions the first head notes the mean of all words so far; switched
    off, it notes nothing.

    In Python, ``looks_back`` and ``notes`` are the first head's weights and what it writes, ``weights`` is the second
    head's, and ``shares`` says what comes next.

    Args:
        words: 1 to 10 strings of up to 8 characters without spaces, or one string to be cut at its spaces.
        first_head: "looks back", "no positions" or "off".

    Raises:
        ValueError: a text or a first head that the figure cannot show; the message names it.

    >>> figure = InductionHeads("the cat sat on the")
    >>> figure.summary()
    'After “the” comes “cat”, with 1.00 of the weight.'
    >>> figure.first_head = "off"
    >>> figure.summary()
    'No note names “the”: the second head looks at all 6 rows equally.'
    """

    folder = Path(__file__).parent
    title = traitlets.Unicode("Type a text: which word comes next?").tag(sync=True)
    words = texts(["the", "cat", "sat", "down", "the"], fewest=1, most=10, longest=8, spaces=False)
    first_head = choice(FIRST_HEADS[0], FIRST_HEADS)
    templates: ClassVar = {
        "one": "After “{last}” comes “{word}”, with {share} of the weight.",
        "several": "“{last}” leads to {words}.",
        "none": "No note names “{last}”: the second head looks at all {count} rows equally.",
    }

    def __init__(
        self, words: Any = "the cat sat down the", *, first_head: str = FIRST_HEADS[0], **options: Any
    ) -> None:
        words = words.split() if isinstance(words, str) else list(words)
        super().__init__(words=words, first_head=first_head, **options)

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
        """The second head's weights in the last row, (position,)."""
        return induction_weights(self.one_hot, self.looks_back, sharpness=SHARPNESS)[-1]

    @property
    def shares(self) -> dict[str, float]:
        """What comes next: each token's share of the last row's weight, the largest first."""
        shares = dict(zip(self.tokens, map(float, self.weights @ self.one_hot), strict=True))
        return dict(sorted(shares.items(), key=lambda item: -round(item[1], 9)))

    def summary(self) -> str:
        last, shares = self.words[-1], self.shares
        if np.ptp(self.weights) < LEVEL:
            return self.say("none", last=last, count=len(self.words) + 1)
        (word, share), *_ = shares.items()
        if share > SURE:
            return self.say("one", last=last, word=word or "start", share=format_number(share))
        leads = [
            f"“{word or 'start'}” ({format_number(share)})"
            for word, share in list(shares.items())[:3]
            if share > 1 - SURE
        ]
        return self.say("several", last=last, words=", ".join(leads))

    def alt_text(self) -> str:
        return (
            f"The text “{' '.join(self.words)}”, a row for each word. First head: {self.first_head}; it writes what it "
            f"sees into each row. The second looks from the last row at the rows whose note names its word. "
            f"{self.summary()}"
        )

    def figure(self) -> Figure:
        names = ["start", *self.words]
        n = len(names)
        looks_back, notes, weights, tokens = self.looks_back, self.notes, self.weights, self.tokens
        figure = Figure(figsize=(6.875, 0.24 * n + 0.8), facecolor="white", layout="constrained")
        axes = figure.add_subplot()
        for row, name in enumerate(names):
            axes.text(1.0, row, name, va="center", parse_math=False)
            axes.text(2.6, row, note_in_words(notes[row], tokens), va="center", color=LIGHT["muted"])
            axes.text(5.2, row, format_number(weights[row]), va="center", ha="right")
            for key in range(row):
                if looks_back[row, key] > 0.02:
                    style = {"color": LIGHT["position"], "linewidth": 2.5 * looks_back[row, key]}
                    axes.add_patch(_arc(0.9, row, key, 0.5, style))
        for key in range(n - 1):
            if weights[key] > 0.02:
                style = {"color": LIGHT["ink"], "linewidth": 3 * weights[key]}
                axes.add_patch(_arc(4.1, n - 1, key, -0.4, style))
        axes.set(xlim=(0, 6.5), ylim=(n - 0.4, -0.6))
        axes.axis("off")
        axes.set_title("word, the first head’s note, weight of the second head", loc="left", size=9)
        figure.text(0.02, 0.01, self.summary(), size=9, parse_math=False)
        figure.set_layout_engine("constrained", rect=(0, 0.08, 1, 0.92))
        return figure


def note_in_words(note: np.ndarray, tokens: list[str]) -> str:
    """What a row's note holds: one word, several, or nothing.

    >>> note_in_words(np.array([0.0, 1.0]), ["", "cat"]), note_in_words(np.array([0.5, 0.5]), ["", "cat"])
    ('after cat', 'a mix')
    """
    if not note.any():
        return "–"
    return f"after {tokens[note.argmax()] or 'start'}" if note.max() > SURE else "a mix"


def _arc(x: float, start: int, end: int, bend: float, style: dict[str, Any]) -> FancyArrowPatch:
    look: dict[str, Any] = {"connectionstyle": f"arc3,rad={bend}", "arrowstyle": "-|>", "mutation_scale": 6}
    return FancyArrowPatch((x, start), (x, end), **look, **style)
