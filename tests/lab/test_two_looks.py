"""The two looks of *it*: the stored weights are those of the model, and a blocked view is blocked where it says."""

import numpy as np
import pytest

from inorder.pretrained import attention, load
from inorder.stored import read_record
from pretrained_files import why_missing
from studies.two_looks import (
    FIRST_LOOK,
    FRAMES,
    SECOND_LOOK,
    SHOWN,
    gap,
    leads,
    looks,
    right,
)

needs_weights = pytest.mark.skipif(why_missing() is not None, reason=why_missing() or "")
STORED = read_record("two_looks.json")


@needs_weights
@pytest.mark.parametrize("last", ["tired", "dark"])
def test_with_all_views_open_these_are_the_weights_of_the_model(last):
    sentence = SHOWN["animal first"].sentence.format(last)
    words, weights = looks(sentence, load())
    whole = attention(sentence, load())
    assert words == whole.words
    assert np.allclose(weights, whole.weights[:, :, words.index("it")], atol=1e-6)


@needs_weights
@pytest.mark.parametrize("frame", SHOWN)
@pytest.mark.parametrize("last", ["hungry"])
@pytest.mark.parametrize("view", ["open", "blocked"])
def test_what_is_stored_is_what_the_model_does(frame, last, view):
    blocked = (FIRST_LOOK[0], last) if view == "blocked" else None
    words, weights = looks(SHOWN[frame].sentence.format(last), load(), blocked=blocked)
    results = STORED["looks"][frame][last]
    assert results["words"] == words
    for look, head in (("first", FIRST_LOOK), ("second", SECOND_LOOK)):
        assert np.allclose(results[view][look], weights[head], atol=6e-5)  # four decimals


@needs_weights
def test_stored_gaps_are_those_of_the_model():
    place = FRAMES.index(next(frame for frame in FRAMES if frame.sentence.startswith("The road didn't please the dog")))
    differences = leads(FRAMES[place], load())
    results = STORED["frames"][place]
    assert results["sentence"] == FRAMES[place].sentence and results["right"] == right(differences)
    assert np.isclose(results["gaps"]["open"], gap(differences), atol=1e-4)
    assert np.isclose(results["gaps"]["blocked"], gap(leads(FRAMES[place], load(), layer=2)), atol=1e-4)
    other = gap(leads(FRAMES[place], load(), layer=2, word="because"))
    assert np.isclose(results["gaps"]["another word"], other, atol=1e-4)


@needs_weights
def test_one_word_is_blocked_in_one_layer():
    sentence = SHOWN["animal first"].sentence.format("wide")
    words, open_ = looks(sentence, load())
    _, blocked = looks(sentence, load(), blocked=(2, "wide"))
    last = words.index("wide")
    assert np.array_equal(blocked[:2], open_[:2])
    assert (blocked[2, :, last] == 0).all() and (blocked[[0, 1, 3, 4, 5], :, last] > 0).all()
    assert np.allclose(blocked.sum(axis=-1), 1, atol=1e-5)
