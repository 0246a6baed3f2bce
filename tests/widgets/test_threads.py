"""The mark `threads`: what it refuses, what the page shows of it, and the handle that has no sliders."""

import numpy as np
import pytest

from harness.accessibility import violations
from harness.figure import in_opposite_looks
from inorder.widgets import interact, marks

WORDS = ["animal", "street", "<b>it</b>"]
SPOTS = [[2.0, 0.0], [0.0, 2.0], [0.0, 0.0]]


def asked(across=1.0, up=0.0):
    """Which word gets its attention?"""
    powers = np.exp(np.array(SPOTS) @ [across, up])
    plane = marks.threads(SPOTS, powers / powers.sum(), WORDS, axes=("creature", "place"), x_limits=(-1, 3))
    return plane + marks.arrows([[across, up]], ["it asks"], actor="query", drag=("across", "up")), marks.answer("So.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SPOTS, [0.5, 0.5], WORDS), "expected 3 numbers like those of the first, but 'shares' has 2"),
        ((SPOTS, [0.5, 0.5, 1.5], WORDS), "shares must lie from 0 to 1, got 1.5"),
        ((SPOTS, [0, 0, 1], WORDS[:2]), "expected 3 labels, got 2"),
        ((np.ones((3, 3)), [0, 0, 1], WORDS), r"expected shape \(3, 2\), got tips \(3, 3\)"),
    ],
)
def test_what_cannot_be_drawn_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        marks.threads(*arguments)


def test_a_thread_is_as_wide_as_its_share_and_the_widest_has_its_number(mount):
    figure = mount(interact(asked, across=(0, 2, 0.5), up=(0, 2, 0.5)))
    powers = np.exp([2.0, 0.0, 0.0])
    np.testing.assert_allclose(figure.numbers("0.0.shares")[:, 0], powers / powers.sum(), atol=1e-6)
    widths = figure.figure.locator(".inorder-thread").evaluate_all(
        "all => all.map((one) => +getComputedStyle(one).strokeWidth.slice(0, -2))"
    )
    assert np.diff((np.array(widths) - 1) / powers).max() < 1e-3 * widths[0]
    numbers = figure.figure.locator(".inorder-thread-number").all_text_contents()
    assert numbers == ["0.79", "", ""]
    assert figure.figure.locator("b, input").count() == 0, "a word is text, and a handle needs no slider"


@pytest.mark.parametrize("device", [{}, {"viewport": {"width": 390, "height": 844}}])
def test_the_plane_takes_the_whole_width_and_cuts_no_word(mount, device):
    figure = mount(interact(asked, across=(0, 2, 0.5), up=(0, 2, 0.5)), **device)
    plane = figure.figure.locator(".inorder-plane").bounding_box()
    stage = figure.figure.locator(".inorder-panel").bounding_box()
    assert plane["width"] == pytest.approx(stage["width"], abs=2)
    for word in figure.figure.locator(".inorder-thread-word").all():
        box = word.bounding_box()
        assert plane["x"] <= box["x"] and box["x"] + box["width"] <= plane["x"] + plane["width"]


def test_the_tip_is_dragged_and_moved_by_keys(mount):
    figure = mount(interact(asked, across=(0, 2, 0.5), up=(0, 2, 0.5)))
    handle = figure.figure.get_by_role("slider", name="Drag it asks")
    box, word = handle.bounding_box(), figure.figure.locator(".inorder-thread-word").nth(1).bounding_box()
    mouse = figure.page.mouse
    mouse.move(box["x"] + 22, box["y"] + 22)
    mouse.down()
    mouse.move(word["x"] + word["width"] / 2, word["y"] + 16, steps=5)
    mouse.up()
    assert (figure.sync().across, figure.python.up) == (0.0, 2.0)
    handle.press("ArrowRight")
    assert figure.sync().across == 0.5


def test_a_thread_is_read_under_the_pointer(mount):
    figure = mount(interact(asked, across=(0, 2, 0.5), up=(0, 2, 0.5)))
    figure.figure.locator(".inorder-thread-word").nth(1).hover()
    assert figure.figure.locator(".inorder-tag").inner_text() == "street: share 0.11"


def test_in_words_and_on_paper():
    figure = interact(asked, across=(0, 2, 0.5), up=(0, 2, 0.5))
    assert "3 threads (animal 0.79, street 0.11, <b>it</b> 0.11)" in figure.alt_text()
    assert len(figure.figure().axes[0].lines) == 3


@in_opposite_looks
def test_it_is_accessible(mount, look, device):
    figure = mount(interact(asked, across=(0, 2, 0.5), up=(0, 2, 0.5)), color_scheme=look, **device)
    assert violations(figure.page, ".inorder-figure") == []
