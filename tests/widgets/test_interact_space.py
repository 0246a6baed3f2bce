"""Marks in space: what a view shows, against matplotlib's own rotations, and the hand that turns it."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpl_toolkits.mplot3d import proj3d

from inorder.widgets import interact, marks

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
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
    box = mounted.figure.locator(".inorder-space").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = mounted.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + dx, y + dy, steps=5)
    mouse.up()
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


@pytest.mark.parametrize("view", [(30, 20), (-75, 90), (200, -35)])
def test_the_page_draws_what_the_view_shows(mount, view):
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


def test_it_is_turned_by_the_keys(mount):
    mounted = mount(interact(corners, size=(1, 2)))
    picture = mounted.figure.get_by_role("application", name="space, turned by 30° and seen from 20° above.")
    for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown"):
        mounted.figure.locator(".inorder-space").press(key)
    assert picture.count() == 0
    label = mounted.figure.locator(".inorder-space").get_attribute("aria-label")
    assert "turned by 25° and seen from 30° above" in label and "x at 3.00, 0.00, 0.00" in label


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
    for key in ("ArrowLeft", "ArrowUp", "ArrowDown", "ArrowDown"):
        mounted.figure.locator(".inorder-space").press(key)
    assert (mounted.sync().around, mounted.python.above) == (75, 0)
    mounted.drive(around=0, above=90)
    assert "turned by 0° and seen from 90°" in mounted.figure.locator(".inorder-space").get_attribute("aria-label")


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


def test_a_space_glides_to_its_next_view(mount):
    mounted = mount(interact(by_hand, around=(0, 90, 15), above=(0, 90, 10)), reduced_motion="no-preference")
    labels = mounted.page.evaluate("""() => new Promise((resolve) => {
      const picture = document.querySelector(".inorder-space"), labels = [];
      const look = () => {
        labels.push(picture.getAttribute("aria-label"));
        if (labels.length > 60) resolve(labels); else requestAnimationFrame(look);
      };
      model.set("around", 90);
      look();
    })""")
    assert len(set(labels)) > 3, "views on the way"


def test_a_point_in_space_is_dragged(mount):
    def bead(x=0):
        """A bead"""
        drawing = marks.points([[x, 0, 0]], ["bead"], drag="x") + marks.points([[0, 0, 0], [4, 0, 0], [0, 0, 4]])
        return marks.space(drawing, view=(0, 0))

    mounted = mount(interact(bead, x=(0, 4), start={"x": 0}))
    before = mounted.figure.get_by_role("slider", name="Drag bead").bounding_box()
    mounted.drive(x=1)
    handle = mounted.figure.get_by_role("slider", name="Drag bead")
    one = handle.bounding_box()["x"] - before["x"]
    box = handle.bounding_box()
    mounted.page.mouse.move(box["x"] + 20, box["y"] + 20)
    mounted.page.mouse.down()
    mounted.page.mouse.move(box["x"] + 20 + 2.1 * one, box["y"] + 20)
    mounted.page.mouse.up()
    assert mounted.sync().x == 3
    assert "turned by 0°" in mounted.figure.locator(".inorder-space").get_attribute("aria-label"), "not the space"


def test_a_finger_that_goes_up_or_down_scrolls_the_page(mount):
    mounted = mount(interact(corners, size=(1, 2)), **PHONE)
    picture = mounted.figure.locator(".inorder-space")
    assert picture.evaluate("(svg) => getComputedStyle(svg).touchAction") == "pan-y"
    assert mounted.page.evaluate("document.documentElement.scrollWidth") == 390


def test_its_still_and_its_words():
    figure = interact(corners, size=(1, 2), start={"size": 1})
    assert (
        "Space, turned by 30° and seen from 20° above, with 1 curve, 4 points (origin, x, y, z) and 3 arrows."
        in figure.alt_text()
    )
    (axes,) = figure.figure().axes
    points = axes.collections[0].get_offsets()
    np.testing.assert_allclose(points, CORNERS @ marks.view_matrix(30, 20), atol=1e-12)
    assert np.isclose(*np.diff(axes.get_ylim()) / np.diff(axes.get_xlim()) * 1.35, 1.1, atol=0.6)
    ruler = axes.collections[1].get_offsets()
    np.testing.assert_allclose(ruler[:, 1], points[:, 1], atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: marks.points(np.ones((2, 4))), r"xy must have shape \(n, 2\), or \(n, 3\) in space, got \(2, 4\)"),
        (lambda: marks.lines(np.ones((2, 2))), r"without y, x must have shape \(n, 3\), got \(2, 2\)"),
        (lambda: marks.lines(np.ones(3)), "x must have 2 axes"),
        (lambda: marks.arrows(np.ones((2, 3)), tails=np.ones((2, 2))), r"tails must have the shape of tips, \(2, 3\)"),
        (lambda: marks.points(CORNERS, x_limits=(0, 1)), r"belong to a plane, and shape \(n, 3\) to space"),
        (lambda: marks.points(CORNERS, log="x"), "belong to a plane"),
        (lambda: marks.points(CORNERS) + marks.points([[1, 2]]), "lie in one space, got space . plane"),
        (lambda: marks.space(marks.points([[1, 2]])), r"expected points, arrows or lines of shape \(n, 3\), got plane"),
        (lambda: marks.space([1]), "got list"),
        (lambda: marks.space(marks.points(CORNERS), view=(0, 100)), "above from −90 to 90, got"),
        (lambda: marks.space(marks.points(CORNERS), view=(0, 1, 2)), "view must be"),
        (lambda: marks.space(marks.points(CORNERS), turn=("a", "b", "c")), "up to 2 arguments"),
        (lambda: interact(by_hand, around=(0, 90)), "turn must name an argument with a control, around, got 'above'"),
        (lambda: marks.points([[0, 0, np.nan]]), "must be finite"),
    ],
)
def test_bad_input_is_told(make, message):
    with pytest.raises(ValueError, match=message):
        make()


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


@pytest.mark.parametrize(("n_axes", "name"), [(2, "xy"), (3, "xyz")])
def test_no_state_need_have_points(mount, n_axes, name):
    def nothing(n=1):
        """Nothing at all"""
        return marks.points(np.zeros((0, n_axes)))

    alone = interact(nothing, n=(1, 2))
    assert mount(alone).figure.locator(f'[data-name="0.0.{name}"]').count() == 0
    alone.figure().savefig(io.BytesIO())
