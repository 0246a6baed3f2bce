"""A transformer as plain lists and dictionaries, the form in which the browser's ``transformer.js`` takes it.

The field names are those of `TransformerConfig` and `TransformerParameters`; a position scheme is its name and its
settings. Numbers keep all their digits.
"""

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from inorder._arrays import expect
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
    named_parameters,
    parameter_shapes,
)

SCHEME_NAMES: dict[type[PositionScheme], str] = {
    PositionScheme: "none",
    Sinusoidal: "sinusoidal",
    Learned: "learned",
    Scalar: "scalar",
    Binary: "binary",
    Rotary: "rotary",
    Alibi: "alibi",
    T5: "t5",
    Shaw: "shaw",
}


def model_state(config: TransformerConfig, parameters: TransformerParameters) -> dict[str, Any]:
    """{"config": …, "parameters": …} for ``encode`` and ``decode`` of ``transformer.js``.

    Raises ValueError: cross-attention, or a position scheme of your own, which the browser does not have; parameters
    that do not fit the configuration; NaN or ∞ in them.

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
    settings = asdict(replace(config, position="none")) | {"scheme": scheme_state(config.scheme)}
    del settings["position"], settings["cross_attention"]
    return {"config": settings, "parameters": as_lists(parameters)}


def scheme_state(scheme: PositionScheme) -> dict[str, Any]:
    """The name and the settings of a position scheme.

    Raises ValueError: a scheme of your own.

    >>> scheme_state(Alibi("left"))
    {'name': 'alibi', 'direction': 'left'}
    """
    expect(type(scheme) in SCHEME_NAMES, f"a scheme of {', '.join(SCHEME_NAMES.values())}", type(scheme).__name__)
    return {"name": SCHEME_NAMES[type(scheme)]} | asdict(scheme)


def scheme_choices(
    config: TransformerConfig, parameters: TransformerParameters, schemes: dict[str, PositionScheme], *, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """{label: {"scheme": …, "tables": …}}: what a reader may put in the place of the model's own position scheme.

    The model's own scheme keeps its tables; the tables of the others are freshly drawn, at the deviation that
    `init_parameters` gives them.

    Raises ValueError: a scheme that leaves the token another width than the model's own.

    >>> from inorder.transformer import init_parameters
    >>> config = TransformerConfig(vocabulary_size=5, d_model=8, n_heads=2, d_ff=16, n_layers=1)
    >>> parameters = init_parameters(config, np.random.default_rng(0))
    >>> choices = scheme_choices(config, parameters, {"none": PositionScheme(), "learned": Learned(length=12)})
    >>> np.shape(choices["learned"]["tables"]["rows"])
    (12, 8)
    """
    rng = np.random.default_rng(seed)

    def normal(deviation: float, *shape: int) -> np.ndarray:
        return rng.normal(0.0, deviation, shape)

    choices = {}
    width = config.scheme.token_width(config.d_model)
    for label, scheme in schemes.items():
        got = scheme.token_width(config.d_model)
        expect(got == width, f"a scheme that leaves the token {width} columns, as the model's own does", got)
        own = scheme == config.scheme
        tables = parameters.position if own else scheme.init_tables(normal, config.d_model, config.n_heads)
        choices[label] = {"scheme": scheme_state(scheme), "tables": as_lists(tables)}
    return choices


def as_lists(tree: Any) -> Any:
    """The same tree of dictionaries, lists and floats; None stays None.

    Raises ValueError: NaN or ∞.

    >>> from inorder.transformer import LayerNormParameters
    >>> as_lists(LayerNormParameters(scale=np.ones(2), shift=np.zeros(2)))
    {'scale': [1.0, 1.0], 'shift': [0.0, 0.0]}
    """
    if isinstance(tree, dict):
        return {name: as_lists(part) for name, part in tree.items()}
    if hasattr(tree, "_fields"):
        return {name: as_lists(part) for name, part in zip(tree._fields, tree, strict=True)}
    if isinstance(tree, tuple):
        return [as_lists(part) for part in tree]
    if tree is None:
        return None
    array = np.asarray(tree.detach().cpu() if hasattr(tree, "detach") else tree, dtype=np.float64)
    expect(np.isfinite(array).all(), "finite numbers in the parameters", "NaN or an infinity")
    return array.tolist()
