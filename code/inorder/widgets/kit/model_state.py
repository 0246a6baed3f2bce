"""A figure's model: taken from the caller, and as the plain lists and dictionaries that ``transformer.js`` takes.

The field names are those of `TransformerConfig` and `TransformerParameters`; a position scheme is its name and its
settings. Numbers keep all their digits.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from inorder._arrays import expect
from inorder.transformer import SCHEMES as REGISTRY
from inorder.transformer import (
    T5,
    Alibi,
    Binary,
    Learned,
    Model,
    PositionScheme,
    Rotary,
    Scalar,
    Shaw,
    Sinusoidal,
    TransformerConfig,
    TransformerParameters,
    map_parameters,
    named_parameters,
    parameter_shapes,
)
from inorder.widgets.kit.state import InvalidState

MASKS = ("none", "causal", "prefix")
MOST_POSITIONS = 12  # of the position tables that a figure draws for itself
MOST_NUMBERS = 200_000  # of a model in a figure: 4 MB of page, and a second to open it

SCHEMES: dict[str, PositionScheme] = {
    "none": PositionScheme(),
    "sinusoidal": Sinusoidal(),
    "learned": Learned(length=MOST_POSITIONS),
    "rotary": Rotary(),
    "alibi": Alibi(),
    "t5": T5(n_buckets=8, max_distance=MOST_POSITIONS),
    "shaw": Shaw(max_distance=4),
}


def model_state(config: TransformerConfig, parameters: TransformerParameters) -> dict[str, Any]:
    """{"config": …, "parameters": …} for ``encode`` and ``decode`` of ``transformer.js``.

    Raises ValueError: cross-attention, or a position scheme of your own, which the browser does not have; parameters
    that do not fit the configuration, or are more than `MOST_NUMBERS`; NaN or ∞ in them.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1, position="rotary")
    >>> state = model_state(config, init_parameters(config, np.random.default_rng(0)))
    >>> state["config"]["scheme"], np.shape(state["parameters"]["blocks"][0]["attention"]["w_query"])
    ({'name': 'rotary', 'base': 10000.0, 'pairing': 'interleaved'}, (8, 8))
    """
    expect(isinstance(config, TransformerConfig), "a TransformerConfig", type(config).__name__)
    expect(isinstance(parameters, TransformerParameters), "TransformerParameters", type(parameters).__name__)
    expect(not config.cross_attention, "a model without cross-attention", "cross_attention=True")
    shapes = {name: tuple(array.shape) for name, array in named_parameters(parameters)}
    for name, shape in parameter_shapes(config).items():
        expect(shapes.get(name) == shape, f"{name} of shape {shape}", shapes.get(name, "none"))
    n_numbers = sum(int(np.prod(shape)) for shape in shapes.values())
    few = f"a model of {MOST_NUMBERS:,} numbers at most, because the page carries them"
    expect(
        n_numbers <= MOST_NUMBERS, few, f"{n_numbers:,}: take a smaller d_model, d_ff or vocabulary, or fewer layers"
    )
    settings = asdict(replace(config, position="none")) | {"scheme": scheme_state(config.scheme)}
    del settings["position"], settings["cross_attention"]
    return {"config": settings, "parameters": as_lists(parameters)}


def scheme_state(scheme: PositionScheme) -> dict[str, Any]:
    """The name and the settings of a position scheme.

    Raises ValueError: a scheme of your own.

    >>> scheme_state(Alibi("left"))
    {'name': 'alibi', 'direction': 'left'}
    """
    known = {type(each): name for name, each in REGISTRY.items() if name == each.name}
    expect(type(scheme) in known, f"a scheme of {', '.join(known.values())}", type(scheme).__name__)
    return {"name": scheme.name} | vars(scheme)


def scheme_choices(
    config: TransformerConfig, parameters: TransformerParameters, schemes: dict[str, PositionScheme], *, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """{name: {"label": …, "scheme": …, "tables": …}}: what may take the place of the model's own position scheme.

    The model's own scheme keeps its tables; the tables of the others are freshly drawn, at the deviation that
    `init_parameters` gives them.

    Raises ValueError: a scheme that leaves the token another width than the model's own.

    >>> from inorder.transformer import fresh_model
    >>> parameters, config = fresh_model(0, d_model=8)
    >>> choices = scheme_choices(config, parameters, {"none": SCHEMES["none"], "learned": Learned(length=12)})
    >>> np.shape(choices["learned"]["tables"]["rows"])
    (12, 8)
    """
    rng = np.random.default_rng(seed)

    def normal(deviation: float, *shape: int) -> np.ndarray:
        return rng.normal(0.0, deviation, shape)

    choices = {}
    width = config.scheme.token_width(config.d_model)
    for name, scheme in schemes.items():
        got = scheme.token_width(config.d_model)
        expect(got == width, f"a scheme that leaves the token {width} columns, as the model's own does", got)
        own = scheme == config.scheme
        tables = parameters.position if own else scheme.init_tables(normal, config.d_model, config.n_heads)
        choices[name] = {"label": scheme.label, "scheme": scheme_state(scheme), "tables": as_lists(tables)}
    return choices


def as_lists(tree: Any) -> Any:
    """The same tree of dictionaries, lists and floats; None stays None.

    Raises ValueError: NaN or ∞.

    >>> from inorder.transformer import LayerNormParameters
    >>> as_lists(LayerNormParameters(gain=np.ones(2), bias=np.zeros(2)))
    {'gain': [1.0, 1.0], 'bias': [0.0, 0.0]}
    """
    if isinstance(tree, dict):
        return {name: as_lists(part) for name, part in tree.items()}
    if hasattr(tree, "_fields"):
        return {name: as_lists(part) for name, part in zip(tree._fields, tree, strict=True)}
    if isinstance(tree, tuple):
        return [as_lists(part) for part in tree]
    if tree is None:
        return None
    array = as_float64(tree)
    expect(np.isfinite(array).all(), "finite numbers in the parameters", "NaN or an infinity")
    return array.tolist()


class TakenModel(NamedTuple):
    """A model in a figure, and the position schemes that a reader may put in the place of its own."""

    config: TransformerConfig
    parameters: TransformerParameters  # NumPy, float64
    own: str  # the name of the model's own scheme
    schemes: dict[str, PositionScheme]
    tables: dict[str, dict[str, np.ndarray]]  # the learned parameters of each scheme
    state: dict[str, Any]  # {"config", "parameters", "schemes"} for transformer.js

    def with_scheme(
        self, position: str, *, depth: int, **changes: Any
    ) -> tuple[TransformerConfig, TransformerParameters]:
        """The first ``depth`` blocks with another position scheme."""
        config = replace(self.config, n_layers=depth, position=self.schemes[position], **changes)
        blocks = self.parameters.blocks[:depth]
        return config, self.parameters._replace(blocks=blocks, position=self.tables[position])


def as_model(model: Any) -> Model:
    """The pair (parameters, config) as a `Model`. Raises ValueError: anything else."""
    try:
        parameters, config = model
    except (TypeError, ValueError):
        parameters, config = model, None
    got = f"{type(parameters).__name__} and {type(config).__name__}"
    pair = isinstance(parameters, TransformerParameters) and isinstance(config, TransformerConfig)
    expect(pair, "model=(parameters, config), a Model", got)
    return Model(parameters, config)


def take_model(
    model: Any,
    default: Callable[[], Model],
    schemes: dict[str, PositionScheme] | None = None,
    *,
    n_positions: int = 0,
) -> TakenModel:
    """The model (parameters, config) that a figure was given, or ``default()``, with the schemes that it can be given.

    A scheme is left out that does not fit the model's widths or has fewer than ``n_positions`` places. The model's own
    replaces the one of its kind among ``schemes``.

    Raises ValueError: anything but a pair of parameters and config; what `model_state` refuses.
    """
    parameters, config = default() if model is None else as_model(model)
    given = SCHEMES if schemes is None else schemes
    own = next((name for name, scheme in given.items() if type(scheme) is type(config.scheme)), config.scheme.name)
    known = {n: s for n, s in given.items() if fits(s, config) and most_positions(s) >= n_positions}
    known |= {own: config.scheme}
    choices = scheme_choices(config, parameters, known)
    tables = {
        name: {table: np.array(rows) for table, rows in choice["tables"].items()} for name, choice in choices.items()
    }
    state = model_state(config, parameters) | {"schemes": choices}
    return TakenModel(config, map_parameters(as_float64, parameters), own, known, tables, state)


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
    return 2**scheme.n_bits if isinstance(scheme, Binary) else MOST_POSITIONS


def as_float64(array: Any) -> np.ndarray:
    """A NumPy array or torch tensor, of any floats (NumPy has no bfloat16), as NumPy float64."""
    return np.asarray(array.detach().cpu().double() if hasattr(array, "detach") else array, dtype=np.float64)


def take_tokens(tokens: Any) -> list[str] | list[int]:
    """Strings, or the rows of a model's embedding as whole numbers; one string is cut at its spaces.

    Raises ValueError: a mixture of both, anything else.

    >>> take_tokens("dog bites"), take_tokens(np.array([4, 2]))
    (['dog', 'bites'], [4, 2])
    """
    if isinstance(tokens, str):
        return tokens.split()
    try:
        # Torch's own numbers print as "tensor(4)": each becomes a plain one.
        listed = [one.item() if hasattr(one, "item") else one for one in tokens]
    except (TypeError, ValueError, RuntimeError):
        raise InvalidState(f"tokens must be one row of strings or of whole numbers, got {shape_of(tokens)}") from None
    if any(hasattr(one, "__len__") and not isinstance(one, str) for one in listed):
        raise InvalidState(f"tokens must be one row of strings or of whole numbers, got {shape_of(tokens)}")
    for kind in (str, int):
        if all(isinstance(one, kind) and not isinstance(one, bool) for one in listed):
            return listed
    kinds = ", ".join(sorted({type(one).__name__ for one in listed}))
    raise InvalidState(f"tokens must be strings or whole numbers, all of one kind, got {kinds}")


def shape_of(value: Any) -> str:
    return f"an array of shape {tuple(value.shape)}" if hasattr(value, "shape") else type(value).__name__


def numbers_from_text(text: str, n: int) -> list[float]:
    """n numbers in [−1, 1) that look random and are always the same for the same text: a vector for any word.

    An FNV-1a hash of the UTF-16 code units starts a 32-bit SplitMix generator; arithmetic.js has the same function.

    >>> numbers_from_text("dog", 2) == numbers_from_text("dog", 3)[:2]
    True
    """
    state = 0x811C9DC5
    for unit in np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2"):
        state = (state ^ int(unit)) * 0x01000193 % 2**32
    numbers = []
    for _ in range(n):
        state = (state + 0x9E3779B9) % 2**32
        bits = (state ^ state >> 16) * 0x21F0AAAD % 2**32
        bits = (bits ^ bits >> 15) * 0x735A2D97 % 2**32
        numbers.append(2 * (bits ^ bits >> 15) / 2**32 - 1)
    return numbers
