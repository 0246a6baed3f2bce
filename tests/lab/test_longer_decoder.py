"""The decoder on texts longer than training: its memory-saving pass against the plain one, and what is stored."""

import numpy as np
import pytest
import torch

from inorder.pretrained import decoder
from inorder.transformer import ScaledRotary, decode, fresh_model
from studies.longer_decoder import token_losses
from transformer_models import LLAMA


@pytest.mark.parametrize("position", ["rotary", ScaledRotary(scaling="yarn", factor=3.0, trained_length=16)], ids=str)
def test_the_pass_in_parts_is_decode(position):
    model = fresh_model(
        0,
        vocabulary_size=13,
        d_model=24,
        n_heads=3,
        n_key_heads=1,
        d_ff=20,
        n_layers=2,
        position=position,
        **LLAMA,
        like=torch.zeros((), dtype=torch.float64),
    )
    tokens = np.random.default_rng(0).integers(13, size=40)
    rows, _ = decode(torch.from_numpy(tokens), *model, positions=torch.arange(40))
    expected = torch.nn.functional.cross_entropy(rows[:-1], torch.from_numpy(tokens[1:]), reduction="none")
    lm = decoder.LanguageModel(model, None)
    actual = token_losses(tokens, lm, np.arange(40))
    np.testing.assert_allclose(actual, expected, atol=1e-10)
