"""What a layer costs: counted as by hand, as theory says, and as it is stored."""

import json
import math

import numpy as np
import pytest
import torch

from inorder.lab.audit_costs import costs, count_operations, peak_bytes
from inorder.mixers.catalogue import ARCHITECTURES, Architecture
from inorder.stored import stored


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda architecture: architecture.name)
def test_every_architecture_costs_what_theory_says(architecture: Architecture) -> None:
    for counted, exponent in zip(
        costs(architecture, (256, 512)).values(), (architecture.operations, architecture.memory), strict=True
    ):
        assert abs(math.log2(counted[1] / counted[0]) - exponent) < 0.25


def test_operations_are_counted_by_hand() -> None:
    x = np.ones((10, 3))
    assert count_operations(lambda x: x @ x.T, x) == 2 * 10 * 10 * 3
    assert count_operations(lambda x: (x @ x.T) @ x, x) == 2 * 2 * 10 * 10 * 3
    assert count_operations(lambda x: x + x, x) == 30
    assert count_operations(lambda x: x[None].mT @ x[None], x) == 2 * 3 * 3 * 10  # a batch, and a view that is free
    assert count_operations(torch.fft.fft, np.ones((24, 16))) == int(24 * 16 * math.log2(24 * 16))


def test_memory_is_that_of_the_largest_moment() -> None:
    x = np.ones((100, 2))
    assert 80_000 <= peak_bytes(lambda x: x @ x.T @ x, x) < 90_000
    assert peak_bytes(lambda x: x, x) < 1000


@pytest.mark.parametrize("operation", [lambda x: torch.cdist(x, x), lambda x: torch.linalg.qr(x).Q, torch.matrix_exp])
def test_an_operation_that_cannot_be_counted_is_named(operation) -> None:
    with pytest.raises(ValueError, match=r"expected operations whose cost is known, got aten\.\w+"):
        count_operations(operation, np.ones((4, 4)))


def test_stored_counts_are_those_of_today() -> None:
    counted = json.loads(stored("audit_costs.json").read_text(encoding="utf8"))["costs"]
    for architecture in ARCHITECTURES:
        today = costs(architecture, (32, 64))["operations"]
        assert today == counted[architecture.name]["operations"][:2], architecture.name
