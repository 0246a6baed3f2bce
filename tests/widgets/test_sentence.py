"""The mark `sentence`: words that travel, arcs as thick as weights, in a browser and without."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect

from harness.accessibility import violations
from harness.figure import MountedFigure
from inorder.widgets import interact, marks

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WORDS = ["animal", "street", "it"]
ORDERS = {" ".join(WORDS[i] for i in order): order for order in permutations(range(3))}
WEIGHTS = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.0, 0.9375, 0.0625]])
LONG = ["The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too", "tired"]
WIDTHS = """(arcs) => arcs.map((arc) => [arc.parentElement.dataset.row, arc.parentElement.dataset.col,
  Number(arc.getAttribute("stroke-width"))])"""
# Where the first word's tile is in each frame from now on, until it rests.
FRAMES = """() => new Promise((resolve) => {
  const tile = document.querySelector(".inorder-sentence .inorder-tile"), places = [];
  const look = () => {
    places.push(new DOMMatrix(tile.style.transform).e);
    const n = places.length;
    if (n > 300 || (n > 30 && places[n - 1] === places[n - 20])) resolve(places); else requestAnimationFrame(look);
  };
  model.set("order", "street it animal");
  look();
})"""


def reordered(order, asks=2):
    """Which word looks at which?"""
    weights = WEIGHTS[np.ix_(order, order)]
    place = list(order).index(asks)
    words = [WORDS[token] for token in order]
    line = marks.sentence(words, {"all": weights, "one": weights[place]}, order=order, asks=place, drag="order")
    return line, marks.answer(f"{' '.join(words)}, {WORDS[asks]} asks.")


def reordered_figure():
    return interact(reordered, order=ORDERS, asks=(0, 2), start={"asks": 2}, play=False)


def tile(mounted, word):
    return mounted.figure.locator(".inorder-tile", has_text=word)


def in_order(mounted, axis="x"):
    boxes = {word: tile(mounted, word).bounding_box() for word in WORDS}
    return sorted(WORDS, key=lambda word: boxes[word][axis])


def dragged(mounted, word, dx, dy=0):
    box = tile(mounted, word).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mounted.page.mouse.move(x, y)
    mounted.page.mouse.down()
    for share in np.linspace(0.1, 1, 8):
        mounted.page.mouse.move(x + share * dx, y + share * dy)
    mounted.page.mouse.up()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(3)), asks=st.integers(0, 2))
def test_the_page_shows_each_word_at_its_place_with_its_weights(mount_once, order, asks):
    mounted = mount_once(reordered_figure)
    mounted.drive(order=" ".join(WORDS[token] for token in order), asks=asks)
    assert in_order(mounted) == [WORDS[token] for token in order]
    weights = mounted.numbers("0.0.weights")
    expected = WEIGHTS[np.ix_(order, order)]
    np.testing.assert_allclose(np.where(expected > 0, weights[: len(expected), : len(expected)], 0), expected)
    asking = mounted.figure.locator(".is-asking")
    assert asking.inner_text() == WORDS[asks]
    place = order.index(asks)
    arcs = mounted.figure.locator('[data-name="0.1.weights"] .inorder-arc').evaluate_all(WIDTHS)
    assert {int(row) for row, *_ in arcs} == {place}
    thickness = {int(col): thick for _, col, thick in arcs}
    for col, weight in enumerate(expected[place]):
        assert thickness.get(col, 0) == pytest.approx(15 * weight / 0.9375), "linear, from none to the largest of all"


@pytest.fixture(scope="module")
def mount_once(browser):
    """mount_once(make): the figure that the first call made."""
    mounted: list[MountedFigure] = []

    def once(figure):
        if not mounted:
            context = browser.new_context(viewport={"width": 1008, "height": 800}, reduced_motion="reduce")
            mounted.append(MountedFigure(context.new_page(), figure()))
        return mounted[0]

    yield once
    for one in mounted:
        one.page.context.close()


def test_a_word_is_dragged_by_the_mouse(mount):
    mounted = mount(reordered_figure(), reduced_motion="reduce")
    far = tile(mounted, "it").bounding_box()["x"] - tile(mounted, "animal").bounding_box()["x"]
    dragged(mounted, "animal", far + 20)
    assert mounted.sync().order == "street it animal", "the others keep their order"
    assert in_order(mounted) == ["street", "it", "animal"]
    dragged(mounted, "animal", -2 * far)
    assert mounted.sync().order == "animal street it"


def test_a_word_that_is_dragged_there_and_back_leaves_no_trace(mount):
    mounted = mount(reordered_figure(), reduced_motion="reduce")
    box = tile(mounted, "street").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mounted.page.mouse.move(x, y)
    mounted.page.mouse.down()
    seen = []
    for way in (100, 200, 100, 0, -100, -200, 0):
        mounted.page.mouse.move(x + way, y)
        seen.append(mounted.summary.text_content().split(",")[0])
    mounted.page.mouse.up()
    assert {"animal it street", "street animal it"} <= set(seen)
    assert mounted.sync().order == "animal street it"
    assert tile(mounted, "street").bounding_box()["x"] == pytest.approx(box["x"], abs=1)


def test_a_word_is_moved_by_the_keys_which_stay_with_it(mount):
    mounted = mount(reordered_figure())
    one = mounted.figure.get_by_role("button", name="animal, 1 of 3")
    one.press("ArrowRight")
    assert mounted.sync().order == "street animal it"
    assert mounted.page.evaluate("document.activeElement.textContent") == "animal"
    mounted.page.keyboard.press("End")
    assert mounted.sync().order == "street it animal"
    mounted.page.keyboard.press("ArrowRight")
    assert mounted.sync().order == "street it animal"
    mounted.page.keyboard.press("ArrowLeft")
    mounted.page.keyboard.press("ArrowUp")
    assert mounted.sync().order == "animal street it"
    mounted.figure.get_by_role("button", name="it, 3 of 3, asks").wait_for()


def test_words_travel_and_arcs_with_them(mount):
    mounted = mount(reordered_figure(), reduced_motion="no-preference")
    places = np.array(mounted.page.evaluate(FRAMES))
    assert (np.diff(places) >= 0).all() and places[-1] > places[0]
    between = (places > places[0] + 5) & (places < places[-1] - 5)
    assert between.sum() >= 2, "frames between the two places"


def test_where_less_motion_is_asked_for_nothing_travels(mount):
    mounted = mount(reordered_figure(), reduced_motion="reduce")
    assert len(set(mounted.page.evaluate(FRAMES))) == 1


def line(last="tired"):
    """A sentence too long for a phone"""
    rounds = {"first": np.eye(11)[10] * 0.9 + 0.1 / 11, "second": np.eye(11)[1 if last == "tired" else 5]}
    return marks.sentence([*LONG[:-1], last], rounds, asks=7, small=[0, 2, 4, 6, 8, 9])


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("screen", [{"viewport": {"width": 1008, "height": 800}}, PHONE], ids=["wide", "phone"])
def test_a_long_sentence_stands_on_any_screen(mount, screen, colours):
    mounted = mount(interact(line, last=["tired", "wide"]), color_scheme=colours, **screen)
    assert mounted.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    boxes = mounted.figure.locator(".inorder-sentence .inorder-tile").evaluate_all(
        "tiles => tiles.map((one) => { const { x, y, right, bottom } = one.getBoundingClientRect();"
        " return [x, y, right, bottom]; })"
    )
    for left, right in pairwise(boxes):
        assert right[0] >= left[2] or right[1] >= left[3], "no tile covers another"
    frame = mounted.figure.locator(".inorder-sentence").bounding_box()
    assert boxes[0][0] >= frame["x"] - 1 and boxes[-1][2] <= frame["x"] + frame["width"] + 1
    assert violations(mounted.page, ".inorder-figure") == []


def test_the_tiles_of_a_column_are_as_wide_as_the_widest_word(mount):
    words = ["wide-awake", "exhausted", "overworked", "unfamiliar", "worn-out by it", "illuminated"]
    mounted = mount(interact(line, last=words, start={"last": words[0]}), **PHONE)
    widest = mounted.figure.locator(".inorder-word").last
    cut = []
    for word in words:
        mounted.drive(last=word)
        expect(widest).to_have_text(word)
        room, needed = widest.evaluate(
            "word => { const text = document.createRange(); text.selectNodeContents(word);"
            " return [word, text].map((one) => one.getBoundingClientRect().width); }"
        )
        cut += [word] * (room < needed)
    assert cut == []


def test_it_is_spoken_and_read_out(mount):
    mounted = mount(interact(line, last=["tired", "wide"]))
    label = mounted.figure.get_by_role("group").last.get_attribute("aria-label")
    assert label.startswith("first: it to tired 0.91, it to The 0.01,")
    assert label.endswith("and 3 thinner ones; second: it to animal 1.00.")
    picture, tag = mounted.figure.get_by_role("application"), mounted.figure.locator(".inorder-tag")
    picture.press("ArrowRight")
    assert tag.text_content() == "first: it → animal 0.01"
    picture.press("ArrowDown")
    assert tag.text_content() == "second: it → animal 1.00"
    mounted.drive(last="wide")
    assert tag.text_content() == "second: it → street 1.00"
    assert "second: it to street 1.00" in mounted.figure.get_by_role("group").last.get_attribute("aria-label")


def test_arrows_join_words_and_name_no_weights(mount):
    def chain(order=(0, 1, 2)):
        """Each row and the next"""
        tokens = ["ABC"[token] for token in order]
        return marks.sentence([*tokens, "?"], np.eye(4, k=1), order=[*order, 3], heads=True, small=[3], drag="order")

    mounted = mount(interact(chain, order={"A B C": (0, 1, 2), "B A C": (1, 0, 2)}), reduced_motion="reduce")
    assert mounted.figure.locator(".inorder-sentence .is-filled").count() == 3
    assert mounted.figure.locator(".is-loose").all_inner_texts() == ["A", "B"], "what no order moves has no grip"
    mounted.figure.get_by_role("button", name="C, 3 of 4").press("ArrowLeft")
    assert mounted.sync().order == "A B C"
    mounted.figure.get_by_role("button", name="A, 1 of 4").press("ArrowRight")
    assert mounted.sync().order == "B A C"
    assert mounted.python.alt_text().startswith(
        "Each row and the next. The words B A C ? in tiles, and arcs between them. B to A, A to C and C to ?."
    )


def test_notes_travel_or_stay_as_the_function_says(mount):
    def numbered(order):
        """Places under the words"""
        return marks.sentence([WORDS[token] for token in order], order=order, notes=[0, 1, ""], drag="order")

    mounted = mount(interact(numbered, order=ORDERS, play=False), reduced_motion="reduce")
    mounted.drive(order="it animal street")
    assert tile(mounted, "it").locator(".inorder-note").inner_text() == "0"
    assert tile(mounted, "animal").locator(".inorder-note").inner_text() == "1"
    assert tile(mounted, "street").locator(".inorder-note").is_hidden()


def test_only_a_figure_with_a_sentence_carries_it():
    def bar(height=1):
        """A bar"""
        return marks.bars([height])

    without, with_one = interact(bar, height=(0, 3)), interact(line, last=["tired", "wide"])
    assert (without.extras, with_one.extras) == ([], ["sentence"])
    assert "sentenceMark" not in without._esm and "sentenceMark" in with_one._esm
    assert "inorder-arcs" not in without._css and "inorder-arcs" in with_one._css


@given(order=st.permutations(range(5)), seed=st.integers(0, 99))
def test_weights_belong_to_their_words_whatever_the_order(order, seed):
    weights = np.random.default_rng(seed).random((5, 5))
    words = np.array(list("vwxyz"))
    usual = marks.sentence(list(words), weights, asks=3).parts
    moved = marks.sentence(list(words[order]), weights[np.ix_(order, order)], order=order, asks=order.index(3)).parts
    assert moved["labels"] == usual["labels"] and moved["asks"] == usual["asks"] == 3
    np.testing.assert_array_equal(moved["weights"], usual["weights"])
    np.testing.assert_array_equal(moved["places"][order], np.arange(5))


def test_without_a_browser():
    figure = reordered_figure()
    assert (
        "all: it to street 0.94, street to street 0.75," in figure.alt_text()
        and "one: it to street 0.94" in figure.alt_text()
    )
    axes = figure.figure().axes[0]
    words = [one.get_text() for one in sorted(axes.texts, key=lambda one: one.get_position()[0])]
    assert [word for word in words if word in WORDS] == WORDS
    assert len(axes.patches) == 3 + 8 + 2, "tiles, and an arc for each weight above zero"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: marks.sentence("a b", [0.5, 0.5]), r"weights must have 2 axes and a number in each, got shape \(2,\)"),
        (lambda: marks.sentence("a b", np.ones((2, 3))), r"a row and a column for each of 2 words, got \(2, 3\)"),
        (lambda: marks.sentence("a b", [0.5, 0.3, 0.2], asks=1), r"for each of 2 words, got \(3,\)"),
        (lambda: marks.sentence("a b", -np.eye(2)), "weights must not be negative, got -1"),
        (lambda: marks.sentence("a b", np.full((2, 2), np.nan)), "weights must be finite, got nan"),
        (lambda: marks.sentence("a b", order=[0, 2]), "order must be a permutation of 0 to 1, got"),
        (lambda: marks.sentence("a b", asks=2), "asks must be a place from 0 to 1, got 2"),
        (lambda: marks.sentence("a b", small=[True]), "small must be a place from 0 to 1, got True"),
        (lambda: marks.sentence(""), "expected 1 to 24 words, got 0"),
        (lambda: marks.sentence("a", {name: [[1]] for name in "abc"}), "one or two rounds, got 3"),
        (lambda: marks.sentence("a b", notes=[1]), "expected 2 labels, got 1"),
        (lambda: marks.sentence("a b", limits=(1, 0)), "low < high"),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
