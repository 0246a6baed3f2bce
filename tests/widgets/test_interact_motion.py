"""interact under the hand: how numbers glide, which handle is taken, what is read out. See `test_marks.py`."""

import numpy as np
import pytest

from harness.figure import PHONE
from inorder.widgets import interact, marks

MOVING = {"reduced_motion": "no-preference"}
# The sizes of the first bar in each frame from now on, until it rests.
FRAMES = """() => new Promise((resolve) => {
  const bar = document.querySelector(".inorder-bar"), widths = [];
  const look = () => {
    widths.push(parseFloat(bar.style.width));
    const n = widths.length;
    if (n > 300 || (n > 30 && widths[n - 1] === widths[n - 20])) resolve(widths); else requestAnimationFrame(look);
  };
  model.set("height", 10);
  look();
})"""


@pytest.mark.flaky(reruns=1, reason="counts frames of an animation, and a busy machine leaves some out")
def test_a_bar_glides_and_its_number_is_there_at_once(mount):
    def bar(height=0.0):
        """A bar"""
        return marks.bars([height, 5.0], limits=(0, 10))

    mounted = mount(interact(bar, height=(0.0, 10.0, 10.0)), **MOVING)
    widths = np.array(mounted.page.evaluate(FRAMES))
    assert widths[0] == 0 and widths[-1] == 100
    assert (np.diff(widths) >= 0).all()
    assert ((widths > 5) & (widths < 95)).sum() >= 2, "frames between the two states"
    mounted.drive(height=0.0)
    assert mounted.numbers("0.values")[0, 0] == 0, "data are those of the state, whatever is still on its way"


def test_a_panel_whose_axes_change_does_not_glide(mount):
    def zoom(height=0.0):
        """A bar under other limits"""
        return marks.bars([height], ["one"], limits=(0, 10 if height else 1))

    mounted = mount(interact(zoom, height=[0.0, 5.0, 10.0], start={"height": 0.0}), **MOVING)
    assert set(mounted.page.evaluate(FRAMES)[2:]) == {100}


def test_shapes_that_change_do_not_glide(mount):
    def grow(height=1):
        """More bars"""
        return marks.bars(np.full(height, 0.5), limits=(0, 1))

    mounted = mount(interact(grow, height=(1, 10)), **MOVING)
    mounted.page.evaluate(FRAMES)
    assert mounted.numbers("0.values").shape == (1, 10)


def test_the_point_that_was_taken_is_the_one_that_comes(mount):
    def pair(x=0):
        """Two that move apart"""
        limits = {"x_limits": (-5, 5), "y_limits": (-1, 2)}
        return marks.points([[x, 0], [-x, 1]], ["right", "left"], equal=False, drag="x", **limits)

    mounted = mount(interact(pair, x=(0, 4), start={"x": 0}))
    left, right = (mounted.middle(f"role=slider[name='Drag {name}']") for name in ("left", "right"))
    mounted.drive(x=1)
    one = mounted.middle("role=slider[name='Drag right']") - right
    mounted.drive(x=0)
    mounted.drag(left, left - 3 * one)
    assert mounted.sync().x == 3
    mounted.figure.get_by_role("slider", name="Drag right").press("Tab")
    assert mounted.page.evaluate("document.activeElement.className") != "inorder-handle", "one tab stop for both points"


def test_where_handles_overlap_the_nearest_is_taken(mount):
    def beside(x=1, y=1):
        """A query beside a key"""
        limits = {"x_limits": (-1, 5), "y_limits": (-1, 5)}
        query = marks.points([[x, 1]], ["query"], actor="query", drag="x", **limits)
        return query + marks.points([[1.2, y]], ["key"], actor="key", drag="y", **limits)

    mounted = mount(interact(beside, x=(0, 4), y=(0, 4), start={"x": 1, "y": 1}))
    query, key = (mounted.middle(f"role=slider[name='Drag {name}']") for name in ("query", "key"))
    one = (key - query)[0] / 0.2
    assert key[0] - query[0] < 20, "the key's handle lies over the query"
    mounted.drag(query, query + np.array([2 * one, 0]))
    assert mounted.sync().state == {"x": 3, "y": 1}
    mounted.drag(key, key + np.array([0, -one]))
    assert mounted.sync().state == {"x": 3, "y": 2}


def test_a_point_that_goes_across_and_up_goes_with_the_hand_and_lands_on_its_state(mount):
    def doubled(times=4, height=1):
        """Twice as much"""
        limits = {"x_limits": (1, 100), "y_limits": (0, 2)}
        return marks.points([[times, height]], log="x", equal=False, drag=("times", "height"), **limits)

    mounted = mount(interact(doubled, times=[1, 4, 16, 64], height=(0, 2)))
    start = mounted.middle(".inorder-handle")
    mounted.page.mouse.move(*start)
    mounted.page.mouse.down()
    for way in ((60, 0), (200, -20)):
        mounted.page.mouse.move(*(start + way))
        for mark in (".inorder-handle", "[data-name] > *"):
            np.testing.assert_allclose(mounted.middle(mark), start + way, atol=1)
    mounted.page.mouse.up()
    assert mounted.sync().state == {"times": 16, "height": 1}
    handle, point = mounted.middle(".inorder-handle"), mounted.middle("[data-name] > *")
    np.testing.assert_allclose(handle, point, atol=1)
    assert point[1] == pytest.approx(start[1], abs=1) and point[0] > start[0]


def test_a_finger_has_room_and_does_not_scroll_the_page(mount):
    def share(height=2):
        """A place to pull"""
        return marks.lines([0, 10], [0, 1], handle=height, drag="height")

    mounted = mount(interact(share, height=(0, 10)), **PHONE)
    handle = mounted.figure.locator(".inorder-handle").first
    assert min(handle.bounding_box()[side] for side in ("width", "height")) > 43.9
    assert handle.evaluate("handle => getComputedStyle(handle).touchAction") == "none"
    slider = mounted.figure.get_by_role("slider", name="height", exact=True).bounding_box()
    assert slider["height"] >= 44
    mounted.page.touchscreen.tap(slider["x"] + slider["width"] - 12, slider["y"] + slider["height"] / 2)
    assert mounted.sync().height == 10


def curve(height=1.0):
    """A curve and a point"""
    one = marks.lines([0.0, 5.0, 10.0], {"loss": [0.0, height / 4, height]}, axes=("step", "share"), y_limits=(0, 1))
    return one + marks.points([[7.0, 0.125]], ["end"], equal=False)


@pytest.mark.parametrize("device", [{}, PHONE], ids=["mouse", "finger"])
def test_a_plane_reads_out_what_is_under_the_pointer(mount, device):
    mounted = mount(interact(curve, height=(0.5, 1.0, 0.5), start={"height": 1.0}), **device)
    point, tag = mounted.figure.locator(".inorder-content g"), mounted.figure.locator(".inorder-tag")
    point.tap() if device else point.hover()
    assert tag.text_content() == "end: step 7, share 0.13"
    mounted.page.mouse.move(0, 0)
    assert device or tag.text_content() == ""


def test_a_plane_is_read_by_the_keys(mount):
    mounted = mount(interact(curve, height=(0.5, 1.0, 0.5), start={"height": 1.0}))
    picture, tag = mounted.figure.get_by_role("application"), mounted.figure.locator(".inorder-tag")
    assert tag.get_attribute("aria-live") == "polite"
    said = []
    for key in ("ArrowLeft", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowRight", "Escape"):
        picture.press(key)
        said.append(tag.text_content())
    curve_at = ["loss: step 0, share 0", "loss: step 5, share 0.25", "loss: step 10, share 1"]
    point = "end: step 7, share 0.13"
    assert said == [curve_at[0], curve_at[1], point, point, curve_at[0], curve_at[1], curve_at[2], ""]
    picture.press("ArrowRight")
    picture.press("ArrowRight")
    mounted.drive(height=0.5)
    assert tag.text_content() == "loss: step 5, share 0.13", "what is read follows the state"
    picture.press("Tab")
    assert tag.text_content() == ""


def test_nothing_reads_what_is_written_already_or_has_no_axes(mount):
    def both(n=1):
        """Written"""
        return marks.heat_map([[n, 2.0]]), marks.points([[1, n]], bare=True)

    mounted = mount(interact(both, n=(1, 3)))
    assert mounted.figure.locator(".inorder-panels [tabindex]").count() == 0
    assert mounted.figure.locator(".inorder-plane").get_attribute("role") == "img"
