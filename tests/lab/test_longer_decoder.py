"""The decoder on texts longer than training: its memory-saving pass against the plain one, and what is stored."""

import numpy as np
import pytest
import torch

from inorder.pretrained import decoder
from inorder.stored import read_record
from inorder.transformer import ScaledRotary, decode, fresh_model
from studies.longer_decoder import RESULTS, RUNS, token_losses
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


def test_the_stored_losses_rise_beyond_training_and_yarn_takes_the_rise_away():
    results = read_record(RESULTS)
    for text in ("alice", "book"):
        last = {run: np.mean(results[f"{text}/{run}"][-4:]) for run in RUNS}
        assert last["trained"] > last["cut"] + 0.7 and last["yarn"] < last["cut"] + 0.01
        assert last["gap"] > last["cut"] + 0.7  # distances alone, with no more tokens
        assert 0.1 < last["known gap"] - last["end"] < 0.2  # as wide as in `gap`: a small part of that
        assert results[f"{text}/known gap"][:4] == results[f"{text}/end"][:4]
    within = {run: np.mean(results[f"alice/{run}"][:32]) for run in ("trained", "interpolated", "yarn")}
    assert within["interpolated"] > within["trained"] + 0.2 and abs(within["yarn"] - within["trained"]) < 0.01
