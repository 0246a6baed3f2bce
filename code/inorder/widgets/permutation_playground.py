"""PermutationPlayground: drag tokens, and see the weights permute and the outputs travel with their tokens."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from inorder.attention import causal_mask
from inorder.symmetry import permute, permute_mask
from inorder.transformer import (
    T5,
    Alibi,
    Binary,
    Learned,
    PositionScheme,
    Rotary,
    Scalar,
    Shaw,
    Sinusoidal,
    TransformerConfig,
    TransformerParameters,
    encode,
    init_parameters,
    layer_states,
    map_parameters,
    prefix_mask,
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

TOKENS = ["the", "dog", "bites", "the", "old", "man"]
FEWEST_TOKENS, MOST_TOKENS, LONGEST_TOKEN = 3, 12, 20
MASKS = ("none", "causal", "prefix")

SCHEMES: dict[str, PositionScheme] = {
    "none": PositionScheme(),
    "sinusoidal": Sinusoidal(),
    "learned": Learned(length=MOST_TOKENS),
    "rotary": Rotary(),
    "ALiBi": Alibi(),
    "T5": T5(n_buckets=8, max_distance=MOST_TOKENS),
    "Shaw": Shaw(max_distance=4),
}


class PermutationPlayground(InteractiveFigure):
    """A sentence read by an encoder in the order given and in yours: do the outputs travel with their tokens?

    The reader drags the tokens. Three heat maps stand side by side: the weights A as given, the same with rows and
    columns moved (P A Pᵀ), and the weights computed anew for the moved tokens; below them the outputs f(X), P f(X) and
    f(PX), and the means that a pooled model would use. In Python, ``weights``, ``output``, ``error`` and the rest are
    computed by `inorder.transformer` for the state as it is.

    Args:
        tokens: 3 to 12 strings of up to 20 characters, or one string to be cut at its spaces. Tokens may repeat.
        config, parameters: the model, both or neither; NumPy or torch. By default a small one with random weights.
        ids: the row of the model's embedding for each token. By default equal strings are equal rows, 0, 1, 2, … in
            the order in which they first appear.
        order: the token at each place, as indices into ``tokens``. By default the second and the last change places.
        position: a name in ``schemes``; by default the model's own, which replaces the one of its kind there. Tables
            of the others are freshly drawn.
        mask: "none", "causal" or "prefix" (the first ``n_prefix`` places see each other both ways).
        mask_moves: compare with f(PX; PMPᵀ), in which the mask moves with the tokens, instead of f(PX; M)?
        depth: how many of the model's blocks to use.
        residual: keep the skip connections?
        layer, head: whose weights are shown, counted from 1; a layer beyond ``depth`` stands for the last one.
        schemes: {name: `PositionScheme`} to choose from.

    Raises:
        ValueError: a value that the figure cannot show, or a model that the browser cannot run (see
            `inorder.widgets.model_state`); the message names it. To change the number of tokens later, change
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
    inorder.widgets.base.InvalidState: order must hold each of 0 … 2 once, got [0, 1]
    """

    _esm = compose_module("permutation_playground.js")
    _css = compose_style("permutation_playground.css")

    state_names: ClassVar[tuple[str, ...]] = (
        "tokens",
        "ids",
        "order",
        "position",
        "mask",
        "n_prefix",
        "mask_moves",
        "depth",
        "residual",
        "layer",
        "head",
    )

    title = traitlets.Unicode("Shuffle the tokens: what follows them?").tag(sync=True)
    transformer = traitlets.Dict(read_only=True).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    ids = traitlets.List(traitlets.Int()).tag(sync=True)
    order = traitlets.List(traitlets.Int()).tag(sync=True)
    position = traitlets.Unicode("none").tag(sync=True)
    mask = traitlets.Unicode("none").tag(sync=True)
    n_prefix = traitlets.Int(2).tag(sync=True)
    mask_moves = traitlets.Bool(False).tag(sync=True)
    depth = traitlets.Int(2).tag(sync=True)
    residual = traitlets.Bool(True).tag(sync=True)
    layer = traitlets.Int(1).tag(sync=True)
    head = traitlets.Int(1).tag(sync=True)

    def __init__(
        self,
        tokens: Any = None,
        config: TransformerConfig | None = None,
        parameters: TransformerParameters | None = None,
        *,
        ids: Any = None,
        order: Any = None,
        position: str | None = None,
        mask: str = "none",
        n_prefix: int = 2,
        mask_moves: bool = False,
        depth: int | None = None,
        residual: bool = True,
        layer: int | None = None,
        head: int = 1,
        schemes: dict[str, PositionScheme] | None = None,
        **options: Any,
    ) -> None:
        if (config is None) != (parameters is None):
            raise InvalidState("config and parameters must come together, got one without the other")
        if config is None or parameters is None:
            config, parameters = default_model()
        given = SCHEMES if schemes is None else schemes
        own = next((name for name, scheme in given.items() if type(scheme) is type(config.scheme)), "own")
        self._schemes = {name: scheme for name, scheme in given.items() if fits(scheme, config)} | {own: config.scheme}
        choices = scheme_choices(config, parameters, self._schemes)
        state = model_state(config, parameters)
        self._config = config
        self._remembered: tuple[Any, list] = (None, [])
        self._parameters = map_parameters(as_float64, parameters)
        self._tables = {
            name: {table: np.array(rows) for table, rows in choice["tables"].items()}
            for name, choice in choices.items()
        }
        most_tokens = min(MOST_TOKENS, *map(most_positions, self._schemes.values()))
        self._transformer = state | {"schemes": choices, "most_tokens": most_tokens}

        tokens = TOKENS if tokens is None else tokens
        tokens = tokens.split() if isinstance(tokens, str) else list(tokens)
        distinct = list(dict.fromkeys(tokens))
        super().__init__(
            tokens=tokens,
            ids=[distinct.index(token) for token in tokens] if ids is None else [int(i) for i in ids],
            order=exchange(len(tokens)) if order is None else [int(token) for token in order],
            position=own if position is None else position,
            mask=mask,
            n_prefix=n_prefix,
            mask_moves=mask_moves,
            depth=min(2, config.n_layers) if depth is None else depth,
            residual=residual,
            layer=config.n_layers if layer is None else layer,
            head=head,
            **options,
        )

    @traitlets.default("transformer")
    def _given_model(self) -> dict[str, Any]:
        return self._transformer

    @traitlets.validate("tokens", "ids", "order", "position", "mask", "n_prefix", "depth", "layer", "head")
    def _check(self, proposal: Any) -> Any:
        state = {name: getattr(self, name) for name in self.state_names} | {proposal.trait.name: proposal.value}
        tokens, config, most = state["tokens"], self._config, self.transformer["most_tokens"]
        if not FEWEST_TOKENS <= len(tokens) <= most:
            raise InvalidState(f"tokens must be {FEWEST_TOKENS} to {most} strings, got {len(tokens)}")
        if longest := [token for token in tokens if len(token) > LONGEST_TOKEN]:
            raise InvalidState(f"a token may have up to {LONGEST_TOKEN} characters, got {longest[0]!r}")
        if len(state["ids"]) != len(tokens) or not all(0 <= i < config.vocabulary_size for i in state["ids"]):
            raise InvalidState(
                f"ids must be one whole number from 0 to {config.vocabulary_size - 1} for each of the {len(tokens)} "
                f"tokens, got {state['ids']}"
            )
        if sorted(state["order"]) != list(range(len(tokens))):
            raise InvalidState(f"order must hold each of 0 … {len(tokens) - 1} once, got {state['order']}")
        if state["position"] not in self._schemes:
            raise InvalidState(f"position must be one of {', '.join(self._schemes)}, got {state['position']!r}")
        if state["mask"] not in MASKS:
            raise InvalidState(f"mask must be one of {', '.join(MASKS)}, got {state['mask']!r}")
        largest = {"n_prefix": MOST_TOKENS, "depth": config.n_layers, "layer": config.n_layers, "head": config.n_heads}
        for name, most in largest.items():
            if not 1 <= state[name] <= most:
                raise InvalidState(f"{name} must be from 1 to {most}, got {state[name]}")
        return proposal.value

    # the model as it is switched now, and what it computes

    @property
    def config(self) -> TransformerConfig:
        """The configuration with the reader's depth, residual and position scheme."""
        residual = (self._config.residual or 1.0) if self.residual else 0.0
        scheme = self._schemes[self.position]
        return replace(self._config, n_layers=self.depth, residual=residual, position=scheme)

    @property
    def parameters(self) -> TransformerParameters:
        """The parameters that belong to `config`."""
        blocks = self._parameters.blocks[: self.depth]
        return self._parameters._replace(blocks=blocks, position=self._tables[self.position])

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
            given: dict[str, Any] = {"positions": np.arange(n), "mask": allowed}
            weights = [state.weights for state in layer_states(ids, self.parameters, self.config, **given)]
            passes.append((weights, encode(ids, self.parameters, self.config, **given)))
        self._remembered = asked, passes
        return passes

    def _weights(self) -> list[np.ndarray]:
        return [weights[min(self.layer, self.depth) - 1][self.head - 1].copy() for weights, _ in self._passes()]

    def _outputs(self) -> list[np.ndarray]:
        return [output.copy() for _, output in self._passes()]

    @property
    def weights(self) -> np.ndarray:
        """A of the layer and head shown, for the tokens as given, (query, key)."""
        return self._weights()[0]

    @property
    def moved_weights(self) -> np.ndarray:
        """P A Pᵀ, (query, key)."""
        return permute_mask(self.weights, np.array(self.order))

    @property
    def new_weights(self) -> np.ndarray:
        """The weights computed anew for the tokens as moved, (query, key)."""
        return self._weights()[1]

    @property
    def output(self) -> np.ndarray:
        """f(X), (n, d_model)."""
        return self._outputs()[0]

    @property
    def moved_output(self) -> np.ndarray:
        """P f(X), (n, d_model)."""
        return permute(self.output, np.array(self.order))

    @property
    def new_output(self) -> np.ndarray:
        """f(PX), (n, d_model)."""
        return self._outputs()[1]

    @property
    def pooled(self) -> np.ndarray:
        """The means of the rows of f(X) and of f(PX), (2, d_model)."""
        return np.array([output.mean(axis=0) for output in self._outputs()])

    @property
    def error(self) -> float:
        """max |f(PX) − P f(X)| / max |f(X)|, as in `inorder.symmetry.equivariance_error`."""
        return float(abs(self.new_output - self.moved_output).max() / abs(self.output).max())

    @property
    def pooled_error(self) -> float:
        """The same for the pooled outputs, which should not move at all."""
        given, moved = self.pooled
        return float(abs(moved - given).max() / abs(given).max())

    # in words

    def law(self) -> str:
        """What was compared, with = or ≠."""
        sign = "=" if self.error <= ROUNDING else "≠"
        if self.mask == "none":
            return f"f(PX) {sign} P f(X)"
        return f"f(PX; PMPᵀ) {sign} P f(X; M)" if self.mask_moves else f"f(PX; M) {sign} P f(X; M)"

    def happened(self) -> str:
        """What that means, in one sentence."""
        if self.order == sorted(self.order):
            return "Nothing has moved yet."
        if self.error > ROUNDING:
            reasons = [f"the positions ({self.position}) stay where they are"] if self.position != "none" else []
            if self.mask != "none" and not self.mask_moves:
                reasons.append(f"the {self.mask} mask stays where it is")
            return f"The model noticed: {', and '.join(reasons)}."
        pooled = "changed" if self.pooled_error > ROUNDING else "stayed"
        return f"Each output moved with its token, and their mean {pooled}."

    def summary(self) -> str:
        mask = f"prefix of {self.n_prefix}" if self.mask == "prefix" else self.mask
        mask += ", moved along" if self.mask != "none" and self.mask_moves else ""
        residual = "on" if self.residual else "off"
        size = f"an error of {format_difference(self.error)}" if self.error > ROUNDING else "no error but rounding"
        read = " ".join(self.tokens[token] for token in self.order)
        return (
            f"Positions: {self.position}; mask: {mask}; depth {self.depth}; residual {residual}. "
            f"“{' '.join(self.tokens)}” read as “{read}”: {self.law()}, with {size}. {self.happened()}"
        )

    def alt_text(self) -> str:
        n, d_model = len(self.tokens), self.config.d_model
        return (
            f"{n} tokens in the order given and in another, threads from each to its new place. Below, three heat maps "
            f"of attention weights ({n} × {n}, layer {min(self.layer, self.depth)}, head {self.head}): as given, with "
            f"rows and columns moved, and computed anew; then three of outputs ({n} × {d_model}); then the mean of the "
            f"outputs, as given and as moved. {self.summary()}"
        )

    def figure(self) -> Figure:
        return draw_twin(self)


def default_model() -> tuple[TransformerConfig, TransformerParameters]:
    """Four blocks with random weights, written with two decimals: a page carries them."""
    config = TransformerConfig(vocabulary_size=12, d_model=8, n_heads=2, d_ff=16, n_layers=4, linear_biases=False)
    parameters = init_parameters(config, np.random.default_rng(4))
    return config, map_parameters(lambda w: w.round(2), parameters)


def fits(scheme: PositionScheme, config: TransformerConfig) -> bool:
    """Can this model be given this scheme? Waves and rotations come in pairs; concatenation changes a token's width."""
    if scheme.token_width(config.d_model) != config.scheme.token_width(config.d_model):
        return False
    if isinstance(scheme, Sinusoidal):
        return scheme.position_width(config.d_model) % 2 == 0
    return not isinstance(scheme, Rotary) or config.d_model // config.n_heads % 2 == 0


def most_positions(scheme: PositionScheme) -> int:
    """How many places the scheme has; as many as the figure can show, if it has no end."""
    if isinstance(scheme, Learned | Scalar):
        return scheme.length
    return 2**scheme.n_bits if isinstance(scheme, Binary) else MOST_TOKENS


def exchange(n: int) -> list[int]:
    """The order in which the second and the last of n places are exchanged.

    >>> exchange(6)
    [0, 5, 2, 3, 4, 1]
    """
    return [*range(n)] if n < FEWEST_TOKENS else [0, n - 1, *range(2, n - 1), 1]


def as_float64(array: Any) -> np.ndarray:
    """A NumPy array or torch tensor as NumPy float64."""
    return np.asarray(array.detach().cpu() if hasattr(array, "detach") else array, dtype=np.float64)


# The static twin. One unit is one cell of a weight matrix; y runs downwards.

LABEL, GAP = 3.6, 2.4  # the room for row labels, and between panels
RAINBOW = ["#542788", "#2d5faa", "#0f7d78", "#647d14", "#af5500"]  # as in the JavaScript, by original place


def draw_twin(widget: PermutationPlayground) -> Figure:
    """The state of the widget, drawn by matplotlib."""
    n, order = len(widget.tokens), list(widget.order)
    wide = max(n, 8)  # the width of a map of outputs, in cells
    panel = LABEL + wide
    width = 3 * panel + 2 * GAP
    unit = 8.6 / width  # inches
    tops = np.cumsum([0.3, 2.8, 5.4, n + 2.4, n + 1.7])  # tokens, moved tokens, weights, outputs, pooled
    height = tops[-1] + 2.6
    figure = Figure(figsize=(unit * (width + 1), unit * height), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-0.5, width + 0.5), ylim=(height, 0))
    axes.axis("off")
    size = min(8.5, 40 * unit)
    colours = LinearSegmentedColormap.from_list("tokens", RAINBOW)(np.linspace(0, 1, n))
    names = [f"{shorten(token, 7) or '␣'} {i + 1}" for i, token in enumerate(widget.tokens)]
    text: dict[str, Any] = {"size": size, "va": "center", "parse_math": False}

    slot = (width - LABEL) / n
    for place, token in enumerate(order):
        ends = [LABEL + slot * (at + 0.5) for at in (token, place)]
        axes.plot(ends, [tops[0] + 1, tops[1] + 0.2], color=colours[token], lw=2, zorder=0)
    for top, places, words in ((tops[0], range(n), "as given"), (tops[1], order, "as moved")):
        axes.text(0, top + 0.6, words, color="0.35", **text)
        for place, token in enumerate(places):
            box = {"facecolor": colours[token], "edgecolor": "none", "boxstyle": "round,pad=0.3"}
            middle = LABEL + slot * (place + 0.5)
            axes.text(middle, top + 0.6, names[token], ha="center", color="white", bbox=box, **text)
    verdict = f"{widget.law()}    error {format_difference(widget.error)}    {widget.happened()}"
    axes.text(0, tops[1] + 2.6, verdict, weight="bold", **text)

    (given, anew), (output, new_output) = widget._weights(), widget._outputs()
    moved, moved_output = permute_mask(given, np.array(order)), permute(output, np.array(order))
    strongest, largest = max(given.max(), anew.max()), max(abs(output).max(), abs(new_output).max())
    for column, (weights, rows, title, other_title) in enumerate(
        [
            (given, output, "A, as given", "f(X), as given"),
            (moved, moved_output, "P A Pᵀ, moved", "P f(X), moved"),
            (anew, new_output, "A of PX, computed anew", "f(PX), computed anew"),
        ]
    ):
        left = column * (panel + GAP) + LABEL
        places = order if column else list(range(n))
        axes.text(left, tops[2] - 1.4, title, **text)
        axes.text(left, tops[3] - 0.6, other_title, **text)
        draw_cells(axes, tint(weights / strongest), (left, left + n, tops[2] + n, tops[2]))
        draw_cells(axes, tint(rows / largest, signed=True), (left, left + wide, tops[3] + n, tops[3]))
        for place, token in enumerate(places):
            label = text | {"color": colours[token]}
            axes.text(left + place + 0.5, tops[2] - 0.5, str(token + 1), ha="center", **label)
            for top in tops[2:4]:
                axes.text(left - 0.2, top + place + 0.5, names[token], ha="right", **label)
    for top, change in ((tops[2], anew - moved), (tops[3], new_output - moved_output)):
        equal = "=" if abs(change).max() <= ROUNDING else "≠"
        axes.text(2 * panel + 1.65 * GAP, top + n / 2, equal, ha="center", va="center", size=2 * size)

    pooled = widget.pooled
    equal = "=" if widget.pooled_error <= ROUNDING else "≠"
    axes.text(LABEL, tops[4] - 0.6, f"Mean of the outputs: as given (above) {equal} as moved (below)", **text)
    entries = np.arange(min(pooled.shape[1], 8))
    cell = (width - LABEL) / len(entries)
    shown = pooled[:, entries]
    draw_cells(axes, tint(shown / abs(pooled).max(), signed=True), (LABEL, width, tops[4] + 2, tops[4]))
    for (row, column), value in np.ndenumerate(shown):
        place = LABEL + (column + 0.5) * cell
        axes.text(place, tops[4] + row + 0.5, format_number(value), ha="center", **text)
    return figure


def shorten(text: str, length: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + "…"


def tint(shares: np.ndarray, *, signed: bool = False) -> np.ndarray:
    """(row, column, 3): the colours of the cells, white for 0."""
    poles = [(NEGATIVE if share < 0 else POSITIVE, 0.8) if signed else (WEIGHT, 1.0) for share in shares.flat]
    fills = [blend(pole, most * abs(share))[0] for (pole, most), share in zip(poles, shares.flat, strict=True)]
    return np.array(fills).reshape(*shares.shape, 3)


def draw_cells(axes: Axes, colours: np.ndarray, extent: tuple[float, float, float, float]) -> None:
    """A picture of cells; the limits of the axes stay."""
    limits = axes.get_xlim(), axes.get_ylim()
    axes.imshow(colours, extent=extent, interpolation="nearest", aspect="auto")
    axes.set(xlim=limits[0], ylim=limits[1])
