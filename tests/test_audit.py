"""The audit: every architecture of the sources against theory, and each measure on layers whose answer is known."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inorder.audit import BROKEN, ROUNDING, audit, causality_error, rows, shift_error
from inorder.mixers.catalogue import ARCHITECTURES, Architecture

pytestmark = pytest.mark.usefixtures("types_unchecked")  # the layers' own tests check theirs
each = pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda architecture: architecture.name)


@each
def test_every_architecture_obeys_the_laws_that_theory_says(architecture: Architecture) -> None:
    [row] = rows([architecture])
    for law, error in zip("PSC", row.audit, strict=True):
        assert error < ROUNDING if law in architecture.laws else error > BROKEN, (law, error)
    assert row.as_theory_says


def test_a_layer_of_ones_own() -> None:
    errors = audit(lambda n: lambda x: x - x.mean(axis=0), 3)
    assert errors.equivariance < ROUNDING and errors.shift < ROUNDING and errors.causality > BROKEN


def test_shift_error_tells_a_window_from_a_place() -> None:
    x = np.random.default_rng(0).normal(size=(18, 2))

    def left_neighbour(x: np.ndarray) -> np.ndarray:
        return np.concatenate([np.zeros_like(x[:1]), x[:-1]])

    def place(x: np.ndarray) -> np.ndarray:
        return x * np.arange(1, len(x) + 1)[:, None]

    assert shift_error(left_neighbour, x) == 0
    assert shift_error(place, x) == pytest.approx(6 * abs(x[:6]).max() / abs(place_at(x, 3)).max(), rel=0.5)


def place_at(x: np.ndarray, start: int) -> np.ndarray:
    return x[:6] * np.arange(start + 1, start + 7)[:, None]


def test_causality_error_sees_the_last_row_alone() -> None:
    """A layer whose first row looks at the last and at nothing else."""
    x = np.random.default_rng(0).normal(size=(7, 2))

    def peek(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[:1] + 0.1 * x[-1:], x[1:]])

    assert 0.01 < causality_error(peek, x) < 0.5
    assert causality_error(lambda x: x[:1] + 0 * x, x) == 0


D = 16


def fused(x):
    return F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None])[0, 0]


def test_modules_and_what_make_returns_are_taken_as_they_are() -> None:
    torch.manual_seed(0)
    encoder = nn.TransformerEncoderLayer(D, 2, 32).double().eval()
    result = audit(encoder, D)
    assert result.equivariance < ROUNDING and result.shift < ROUNDING and result.causality > BROKEN
    assert audit(lambda n: encoder, D) == result
    assert audit(nn.Linear(D, 4), D) == pytest.approx((0, 0, 0), abs=1e-6)  # float32
    in_float32 = audit(lambda n: fused, D, like=torch.zeros(1))
    assert ROUNDING < in_float32.equivariance < 1e-5


def test_bad_input() -> None:
    x = np.ones((8, 2))
    with pytest.raises(ValueError, match="expected 6 rows or more, of which a third moves, got 5"):
        shift_error(np.tanh, x[:5])
    with pytest.raises(ValueError, match="expected 2 rows or more, got 1"):
        causality_error(np.tanh, x[:1])
    with pytest.raises(ValueError, match=r"expected f\(x\) of shape \(8, d_output\), got \(4, 2\)"):
        causality_error(lambda x: x[:4], x)
    with pytest.raises(ValueError, match="expected d_model to be a positive whole number, got 0"):
        audit(lambda n: np.tanh, 0)
    for wrong, message in {
        nn.LSTM(2, 2): r"expected f\(x\) to be a NumPy array or a torch tensor, got a tuple: choose one",
        nn.Dropout(): r"expected the same f\(x\) at each call, got another at the second: switch dropout off",
        nn.Linear(
            3, 2
        ): r"expected a layer that takes rows \(n, d_model\) = \(24, 2\), as torch.Tensor of torch.float32",
        nn.MultiheadAttention(2, 1): "missing 2 required positional arguments: 'key' and 'value'",
    }.items():
        with pytest.raises(ValueError, match=message):
            audit(wrong, 2)
    with pytest.raises(ValueError, match=r"must be Tensor, not numpy.ndarray. A layer of tensors .* needs like="):
        audit(lambda n: fused, 2)
    with pytest.raises(ValueError, match=r"expected make to be a function of n or a torch.nn.Module, got int"):
        audit(3, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: x.cumsum(0), "make.24. to return a layer, got AttributeError: .* audit.lambda n: layer"),
        (np.tanh, "make.24. to return a layer, got float64; for a layer itself"),
        (lambda n: lambda x: x + np.zeros((10, 3))[np.arange(len(x))], "got IndexError: index 10"),
    ],
)
def test_a_layer_in_place_of_its_maker_and_a_short_table_are_explained(make, message):
    with pytest.raises(ValueError, match=message):
        audit(make, d_model=3)
