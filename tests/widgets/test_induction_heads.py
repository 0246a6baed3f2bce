"""InductionHeads in a real browser: its numbers, its words, what the reader types and appends."""

import numpy as np
import pytest

from inorder.circuits import induction_shares
from inorder.widgets import InductionHeads
from inorder.widgets.induction_heads.figure import FIRST_HEADS, SHARPNESS

ALPHABET = ["a", "b", "é", "中", "🐈", "start"]


def random_figure(seed: int) -> InductionHeads:
    rng = np.random.default_rng(seed)
    words = rng.choice(ALPHABET, size=rng.integers(1, 11)).tolist()
    return InductionHeads(words, first_head=FIRST_HEADS[seed % 3])


def assert_page_shows(figure, python):
    np.testing.assert_allclose(figure.numbers("weights")[0], python.weights, rtol=0, atol=1e-9)
    largest = list(python.shares.values())[:3]
    np.testing.assert_allclose(figure.numbers("shares")[0], largest, rtol=0, atol=1e-9)
    assert figure.summary.inner_text() == python.summary()
    rows = figure.figure.locator(".inorder-rows tbody th").all_inner_texts()
    assert rows == ["start", *python.words]
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


def test_arcs_are_as_thick_as_the_weights_and_no_row_looks_ahead(mount):
    python = InductionHeads("a b c a", first_head="no positions")
    figure = mount(python)
    for name, weights in (("is-first", python.looks_back), ("is-second", python.weights[None])):
        off_diagonal = [row[key] for i, row in enumerate(weights) for key in range(len(row)) if key != i]
        if name == "is-second":
            off_diagonal = weights[0][:-1]
        drawn = figure.figure.locator(f"svg.{name} path").evaluate_all(
            "paths => paths.map((path) => Number(path.dataset.weight))"
        )
        np.testing.assert_allclose(drawn, [weight for weight in off_diagonal if weight >= 0.02], atol=1e-9)


def test_an_arc_begins_and_ends_at_the_middle_of_its_rows(mount):
    table = mount(InductionHeads("the cat sat down the cat sat")).figure.locator(".inorder-rows")
    tops = table.locator("tbody tr").evaluate_all("rows => rows.map((row) => row.getBoundingClientRect().top)")
    arcs = table.locator("svg.is-first path").evaluate_all(
        "paths => paths.map((path) => path.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"
    )
    height = (tops[-1] - tops[0]) / (len(tops) - 1)
    middles = np.array(tops) + height / 2
    assert len(arcs) == len(tops) - 1
    np.testing.assert_allclose(arcs, np.stack([middles[:-1], middles[1:]], axis=1), atol=2)


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


@pytest.mark.parametrize("first_head", FIRST_HEADS)
def test_the_twin_tells_and_draws_the_state(first_head):
    figure = InductionHeads("to be to do to", first_head=first_head)
    assert figure.summary() in figure.alt_text() and first_head in figure.alt_text()
    (axes,) = figure.figure().axes
    texts = [text.get_text() for text in axes.texts]
    assert texts[:2] == ["start", "–" if first_head == "off" else "after start"]
    assert [f"{weight:.2f}" for weight in figure.weights] == texts[2::3]
