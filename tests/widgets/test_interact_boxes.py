"""interact with what one types into: a number for a slider with many stops, and texts."""

import numpy as np
import pytest

from harness.accessibility import violations
from inorder.widgets import interact, marks
from inorder.widgets.interact.controls import parse_controls
from inorder.widgets.interact.figure import EVERY_STATE

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def steps(position=40, text="dog bites man"):
    """How far along is it?"""
    words = text.split()
    return marks.bars(np.arange(len(words)) + float(position), words, axis="place", label_axis="word"), marks.answer(
        f"{words[0]} is at {position}."
    )


@pytest.fixture
def on_page(monkeypatch):
    """As in a build of the book, whose pages have no kernel."""
    monkeypatch.setenv(EVERY_STATE, "1")


def numbered(**options):
    return interact(steps, position=(-5, 94), **options)


def box_of(mounted):
    return mounted.figure.get_by_role("textbox", name="position, as a number from −5 to 94")


@pytest.mark.parametrize(
    ("typed", "position", "notice"),
    [
        ("7", 7, ""),
        (" −3 ", -3, ""),
        ("12,0", 12, ""),
        ("200", 94, "200 became 94: position goes from −5 to 94."),
        ("-9", -5, "-9 became −5: position goes from −5 to 94."),
        ("3.4", 3, "3.4 became 3: position has no stop there."),
        ("ten", 40, "“ten” is not a number: position goes from −5 to 94."),
        ("", 40, "“” is not a number: position goes from −5 to 94."),
    ],
)
def test_a_number_is_typed(mount, typed, position, notice):
    mounted = mount(numbered())
    box = box_of(mounted)
    box.fill(typed)
    box.press("Enter")
    assert mounted.sync().position == position
    assert mounted.notice.text_content() == notice
    assert box.input_value() == str(position).replace("-", "−")
    assert mounted.figure.get_by_role("slider").get_attribute("aria-valuetext") == box.input_value()
    for key in ("Home", "End"):
        mounted.figure.get_by_role("slider").press(key)
    assert mounted.notice.text_content() == "", "what was said goes with the next step"
    assert box.input_value() == "94"


def test_arrow_keys_in_the_box_go_from_stop_to_stop(mount):
    mounted = mount(numbered())
    box = box_of(mounted)
    for key in ("ArrowUp", "ArrowUp", "ArrowDown"):
        box.press(key)
    assert mounted.sync().position == 41
    assert mounted.summary.text_content() == "dog is at 41."


@pytest.mark.parametrize("look", [{}, {"color_scheme": "dark", **PHONE}], ids=["light", "dark phone"])
def test_boxes_have_names_and_room(mount, look):
    mounted = mount(numbered(text=("dog bites man", "man bites dog")), views=(False,), **look)
    assert violations(mounted.page, ".inorder-figure") == []
    assert mounted.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for box in mounted.figure.get_by_role("textbox").all() + mounted.figure.get_by_role("combobox").all():
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth"), "all that it holds is seen"
        assert box.bounding_box()["height"] >= 30


def test_few_stops_need_no_box():
    figure = interact(steps, position=(0, 63))
    assert "typed" not in figure.controls[0] and figure.extras == []
    assert interact(steps, position=(0, 64)).extras == ["boxes"]


def test_a_page_offers_the_stored_texts_alone_and_says_so(mount, on_page):
    mounted = mount(interact(steps, text=("man bites dog", "a dog")))
    choice = mounted.figure.get_by_role("combobox", name="text")
    assert choice.locator("option").all_text_contents() == ["dog bites man", "man bites dog", "a dog"]
    assert "This page offers the texts that it stores; a notebook takes any." in mounted.figure.inner_text()
    choice.select_option("a dog")
    assert mounted.sync().text == "a dog"
    assert mounted.summary.text_content() == "a is at 40."
    assert violations(mounted.page, ".inorder-figure") == []


def test_a_page_needs_two_texts_to_choose_from(on_page):
    with pytest.raises(
        ValueError, match="text: a page has no kernel, so it offers these texts alone: give two or more"
    ):
        interact(steps, text="dog bites man")


@pytest.mark.parametrize(
    ("abbreviation", "default", "starts", "keys"),
    [
        ("a", "b", {}, ("a",)),
        ("a", "b", {"text": "c"}, ("c", "a")),
        (("a", "b"), "b", {}, ("b", "a")),
        (("a", "b"), "c", {}, ("c", "a", "b")),
        (("a", "a"), "a", {}, ("a",)),
    ],
)
def test_the_texts_of_a_box(abbreviation, default, starts, keys):
    def f(text=default):
        return None

    (control,) = parse_controls(f, {"text": abbreviation}, starts)
    assert (control.kind, control.keys, control.start) == ("text", keys, 0)
    assert control.nearest("any other") == control.value("any other") == control.text("any other") == "any other"
    with pytest.raises(ValueError, match="text must be one of"):
        control.nearest(3)


def test_a_text_box_does_not_start_with_a_number():
    with pytest.raises(ValueError, match="text is a text box, which starts with a text, got 3"):
        parse_controls(lambda text=3: None, {"text": ("a", "b")}, {})


@pytest.mark.parametrize("start", [(1, 0, 2), (1.5, "a"), ((0,), (1, 2))])
def test_a_choice_may_be_a_tuple_and_the_default_an_equal_one(start):
    def f(order=start):
        return None

    equal = tuple(tuple(part) if isinstance(part, tuple) else part for part in list(start))
    (control,) = parse_controls(f, {"order": {"as it is": (0, 1, 2), "swapped": equal}}, {})
    assert control.keys[control.start] == "swapped"
    with pytest.raises(ValueError, match="order must be one of 'a', 'b', got"):
        parse_controls(f, {"order": {"a": (1, True), "b": None}}, {})
