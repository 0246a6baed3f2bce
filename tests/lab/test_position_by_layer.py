"""Position by layer: what is measured is what it says, and what is stored is what the code finds."""

import json

import numpy as np
import pytest

from inorder.lab.position_by_layer import (
    LEARNED,
    N_TOKENS,
    SETTINGS,
    SIZES,
    block_errors,
    looks,
    maps,
    probe_layers,
    probe_texts,
    remove_position,
    task_accuracy,
    train_one,
)
from inorder.stored import stored
from inorder.transformer import encode, fresh_model, unembed

STORED = json.loads(stored("position_by_layer.json").read_text(encoding="utf8"))


def test_every_text_to_test_on_stands_there_with_all_its_shifts():
    fitted_on, tested_on = probe_texts()
    assert fitted_on.shape == (160, 16) and tested_on.shape == (160, 16)
    result = {tuple(text) for text in tested_on}
    assert all(tuple(np.roll(text, shift)) in result for text in tested_on[:20] for shift in range(16))


def test_looks_are_the_diagonals_of_the_weights():
    model = fresh_model(0, n_layers=2, position=LEARNED, **SIZES)
    mean = maps(model)  # (layer, query, key)
    np.testing.assert_allclose(mean.sum(axis=-1), 1)
    for offset in (0, -1, 3):
        diagonals = [np.diagonal(layer, offset).mean() for layer in mean]
        np.testing.assert_allclose(looks(model, offset).mean(axis=1), diagonals)


def test_blocks_break_the_symmetry_only_where_positions_are_in_the_scores():
    assert max(block_errors(fresh_model(1, n_layers=3, position=LEARNED, **SIZES))) < 1e-13
    assert min(block_errors(fresh_model(1, n_layers=3, position="rotary", **SIZES))) > 0.01


def test_a_model_without_residual_is_told_apart_from_one_with():
    with_residual = probe_layers(fresh_model(0, n_layers=3, position=LEARNED, **SIZES))
    without = probe_layers(fresh_model(0, n_layers=3, position=LEARNED, residual=0.0, **SIZES))
    assert with_residual[3] > 0.7 > 0.1 > without[3]


def test_what_is_stored_is_what_training_finds():
    """Training in float32 is not the same to the last digit everywhere: hence the tolerances."""
    name, seed = "rotary", 1
    model, result = train_one(name, seed), STORED["models"][name]
    assert task_accuracy(model) == pytest.approx(result["task"][seed], abs=0.01)
    np.testing.assert_allclose(probe_layers(model), result["after"][seed], atol=0.03)
    np.testing.assert_allclose(looks(model, -1), result["left"][seed], atol=0.1)


def test_the_task_accuracy_is_that_of_the_left_neighbours():
    model = fresh_model(3, n_layers=1, position=LEARNED, **SIZES)
    tokens = np.random.default_rng(99).integers(10, size=(500, N_TOKENS))
    guesses = unembed(encode(tokens, *model, positions=np.arange(N_TOKENS)), model.parameters).argmax(axis=-1)
    assert task_accuracy(model) == pytest.approx((guesses[:, 1:] == tokens[:, :-1]).mean(), abs=1e-12)
    assert remove_position(model).task[0] == pytest.approx(task_accuracy(model), abs=1e-12)


def test_every_setting_is_stored_with_a_row_for_each_seed():
    assert STORED["models"].keys() == SETTINGS.keys()
    for name, result in STORED["models"].items():
        assert result["n_steps"] == SETTINGS[name].n_steps
        assert np.shape(result["after"]) == (len(result["seeds"]), SETTINGS[name].n_layers + 1)
