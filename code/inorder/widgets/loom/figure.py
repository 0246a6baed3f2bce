"""Loom: a sentence, layers of attention as dyed threads, and the cloth that they weave."""

from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import traitlets
from matplotlib.figure import Figure

from inorder.attention import AttentionParameters, causal_mask
from inorder.transformer import TransformerConfig, TransformerParameters, layer_states
from inorder.transformer.parameters import BlockParameters, LayerNormParameters
from inorder.widgets import marks
from inorder.widgets.interact.twin import still
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.model_state import numbers_from_text
from inorder.widgets.kit.state import InvalidState, boolean, brief, permutation, texts
from inorder.widgets.kit.twin import listed
from inorder.widgets.loom.record import for_the_page, number_of, record

D_MODEL = 16
N_LAYERS = 3
# The model's numbers are made from its name by a hash. Of 12,000 names this one was picked for dyes that stay apart,
# threads of many widths, and changes under mask and positions that can be seen. That nothing changes without either
# holds for every name.
NAME = "loom 9352"
SHARPNESS = 2.4  # of the queries: scores then spread about as far
SAME = 1e-9  # rounding leaves less than a millionth of it
OPENINGS = {  # by mask and positions
    (False, False): "words_only",
    (True, False): "masked",
    (False, True): "placed",
    (True, True): "masked_and_placed",
}
COUNTS = ("Two", "Three", "Four", "Five", "Six")


class Cloth(NamedTuple):
    """What one run of the model computes, filed under the words, wherever they stand."""

    rows: np.ndarray  # (layer + 1, word, number): as they enter layer 0, and as they leave each; of a record, the last
    weights: np.ndarray  # (layer, word, word): whose row gives how much to whose


def matrix(name: str, scale: float) -> np.ndarray:
    """The matrix of that name, (d_model, d_model): it keeps the variance of a row, times ``scale`` squared."""
    rows = [numbers_from_text(f"{name}, row {row}", D_MODEL) for row in range(D_MODEL)]  # each of variance 1/3
    return np.array(rows) * np.sqrt(3 / D_MODEL) * scale


@lru_cache
def blocks() -> tuple[BlockParameters, ...]:
    """The three layers: X ← layer_norm(X + softmax(QKᵀ/√d) V), one head, no feed-forward layer."""
    norm = LayerNormParameters(gain=np.ones(D_MODEL), bias=np.zeros(D_MODEL))
    layers = []
    for layer in range(N_LAYERS):
        scales = {"query": SHARPNESS, "key": 1.0, "value": 1.0}
        drawn = {f"w_{name}": matrix(f"{NAME}, layer {layer}, {name}", scale) for name, scale in scales.items()}
        attention = AttentionParameters(**drawn, w_output=np.eye(D_MODEL))
        layers.append(BlockParameters(attention, None, None, norm, None, None))
    return tuple(layers)


def weave(words: list[str], order: list[int], *, mask: bool = False, positions: bool = False) -> Cloth:
    """Run the model on the words in that order.

    mask: a word sees only itself and those before it. positions: sinusoids are added to the words.

    >>> words = ["dog", "bites", "man"]
    >>> one, other = weave(words, [0, 1, 2]), weave(words, [2, 1, 0])
    >>> np.allclose(one.rows, other.rows, rtol=0, atol=1e-14), one.weights.shape
    (True, (3, 3, 3))
    """
    n = len(words)
    config = TransformerConfig(
        vocabulary_size=n,
        d_model=D_MODEL,
        n_heads=1,
        d_ff=0,
        n_layers=N_LAYERS,
        norm="post",
        linear_biases=False,
        n_outputs=1,  # which nobody reads
        position="sinusoidal" if positions else "none",
    )
    vectors = np.array([numbers_from_text(word, D_MODEL) for word in words]) * np.sqrt(3)  # (word, d_model)
    parameters = TransformerParameters(vectors, {}, blocks(), None, None, np.zeros((D_MODEL, 1)), None)
    attends = causal_mask(n) if mask else None
    states = list(layer_states(np.array(order), parameters, config, positions=np.arange(n), mask=attends))
    place = np.argsort(order)  # of each word
    rows = np.array([states[0].x, *(state.hidden for state in states)])
    weights = np.array([state.weights[0] for state in states])
    return Cloth(rows[:, place], weights[:, place][:, :, place])


def nails(words: list[str], order: list[int]) -> list[int]:
    """With which place of the first order each word is compared: its own, or that of a word that reads the same.

    Of equal words nobody can say which is which: the first of them now is compared with the first of them then.

    >>> nails(["no", "means", "no"], [2, 1, 0]), nails(["no", "means", "yes"], [2, 1, 0])
    ([2, 1, 0], [0, 1, 2])
    """
    places = list(range(len(words)))
    for text in set(words):
        alike = [word for word in order if words[word] == text]
        for word, place in zip(alike, sorted(alike), strict=True):
            places[word] = place
    return places


def recorded(order: list[int]) -> Cloth:
    """The record of the trained model for its sentence in that order."""
    number = number_of(order)
    return Cloth(record().rows[number][None], record().weights[number])


class Loom(InteractiveFigure):
    """A sentence, layers of attention as dyed threads, and the cloth that they weave: drag a word.

    Each word has a row of 16 numbers. Three layers of attention (one head, residual sums, norms) mix the rows; a thread
    is as wide as its attention weight. The last rows are the cloth, compared with that of the first order. Without
    positions and mask, the rows only move with their words. With the mask, order gets in from the second layer on;
    with positions, from the start. In Python, ``cloth`` and ``first_cloth`` are computed by `inorder.transformer` for
    the state as it is; ``changed`` says which numbers differ, ``since`` from where on. The model is fixed: its numbers
    and those of the words are made from names by a hash. A trained one, all-MiniLM-L6-v2, is shown from a record: one
    of twelve heads in each of its six layers, the one that changes most from order to order, and of the last rows 16
    numbers, along the directions in which they vary most.

    Args:
        words: 2 to 6 strings of up to 10 characters without spaces, or one string to be cut at its spaces. One that
            occurs twice has the same row twice, until its place counts.
        order: the order in which they stand, as indices into ``words``, each once. By default as given.
        mask: does a word see only itself and the words before it?
        positions: does each place add its mark to the word that stands there?
        trained: does the trained model read the words? It has positions of its own, no mask, and a record for
            "only she said he lied" alone, in all orders.

    Raises:
        ValueError: a sentence or an order that the figure cannot show; the message names it. To change the number of
            words later, change ``words`` and ``order`` together, inside ``with widget.hold_trait_notifications():``.

    >>> figure = Loom("dog bites man", order=[2, 1, 0])
    >>> int(figure.changed.sum()), figure.summary()
    (0, 'The rows moved with their words; none of the 48 numbers changed.')
    >>> figure.mask = True
    >>> figure.since
    [1, 1, 1]
    >>> Loom("dog bites man", order=[0, 1])
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: order must hold each of 0 … 2 once, got [0, 1]
    """

    folder = Path(__file__).parent
    title = traitlets.Unicode("Move a word. Does the cloth change?").tag(sync=True)
    words = texts(["only", "she", "said", "he", "lied"], fewest=2, most=6, longest=10, spaces=False)
    order = permutation([0, 1, 2, 3, 4], of="words")
    mask = boolean(False)
    positions = boolean(False)
    trained = boolean(False)
    recorded: Any = traitlets.List(read_only=True).tag(sync=True)  # the words that the trained model has read
    record = traitlets.Unicode().tag(sync=True)  # where a page finds the rest: filled in by the book
    templates: ClassVar = {
        "words_only": "{count} words, each with a row of 16 numbers. Drag a word through the others.",
        "masked": "Now a word sees only itself and the words before it. Drag one.",
        "placed": "Now each place adds its mark to the word that stands there. Drag one.",
        "masked_and_placed": "Each place adds its mark; a word sees only itself and the words before it. Drag one.",
        "learned": "A trained model of six layers has read these words in every order. Drag one.",
        "record": (
            "all-MiniLM-L6-v2: of the twelve heads in a layer the one that changes most, without what it gives to the "
            "marks at both ends; of a row’s 384 numbers, 16 mixtures in which the rows differ most."
        ),
        "coming": "Fetching what the trained model has made of these words …",
        "none": "The rows moved with their words; none of the {total} numbers changed.",
        "some": "{changed} of {total} numbers changed: {causes}; none of {kept}.",
        "all": "All {total} numbers changed: {causes}.",
        "start": "{words} from the start",
        "layer": "{words} from layer {layer}",
    }

    def in_a_file(self) -> dict[str, Any]:
        return super().in_a_file() | {"record": for_the_page()}

    def __init__(
        self,
        words: Any = "only she said he lied",
        order: Any = None,
        *,
        mask: bool = False,
        positions: bool = False,
        trained: bool = False,
        **options: Any,
    ) -> None:
        words = words.split() if isinstance(words, str) else list(words)
        order = range(len(words)) if order is None else order
        super().__init__(words=words, order=order, mask=mask, positions=positions, trained=trained, **options)
        self.on_msg(self._answer)

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """A notebook's page asks for the record."""
        if content == {"ask": "record"}:
            self.send({"record": for_the_page()})

    @traitlets.default("recorded")
    def _words_of_the_record(self) -> list[str]:
        return record().words

    def check_together(self, state: dict[str, Any]) -> None:
        super().check_together(state)
        if state["trained"] and state["words"] != record().words:
            raise InvalidState(f"words must be {' '.join(record().words)!r} where trained, got {brief(state['words'])}")
        for name in ("mask", "positions"):
            if state["trained"] and state[name]:
                raise InvalidState(f"{name} must be False where trained, got True")

    @property
    def cloth(self) -> Cloth:
        """What the model computes from the words as they stand."""
        if self.trained:
            return recorded(self.order)
        return weave(self.words, self.order, mask=self.mask, positions=self.positions)

    @property
    def first_cloth(self) -> Cloth:
        """The same for the words as they were given."""
        order = list(range(len(self.words)))
        if self.trained:
            return recorded(order)
        return weave(self.words, order, mask=self.mask, positions=self.positions)

    @property
    def differs(self) -> np.ndarray:
        """Which numbers are no longer those of the first cloth, (layer + 1, word, number)."""
        if self.trained:  # by a `least_change` that bytes do not show
            return np.full_like(self.cloth.rows, self.order != sorted(self.order), dtype=bool)
        return abs(self.cloth.rows - self.first_cloth.rows[:, nails(self.words, self.order)]) > SAME

    @property
    def changed(self) -> np.ndarray:
        """The same for the last rows, (word, number)."""
        return self.differs[-1]

    @property
    def since(self) -> list[int | None]:
        """For each word, the first row of ``cloth.rows`` that is another than in the first cloth; None if it never is.

        So 0 is as the word enters, 1 as it leaves layer 0.
        """
        if self.trained and self.changed.any():
            return record().since[number_of(self.order)].tolist()
        differs = self.differs.any(axis=-1)  # (layer + 1, word)
        firsts = np.where(differs.any(axis=0), differs.argmax(axis=0), -1)  # (word,)
        return [None if layer < 0 else layer for layer in map(int, firsts)]

    def summary(self) -> str:
        if self.order == sorted(self.order):
            opening = "learned" if self.trained else OPENINGS[self.mask, self.positions]
            return self.say(opening, count=COUNTS[len(self.words) - 2])
        changed, total, since = int(self.changed.sum()), self.changed.size, self.since
        if changed == 0:
            return self.say("none", total=total)

        def named(time: int | None) -> str:
            return listed(f"“{self.words[word]}”" for word in self.order if since[word] == time)

        times = sorted({time for time in since if time is not None})
        causes = "; ".join(
            self.say("layer", words=named(time), layer=time - 1) if time else self.say("start", words=named(time))
            for time in times
        )
        if None not in since:
            return self.say("all", total=total, causes=causes)
        return self.say("some", changed=changed, total=total, causes=causes, kept=named(None))

    def alt_text(self) -> str:
        given = [name for name, on in (("a mask", self.mask), ("positions", self.positions)) if on]
        layers = f"three layers of attention, with {listed(given) if given else 'neither mask nor positions'}"
        if self.trained:
            layers = "the six layers of a trained model, one head of each"
        sentence = " ".join(self.words[word] for word in self.order)
        return (
            f"A loom. The words “{sentence}” in tiles; through {layers}, threads as wide as the attention weights; "
            f"below, a cloth with a row of 16 stripes for each word. {self.summary()}"
        )

    def figure(self) -> Figure:
        cloth, n = self.cloth, len(self.words)
        words = [self.words[word] for word in self.order]
        here = np.ix_(range(len(cloth.weights)), self.order, self.order)
        mixed = (cloth.weights[here] + np.eye(n)) / 2  # the residual sum keeps a row itself
        rows = [row[self.order] for row in (cloth.rows[-1], self.first_cloth.rows[-1])]
        largest = float(np.abs(rows).max())
        look: dict[str, Any] = {"limits": (-largest, largest), "digits": None}
        now = marks.heat_map(rows[0], words, title="The cloth", **look)
        before = marks.heat_map(rows[1], words, title="As it was", **look)
        return still(self, marks.stream(mixed, words, title="The threads"), now, before)
