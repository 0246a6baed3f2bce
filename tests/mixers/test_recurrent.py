"""RNN, GRU and RWKV beside torch and the transformers library."""

import numpy as np
import pytest
import torch
from transformers import RwkvConfig
from transformers.models.rwkv.modeling_rwkv import RwkvSelfAttention

from inorder.mixers import GRUParameters, RWKVParameters, elman_rnn, gru, rwkv
from inorder.mixers.recurrent import wkv

RNG = np.random.default_rng(0)
BATCH, N, D_INPUT, D_MODEL = 3, 7, 5, 4


def double(module: torch.nn.Module) -> torch.nn.Module:
    return module.double().requires_grad_(False)


@pytest.mark.parametrize("bias", [True, False])
def test_elman_rnn_is_torchs(bias: bool) -> None:
    theirs = double(torch.nn.RNN(D_INPUT, D_MODEL, bias=bias, batch_first=True))
    x = RNG.normal(size=(BATCH, N, D_INPUT))
    both = (theirs.bias_ih_l0 + theirs.bias_hh_l0).numpy() if bias else None
    ours = elman_rnn(x, theirs.weight_ih_l0.numpy().T, theirs.weight_hh_l0.numpy().T, both)
    np.testing.assert_allclose(ours, theirs(torch.tensor(x))[0].numpy(), atol=1e-14)


@pytest.mark.parametrize("bias", [True, False])
def test_gru_is_torchs(bias: bool) -> None:
    theirs = double(torch.nn.GRU(D_INPUT, D_MODEL, bias=bias, batch_first=True))
    x = RNG.normal(size=(BATCH, N, D_INPUT))
    biases = [theirs.bias_ih_l0.numpy(), theirs.bias_hh_l0.numpy()] if bias else []
    ours = gru(x, GRUParameters(theirs.weight_ih_l0.numpy().T, theirs.weight_hh_l0.numpy().T, *biases))
    np.testing.assert_allclose(ours, theirs(torch.tensor(x))[0].numpy(), atol=1e-14)


def fresh_rwkv(d_model: int, d_key: int) -> RWKVParameters:
    mixes = [RNG.uniform(size=d_model) for _ in "rkv"]
    weights = [RNG.normal(size=(d_model, d_key)) for _ in "rkv"]
    return RWKVParameters(
        *mixes, *weights, RNG.normal(size=(d_key, d_model)), RNG.uniform(0.05, 2, d_key), RNG.normal(size=d_key)
    )


def test_rwkv_is_that_of_transformers() -> None:
    config = RwkvConfig(hidden_size=D_MODEL, attention_hidden_size=6, num_hidden_layers=1, vocab_size=3)
    theirs = RwkvSelfAttention(config).double().requires_grad_(False)
    p = fresh_rwkv(D_MODEL, 6)
    theirs.output.weight.copy_(torch.tensor(p.w_output.T))
    for name in ("receptance", "key", "value"):
        getattr(theirs, name).weight.copy_(torch.tensor(getattr(p, f"w_{name}").T))
        getattr(theirs, f"time_mix_{name}").copy_(torch.tensor(getattr(p, f"mix_{name}")))
    theirs.time_decay.copy_(torch.tensor(np.log(p.decay)))
    theirs.time_first.copy_(torch.tensor(p.bonus))
    x = RNG.normal(size=(BATCH, N, D_MODEL))
    np.testing.assert_allclose(rwkv(x, p), theirs(torch.tensor(x))[0].numpy(), atol=1e-6)  # theirs sums in float32


def test_wkv_is_an_average_whose_weights_fade() -> None:
    """The definition, all at once: row t weighs row i by exp(k_i − (t − 1 − i) decay), itself by exp(k_t + bonus)."""
    key, value = RNG.normal(size=(2, BATCH, N, 4))
    decay, bonus = RNG.uniform(0, 1, 4), RNG.normal(size=4)
    t, i = np.arange(N)[:, None], np.arange(N)
    exponents = np.where((i < t)[..., None], -(t - 1 - i)[..., None] * decay, -np.inf)  # (t, i, d)
    exponents[np.arange(N), np.arange(N)] = bonus
    weights = np.exp(exponents + key[:, None])  # (batch, t, i, d)
    expected = (weights * value[:, None]).sum(2) / weights.sum(2)
    np.testing.assert_allclose(wkv(key, value, decay, bonus), expected, atol=1e-13)


def test_wkv_does_not_overflow() -> None:
    key, value = np.array([[-1e4], [1e4], [0.0]]), np.array([[1.0], [2.0], [3.0]])
    np.testing.assert_allclose(wkv(key, value, np.ones(1), np.zeros(1)), [[1], [2], [2]])
