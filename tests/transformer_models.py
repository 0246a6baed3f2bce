"""Small transformers of every kind, for the tests of `inorder.transformer`."""

from typing import Any

import numpy as np
import torch
from torch import nn

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
    decode,
    flatten_parameters,
    fresh_model,
    map_parameters,
)


class Counter(PositionScheme):
    """The number of its row, along a direction that layer norm keeps."""

    def embed(self, x, positions, tables):
        return x + positions[:, None] * np.linspace(-1, 1, x.shape[-1])


POSITION_SCHEMES: dict[str, PositionScheme] = {
    "sinusoidal": Sinusoidal(),
    "sinusoidal, concatenated": Sinusoidal(concatenate=6, base=100.0, layout="halves"),
    "learned": Learned(length=40),
    "learned, concatenated": Learned(concatenate=5, length=40),
    "scalar": Scalar(length=40),
    "scalar, concatenated": Scalar(concatenate=1, length=40),
    "binary": Binary(n_bits=6),
    "binary, concatenated": Binary(concatenate=6, n_bits=6),
    "rotary": Rotary(),
    "rotary, halves": Rotary(base=100.0, pairing="halves"),
    "alibi": Alibi(),
    "alibi, left": Alibi("left"),
    "alibi, right": Alibi("right"),
    "alibi, split": Alibi("split"),
    "t5": T5(),
    "t5, one direction": T5(n_buckets=6, max_distance=9, bidirectional=False),
    "shaw": Shaw(max_distance=3),
}
ALL_SCHEMES = {"none": PositionScheme(), **POSITION_SCHEMES}
# One for each way in which positions come in: not at all, in rows, in rotations, in a bias, in one that reads queries.
WAYS_IN = {name: ALL_SCHEMES[name] for name in ("none", "learned, concatenated", "rotary", "alibi, split", "shaw")}


def shaken_model(position: PositionScheme | str = "none", *, seed: int = 0, like: Any = None, **settings: Any) -> Model:
    """A model in which no parameter is 0 or 1, and no two sizes are equal."""
    sizes = {"vocabulary_size": 11, "d_model": 24, "n_heads": 6, "d_ff": 20, "n_layers": 2}
    rng = np.random.default_rng(seed)
    parameters, config = fresh_model(rng, like=like, **{**sizes, "position": position, **settings})
    return Model(map_parameters(lambda w: w + 0.1 * _noise(w, rng), parameters), config)


# What a block of today has, and that of 2017 has not; here six query heads share two keys.
TODAY = {"norm_kind": "rms", "gated": True, "activation": "silu", "n_key_heads": 2, "tied_output": True}


def todays_model(scheme: PositionScheme | str = "rotary", **changes: Any) -> Any:
    tied = not getattr(scheme, "concatenate", 0)
    return shaken_model(scheme, **{**TODAY, "tied_output": tied, **changes})


def _noise(w: Any, rng: np.random.Generator) -> Any:
    noise = rng.normal(size=tuple(w.shape))
    return torch.as_tensor(noise, dtype=w.dtype) if isinstance(w, torch.Tensor) else noise.astype(w.dtype)


def shaken(module: nn.Module, seed: int = 0) -> Any:
    """In double precision, without dropout, and no parameter left at 0 or 1."""
    generator = torch.Generator().manual_seed(seed)
    module = module.double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.2 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return module


def to_torch(tree: Any) -> Any:
    """The same tree, of torch tensors."""
    return map_parameters(torch.from_numpy, tree)


# What Llama's block has, and that of 2017 has not
LLAMA: dict[str, Any] = {
    "norm_kind": "rms",
    "activation": "silu",
    "gated": True,
    "linear_biases": False,
    "tied_output": True,
}


def assert_gradients_are_right(model: Model) -> None:
    """The gradient of each parameter of a decoder against differences of its logits."""
    parameters, config = model
    tokens, positions = torch.tensor([2, 0, 1, 2]), torch.arange(4)
    flat = np.concatenate([w.ravel() for w in flatten_parameters(parameters).values()])

    def logits(flat: torch.Tensor) -> torch.Tensor:
        pieces = iter(flat.split([w.size for w in flatten_parameters(parameters).values()]))
        tree = map_parameters(lambda w: next(pieces).reshape(w.shape), parameters)
        return decode(tokens, tree, config, positions=positions)[0]

    assert torch.autograd.gradcheck(logits, torch.from_numpy(flat).requires_grad_(), fast_mode=True)
