"""The mark `clocks`: hands that turn, wheels that count, a text that slides, in a browser and without."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.figure import MountedFigure
from inorder.widgets import interact, marks

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SPEEDS = np.array([0.1, 0.5, 2.0])  # radians a position
WORDS = [f"w{i}" for i in range(24)]
SLIDE, OTHER = "Drag the text", "Drag there"
# Where the middles of all faces and the tips of all hands are on the screen, the radius, and what a hand turns by.
HANDS = r"""(svg) => [...svg.querySelectorAll(".inorder-clock")].map((clock) => {
  const middle = (one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  };
  const face = clock.querySelector(".inorder-face");
  return { middle: middle(face), radius: face.getBoundingClientRect().width / 2,
    tips: [...clock.querySelectorAll(".is-filled")].map(middle) };
})"""
ANGLE = r"""(hand) => Number(hand.getAttribute("transform").match(/rotate\((.*)\)/)[1])"""
DIGITS = r"""(svg) => [...svg.querySelectorAll(".inorder-clock")].map((clock) =>
  [...clock.querySelectorAll("svg")].map((drum) => {
    const { y, height } = drum.getBoundingClientRect();
    return [...drum.querySelectorAll("text")].find((one) => {
      const box = one.getBoundingClientRect();
      return Math.abs(box.y + box.height / 2 - y - height / 2) < height / 3;
    })?.textContent;
  }))"""


def two_words(position=3, steps=2):
    """Two words, three clocks"""
    places = np.array([position, position + steps])
    angles = dict(zip(["here", "there"], np.outer(places, SPEEDS), strict=True))
    clocks = marks.clocks(
        angles,
        "slow middle fast",
        actor={"there": "position"},
        wedge=True,
        halves=True,
        notes=[f"{steps * speed:.1f}" for speed in SPEEDS],
        wheels={name: place // np.array([4, 2, 1]) for name, place in zip(angles, places, strict=True)},
        digits="01",
        text=WORDS,
        places=places.tolist(),
        drag=("position", "steps"),
    )
    return clocks, marks.answer(f"At {position}, by {steps}.")


def figure():
    return interact(two_words, position=(2, 20), steps=(-2, 3), start={"position": 3, "steps": 2}, play="position")


def lone_hand(turn=0.0):
    """One hand"""
    return marks.clocks([turn], drag="turn"), marks.answer(f"{turn:g}.")


def picture(mounted):
    return mounted.figure.locator(".inorder-clocks")


def spot_at(face, angle):
    return [
        face["middle"][0] + 0.7 * face["radius"] * np.sin(angle),
        face["middle"][1] - 0.7 * face["radius"] * np.cos(angle),
    ]


def turned(mounted, clock, start, by, steps=24):
    """Drag the hand of a clock from one angle on."""
    face = picture(mounted).evaluate(HANDS)[clock]
    mouse = mounted.page.mouse
    mouse.move(*spot_at(face, start))
    mouse.down()
    for share in np.linspace(0, 1, steps + 1):
        mouse.move(*spot_at(face, start + share * by))
    mouse.up()


def pitch_of(mounted):
    """Pixels from word to word."""
    boxes = (
        picture(mounted)
        .locator(".is-number")
        .evaluate_all("all => all.slice(0, 2).map((one) => one.getBoundingClientRect())")
    )
    middles = [box["x"] + box["width"] / 2 for box in boxes]
    return middles[1] - middles[0]


def slid(mounted, name, dx):
    box = mounted.figure.get_by_role("slider", name=name).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mounted.page.mouse.move(x, y)
    mounted.page.mouse.down()
    mounted.page.mouse.move(x + dx, y, steps=8)
    mounted.page.mouse.up()


@pytest.fixture(scope="module")
def mount_once(browser):
    """mount_once(make): the figure that the first call made."""
    mounted: list[MountedFigure] = []

    def once(make):
        if not mounted:
            context = browser.new_context(viewport={"width": 1008, "height": 800}, reduced_motion="reduce")
            mounted.append(MountedFigure(context.new_page(), make()))
        return mounted[0]

    yield once
    for one in mounted:
        one.page.context.close()


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.integers(2, 20), steps=st.integers(-2, 3))
def test_each_hand_points_to_sine_and_cosine(mount_once, position, steps):
    mounted = mount_once(figure)
    mounted.drive(position=position, steps=steps)
    for h, place in enumerate([position, position + steps]):
        np.testing.assert_allclose(mounted.numbers(f"0.{h}.angles")[:, 0], place * SPEEDS, rtol=1e-6)
        for face, speed in zip(picture(mounted).evaluate(HANDS), SPEEDS, strict=True):
            away = (np.array(face["tips"][h]) - face["middle"]) / face["radius"] / 0.8
            np.testing.assert_allclose(away, [np.sin(place * speed), -np.cos(place * speed)], atol=0.04)
    digits = [[str(place // count % 2) for place in (position, position + steps)] for count in (4, 2, 1)]
    assert picture(mounted).evaluate(DIGITS) == digits
    marked = picture(mounted).locator(".inorder-wheel.is-other").count()
    assert marked == sum(first != other for first, other in digits)
    frames = picture(mounted).locator(".inorder-frame").evaluate_all("all => all.map((one) => +one.getAttribute('x'))")
    assert (frames[0] - frames[1]) == pytest.approx(steps * 66, abs=0.2), "frames are drawn from the last to the first"


def test_from_hand_to_hand_the_way_is_the_same_at_every_position(mount):
    mounted = mount(figure(), reduced_motion="reduce")
    ways = mounted.figure.locator(".inorder-wedge path")
    before = ways.evaluate_all("all => all.map((one) => one.getAttribute('d'))")
    mounted.drive(position=17)
    assert ways.evaluate_all("all => all.map((one) => one.getAttribute('d'))") == before
    mounted.drive(steps=3)
    assert ways.evaluate_all("all => all.map((one) => one.getAttribute('d'))") != before


def test_a_hand_is_dragged_by_turns_and_half_turns(mount):
    mounted = mount(figure(), reduced_motion="reduce")
    turned(mounted, 1, 3 * 0.5, 4.1)  # eight positions of 0.5 radians
    assert mounted.sync().position == 11
    turned(mounted, 2, 11 * 2.0, -12.0, steps=60)  # nearly two turns back
    assert mounted.sync().position == 5
    turned(mounted, 0, 5 * 0.1, 3.0)
    assert mounted.sync().position == 20, "no farther than the last state"
    assert mounted.python.steps == 2
    turned(mounted, 1, 22 * 0.5, 0.55)  # the hand of the other word
    assert (mounted.sync().position, mounted.python.steps) == (20, 3)
    assert mounted.summary.text_content() == "At 20, by 3."


def test_the_text_slides_and_its_other_word_is_moved(mount):
    mounted = mount(figure(), reduced_motion="reduce")
    pitch = pitch_of(mounted)
    slid(mounted, SLIDE, -4.2 * pitch)
    assert mounted.sync().position == 7
    slid(mounted, SLIDE, 2 * pitch)
    assert (mounted.sync().position, mounted.python.steps) == (5, 2)
    slid(mounted, OTHER, -2.9 * pitch)
    assert (mounted.sync().position, mounted.python.steps) == (5, -1)


def test_in_the_hand_all_follows_between_the_states_and_comes_to_rest(mount):
    mounted = mount(figure(), reduced_motion="no-preference")
    pitch = pitch_of(mounted)
    box = mounted.figure.get_by_role("slider", name=SLIDE).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mounted.page.mouse.move(x, y)
    mounted.page.mouse.down()
    hand = mounted.cell("0.0.angles", 1, 0)
    for share in (0.25, 0.4, 0.75, 1.3):
        mounted.page.mouse.move(x - share * pitch, y)
        assert hand.evaluate(ANGLE) == pytest.approx(np.degrees(0.5 * (3 + share)), abs=0.6)
        assert mounted.sync().position == 3 + round(share)
    mounted.page.mouse.up()
    mounted.page.wait_for_timeout(400)
    assert hand.evaluate(ANGLE) == pytest.approx(np.degrees(0.5 * 4), abs=0.01)


def test_no_tag_covers_what_is_in_the_hand(mount):
    mounted = mount(figure(), reduced_motion="reduce")
    tag, mouse = mounted.figure.locator(".inorder-tag"), mounted.page.mouse
    face = picture(mounted).evaluate(HANDS)[1]
    mouse.move(*spot_at(face, 1.5))
    assert tag.inner_text()
    mouse.down()
    mouse.move(*spot_at(face, 2.5), steps=4)
    assert not tag.inner_text()
    mouse.up()


def test_it_is_moved_by_the_keys(mount):
    mounted = mount(figure(), reduced_motion="reduce")
    slider = mounted.figure.get_by_role("slider", name=SLIDE)
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft"):
        slider.press(key)
    assert mounted.sync().position == 5
    slider.press("End")
    assert mounted.sync().position == 20
    assert slider.get_attribute("aria-valuetext") == "position 20"
    mounted.figure.get_by_role("slider", name=OTHER).press("ArrowRight")
    assert (mounted.sync().position, mounted.python.steps) == (20, 3)


def test_a_hand_without_a_text_has_a_handle_at_its_tip(mount):
    mounted = mount(interact(lone_hand, turn=(0, 20, 0.25), start={"turn": 0.5}), reduced_motion="reduce")
    handle = mounted.figure.get_by_role("slider", name="Drag")
    box, (face,) = handle.bounding_box(), picture(mounted).evaluate(HANDS)
    np.testing.assert_allclose([box["x"] + 22, box["y"] + 22], face["tips"][0], atol=2)
    handle.press("ArrowUp")
    assert mounted.sync().turn == 0.75
    turned(mounted, 0, 0.75, 3 * np.pi, steps=60)
    assert mounted.sync().turn == pytest.approx(0.75 + 3 * np.pi, abs=0.2), "the turns are counted"


def test_a_finger_slides_the_text(mount):
    mounted = mount(figure(), reduced_motion="reduce", **PHONE)
    slider = mounted.figure.get_by_role("slider", name=SLIDE)
    box, pitch = slider.bounding_box(), pitch_of(mounted)
    touch = mounted.page.context.new_cdp_session(mounted.page)
    x, y = box["x"] + box["width"] / 2, box["y"] + 20

    def send(kind, dx=None):
        points = [] if dx is None else [{"x": x + dx, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", 0)
    for share in np.linspace(0.2, 2, 10):
        send("touchMove", -share * pitch)
    send("touchEnd")
    assert mounted.sync().position == 5
    styles = "(one) => getComputedStyle(one).touchAction"
    assert slider.evaluate(styles) == "pan-y", "up and down scrolls the page"
    assert mounted.figure.locator(".inorder-clock").first.evaluate(styles) == "none"
    assert box["height"] >= 44
    assert mounted.page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize(("motion", "n_least"), [("no-preference", 4), ("reduce", 1)])
def test_hands_glide_unless_less_motion_is_asked_for(mount, motion, n_least):
    mounted = mount(figure(), reduced_motion=motion)
    angles = mounted.page.evaluate("""() => new Promise((resolve) => {
      const hand = document.querySelector('[data-name="0.0.angles"][data-row="1"]'), angles = [];
      const look = () => {
        angles.push(hand.getAttribute("transform"));
        if (angles.length > 40) resolve(angles); else requestAnimationFrame(look);
      };
      model.set("position", 4);
      look();
    })""")
    assert len(set(angles)) >= n_least
    assert (len(set(angles)) == 1) == (motion == "reduce")


def test_pointer_and_keys_read_the_angles(mount):
    mounted = mount(figure(), reduced_motion="reduce")
    face = picture(mounted).evaluate(HANDS)[1]
    tag = mounted.figure.locator(".inorder-tag")
    mounted.page.mouse.move(*face["middle"])
    assert tag.text_content() == "middle: here 86°, there 143°, on by 57°"
    mounted.page.mouse.move(0, 0)
    mounted.figure.locator("input[type=range]").last.focus()
    mounted.page.keyboard.press("Tab")
    assert tag.text_content().startswith("slow: here 17°")
    mounted.page.keyboard.press("ArrowRight")
    assert tag.text_content().startswith("middle:")


def test_its_words_are_those_of_the_still(mount):
    widget = figure()
    mounted = mount(widget, reduced_motion="reduce")
    says = (
        "3 clocks. here at 17°, 86°, 344°; there at 29°, 143°, 213°. here 011; there 101. "
        "here: “w3” at 3; there: “w5” at 5."
    )
    assert says in widget.alt_text()
    assert says in picture(mounted).get_attribute("aria-label")
    mounted.drive(position=20, steps=-2)
    widget.position, widget.steps = 20, -2
    label = picture(mounted).get_attribute("aria-label").removesuffix(" Arrow keys read the angles.")
    assert label in widget.alt_text()


def test_its_still_draws_the_same():
    (axes,) = figure().figure().axes
    tips = np.array([line.get_xydata()[0] for line in axes.lines if len(line.get_xydata()) == 1])
    expected = [
        [2.5 * m + 0.8 * np.sin(place * speed), 0.8 * np.cos(place * speed)]
        for m, speed in enumerate(SPEEDS)
        for place in (3, 5)
    ]
    np.testing.assert_allclose(tips, expected, atol=1e-6)
    texts = [text.get_text() for text in axes.texts]
    assert texts[:4] == ["slow", "0.2", "0", "1"] and "w5" in texts and "w9" not in texts


def many(turn=0, n=16, length=1.0):
    """Sixteen"""
    return marks.clocks(turn + np.arange(n) / 3, lengths=np.full(n, length), drag="turn")


@pytest.mark.parametrize("screen", [{"viewport": {"width": 1008, "height": 800}}, PHONE], ids=["wide", "phone"])
def test_many_clocks_stand_in_rows_inside_the_picture(mount, screen):
    mounted = mount(interact(many, turn=(0, 9)), **screen)
    boxes = mounted.figure.locator(".inorder-face").evaluate_all("all => all.map((one) => one.getBoundingClientRect())")
    frame = picture(mounted).bounding_box()
    rows = {round(box["y"]) for box in boxes}
    assert len(boxes) == 16 and 1 < len(rows) < 16
    assert all(
        frame["x"] - 1 <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"] + 1 for box in boxes
    )
    assert boxes[0]["width"] >= 40
    assert mounted.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_only_their_figures_load_them():
    assert figure().extras == ["clocks"]


HALF = np.array([0.0, 3.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: marks.clocks([[1.0]]), "angles must have 1 axes"),
        (lambda: marks.clocks([np.nan]), "must be finite"),
        (lambda: marks.clocks({}), "expected 1 to 3 hands, got 0"),
        (lambda: marks.clocks({name: HALF for name in "abcd"}), "expected 1 to 3 hands, got 4"),
        (lambda: marks.clocks({"a": HALF, "b": [1.0]}), "expected 2 numbers like those of the first, but 'b' has 1"),
        (lambda: marks.clocks(np.zeros(257)), "expected 1 to 256 clocks, got 257"),
        (lambda: marks.clocks(HALF, "one"), "expected 2 labels, got 1"),
        (lambda: marks.clocks(HALF, lengths=[1, 2]), "lengths must lie from 0 to 1"),
        (lambda: marks.clocks(HALF, lengths=[1]), "'lengths' has 1"),
        (lambda: marks.clocks(HALF, actor="wall"), "actor must be one of"),
        (lambda: marks.clocks(HALF, wedge=True), "a wedge lies between two hands, got 1"),
        (lambda: marks.clocks(HALF, wheels=[1, 0.5]), "wheels must be whole numbers, got 0.5"),
        (lambda: marks.clocks(HALF, wheels={name: HALF for name in "abcd"}), "up to 3 rows of wheels, got 4"),
        (lambda: marks.clocks(HALF, digits="0"), "two digits or more, got '0'"),
        (lambda: marks.clocks(HALF, text="a b"), "a place for each of 1 hands, and no text none, got none"),
        (lambda: marks.clocks(HALF, places=[0]), "and no text none, got 1"),
        (lambda: marks.clocks(HALF, text="a b", places=[2]), "places must be a place from 0 to 1, got 2"),
        (lambda: marks.clocks(HALF, text="a " * 257, places=[0]), "expected up to 256 words, got 257"),
        (lambda: marks.clocks(HALF, drag=("a", "b")), "drag must name up to 1 arguments"),
        (
            lambda: interact(two_words, position=(2, 20)),
            "drag must name an argument with a control, position, got 'steps'",
        ),
    ],
)
def test_bad_input_is_told(make, message):
    with pytest.raises(ValueError, match=message):
        make()
