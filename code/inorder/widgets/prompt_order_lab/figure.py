"""PromptOrderLab: two prompts made of the same tokens, what the last query finds in each layer, and what comes next."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import traitlets
from matplotlib.figure import Figure

from inorder.attention import prefix_mask, softmax
from inorder.transformer import (
    Model,
    PositionScheme,
    TransformerConfig,
    TransformerParameters,
    encode,
    layer_states,
    unembed,
)
from inorder.widgets.interact.twin import still
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.model_state import MASKS, as_model, in_browser, most_positions, take_model, take_tokens
from inorder.widgets.kit.state import InvalidState, choice, integer, permutation
from inorder.widgets.kit.twin import ROUNDING
from inorder.widgets.marks import bars, crossing, table
from inorder.widgets.prompt_order_lab import words
from inorder.widgets.prompt_order_lab.comparison import Comparison, Reading, compare, last_reading
from inorder.widgets.prompt_order_lab.prompts import (
    LETTERS,
    SEED,
    as_names,
    check_tokens,
    default_model,
    name_rows,
    order_of,
    swap,
)

MOST_BARS_IN_STILL = 8  # of a larger vocabulary, for the most likely tokens


class PromptOrderLab(InteractiveFigure):
    """Two prompts made of the same tokens, one generated token each: does the model notice the order, and where?

    The reader orders both prompts. Layer by layer the figure shows what the last query finds (the last prompt token's
    query generates the next token): the keys, the weights it gives them, the values, and which of these differ between
    the prompts; then the two distributions of the next token and their total variation distance. In Python,
    ``distributions``, ``distance``, ``readings``, ``comparisons`` and ``parted_at`` are computed by
    `inorder.transformer` for the state as it is.

    Args:
        first: 2 to 8 tokens of up to 20 characters, or one string to be cut at its spaces; or whole numbers, the rows
            of the model's embedding. By default A B C.
        second: the same tokens in another order. By default the first prompt with two tokens swapped: if ``clean``,
            the first two that differ, and never the last one, so that the same token is last in both prompts (A B C and
            B A C); else the last two that differ, so that another token asks (A B C and A C B).
        model: the pair (parameters, config), as a `Model`; NumPy or torch. By default a small one with random weights.
        vocabulary: the names of the rows of the embedding, one string or a list. By default A to F; or else the tokens
            of the prompts in the order in which they appear, and further rows by number.
        clean: see ``second``.
        seed: of the random weights; their numbers are written with two decimals, because a page carries them.
        depth: how many of the model's blocks to use.
        mask: "causal", "prefix" (the first ``n_prefix`` positions see each other both ways) or "none".
        position: a name in ``schemes``; by default the model's own, which replaces the one of its kind there. Tables
            of the others are freshly drawn.
        head: whose vectors and weights are shown, counted from 0, as layers are. The comparisons are over all heads.
        schemes: {name: `PositionScheme`} to choose from. One of your own is computed in Python, if there is a kernel.

    Later, ``first_order`` and ``second_order`` hold the two orders, as places in the prompt ``first``.

    Raises:
        ValueError: a value that the figure cannot show, prompts of different tokens, or a model that the browser
            cannot run (see `inorder.widgets.kit.model_state`); the message names it.

    >>> lab = PromptOrderLab("A B C", "B A C")
    >>> lab.distance < 1e-12  # one causal layer
    True
    >>> lab.depth = 2
    >>> round(lab.distance, 2), lab.parted_at
    (0.26, 1)
    >>> lab.mask = "none"
    >>> lab.distance < 1e-12
    True
    >>> PromptOrderLab("A B C", "A B B")
    Traceback (most recent call last):
    ...
    inorder.widgets.kit.state.InvalidState: both prompts must be made of the same tokens, got A B C and A B B
    """

    folder = Path(__file__).parent
    templates = words.TEMPLATES

    title = traitlets.Unicode("Two prompts, the same tokens: can the next token tell?").tag(sync=True)
    transformer = traitlets.Dict(read_only=True).tag(sync=True)
    in_python = traitlets.Dict(read_only=True).tag(sync=True)  # with a scheme of the reader's own: see kit/in_python.js
    vocabulary = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    first_order = permutation(of="first_order")
    second_order = permutation(of="first_order")
    depth = integer(1, low=1)
    mask = choice("causal", MASKS)
    n_prefix = integer(2, low=1)
    position = choice("none", ["none"])
    head = integer(0, low=0)

    def __init__(
        self,
        first: Any = None,
        second: Any = None,
        model: Model | tuple[TransformerParameters, TransformerConfig] | None = None,
        *,
        vocabulary: Any = None,
        clean: bool = True,
        seed: int = SEED,
        position: str | None = None,
        schemes: dict[str, PositionScheme] | None = None,
        **state: Any,
    ) -> None:
        prompt = take_tokens(LETTERS[:3] if first is None else first)
        names = name_rows(prompt, vocabulary, None if model is None else as_model(model).config.vocabulary_size)
        tokens = as_names(prompt, names)
        self._vocabulary, self._tokens = names, tokens
        fresh = partial(default_model, len(names), seed)
        self._model = take_model(model, fresh, schemes, n_positions=len(tokens))
        check_tokens(tokens, names, self._model.config)
        if (most := most_positions(self._model.config.scheme, self._model.config)) < len(tokens):
            raise InvalidState(f"the model's position scheme has {most} positions, got {len(tokens)} tokens")
        config = self._model.config
        limits: dict[str, dict[str, Any]] = {
            "depth": {"high": config.n_layers},
            "n_prefix": {"high": len(tokens)},
            "position": {"options": list(self._model.schemes)},
            "head": {"high": config.n_heads - 1},
        }
        super().__init__(
            limits=limits,
            first_order=list(range(len(tokens))),
            second_order=swap(tokens, clean=clean)
            if second is None
            else order_of(as_names(take_tokens(second), names), tokens),
            position=self._model.own if position is None else position,
            **state,
        )
        self.observe(lambda _: self.set_trait("in_python", self._computed()), self.state_names)

    @traitlets.default("in_python")
    def _computed(self) -> dict[str, Any]:
        """What the browser cannot compute: the settings, and for each prompt what the layers and the last row hold."""
        if in_browser(self._model.schemes[self.position]):
            return {}
        names = ("first_order", "second_order", "position", "mask", "n_prefix", "depth")
        reads = [
            {
                "layers": [
                    {
                        name: part.tolist()
                        for name, part in zip(("query", "key", "value", "weights"), parts, strict=True)
                    }
                    for parts in ((s.query, s.cache.key, s.cache.value, s.weights) for s in states)
                ],
                "logits": unembed(hidden, self.parameters)[-1:].tolist(),
            }
            for states, hidden in map(self._pass, self._ids())
        ]
        return {"asked": [getattr(self, name) for name in names], "read": reads}

    @traitlets.default("transformer")
    def _given_transformer(self) -> dict[str, Any]:
        return self._model.state

    @traitlets.default("vocabulary")
    def _given_vocabulary(self) -> list[str]:
        return self._vocabulary

    @traitlets.default("tokens")
    def _given_tokens(self) -> list[str]:
        return self._tokens

    def check_together(self, state: dict[str, Any]) -> None:
        n = len(self.tokens)
        for name in ("first_order", "second_order"):
            if len(state[name]) != n:
                raise InvalidState(f"{name} must hold each of 0 … {n - 1} once, got {state[name]}")
        super().check_together(state)

    # the model as it is switched now, and what it computes

    @property
    def config(self) -> TransformerConfig:
        """The configuration with the reader's depth and position scheme."""
        return self._model.with_scheme(self.position, depth=self.depth)[0]

    @property
    def parameters(self) -> TransformerParameters:
        """The parameters that belong to `config`."""
        return self._model.with_scheme(self.position, depth=self.depth)[1]

    @property
    def prompts(self) -> tuple[list[str], list[str]]:
        """The tokens of the first prompt, and of the second."""
        return [self.tokens[i] for i in self.first_order], [self.tokens[i] for i in self.second_order]

    def _ids(self) -> list[np.ndarray]:
        return [np.array([self.vocabulary.index(token) for token in prompt]) for prompt in self.prompts]

    def _allowed(self) -> np.ndarray:
        n = len(self.tokens)
        return prefix_mask(n, {"causal": 0, "prefix": self.n_prefix, "none": n}[self.mask])

    @property
    def distributions(self) -> np.ndarray:
        """softmax of the last row of logits, (prompt, vocabulary)."""
        return np.array([softmax(unembed(self._pass(ids)[1], self.parameters)[-1]) for ids in self._ids()])

    def _pass(self, ids: np.ndarray) -> tuple[list[Any], np.ndarray]:
        """The state of every layer for a prompt, and the rows that leave the last one."""
        options: dict[str, Any] = {"positions": np.arange(len(self.tokens)), "mask": self._allowed()}
        states = list(layer_states(ids, self.parameters, self.config, **options))
        return states, encode(ids, self.parameters, self.config, **options)

    @property
    def distance(self) -> float:
        """The total variation distance of the two distributions, ½ Σ |p − q|: from 0 to 1."""
        one, other = self.distributions
        return float(abs(one - other).sum() / 2)

    @property
    def next_tokens(self) -> list[str]:
        """The most likely next token after each prompt."""
        return [self.vocabulary[i] for i in self.distributions.argmax(axis=1)]

    @property
    def readings(self) -> list[list[Reading]]:
        """For each prompt, for each layer: what the last query finds."""
        readings = []
        for ids in self._ids():
            states, _ = self._pass(ids)
            readings.append([last_reading(s.query, s.cache.key, s.cache.value, s.weights) for s in states])
        return readings

    @property
    def comparisons(self) -> list[Comparison]:
        """For each layer: by how much the two prompts differ there."""
        return [
            compare(self.prompts, [self._seen(prompt, layer) for prompt in range(2)], *pair)
            for layer, pair in enumerate(zip(*self.readings, strict=True))
        ]

    @property
    def parted_at(self) -> int | None:
        """The first layer, counted from 0, in which the last query finds anything that differs; None if none does."""
        return next((layer for layer, comparison in enumerate(self.comparisons) if comparison.differing()), None)

    def _seen(self, prompt: int, layer: int) -> list[list[str]]:
        """For each place, the tokens that its row has gathered before this layer, in the order of the vocabulary."""
        tokens, n = self.prompts[prompt], len(self.tokens)
        allowed = np.eye(n, dtype=bool) if layer == 0 else self._allowed()
        return [sorted((tokens[j] for j in np.flatnonzero(row)), key=self.vocabulary.index) for row in allowed]

    # in words

    def summary(self) -> str:
        return words.reason(self, self._model.label(self.position))

    def note(self) -> str:
        return words.verdict(self)

    def layer_words(self, layer: int) -> str:
        """What is said of a layer, counted from 0."""
        return words.layer_words(self, layer)

    def alt_text(self) -> str:
        first, second = (" ".join(prompt) for prompt in self.prompts)
        return (
            f"The prompts “{first}” and “{second}”, a thread between each token’s two places. Below, signs, = or ≠, "
            f"for the query, {self.depth} layers and the next token. Beside them the two distributions of the next "
            f"token as paired bars. {self.summary()} {self.note()}"
        )

    def figure(self) -> Figure:
        first, second = self.prompts
        order = [self.first_order.index(token) for token in self.second_order]
        differs = {"whose query": first[-1] != second[-1]}
        differs |= {f"layer {layer}": bool(one.differing()) for layer, one in enumerate(self.comparisons)}
        differs |= {"next token": self.distance > ROUNDING}
        signs = table({"": ["≠" if one else "=" for one in differs.values()]}, list(differs))
        likeliest = sorted(np.argsort(-self.distributions.max(axis=0), kind="stable")[:MOST_BARS_IN_STILL].tolist())
        probabilities = dict(zip(("first", "second"), self.distributions[:, likeliest], strict=True))
        tokens = [self.vocabulary[row] for row in likeliest]
        largest = float(self.distributions.max())
        return still(self, crossing(first, second, order), signs, bars(probabilities, tokens, limits=(0, largest)))
