"""InductionHeads in a real browser: its numbers, its words, what the reader types and appends."""

import numpy as np
import pytest

from induction_by_counting import induction_shares
from inorder.widgets import InductionHeads
from inorder.widgets.induction_heads.figure import FIRST_HEADS, SHARPNESS, note_in_words

ALPHABET = ["a", "b", "é", "中", "🐈", "start"]


def random_figure(seed: int) -> InductionHeads:
    rng = np.random.default_rng(seed)
    words = rng.choice(ALPHABET, size=rng.integers(1, 11)).tolist()
    return InductionHeads(
        words, first_head=FIRST_HEADS[seed % 3], back=int(rng.integers(len(words))) if seed % 2 else 0
    )


def assert_page_shows(figure, python):
    np.testing.assert_allclose(figure.numbers("0.weights")[0], python.weights, rtol=0, atol=1e-9)
    assert figure.summary.inner_text() == python.summary()
    words = figure.figure.locator(".inorder-ink-word")
    assert words.locator(".inorder-word").all_inner_texts() == ["start", *python.words]
    notes = [note_in_words(note, python.tokens) for note in python.notes]
    assert words.locator(".inorder-ink-note").all_inner_texts() == notes
    assert figure.figure.get_by_label("Text", exact=True).input_value() == " ".join(python.words)


@pytest.mark.parametrize("seed", range(3))
def test_every_number_is_inorders(mount, seed):
    python = random_figure(seed)
    assert_page_shows(mount(python), python)


@pytest.mark.parametrize("seed", range(0, 30, 3))
def test_shares_are_what_followed_the_word_that_asks(seed):
    figure = random_figure(seed)
    tokens = np.array([figure.tokens.index(word) for word in ["", *figure.words]])
    expected = induction_shares(tokens, len(figure.tokens), sharpness=SHARPNESS)[-1 - figure.back]
    np.testing.assert_allclose([figure.shares[token] for token in figure.tokens], expected, atol=1e-6)
    assert sum(figure.shares.values()) == pytest.approx(1)


def test_what_the_reader_types_is_continued_around_and_around(mount):
    python = InductionHeads("a b c")
    figure = mount(python)
    text = figure.figure.get_by_label("Text", exact=True)
    text.fill("red blue green red")
    assert figure.sync().words == ["red", "blue", "green", "red"]
    assert_page_shows(figure, python)
    append = figure.figure.get_by_role("button", name="Append the next word")
    for _ in range(6):
        append.click()
    assert figure.sync().words == ["red", "blue", "green"] * 3 + ["red"]
    assert append.is_disabled()
    assert_page_shows(figure, python)


def test_a_word_with_two_successors_brings_both(mount):
    python = InductionHeads("to be to do to")
    figure = mount(python)
    assert figure.summary.inner_text() == "“to” leads to “be” (0.50), “do” (0.50)."
    figure.figure.get_by_role("radio", name="off").check()
    assert figure.sync().first_head == "off"
    assert figure.summary.inner_text() == "No note names “to”: the second head looks at all 6 rows equally."
    assert_page_shows(figure, python)


def test_an_earlier_word_asks_and_sees_no_later_one(mount):
    python = InductionHeads("a b a c a d")
    figure = mount(python)
    figure.figure.locator(".inorder-ink-word").nth(3).click()
    assert figure.sync().back == 3
    assert figure.summary.inner_text() == python.summary() == "After “a” comes “b”, with 1.00 of the weight."
    assert not python.weights[4:].any()
    handle = figure.figure.get_by_role("slider", name="Drag the word that asks")
    handle.press("ArrowRight")
    handle.press("ArrowRight")
    assert figure.sync().back == 1
    assert figure.summary.inner_text() == "“a” leads to “b” (0.50), “c” (0.50)."
    figure.figure.get_by_role("button", name="Append the next word").click()
    assert (figure.sync().words[-1], python.back) == ("a", 0)
    assert_page_shows(figure, python)


def test_a_text_that_does_not_fit_is_refused(mount):
    python = InductionHeads("a b")
    figure = mount(python)
    text = figure.figure.get_by_label("Text", exact=True)
    for typed in ("", " ".join("abcdefghijk"), "extraordinary"):
        text.fill(typed)
        assert "1 to 10 words" in figure.figure.locator(".inorder-notice").inner_text()
    text.blur()
    assert text.input_value() == "a b" and python.words == ["a", "b"]
