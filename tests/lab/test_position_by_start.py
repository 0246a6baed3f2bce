"""Untrained stacks of PyTorch's layer: their sizes are those of the law, and the record is what they give."""

import numpy as np
import pytest
import torch

from inorder.stored import read_record
from studies.position_by_start import accuracies, draw_layers

STORED = read_record("position_by_start.json")


def test_pytorch_draws_values_that_add_a_sixth_of_the_square():
    """W_V has the variance 1/(2d) and W_O 1/(3d), so that attention adds 1/√6 of what it averages."""
    torch.manual_seed(0)
    attention = draw_layers("post", d_model=128)[0].self_attn
    w_value, w_output = attention.in_proj_weight[256:].detach(), attention.out_proj.weight.detach()  # (128, 128) each
    error = 4 / 128  # four standard deviations of a mean of 128² squares
    assert float((w_value**2).mean()) * 2 * 128 == pytest.approx(1, abs=error)
    assert float((w_output**2).mean()) * 3 * 128 == pytest.approx(1, abs=error)
    rows = torch.randn(500, 128, dtype=torch.float64)
    added = rows @ w_value.T @ w_output.T
    assert float((added**2).mean() / (rows**2).mean()) == pytest.approx(1 / 6, rel=0.1)


def test_the_record_is_what_the_layers_give():
    expected = STORED["scales"]["post"]["1"][0]
    np.testing.assert_allclose(accuracies(0, "post", scale=1.0), expected, atol=0.02)
