"""The audit: every architecture of the sources against theory, and each measure on layers whose answer is known."""

import json
import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from inorder import audit as module
from inorder.audit import (
    BROKEN,
    ROUNDING,
    Row,
    audit,
    causality_error,
    count_operations,
    draw_rows,
    peak_bytes,
    rows,
    shift_error,
    slope,
    time_slope,
)
from inorder.mixers.catalogue import ARCHITECTURES, Architecture, Draw
from inorder.stored import stored
from inorder.symmetry import equivariance_error

LENGTHS = (256, 512)
each = pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda architecture: architecture.name)


def make(architecture: Architecture, n: int, like: torch.Tensor | None = None):
    return architecture.make(Draw(np.random.default_rng(0), 8, like=like), n)


@each
def test_every_architecture_obeys_the_laws_that_theory_says(architecture: Architecture) -> None:
    [row] = rows([architecture], cost=False)
    for law, error in zip("PSC", row.audit[:3], strict=True):
        assert error < ROUNDING if law in architecture.laws else error > BROKEN, (law, error)
    assert row.as_theory_says


@each
def test_every_architecture_costs_what_theory_says(architecture: Architecture) -> None:
    like = torch.zeros(1, dtype=torch.float64)
    x = {n: np.random.default_rng(n).normal(size=(n, 8)) for n in LENGTHS}
    operations = [count_operations(make(architecture, n, like), x[n]) for n in LENGTHS]
    assert abs(slope(LENGTHS, operations) - architecture.operations) < 0.25
    memory = [peak_bytes(make(architecture, n), x[n]) for n in LENGTHS]
    assert abs(slope(LENGTHS, memory) - architecture.memory) < 0.25


def test_a_row_that_theory_does_not_know_is_told() -> None:
    [row] = rows(ARCHITECTURES[:1], cost=False)
    assert not row._replace(architecture=row.architecture._replace(laws="P")).as_theory_says
    assert not row._replace(audit=row.audit._replace(shift=1e-6)).as_theory_says
    cost = module.Cost(operations=2.0, memory=2.2, time=9.0)
    assert row._replace(audit=row.audit._replace(cost=cost)).as_theory_says  # a clock is not a judge
    assert not row._replace(audit=row.audit._replace(cost=cost._replace(memory=1.7))).as_theory_says
    assert not row._replace(audit=row.audit._replace(cost=cost._replace(operations=2.3))).as_theory_says


def test_a_layer_of_ones_own() -> None:
    errors = audit(lambda n: lambda x: x - x.mean(axis=0), 3, lengths=(64, 128))
    assert errors.equivariance < ROUNDING and errors.shift < ROUNDING and errors.causality > BROKEN
    assert errors.cost is not None and errors.cost.operations is None
    assert errors.cost.memory is not None and abs(errors.cost.memory - 1) < 0.25


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


def test_operations_are_counted_by_hand() -> None:
    x = np.ones((10, 3))
    assert count_operations(lambda x: x @ x.T, x) == 2 * 10 * 10 * 3
    assert count_operations(lambda x: (x @ x.T) @ x, x) == 2 * 2 * 10 * 10 * 3
    assert count_operations(lambda x: x + x, x) == 30
    assert count_operations(lambda x: x[None].mT @ x[None], x) == 2 * 3 * 3 * 10  # a batch, and a view that is free
    assert count_operations(lambda x: torch.nn.functional.linear(x, torch.ones(4, 3).double(), x[0, :1]), x) >= 240


def test_memory_is_that_of_the_largest_moment() -> None:
    x = np.ones((100, 2))
    assert 80_000 <= peak_bytes(lambda x: x @ x.T @ x, x) < 90_000
    assert peak_bytes(lambda x: x, x) < 1000


D, D_FF = 16, 32
LIKE = torch.zeros(1, dtype=torch.float64)


def fused(x):
    """Attention as one operation of torch, which never holds the n × n scores."""
    return F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None])[0, 0]


def torch_layer(name):
    """A layer of torch on rows (n, D), what by hand its products cost for n rows, and the exponent of its memory."""
    torch.manual_seed(0)
    attention = {"operations": lambda n: 2 * 2 * n * n * D, "memory": 2}  # Q Kᵀ and the weighted sum
    projected = {"operations": lambda n: 2 * 2 * n * n * D + 2 * n * D * 4 * D, "memory": 2}
    if name == "scaled_dot_product_attention":
        return lambda x: F.scaled_dot_product_attention(x, x, x), attention
    if name == "scaled_dot_product_attention, fused":
        return fused, attention | {"memory": 1}
    if name == "Conv1d":
        convolution = nn.Conv1d(D, D, 9, padding=4).double()
        return lambda x: convolution(x.T).T, {"operations": lambda n: 2 * 9 * n * D * D, "memory": 1}
    if name == "MultiheadAttention":
        heads = nn.MultiheadAttention(D, 2).double()
        return lambda x: heads(x, x, x)[0], projected
    if name == "TransformerEncoderLayer":  # its attention is fused; the hidden layer is (n, D_FF)
        layer = nn.TransformerEncoderLayer(D, 2, D_FF).double().eval()
        operations = lambda n: projected["operations"](n) + 2 * 2 * n * D * D_FF  # noqa: E731
        return layer, {"operations": operations, "memory": 1}
    if name == "baddbmm":
        return lambda x: torch.baddbmm(x[None], (x @ x.T)[None], x[None])[0], attention
    gates = {"LSTM": 4, "GRU": 3}[name]
    network = getattr(nn, name)(D, D).double()
    return lambda x: network(x)[0], {"operations": lambda n: 2 * 2 * n * D * gates * D, "memory": 1}


TORCH_LAYERS = (
    *("scaled_dot_product_attention", "scaled_dot_product_attention, fused", "Conv1d", "MultiheadAttention"),
    *("TransformerEncoderLayer", "baddbmm", "LSTM", "GRU"),
)


@pytest.mark.parametrize("name", TORCH_LAYERS)
def test_layers_of_torch_cost_what_counting_by_hand_gives(name: str) -> None:
    layer, by_hand = torch_layer(name)
    lengths = (64, 128, 256) if name in ("LSTM", "GRU") else LENGTHS
    x = {n: draw_rows(n, D, n, like=LIKE) for n in lengths}
    operations = [count_operations(layer, x[n]) for n in lengths]
    products = [by_hand["operations"](n) for n in lengths]
    for counted, product in zip(operations, products, strict=True):
        assert product <= counted < 1.25 * product  # the rest is one for each number
    assert slope(lengths, operations) == pytest.approx(slope(lengths, products), abs=0.03)
    assert slope(lengths, [peak_bytes(layer, x[n]) for n in lengths]) == pytest.approx(by_hand["memory"], abs=0.1)


def test_fused_attention_and_convolution_count_their_products_alone() -> None:
    x = draw_rows(24, D, 0, like=LIKE)
    assert count_operations(fused, x) == 4 * 24 * 24 * D
    convolution, _ = torch_layer("Conv1d")
    assert count_operations(convolution, x) == 2 * 9 * 24 * D * D
    assert count_operations(lambda x: x @ x[0], x) == 2 * 24 * D
    assert count_operations(lambda x: torch.fft.fft(x), x) == int(24 * D * math.log2(24 * D))
    in_float32 = nn.LSTM(D, D)  # which oneDNN would do in one piece
    assert count_operations(lambda x: in_float32(x)[0], x.float()) == count_operations(torch_layer("LSTM")[0], x)


def test_modules_and_what_make_returns_are_taken_as_they_are() -> None:
    encoder, _ = torch_layer("TransformerEncoderLayer")
    result = audit(encoder, D, lengths=(128, 256))
    assert result.equivariance < ROUNDING and result.shift < ROUNDING and result.causality > BROKEN
    assert result.cost.operations > 1 and result.cost.memory == pytest.approx(1, abs=0.1)
    assert audit(lambda n: encoder, D, lengths=None)[:3] == result[:3]
    assert audit(nn.Linear(D, 4), D, lengths=None)[:3] == pytest.approx((0, 0, 0), abs=1e-6)  # float32
    in_float32 = audit(lambda n: fused, D, lengths=None, like=torch.zeros(1))
    assert ROUNDING < in_float32.equivariance < 1e-5


def test_what_holds_nothing_has_no_exponent() -> None:
    assert audit(nn.Identity(), D, lengths=(64, 128)).cost[:2] == (None, None)


def test_torch_within_numpy_is_measured_too() -> None:
    """A function of NumPy arrays which computes in torch, where tracemalloc sees nothing."""
    plain, _ = torch_layer("scaled_dot_product_attention")
    memory = [peak_bytes(lambda x: plain(torch.as_tensor(x)).numpy(), draw_rows(n, D, 0)) for n in LENGTHS]
    assert slope(LENGTHS, memory) == pytest.approx(2, abs=0.1)


def test_memory_of_tensors_is_that_of_the_largest_moment() -> None:
    x = torch.ones(100, 2, dtype=torch.float64)
    assert peak_bytes(lambda x: (x @ x.T) @ x, x) == 8 * (100 * 100 + 100 * 2)
    assert peak_bytes(lambda x: (x @ x.T)[:5].T, x) == 8 * 100 * 100  # views hold nothing
    assert peak_bytes(lambda x: ((x @ x.T).sum(), (x @ x.T).sum())[1], x) == 8 * (100 * 100 + 2)  # one at a time
    assert peak_bytes(lambda x: x.T, x) == 0


def test_tensors_stay_tensors() -> None:
    x = draw_rows(12, D, 0, like=LIKE)
    kinds = set()

    def layer(x):
        kinds.add((type(x), x.dtype))
        return torch.cumsum(x, dim=0)

    assert causality_error(layer, x) == 0
    assert shift_error(layer, x) < ROUNDING
    assert equivariance_error(layer, x)[0] > BROKEN
    audit(lambda n: layer, D, lengths=None, like=x)
    assert kinds == {(torch.Tensor, torch.float64)}


@pytest.mark.parametrize("operation", [lambda x: torch.cdist(x, x), lambda x: torch.linalg.qr(x).Q, torch.matrix_exp])
def test_an_operation_that_cannot_be_counted_is_named(operation) -> None:
    with pytest.raises(ValueError, match=r"expected operations whose cost is known, got aten\.\w+: count it by hand"):
        count_operations(operation, torch.ones(4, 4))


def test_stored_counts_are_those_of_today() -> None:
    costs = json.loads(stored("audit_costs.json").read_text(encoding="utf8"))["costs"]
    for architecture in ARCHITECTURES:
        counts = [count_operations(make(architecture, n, LIKE), draw_rows(n, 8, n)) for n in (32, 64)]
        assert counts == costs[architecture.name]["operations"][:2], architecture.name


def test_slope_is_not_turned_by_one_bad_length() -> None:
    lengths = [100, 200, 400, 800, 1600]
    amounts = [7.0 * n**1.5 for n in lengths]
    assert slope(lengths, amounts) == pytest.approx(1.5)
    amounts[2] *= 3
    assert slope(lengths, amounts) == pytest.approx(1.5, abs=0.3)


def test_time_slope_tells_a_table_from_a_sum() -> None:
    """One above the other by far: how far is for an idle machine to say."""
    line = time_slope(lambda n: lambda x: np.cumsum(np.exp(x), axis=0), 4)
    table = time_slope(lambda n: lambda x: np.exp(x @ x.T), 4)
    assert table > line + 0.4


def test_the_table_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["audit", "--no-cost"])
    monkeypatch.setattr(module, "ARCHITECTURES", ARCHITECTURES[::9])
    assert module.main() == 0
    printed = capsys.readouterr().out
    assert all(a.name in printed and a.why in printed for a in ARCHITECTURES[::9])
    monkeypatch.setattr("sys.argv", ["audit"])
    wrong = ARCHITECTURES[0]._replace(laws="")
    monkeypatch.setattr(module, "ARCHITECTURES", (ARCHITECTURES[-1], wrong))
    assert module.main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert "(1)" in lines[2] and "NOT AS THEORY SAYS" not in lines[2]
    assert "(2)" in lines[3] and "NOT AS THEORY SAYS" in lines[3]


def test_bad_input(types_unchecked: None) -> None:
    x = np.ones((8, 2))
    with pytest.raises(ValueError, match="expected 6 rows or more, of which a third moves, got 5"):
        shift_error(np.tanh, x[:5])
    with pytest.raises(ValueError, match="expected 2 rows or more, got 1"):
        causality_error(np.tanh, x[:1])
    with pytest.raises(ValueError, match=r"expected the layer's output of shape \(8, d_output\), got \(4, 2\)"):
        causality_error(lambda x: x[:4], x)
    with pytest.raises(ValueError, match="expected an output that is not all 0, got nothing but 0"):
        causality_error(lambda x: 0 * x, x)
    with pytest.raises(ValueError, match="expected two lengths or more"):
        audit(lambda n: np.tanh, 2, lengths=[64])
    with pytest.raises(ValueError, match="expected d_model to be a positive whole number, got 0"):
        audit(lambda n: np.tanh, 0)
    for wrong, message in {
        nn.LSTM(2, 2): r"expected the layer's output to be an array, got a tuple: choose one",
        nn.Dropout(): "expected the same answer to the same rows, got another at the second call: switch dropout off",
        nn.Linear(
            3, 2
        ): r"expected a layer that takes rows \(n, d_model\) = \(24, 2\), as torch.Tensor of torch.float32",
        nn.MultiheadAttention(2, 1): "missing 2 required positional arguments: 'key' and 'value'",
    }.items():
        with pytest.raises(ValueError, match=message):
            audit(wrong, 2, lengths=None)
    with pytest.raises(ValueError, match=r"must be Tensor, not numpy.ndarray. A layer of tensors .* needs like="):
        audit(lambda n: fused, 2, lengths=None)
    with pytest.raises(ValueError, match=r"expected make to be a function of n or a torch.nn.Module, got int"):
        audit(3, 2)
    assert isinstance(rows(ARCHITECTURES[:1], cost=False)[0], Row)
