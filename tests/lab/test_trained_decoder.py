"""Two prompts for the trained decoder, and what the live figure has stored of them."""

import numpy as np
import pytest

from inorder.lab.trained_decoder import PAIRS, RESULTS, continued, head_weights, prompt_pair, swapped_prompts
from inorder.pretrained.decoder import LanguageModel, attention, load
from inorder.stored import read_record
from pretrained_files import why_missing

FIGURE = read_record(RESULTS)["figure"]
needs_weights = pytest.mark.skipif(why_missing("decoder") is not None, reason=why_missing("decoder") or "")


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return load()


@needs_weights
def test_a_stored_pair(lm: LanguageModel) -> None:
    pair, result = FIGURE["pairs"][1], FIGURE["placements"][1]["unrotated"]
    measured = prompt_pair(tuple(pair), lm, "unrotated", 2)
    assert [result["texts"][i].startswith(measured.texts[i]) for i in range(2)] == [True, True]
    np.testing.assert_allclose(list(measured.next[0].values())[:3], list(result["next"][0].values())[:3], atol=1e-3)
    assert measured.distance == pytest.approx(result["distance"], abs=1e-3)
    np.testing.assert_allclose(measured.layers[2:], result["layers"][2:], rtol=0.01)  # before: rounding


def test_all_swaps_of_two_words_are_stored() -> None:
    first = PAIRS[0][1]
    swaps = swapped_prompts(first)
    assert len(swaps) == 8 * 7 // 2 - 1  # of eight words; two of them are "Doctor"
    assert all(sorted(each.replace(".", "").split()) == sorted(first.replace(".", "").split()) for each in swaps)
    assert [*FIGURE["swaps"]] == [each for each in swaps if each not in PAIRS[0]]


@needs_weights
def test_a_stored_swap_and_the_stored_heads(lm: LanguageModel) -> None:
    prompt, result = next(iter(FIGURE["swaps"].items()))
    measured = continued(prompt, lm)
    assert measured["text"] == result["text"]
    np.testing.assert_allclose(list(measured["next"].values())[:3], list(result["next"].values())[:3], atol=1e-3)
    words, weights = attention(PAIRS[0][1], lm)
    assert FIGURE["heads"]["words"] == head_weights(PAIRS[0][1], lm)["words"] == words
    digits = np.array([[int(digit, 36) for digit in head] for head in FIGURE["heads"]["weights"]])
    expected = np.asarray(weights)[:, :, *np.tril_indices(len(words))].reshape(270, -1)
    np.testing.assert_allclose(digits / 35, expected, atol=0.5 / 35 + 1e-3)
