"""OrderAudit: a layer, a text whose order is changed, and which of the outputs follow."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import traitlets

from inorder.audit import ROUNDING
from inorder.mixers.catalogue import ARCHITECTURES, Layer
from inorder.widgets import marks
from inorder.widgets.interact.live import LiveFigure
from inorder.widgets.kit.state import InvalidState, choice, integer, permutation, texts
from inorder.widgets.kit.twin import format_difference
from inorder.widgets.order_audit.runs import (
    MARGIN,
    MOST_MOVED,
    MOST_WORDS,
    N_ROWS,
    OTHERS,
    Run,
    catalogue_pack,
    catalogue_runs,
    own_run,
    pack,
    pack_all,
    verdict,
)

LAW_OF = {"order": "P", "move": "S", "future": "C"}
NAMES = [architecture.name for architecture in ARCHITECTURES]


class OrderAudit(LiveFigure):
    """A layer, and a text that is put into another order, moved, or given a new ending: which output rows follow?

    The layers are those of `inorder.audit`, with the weights that it draws, on rows of four numbers; the words stand in
    rows 2 to 6 of twelve, and the other rows are zeros. The verdict is that of the audit, on 24 rows of eight numbers,
    or of four for a layer of yours.

    The figure computes every order when it is made, so that it needs no kernel. In Python, `before`, `after` and
    `differences` are exact; on the page, outputs are kept to 16 bits, and which rows are equal is kept exactly.

    Args:
        layer: a name of `inorder.mixers.catalogue.ARCHITECTURES`, or of a layer of yours.
        question: "order", the words in another order; "move", the text moved through rows of zeros; "future", a new
            ending.
        order: the other order, as indices into ``words``, each once.
        moved: by how many rows the text moves, 1 to 3.
        new_from: the position from which the words are new, 2 or later.
        words: 3 to 5 strings, or one string to be cut at its spaces.
        own: layers of yours, as ``{name: make}`` with make(n) a layer (n, 4) to (n, d_output), as `inorder.audit.audit`
            takes it: a function of NumPy arrays, or a torch module in double precision.

    Raises:
        ValueError: a layer, words or an order that the figure cannot show; a layer that the audit refuses.

    >>> figure = OrderAudit("causal self-attention")
    >>> figure.follows.tolist()
    [False, False, False, True, True]
    >>> mine = OrderAudit("running sum", own={"running sum": lambda n: lambda x: np.cumsum(x, axis=0)})
    >>> mine.summary()
    '2 of 5 outputs followed: this layer follows shifts, and sees only what came before.'
    """

    extra_marks = ("crossing",)
    title = traitlets.Unicode("Change the text: which outputs follow?").tag(sync=True)
    layer = choice("causal self-attention", NAMES)
    question = choice("order", list(LAW_OF))
    words = texts(["dogs", "bit", "men", "without", "mercy"], fewest=3, most=MOST_WORDS, longest=12, spaces=False)
    order = permutation([2, 1, 0, 3, 4], of="words")
    moved = integer(1, low=1, high=MOST_MOVED)
    new_from = integer(2, low=2, below="words")
    data = traitlets.Dict(read_only=True).tag(sync=True)
    templates: ClassVar = {
        "unchanged": "The same order: move a word.",
        "order": "followed",
        "move": "moved with the text",
        "future": "stayed the same",
        "always": "{kept} of {asked} outputs {happened}: {verdict}.",
        "by_luck": "{kept} of {asked} outputs {happened} here, but not always: {verdict}.",
    }

    def __init__(
        self,
        layer: str = "causal self-attention",
        question: str = "order",
        *,
        words: Any = "dogs bit men without mercy",
        order: Any = None,
        own: Mapping[str, Callable[[int], Layer]] | None = None,
        **options: Any,
    ) -> None:
        words = words.split() if isinstance(words, str) else list(words)
        order = [2, 1, 0, *range(3, len(words))] if order is None else order
        self._own = dict(own or {})
        if taken := self._own.keys() & set(NAMES):
            raise InvalidState(f"own must have names that no layer of the book has, got {min(taken)!r}")
        limits = {"layer": {"options": [*self._own, *NAMES]}}
        super().__init__(limits=limits, layer=layer, question=question, words=words, order=order, **options)
        self._compute()
        self.observe(self._compute, "words")

    def _compute(self, _: Any = None) -> None:
        own, words = [own_run(name, make, self.words) for name, make in self._own.items()], tuple(self.words)
        self._runs = {run.name: run for run in (*own, *catalogue_runs(words))}
        text = {"words": self.words, "others": OTHERS[: len(words)], "zeros": [MARGIN, N_ROWS - MARGIN - len(words)]}
        self.set_trait("data", text | pack_all([*map(pack, own), *catalogue_pack(words)]))

    @property
    def run(self) -> Run:
        """The chosen layer: its laws, why, its errors, and its outputs on every change."""
        return self._runs[self.layer]

    @property
    def before(self) -> np.ndarray:
        """The output rows of the words as they stood, (word, d_output)."""
        return self.run.outputs[0]

    @property
    def after(self) -> np.ndarray:
        """The output rows after the change, put back to where the words stood, (word, d_output)."""
        orders = list(itertools.permutations(range(len(self.words))))
        if self.question == "order":
            back = np.argsort(self.order)
            return self.run.outputs[orders.index(tuple(self.order))][back]
        later = self.moved - 1 if self.question == "move" else MOST_MOVED + self.new_from - 2
        return self.run.outputs[len(orders) + later]

    @property
    def asked(self) -> int:
        """How many of the words the question is about: with a new ending, only those before it."""
        return self.new_from if self.question == "future" else len(self.words)

    @property
    def differences(self) -> np.ndarray:
        """By how much the row of each word has changed, as a share of the largest output, (word,)."""
        return np.abs(self.after - self.before).max(axis=1) / np.abs(self.before).max()

    @property
    def follows(self) -> np.ndarray:
        """Whether each word that is asked about has kept its row, up to rounding, (asked,)."""
        return self.differences[: self.asked] < ROUNDING

    def marks(self) -> list[marks.Mark]:
        words, width = self.words, self.before.shape[1]
        order = self.order if self.question == "order" else list(range(len(words)))
        columns: list[tuple[str, int, np.ndarray, bool, str]] = []  # word, thread, row, whether it is kept, note
        for word in order:
            if word >= self.asked:
                columns.append((OTHERS[word], -1, self.after[word], False, ""))
                continue
            kept = bool(self.follows[word])
            note = "= 0" if kept else f"≠ {format_difference(self.differences[word])}"
            columns.append((words[word], word, self.after[word], kept, note))
        zeros = MOST_MOVED if self.question == "move" else 0  # rows of zeros after the text, and then around it
        nothing = ("0", -1, np.zeros(width), False, "")
        columns = [nothing] * min(self.moved, zeros) + columns + [nothing] * (zeros - min(self.moved, zeros))
        lower, threads, below, whole, notes = map(list, zip(*columns, strict=True))
        largest = float(np.abs([self.before, self.after]).max())
        line = marks.crossing(
            [*words, *["0"] * zeros],
            lower,
            threads,
            rows=(np.concatenate([self.before, np.zeros((zeros, width))]), np.array(below)),
            limits=(-largest, largest),
            kept=whole,
            notes=notes,
            drag="order" if self.question == "order" else (),
        )
        everyone = self.follows.all()
        if self.question == "order" and self.order == sorted(self.order):
            answer = self.say("unchanged")
        else:
            by_luck = everyone and LAW_OF[self.question] not in self.run.laws
            answer = self.say(
                "by_luck" if by_luck else "always",
                kept=int(self.follows.sum()),
                asked=self.asked,
                happened=self.say(self.question),
                verdict=verdict(self.run.laws),
            )
        return [line, marks.answer(answer, "=" if everyone else "≠")]

    def note(self) -> str:
        """Why the layer does so."""
        return self.run.why
