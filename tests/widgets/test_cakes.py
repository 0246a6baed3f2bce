"""The mark `cakes`: how a slice is pulled."""

import numpy as np

from harness.figure import PHONE
from inorder.attention import softmax
from inorder.widgets import interact, marks

WORDS = ["dog", "bites", "man"]
PULLS = {f"{pull:g}": float(pull) for pull in range(-2, 5)}


def table(key="dog", pull=0.0):
    """Who loses?"""
    scores = np.array([[1.0, 0, 2], [0, 0, 1], [2, 1, 0]])
    scores[1, WORDS.index(key)] += pull
    asked = WORDS.index(key)
    return marks.cakes(softmax(scores), WORDS, held=1, first=asked, drag=("key", "pull")), marks.answer("So.")


def cakes(**start):
    return interact(table, key=WORDS, pull=PULLS, start={"pull": "0"} | start, play=False)


def test_a_slice_is_pulled_by_hand_and_by_keys(mount):
    figure = mount(cakes(), **PHONE)
    figure.cell("0.values", 1, 2).click()
    assert figure.sync().key == "man", "its slice is first now"
    handle = figure.figure.get_by_label("Drag the slice of “man”")
    (start, cake) = (one.bounding_box() for one in (handle, figure.cell("0.values", 1, 2)))
    x, y = start["x"] + 22, start["y"] + 22
    mouse = figure.page.mouse
    mouse.move(x, y)
    mouse.down()
    away = []
    for step in np.linspace(0.1, 1, 10):  # straight, to three quarters of the cake
        goal = x - 0.26 * step * cake["height"], y - 0.43 * step * cake["height"]
        mouse.move(*goal)
        held = handle.bounding_box()
        away.append(np.hypot(held["x"] + 22 - goal[0], held["y"] + 22 - goal[1]))
    mouse.up()
    assert max(away) < 8
    python = figure.sync()
    assert python.key == "man" and float(python.pull) > 0
    shares = table("man", float(python.pull))[0].parts["values"]
    np.testing.assert_allclose(figure.numbers("0.values"), shares, rtol=1e-6)
    handle = figure.figure.locator(".inorder-handle")
    for key, expected in (("End", "man"), ("ArrowLeft", "bites"), ("ArrowLeft", "dog")):
        handle.press(key)
        assert figure.sync().key == expected
    pull = figure.python.pull
    handle.press("ArrowDown")
    assert float(figure.sync().pull) == float(pull) - 1
