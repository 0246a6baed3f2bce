"""The study of the rows that tell which of two words came first."""

import pytest
import torch

from studies.mean_of_rows import TASK, Reader

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
