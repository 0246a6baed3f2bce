"""A small vision transformer on the digits of scikit-learn: patches for tokens, an answer read off a row of its own.

An image of 8 × 8 pixels is cut into 16 patches of 2 × 2. One matrix makes a row of each, a row CLS goes before them,
positions are added, and the ten logits are read off CLS, as in [1].

[1] Dosovitskiy et al. 2021, An Image is Worth 16x16 Words, https://arxiv.org/abs/2010.11929
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Integer
from sklearn.datasets import load_digits

from inorder._arrays import Array
from inorder.lab.probes import cyclic_shifts, hidden_states, position_accuracy
from inorder.lab.training import as_numpy, fit
from inorder.symmetry import permute
from inorder.transformer import Learned, TransformerConfig, encode, fresh_model, map_parameters, unembed

N_TRAIN, N_STEPS = 1297, 130
LINE = np.arange(17)  # CLS, then the patches row by row
GRID = np.array([(0, 0), *((row, column) for row in range(1, 5) for column in range(1, 5))])
SCHEMES = {"none": ("none", LINE), "learned": (Learned(length=17), LINE), "2-D sinusoids": ("sinusoidal", GRID)}


def cut(images: Float[np.ndarray, "image 8 8"]) -> Float[np.ndarray, "image patch 4"]:
    """The 16 patches of each image, row by row, four pixels each.

    >>> cut(np.arange(64.0).reshape(1, 8, 8))[0, :2].tolist()
    [[0.0, 1.0, 8.0, 9.0], [2.0, 3.0, 10.0, 11.0]]
    """
    squares = images.reshape(-1, 4, 2, 4, 2).swapaxes(2, 3)  # (image, row, column, 2, 2)
    return squares.reshape(-1, 16, 4)


def digits() -> tuple[Float[np.ndarray, "image patch 4"], Integer[np.ndarray, " image"]]:
    """The patches of 1,797 digits, with mean 0 and variance 1, in one fixed random order, and what they show."""
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.images))
    return cut((data.images - data.images.mean()) / data.images.std())[order], data.target[order]


class VisionModel(NamedTuple):
    """The patch matrix (4, d_model), the row CLS (1, d_model), the encoder's parameters, and its configuration."""

    weights: dict[str, Any]
    config: TransformerConfig
    positions: Integer[np.ndarray, "row ..."]

    def rows(self, patches: Array) -> Array:
        """(image, patch, pixel) to (image, 1 + patch, d_model), CLS first."""
        rows, cls = patches @ self.weights["patch"], self.weights["cls"]
        if isinstance(rows, np.ndarray):
            return np.concatenate([np.tile(cls, (len(rows), 1, 1)), rows], axis=1)
        return torch.cat([cls.expand(len(rows), 1, -1), rows], dim=1)

    def logits(self, patches: Array) -> Float[Array, "image 10"]:
        """Ten logits for each image, read off the CLS row."""
        positions = torch.from_numpy(self.positions) if isinstance(patches, torch.Tensor) else self.positions
        hidden = encode(self.rows(patches), self.weights["model"], self.config, positions=positions)
        return unembed(hidden[:, 0], self.weights["model"])


def vision_model(seed: int, scheme: str) -> VisionModel:
    """A fresh model of two layers, in NumPy; `scheme` is one of SCHEMES.

    >>> vision_model(0, "none").logits(np.zeros((3, 16, 4))).shape
    (3, 10)
    """
    position, positions = SCHEMES[scheme]
    rng = np.random.default_rng(seed)
    patch, cls = rng.normal(scale=0.5, size=(4, 32)), rng.normal(size=(1, 32))
    sizes = {"vocabulary_size": 10, "d_model": 32, "n_heads": 4, "d_ff": 64, "n_layers": 2, "n_outputs": 10}
    model = fresh_model(rng, position=position, activation="relu", norm="post", **sizes)
    return VisionModel({"patch": patch, "cls": cls, "model": model.parameters}, model.config, positions)


def train_vision_model(seed: int, scheme: str) -> VisionModel:
    """Trained for 130 steps on 1,297 digits."""
    start, (patches, labels) = vision_model(seed, scheme), digits()
    x, y = torch.from_numpy(patches[:N_TRAIN]).float(), torch.from_numpy(labels[:N_TRAIN])
    data = np.random.default_rng([seed, 1])

    def loss(weights: Any, step: int) -> torch.Tensor:
        i = torch.from_numpy(data.integers(N_TRAIN, size=64))
        return torch.nn.functional.cross_entropy(start._replace(weights=weights).logits(x[i]), y[i])

    single = map_parameters(lambda w: torch.from_numpy(np.asarray(w)).float(), start.weights)
    return start._replace(weights=as_numpy(fit(single, loss, n_steps=N_STEPS, warm_up=40).parameters))


def probe_patches(model: VisionModel, fitted_on: Any, tested_on: Any) -> Float[np.ndarray, " layer"]:
    """How often a probe names the place of a patch, at the input and after each layer; CLS is left out."""
    sets = [
        hidden_states(model.rows(x), model.weights["model"], model.config, positions=model.positions)
        for x in (fitted_on, tested_on)
    ]
    return np.array([position_accuracy(a[:, 1:], b[:, 1:]) for a, b in zip(*sets, strict=True)])


def shuffled(patches: Float[np.ndarray, "image patch 4"]) -> Float[np.ndarray, "image patch 4"]:
    """The patches of each image in a random order of its own."""
    rng = np.random.default_rng(1)
    return np.stack([permute(x, rng.permutation(16)) for x in patches])


def measure(seeds: tuple[int, ...]) -> dict[str, Any]:
    """Accuracy on images as they are and on shuffled ones, and the place of a patch by layer; one row a seed."""
    torch.set_num_threads(1)
    patches, labels = digits()
    mixed, tested, truth = shuffled(patches), patches[N_TRAIN:], labels[N_TRAIN:]
    places = [probe_patches(vision_model(seed, "2-D sinusoids"), patches[:300], tested[:300]) for seed in seeds]
    found: dict[str, Any] = {"2-D sinusoids, untrained": {"place": [place.tolist() for place in places]}}
    for scheme in ("learned", "none"):
        models = [train_vision_model(seed, scheme) for seed in seeds]
        shifts = cyclic_shifts(tested[:20])
        found[scheme] = {
            "right": [float((m.logits(tested).argmax(axis=1) == truth).mean()) for m in models],
            "right, shuffled": [float((m.logits(mixed[N_TRAIN:]).argmax(axis=1) == truth).mean()) for m in models],
            "place": [probe_patches(m, patches[:300], tested[:300]).tolist() for m in models],
            "place, shuffled": [probe_patches(m, mixed[:300], shifts).tolist() for m in models],
        }
    return found
