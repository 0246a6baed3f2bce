"""The study of a head among words, beside the package's own head."""

import numpy as np
import pytest

from inorder.circuits import head_weights, offset_head
from inorder.encodings import sinusoidal_encoding
from inorder.stored import read_record
from pretrained_files import why_missing
from studies.own_word import N_POSITIONS, N_TEXTS, looks, random_texts, real_texts

STORED = read_record("own_word.json")["looks"]
POSITIONS = np.arange(N_POSITIONS)


def test_rows_look_where_the_packages_head_looks():
    expected = []
    for text, words in random_texts():
        x = words + sinusoidal_encoding(POSITIONS, 64)
        at = head_weights(x, x, offset_head(2, 64))[:-2].argmax(axis=1)
        rows = POSITIONS[:-2]
        expected.append([len(rows), sum(at == rows + 2), sum(text[at] == text[rows]), sum(at == rows)])
    assert list(looks(random_texts()).values()) == np.sum(expected, axis=0).tolist()
    assert len(expected) == N_TEXTS


def test_without_words_every_row_looks_at_its_target():
    counts = looks((text, np.zeros_like(words)) for text, words in random_texts())
    assert counts["at the target"] == counts["rows"] == N_TEXTS * (N_POSITIONS - 2)


@pytest.mark.parametrize("term", [None, "word with word"])
def test_the_record_is_what_random_rows_give(term):
    name = "random rows" if term is None else f"random rows, without {term}"
    assert looks(random_texts(), without=term) == STORED[name]


@pytest.mark.skipif(why_missing() is not None, reason="no weights")
def test_the_record_is_what_real_rows_give():
    assert looks(real_texts()) == STORED["a real encoder's rows"]
