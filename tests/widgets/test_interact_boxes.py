"""interact with what one types into: a number for a slider with many stops, and texts."""

import numpy as np
import pytest

from inorder.widgets import interact, marks
from inorder.widgets.interact.controls import parse_controls
from inorder.widgets.interact.figure import EVERY_STATE


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


def test_a_number_is_typed(mount):
    mounted = mount(interact(steps, position=(-5, 94)))
    box = mounted.figure.get_by_role("textbox", name="position, as a number from −5 to 94")
    position = 40
    for typed, stop, notice in (
        (" −3 ", -3, ""),
        ("12,0", 12, ""),
        ("200", 94, "200 became 94: position goes from −5 to 94."),
        ("3.4", 3, "3.4 became 3: position has no stop there."),
        ("ten", None, "“ten” is not a number: position goes from −5 to 94."),
    ):
        box.fill(typed)
        box.press("Enter")
        position = position if stop is None else stop
        assert mounted.sync().position == position
        assert mounted.notice.text_content() == notice
        assert box.input_value() == str(position).replace("-", "−")
        assert mounted.figure.get_by_role("slider").get_attribute("aria-valuetext") == box.input_value()
    mounted.figure.get_by_role("slider").press("End")
    assert mounted.notice.text_content() == "", "what was said goes with the next step"
    assert box.input_value() == "94"
    for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
        box.press(key)
    assert mounted.sync().position == 93
    assert mounted.summary.text_content() == "dog is at 93."


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


def test_a_page_needs_two_texts_to_choose_from(on_page):
    with pytest.raises(
        ValueError, match="text: a page has no kernel, so it offers these texts alone: give two or more"
    ):
        interact(steps, text="dog bites man")


def test_the_texts_of_a_box():
    def f(text="b"):
        return None

    (control,) = parse_controls(f, {"text": ("a", "b", "a")}, {"text": "c"})
    assert (control.kind, control.keys, control.start) == ("text", ("c", "a", "b"), 0)
    assert control.nearest("any other") == control.value("any other") == control.text("any other") == "any other"
    with pytest.raises(ValueError, match="text must be one of"):
        control.nearest(3)
    with pytest.raises(ValueError, match="text is a text box, which starts with a text, got 3"):
        parse_controls(lambda text=3: None, {"text": ("a", "b")}, {})


def test_a_choice_may_be_a_tuple_and_the_default_an_equal_one():
    def f(order=((0,), (1, 2))):
        return None

    (control,) = parse_controls(f, {"order": {"as it is": (0, 1, 2), "swapped": ((0,), (1, 2))}}, {})
    assert control.keys[control.start] == "swapped"
