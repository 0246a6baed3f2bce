"""The exercises and the figures on what Q, K and V are."""

import numpy as np
import pytest
import torch

from inorder.book.checks import what_are_q_k_and_v as checks
from inorder.book.figures import what_are_q_k_and_v as figures


def by_loops(query, key, value, sharpness):
    rows = []
    for q in query:
        weights = [float(np.exp(-sharpness * sum((q - k) ** 2) / 2)) for k in key]
        rows.append(sum(w * v for w, v in zip(weights, value, strict=True)) / sum(weights))
    return rows


G, H = np.random.default_rng(3).normal(size=(2, 3, 3))
SAME = np.eye(3)


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        ((SAME, SAME, SAME, SAME), "W_Q is the identity"),
        ((G, np.linalg.inv(G), H, np.linalg.inv(H)), "transpose it"),
        ((G, np.linalg.inv(G).T, H, H), "does not undo"),
        ((G, np.full((3, 3), np.nan), G, G), "W_K to be 3 rows of 3 finite numbers"),
    ],
)
def test_four_matrices_that_differ_from_bare_attention_are_told_why(matrices, message):
    verdict = checks.same_as_bare(*matrices)
    assert not verdict.passed and message in verdict.message


def test_any_two_invertible_matrices_make_the_module_agree_with_the_function():
    inverse = (np.linalg.inv(G).T, H, np.linalg.inv(H))
    assert checks.same_as_bare(G, *inverse).passed
    module = torch.nn.MultiheadAttention(3, num_heads=1, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.from_numpy(np.concatenate([G.T, inverse[0].T, H.T])))
        module.out_proj.weight.copy_(torch.from_numpy(inverse[2].T.copy()))
        x = torch.from_numpy(np.random.default_rng(4).normal(size=(1, 5, 3)))
        bare_output = torch.nn.functional.scaled_dot_product_attention(x, x, x)
        assert (module(x, x, x)[0] - bare_output).abs().max() < 1e-12


def test_a_soft_answer_is_that_of_the_loops():
    assert checks.by_distance(by_loops).passed
    by_hour = figures.look_up(figures.CLOCK, 0.1)[1]
    alone = by_loops(figures.CLOCK[:, None], figures.HOURS[:, None], figures.DEGREES, 0.1)
    assert np.allclose(by_hour, alone, rtol=1e-12)
