"""The audit: every architecture of the sources against theory, and each measure on layers whose answer is known."""

import numpy as np
import pytest
import torch

from inorder import audit as module
from inorder.audit import (
    BROKEN,
    ROUNDING,
    Row,
    audit,
    causality_error,
    count_operations,
    peak_bytes,
    rows,
    shift_error,
    slope,
    time_slope,
)
from inorder.mixers.catalogue import ARCHITECTURES, Architecture, Draw

LENGTHS = (256, 512, 1024)
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
    found = audit(lambda n: lambda x: x - x.mean(axis=0), 3, lengths=(64, 128))
    assert found.equivariance < ROUNDING and found.shift < ROUNDING and found.causality > BROKEN
    assert found.cost is not None and found.cost.operations is None
    assert abs(found.cost.memory - 1) < 0.25


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
    assert module.main() == 0
    printed = capsys.readouterr().out
    assert all(a.name in printed and a.why in printed for a in ARCHITECTURES)
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
    assert isinstance(rows(ARCHITECTURES[:1], cost=False)[0], Row)
