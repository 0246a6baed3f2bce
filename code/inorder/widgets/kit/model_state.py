"""A figure's model: taken from the caller, and as the plain lists and dictionaries that ``transformer.js`` takes.

The field names are those of `TransformerConfig` and `TransformerParameters`; a position scheme is its name and its
settings. Numbers keep all their digits.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from inorder._arrays import expect
from inorder.transformer import (
    SCHEMES,
    Model,
    PositionScheme,
    TransformerConfig,
    TransformerParameters,
    flatten_parameters,
    map_parameters,
)
from inorder.transformer.schemes import apply_hooks
from inorder.widgets.kit.state import InvalidState

MASKS = ("none", "causal", "prefix")
MOST_POSITIONS = 12  # of the position tables that a figure draws for itself
MOST_NUMBERS = 200_000  # of a model in a figure: 4 MB of page, and a second to open it

# Settings that ``transformer.js`` leaves out, each with the one value that it can compute.
ONLY_IN_PYTHON = {
    "cross_attention": False,
    "d_head": None,
    "n_key_heads": None,
    "query_key_norm": False,
    "norm_output": None,
    "norm_kind": "layer",
    "gated": False,
    "tied_output": False,
}
ACTIVATIONS = ("gelu", "relu")
IN_PYTHON = "python"  # the name of a scheme that the browser does not have


def offered_schemes(d_model: int) -> dict[str, PositionScheme]:
    """The schemes that figures offer: of each kind in the registry that the browser can compute, the plain one.

    >>> offered_schemes(8)["learned"]
    Learned(concatenate=0, length=12)
    """
    return {
        name: entry.scheme.resized(MOST_POSITIONS, d_model)
        for name, entry in SCHEMES.items()
        if entry.in_browser and name == entry.scheme.name
    }


def in_browser(scheme: PositionScheme) -> bool:
    """Whether ``transformer.js`` computes it. Python computes the others, a reader's own, if there is a kernel."""
    return type(scheme) in {type(entry.scheme) for entry in SCHEMES.values() if entry.in_browser}


def label_of(scheme: PositionScheme) -> str:
    """What a figure calls it: its label, or for a class that has none of its own its name, or that of the class."""
    if type(scheme) is PositionScheme or scheme.label != PositionScheme.title:
        return scheme.label
    return name_of(scheme)


def name_of(scheme: PositionScheme) -> str:
    """The scheme's name; for a class that has none of its own, that of the class."""
    has_none = type(scheme) is not PositionScheme and scheme.name == PositionScheme.name
    return type(scheme).__name__ if has_none else scheme.name


def model_state(config: TransformerConfig, parameters: TransformerParameters) -> dict[str, Any]:
    """{"config": …, "parameters": …} for ``encode`` and ``decode`` of ``transformer.js``.

    Of a position scheme that the browser does not have it says {"name": "python"}.

    Raises ValueError: a block that is not that of 2017; parameters that do not fit the configuration, or are more than
    `MOST_NUMBERS`; NaN or ∞ in them.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1, position="rotary")
    >>> state = model_state(config, init_parameters(config, np.random.default_rng(0)))
    >>> state["config"]["scheme"], np.shape(state["parameters"]["blocks"][0]["attention"]["w_query"])
    ({'name': 'rotary', 'base': 10000.0, 'pairing': 'interleaved'}, (8, 8))
    """
    expect(isinstance(config, TransformerConfig), "a TransformerConfig", type(config).__name__)
    expect(isinstance(parameters, TransformerParameters), "TransformerParameters", type(parameters).__name__)
    if config.n_key_heads == config.n_heads:
        config = replace(config, n_key_heads=None)
    for name, value in ONLY_IN_PYTHON.items():
        setting = getattr(config, name)
        expect(setting == value, f"a model with {name}={value!r}, which is all that a figure can compute", setting)
    known = ", ".join(ACTIVATIONS)
    expect(config.activation in ACTIVATIONS, f"a model whose activation is one of {known}", config.activation)
    shapes = {name: tuple(array.shape) for name, array in flatten_parameters(parameters).items()}
    for name, shape in config.shapes.items():
        expect(shapes.get(name) == shape, f"{name} of shape {shape}", shapes.get(name, "none"))
    n_numbers = sum(int(np.prod(shape)) for shape in shapes.values())
    few = f"a model of {MOST_NUMBERS:,} numbers at most, because the page carries them"
    expect(
        n_numbers <= MOST_NUMBERS, few, f"{n_numbers:,}: take a smaller d_model, d_ff or vocabulary, or fewer layers"
    )
    settings = asdict(replace(config, position="none")) | {"scheme": scheme_or_python(config.scheme)}
    for name in ("position", *ONLY_IN_PYTHON):
        del settings[name]
    return {"config": settings, "parameters": as_lists(parameters)}


def scheme_state(scheme: PositionScheme) -> dict[str, Any]:
    """The name and the settings of a position scheme.

    Raises ValueError: a scheme of your own.

    >>> from inorder.transformer import Alibi
    >>> scheme_state(Alibi("left"))
    {'name': 'alibi', 'direction': 'left'}
    """
    known = {type(entry.scheme): entry.scheme.name for entry in SCHEMES.values() if entry.in_browser}
    expect(type(scheme) in known, f"a scheme of {', '.join(known.values())}", type(scheme).__name__)
    return {"name": scheme.name} | vars(scheme)


def scheme_or_python(scheme: PositionScheme) -> dict[str, Any]:
    return scheme_state(scheme) if in_browser(scheme) else {"name": IN_PYTHON}


def scheme_choices(
    config: TransformerConfig, parameters: TransformerParameters, schemes: dict[str, PositionScheme], *, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """{name: {"label": …, "scheme": …, "tables": …}}: what may take the place of the model's own position scheme.

    The model's own scheme keeps its tables. The others get freshly drawn ones, with the standard deviation that
    `init_parameters` gives them, and these don't depend on which schemes are offered beside them.

    Raises ValueError: a scheme that leaves the token another width than the model's own.

    >>> from inorder.transformer import Learned, fresh_model
    >>> parameters, config = fresh_model(0, d_model=8)
    >>> choices = scheme_choices(config, parameters, {"none": PositionScheme(), "learned": Learned(length=12)})
    >>> np.shape(choices["learned"]["tables"]["rows"])
    (12, 8)
    """
    choices = {}
    width = config.scheme.token_width(config.d_model)
    for name, scheme in schemes.items():
        got = scheme.token_width(config.d_model)
        expect(got == width, f"a scheme that leaves the token {width} columns, as the model's own does", got)
        rng = np.random.default_rng(seed)

        def normal(deviation: float, *shape: int, rng: np.random.Generator = rng) -> np.ndarray:
            return rng.normal(0.0, deviation, shape)

        own = scheme == config.scheme
        tables = parameters.position
        if not own:
            drawn = scheme.init_tables(normal, config.d_model, config.n_heads)
            tables = {table: rows.round(4) for table, rows in drawn.items()}  # a page carries them as text
        choices[name] = {"label": label_of(scheme), "scheme": scheme_or_python(scheme), "tables": as_lists(tables)}
    return choices


def as_lists(tree: Any) -> Any:
    """The same tree of dictionaries, lists and floats; None stays None.

    Raises ValueError: NaN or ∞.

    >>> from inorder.transformer.parameters import LayerNormParameters
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

    def label(self, position: str) -> str:
        """What a reader sees of one of the schemes."""
        return label_of(self.schemes[position])

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

    A scheme that does not fit the model's widths, or has fewer than ``n_positions`` positions, is left out. The model's
    own replaces the one of its kind among ``schemes``, which are by default those of the registry.

    Raises ValueError: anything but a pair of parameters and config; what `model_state` refuses.
    """
    parameters, config = default() if model is None else as_model(model)
    offered = offered_schemes(config.d_model) if schemes is None else schemes
    own = next(
        (name for name, scheme in offered.items() if type(scheme) is type(config.scheme)), name_of(config.scheme)
    )
    width = config.scheme.token_width(config.d_model)
    fitting = {
        name: scheme
        for name, scheme in offered.items()
        if scheme.token_width(config.d_model) == width and most_positions(scheme, config) >= max(1, n_positions)
    } | {own: config.scheme}
    choices = scheme_choices(config, parameters, fitting)
    tables = {
        name: {table: np.array(rows) for table, rows in choice["tables"].items()} for name, choice in choices.items()
    }
    state = model_state(config, parameters) | {"schemes": choices}
    return TakenModel(config, map_parameters(as_float64, parameters), own, fitting, tables, state)


def most_positions(scheme: PositionScheme, config: TransformerConfig) -> int:
    """How many positions the scheme has in a model of these widths, and a figure can show; 0 if it does not fit them.

    Waves and rotations come in pairs, so an odd width has no room for them; a table has an end.

    >>> from inorder.transformer import Learned, Rotary, fresh_model
    >>> config = fresh_model(0, d_model=6, n_heads=2).config
    >>> most_positions(Learned(length=7), config), most_positions(Rotary(), config)
    (7, 0)
    """

    def takes(n: int) -> bool:
        try:
            apply_hooks(scheme, n, d_model=config.d_model, n_heads=config.n_heads)
        except ValueError:
            return False
        return True

    return next((n for n in range(MOST_POSITIONS, 0, -1) if takes(n)), 0)


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
