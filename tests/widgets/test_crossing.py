"""The mark `crossing`, and the bands, levels and handle of `lines`: what they refuse and show, how they are moved."""

from itertools import permutations

import numpy as np
import pytest

from harness.accessibility import violations
from harness.figure import in_opposite_looks
from inorder.widgets import interact, marks

WORDS = ["dog", "bites", "man"]
ORDERS = {" ".join(WORDS[i] for i in order): order for order in permutations(range(3))}
ROWS = np.array([[1.0, -2.0], [0.5, 0.0], [-1.0, 1.5]])


def moved(order=(0, 1, 2)):
    """Which row follows?"""
    kept = [place == word for place, word in enumerate(order)]
    rows = (ROWS, ROWS[list(order)] * 0.5)
    words = [WORDS[i] for i in order]
    notes = ["=" if one else "≠" for one in kept]
    return marks.crossing(WORDS, words, order, rows=rows, kept=kept, notes=notes, drag="order"), marks.answer("So.")


def chart(at=2.0):
    """Where does it stand?"""
    x = np.arange(5.0)
    curve = marks.lines(x, {"up": x}, bands={"up": (x - 1, x + 1)}, levels={"three": 3}, handle=at, drag="at")
    return curve, marks.answer(f"At {at:g}.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a b", "b a", [1]), "expected 2 numbers"),
        (("a b", "b a", [1, 2]), "order must hold places from 0 to 1"),
        (("a b", "b a", [1, 1]), "order must hold places from 0 to 1, each at most once"),
        (("a b", "b c", [1, -1], {"drag": "x"}), "drag needs the same words above and below"),
        (("a b", "b a", [1, 0], {"rows": (np.ones((2, 2)), np.ones((2, 3)))}), r"rows must have shapes \(2, d\)"),
        (("a b", "b a", [1, 0], {"kept": [True]}), "kept must have 2 booleans, one for each lower word, got 1"),
        (("", "b a", [1, 0]), "expected 1 to 24 words above and below, got 0 and 2"),
    ],
)
def test_what_cannot_be_drawn_is_named(types_unchecked, arguments, message):
    *positional, options = arguments if isinstance(arguments[-1], dict) else (*arguments, {})
    with pytest.raises(ValueError, match=message):
        marks.crossing(*positional, **options)


def test_the_page_shows_the_threads_and_the_rows(mount):
    figure = mount(interact(moved, order=ORDERS, start={"order": "man bites dog"}))
    np.testing.assert_allclose(figure.numbers("0.above"), ROWS)
    np.testing.assert_allclose(figure.numbers("0.below"), ROWS[::-1] * 0.5)
    paths = figure.figure.locator(".inorder-threads path")
    assert paths.evaluate_all("all => all.map((one) => one.matches('.is-kept'))") == [False, True, False]
    ends = paths.evaluate_all("all => all.map((one) => one.getAttribute('d').split(' ').filter(Number))")
    assert [(float(one[0]), float(one[-2])) for one in ends] == [
        pytest.approx(pair, abs=0.1) for pair in ((1000 / 6, 5000 / 6), (500, 500), (5000 / 6, 1000 / 6))
    ]
    assert figure.figure.locator("select:visible").count() == 0  # words are moved by hand


def test_a_word_is_dragged_and_moved_by_keys(mount):
    figure = mount(interact(moved, order=ORDERS))
    first, last = (figure.figure.locator(".inorder-tile", has_text=word).bounding_box() for word in ("dog", "man"))
    mouse = figure.page.mouse
    mouse.move(first["x"] + first["width"] / 2, first["y"] + 15)
    mouse.down()
    mouse.move(last["x"] + last["width"] / 2, last["y"] + 15, steps=8)
    mouse.up()
    assert figure.sync().order == "bites man dog"
    figure.figure.get_by_role("button", name="“dog”, position 2").press("Home")
    assert figure.sync().order == "dog bites man"


def test_a_handle_is_dragged_along_its_axis(mount):
    figure = mount(interact(chart, at=(0, 4, 1)))
    [band] = figure.figure.locator("path.inorder-band").evaluate_all("all => all.map((one) => one.dataset.value)")
    assert [float(number) for number in band.split()] == [-1, 0, 1, 2, 3, 1, 2, 3, 4, 5]
    assert figure.figure.locator(".inorder-labels text").all_text_contents() == ["up", "three"]
    handle, plane = (figure.figure.locator(name).bounding_box() for name in (".inorder-handle", ".inorder-plane"))
    middle = [handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2]
    figure.page.mouse.move(*middle)
    figure.page.mouse.down()
    figure.page.mouse.move(plane["x"], middle[1], steps=5)
    figure.page.mouse.up()
    assert figure.sync().at == 0
    figure.figure.locator(".inorder-handle").press("ArrowRight")
    assert figure.sync().at == 1


def test_the_still_tells_and_draws_both():
    crossing, plane = interact(moved, order=ORDERS), interact(chart, at=(0, 4, 1))
    assert "whole are those of dog, bites, man" in crossing.alt_text()
    texts = [text.get_text() for text in crossing.figure().axes[0].texts]
    assert texts == [*WORDS, *(f"{word}\n=" for word in WORDS)]
    assert len(plane.figure().axes[0].collections) == 1  # the band


@in_opposite_looks
def test_accessible(mount, device, look):
    for f, states in ((moved, {"order": ORDERS}), (chart, {"at": (0, 4, 1)})):
        figure = mount(interact(f, **states), color_scheme=look, **device)
        assert violations(figure.page, ".inorder-figure") == []
        assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
