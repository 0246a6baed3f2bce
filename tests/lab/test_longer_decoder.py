"""The decoder on texts longer than training: its memory-saving pass against the plain one, and what is stored."""

import json

import numpy as np
import pytest
import torch

from inorder.lab.longer_decoder import RESULTS, N, long_text, token_losses
from inorder.pretrained import decoder
from inorder.stored import stored
from inorder.transformer import ScaledRotary, decode, fresh_model
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
    np.testing.assert_allclose(token_losses(tokens, lm, np.arange(40), window=40), expected, atol=1e-10)
    windowed = token_losses(tokens, lm, np.arange(40), window=8)
    np.testing.assert_allclose(windowed[:8], expected[:8], atol=1e-10)  # these see no more than eight tokens
    assert abs(windowed[8:] - expected[8:].numpy()).max() > 1e-3


def test_the_texts_are_of_the_length_that_is_measured():
    for name in ("alice", "book"):
        assert long_text(name).shape == (N,)


def test_the_stored_losses_rise_beyond_training_and_yarn_takes_the_rise_away():
    results = json.loads(stored(RESULTS).read_text(encoding="utf8"))
    for text in ("alice", "book"):
        last = {run: np.mean(results[f"{text}/{run}"][-4:]) for run in ("trained", "yarn", "cut")}
        assert last["trained"] > last["cut"] + 0.7 and last["yarn"] < last["cut"] + 0.01
    within = {run: np.mean(results[f"alice/{run}"][:32]) for run in ("trained", "interpolated", "ntk", "yarn")}
    assert within["interpolated"] > within["trained"] + 0.2 and abs(within["yarn"] - within["trained"]) < 0.01
    gap, cut = (np.mean(results[f"alice/{run}"][-4:]) for run in ("gap", "cut"))
    assert gap > cut + 0.7  # distances alone, with no more tokens
    assert abs(np.mean(results["alice/first gap"][-4:]) - cut) < 0.02  # and not that of the first token alone
    for text in ("alice", "book"):  # and the gap by itself does no harm
        known, cut = (np.mean(results[f"{text}/{run}"][-4:]) for run in ("known gap", "cut"))
        assert abs(known - cut) < 0.05
        wide, end = (np.mean(results[f"{text}/{run}"][-4:]) for run in ("wide known gap", "end"))
        assert 0.1 < wide - end < 0.2  # as wide as in `gap`: a small part of what new distances cost
        assert results[f"{text}/wide known gap"][:4] == results[f"{text}/end"][:4]
