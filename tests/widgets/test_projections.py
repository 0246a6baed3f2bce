"""The mark `projections`: what it refuses, the row that a hand takes, and where it lands."""

import numpy as np
import pytest

from harness.accessibility import violations
from harness.figure import in_opposite_looks
from inorder.widgets import interact, marks

WORDS = ["<b>dog</b>", "bites", "man"]
ROWS = np.array([[1.0, 0.0], [0.5, 2.0], [0.0, 0.0]])
MATRICES = np.arange(12.0).reshape(3, 2, 2)
AXES = ("creature", "place", "warm", "large")


def way(word="bites"):
    """Where does its row land?"""
    rows = marks.projections(ROWS, WORDS, WORDS.index(word), MATRICES, row_axes="is does", axes=AXES, drag="word")
    return rows, marks.answer(f"{word}.")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rows": np.ones((1, 2))}, "expected 2 to 8 rows of as many numbers, got 1 × 2"),
        ({"matrices": np.ones((2, 2, 2))}, r"matrices must have shape \(3, 2, 2\), got \(2, 2, 2\)"),
        ({"rows": -ROWS}, "no number may be negative, got -2"),
        ({"chosen": 3}, "chosen must be a place from 0 to 2, got 3"),
        ({"axes": AXES[:3]}, "expected 4 labels, got 3"),
    ],
)
def test_what_cannot_be_drawn_is_named(changed, message):
    parts = {"rows": ROWS, "labels": WORDS, "chosen": 0, "matrices": MATRICES, "row_axes": "is does", "axes": AXES}
    with pytest.raises(ValueError, match=message):
        marks.projections(**parts | changed)


def middle(thing):
    box = thing.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_row_is_taken_by_hand_and_by_keys(mount):
    figure = mount(interact(way, word=WORDS))
    assert figure.figure.locator("b, input, select").count() == 0, "a word is text, and rows need no list above"
    np.testing.assert_allclose(
        figure.numbers("0.landed"), [row @ w for row, w in zip([ROWS[1]] * 3, MATRICES, strict=True)]
    )
    rows, ring = figure.figure.locator(".inorder-row-of"), figure.figure.get_by_role("slider", name="Drag the row")
    rows.nth(0).click(position={"x": 10, "y": 10})
    assert figure.sync().word == WORDS[0]
    np.testing.assert_allclose(figure.numbers("0.landed"), MATRICES[:, 0])
    (x, y), (_, goal) = (middle(ring), middle(rows.nth(2)))
    figure.page.mouse.move(x, y)
    figure.page.mouse.down()
    figure.page.mouse.move(x, goal, steps=4)
    assert middle(ring) == pytest.approx((x, goal), abs=1), "the ring is in the hand"
    figure.page.mouse.up()
    assert figure.sync().word == "man"
    rows.nth(2).hover(position={"x": 10, "y": 10})
    figure.page.mouse.down()
    rows.nth(0).hover(position={"x": 10, "y": 10})
    figure.page.mouse.up()
    assert figure.sync().word == WORDS[0], "a word is pulled as well"
    ring.press("ArrowDown")
    assert figure.sync().word == "bites" and ring.get_attribute("aria-valuetext") == "word bites"
    assert "man, is 0, does 0" in figure.figure.get_by_role("img").get_attribute("aria-label")


def test_in_words_and_on_paper():
    figure = interact(way, word=WORDS)
    assert "the row of bites goes through three matrices and lands" in figure.alt_text()
    assert "query (4.0, 6.5), key (14.0, 16.5) and value (24.0, 26.5)" in figure.alt_text()
    texts = [text.get_text() for text in figure.figure().axes[0].texts]
    assert "◆ (4.0, 6.5)" in texts


@in_opposite_looks
def test_it_is_accessible_and_fits(mount, look, device):
    figure = mount(interact(way, word=WORDS), color_scheme=look, **device)
    assert violations(figure.page, ".inorder-figure") == []
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
