"""The mark `ink`: what it refuses, how large and where its blots are, how the word that asks is moved, its looks."""

import numpy as np
import pytest

from harness.accessibility import violations
from harness.figure import PHONE, in_opposite_looks
from inorder.attention import softmax
from inorder.widgets import interact, marks

WORDS = ["the", "tired", "animal", "immediately", "fell", "asleep", "on", "it"]
BLOTS = "all => all.map((one) => one.getBoundingClientRect().width)"
MIDDLES = "all => all.map((one) => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y]; })"


def weights_of(asks, sharpness=1.0):
    return softmax(-sharpness * np.abs(np.arange(len(WORDS)) - asks + 1.0))


def looks_left(asks=4, sharpness=1.0):
    """Where does it look?"""
    ink = marks.ink(WORDS, weights_of(asks, sharpness), asks=asks, target=max(asks - 1, 0), drag="asks")
    return ink, marks.answer(f"“{WORDS[asks]}” asks.")


def ruler(asks=12):
    """Where on the ruler?"""
    weights = np.zeros(26)
    weights[asks - 1] = 1
    return marks.ink(range(26), weights, asks=asks, absent=[25], actor="position", drag="asks"), marks.answer("There.")


def figure():
    return interact(looks_left, asks=(0, 7), sharpness=(0.0, 4.0, 1.0), start={"sharpness": 2.0}, by_hand=["asks"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a b", [1.0]), "expected 2 numbers"),
        (("a b", [1.5, 0]), "weights must lie from 0 to 1, got 1.5"),
        (("", []), "expected 1 to 64 words, got 0"),
        (("a b", [1, 0], {"asks": 2}), "asks must be a place from 0 to 1, got 2"),
        (("a b", [1, 0], {"target": -1}), "target must be a place from 0 to 1, got -1"),
        (("a b", [1, 0], {"absent": [2]}), "absent must be a place from 0 to 1, got 2"),
        (("a b", [1, 0], {"drag": "x"}), "drag moves the word that asks, but asks is None"),
    ],
)
def test_what_cannot_be_drawn_is_named(types_unchecked, arguments, message):
    *positional, options = arguments if isinstance(arguments[-1], dict) else (*arguments, {})
    with pytest.raises(ValueError, match=message):
        marks.ink(*positional, **options)


def test_arguments_set_by_hand_alone_must_be_dragged():
    with pytest.raises(ValueError, match="by_hand must name what a mark sets that is dragged or turned, got sharpness"):
        interact(looks_left, asks=(0, 7), sharpness=(0, 4), by_hand=["sharpness"])


def test_the_area_of_a_blot_is_its_weight_and_the_largest_is_printed(mount):
    mounted = mount(figure(), reduced_motion="reduce")
    weights = weights_of(4, 2.0)
    np.testing.assert_allclose(mounted.numbers("0.weights")[0], weights, rtol=1e-6)
    areas = np.array(mounted.figure.locator(".inorder-blot").evaluate_all(BLOTS)) ** 2
    np.testing.assert_allclose(areas / areas.sum(), weights, atol=2e-3)
    printed = mounted.figure.locator(".inorder-ink-share").all_inner_texts()
    assert [text for text in printed if text] == [f"{weights[3]:.2f}"] and printed[3]
    mounted.drive(sharpness=0.0)
    assert set(mounted.figure.locator(".inorder-ink-share").all_inner_texts()) == {""}, "a tie of eight"
    assert mounted.figure.get_by_role("slider", name="asks", exact=True).count() == 0


@pytest.mark.parametrize("device", [{}, PHONE], ids=["one line", "wrapped"])
def test_the_asking_word_is_dragged_tapped_and_moved_by_keys(mount, device):
    mounted = mount(figure(), **device)
    handle = mounted.figure.get_by_role("slider", name="Drag the word that asks")
    words = mounted.figure.locator(".inorder-ink-word")
    start, end = (words.evaluate_all(MIDDLES)[i] for i in (4, 6))
    assert (start[1] == end[1]) == (not device), "eight words take two lines on a phone"
    mouse = mounted.page.mouse
    mouse.move(start[0], start[1] + 11)
    mouse.down()
    mouse.move(end[0] - 4, end[1] + 14, steps=8)
    box = handle.bounding_box()
    assert np.hypot(box["x"] + 22 - end[0] + 4, box["y"] + 22 - end[1] - 14) < 8, "◆ is under the hand"
    assert mounted.sync().asks == 6
    mouse.up()
    words.nth(1).locator(".inorder-word").click()
    assert mounted.sync().asks == 1
    handle.press("ArrowRight")
    assert mounted.sync().asks == 2
    handle.press("End")
    assert mounted.sync().asks == 7
    assert handle.get_attribute("aria-valuetext") == "asks 7"


def test_a_ruler_stays_one_line_on_a_phone(mount):
    mounted = mount(interact(ruler, asks=(1, 24)), **PHONE)
    tops = [y for _, y in mounted.figure.locator(".inorder-ink-word").evaluate_all(MIDDLES)]
    assert len(set(tops)) == 1
    written = [text.strip() for text in mounted.figure.locator(".inorder-word").all_inner_texts()]
    assert written == [str(i) if i % 2 == 0 else "" for i in range(26)], "every other number, for want of room"
    mounted.figure.locator(".inorder-ink-word").last.click()
    assert mounted.sync().asks == 12, "a word that is not there does not ask"


def test_the_pointer_and_the_keys_read_any_weight(mount):
    mounted = mount(figure(), reduced_motion="reduce")
    line = mounted.figure.get_by_role("application")
    assert "“fell” asks. Ink under immediately 0.76, animal 0.10, fell 0.10." in line.get_attribute("aria-label")
    line.press("ArrowRight")
    assert mounted.figure.locator(".inorder-tag").inner_text() == f"tired: {weights_of(4, 2.0)[1]:.2f}"


def test_the_still_tells_and_draws_it():
    still = figure()
    assert "“fell” asks. Ink under immediately 0.76, animal 0.10, fell 0.10." in still.alt_text()
    axes = still.figure().axes[0]
    sizes = [blot.get_sizes()[0] for blot in axes.collections[: len(WORDS)]]
    np.testing.assert_allclose(np.array(sizes) / sum(sizes), weights_of(4, 2.0))
    assert [text.get_text() for text in axes.texts] == [*WORDS[:4], "0.76", *WORDS[4:]]


@in_opposite_looks
def test_accessible(mount, device, look):
    for one in (figure(), interact(ruler, asks=(1, 24))):
        mounted = mount(one, color_scheme=look, **device)
        assert violations(mounted.page, ".inorder-figure") == []
        assert mounted.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
