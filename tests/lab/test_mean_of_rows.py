"""The study of the rows that tell which of two words came first."""

import numpy as np
import pytest
import torch

from inorder.stored import read_record
from studies.mean_of_rows import TASK, Reader, share_right

STORED = read_record("mean_of_rows.json")["share right"]
A, B, ASKS = TASK.n_fillers, TASK.n_fillers + 1, TASK.n_fillers + 2


@pytest.mark.parametrize("causal", [False, True])
def test_a_swap_changes_the_rows_between_the_two_words_only(causal):
    torch.manual_seed(0)
    model = Reader("all rows", causal=causal).double()
    text = torch.tensor([[0, A, 1, B, 2, ASKS]])
    partner = torch.tensor([[0, B, 1, A, 2, ASKS]])
    hidden_from = torch.ones(6, 6, dtype=torch.bool).triu(1) if causal else None
    one, other = (model.layers(model.words(tokens), mask=hidden_from) for tokens in (text, partner))
    changed = (one - other).abs().amax(dim=2)[0] > 1e-12
    assert changed.tolist() == [False, True, causal, True, False, False]
    assert torch.allclose(model(text), model(partner), rtol=0, atol=1e-12) == (not causal)


def test_the_record_is_what_the_theorems_say():
    for name, shares in STORED.items():
        half = name.endswith("after both") or name in ("one causal layer, the row of “?”", "no mask, all rows")
        assert all(share == 0.5 if half else share > 0.99 for share in shares) and len(shares) == 2


def test_the_record_is_made_again():
    assert share_right("rows after both", 1) == STORED["one causal layer, rows after both"][1]
    np.testing.assert_allclose(share_right("all rows", 1), STORED["one causal layer, all rows"][1], atol=0.01)
