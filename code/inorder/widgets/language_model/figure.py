"""LanguageModel: a real language model, and a prompt before and after one of its words is moved."""

from pathlib import Path
from typing import Any

import traitlets
from matplotlib.figure import Figure

from inorder.pretrained.decoder import CONFIG, PLACEMENTS, Placement
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.state import InvalidState, choice, integer, integers, texts
from inorder.widgets.language_model import words
from inorder.widgets.language_model.kernel import Kernel
from inorder.widgets.language_model.results import computed_results, pairs, stored_results, travelling
from inorder.widgets.language_model.twin import draw

SHIFT, STRETCH = PLACEMENTS["shifted"].offset, PLACEMENTS["stretched"].scale  # what is stored


class LanguageModel(InteractiveFigure):
    """A trained language model reads a prompt: move a word, or drop the rotations, and see how the text goes on.

    The model is SmolLM2-135M-Instruct (`inorder.pretrained.decoder`). A dozen pairs of prompts are stored with every
    placement of their tokens, and all swaps of two words of the first. For others the figure needs the model: in a
    notebook the kernel computes through `inorder`, if the weights are on this machine; a page of the book fetches them
    when the reader asks.

    Args:
        first: the prompt before the move, up to 300 characters; the figure reads 64 tokens. By default a stored one.
        second: the prompt after it. By default the stored partner of the first, or the same text.
        positions: "trained", "unrotated" (all equal), "shifted" (by ``shift``), "stretched" (``stretch`` times as far
            apart), "reversed", "restarted" (each generated token at 0), "mispaired" (pairs read as halves); or whole
            numbers, one for each token of both prompts, which stand in ``own`` then.
        shift, stretch: see ``positions``.
        layer, head: whose attention is shown, counted from 0.

    The trait ``results`` holds what is shown: for each prompt ``next``, the likeliest tokens with their probabilities,
    and ``texts``, what the model generates; ``stored``, whether the book stores it; and where they are known
    ``distance``, the total variation distance of the two distributions, and ``layers``, the difference of the last
    rows, layer by layer. It is {} where nothing is stored and the model hasn't been asked. `compute` asks it.

    Raises:
        ValueError: a state that the figure cannot show; the message names it.

    >>> figure = LanguageModel("From Paris to London and", positions="unrotated")
    >>> figure.prompts[1]
    'From London to Paris and'
    >>> figure.summary()
    'The next word stays the same: “New”.'
    >>> figure.positions = "trained"
    >>> figure.summary()
    'The next word changes: “Paris” before the move, “London” after it.'
    """

    folder = Path(__file__).parent
    title = traitlets.Unicode("A real language model: does the order of your words matter?").tag(sync=True)
    templates = words.TEMPLATES
    prompts = texts(["a", "a"], fewest=2, most=2, longest=300)
    positions = choice("trained", [*PLACEMENTS, "own"])
    shift = integer(SHIFT, low=-8000, high=8000)
    stretch = integer(STRETCH, low=2, high=100)
    own = integers(low=-(10**6), high=10**6)
    layer = integer(17, low=0, high=CONFIG.n_layers - 1)
    head = integer(4, low=0, high=CONFIG.n_heads - 1)

    results = traitlets.Dict().tag(sync=True)
    labels = traitlets.Dict(words.POSITIONS, read_only=True).tag(sync=True)
    stored = traitlets.Dict(read_only=True).tag(sync=True)
    published = traitlets.Dict(read_only=True).tag(sync=True)  # where a page finds the model: filled in by the book

    def __init__(
        self, first: str | None = None, second: str | None = None, *, positions: Any = "trained", **state: Any
    ) -> None:
        if first is not None or second is not None or "prompts" not in state:
            first = pairs()[0][0] if first is None else first
            state["prompts"] = [first, _partner(first) if second is None else second]
        if not isinstance(positions, str):
            positions, state["own"] = "own", positions
        super().__init__(positions=positions, **state)
        self._kernel = Kernel()
        self.on_msg(self._answer)

    @traitlets.default("stored")
    def _what_is_stored(self) -> dict[str, Any]:
        return travelling()

    @traitlets.default("results")
    def _results_when_built(self) -> dict[str, Any]:
        return stored_results(self.prompts, self.placement_name)

    @traitlets.observe("prompts", "positions", "shift", "stretch", "own")
    def _renew_results(self, change: Any) -> None:
        self.results = self._results_when_built()

    def check_together(self, state: dict[str, Any]) -> None:
        super().check_together(state)
        if state["positions"] == "own" and not state["own"]:
            raise InvalidState("own must hold a position for each token where positions is own, got []")

    @property
    def placement_name(self) -> str:
        """The placement's name among those that are stored; "" if it is none of them."""
        is_stored = (self.shift if self.positions == "shifted" else SHIFT) == SHIFT
        is_stored &= (self.stretch if self.positions == "stretched" else STRETCH) == STRETCH
        return self.positions if is_stored else ""

    @property
    def placement(self) -> Any:
        """The positions as `inorder.pretrained.decoder` takes them."""
        return {
            "own": self.own,
            "shifted": Placement(offset=self.shift),
            "stretched": Placement(scale=self.stretch),
        }.get(self.positions, self.positions)

    def compute(self) -> None:
        """Ask the model, whatever is stored, and replace ``results``.

        Raises:
            FileNotFoundError: the weights are not on this machine; the message says how to get them.
            ValueError: prompts that the model cannot read; ``own`` positions that are not one for each token.
        """
        self.results = computed_results(self.prompts, self.placement)

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """The page asks the kernel."""
        reply, arrays = self._kernel.answer(content)
        self.send(reply, buffers=arrays)

    def summary(self) -> str:
        return words.summary(self)

    def note(self) -> str:
        """The smaller line below the answer."""
        return words.note(self)

    def alt_text(self) -> str:
        return words.alt_text(self)

    def figure(self) -> Figure:
        return draw(self)


def _partner(first: str) -> str:
    return next((pair[1 - pair.index(first)] for pair in pairs() if first in pair), first)
