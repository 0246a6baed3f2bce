"""The study of one source of order at a time: each measurement by another route, and the stored results beside it."""

import numpy as np
import pytest

from inorder.pretrained.decoder import LanguageModel, load, logits, tokenize
from inorder.stored import read_record
from pretrained_files import why_missing
from studies.two_sources import (
    PAIRS,
    RESULTS,
    TASKS,
    Swap,
    copy_losses,
    open_mask,
    random_words,
    row_differences,
    swap_effects,
    token_losses,
)

STORED = read_record(RESULTS)
needs_weights = pytest.mark.skipif(why_missing("decoder") is not None, reason=why_missing("decoder") or "")


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return load()


@needs_weights
def test_the_pairs_are_one_bag_of_tokens(lm: LanguageModel):
    for pair in PAIRS:
        first, second = (tokenize(text, lm).ids for text in pair)
        assert (first != second).any() and first[-1] == second[-1]
        np.testing.assert_array_equal(np.sort(first), np.sort(second))


@needs_weights
def test_effects_and_rows_by_another_route(lm: LanguageModel):
    swaps = TASKS["home"][:1]
    effects = swap_effects(swaps, lm, ["both", "mask, first", "neither"])
    for view, values in effects.items():
        np.testing.assert_allclose(values, STORED["swaps"]["home"]["effects"][view][:1], atol=1e-2)
    first, second = (int(tokenize(f" {answer}", lm).ids[0]) for answer in swaps[0].answers)
    swapped = swaps[0].text.replace("Paris", "·").replace("Rome", "Paris").replace("·", "Rome")
    ids = tokenize(swaps[0].text, lm).ids
    rows = [int(np.flatnonzero(ids == token)[0]) for token in (first, second)]
    equal = np.arange(len(ids))
    equal[rows[1]] = rows[0]
    for view, positions in (("both", None), ("mask, first", equal.tolist())):
        for order, text in enumerate((swaps[0].text, swapped)):
            row = logits(text, lm, positions)[-1]
            assert effects[view][0, order] == pytest.approx(float(row[first] - row[second]), abs=1e-3)
    with pytest.raises(ValueError, match="view"):
        swap_effects(swaps, lm, ["weather"])
    with pytest.raises(ValueError, match="each once"):
        swap_effects((Swap("The dog and the dog", ("dog", "cat"), ("a", "b")),), lm)
    with pytest.raises(ValueError, match="one token"):
        swap_effects((Swap("The dog", ("dog", "floccinaucinihilipilification"), ("a", "b")),), lm)
    for source, values in row_differences(PAIRS[1], lm).items():  # rounding comes to 1e-4, what is seen to 8e-3
        np.testing.assert_allclose(
            values, STORED["second_block"]["differences"]["pairs"][1][source], rtol=1e-2, atol=5e-4
        )


@needs_weights
def test_losses_by_another_route(lm: LanguageModel):
    words = random_words(lm, 5, 2, seed=3)
    assert all(len(set(row)) == 5 for row in words.tolist())
    losses = copy_losses(words, lm)
    ids = np.concatenate([[504], words[0], words[0]])  # 504 is “The”
    scores = np.asarray(logits(ids, lm), np.float64)
    by_hand = [np.log(np.exp(scores[i]).sum()) - scores[i, ids[i + 1]] for i in range(len(ids) - 1)]
    np.testing.assert_allclose(token_losses(ids[None], lm, np.arange(11), open_mask(11, 0, 0))[0], by_hand, atol=1e-3)
    assert losses["untouched"][0] == pytest.approx(np.mean(by_hand[6:]), abs=1e-3)
    np.testing.assert_allclose(losses["rotations"], losses["rotations, rows shuffled"], atol=1e-2)
    with pytest.raises(ValueError, match="two lists"):
        copy_losses(words[:1], lm)
