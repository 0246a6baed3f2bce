"""The study of texts longer than those of training: its changes, one at a time, and what is stored."""

import numpy as np
import pytest

from inorder.encodings import frequencies, interpolated_frequencies
from inorder.lab.schemes import scheme
from inorder.lab.tasks import TASKS
from inorder.transformer import Model, encode, fresh_model
from studies import longer_texts as study


def fresh(position: str, task: str = "which-first", seed: int = 0) -> Model:
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 8, "n_layers": 1, "n_outputs": TASKS[task].n_outputs}
    return fresh_model(seed, vocabulary_size=TASKS[task].n_tokens, position=scheme(position, 8), **sizes)


def test_all_hands_slowed_are_positions_divided():
    model, tokens = fresh("rotary"), np.arange(8)[None]
    slow = encode(tokens, *study.with_slow_hands(model, 0, 1), positions=3 * np.arange(8))
    np.testing.assert_allclose(slow, encode(tokens, *model, positions=np.arange(8)), atol=1e-12)
    np.testing.assert_allclose(interpolated_frequencies(4, 3.0), frequencies(4) / 3)
    unmoved = encode(tokens, *study.with_slow_hands(model), positions=np.arange(8))
    np.testing.assert_allclose(unmoved, encode(tokens, *model, positions=np.arange(8)), atol=1e-12)
    with pytest.raises(ValueError, match="expected a model with rotary positions, got T5"):
        study.with_slow_hands(fresh("t5"), 1)


def test_a_model_without_positions_gives_pairs_across_any_gap_the_same_answers():
    model = fresh("none")
    assert study.pairs_across(model, 0) == study.pairs_across(model, 40)
    assert study.right_at_ends(model) == pytest.approx(0.5, abs=0.1)  # one answer for every text
    with pytest.raises(ValueError, match=r"expected a share below one half, got 0\.5 at the least"):
        study.tipping_gap(np.array([1.0, 0.5]))
