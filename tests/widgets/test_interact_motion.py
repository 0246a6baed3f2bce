"""interact under the hand: numbers glide from state to state, and marks that can be dragged set their arguments."""

import numpy as np
import pytest

from harness.accessibility import violations
from inorder.widgets import interact, marks

MOVING = {"reduced_motion": "no-preference"}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
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


def bar(height=0.0):
    """A bar and a map"""
    lines = marks.lines([0.0, 1.0], [0.0, height], y_limits=(0, 10)) + marks.points(
        [[0.5, height]], ["end"], equal=False
    )
    return marks.bars([height, 5.0], ["one", "two"], limits=(0, 10)), lines, marks.heat_map([[height, 1.0]])


# The width of a picture without its labels, in pixels.
WIDTH = """() => {
  const content = document.querySelector(".inorder-content");
  const { width } = content.ownerSVGElement.getBoundingClientRect();
  return content.width.baseVal.value * width / content.ownerSVGElement.viewBox.baseVal.width;
}"""


def plane(x=0, y=0):
    """A point in the plane"""
    place = marks.points([[x, y], [4.5, 4.5]], ["it", "that"], x_limits=(-1, 5), y_limits=(-1, 5), drag=("x", "y"))
    return place, marks.answer(f"It is at {x}, {y}.")


def dragged(figure, handle, dx, dy):
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    figure.page.mouse.move(x + 3, y - 2)  # beside the middle, which must not make it jump
    figure.page.mouse.down()
    for share in (0.3, 0.7, 1):
        figure.page.mouse.move(x + 3 + share * dx, y - 2 + share * dy)
    figure.page.mouse.up()


@pytest.mark.flaky(reruns=1, reason="counts frames of an animation, and a busy machine leaves some out")
def test_a_bar_glides_and_its_number_is_there_at_once(mount):
    mounted = mount(interact(bar, height=(0.0, 10.0, 10.0)), **MOVING)
    widths = np.array(mounted.page.evaluate(FRAMES))
    assert widths[0] == 0 and widths[-1] == 100
    assert (np.diff(widths) >= 0).all()
    assert ((widths > 5) & (widths < 95)).sum() >= 2, "frames between the two states"
    mounted.drive(height=0.0)
    assert mounted.numbers("0.values")[0, 0] == 0, "data are those of the state, whatever is still on its way"
    assert mounted.numbers("2.values")[0, 0] == 0


def test_where_less_motion_is_asked_for_nothing_glides(mount):
    mounted = mount(interact(bar, height=(0.0, 10.0, 10.0)), reduced_motion="reduce")
    assert set(mounted.page.evaluate(FRAMES)) == {100}


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


def test_a_point_is_dragged_by_the_mouse(mount):
    mounted = mount(interact(plane, x=(0, 4), y=(0, 4), start={"x": 0, "y": 0}))
    handle = mounted.figure.get_by_role("slider", name="Drag it")
    one = mounted.page.evaluate(WIDTH) / 6
    dragged(mounted, handle, 3.2 * one, -1.9 * one)
    assert (mounted.sync().x, mounted.python.y) == (3, 2)
    assert mounted.summary.text_content() == "It is at 3, 2."
    dragged(mounted, handle, -40 * one, 40 * one)
    assert (mounted.sync().x, mounted.python.y) == (0, 0)


def test_a_point_is_moved_by_the_keys_and_says_where_it_is(mount):
    mounted = mount(interact(plane, x=(0, 4), y=(0, 4), start={"x": 0, "y": 0}))
    handle = mounted.figure.get_by_role("slider", name="Drag it")
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowDown", "ArrowUp"):
        handle.press(key)
    assert (mounted.sync().x, mounted.python.y) == (1, 1)
    assert handle.get_attribute("aria-valuetext") == "x 1, y 1"
    handle.press("End")
    assert mounted.sync().x == 4
    handle.press("Tab")
    assert mounted.page.evaluate("document.activeElement.className") != "inorder-handle", "one tab stop for both points"


def test_the_point_that_was_taken_is_the_one_that_comes(mount):
    def pair(x=0):
        """Two that move apart"""
        return marks.points(
            [[x, 0], [-x, 1]], ["right", "left"], x_limits=(-5, 5), y_limits=(-1, 2), equal=False, drag="x"
        )

    mounted = mount(interact(pair, x=(0, 4), start={"x": 0}))
    left = mounted.figure.get_by_role("slider", name="Drag left")
    one = mounted.page.evaluate(WIDTH) / 10
    dragged(mounted, left, -3 * one, 0)
    assert mounted.sync().x == 3


def test_where_handles_overlap_the_nearest_is_taken(mount):
    def beside(x=1, y=1):
        """A query beside a key"""
        limits = {"x_limits": (-1, 5), "y_limits": (-1, 5)}
        query = marks.points([[x, 1]], ["query"], actor="query", drag="x", **limits)
        return query + marks.points([[1.2, y]], ["key"], actor="key", drag="y", **limits)

    mounted = mount(interact(beside, x=(0, 4), y=(0, 4), start={"x": 1, "y": 1}))
    query, key = (mounted.figure.get_by_role("slider", name=f"Drag {name}") for name in ("query", "key"))
    one = mounted.page.evaluate(WIDTH) / 6
    assert key.bounding_box()["x"] - query.bounding_box()["x"] < 20, "the key's handle lies over the query"
    dragged(mounted, query, 2 * one, 0)
    assert (mounted.sync().x, mounted.python.y) == (3, 1)
    dragged(mounted, key, 0, -one)
    assert (mounted.sync().x, mounted.python.y) == (3, 2)
    assert mounted.page.evaluate("getSelection().toString()") == ""


def test_a_handle_stays_under_the_hand(mount):
    mounted = mount(interact(plane, x=(0, 4), y=(0, 4), start={"x": 0, "y": 0}))
    handle = mounted.figure.get_by_role("slider", name="Drag it")
    box = handle.bounding_box()
    mounted.page.mouse.move(box["x"] + 22, box["y"] + 22)
    mounted.page.mouse.down()
    for step in range(1, 8):
        mounted.page.mouse.move(box["x"] + 22 + 7 * step, box["y"] + 22 - 5 * step)
        now = handle.bounding_box()
        assert abs(now["x"] - box["x"] - 7 * step) < 1 and abs(now["y"] - box["y"] + 5 * step) < 1
    mounted.page.mouse.up()


def test_on_a_logarithmic_axis_the_ring_stays_with_the_point(mount):
    def doubled(times=4):
        """Twice as much"""
        return marks.points([[times, 1]], log="x", x_limits=(1, 100), y_limits=(0, 2), equal=False, drag="times")

    mounted = mount(interact(doubled, times=[1, 4, 16, 64]))
    ring, point = (mounted.figure.locator(one) for one in (".inorder-handle", "[data-name='0.0.xy'] > *"))
    start = ring.bounding_box()
    mounted.page.mouse.move(start["x"] + 22, start["y"] + 22)
    mounted.page.mouse.down()
    for far in (60, 240):
        mounted.page.mouse.move(start["x"] + 22 + far, start["y"] + 22)
        middles = [box["x"] + box["width"] / 2 for box in (ring.bounding_box(), point.bounding_box())]
        assert middles[0] == pytest.approx(middles[1], abs=1)
    assert mounted.sync().times == 16
    mounted.page.mouse.up()


def test_cells_are_chosen_by_pointer(mount):
    def cells(query=0, key=0):
        """Which cell?"""
        return marks.heat_map(np.arange(12.0).reshape(3, 4), drag=("query", "key")), marks.answer(f"{query}, {key}")

    mounted = mount(interact(cells, query=(0, 2), key=(0, 3), start={"query": 0, "key": 0}))
    mounted.cell("0.values", 2, 1).click()
    assert (mounted.sync().query, mounted.python.key) == (2, 1)
    mounted.page.mouse.down()
    mounted.cell("0.values", 1, 3).hover()
    mounted.page.mouse.up()
    assert (mounted.sync().query, mounted.python.key) == (1, 3)
    assert mounted.figure.locator(".is-chosen").evaluate("({ dataset }) => [dataset.row, dataset.col]") == ["1", "3"]
    mounted.cell("0.values", 0, 0).hover()
    assert mounted.sync().query == 1, "only while the button is down"


def curve(height=1.0):
    """A curve and a point"""
    one = marks.lines([0.0, 5.0, 10.0], {"loss": [0.0, height / 4, height]}, axes=("step", "share"), y_limits=(0, 1))
    return one + marks.points([[7.0, 0.125]], ["end"], equal=False)


def test_a_plane_reads_out_what_is_under_the_pointer(mount):
    mounted = mount(interact(curve, height=(0.5, 1.0, 0.5), start={"height": 1.0}))
    mounted.figure.locator(".inorder-content g").hover()
    tag = mounted.figure.locator(".inorder-tag")
    assert tag.text_content() == "end: step 7, share 0.13"
    box, room = tag.bounding_box(), mounted.figure.locator(".inorder-handles").bounding_box()
    assert room["x"] <= box["x"] and box["x"] + box["width"] <= room["x"] + room["width"]
    mounted.page.mouse.move(0, 0)
    assert tag.text_content() == ""


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


def test_a_tap_reads_a_plane_on_a_phone(mount):
    mounted = mount(interact(curve, height=(0.5, 1.0, 0.5), start={"height": 1.0}), **PHONE)
    mounted.figure.locator(".inorder-content g").tap()
    assert mounted.figure.locator(".inorder-tag").text_content() == "end: step 7, share 0.13"


def test_cells_without_written_numbers_are_read_out(mount):
    def cells(n=1):
        """Cells"""
        return marks.heat_map(n * np.arange(12.0).reshape(3, 4), ["a", "b", "c"], axes=("query", "key"), digits=None)

    mounted = mount(interact(cells, n=(1, 3), start={"n": 1}))
    tag = mounted.figure.locator(".inorder-tag")
    mounted.cell("0.values", 2, 1).hover()
    assert tag.text_content() == "query c, key 1: 9.00"
    assert mounted.cell("0.values", 2, 1).get_attribute("aria-label") == "9.00"
    mounted.drive(n=2)
    assert tag.text_content() == "query c, key 1: 18.00"
    table = mounted.figure.locator(".inorder-cells")
    table.press("ArrowUp")
    assert tag.text_content() == "query b, key 1: 10.00"


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_what_is_read_out_is_accessible(mount, colours):
    def both(n=1):
        """A plane and cells"""
        cells = marks.heat_map(n * np.arange(12.0).reshape(3, 4), axes=("query", "key"), digits=None)
        return curve(n / 3), cells

    mounted = mount(interact(both, n=(1, 3)), color_scheme=colours)
    for part in (".inorder-plane", ".inorder-cells"):
        mounted.figure.locator(part).press("ArrowRight")
        assert mounted.figure.locator(".inorder-ring:visible").count() == 1
        assert violations(mounted.page, ".inorder-figure") == []


def test_nothing_reads_what_is_written_already_or_has_no_axes(mount):
    def both(n=1):
        """Written"""
        return marks.heat_map([[n, 2.0]]), marks.points([[1, n]], bare=True)

    mounted = mount(interact(both, n=(1, 3)))
    assert mounted.figure.locator(".inorder-panels [tabindex]").count() == 0
    assert mounted.figure.locator(".inorder-plane").get_attribute("role") == "img"


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (lambda x: marks.points([[x, 0]], drag="z"), "drag must name an argument with a control, x, got 'z'"),
        (lambda x: marks.points([[x, 0]], drag=("x", "x")), "drag must name up to 2 arguments, each once"),
        (
            lambda x: marks.blocks([[1.0]], (0, 0), (1, 1), {"m": [1]}, drag=("x", "y")),
            "drag must name up to 1 arguments",
        ),
        (lambda x: marks.heat_map(np.ones((2, 2)), drag="x"), "drag expected 3 rows, one for each x, got 2"),
        (lambda x: marks.arrows([[x, 1]], drag=["x", ""]), "drag must name up to 2 arguments"),
        (
            lambda x: marks.projections(
                np.eye(2), "a b", 0, [np.eye(2)] * 3, row_axes="c d", axes=list("efgh"), tap="x"
            ),
            "tap must name an argument with a control of 2 states, one for each word, got 'x'",
        ),
    ],
)
def test_a_wrong_drag_is_refused(mark, message):
    def shown(x=0):
        """Refused"""
        return mark(x)

    with pytest.raises(ValueError, match=message):
        interact(shown, x=(0, 2))


def test_cells_are_measured_once_for_all_steps_of_a_pointer(mount):
    def cells(n=1):
        """Many small cells"""
        return marks.heat_map(n * np.eye(16), axes=("row", "column"), digits=None)

    mounted = mount(interact(cells, n=(1, 3)))
    mounted.page.evaluate("""() => {
      const { getBoundingClientRect } = Element.prototype;
      window.measured = 0;
      Element.prototype.getBoundingClientRect = function () {
        window.measured += this.matches(".inorder-cell-of");
        return getBoundingClientRect.call(this);
      };
    }""")
    box = mounted.figure.locator(".inorder-cells").bounding_box()
    for i in range(6):
        mounted.page.mouse.move(box["x"] + 60 + 10 * i, box["y"] + 60 + 10 * i)
    assert "row" in mounted.figure.locator(".inorder-tag").text_content()
    assert mounted.page.evaluate("measured") == 256
    mounted.page.evaluate("document.querySelector('main').style.width = '300px'")
    mounted.page.wait_for_timeout(100)
    box = mounted.figure.locator(".inorder-cells").bounding_box()
    mounted.page.mouse.move(box["x"] + 50, box["y"] + 50)
    assert mounted.page.evaluate("measured") > 256


def test_no_tag_covers_what_is_dragged(mount):
    mounted = mount(interact(plane, x=(0, 4), y=(0, 4), start={"x": 0, "y": 0}))
    box = mounted.figure.get_by_role("slider", name="Drag it").bounding_box()
    tag = mounted.figure.locator(".inorder-tag")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mounted.page.mouse.move(x, y)
    assert "it: " in tag.text_content()
    mounted.page.mouse.down()
    mounted.page.mouse.move(x + 40, y - 40)
    assert tag.text_content() == ""
    mounted.page.mouse.up()
    mounted.page.mouse.move(x + 42, y - 42)
    assert tag.text_content() == "", "the hand is still on it"
    mounted.page.mouse.move(0, 0)
    mounted.page.mouse.move(x + 40, y - 40)
    assert "it: " in tag.text_content()


def test_what_has_no_name_is_no_blank_in_words(mount):
    def beads(n=3):
        """Beads on a wire"""
        return marks.points([[0, 0], [1, n], [2, 2]], ["first", "", "last"])

    mounted = mount(interact(beads, n=(1, 3)))
    words = mounted.figure.locator(".inorder-plane").get_attribute("aria-label")
    assert "first at 0.00, 0.00; point at 1.00, 3.00; last at 2.00, 2.00" in words
    assert "3 points (among them first, last)" in mounted.python.alt_text()


def test_as_a_decorator():
    @interact(x=(0, 3), start={"x": 2})
    def square(x=0):
        """A square"""
        return marks.bars([x**2])

    assert square.title == "A square" and square.x == 2
