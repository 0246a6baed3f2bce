"""interact with a kernel: states are computed as they are asked for, kept, and travel with the notebook."""

import base64
import json

import numpy as np
import pytest

from inorder.widgets import interact, marks
from inorder.widgets.interact.figure import EVERY_STATE

SET = """([parts, numbers]) => {
  const bytes = Uint8Array.from(atob(numbers), (letter) => letter.charCodeAt(0));
  model.set("numbers", new DataView(bytes.buffer));
  for (const [name, part] of Object.entries(parts)) model.set(name, part);
  model.save_changes();
  model.saved.pop(); // it comes from Python
}"""
TRAVELLING = ("tree", "slots", "controls", "said", "visited")
WAITING = "document.querySelector('.inorder-stage.is-waiting[aria-busy=true]') !== null"


class Counted:
    """A function that counts its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple] = []

    def __call__(self, n=3, text="a b"):
        """What is asked for?"""
        self.calls.append((n, text))
        if n == 7:
            raise ZeroDivisionError("seven")
        if n == 8:
            raise KeyboardInterrupt
        words = text.split()
        values = n * np.arange(1.0, 1 + len(words))
        return marks.bars(values, words, axis="number", label_axis="word"), marks.answer(f"{n} times {text}.")


@pytest.fixture
def counted():
    return Counted()


def answers(mounted):
    """The kernel hears what the page has saved, and the page what the kernel sends."""
    python = mounted.sync()
    parts = {name: getattr(python, name) for name in TRAVELLING}
    mounted.page.evaluate(SET, [parts, base64.b64encode(python.numbers).decode()])


def ask(mounted, n):
    mounted.figure.get_by_role("slider").fill(str(n))


# ------------------------------------------------------------------------------------------------------ in Python


def test_only_what_is_asked_for_is_computed_and_only_once(counted):
    figure = interact(counted, n=(0, 1000), lazy=True)
    assert counted.calls == [(3, "a b")]
    for n in (5, 6, 5, 3, 6):
        figure.n = n
        assert figure.summary() == f"{n} times a b."
    assert counted.calls == [(3, "a b"), (5, "a b"), (6, "a b")]
    assert sorted(figure.visited) == [[3], [5], [6]]


def test_in_a_build_all_states_are_computed(counted, monkeypatch):
    monkeypatch.setenv(EVERY_STATE, "1")
    figure = interact(counted, n=(0, 5), lazy=True)
    assert [n for n, _ in counted.calls] == list(range(6))
    assert (figure.visited, figure.extras) == (None, [])
    with pytest.raises(ValueError, match="budget of 0 kB"):
        interact(counted, n=(0, 5), lazy=True, budget=10)


def test_axes_span_what_was_visited():
    def line(n=1):
        """Grows"""
        return marks.bars([float(n)])

    figure = interact(line, n=(1, 50), lazy=True)
    assert figure._now()["panels"][0]["limits"] == [0, 1]
    figure.n = 9
    assert figure._now()["panels"][0]["limits"] == [0, 9]
    figure.n = 1
    assert figure._now()["panels"][0]["limits"] == [0, 9]


def test_no_more_travels_than_the_budget_holds():
    rng = np.random.default_rng(0)
    calls = []

    def noise(n=0):
        """Noise"""
        calls.append(n)
        return marks.heat_map(rng.standard_normal((10, 10)))

    figure = interact(noise, n=(0, 99), lazy=True, budget=2500)  # six of 400 bytes
    for n in range(20):
        figure.n = n
    assert sorted(keys[0] for keys in figure.visited) == [0, 15, 16, 17, 18, 19]
    assert len(figure.numbers) < 2700
    figure.n = 4
    assert [4] in figure.visited and len(figure.visited) == 6
    assert calls == list(range(20)), "what was computed is kept in Python"


def test_a_text_box_takes_any_text(counted):
    figure = interact(counted, n=(0, 2), text=("a b", "c"), start={"n": 1})
    assert len(counted.calls) == 6
    figure.text = "one two three"
    assert figure.summary() == "1 times one two three."
    assert len(counted.calls) == 7
    assert figure.controls[1]["texts"] == ["a b", "c", "one two three"]
    assert len(figure.visited) == 7
    assert "“text” set to “one two three”" in figure.alt_text()
    figure.reset()
    assert figure.summary() == "1 times a b."


def test_what_is_dragged_brings_all_states_to_which_it_can_go():
    calls = []

    def place(x=0, y=0, colour=1):
        """A place"""
        calls.append((x, y, colour))
        return marks.points([[x, y]], drag=("x", "y"))

    figure = interact(place, x=(0, 2), y=(0, 1), colour=(1, 9), lazy=True)
    assert sorted(calls) == sorted((x, y, 5) for x in range(3) for y in range(2)) or len(calls) == 6
    figure.colour = 2
    assert len(calls) == 12


def test_a_state_that_fails_says_so_and_python_names_it(counted):
    figure = interact(counted, n=(0, 9), lazy=True)
    figure.n = 7
    assert figure.said["failed"] and figure.said["asked"] == [7]
    assert "raised ZeroDivisionError: seven. The last picture stays." in figure.said["words"]
    with pytest.raises(ValueError, match="raised ZeroDivisionError: seven"):
        figure.summary()
    figure.n = 8
    assert figure.said["failed"] and "Python was interrupted at" in figure.said["words"]
    figure.n = 6
    assert figure.summary() == "6 times a b."
    with pytest.raises(ValueError, match="raised ZeroDivisionError: seven"):
        interact(counted, n=(0, 9), lazy=True, start={"n": 7})


def test_as_a_decorator_it_may_be_lazy():
    @interact(n=(0, 30_000), lazy=True)
    def square(n=3):
        """How large is its square?"""
        return marks.bars([n**2]), marks.answer(f"{n**2}.")

    square.n = 30_000
    assert square.summary() == "900000000."


# ---------------------------------------------------------------------------------------------------- on the page


def test_the_page_asks_shows_remembers_and_tells_what_goes_wrong(mount, counted):
    figure = interact(counted, n=(0, 9), lazy=True)
    figure.n = 4
    json.dumps([figure.visited, figure.slots])  # what a notebook keeps of it
    mounted = mount(figure, views=(False,))
    ask(mounted, 3)
    assert mounted.summary.text_content() == "3 times a b.", "what was visited needs no kernel"
    ask(mounted, 5)
    assert mounted.summary.text_content() == "3 times a b.", "the picture stays"
    assert mounted.page.evaluate(WAITING)
    assert mounted.figure.get_by_role("slider").get_attribute("aria-valuetext") == "5"
    answers(mounted)
    assert mounted.summary.text_content() == "5 times a b."
    assert not mounted.page.evaluate(WAITING)
    np.testing.assert_allclose(mounted.numbers("0.values"), [[5, 10]])
    ask(mounted, 7)
    answers(mounted)
    assert "raised ZeroDivisionError: seven. The last picture stays." in mounted.notice.text_content()
    ask(mounted, 8)
    answers(mounted)
    assert "Python was interrupted at" in mounted.notice.text_content()
    ask(mounted, 6)
    answers(mounted)
    assert (mounted.summary.text_content(), mounted.notice.text_content()) == ("6 times a b.", "")
    ask(mounted, 1)
    mounted.page.evaluate("stops.forEach((stop) => stop())")
    assert mounted.page.evaluate("Object.values(model.listeners).every((list) => list.length === 0)")


def test_a_kernel_that_does_not_answer_is_told(mount, counted):
    mounted = mount(interact(counted, n=(0, 9), lazy=True), views=(False,))
    ask(mounted, 5)
    assert mounted.notice.text_content() == ""
    mounted.figure.get_by_text("Python has not answered yet: it may be busy.").wait_for(timeout=3000)
    mounted.page.evaluate("asked => model.set('said', asked)", {"asked": [5], "words": "Python is computing f(n=5)."})
    mounted.figure.get_by_text("Python is computing f(n=5).").wait_for(timeout=3000)
    mounted.press("Reset")
    assert mounted.notice.text_content() == ""
    assert not mounted.page.evaluate(WAITING)


def test_play_waits_for_each_state(mount, counted):
    mounted = mount(interact(counted, n=(0, 6), lazy=True), views=(False,), reduced_motion="no-preference")
    mounted.figure.get_by_role("button", name="Play n").click()
    mounted.page.wait_for_function("model.get('n') === 4")
    mounted.page.wait_for_timeout(2000)  # a step takes 0.9 seconds
    assert mounted.page.evaluate("model.get('n')") == 4
    answers(mounted)
    mounted.page.wait_for_function("model.get('n') === 5")


def test_any_text_is_typed_and_offered_from_then_on(mount, counted):
    mounted = mount(interact(counted, text=("a b", "c")), views=(False,))
    box = mounted.figure.get_by_role("combobox", name="text")
    box.fill("one two three")
    box.press("Enter")
    assert mounted.page.evaluate(WAITING)
    answers(mounted)
    assert mounted.python.text == "one two three"
    assert mounted.summary.text_content() == "3 times one two three."
    np.testing.assert_allclose(mounted.numbers("0.values"), [[3, 6, 9]])
    options = mounted.figure.locator("datalist option").evaluate_all("all => all.map((one) => one.value)")
    assert options == ["a b", "c", "one two three"]
    box.fill("c")
    box.press("Enter")
    assert mounted.summary.text_content() == "3 times c."
