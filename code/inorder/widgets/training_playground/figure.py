"""TrainingPlayground: two small transformers learn a task on the page, side by side, from the same batches."""

from pathlib import Path
from typing import Any

import traitlets
from matplotlib.figure import Figure

from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.state import InvalidState, choice, integer, texts
from inorder.widgets.training_playground import setting, twin, words


def curves() -> traitlets.List:
    """A list of numbers for each model. JSON knows no 1.0: a whole number becomes a float again."""
    return traitlets.List(traitlets.List(traitlets.Float(allow_none=True)), [[], []])


class TrainingPlayground(InteractiveFigure):
    """Two small transformers learn the same task on the page, from the same batches: the reader trains them.

    Both have width 16, two heads and one layer or two, start alike, and differ only in how they are given positions.
    They learn sequences of 12 letters by Adam, 32 a step, and are tested on others, also on longer ones. The page
    computes everything itself, in a worker, without a kernel, and pauses twenty steps after one is right and the other
    stands still or is right too; what it finds comes back to Python.

    Args:
        task: "which-first" (does A stand before B?), "copy-left" (each row names the letter on its left), "last-token"
            (each row names the last letter) or "reversal" (each row names the letter that stands there in the sequence
            read backwards).
        first, second: how each model is given positions: a scheme of the sweep that the browser can compute, by its
            name in the registry.
        mask: "none" or "causal". Under a causal mask, which-first is asked by a "?" at the end.
        n_layers: 1 or 2.
        seed: of the start and of the batches, 0 to 99.
        example: the text of which both are asked while they learn: letters of A to J, one string or a list.

    Traits that the page writes while it trains: ``losses`` and ``accuracies``, one list a model; ``tested``, the steps
    at which the accuracies were measured; ``accuracies_by_length``, one list a model, for ``TEST_LENGTHS``. The
    reader's button is ``running``, which Python can set too. ``floor`` is the best that a model blind to
    order can reach, ``ceiling`` the best for one that sees distances but no direction.

    Raises:
        ValueError: a setting that the figure cannot show; the message names it.
        ImportError: torch is missing; the message names the extra that brings it.

    >>> playground = TrainingPlayground(second="sinusoidal")
    >>> playground.floor, playground.losses
    (0.5, [[], []])
    >>> TrainingPlayground(n_layers=3)
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: n_layers must be a whole number from 1 to 2, got 3
    """

    folder = Path(__file__).parent
    title = traitlets.Unicode("Train both: which one can tell?").tag(sync=True)
    task = choice("which-first", list(setting.TASKS))
    first = choice("none", ["none"])
    second = choice("rotary", ["rotary"])
    mask = choice("none", setting.MASKS)
    n_layers = integer(1, low=1, high=2)
    seed = integer(0, low=0, high=99)
    example = texts(list("CFBHDIGAEJCD"), fewest=2, most=16, longest=1)
    templates = words.TEMPLATES
    known = traitlets.Dict(read_only=True).tag(sync=True)  # so that JavaScript need not repeat it

    running = traitlets.Bool(False).tag(sync=True)
    losses: Any = curves().tag(sync=True)
    accuracies: Any = curves().tag(sync=True)
    tested: Any = traitlets.List([]).tag(sync=True)
    accuracies_by_length: Any = curves().tag(sync=True)

    TEST_LENGTHS = setting.TEST_LENGTHS

    def __init__(self, task: str = "which-first", *, example: Any = None, **state: Any) -> None:
        if example is not None:
            state["example"] = list(example)
        options = {"options": list(setting.labels())}
        super().__init__(limits={"first": options, "second": options}, task=task, **state)

    @traitlets.default("known")
    def _what_the_page_shall_know(self) -> dict[str, Any]:
        return setting.known_to_the_page()

    def check_together(self, state: dict[str, Any]) -> None:
        super().check_together(state)
        strange = [letter for letter in state["example"] if letter not in setting.LETTERS]
        if strange:
            raise InvalidState(f"example must hold letters from A to J, got {strange[0]!r}")

    def _bound(self, which: int) -> float:
        return float(self.known["tasks"][setting.lab_name(self.task, self.mask)]["bounds"][0][which])

    @property
    def floor(self) -> float:
        """The best accuracy of a model that is blind to order, at the length of the training."""
        return self._bound(0)

    @property
    def ceiling(self) -> float:
        """The best accuracy of a model that sees distances and no direction, at the length of the training."""
        return self._bound(1)

    def summary(self) -> str:
        return words.summary(self, self.tested, self.accuracies)

    def alt_text(self) -> str:
        return words.alt_text(self)

    def figure(self) -> Figure:
        return twin.draw(self)
