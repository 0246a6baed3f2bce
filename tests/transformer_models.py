"""Small transformers of every kind, for the tests of `inorder.transformer`."""

from typing import Any

import numpy as np
import torch

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
    fresh_model,
    map_parameters,
)

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


def shaken_model(position: PositionScheme | str = "none", *, seed: int = 0, like: Any = None, **settings: Any) -> Model:
    """A model in which no parameter is 0 or 1, and no two sizes are equal."""
    sizes = {"vocabulary_size": 11, "d_model": 24, "n_heads": 6, "d_ff": 20, "n_layers": 2}
    rng = np.random.default_rng(seed)
    parameters, config = fresh_model(rng, like=like, **{**sizes, "position": position, **settings})
    return Model(map_parameters(lambda w: w + 0.1 * _noise(w, rng), parameters), config)


def _noise(w: Any, rng: np.random.Generator) -> Any:
    noise = rng.normal(size=tuple(w.shape))
    return torch.as_tensor(noise, dtype=w.dtype) if isinstance(w, torch.Tensor) else noise.astype(w.dtype)


def to_torch(tree: Any) -> Any:
    """The same tree, of torch tensors."""
    return map_parameters(torch.from_numpy, tree)
