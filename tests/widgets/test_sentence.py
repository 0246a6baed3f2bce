"""The mark `sentence`: arcs as thick as weights, words that stay with them, tiles that fit. See `test_marks.py`."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect

from harness.figure import PHONE, MountedFigure
from inorder.widgets import interact, marks

WORDS = ["animal", "street", "it"]
ORDERS = {" ".join(WORDS[i] for i in order): order for order in permutations(range(3))}
WEIGHTS = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.0, 0.9375, 0.0625]])
LONG = ["The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too", "tired"]
WIDTHS = """(arcs) => arcs.map((arc) => [arc.parentElement.dataset.row, arc.parentElement.dataset.col,
  Number(arc.getAttribute("stroke-width"))])"""


def reordered(order, asks=2):
    """Which word looks at which?"""
    weights = WEIGHTS[np.ix_(order, order)]
    place = list(order).index(asks)
    words = [WORDS[token] for token in order]
    rounds = {"all": weights, "one": weights[place]}
    line = marks.sentence(words, rounds, order=order, asks=place, notes=[0, 1, ""], drag="order")
    return line, marks.answer(f"{' '.join(words)}, {WORDS[asks]} asks.")


def reordered_figure():
    return interact(reordered, order=ORDERS, asks=(0, 2), start={"asks": 2}, play=False)


def tile(mounted, word):
    return mounted.figure.locator(".inorder-tile", has_text=word)


def in_order(mounted, axis="x"):
    boxes = {word: tile(mounted, word).bounding_box() for word in WORDS}
    return sorted(WORDS, key=lambda word: boxes[word][axis])


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(3)), asks=st.integers(0, 2))
def test_the_page_shows_each_word_at_its_place_with_its_weights(mounted, order, asks):
    mounted.drive(order=" ".join(WORDS[token] for token in order), asks=asks)
    assert in_order(mounted) == [WORDS[token] for token in order]
    for i, token in enumerate(order):
        assert tile(mounted, WORDS[token]).locator(".inorder-note").text_content() == ["0", "1", ""][i]
    weights = mounted.numbers("0.0.weights")
    expected = WEIGHTS[np.ix_(order, order)]
    np.testing.assert_allclose(np.where(expected > 0, weights[: len(expected), : len(expected)], 0), expected)
    assert mounted.figure.locator(".is-asking .inorder-word").inner_text() == WORDS[asks]
    place = order.index(asks)
    arcs = mounted.figure.locator('[data-name="0.1.weights"] .inorder-arc').evaluate_all(WIDTHS)
    assert {int(row) for row, *_ in arcs} == {place}
    thickness = {int(col): thick for _, col, thick in arcs}
    for col, weight in enumerate(expected[place]):
        assert thickness.get(col, 0) == pytest.approx(15 * weight / 0.9375), "linear, from none to the largest of all"


@pytest.fixture(scope="module")
def mounted(pages):
    return MountedFigure(pages(), reordered_figure())


def test_a_word_that_is_dragged_there_and_back_leaves_no_trace(mount):
    mounted = mount(reordered_figure())
    x, y = mounted.middle(".inorder-tile:has-text('street')")
    mounted.page.mouse.move(x, y)
    mounted.page.mouse.down()
    seen = []
    for way in (100, 200, 100, 0, -100, -200, 0):
        mounted.page.mouse.move(x + way, y)
        seen.append(mounted.summary.text_content().split(",")[0])
    mounted.page.mouse.up()
    assert {"animal it street", "street animal it"} <= set(seen)
    assert mounted.sync().state == {"order": "animal street it", "asks": 2}
    assert mounted.middle(".inorder-tile:has-text('street')") == pytest.approx([x, y], abs=1)


def line(last="tired"):
    """A sentence too long for a phone"""
    rounds = {"first": np.eye(11)[10] * 0.9 + 0.1 / 11, "second": np.eye(11)[1 if last == "tired" else 5]}
    return marks.sentence([*LONG[:-1], last], rounds, asks=7, small=[0, 2, 4, 6, 8, 9])


def test_a_long_sentence_stands_on_a_phone_and_cuts_no_word(mount):
    words = ["wide-awake", "unfamiliar", "worn-out by it"]
    mounted = mount(interact(line, last=words, start={"last": words[0]}), **PHONE)
    boxes = [one.bounding_box() for one in mounted.figure.locator(".inorder-sentence .inorder-tile").all()]
    for one, other in pairwise(boxes):
        apart = other["x"] >= one["x"] + one["width"] or other["y"] >= one["y"] + one["height"]
        assert apart, "no tile covers another"
    widest = mounted.figure.locator(".inorder-word").last
    for word in words:
        mounted.drive(last=word)
        expect(widest).to_have_text(word)
        room, needed = widest.evaluate(
            "word => { const text = document.createRange(); text.selectNodeContents(word);"
            " return [word, text].map((one) => one.getBoundingClientRect().width); }"
        )
        assert room >= needed, word


def test_arrows_join_words_and_what_no_order_moves_has_no_grip(mount):
    def chain(order=(0, 1, 2)):
        """Each row and the next"""
        tokens = ["ABC"[token] for token in order]
        return marks.sentence([*tokens, "?"], np.eye(4, k=1), order=[*order, 3], heads=True, small=[3], drag="order")

    mounted = mount(interact(chain, order={"A B C": (0, 1, 2), "B A C": (1, 0, 2)}))
    assert mounted.figure.locator(".is-loose").all_inner_texts() == ["A", "B"]
    mounted.figure.get_by_role("button", name="C, 3 of 4").press("ArrowLeft")
    assert mounted.sync().order == "A B C"
    mounted.figure.get_by_role("button", name="A, 1 of 4").press("ArrowRight")
    assert mounted.sync().order == "B A C"
    assert "B to A, A to C and C to ?." in mounted.python.alt_text()


@given(order=st.permutations(range(5)), seed=st.integers(0, 99))
def test_weights_belong_to_their_words_whatever_the_order(order, seed):
    weights = np.random.default_rng(seed).random((5, 5))
    words = np.array(list("vwxyz"))
    usual = marks.sentence(list(words), weights, asks=3).parts
    moved = marks.sentence(list(words[order]), weights[np.ix_(order, order)], order=order, asks=order.index(3)).parts
    assert moved["labels"] == usual["labels"] and moved["asks"] == usual["asks"] == 3
    np.testing.assert_array_equal(moved["weights"], usual["weights"])
    np.testing.assert_array_equal(moved["places"][order], np.arange(5))
