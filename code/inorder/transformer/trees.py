"""Trees of arrays: NamedTuples, tuples and dictionaries, with an array or None at each leaf."""

from collections.abc import Callable
from typing import Any

from inorder._arrays import Array


def map_parameters(f: Callable[[Array], Any], parameters: Any) -> Any:
    """The same tree with f(array) in place of each array. None stays None.

    Works on any part of a tree too. An example: parameters for torch, `map_parameters(torch.tensor, parameters)`.

    >>> import numpy as np
    >>> from inorder.transformer.parameters import LayerNormParameters
    >>> map_parameters(lambda w: 2 * w, LayerNormParameters(gain=np.ones(2), bias=np.zeros(2))).gain
    array([2., 2.])
    """
    if parameters is None:
        return None
    if isinstance(parameters, dict):
        return {name: map_parameters(f, part) for name, part in parameters.items()}
    if isinstance(parameters, tuple):
        parts = [map_parameters(f, part) for part in parameters]
        return type(parameters)(*parts) if hasattr(parameters, "_fields") else tuple(parts)
    return f(parameters)


def flatten_parameters(parameters: Any) -> dict[str, Array]:
    """{name: array} for each array of a tree, in the order of its fields, as a file stores them and an optimiser takes
    their values. `unflatten_parameters` is the way back.

    With NumPy `np.savez(path, **flat)` and `np.load(path)`; with torch `torch.save(flat, path)` and
    `torch.load(path, weights_only=True)`. (Keep the configuration yourself.)

    >>> from inorder.transformer import fresh_model
    >>> flat = flatten_parameters(fresh_model(0, position="learned").parameters)
    >>> flat["position.rows"].shape
    (512, 32)
    """
    flat: dict[str, Array] = {}
    values = parameters.values() if isinstance(parameters, dict) else parameters
    names = parameters if isinstance(parameters, dict) else getattr(parameters, "_fields", range(len(parameters)))
    for name, part in zip(names, values, strict=True):
        if isinstance(part, dict | tuple):
            flat |= {f"{name}.{inner}": array for inner, array in flatten_parameters(part).items()}
        elif part is not None:
            flat[str(name)] = part
    return flat
