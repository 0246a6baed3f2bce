"""The checkers of chapter 11: other right ways pass, and a wrong one is named however it is written."""

import numpy as np
import pytest

from inorder.checks import check_all_shifts, check_nearest_mean, check_own_and_other
from inorder.lab.probes import cyclic_shifts


def test_other_right_ways_are_accepted():
    def layer_by_layer(alpha, n, n_layers):
        rows = np.eye(n)
        for _ in range(n_layers):
            rows = alpha * rows + rows.mean(axis=0)
        return rows[1, [1, 0]]

    def by_loops(train, rows):
        means = [train[:, k].mean(axis=0) for k in range(train.shape[1])]
        return [int(np.argmin([np.linalg.norm(row - mean) for mean in means])) for row in rows]

    assert check_own_and_other(layer_by_layer).passed
    assert check_nearest_mean(by_loops).passed
    assert check_all_shifts(lambda tokens: cyclic_shifts(tokens[None])).passed
    assert check_all_shifts(
        lambda tokens: [[*tokens[len(tokens) - k :], *tokens[: len(tokens) - k]] for k in range(len(tokens))]
    ).passed


@pytest.mark.parametrize(
    ("check", "wrong", "said"),
    [
        (check_own_and_other, lambda alpha, n, n_layers: [alpha + 1 / n, 1 / n], "counts one layer only"),
        (
            check_nearest_mean,
            lambda train, rows: np.einsum("rd,bpd->rp", rows, train).argmax(axis=1),
            "takes the largest product with a mean",
        ),
        (
            check_all_shifts,
            lambda tokens: np.array([[*tokens[k:], *tokens[:k]] for k in range(len(tokens))]),
            "shifts the other way round",
        ),
    ],
)
def test_a_wrong_way_is_named(check, wrong, said):
    assert check(wrong).mistake.says == said
