"""The mark `cakes`: what it refuses and shows, and how a slice is pulled."""

import numpy as np
import pytest

from harness.accessibility import violations
from harness.figure import in_opposite_looks
from inorder.attention import softmax
from inorder.widgets import interact, marks

WORDS = ["dog", "bites", "man"]
PULLS = {f"{pull:g}": float(pull) for pull in range(-2, 5)}


def table(key="dog", pull=0.0, whole="rows"):
    """Who loses?"""
    scores = np.array([[1.0, 0, 2], [0, 0, 1], [2, 1, 0]])
    scores[1, WORDS.index(key)] += pull
    shares = softmax(scores, axis=1 if whole == "rows" else 0)
    return marks.cakes(shares, WORDS, whole=whole, held=1, drag=("key", "pull")), marks.answer("So.")


def cakes(**start):
    return interact(table, key=WORDS, pull=PULLS, whole=["rows", "columns"], start={"pull": "0"} | start, play=False)


@pytest.mark.parametrize(
    ("shares", "options", "message"),
    [
        (np.ones((2, 3)) / 3, {}, r"a row and a column for each of 2 words, got \(2, 3\)"),
        ([[0.5, 0.6], [0.5, 0.5]], {}, "the slices of rows must sum to 1"),
        ([[0.5, 0.5], [0.9, 0.1]], {"whole": "columns"}, "the slices of columns must sum to 1"),
        ([[0.5, 0.5], [0.5, 0.5]], {"whole": "both"}, 'whole must be "rows" or "columns"'),
        ([[0.5, 0.5], [0.5, 0.5]], {"held": 2}, "held must be one of the rows 0 to 1"),
    ],
)
def test_what_cannot_be_drawn_is_named(types_unchecked, shares, options, message):
    with pytest.raises(ValueError, match=message):
        marks.cakes(shares, ["a", "b"], **options)


@pytest.mark.parametrize("whole", ["rows", "columns"])
def test_the_page_shows_the_shares_and_what_they_make(mount, whole):
    figure = mount(cakes(whole=whole))
    shares = table(whole=whole)[0].parts["values"]
    np.testing.assert_allclose(figure.numbers("0.values"), shares, rtol=1e-6)
    totals = shares.sum(axis=0 if whole == "rows" else 1)
    assert figure.figure.locator(".is-total").all_text_contents() == [f"{total:.2f}" for total in totals]
    assert figure.figure.locator("select:visible").count() == 0  # slices are pulled by hand


def test_a_slice_is_pulled_by_hand_and_by_keys(mount):
    figure = mount(cakes())
    handle = figure.figure.get_by_label("Drag the slice of “man”")
    box, rim = (one.bounding_box() for one in (handle, figure.figure.locator(".is-rim.is-loose").nth(2)))
    goal = (rim["x"], rim["y"] + rim["height"] / 2)  # three quarters of a cake
    mouse = figure.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(*goal, steps=6)
    held = figure.figure.locator(".inorder-handle.is-held").bounding_box()
    assert np.hypot(held["x"] + held["width"] / 2 - goal[0], held["y"] + held["height"] / 2 - goal[1]) < 8
    mouse.up()
    python = figure.sync()
    assert (python.key, python.pull) == ("man", "1")
    np.testing.assert_allclose(figure.numbers("0.values"), table("man", 1.0)[0].parts["values"], rtol=1e-6)
    for key, expected in (("ArrowUp", ("man", "2")), ("ArrowLeft", ("bites", "2")), ("ArrowDown", ("bites", "1"))):
        figure.figure.locator('.inorder-handle[tabindex="0"]').press(key)
        python = figure.sync()
        assert (python.key, python.pull) == expected


def test_the_still_tells_and_draws_it():
    figure = cakes()
    assert "Those of a row make one cake, those of a column make: dog" in figure.alt_text()
    wedges = figure.figure().axes[0].patches
    assert len(wedges) == 9 + 9  # the table, and a cake for each row


@in_opposite_looks
def test_accessible(mount, device, look):
    figure = mount(cakes(), color_scheme=look, **device)
    assert violations(figure.page, ".inorder-figure") == []
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
