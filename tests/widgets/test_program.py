"""The mark `program`: what it refuses and shows, and how its lines and its words are set by hand."""

import numpy as np
import pytest

from harness.accessibility import violations
from harness.figure import in_opposite_looks
from inorder.widgets import interact, marks

WORDS = ["dog", "bites", "man"]
CODE = ["y = norm(x)", "z = mix(y)", "x = x + z"]
MIXED = np.array([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8]])
WEIGHTS = np.stack([np.eye(3), MIXED, np.eye(3)])


def lines(line=1, word="dog"):
    """Which line mixes?"""
    inked = WORDS.index(word)
    shares = np.stack([np.eye(3)[inked], np.eye(3)[inked], MIXED[:, inked], 0.5 * (MIXED + np.eye(3))[:, inked]])
    options = {"lit": line, "inked": inked, "adds": {2: 0}, "drag": ("line", "word")}
    return marks.program(CODE, WORDS, WEIGHTS, shares, **options), marks.answer("So.")


def program(**start):
    return interact(lines, line={str(n): n for n in range(4)}, word=WORDS, start={"line": "1", "word": "dog"} | start)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"weights": WEIGHTS[:2]}, r"weights must have shape \(3, 3, 3\), got \(2, 3, 3\)"),
        ({"shares": np.eye(3)}, r"shares must have shape \(4, 3\), got \(3, 3\)"),
        ({"lit": 4}, "expected up to 3 lit lines and one of 3 rows, got 4 and 0"),
        ({"inked": 3}, "expected up to 3 lit lines and one of 3 rows, got 1 and 3"),
        ({"adds": {1: 2}}, "a line adds what was there before it"),
    ],
)
def test_what_cannot_be_drawn_is_named(types_unchecked, changed, message):
    shares = np.vstack([np.eye(3), np.eye(3)[:1]])
    parts = {"weights": WEIGHTS, "shares": shares, "lit": 1, "inked": 0} | changed
    with pytest.raises(ValueError, match=message):
        marks.program(CODE, WORDS, parts.pop("weights"), parts.pop("shares"), **parts)


def test_the_page_shows_the_shares_and_which_lines_are_lit(mount):
    figure = mount(program(line="2", word="man"))
    np.testing.assert_allclose(figure.numbers("0.values"), lines(2, "man")[0].parts["values"], rtol=1e-6)
    code = figure.figure.locator(".is-lit .is-code").all_text_contents()
    assert code == CODE[:2] and figure.figure.locator(".is-code.is-now").text_content() == CODE[1]
    assert figure.figure.locator(".inorder-thread").count() == 9 + 3 + 3
    assert figure.figure.locator("select:visible, fieldset:visible").count() == 0  # lines and words are set by hand


def test_lines_are_lit_and_words_inked_by_hand_and_by_keys(mount):
    figure = mount(program())
    line, word = (figure.figure.get_by_role("slider", name=name) for name in ("the last line", "the inked word"))
    picture, box = figure.figure.locator(".inorder-program").bounding_box(), line.bounding_box()
    mouse = figure.page.mouse
    mouse.move(box["x"] + 22, box["y"] + 22)
    mouse.down()
    mouse.move(box["x"] + 22, picture["y"] + picture["height"] + 9, steps=6)
    mouse.up()
    assert figure.sync().line == "3"
    line.press("ArrowUp")
    assert figure.sync().line == "2"
    line.press("ArrowDown")
    assert figure.sync().line == "3"
    word.press("ArrowRight")
    assert figure.sync().word == "bites"
    figure.figure.get_by_text("man", exact=True).click()
    assert figure.sync().word == "man"
    figure.figure.get_by_text(CODE[0], exact=True).click()
    assert figure.sync().line == "1"


def test_the_still_tells_and_draws_it():
    figure = program(line="2")
    assert "2 of 3 lines of code are lit, the last “z = mix(y)”" in figure.alt_text()
    texts = [text.get_text() for text in figure.figure().axes[0].texts]
    assert texts == [*CODE, *WORDS]


@in_opposite_looks
def test_accessible(mount, device, look):
    figure = mount(program(line="2"), color_scheme=look, **device)
    assert violations(figure.page, ".inorder-figure") == []
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
