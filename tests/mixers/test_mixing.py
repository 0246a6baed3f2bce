"""MLP-Mixer, FNet and Deep Sets beside torch and the transformers library, and by their symmetry."""

import numpy as np
import torch
from transformers import FNetConfig
from transformers.models.fnet.modeling_fnet import FNetBasicFourierTransform

from inorder.mixers import deep_sets, fourier_mixing, token_mixing_mlp
from inorder.symmetry import equivariance_error
from inorder.transformer import FeedForwardParameters

RNG = np.random.default_rng(0)


def test_token_mixing_is_a_torch_mlp_along_the_sequence() -> None:
    n, hidden = 7, 11
    mlp = torch.nn.Sequential(torch.nn.Linear(n, hidden), torch.nn.GELU(), torch.nn.Linear(hidden, n))
    mlp = mlp.double().requires_grad_(False)
    first, last = mlp[0], mlp[2]
    parameters = FeedForwardParameters(
        *(layer.weight.numpy().T for layer in (first, last)), *(layer.bias.numpy() for layer in (first, last))
    )
    x = RNG.normal(size=(3, n, 4))
    np.testing.assert_allclose(token_mixing_mlp(x, parameters), mlp(torch.tensor(x).mT).mT.numpy(), atol=1e-13)


def test_fourier_mixing_is_that_of_transformers() -> None:
    x = RNG.normal(size=(3, 7, 6))
    theirs = FNetBasicFourierTransform(FNetConfig(hidden_size=6))(torch.tensor(x))[0]
    np.testing.assert_allclose(fourier_mixing(x), theirs.numpy(), atol=1e-12)


def test_deep_sets_is_the_one_linear_layer_that_commutes_with_all_permutations() -> None:
    """A linear map on rows, projected on those that commute with P, is λI + γ11ᵀ: Deep Sets has no more to learn."""
    n = 5
    weights = RNG.normal(size=(n, n))
    own, other = np.trace(weights) / n, (weights.sum() - np.trace(weights)) / (n * (n - 1))
    commuting = (own - other) * np.eye(n) + other
    x = RNG.normal(size=(n, 3))
    assert equivariance_error(lambda x: commuting @ x, x)[0] < 1e-14
    assert equivariance_error(lambda x: weights @ x, x)[0] > 0.1
    expected = deep_sets(x, (own - other) * np.eye(3), n * other * np.eye(3))
    np.testing.assert_allclose(expected, commuting @ x, atol=1e-14)
