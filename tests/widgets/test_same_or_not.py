"""SameOrNot in a real browser: its numbers, its words, how the reader moves them, its picture, its link."""

import numpy as np
import pytest
import torch

from harness.figure import PHONE
from inorder.encodings import sinusoidal_encoding
from inorder.widgets import SameOrNot
from inorder.widgets.kit.model_state import numbers_from_text
from inorder.widgets.kit.twin import ROUNDING
from inorder.widgets.same_or_not.figure import D_MODEL, N_LAYERS, weights

ALPHABET = [*"abcdefgh", "é", "中", "🐈", "ß"]


def random_figure(seed: int, **options) -> SameOrNot:
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 9)
    words = ["".join(rng.choice(ALPHABET, size=rng.integers(1, 9))) for _ in range(n)]
    return SameOrNot(words, order=rng.permutation(n), positions=bool(rng.integers(2)), **options)


def assert_page_shows(figure, python, view=0):
    np.testing.assert_allclose(figure.numbers("1.values", view), python.vectors, rtol=0, atol=1e-9)
    display = figure.page.locator(".inorder-figure").nth(view)
    assert display.locator(".inorder-summary").inner_text() == python.summary()
    note = display.locator(".inorder-answer .inorder-note").inner_text()
    assert note == python.note() or python.difference < ROUNDING  # each rounds in its own way
    assert display.locator(".inorder-tile .inorder-word").all_text_contents() == python.reshuffle
    assert display.locator(".inorder-side .inorder-word").all_text_contents() == python.words


@pytest.mark.parametrize("seed", range(8))
def test_every_number_is_inorders(mount, seed):
    python = random_figure(seed)
    assert_page_shows(mount(python), python)


@pytest.mark.parametrize("seed", range(20))
def test_positions_decide(seed):
    figure = random_figure(seed)
    same_reading = figure.words == figure.reshuffle
    figure.positions = False
    assert figure.difference < 1e-14
    figure.positions = True
    assert (figure.difference > 0.001) == (not same_reading)


def test_torch_agrees():
    """The whole model again, by torch's own attention."""
    figure = SameOrNot("the cat saw the dog", order=[3, 0, 4, 1, 2], positions=True)
    for words, vector in zip((figure.words, figure.reshuffle), figure.vectors, strict=True):
        x = torch.tensor([numbers_from_text(word, D_MODEL) for word in words], dtype=torch.float64)
        x = x + sinusoidal_encoding(torch.arange(5), D_MODEL, dtype=torch.float64)
        for layer in range(N_LAYERS):
            q, k, v = (x @ torch.tensor(weights(f"layer {layer}, {name}")) for name in ("query", "key", "value"))
            x = x + torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
        np.testing.assert_allclose(x.mean(dim=0).numpy(), vector, atol=1e-12)


def test_numbers_from_text_are_spread():
    numbers = np.array([numbers_from_text(f"word {i}", 10) for i in range(2000)])
    assert abs(numbers.mean()) < 0.02
    assert numbers.var() == pytest.approx(1 / 3, abs=0.01)
    assert abs(np.corrcoef(numbers.T) - np.eye(10)).max() < 0.1
    assert len(set(numbers.ravel().tolist())) > 0.999 * numbers.size


def test_the_parts_are_what_the_words_add():
    for seed in range(5):
        figure = random_figure(seed)
        np.testing.assert_allclose(figure.parts.sum(axis=0), figure.vectors[1], atol=1e-12)
        assert figure.parts.shape == (len(figure.words), D_MODEL)


def test_the_switch(mount):
    python = SameOrNot()
    figure = mount(python)
    sign = figure.figure.locator(".inorder-answer .inorder-sign")
    assert (figure.summary.inner_text(), sign.inner_text()) == ("All 16 numbers stay the same.", "=")
    assert sign.get_attribute("aria-label") == "equal"
    figure.figure.get_by_role("switch", name="Give it the positions").click()
    assert figure.sync().positions
    assert (figure.summary.inner_text(), sign.inner_text()) == ("All 16 numbers change.", "≠")
    assert figure.figure.locator(".inorder-crossing-note").all_inner_texts() == ["0", "1", "2"]
    assert_page_shows(figure, python)


def test_the_arrow_keys(mount):
    python = SameOrNot("dog bites man", order=[0, 1, 2], positions=True)
    figure = mount(python)
    assert figure.summary.inner_text() == "Same sentence: move a word."
    keyboard = figure.page.keyboard
    figure.figure.get_by_role("button", name="“dog”, position 0").focus()
    keyboard.press("ArrowLeft")  # there is nothing on the left
    keyboard.press("ArrowRight")
    keyboard.press("ArrowRight")  # the focus has moved with it
    assert figure.sync().order == [1, 2, 0]
    assert "“dog”, position 2" in figure.page.evaluate("document.activeElement.ariaLabel")
    keyboard.press("ArrowLeft")
    assert figure.sync().order == [1, 0, 2]
    assert_page_shows(figure, python)


def drag(figure, word, onto, share):
    """By mouse, from the middle of one word to a share of another's width."""
    start, end = (
        figure.figure.locator(".inorder-tile .inorder-word", has_text=text).bounding_box() for text in (word, onto)
    )
    mouse = figure.page.mouse
    mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    mouse.down()
    mouse.move(end["x"] + share * end["width"], end["y"] + end["height"] / 2, steps=8)
    mouse.up()
    mouse.move(5, 5)


def test_dragging(mount):
    python = SameOrNot("dog bites man")
    figure = mount(python)
    drag(figure, "man", "dog", 0.9)
    assert figure.sync().reshuffle == ["bites", "dog", "man"]
    drag(figure, "man", "bites", 0.1)
    assert figure.sync().reshuffle == ["man", "bites", "dog"]
    drag(figure, "bites", "man", 1.2)  # less than 40 % of either is covered
    assert figure.sync().reshuffle == ["man", "bites", "dog"]
    assert figure.figure.locator(".is-dragged").count() == 0
    assert_page_shows(figure, python)


def test_dragging_by_touch(mount):
    python = SameOrNot("one two three four five six seven eight", order=range(8))
    figure = mount(python, **PHONE)
    boxes = {
        word: figure.figure.locator(".inorder-tile .inorder-word", has_text=word).bounding_box()
        for word in ("one", "eight")
    }
    touch = figure.page.context.new_cdp_session(figure.page)

    def send(kind, box=None):
        points = [{"x": box["x"] + 0.8 * box["width"], "y": box["y"] + box["height"] / 2}] if box else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        figure.page.wait_for_timeout(100)

    send("touchStart", boxes["one"])
    send("touchMove", boxes["eight"])
    send("touchMove", boxes["eight"])
    send("touchEnd")
    assert figure.sync().reshuffle[-1] == "one"
    assert figure.page.evaluate("scrollY") == 0
    assert_page_shows(figure, python)


def test_shuffle(mount):
    python = SameOrNot("a b c d e f")
    figure = mount(python)
    seen = set()
    for _ in range(12):
        before = figure.sync().order
        figure.press("Shuffle")
        assert sorted(figure.sync().order) == list(range(6))
        assert python.order not in (before, list(range(6)))
        seen.add(tuple(python.order))
    assert len(seen) > 6
    assert_page_shows(figure, python)
    figure = mount(SameOrNot("no no"))
    figure.press("Shuffle")  # nothing new to find
    assert figure.sync().reshuffle == ["no", "no"]


def test_the_sentence(mount):
    python = SameOrNot("dog bites man")
    figure = mount(python)
    figure.figure.get_by_text("Another sentence").click()
    box = figure.figure.get_by_label("Sentence", exact=True)
    box.focus()
    figure.page.keyboard.press("End")
    figure.page.keyboard.type(" today,  perhaps")
    assert figure.sync().words == ["dog", "bites", "man", "today,", "perhaps"]
    assert python.reshuffle == ["man", "bites", "dog", "today,", "perhaps"]
    assert box.input_value() == "dog bites man today,  perhaps"  # as typed
    figure.page.keyboard.press("Tab")
    assert_page_shows(figure, python)
    box.fill("cat")
    assert "2 to 8 words" in figure.notice.inner_text()
    figure.figure.get_by_label("Give it the positions").click()
    assert figure.notice.inner_text() == ""
    assert figure.sync().words[-1] == "perhaps"
    box.fill("cat sleeps")
    assert figure.sync().words == ["cat", "sleeps"]
    assert python.reshuffle == ["sleeps", "cat"]
    assert_page_shows(figure, python)


def test_token_text_is_text(mount):
    hostile = "<img/src=x>"
    figure = mount(SameOrNot([hostile, "<b>b</b>", "&amp;"]))
    figure.figure.get_by_text("Another sentence").click()
    figure.figure.get_by_label("Sentence", exact=True).fill("<script>x()</script> b")
    assert "<script>x()</script>" in figure.figure.locator(".inorder-tiles").inner_text()
    assert figure.figure.locator("img, b, script").count() == 0


def test_rounding_has_room():
    """What separates rounding from a difference lies far from both: the worst of many sentences on either side."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(200):
        figure = SameOrNot(rng.choice(["dog", "man", "cat", "saw"], size=8).tolist(), order=rng.permutation(8))
        worst = max(worst, figure.difference)
    assert worst < ROUNDING / 100
