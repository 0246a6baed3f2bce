"""PermutationPlayground: drag words, and see whether the two roads to their rows meet."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.figure import Figure

from inorder.attention import causal_mask, prefix_mask
from inorder.symmetry import permute, permute_mask
from inorder.transformer import (
    Model,
    PositionScheme,
    TransformerConfig,
    TransformerParameters,
    encode,
    fresh_model,
    layer_states,
    map_parameters,
)
from inorder.widgets.interact.twin import still
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.model_state import MASKS, in_browser, most_positions, take_model, take_tokens
from inorder.widgets.kit.state import boolean, choice, integer, integers, permutation, texts
from inorder.widgets.kit.twin import ROUNDING, format_difference
from inorder.widgets.marks import crossing

MOST_COLUMNS_IN_STILL = 8
TOKENS = ["the", "dog", "bites", "the", "old", "man"]
FEWEST_TOKENS, MOST_TOKENS, LONGEST_TOKEN = 3, 12, 20


class PermutationPlayground(InteractiveFigure):
    """A sentence read by an encoder in the order given and in yours: do the outputs travel with their tokens?

    The commuting square. At the top stand the words X, as given, and PX, in the order that the reader makes; below
    them the rows that the model makes of either. Where the roads meet, f(PX) is printed on P f(X), in red and out of
    register in each row that differs. On demand: another sentence, depth, mask and residual. In Python, ``weights``,
    ``output``, ``error`` and the rest are computed by `inorder.transformer`.

    Args:
        tokens: 3 to 12 strings of up to 20 characters, or one string to be cut at its spaces; or whole numbers, the
            rows of the model's embedding. Tokens may repeat.
        model: the pair (parameters, config), as a `Model`; NumPy or torch. By default a small one with random weights.
        ids: the row of the model's embedding for each token. By default equal strings are equal rows, 0, 1, 2, … in
            the order in which they first appear.
        order: the token at each position, as indices into ``tokens``. By default the second and the last are swapped.
        position: a name in ``schemes``; by default the model's own, which replaces the one of its kind there. Tables
            of the others are freshly drawn.
        mask: "none", "causal" or "prefix" (the first ``n_prefix`` positions see each other both ways).
        mask_moves: compare with f(PX; PMPᵀ), in which the mask moves with the tokens, instead of f(PX; M)?
        depth: how many of the model's blocks to use.
        residual: keep the skip connections?
        layer, head: of ``weights``, counted from 0; a layer that ``depth`` leaves out stands for the last.
        schemes: {name: `PositionScheme`} to choose from. One of your own is computed in Python, if there is a kernel.

    Raises:
        ValueError: a value that the figure cannot show, or a model that the browser cannot run (see
            `inorder.widgets.kit.model_state`); the message names it. To change the number of tokens later, change
            ``tokens``, ``ids`` and ``order`` together, inside ``with widget.hold_trait_notifications():``.

    >>> figure = PermutationPlayground("dog bites man", order=[2, 1, 0])
    >>> figure.error < 1e-12
    True
    >>> figure.position = "sinusoidal"
    >>> round(figure.error, 2)
    0.92
    >>> PermutationPlayground("dog bites man", order=[0, 1])
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: order must hold each of 0 … 2 once, got [0, 1]
    """

    folder = Path(__file__).parent
    title = traitlets.Unicode("Drag a word. Do both roads lead to the same rows?").tag(sync=True)
    transformer = traitlets.Dict(read_only=True).tag(sync=True)
    in_python = traitlets.Dict(read_only=True).tag(sync=True)  # with a scheme of the reader's own: see kit/in_python.js
    tokens = texts(fewest=FEWEST_TOKENS, most=MOST_TOKENS, shortest=0, longest=LONGEST_TOKEN)
    ids = integers(like="tokens")
    order = permutation(of="tokens")
    position = choice("none", ["none"])
    mask = choice("none", MASKS)
    n_prefix = integer(2, low=1, high=MOST_TOKENS)
    mask_moves = boolean(False)
    depth = integer(2, low=1)
    residual = boolean(True)
    layer = integer(0, low=0)
    head = integer(0, low=0)
    templates: ClassVar = {
        "law": "f(PX) {sign} P f(X)",
        "law_mask_moves": "f(PX; PMPᵀ) {sign} P f(X; M)",
        "law_mask_stays": "f(PX; M) {sign} P f(X; M)",
        "unmoved": "Nothing has moved yet: drag a word on the right.",
        "kept": "Both roads lead to the same rows: each word has taken its own along.",
        "all": "All {total}",
        "some": "{new} of {total}",
        "positions": "{count} numbers are new: the positions ({scheme}) stay where they are.",
        "mask": "{count} numbers are new: the {mask} mask stays where it is.",
        "both": "{count} numbers are new: the positions ({scheme}) and the {mask} mask stay where they are.",
        "mean_stayed": "{law}, error {error}; the mean of the rows is the same.",
        "mean_changed": "{law}, error {error}; the mean of the rows has changed.",
    }

    def __init__(
        self,
        tokens: Any = None,
        model: Model | tuple[TransformerParameters, TransformerConfig] | None = None,
        *,
        ids: Any = None,
        order: Any = None,
        position: str | None = None,
        depth: int | None = None,
        layer: int | None = None,
        schemes: dict[str, PositionScheme] | None = None,
        **state: Any,
    ) -> None:
        self._model = take_model(model, default_model, schemes)
        config = self._model.config
        self._remembered: tuple[Any, list] = (None, [])
        limits: dict[str, dict[str, Any]] = {
            "tokens": {
                "most": min(MOST_TOKENS, *(most_positions(each, config) for each in self._model.schemes.values()))
            },
            "ids": {"high": config.vocabulary_size - 1},
            "position": {"options": list(self._model.schemes)},
            "depth": {"high": config.n_layers},
            "layer": {"high": config.n_layers - 1},
            "head": {"high": config.n_heads - 1},
        }
        words = take_tokens(TOKENS if tokens is None else tokens)
        distinct = list(dict.fromkeys(words))
        if ids is None:
            ids = [token if isinstance(token, int) else distinct.index(token) for token in words]
        super().__init__(
            limits=limits,
            tokens=[str(token) for token in words],
            ids=ids,
            order=swap(len(words)) if order is None else order,
            position=self._model.own if position is None else position,
            depth=min(2, config.n_layers) if depth is None else depth,
            layer=config.n_layers - 1 if layer is None else layer,
            **state,
        )
        self.observe(lambda _: self.set_trait("in_python", self._computed()), self.state_names)

    @traitlets.default("in_python")
    def _computed(self) -> dict[str, Any]:
        """What the browser cannot compute: the settings and the output, for the tokens as given and as moved."""
        if in_browser(self._model.schemes[self.position]):
            return {}
        names = ("ids", "order", "position", "mask", "n_prefix", "mask_moves", "depth", "residual")
        given, moved = ({"hidden": output.tolist()} for _, output in self._passes())
        return {"asked": [getattr(self, name) for name in names], "given": given, "moved": moved}

    @traitlets.default("transformer")
    def _given_model(self) -> dict[str, Any]:
        return self._model.state

    # the model as it is switched now, and what it computes

    @property
    def config(self) -> TransformerConfig:
        """The configuration with the reader's depth, residual and position scheme."""
        residual = (self._model.config.residual or 1.0) if self.residual else 0.0
        return self._model.with_scheme(self.position, depth=self.depth, residual=residual)[0]

    @property
    def parameters(self) -> TransformerParameters:
        """The parameters that belong to `config`."""
        return self._model.with_scheme(self.position, depth=self.depth)[1]

    def _passes(self) -> list[tuple[list[np.ndarray], np.ndarray]]:
        """The weights of every layer, (head, query, key), and the output: for the tokens as given, then as moved."""
        n, order = len(self.tokens), np.array(self.order)
        asked = (self.config, tuple(self.ids), tuple(order), self.mask, self.n_prefix, self.mask_moves)
        if self._remembered[0] == asked:
            return self._remembered[1]
        mask = {"none": None, "causal": causal_mask(n), "prefix": prefix_mask(n, min(self.n_prefix, n))}[self.mask]
        moved_mask = mask if mask is None or not self.mask_moves else permute_mask(mask, order)
        passes = []
        for ids, allowed in ((np.array(self.ids), mask), (np.array(self.ids)[order], moved_mask)):
            options: dict[str, Any] = {"positions": np.arange(n), "mask": allowed}
            weights = [state.weights for state in layer_states(ids, self.parameters, self.config, **options)]
            passes.append((weights, encode(ids, self.parameters, self.config, **options)))
        self._remembered = asked, passes
        return passes

    def _weights(self, passed: int) -> np.ndarray:
        return self._passes()[passed][0][min(self.layer, self.depth - 1)][self.head].copy()

    @property
    def weights(self) -> np.ndarray:
        """A of the layer and head shown, for the tokens as given, (query, key)."""
        return self._weights(0)

    @property
    def moved_weights(self) -> np.ndarray:
        """P A Pᵀ, (query, key)."""
        return permute_mask(self.weights, np.array(self.order))

    @property
    def new_weights(self) -> np.ndarray:
        """The weights recomputed for the tokens as moved, (query, key)."""
        return self._weights(1)

    @property
    def output(self) -> np.ndarray:
        """f(X), (n, d_model)."""
        return self._passes()[0][1].copy()

    @property
    def moved_output(self) -> np.ndarray:
        """P f(X), (n, d_model)."""
        return permute(self.output, np.array(self.order))

    @property
    def new_output(self) -> np.ndarray:
        """f(PX), (n, d_model)."""
        return self._passes()[1][1].copy()

    @property
    def pooled(self) -> np.ndarray:
        """The means of the rows of f(X) and of f(PX), (2, d_model)."""
        return np.array([self.output.mean(axis=0), self.new_output.mean(axis=0)])

    @property
    def error(self) -> float:
        """max |f(PX) − P f(X)| / max |f(X)|, as in `inorder.symmetry.equivariance_error`."""
        return float(abs(self.new_output - self.moved_output).max() / abs(self.output).max())

    @property
    def pooled_error(self) -> float:
        """The same for the pooled outputs, which should not move at all."""
        original, moved = self.pooled
        return float(abs(moved - original).max() / abs(original).max())

    @property
    def new_numbers(self) -> int:
        """How many entries of f(PX) are not those of P f(X)."""
        change = abs(self.new_output - self.moved_output) / abs(self.output).max()
        return int((change > ROUNDING).sum())

    # in words

    def law(self) -> str:
        """What was compared, with = or ≠."""
        name = "law" if self.mask == "none" else "law_mask_moves" if self.mask_moves else "law_mask_stays"
        return self.say(name, sign="=" if self.error <= ROUNDING else "≠")

    def summary(self) -> str:
        if self.order == sorted(self.order):
            return self.say("unmoved")
        if self.error <= ROUNDING:
            return self.say("kept")
        new, total = self.new_numbers, self.output.size
        count = self.say("all" if new == total else "some", new=new, total=total)
        mask_stays = self.mask != "none" and not self.mask_moves
        fixed = "mask" if self.position == "none" else "both" if mask_stays else "positions"
        return self.say(fixed, count=count, scheme=self._model.label(self.position), mask=self.mask)

    def note(self) -> str:
        """The smaller line below the answer."""
        sentence = "mean_changed" if self.pooled_error > ROUNDING else "mean_stayed"
        return self.say(sentence, law=self.law(), error=format_difference(self.error))

    def alt_text(self) -> str:
        n, d_model = self.output.shape
        moved = " ".join(self.tokens[token] for token in self.order)
        return (
            f"{n} rows of {d_model} numbers, the outputs of an encoder: above for “{' '.join(self.tokens)}”, below for "
            f"“{moved}”, with a thread between the two rows of each word. {self.summary()} {self.note()}"
        )

    def figure(self) -> Figure:
        words = [self.tokens[token] for token in self.order]
        rows = self.output[:, :MOST_COLUMNS_IN_STILL], self.new_output[:, :MOST_COLUMNS_IN_STILL]
        return still(self, crossing(self.tokens, words, self.order, rows=rows))


def default_model() -> Model:
    """Four blocks with random weights, written with two decimals: a page carries them."""
    parameters, config = fresh_model(4, d_model=8, n_heads=2, d_ff=16, n_layers=4, linear_biases=False)
    return Model(map_parameters(lambda w: w.round(2), parameters), config)


def swap(n: int) -> list[int]:
    """The order in which the second and the last of n places are swapped.

    >>> swap(6)
    [0, 5, 2, 3, 4, 1]
    """
    return [*range(n)] if n < FEWEST_TOKENS else [0, n - 1, *range(2, n - 1), 1]
