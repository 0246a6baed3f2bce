"""The two looks of *it*: the stored weights are those of the model, and the door shuts what it says it shuts."""

import json

import numpy as np
import pytest

from inorder.lab.two_looks import BEINGS, BOTH, FIRST_LOOK, PLACES, SECOND_LOOK, looks
from inorder.pretrained import attention, load
from inorder.stored import stored
from pretrained_files import why_missing

pytestmark = pytest.mark.skipif(why_missing() is not None, reason=why_missing() or "")
STORED = json.loads(stored("two_looks.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("last", ["tired", "dark"])
def test_with_all_doors_open_these_are_the_weights_of_the_model(last):
    words, weights = looks(last, load())
    whole = attention(STORED["sentence"].format(last), load())
    assert words == whole.words
    assert np.allclose(weights, whole.weights[:, :, words.index("it")], atol=1e-6)


@pytest.mark.parametrize("last", ["hungry", "icy", "busy"])
@pytest.mark.parametrize(("name", "door"), [("open", None), ("shut", FIRST_LOOK[0])])
def test_what_is_stored_is_what_the_model_does(last, name, door):
    words, weights = looks(last, load(), door=door)
    assert STORED["looks"][last]["words"] == words
    for look, head in (("first", FIRST_LOOK), ("second", SECOND_LOOK)):
        assert np.allclose(STORED["looks"][last][name][look], weights[head], atol=6e-5)  # four decimals


def test_a_door_shuts_one_word_in_one_layer():
    _, open_ = looks("wide", load())
    _, shut = looks("wide", load(), door=2)
    assert np.array_equal(shut[:2], open_[:2])
    assert (shut[2, :, -3] == 0).all() and (shut[[0, 1, 3, 4, 5], :, -3] > 0).all()
    assert np.allclose(shut.sum(axis=-1), 1, atol=1e-5)


def test_every_word_is_stored_once():
    assert set(STORED["looks"]) == {*BEINGS, *PLACES, *BOTH}
