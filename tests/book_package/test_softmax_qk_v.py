"""The exercises and the figures on softmax(QKᵀ/√d)V."""

import numpy as np
import pytest

from chapter_tests import ChapterTests
from inorder.attention import attention_weights, causal_mask, split_heads
from inorder.book.checks import softmax_qk_v as checks
from inorder.book.figures import softmax_qk_v as figures
from inorder.book.sentence import KEYS, QUERIES, WORDS

OPEN = np.ones((5, 5), dtype=bool)
WIDTHS = [16, 1024]
DRAWN = {
    "saturation": lambda: figures.saturation(
        WIDTHS,
        unscaled=np.array([[0.6, 0.7], [0.9, 0.95]]),
        scaled=np.array([[0.1, 0.2], [0.15, 0.2]]),
        expected_unscaled=[0.64, 0.95],
        expected_scaled=[0.16, 0.16],
        weights_unscaled=np.eye(32)[3],
        weights_scaled=np.full(32, 1 / 32),
    ),
    "masks": lambda: figures.masks(OPEN, causal_mask(5), OPEN & (np.arange(5) < 3)),
}


class TestChapter(ChapterTests):
    figures, drawn = figures, DRAWN


def test_saturation_draws_the_numbers_it_is_given():
    curve = DRAWN["saturation"]().axes[2]
    drawn = {tuple(np.round(line.get_ydata(), 6)) for line in curve.lines}
    assert {(0.65, 0.925), (0.15, 0.175), (0.64, 0.95), (0.16, 0.16)} <= drawn


def test_masks_cross_out_what_is_forbidden():
    crosses = [sum(t.get_text() == "×" for t in axes.texts) for axes in DRAWN["masks"]().axes]
    assert crosses == [0, 10, 10]


def test_two_mistakes_at_once_name_one_of_them():
    assert checks.softmax(lambda s: np.exp(s) / np.exp(s).sum(axis=-2, keepdims=True)).mistake.says == (
        "normalises over the wrong axis"
    )


def test_other_right_ways_are_accepted():
    assert checks.softmax(lambda s: np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))).passed
    assert checks.split_heads(lambda x, h: np.stack(np.split(x, h, axis=1))).passed

    def huge_penalty(query, key, value, mask):
        weights = np.exp(query @ key.T / np.sqrt(query.shape[-1]) - 1e6 * ~mask)
        return weights @ value / weights.sum(axis=1, keepdims=True)

    assert checks.masked_attention(huge_penalty).passed
    assert checks.window_mask(lambda n, width: np.tri(n) - np.tri(n, k=-width)).passed


def test_the_two_bugs_of_the_exercise_are_named_one_by_one():
    def attention_by(width, mask_late):
        def student(query, key, value, mask):
            scores = query @ key.T / np.sqrt(width(query))
            weights = np.exp(scores if mask_late else np.where(mask, scores, -np.inf))
            return (weights / weights.sum(axis=1, keepdims=True) * mask) @ value

        return checks.masked_attention(student)

    both = attention_by(len, mask_late=True)
    assert both.mistake.says == "scales by the number of queries, and masks after the softmax"
    one = attention_by(len, mask_late=False)
    assert one.mistake.says == "masks correctly but scales by the number of queries"
    other = attention_by(lambda query: query.shape[1], mask_late=True)
    assert other.mistake.says == "masks after the softmax and does not renormalise"
    assert attention_by(lambda query: query.shape[1], mask_late=False).passed


@pytest.mark.parametrize("asks", ["cross", "it"])
@pytest.mark.parametrize("forbidden", [("animal",), ("cross", "tired"), ("animal", "street", "it", "tired")])
def test_a_painted_row_of_a_mask_is_that_of_the_package(asks, forbidden):
    bars, answer = figures.paint(asks, **dict.fromkeys(forbidden, False))
    mask = np.tile([word not in forbidden for word in WORDS], (5, 1))
    row = WORDS.index(asks)
    assert np.allclose(bars.parts["values"][0], attention_weights(QUERIES, KEYS, mask=mask)[row], rtol=1e-12)
    before = attention_weights(QUERIES, KEYS)[row][mask[row]].sum()
    assert f"had {before:.2f} of the weight" in answer.parts["words"]


def test_a_row_of_a_mask_with_nothing_left_is_said_to_be_wrong():
    bars, answer = figures.paint("it", *[False] * 5)
    assert not bars.parts["values"].any() and answer.parts["sign"] == "×"
    assert figures.paint("it")[1].parts["words"].startswith("Nothing is forbidden")


def test_each_cut_into_heads_gets_its_verdict():
    numbers = np.arange(12.0).reshape(3, 4)
    places = {name: i for i, name in enumerate(figures.NUMBERS.ravel())}
    result = np.vectorize(places.get)(figures.CUTS["cut, then swap axes"])
    assert np.array_equal(result, split_heads(numbers, 2))
    verdicts = {by: figures.cut(by)[-1].parts for by in figures.CUTS}
    assert [parts["sign"] for parts in verdicts.values()] == ["✓", "≠", "×"]
    assert "“animal” twice and never “tired”" in verdicts["reshape directly"]["words"]
