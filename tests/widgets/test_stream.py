"""The mark `stream`: what it holds, what it refuses, what it looks like, and how the hand moves it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from playwright.sync_api import expect

from harness.accessibility import violations
from inorder.palette import DARK, LIGHT
from inorder.widgets import interact, marks
from inorder.widgets.interact.stream import dye

WORDS = ["dog", "bites", "man", "then"]
CAUSAL = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
INKED = 'figure => [...figure.querySelectorAll(".is-inked")].map((node) => node.textContent)'


def cone(word="dog"):
    """Where does it shine?"""
    return marks.stream([CAUSAL] * 2, WORDS, inked=WORDS.index(word), drag="word"), marks.answer(f"“{word}” shines.")


def dyed(alpha=1.0, row=0):
    """What is left of a colour?"""
    layer = (alpha * np.eye(5) + 0.2) / (alpha + 1)
    return marks.stream([layer] * 3, threads=False, drag="row"), marks.answer(f"{alpha}, {row}")


def mixing(n):
    """Weights of a layer whose rows sum to 1."""
    positive = arrays.arrays(float, (n, n), elements=st.floats(0.01, 1))
    return positive.map(lambda weights: weights / weights.sum(axis=1, keepdims=True))


# ------------------------------------------------------------------------------------------------------ what it holds


@given(st.data(), st.integers(1, 5), st.integers(1, 4))
def test_shares_are_carried_along_all_paths(data, n, n_layers):
    """By the sum over all paths, one by one, and so rows that sum to 1 go on doing so."""
    weights = np.stack([data.draw(mixing(n)) for _ in range(n_layers)])
    held = marks.stream(weights).parts["values"]
    source, row = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))

    def carried(level, at):
        if level == 0:
            return float(at == source)
        return sum(weights[level - 1, at, below] * carried(level - 1, below) for below in range(n))

    assert held[n_layers, row, source] == pytest.approx(carried(n_layers, row))
    np.testing.assert_allclose(held.sum(axis=-1), 1)


@given(st.data(), st.integers(2, 5), st.integers(1, 3))
def test_renamed_rows_hold_the_same(data, n, n_layers):
    weights = np.stack([data.draw(mixing(n)) for _ in range(n_layers)])
    order = np.array(data.draw(st.permutations(range(n))))
    inked = data.draw(st.integers(0, n - 1))
    held = marks.stream(weights, inked=int(order[inked])).parts["values"]
    moved = marks.stream(weights[:, order][:, :, order], inked=inked).parts["values"]
    np.testing.assert_allclose(moved, held[:, order])


def test_names_come_from_where_they_are_given():
    parts = marks.stream(np.ones((1, 2, 2)), "a b", shares=np.ones((2, 2, 2)) / 2).parts
    assert (parts["labels"], parts["sources"], parts["levels"]) == (["a", "b"], ["a", "b"], ["0", "1"])
    inked = marks.stream(np.ones((1, 2, 2)) / 2, "a b", layers=["in", "out"], inked=1, threads=False).parts
    assert (inked["sources"], inked["levels"], inked["threads"]) == (["b"], ["in", "out"], None)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: marks.stream(np.ones((2, 2))), "stream: weights must have 3 axes"),
        (lambda: marks.stream(np.ones((1, 2, 3))), r"weights must have shape \(layer, row, row\), got \(1, 2, 3\)"),
        (lambda: marks.stream([[[1.5]]]), r"weights must lie from 0 to 1, got 1.5 at \[0, 0, 0\]"),
        (lambda: marks.stream([[[np.nan]]]), "weights must be finite"),
        (lambda: marks.stream(np.ones((2, 2, 2))), r"shares must lie from 0 to 1, got 2 at \[2, 0, 0\]"),
        (lambda: marks.stream([np.eye(2)], shares=np.ones((1, 2, 2))), r"shares must have shape \(2, 2, 2\), got"),
        (lambda: marks.stream([np.eye(2)], shares=-np.ones((2, 2, 2))), "shares must lie from 0 to 1, got -1"),
        (lambda: marks.stream([np.eye(2)], inked=2), "inked must be one of the rows 0 to 1, or None, got 2"),
        (lambda: marks.stream([np.eye(2)], layers=["in"]), "expected 2 labels, got 1: in"),
        (lambda: marks.stream([np.eye(30)] * 20), "up to 400 cells, got 21 × 30"),
        (lambda: marks.stream([np.eye(20)] * 3), "up to 1024 threads, got 1200: try threads=False"),
        (lambda: marks.stream([np.eye(2)], drag=("a", "b")), "drag must name up to 1 arguments"),
    ],
)
def test_what_cannot_be_drawn_is_named(types_unchecked, make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_drag_needs_a_column_for_each_state():
    with pytest.raises(ValueError, match="drag expected 3 columns, one for each word, got 4"):
        interact(cone, word=WORDS[:3])


# ------------------------------------------------------------------------------------------------------------ colours


@given(arrays.arrays(float, (6,), elements=st.floats(0, 1)), st.booleans())
def test_page_and_twin_mix_the_same_colour(functions, shares, dark):
    page = np.array(functions("interact/dyes.js")("dye", shares.tolist(), dark))
    assert np.abs(page - 255 * dye(shares, 0.7 if dark else 0.6)).max() <= 0.51


def contrast(one, other):
    def luminance(colour):
        return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]

    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("n", [2, 5, 12])
def test_as_much_of_all_is_grey_and_every_colour_stands_out(n):
    for lightness, palette in ((0.6, LIGHT), (0.7, DARK)):
        plate = np.array([int(palette["plate"][i : i + 2], 16) for i in (1, 3, 5)]) / 255
        grey = dye(np.full(n, 1 / n), lightness)
        assert np.ptp(grey) < 1e-4
        for colour in [grey, *dye(np.eye(n), lightness)]:
            assert contrast(colour, plate) >= 3
        assert np.ptp(dye(np.eye(n), lightness), axis=1).min() > 0.2


# ------------------------------------------------------------------------------------------------- what the page shows


def shown(mounted, panel=0):
    cells = mounted.figure.locator(f'[data-name="{panel}.values"]')
    read = cells.evaluate_all("all => all.map(({ dataset: d }) => [+d.row, +d.col, d.value.split(' ').map(Number)])")
    levels, rows = 1 + max(level for level, *_ in read), 1 + max(row for _, row, _ in read)
    return np.array([values for *_, values in sorted(read)]).reshape(levels, rows, -1)


@pytest.mark.parametrize("word", WORDS)
def test_the_page_holds_what_the_function_returns(mount, word):
    mounted = mount(interact(cone, word=WORDS))
    mounted.drive(word=word)
    expected = cone(word)[0].parts["values"]
    np.testing.assert_allclose(shown(mounted), expected, rtol=1e-6)
    written = mounted.figure.locator(".inorder-share").all_text_contents()
    assert written == [f"{share:.2f}" if share else "" for share in expected.ravel()]
    assert mounted.figure.evaluate(INKED) == [word]


def test_dyed_rows_hold_all_sources(mount):
    mounted = mount(interact(dyed, alpha=[0.0, 1.0, 4.0], row=(0, 4), start={"alpha": 1.0, "row": 0}))
    np.testing.assert_allclose(shown(mounted), dyed()[0].parts["values"], rtol=1e-6)
    mounted.drive(alpha=0.0)
    colours = mounted.figure.locator("stop").evaluate_all("all => all.map((stop) => stop.getAttribute('stop-color'))")
    assert len(set(colours[:4])) == 2, "a colour at the input, one grey above"
    assert colours[1] == colours[5]


def test_a_column_is_chosen_by_a_tap_a_drag_and_the_keys(mount):
    mounted = mount(interact(cone, word=WORDS))
    mounted.cell("0.values", 2, 2).click()
    assert mounted.sync().word == "man"
    mounted.page.mouse.down()
    mounted.cell("0.values", 0, 1).hover()
    assert mounted.sync().word == "bites"
    mounted.page.mouse.up()
    mounted.cell("0.values", 0, 3).hover()
    assert mounted.sync().word == "bites", "only while the button is down"
    handle = mounted.figure.get_by_role("slider", name="Drag word")
    handle.press("ArrowRight")
    assert mounted.sync().word == "man"
    assert handle.get_attribute("aria-valuetext") == "word man"
    handle.press("Home")
    assert mounted.sync().word == "dog"
    box, then = handle.bounding_box(), mounted.figure.locator(".is-word").nth(3).bounding_box()
    mounted.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mounted.page.mouse.down()
    mounted.page.mouse.move(then["x"] + then["width"] / 2, then["y"], steps=4)
    assert handle.evaluate("frame => getComputedStyle(frame, '::before').content") == '"then"', "it holds the word"
    mounted.page.mouse.up()
    assert mounted.sync().word == "then"
    assert mounted.summary.text_content() == "“then” shines."


def test_columns_in_another_order_are_found_by_their_names(mount):
    def two(word="dog"):
        """Two texts"""
        texts = [WORDS, ["man", "bites", "dog", "then"]]
        return [marks.stream([CAUSAL], text, inked=text.index(word), drag="word") for text in texts]

    mounted = mount(interact(two, word=WORDS))
    mounted.cell("1.values", 1, 0).click()
    assert mounted.sync().word == "man"
    assert mounted.figure.evaluate(INKED) == ["man", "man"]
    handles = mounted.figure.get_by_role("slider", name="Drag word")
    middles = [box["x"] + box["width"] / 2 for box in (handles.nth(i).bounding_box() for i in range(2))]
    words = mounted.figure.locator(".is-inked")
    for i, middle in enumerate(middles):
        box = words.nth(i).bounding_box()
        assert middle == pytest.approx(box["x"] + box["width"] / 2, abs=2)


def test_a_tap_chooses_on_a_phone_and_the_words_fit(mount):
    mounted = mount(interact(cone, word=WORDS), **PHONE)
    mounted.cell("0.values", 2, 3).tap()
    assert mounted.sync().word == "then"
    boxes = [mounted.figure.locator(".is-word").nth(i).bounding_box() for i in range(4)]
    for left, right in pairwise(boxes):
        assert left["x"] + left["width"] <= right["x"] + 1
    handle = mounted.figure.get_by_role("slider", name="Drag word").bounding_box()
    assert min(handle["width"], handle["height"]) >= 44


def test_a_hand_on_it_sees_no_frame_and_no_tag(mount):
    mounted = mount(interact(cone, word=WORDS))
    picture = mounted.figure.locator(".inorder-stream")
    picture.drag_to(picture, source_position={"x": 150, "y": 90}, target_position={"x": 250, "y": 90})
    expect(picture).to_be_focused()
    expect(picture).to_have_css("outline-style", "none")
    expect(mounted.figure.locator(".inorder-tag")).to_have_text("")
    picture.press("ArrowUp")
    expect(picture).to_have_css("outline-style", "solid")


def test_every_cell_is_read_out(mount):
    mounted = mount(interact(cone, word=WORDS))
    tag = mounted.figure.locator(".inorder-tag")
    mounted.cell("0.values", 1, 1).hover()
    assert tag.text_content() == "1, bites: 0.50 of dog"
    picture = mounted.figure.get_by_role("application")
    picture.press("ArrowUp")
    assert tag.text_content() == "2, bites: 0.75 of dog"
    picture.press("ArrowRight")
    assert tag.text_content() == "2, man: 0.61 of dog"
    assert "then: 0.52 of dog" in picture.get_attribute("aria-label")
    mounted.drive(word="then")
    assert tag.text_content() == "2, man: 0.00 of then"


def test_a_mixture_is_read_out_from_its_largest_share(mount):
    mounted = mount(interact(dyed, alpha=[0.0, 1.0, 4.0], row=(0, 4), start={"alpha": 1.0, "row": 0}))
    mounted.cell("0.values", 0, 2).hover(force=True)
    assert mounted.figure.locator(".inorder-tag").text_content() == "0, 2: 1.00 of 2"
    mounted.cell("0.values", 1, 2).hover(force=True)
    said = mounted.figure.locator(".inorder-tag").text_content()
    assert said == "1, 2: 0.60 of 2, 0.10 of 0, 0.10 of 1, and no more of any other"


def test_without_digits_a_cell_says_whether_it_is_reached(mount):
    def reach(word="bites"):
        """Which words can a word reach?"""
        return marks.stream([CAUSAL] * 2, WORDS, inked=WORDS.index(word), digits=None), marks.answer(word)

    picture = mount(interact(reach, word=WORDS)).figure.get_by_role("application")
    description = picture.get_attribute("aria-label")
    assert "2, dog: not reached by bites; 2, bites: reached by bites" in description


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("make", [cone, dyed])
def test_it_is_accessible(mount, make, colours):
    controls = {"word": WORDS} if make is cone else {"alpha": [0.0, 1.0, 4.0], "row": (0, 4)}
    mounted = mount(interact(make, **controls), color_scheme=colours)
    mounted.figure.get_by_role("application").press("ArrowRight")
    assert violations(mounted.page, ".inorder-figure") == []


def test_ink_glides_to_another_word(mount):
    mounted = mount(interact(cone, word=WORDS), reduced_motion="no-preference")
    fills = mounted.page.evaluate("""() => new Promise((resolve) => {
      const tile = document.querySelector('[data-name="0.values"][data-row="0"][data-col="0"]'), fills = [];
      const look = () => {
        fills.push(tile.getAttribute("fill"));
        if (fills.length > 60) resolve(fills); else requestAnimationFrame(look);
      };
      model.set("word", "then");
      look();
    })""")
    assert len(set(fills)) > 3
    still = mount(interact(cone, word=WORDS), reduced_motion="reduce")
    still.drive(word="then")
    assert still.cell("0.values", 0, 0).get_attribute("fill") == "rgb(255 255 255)"


# --------------------------------------------------------------------------------------------------------------- twin


@pytest.mark.parametrize("make", [cone, dyed])
def test_the_twin_is_drawn_and_told(make):
    controls = {"word": WORDS} if make is cone else {"alpha": [0.0, 1.0, 4.0], "row": (0, 4)}
    figure = interact(make, **controls)
    axes = figure.figure().axes[0]
    n_levels, n, _ = make()[0].parts["values"].shape
    assert len(axes.patches) == n_levels * n
    if make is cone:
        written = [text.get_text() for text in axes.texts]
        assert written == [f"{share:.2f}" for share in cone()[0].parts["values"].ravel() if share]
        assert "4 columns, from 0 up through 2 layers. At the end dog has 1.00 of dog, bites has 0.75 of dog" in (
            figure.alt_text()
        )
