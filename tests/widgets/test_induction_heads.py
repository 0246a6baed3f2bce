"""InductionHeads in a real browser: its numbers, its words, what the reader types and appends."""

import numpy as np
import pytest

from inorder.circuits import induction_shares
from inorder.widgets import InductionHeads
from inorder.widgets.induction_heads.figure import FAINT, FIRST_HEADS, SHARPNESS, note_in_words

ALPHABET = ["a", "b", "é", "中", "🐈", "start"]


def random_figure(seed: int) -> InductionHeads:
    rng = np.random.default_rng(seed)
    words = rng.choice(ALPHABET, size=rng.integers(1, 11)).tolist()
    return InductionHeads(words, first_head=FIRST_HEADS[seed % 3])


def arcs(figure, head, python):
    """The weights that the arcs of a head carry, (from, to); what has no arc is 0."""
    n = len(python.words) + 1
    weights = np.zeros((n, n))
    drawn = figure.figure.locator(f'[data-name="0.{head}.weights"]').evaluate_all(
        "all => all.map(({ dataset }) => [+dataset.row, +dataset.col, +dataset.value])"
    )
    for row, column, value in drawn:
        weights[int(row), int(column)] = value
    return weights


def assert_page_shows(figure, python):
    second = np.zeros((len(python.weights), len(python.weights)))
    second[-1] = python.weights
    for head, weights in enumerate((python.looks_back * ~np.eye(len(second), dtype=bool), second)):
        np.testing.assert_allclose(arcs(figure, head, python), np.where(weights > FAINT, weights, 0), rtol=0, atol=1e-9)
    largest = list(python.shares.values())[:3]
    np.testing.assert_allclose(figure.numbers("1.values")[0], largest, rtol=0, atol=1e-9)
    assert figure.summary.inner_text() == python.summary()
    tiles = figure.figure.locator(".inorder-tile .inorder-word").all_inner_texts()
    assert tiles == ["start", *python.words]
    notes = figure.figure.locator(".inorder-tile .inorder-note").all_inner_texts()
    assert notes == [note_in_words(note, python.tokens) for note in python.notes]
    assert figure.figure.get_by_label("Text", exact=True).input_value() == " ".join(python.words)


@pytest.mark.parametrize("seed", range(12))
def test_every_number_is_inorders(mount, seed):
    python = random_figure(seed)
    assert_page_shows(mount(python), python)


@pytest.mark.parametrize("seed", range(0, 30, 3))
def test_shares_are_what_followed_the_last_word(seed):
    figure = random_figure(seed)
    tokens = np.array([figure.tokens.index(word) for word in ["", *figure.words]])
    expected = induction_shares(tokens, len(figure.tokens), sharpness=SHARPNESS)[-1]
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


@pytest.mark.parametrize("typed", ["", " ".join("abcdefghijk"), "extraordinary"])
def test_a_text_that_does_not_fit_is_refused(mount, typed):
    python = InductionHeads("a b")
    figure = mount(python)
    text = figure.figure.get_by_label("Text", exact=True)
    text.fill(typed)
    assert "1 to 10 words" in figure.figure.locator(".inorder-notice").inner_text()
    text.blur()
    assert text.input_value() == "a b" and python.words == ["a", "b"]
