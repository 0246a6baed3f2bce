"""Marks in space: what a view shows, against matplotlib's own rotations, and the hand. See `test_marks.py`."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpl_toolkits.mplot3d import proj3d

from harness.figure import PHONE
from inorder.widgets import interact, marks

CORNERS = np.array([[0.0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 0, 1]])
# Where the points are drawn, in pixels of the drawing.
SPOTS = r"""(svg) => [...svg.querySelectorAll('[data-name$=".xyz"] > path[transform]')].map((path) =>
  path.getAttribute("transform").match(/translate\((\S+) (\S+)\)/).slice(1).map(Number))"""
angles = st.tuples(st.floats(-400, 400), st.floats(-90, 90))


def corners(size=1, around=30, above=20):
    """Four corners"""
    drawing = marks.points(size * CORNERS, ["origin", "x", "y", "z"], actor="position")
    drawing += marks.arrows(size * CORNERS[1:]) + marks.lines(size * CORNERS[[0, 1, 2, 0]])
    return marks.space(drawing, view=(around, above), heights="height")


def by_hand(around=30, above=0):
    """Four corners, whose view the function is given"""
    space = marks.space(marks.points(CORNERS), view=(around, above), turn=("around", "above"))
    return space, marks.answer(f"From {around}, {above}.")


def turned(mounted, dx, dy):
    middle = mounted.middle(".inorder-space")
    mounted.drag(middle, middle + np.array([dx, dy]))
    mounted.page.wait_for_timeout(300)


def spots(mounted):
    return np.array(mounted.figure.locator(".inorder-space").evaluate(SPOTS))


def of_shape(xy):
    """Distances between places, as a part of the largest one, with up for down."""
    apart = (xy[:, None] - xy)[np.triu_indices(len(xy), 1)]
    return apart / np.linalg.norm(apart, axis=1).max()


@given(angles)
def test_a_view_is_a_rotation_without_its_depth(view):
    matrix = marks.view_matrix(*view)
    np.testing.assert_allclose(matrix.T @ matrix, np.eye(2), atol=1e-12)
    assert matrix[2, 0] == 0 and matrix[2, 1] >= -1e-12, "the third axis is upright"


@given(angles)
def test_a_view_is_that_of_matplotlib(view):
    around, above = np.radians(view)
    eye = [-np.sin(around) * np.cos(above), -np.cos(around) * np.cos(above), np.sin(above)]
    up = np.array([np.sin(above) * np.sin(around), np.sin(above) * np.cos(around), np.cos(above)])
    right, over, _ = proj3d._view_axes(np.array(eye), np.zeros(3), up, 0)
    np.testing.assert_allclose(marks.view_matrix(*view), np.stack([right, over], axis=1), atol=1e-9)


@given(angles, st.floats(-180, 180))
def test_turning_moves_nothing_in_space(view, further):
    """Depth taken back in, distances stay; and what is turned about the upright axis keeps its height from above 0."""
    around, above = view
    one, other = marks.view_matrix(around, above), marks.view_matrix(around + further, above)
    for matrix in (one, other):
        depth = np.cross(matrix[:, 0], matrix[:, 1])
        full = CORNERS @ np.column_stack([matrix, depth])
        np.testing.assert_allclose(full @ full.T, CORNERS @ CORNERS.T, atol=1e-9)
    level = marks.view_matrix(around, 0)
    np.testing.assert_allclose((CORNERS @ level)[:, 1], CORNERS[:, 2], atol=1e-12)


def test_every_direction_is_the_height_of_some_view():
    for direction in np.random.default_rng(0).normal(size=(20, 3)):
        x, y, z = direction / np.linalg.norm(direction) * (1 if direction[2] >= 0 else -1)
        view = np.degrees([np.arctan2(x, y), np.arccos(z)])
        np.testing.assert_allclose(marks.view_matrix(*view)[:, 1], [x, y, z], atol=1e-12)


def test_the_page_draws_what_the_view_shows(mount):
    view = (200, -35)

    def shown(size=1):
        """Four corners"""
        return corners(size, *view)

    mounted = mount(interact(shown, size=(1, 2), start={"size": 2}))
    expected = CORNERS @ marks.view_matrix(*view) * [1, -1]  # pages count downwards
    np.testing.assert_allclose(of_shape(spots(mounted)[np.lexsort(spots(mounted).T)]),
                               of_shape(expected[np.lexsort(expected.T)]), atol=0.005)  # fmt: skip
    mounted.drive(size=1)
    data = mounted.figure.locator('[data-name="0.0.xyz"]').evaluate_all("all => all.map((one) => one.dataset.value)")
    assert sorted(data) == sorted(" ".join(f"{value:g}" for value in corner) for corner in CORNERS)


def test_all_stays_in_the_picture_however_it_is_turned(mount):
    mounted = mount(interact(corners, size=(1, 2), start={"size": 2}), **PHONE)
    box = [float(part) for part in mounted.figure.locator(".inorder-space").get_attribute("viewBox").split()]
    picture = mounted.figure.locator(".inorder-space")
    assert picture.evaluate("(svg) => getComputedStyle(svg).touchAction") == "pan-y", "a finger scrolls the page"
    for _ in range(24):
        for _ in range(3):
            picture.press("ArrowRight")
        picture.press("ArrowUp")
        assert (spots(mounted) > 5).all() and (spots(mounted) < np.array(box[2:]) - 5).all()


def test_it_is_turned_by_the_mouse_and_comes_back(mount):
    mounted = mount(interact(corners, size=(1, 2)))
    picture, before = mounted.figure.locator(".inorder-space"), spots(mounted)
    turned(mounted, 60, 40)  # half a degree for each pixel
    assert "turned by 60° and seen from 40° above" in picture.get_attribute("aria-label")
    assert np.abs(spots(mounted) - before).max() > 10
    turned(mounted, 0, 300)
    assert "seen from 90° above" in picture.get_attribute("aria-label"), "no farther than from straight above"
    picture.press("Home")
    np.testing.assert_array_equal(spots(mounted), before)


def test_turning_sets_arguments_and_rests_at_the_nearest_state(mount):
    axes = {"around": (0, 90, 15), "above": (0, 90, 10)}
    mounted = mount(interact(by_hand, **axes, start={"around": 30, "above": 0}, by_hand=list(axes)))
    assert mounted.figure.locator("input").count() == 0
    turned(mounted, 43, 34)  # by 21.5° and 17°
    assert (mounted.sync().around, mounted.python.above) == (45, 20)
    assert mounted.summary.text_content() == "From 45, 20."
    assert "turned by 45° and seen from 20°" in mounted.figure.locator(".inorder-space").get_attribute("aria-label")
    turned(mounted, 900, -900)
    assert (mounted.sync().around, mounted.python.above) == (90, 0), "no farther than the last state"


def test_in_the_hand_it_turns_between_the_states(mount):
    mounted = mount(interact(by_hand, around=(0, 90, 45), above=(0, 90, 45), start={"around": 0, "above": 0}))
    picture = mounted.figure.locator(".inorder-space")
    box = picture.bounding_box()
    mounted.page.mouse.move(box["x"] + 50, box["y"] + 50)
    mounted.page.mouse.down()
    for dx in (10, 20, 30):
        mounted.page.mouse.move(box["x"] + 50 + dx, box["y"] + 50)
        mounted.page.wait_for_function("(text) => document.querySelector('.inorder-space').ariaLabel.includes(text)",
                                       arg=f"turned by {dx // 2}°")  # fmt: skip
    mounted.page.mouse.up()
    mounted.page.wait_for_function("() => document.querySelector('.inorder-space').ariaLabel.includes('turned by 0°')")


def test_a_point_in_space_is_dragged(mount):
    def bead(x=0):
        """A bead"""
        drawing = marks.points([[x, 0, 0]], ["bead"], drag="x") + marks.points([[0, 0, 0], [4, 0, 0], [0, 0, 4]])
        return marks.space(drawing, view=(0, 0))

    mounted = mount(interact(bead, x=(0, 4), start={"x": 0}))
    before = mounted.middle("role=slider[name='Drag bead']")
    mounted.drive(x=1)
    handle = mounted.middle("role=slider[name='Drag bead']")
    one = handle - before
    mounted.drag(handle, handle + 2.1 * one)
    assert mounted.sync().x == 3
    assert "turned by 0°" in mounted.figure.locator(".inorder-space").get_attribute("aria-label"), "not the space"


def test_the_still_draws_the_view_over_its_ruler():
    (axes,) = interact(corners, size=(1, 2), start={"size": 1}).figure().axes
    points, ruler = (collection.get_offsets() for collection in axes.collections[:2])
    np.testing.assert_allclose(points, CORNERS @ marks.view_matrix(30, 20), atol=1e-12)
    np.testing.assert_allclose(ruler[:, 1], points[:, 1], atol=1e-12)


@pytest.mark.parametrize(("n_axes", "name"), [(2, "xy"), (3, "xyz")])
def test_a_state_may_have_no_points(mount, n_axes, name):
    def some(n=0, most=3):
        """Some of three points"""
        return marks.points(np.eye(3)[: min(n, most), :n_axes])

    figure = interact(some, n=(0, 3), most=[0, 3], start={"most": "3"})
    text = figure.alt_text()
    assert "A plane (across: x; up: y) with nothing in it yet." in text if n_axes == 2 else "nothing in it yet" in text
    mounted = mount(figure)
    drawn = mounted.figure.locator(f'[data-name="0.0.{name}"]')
    for n, most in ((2, 3), (0, 3), (3, 3), (3, 0)):
        mounted.drive(n=n, most=str(most))
        assert drawn.count() == min(n, most)
    figure.most = "0"
    figure.figure().savefig(io.BytesIO())
