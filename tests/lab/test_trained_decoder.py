"""Two prompts for the trained decoder, and what the live figure has stored of them."""

import numpy as np
import pytest

from inorder.lab.trained_decoder import RESULTS, last_rows, prompt_pair
from inorder.pretrained.decoder import LanguageModel, load, states
from inorder.stored import read_record
from pretrained_files import why_missing

FIGURE = read_record(RESULTS)["figure"]
needs_weights = pytest.mark.skipif(why_missing("decoder") is not None, reason=why_missing("decoder") or "")


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return load()


@needs_weights
def test_the_last_rows_of_every_state(lm: LanguageModel) -> None:
    ids = np.arange(504, 510)[None]
    layers = states(ids, lm)
    rows = last_rows(layers)
    assert rows.shape == (31, 1, 576)
    np.testing.assert_array_equal(rows[0, 0], lm.model.parameters.embedding[509])
    np.testing.assert_array_equal(rows[17, 0], layers[16].hidden[0, 5])


@needs_weights
def test_a_stored_pair(lm: LanguageModel) -> None:
    pair, result = FIGURE["pairs"][1], FIGURE["placements"][1]["unrotated"]
    measured = prompt_pair(tuple(pair), lm, "unrotated", 2)
    assert [result["texts"][i].startswith(measured.texts[i]) for i in range(2)] == [True, True]
    np.testing.assert_allclose(list(measured.next[0].values())[:3], list(result["next"][0].values())[:3], atol=1e-3)
    assert measured.distance == pytest.approx(result["distance"], abs=1e-3)
    np.testing.assert_allclose(measured.layers[2:], result["layers"][2:], rtol=0.01)  # before: rounding
