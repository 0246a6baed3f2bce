"""PromptOrderLab: two prompts made of the same tokens, what the last query finds in each layer, and what comes next."""

from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from inorder.attention import softmax
from inorder.transformer import (
    PositionScheme,
    TransformerConfig,
    TransformerParameters,
    encode,
    init_parameters,
    layer_states,
    map_parameters,
    prefix_mask,
    unembed,
)
from inorder.widgets.base import (
    NEGATIVE,
    POSITIVE,
    ROUNDING,
    WEIGHT,
    InteractiveFigure,
    InvalidState,
    blend,
    compose_module,
    compose_style,
    format_difference,
    format_number,
)
from inorder.widgets.model_state import model_state, scheme_choices
from inorder.widgets.permutation_playground import MASKS, SCHEMES, as_float64, fits, most_positions

LETTERS = ["A", "B", "C", "D", "E", "F"]  # the vocabulary, unless a token is none of them
FEWEST_TOKENS, MOST_TOKENS, LONGEST_TOKEN = 2, 8, 20
MOST_SHOWN = 8  # tokens of a larger vocabulary that get a bar: the most likely ones
SEED = 191  # the swap of A and B changes the most likely next token at two causal layers, and every scheme shows
ROWS = {"seen": "has seen", "query": "query", "key": "keys", "weights": "weights", "value": "values", "sum": "sum"}


class Reading(NamedTuple):
    """What the last query of a prompt finds in one layer."""

    query: np.ndarray  # (head, d_head), like sum
    key: np.ndarray  # (head, key, d_head), like value
    value: np.ndarray
    weights: np.ndarray  # (head, key)
    sum: np.ndarray  # weights times values


class Comparison(NamedTuple):
    """By how much one layer differs between the prompts, over all heads.

    A change is max|Δ|, divided by the largest entry compared if that is above 1.
    """

    partner: list[int]  # for each place of the second prompt, the place of its token in the first
    seen: np.ndarray  # (key,): 1 where the token has seen other tokens than its partner, else 0
    query: float
    key: np.ndarray  # (key,), in the order of the second prompt, like weights and value
    weights: np.ndarray
    value: np.ndarray
    sum: float

    @property
    def change(self) -> float:
        """The largest change of query, keys, weights, values and their weighted sum."""
        return float(max(self.query, self.key.max(), self.weights.max(), self.value.max(), self.sum))

    def differing(self) -> list[str]:
        """Which of query, keys, weights and values differ by more than rounding."""
        parts: dict[str, Any] = {"query": self.query, "keys": self.key, "weights": self.weights, "values": self.value}
        return [name for name, change in parts.items() if np.max(change) > ROUNDING]


class PromptOrderLab(InteractiveFigure):
    """Two prompts made of the same tokens, one generated token each: does the model notice the order, and where?

    The reader orders both prompts. Layer by layer the figure shows what the last query finds (the last prompt token's
    query writes the next token): the keys, the weights it gives them, the values, and which of these differ between
    the prompts; then the two distributions of the next token and their total variation distance. In Python,
    ``distributions``, ``distance``, ``readings``, ``comparisons`` and ``parted_at`` are computed by
    `inorder.transformer` for the state as it is.

    Args:
        first: 2 to 8 tokens of up to 20 characters, or one string to be cut at its spaces; or whole numbers, the rows
            of the model's embedding. By default A B C.
        second: the same tokens in another order. By default the first prompt with two tokens exchanged: if ``clean``,
            the first two that differ, and never the last one, so that the same token asks in both prompts (A B C and
            B A C); else the last two that differ, so that another token asks (A B C and A C B).
        config, parameters: the model, both or neither; NumPy or torch. By default a small one with random weights.
        vocabulary: the names of the rows of the embedding, one string or a list. By default A to F; or else the tokens
            of the prompts in the order in which they appear, and further rows by number.
        clean: see ``second``.
        seed: of the random weights; their numbers are written with two decimals, because a page carries them.
        depth: how many of the model's blocks to use.
        mask: "causal", "prefix" (the first ``n_prefix`` places see each other both ways) or "none".
        position: a name in ``schemes``; by default the model's own, which replaces the one of its kind there. Tables
            of the others are freshly drawn.
        head: whose vectors and weights are shown, counted from 1. The comparisons are over all heads.
        schemes: {name: `PositionScheme`} to choose from.

    Later, ``first_order`` and ``second_order`` hold the two orders, as places in the prompt ``first``.

    Raises:
        ValueError: a value that the figure cannot show, prompts of different tokens, or a model that the browser
            cannot run (see `inorder.widgets.model_state`); the message names it.

    >>> lab = PromptOrderLab("A B C", "B A C")
    >>> lab.distance < 1e-12  # one causal layer
    True
    >>> lab.depth = 2
    >>> round(lab.distance, 2), lab.parted_at
    (0.26, 2)
    >>> lab.mask = "none"
    >>> lab.distance < 1e-12
    True
    >>> PromptOrderLab("A B C", "A B B")
    Traceback (most recent call last):
    ...
    inorder.widgets.base.InvalidState: both prompts must be made of the same tokens, got A B C and A B B
    """

    _esm = compose_module("prompt_order_lab.js")
    _css = compose_style("prompt_order_lab.css")

    state_names: ClassVar[tuple[str, ...]] = (
        *("first_order", "second_order", "depth", "mask", "n_prefix", "position", "head"),
    )

    title = traitlets.Unicode("Two prompts, the same tokens: does the next token know?").tag(sync=True)
    transformer = traitlets.Dict(read_only=True).tag(sync=True)
    vocabulary = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    first_order = traitlets.List(traitlets.Int()).tag(sync=True)
    second_order = traitlets.List(traitlets.Int()).tag(sync=True)
    depth = traitlets.Int(1).tag(sync=True)
    mask = traitlets.Unicode("causal").tag(sync=True)
    n_prefix = traitlets.Int(2).tag(sync=True)
    position = traitlets.Unicode("none").tag(sync=True)
    head = traitlets.Int(1).tag(sync=True)

    def __init__(
        self,
        first: Any = None,
        second: Any = None,
        config: TransformerConfig | None = None,
        parameters: TransformerParameters | None = None,
        *,
        vocabulary: Any = None,
        clean: bool = True,
        seed: int = SEED,
        depth: int = 1,
        mask: str = "causal",
        n_prefix: int = 2,
        position: str | None = None,
        head: int = 1,
        schemes: dict[str, PositionScheme] | None = None,
        **options: Any,
    ) -> None:
        if (config is None) != (parameters is None):
            raise InvalidState("config and parameters must come together, got one without the other")
        tokens = as_tokens(LETTERS[:3] if first is None else first)
        names = name_rows(tokens, vocabulary, config.vocabulary_size if config else None)
        if config is None or parameters is None:
            config, parameters = default_model(len(names), seed)
        check_tokens(tokens, names, config)
        self._config, self._parameters = config, map_parameters(as_float64, parameters)
        self._vocabulary, self._tokens = names, tokens
        given = SCHEMES if schemes is None else schemes
        own = next((name for name, scheme in given.items() if type(scheme) is type(config.scheme)), "own")
        self._schemes = {
            name: scheme
            for name, scheme in given.items()
            if fits(scheme, config) and most_positions(scheme) >= len(tokens)
        } | {own: config.scheme}
        if most_positions(config.scheme) < len(tokens):
            raise InvalidState(
                f"the model's position scheme has {most_positions(config.scheme)} places, got {len(tokens)} tokens"
            )
        choices = scheme_choices(config, parameters, self._schemes)
        self._tables = {
            name: {table: np.array(rows) for table, rows in choice["tables"].items()}
            for name, choice in choices.items()
        }
        self._transformer = model_state(config, parameters) | {"schemes": choices}
        super().__init__(
            first_order=list(range(len(tokens))),
            second_order=exchange(tokens, clean=clean) if second is None else order_of(as_tokens(second), tokens),
            depth=depth,
            mask=mask,
            n_prefix=n_prefix,
            position=own if position is None else position,
            head=head,
            **options,
        )

    @traitlets.default("transformer")
    def _given_transformer(self) -> dict[str, Any]:
        return self._transformer

    @traitlets.default("vocabulary")
    def _given_vocabulary(self) -> list[str]:
        return self._vocabulary

    @traitlets.default("tokens")
    def _given_tokens(self) -> list[str]:
        return self._tokens

    @traitlets.validate("first_order", "second_order", "depth", "mask", "n_prefix", "position", "head")
    def _check(self, proposal: Any) -> Any:
        name, value, n = proposal.trait.name, proposal.value, len(self.tokens)
        most = {"depth": self._config.n_layers, "n_prefix": n, "head": self._config.n_heads}
        names = {"mask": list(MASKS), "position": list(self._schemes)}
        if name in names and value not in names[name]:
            raise InvalidState(f"{name} must be one of {', '.join(names[name])}, got {value!r}")
        if name in most and not 1 <= value <= most[name]:
            raise InvalidState(f"{name} must be from 1 to {most[name]}, got {value}")
        if name.endswith("order") and sorted(value) != list(range(n)):
            raise InvalidState(f"{name} must hold each of 0 … {n - 1} once, got {value}")
        return value

    # the model as it is switched now, and what it computes

    @property
    def config(self) -> TransformerConfig:
        """The configuration with the reader's depth and position scheme."""
        return replace(self._config, n_layers=self.depth, position=self._schemes[self.position])

    @property
    def parameters(self) -> TransformerParameters:
        """The parameters that belong to `config`."""
        blocks = self._parameters.blocks[: self.depth]
        return self._parameters._replace(blocks=blocks, position=self._tables[self.position])

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
        positions, mask = np.arange(len(self.tokens)), self._allowed()
        hidden = [encode(ids, self.parameters, self.config, positions=positions, mask=mask) for ids in self._ids()]
        return np.array([softmax(unembed(rows, self.parameters)[-1]) for rows in hidden])

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
        positions, mask = np.arange(len(self.tokens)), self._allowed()
        found = []
        for ids in self._ids():
            states = layer_states(ids, self.parameters, self.config, positions=positions, mask=mask)
            found.append([last_reading(s.query, s.rows.key, s.rows.value, s.weights) for s in states])
        return found

    @property
    def comparisons(self) -> list[Comparison]:
        """For each layer: by how much the two prompts differ there."""
        return [self._compare(layer, *pair) for layer, pair in enumerate(zip(*self.readings, strict=True))]

    @property
    def parted_at(self) -> int | None:
        """The first layer, counted from 1, in which the last query finds anything that differs; None if none does."""
        return next((layer for layer, found in enumerate(self.comparisons, 1) if found.differing()), None)

    def _seen(self, prompt: int, layer: int) -> list[list[str]]:
        """For each place, the tokens that its row has gathered before this layer, in the order of the vocabulary."""
        tokens, n = self.prompts[prompt], len(self.tokens)
        allowed = np.eye(n, dtype=bool) if layer == 0 else self._allowed()
        return [sorted((tokens[j] for j in np.flatnonzero(row)), key=self.vocabulary.index) for row in allowed]

    def _compare(self, layer: int, one: Reading, other: Reading) -> Comparison:
        partner = partners(*self.prompts, *(np.concatenate([r.key, r.value], axis=-1) for r in (one, other)))
        seen = [self._seen(prompt, layer) for prompt in range(2)]
        return Comparison(
            partner=partner,
            seen=np.array([float(seen[0][i] != seen[1][j]) for j, i in enumerate(partner)]),
            query=float(change(one.query, other.query).max()),
            key=change(one.key[:, partner], other.key).max(axis=(0, 2)),
            weights=change(one.weights[:, partner], other.weights).max(axis=0),
            value=change(one.value[:, partner], other.value).max(axis=(0, 2)),
            sum=float(change(one.sum, other.sum).max()),
        )

    # in words

    def verdict(self) -> str:
        """Equal, equal to rounding, or different: the distributions, and their distance."""
        distance = self.distance
        words = "Equal" if distance == 0 else "Equal to rounding" if distance <= ROUNDING else "Different"
        number = "0, exactly" if distance == 0 else format_difference(distance)
        return f"{words}: total variation distance ½ Σ |p − q| = {number}"

    def summary(self) -> str:
        first, second = self.prompts
        one, other = self.next_tokens
        mask = {"causal": "causal mask", "prefix": f"prefix mask over {self.n_prefix}", "none": "no mask"}[self.mask]
        positions = "no positions" if self.position == "none" else f"{self.position} positions"
        setting = f"{self.depth} {'layer' if self.depth == 1 else 'layers'}, {mask}, {positions}"
        if first == second:
            return f"{setting}. Both prompts read “{' '.join(first)}”: move a token. Next token: “{one}”."
        distance = self.distance
        told = f"different (total variation distance {format_difference(distance)})"
        told = told if distance > ROUNDING else "equal up to rounding"
        after = f"“{one}” after the first prompt, “{other}” after the second"
        after = f"after both: “{one}”" if one == other else after
        return (
            f"{setting}. “{' '.join(first)}” against “{' '.join(second)}”: the next-token distributions are {told}. "
            f"{self.reason()} Next token {after}."
        )

    def reason(self) -> str:
        """Why the two prompts are told apart, or why not."""
        first, second = self.prompts
        parted = self.parted_at
        asks = f"“{first[-1]}” asks in both"
        if parted is None:
            where = "" if self.depth == 1 else " in every layer"
            return f"{asks} and finds{where} the same keys and values in another order: a sum has no order."
        if self.distance <= ROUNDING:
            return f"The prompts part in layer {parted}, but the outputs do not show it."
        if first[-1] != second[-1]:
            return f"“{first[-1]}” asks in the first and “{second[-1]}” in the second: another query."
        found = self.comparisons[parted - 1]
        if parted == 1:
            return f"{asks}, but {self.position} positions make the {listed(found.differing())} differ in layer 1."
        changed = [second[j] for j in np.flatnonzero(np.maximum(found.key, found.value) > ROUNDING)]
        names = listed([f"“{token}”" for token in self.vocabulary if token in changed])
        why = f"the {self.mask} mask let {names} see different tokens"
        why = why if self.position == "none" else f"the order has changed {names}"
        return f"{asks} and finds the same set up to layer {parted - 1}; but there {why}, and layer {parted} finds out."

    def layer_words(self, layer: int) -> str:
        """What stands beside the name of a layer, counted from 0."""
        first, second = self.prompts
        found = self.comparisons[layer]
        if not found.differing():
            return "the same in both prompts" if first == second else "the same set in another order"
        here = "here the prompts part: " if layer + 1 == self.parted_at else ""
        return f"{here}{listed(found.differing())} differ{'s' if found.differing() == ['query'] else ''}"

    def alt_text(self) -> str:
        first, second = (" ".join(prompt) for prompt in self.prompts)
        return (
            f"Two prompts side by side, “{first}” and “{second}”. Below, layers 1 to {self.depth}: a column a token, "
            f"which tokens it has seen, its key, the weight that the last query gives it as a bar, and its value, all "
            f"of head {self.head}; between the prompts, = or ≠ for each of these. At the bottom the two distributions "
            f"of the next token, as bars back to back. {self.summary()}"
        )

    def figure(self) -> Figure:
        return draw_twin(self)


# What the constructor takes


def as_tokens(prompt: Any) -> list[str]:
    """A prompt as a list of strings; numbers, too, become names."""
    return prompt.split() if isinstance(prompt, str) else [str(token) for token in prompt]


def name_rows(tokens: list[str], vocabulary: Any, size: int | None) -> list[str]:
    """A name for each row of the embedding, of which the reader's own model has ``size``."""
    if vocabulary is not None:
        return as_tokens(vocabulary)
    distinct = list(dict.fromkeys(tokens))
    if size is None:
        return LETTERS if set(distinct) <= set(LETTERS) else distinct
    if all(token.isdecimal() for token in distinct):
        return [str(row) for row in range(size)]
    return distinct + [f"#{row}" for row in range(len(distinct), size)]


def check_tokens(tokens: list[str], names: list[str], config: TransformerConfig) -> None:
    if not FEWEST_TOKENS <= len(tokens) <= MOST_TOKENS:
        raise InvalidState(f"a prompt must have {FEWEST_TOKENS} to {MOST_TOKENS} tokens, got {len(tokens)}")
    if longest := [name for name in names if not 1 <= len(name) <= LONGEST_TOKEN]:
        raise InvalidState(f"a token must have 1 to {LONGEST_TOKEN} characters, got {longest[0]!r}")
    if len(set(names)) != len(names) or len(names) != config.vocabulary_size:
        raise InvalidState(f"vocabulary must be {config.vocabulary_size} different names, got {', '.join(names)}")
    if unknown := [token for token in tokens if token not in names]:
        raise InvalidState(f"the tokens must be of the vocabulary {', '.join(names)}, got {unknown[0]!r}")
    if config.n_outputs not in (None, config.vocabulary_size):
        raise InvalidState(f"n_outputs must be vocabulary_size = {config.vocabulary_size}, got {config.n_outputs}")


def exchange(tokens: list[str], *, clean: bool) -> list[int]:
    """The order in which two different tokens change places: the first two, never the last; or else the last two.

    >>> exchange(["A", "B", "C"], clean=True), exchange(["A", "B", "C"], clean=False)
    ([1, 0, 2], [0, 2, 1])
    """
    n = len(tokens)
    start, others = (0, range(1, n - 1)) if clean else (n - 1, range(n - 2, -1, -1))
    for other in others:
        if tokens[other] != tokens[start]:
            order = list(range(n))
            order[start], order[other] = other, start
            return order
    if clean:
        raise InvalidState(f"a clean pair needs two different tokens before the last one, got {' '.join(tokens)}")
    raise InvalidState(f"a second prompt needs two different tokens, got {' '.join(tokens)}")


def order_of(prompt: list[str], tokens: list[str]) -> list[int]:
    """The places in ``tokens`` that make up the prompt; of equal tokens, the first comes first.

    >>> order_of(["B", "A", "A"], ["A", "A", "B"])
    [2, 0, 1]
    """
    if sorted(prompt) != sorted(tokens):
        raise InvalidState(
            f"both prompts must be made of the same tokens, got {' '.join(tokens)} and {' '.join(prompt)}"
        )
    places = {token: [i for i, other in enumerate(tokens) if other == token] for token in tokens}
    return [places[token].pop(0) for token in prompt]


def default_model(vocabulary_size: int, seed: int) -> tuple[TransformerConfig, TransformerParameters]:
    """Four blocks with random weights."""
    config = TransformerConfig(
        vocabulary_size=vocabulary_size, d_model=8, n_heads=2, d_ff=16, n_layers=4, linear_biases=False
    )
    return config, map_parameters(lambda w: w.round(2), init_parameters(config, np.random.default_rng(seed)))


# What is compared


def last_reading(query: np.ndarray, key: np.ndarray, value: np.ndarray, weights: np.ndarray) -> Reading:
    last = weights[:, -1]  # (head, key)
    return Reading(query[:, -1], key, value, last, (last[:, None] @ value)[:, 0])


def change(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """|one − other|, divided by the largest entry of both if that is above 1."""
    return abs(one - other) / max(1.0, abs(one).max(), abs(other).max())


def partners(first: list[str], second: list[str], one: np.ndarray, other: np.ndarray) -> list[int]:
    """For each place of the second prompt the place of the same token in the first; of equal tokens, the nearest rows.

    one, other: (head, key, d), the keys and values of the two prompts.
    """
    places = [(i, j) for i, token in enumerate(first) for j, same in enumerate(second) if token == same]
    found: dict[int, int] = {}
    for i, j in sorted(places, key=lambda pair: float(abs(one[:, pair[0]] - other[:, pair[1]]).max())):
        if i not in found.values() and j not in found:
            found[j] = i
    return [found[j] for j in range(len(second))]


def listed(words: list[str]) -> str:
    """
    >>> listed(["query", "keys", "values"])
    'query, keys and values'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


# The static twin. One unit is a tenth of an inch; y runs downwards.

SIDE, GUTTER = 31.0, 11.0  # the room for the columns of a prompt, and for the names between the two
HEIGHTS = {"seen": 0.8, "query": 1.4, "key": 1.4, "weights": 6, "token": 1.4, "number": 1.2, "value": 1.4, "sum": 1.4}
GAP = 0.6
LAYER = 4.2 + sum(HEIGHTS.values()) + GAP * len(HEIGHTS)  # its height, with the heading
TINTS = ["#b84a5f", "#332288", "#8f7700", "#117733", "#2a86b8", "#882255", "#268577", "#aa4499"]  # as in the JavaScript
GHOST: dict[str, Any] = {"fill": False, "edgecolor": "black", "linestyle": (0, (3, 2)), "lw": 0.8}
MIDDLE: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False}


def draw_twin(lab: PromptOrderLab) -> Figure:
    """The state of the lab, drawn by matplotlib."""
    shown = likely(lab.distributions)
    width, height = 2 * SIDE + GUTTER, 14.5 + LAYER * lab.depth + 2.4 * len(shown)
    figure = Figure(figsize=(width / 10, height / 10), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    for prompt in range(2):
        draw_prompt(axes, lab, prompt)
    axes.text(width / 2, 3, "against", size=8, color="0.35", **MIDDLE)
    axes.text(0.5, 8.2, lab.verdict(), size=9.5, weight="bold", va="center", parse_math=False)
    for layer in range(lab.depth):
        draw_layer(axes, lab, layer, 10 + LAYER * layer)
    draw_distributions(axes, lab, shown, 10 + LAYER * lab.depth)
    return figure


def columns(prompt: int, n: int) -> tuple[float, float]:
    """The left edge of the first column, and the width of a column."""
    width = min(7.0, (SIDE - 7) / n)
    return prompt * (SIDE + GUTTER) + (SIDE - 7 - n * width) / 2 + 0.5, width


def tint(lab: PromptOrderLab, token: str) -> str:
    return TINTS[sorted(set(lab.tokens), key=lab.vocabulary.index).index(token)]


def write_token(axes: Axes, x: float, y: float, token: str, width: float, **look: Any) -> None:
    """The token in the middle of its column, shortened to what fits."""
    size = 8.5 if width > 4.3 else 6.5
    most = int(18 * width / size)
    axes.text(x, y, token if len(token) <= most else token[: most - 1] + "…", size=size, **look, **MIDDLE)


def draw_prompt(axes: Axes, lab: PromptOrderLab, prompt: int) -> None:
    left, width = columns(prompt, len(lab.tokens))
    for token in lab.prompts[prompt]:
        axes.add_patch(Rectangle((left + 0.2, 1.5), width - 0.4, 3, facecolor=tint(lab, token)))
        write_token(axes, left + width / 2, 3.0, token, width, color="white", weight="bold")
        left += width
    axes.text(left - width / 2, 5.4, "its query asks", size=7, **MIDDLE)
    axes.text(left + 0.9, 3, "→", size=10, **MIDDLE)
    axes.add_patch(Rectangle((left + 1.8, 1.5), 4.4, 3, **GHOST))
    write_token(axes, left + 4, 3.0, lab.next_tokens[prompt], 4.4, weight="bold")


def draw_layer(axes: Axes, lab: PromptOrderLab, layer: int, top: float) -> None:
    found, right = lab.comparisons[layer], 2 * SIDE + GUTTER - 0.5
    axes.plot([0.5, right], [top, top], color="0.8", lw=0.6)
    words: dict[str, Any] = {"va": "center", "parse_math": False}
    axes.text(0.5, top + 1.6, f"Layer {layer + 1}", size=8.5, weight="bold", **words)
    colour = NEGATIVE if found.differing() else "0.3"
    axes.text(6.5, top + 1.6, lab.layer_words(layer), size=8.5, color=colour, **words)
    number = f"largest difference {format_difference(found.change)}"
    axes.text(right, top + 1.6, number, size=7.5, color="0.35", ha="right", **words)

    tops, y = {}, top + 3.4
    for name, height in HEIGHTS.items():
        tops[name] = y
        y += height + GAP
    middle = SIDE + GUTTER / 2 - 3.5  # of the room between the columns
    for name, text in ROWS.items():
        equal, y = np.max(getattr(found, name)) <= ROUNDING, tops[name] + HEIGHTS[name] / 2
        axes.text(middle + 1.4, y, text, size=7, color="0.35", ha="right", **words)
        sign, colour = ("=", "0.2") if equal else ("≠", NEGATIVE)
        axes.text(middle + 2.1, y, sign, size=9, weight="bold", color=colour, **words)
    for prompt in range(2):
        draw_columns(axes, lab, layer, prompt, found, tops)


def draw_columns(
    axes: Axes, lab: PromptOrderLab, layer: int, prompt: int, found: Comparison, tops: dict[str, float]
) -> None:
    n, head = len(lab.tokens), lab.head - 1
    pair = [readings[layer] for readings in lab.readings]
    reading, others = pair[prompt], pair[1 - prompt].weights[head]
    vectors = [part[head] for r in pair for part in (r.query, r.key, r.value, r.sum)]
    largest, strongest = max(abs(vector).max() for vector in vectors), max(r.weights[head].max() for r in pair)
    partner = found.partner if prompt else np.argsort(found.partner)
    seen, (left, width) = lab._seen(prompt, layer), columns(prompt, n)
    foot, unit = tops["weights"] + HEIGHTS["weights"], HEIGHTS["weights"] / strongest
    for place, token in enumerate(lab.prompts[prompt]):
        at, wide = left + place * width + 0.3, width - 0.6
        in_second = place if prompt else partner[place]
        strip(axes, at, tops["seen"], wide, HEIGHTS["seen"], pips(lab, seen[place]), differs=False)
        row = {"key": reading.key[head, place], "value": reading.value[head, place]}
        if place == n - 1:
            row |= {"query": reading.query[head], "sum": reading.sum[head]}
        for name, vector in row.items():
            colours = [blend(POSITIVE if x > 0 else NEGATIVE, 0.8 * abs(x) / largest)[0] for x in vector]
            amount = getattr(found, name) if name in ("query", "sum") else getattr(found, name)[in_second]
            strip(axes, at, tops[name], wide, HEIGHTS[name], colours, differs=bool(amount > ROUNDING))
        weight, other = reading.weights[head, place], others[partner[place]]
        fill = blend(tint(lab, token), 0.75)[0]
        axes.add_patch(Rectangle((at, foot - unit * weight), wide, unit * weight, facecolor=fill))
        axes.add_patch(Rectangle((at, foot - unit * other), wide, unit * other, **GHOST))
        write_token(axes, at + wide / 2, tops["token"] + 0.6, token, width, weight="bold")
        axes.text(at + wide / 2, tops["number"] + 0.5, format_number(weight), size=7, **MIDDLE)


def pips(lab: PromptOrderLab, seen: list[str]) -> list[Any]:
    """A colour for each token of the prompt in the order of the vocabulary: its own if it was seen, else grey."""
    left, colours = list(seen), []
    for token in sorted(lab.tokens, key=lab.vocabulary.index):
        colours.append(tint(lab, token) if token in left else "0.88")
        if token in left:
            left.remove(token)
    return colours


def strip(
    axes: Axes, left: float, top: float, width: float, height: float, colours: list[Any], *, differs: bool
) -> None:
    cell = width / len(colours)
    for i, colour in enumerate(colours):
        axes.add_patch(Rectangle((left + i * cell, top), cell, height, facecolor=colour, edgecolor="white", lw=0.4))
    colour, pen = (NEGATIVE, 1.6) if differs else ("0.7", 0.5)
    axes.add_patch(Rectangle((left, top), width, height, fill=False, edgecolor=colour, lw=pen))


def likely(distributions: np.ndarray) -> list[int]:
    """The rows of the vocabulary that get a bar: the most likely after either prompt, in the vocabulary's order."""
    most = np.argsort(-distributions.max(axis=0), kind="stable")[:MOST_SHOWN]
    return sorted(int(row) for row in most)


def draw_distributions(axes: Axes, lab: PromptOrderLab, shown: list[int], top: float) -> None:
    distributions = lab.distributions
    middle, n = SIDE + GUTTER / 2, distributions.shape[1]
    axes.plot([0.5, 2 * middle - 0.5], [top, top], color="0.8", lw=0.6)
    name = "Next token" if len(shown) == n else f"Next token, the {len(shown)} most likely of {n}"
    axes.text(0.5, top + 1.6, name, size=8.5, weight="bold", va="center")
    scale, fill = (SIDE - 5) / distributions.max(), blend(WEIGHT, 0.75)[0]
    for line, row in enumerate(shown):
        y = top + 3.8 + 2.4 * line
        write_token(axes, middle, y, lab.vocabulary[row], GUTTER)
        for prompt, sign in enumerate((-1, 1)):
            p, q = distributions[prompt, row], distributions[1 - prompt, row]
            edge = middle + sign * (GUTTER / 2 + 4)
            axes.add_patch(Rectangle((edge, y - 0.8), sign * scale * p, 1.6, facecolor=fill))
            axes.add_patch(Rectangle((edge, y - 0.8), sign * scale * q, 1.6, **GHOST))
            weight = "bold" if row == distributions[prompt].argmax() else "normal"
            axes.text(edge - 2 * sign, y, format_number(p), size=7.5, weight=weight, **MIDDLE)
