"""The words that models name at last-token: counted rightly, and the record is of the models that it names."""

import json

import numpy as np
import pytest

from inorder.lab import named_words
from inorder.lab.runs import Setting, train_model
from inorder.lab.schemes import scheme
from inorder.lab.tasks import TASKS
from inorder.stored import stored
from inorder.transformer import fresh_model, map_parameters, unembed

STORED = json.loads(stored(named_words.RESULTS).read_text(encoding="utf8"))


def fresh(position: str):
    task = TASKS["last-token"]
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 8, "n_layers": 1, "n_outputs": task.n_outputs}
    return fresh_model(0, vocabulary_size=task.n_tokens, position=scheme(position, 8), **sizes)


def test_shares_count_an_answer_once_however_often_its_token_stands_there():
    rng = np.random.default_rng(0)
    texts, named = rng.integers(3, size=(4, 6)), rng.integers(3, size=(4, 6))
    words = named_words.words_named(named, texts)
    expected = [named[t, row] in texts[t, 1:4] for t in range(4) for row in range(6)]
    assert named_words.share_naming(words, 2, 4) == pytest.approx(np.mean(expected))
    assert named_words.share_naming(words, 1, 6) == pytest.approx(words.any(axis=-1).mean())
    with pytest.raises(ValueError, match=r"expected words from 1 to 6, the first before the last, got \(4, 7\)"):
        named_words.share_naming(words, 4, 7)


def test_a_model_names_its_likeliest_token():
    model = fresh("learned")
    always = model._replace(parameters=map_parameters(lambda w: 0 * w, model.parameters))
    biased = always._replace(parameters=always.parameters._replace(b_output=np.eye(10)[7]))
    assert unembed(np.zeros((1, 8)), biased.parameters).argmax() == 7
    texts = named_words.last_token_texts(3, 12)
    assert texts.shape == (3, 12) and (named_words.named_tokens(biased, texts) == 7).all()


def test_training_up_to_twenty_is_that_of_the_sweep():
    setting = Setting("last-token", "learned", seed=1, n_steps=20)
    same, shorter = (named_words.train_up_to(setting, longest) for longest in (20, 15))
    expected = train_model(setting).parameters
    np.testing.assert_array_equal(same.parameters.embedding, expected.embedding)
    start = train_model(Setting("last-token", "learned", seed=1, n_steps=1, learning_rate=1e-12)).parameters
    moved = np.abs(shorter.parameters.position["rows"] - start.position["rows"]).max(axis=1) > 1e-6
    np.testing.assert_array_equal(moved, np.arange(64) < 15)
    with pytest.raises(ValueError, match="expected a longest of 5 tokens or more, got 4"):
        named_words.train_up_to(setting, 4)


def test_the_far_right_needs_a_reach_and_an_end_beyond_it():
    texts = named_words.last_token_texts(2, 20)
    with pytest.raises(ValueError, match="expected a model with Shaw's positions, got T5"):
        named_words.far_right_named(fresh("t5"), texts)
    for end in (15, 20):
        with pytest.raises(ValueError, match=f"expected an end from 16 to 19, got {end}"):
            named_words.far_right_named(fresh("shaw"), texts, end)


def test_with_the_far_right_left_to_the_last_word_both_shares_are_of_it():
    there, last = named_words.far_right_named(fresh("shaw"), named_words.last_token_texts(5, 24), end=23)
    assert there == last


def test_what_is_stored_is_what_training_finds():
    """One model of the record, trained again; rounding may differ elsewhere, hence the tolerances."""
    seed = 1
    texts = named_words.last_token_texts()
    model = named_words.train_up_to(Setting("last-token", "learned", seed), 15)
    words = named_words.words_named(named_words.named_tokens(model, texts), texts)
    record = STORED["longest"]["results"]["up to 15"]
    which = len(record["seeds of each"]) + seed  # after those with sinusoids
    for name, results in record["named"].items():
        first, last = map(int, name.split(" to "))
        assert named_words.share_naming(words, first, last) == pytest.approx(results[which], abs=0.05), name


def test_the_record_names_its_models_and_its_command():
    assert list(STORED) == list(named_words.PARTS)
    for part in STORED.values():
        assert part["provenance"]["made_by"] == "python -m inorder.lab.named_words" and part["provenance"]["date"]
    for part in STORED["longest"]["results"].values():
        assert all(len(results) == 2 * len(part["seeds of each"]) for results in part["named"].values())
    far_right = STORED["far-right"]["results"]
    assert len(far_right["named there"]) == len(far_right["named last"]) == len(far_right["seeds"])
