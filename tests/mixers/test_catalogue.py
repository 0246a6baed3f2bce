"""What all layers have in common: both back ends, batches, gradients; and that every name of the sources is there."""

import re

import numpy as np
import pytest
import torch

from inorder.mixers.catalogue import ARCHITECTURES, Architecture, Draw

N = 12
NAMED = (
    "BERT GPT ViT RNN CNN Reformer Linformer Performer Longformer MLP-Mixer RWKV H3 S4 Mamba cross-attention RoPE ALiBi"
)


def make(architecture: Architecture, like: torch.Tensor | None = None):
    return architecture.make(Draw(np.random.default_rng(0), 8, like=like), N)


def rows() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(2, N, 8))


each = pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda architecture: architecture.name)


@each
def test_torch_gives_the_same_numbers_and_gradients(architecture: Architecture) -> None:
    x = torch.tensor(rows(), requires_grad=True)
    y = make(architecture, torch.zeros(1, dtype=torch.float64))(x)
    np.testing.assert_allclose(y.detach().numpy(), make(architecture)(x.detach().numpy()), atol=1e-13)
    y.square().sum().backward()
    assert x.grad.isfinite().all()
    assert (x.grad.abs().sum(-1) > 0).all()  # every row matters


@each
def test_a_batch_is_its_sequences_one_by_one(architecture: Architecture) -> None:
    layer, x = make(architecture), rows()
    np.testing.assert_allclose(layer(x)[1], layer(x[1]), atol=1e-14)


@each
def test_float32_stays_float32(architecture: Architecture) -> None:
    x = torch.tensor(rows(), dtype=torch.float32)
    assert make(architecture, x)(x).dtype == torch.float32
    in_numpy = make(architecture, np.zeros(1, np.float32))(x.numpy())
    assert in_numpy.dtype == np.float32


def test_the_sources_architectures_all_have_a_row() -> None:
    names = " ".join(architecture.name for architecture in ARCHITECTURES)
    for name in NAMED.split():
        assert re.search(rf"\b{re.escape(name)}\b", names), name
    assert all(architecture.why.endswith(".") for architecture in ARCHITECTURES)
    assert len({architecture.name for architecture in ARCHITECTURES}) == len(ARCHITECTURES)
