"""The two looks of *it*: the stored weights are those of the model, and the door shuts what it says it shuts."""

import json

import numpy as np
import pytest

from inorder.lab.two_looks import (
    BEINGS,
    BOTH,
    FIRST_LOOK,
    FIRST_NOUN,
    FRAMES,
    PLACES,
    SECOND_LOOK,
    SHOWN,
    gap,
    looks,
    preferences,
    right,
)
from inorder.pretrained import attention, load
from inorder.stored import stored
from pretrained_files import why_missing

needs_weights = pytest.mark.skipif(why_missing() is not None, reason=why_missing() or "")
STORED = json.loads(stored("two_looks.json").read_text(encoding="utf-8"))


@needs_weights
@pytest.mark.parametrize("last", ["tired", "dark"])
def test_with_all_doors_open_these_are_the_weights_of_the_model(last):
    sentence = FRAMES["animal first"].sentence.format(last)
    words, weights = looks(sentence, load())
    whole = attention(sentence, load())
    assert words == whole.words
    assert np.allclose(weights, whole.weights[:, :, words.index("it")], atol=1e-6)


@needs_weights
@pytest.mark.parametrize("frame", SHOWN)
@pytest.mark.parametrize("last", ["hungry", "icy", "busy"])
@pytest.mark.parametrize(("name", "door"), [("open", None), ("shut", (FIRST_LOOK[0], -1))])
def test_what_is_stored_is_what_the_model_does(frame, last, name, door):
    words, weights = looks(FRAMES[frame].sentence.format(last), load(), door=door)
    results = STORED["looks"][frame][last]
    assert results["words"] == words
    for look, head in (("first", FIRST_LOOK), ("second", SECOND_LOOK), ("first noun", FIRST_NOUN)):
        assert np.allclose(results[name][look], weights[head], atol=6e-5)  # four decimals


@needs_weights
@pytest.mark.parametrize("frame", ["road first", "street first, stop"])
def test_stored_preferences_are_those_of_the_model(frame):
    differences = preferences(FRAMES[frame], load())  # (last, layer, head)
    results = STORED["frames"][frame]
    assert results["right"] == right(differences).tolist()
    assert np.allclose(results["preferences"]["open"], differences[:, *SECOND_LOOK], atol=1e-4)


@needs_weights
def test_a_door_shuts_one_word_in_one_layer():
    sentence = FRAMES["animal first"].sentence.format("wide")
    _, open_ = looks(sentence, load())
    _, shut = looks(sentence, load(), door=(2, -1))
    assert np.array_equal(shut[:2], open_[:2])
    assert (shut[2, :, -3] == 0).all() and (shut[[0, 1, 3, 4, 5], :, -3] > 0).all()
    assert np.allclose(shut.sum(axis=-1), 1, atol=1e-5)
    _, other = looks(sentence, load(), door=(3, 2))
    assert (other[3, :, 2] == 0).all() and np.array_equal(other[:3], open_[:3])


@needs_weights
def test_a_door_can_be_shut_for_some_heads_alone():
    sentence = FRAMES["street first"].sentence.format("icy")
    layer, head = FIRST_LOOK
    _, open_ = looks(sentence, load())
    _, shut = looks(sentence, load(), door=(layer, -1), heads=[head])
    others = [h for h in range(12) if h != head]
    assert shut[layer, head, -3] == 0 and np.array_equal(shut[layer, others], open_[layer, others])
    _, everywhere = looks(sentence, load(), door=(layer, -1), heads=range(12))
    assert np.array_equal(everywhere, looks(sentence, load(), door=(layer, -1)).weights)


@needs_weights
def test_stored_gaps_by_heads_are_those_of_the_model():
    frame = "river first"
    layer, head = FIRST_LOOK
    shut = preferences(FRAMES[frame], load(), door=(layer, -1), heads=[head])[:, *SECOND_LOOK]
    assert np.isclose(STORED["frames"][frame]["shut in"]["first look"], gap(shut), atol=1e-4)


def test_right_counts_beings_above_and_places_below():
    differences = np.random.default_rng(0).normal(size=(10, 3, 2))
    by_loop = sum((d > 0) if i < 5 else (d < 0) for i, d in enumerate(differences))
    assert np.array_equal(right(differences), by_loop)
    assert np.array_equal(right(-differences), 10 - by_loop)  # the other noun wins all the others


def test_a_preference_for_one_noun_whatever_is_meant_leaves_no_gap():
    differences = np.random.default_rng(1).normal(size=10)
    assert np.isclose(gap(differences + 3), gap(differences)) and abs(gap(np.full(10, 0.7))) < 1e-12


def test_every_word_is_stored_once():
    for frame in SHOWN:
        assert set(STORED["looks"][frame]) == {*BEINGS, *PLACES, *BOTH}
    assert list(STORED["frames"]) == list(FRAMES)
