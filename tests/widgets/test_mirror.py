"""The mark `mirror`: what it refuses and shows, and how its words are moved."""

from itertools import permutations

import numpy as np
import pytest

from harness.accessibility import violations
from harness.figure import in_opposite_looks
from inorder.widgets import interact, marks

WORDS = ["dog", "bites", "man"]
ORDERS = {" ".join(WORDS[i] for i in order): order for order in permutations(range(3))}


def texts(order=(0, 1, 2), sign=False):
    """Which is which?"""
    at = np.argsort(order)
    offsets = at - at[:, None]
    left, right = (offsets, -offsets) if sign else (abs(offsets), abs(offsets))
    return marks.mirror(WORDS, order, left, right, limits=(-2, 2), drag="order"), marks.answer("So.")


def mirror(**start):
    return interact(texts, order=ORDERS, sign=start.get("sign", False))


@pytest.mark.parametrize(
    ("order", "left", "message"),
    [
        ([0, 1], np.ones((2, 3)), r"left must have a row and a column for each of 2 words, got \(2, 3\)"),
        ([0, 0], np.ones((2, 2)), "order must be"),
        ([0, 1], [[1, np.nan], [1, 1]], "left"),
    ],
)
def test_what_cannot_be_drawn_is_named(types_unchecked, order, left, message):
    with pytest.raises(ValueError, match=message):
        marks.mirror("a b", order, left, np.ones((2, 2)))


@pytest.mark.parametrize("sign", [False, True])
def test_equal_tables_lie_on_each_other_and_others_apart(mount, sign):
    figure = mount(mirror(sign=sign))
    expected = texts(sign=sign)[0].parts
    for side in ("left", "right"):
        np.testing.assert_array_equal(figure.numbers(f"0.{side}"), expected[side])
    left, right = (figure.cell(f"0.{side}", 0, 0).bounding_box()["x"] for side in ("left", "right"))
    assert left == pytest.approx(right, abs=0.5) if not sign else right - left > 300
    assert figure.figure.locator("select:visible").count() == 0  # words are moved by hand


def test_a_word_is_moved_in_the_text_and_in_the_mirror(mount):
    figure = mount(mirror(), viewport={"width": 660, "height": 900})
    text, image = (figure.figure.get_by_role("group", name=name) for name in ("The text:", "Its mirror image:"))
    first, second = (text.locator(".inorder-tile", has_text=word).bounding_box() for word in ("dog", "bites"))
    mouse = figure.page.mouse
    mouse.move(first["x"] + first["width"] / 2, first["y"] + 15)
    mouse.down()
    hand = first["x"] + 0.7 * (second["x"] - first["x"]) + first["width"] / 2
    mouse.move(hand, second["y"] + 15, steps=8)
    assert figure.sync().order == "bites dog man"
    held = text.locator(".is-dragged").bounding_box()
    assert held["x"] + held["width"] / 2 == pytest.approx(hand, abs=1), "it stays in the hand when the two swap"
    mouse.up()
    assert image.locator(".inorder-word").all_text_contents() == ["man", "dog", "bites"]
    image.get_by_role("button", name="“man”").press("End")
    assert figure.sync().order == "man bites dog"


def test_the_still_tells_and_draws_both():
    figure = mirror()
    assert "“dog bites man” and beside it its mirror image “man bites dog”, with one table" in figure.alt_text()
    words = [text.get_text() for text in figure.figure().axes[0].texts]
    assert words[:3] == WORDS and words.count("2") == 2 * 2


@in_opposite_looks
def test_accessible(mount, device, look):
    for sign in (False, True):
        figure = mount(mirror(sign=sign), color_scheme=look, **device)
        assert violations(figure.page, ".inorder-figure") == []
        assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
