"""The mark `clocks`: hands that turn, wheels that count, a text that slides. See `test_marks.py`."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.figure import PHONE, MountedFigure
from inorder.widgets import interact, marks

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


@pytest.fixture(scope="module")
def mounted(pages):
    return MountedFigure(pages(), figure())


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.integers(2, 20), steps=st.integers(-2, 3))
def test_each_hand_points_to_sine_and_cosine(mounted, position, steps):
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
    mounted = mount(figure())
    ways = mounted.figure.locator(".inorder-wedge path")
    before = ways.evaluate_all("all => all.map((one) => one.getAttribute('d'))")
    mounted.drive(position=17)
    assert ways.evaluate_all("all => all.map((one) => one.getAttribute('d'))") == before
    mounted.drive(steps=3)
    assert ways.evaluate_all("all => all.map((one) => one.getAttribute('d'))") != before


def test_a_hand_is_dragged_by_turns_and_half_turns(mount):
    mounted = mount(figure())
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
    mounted = mount(figure())
    pitch = np.array([pitch_of(mounted), 0])
    for name, by, state in (
        (SLIDE, -4.2, {"position": 7, "steps": 2}),
        (SLIDE, 2, {"position": 5, "steps": 2}),
        (OTHER, -2.9, {"position": 5, "steps": -1}),
    ):
        start = mounted.middle(f"role=slider[name='{name}']")
        mounted.drag(start, start + by * pitch)
        assert mounted.sync().state == state


def test_in_the_hand_all_follows_between_the_states_and_comes_to_rest(mount):
    mounted = mount(figure(), reduced_motion="no-preference")
    pitch = pitch_of(mounted)
    x, y = mounted.middle(f"role=slider[name='{SLIDE}']")
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


def test_a_hand_without_a_text_has_a_handle_at_its_tip(mount):
    mounted = mount(interact(lone_hand, turn=(0, 20, 0.25), start={"turn": 0.5}))
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
