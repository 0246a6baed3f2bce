"""interact in the browser: at every state the page shows what the function returns, and the reader can move it."""

import itertools
import json

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.figure import PHONE
from harness.waiting import wait_until
from inorder.attention import softmax
from inorder.widgets import interact, marks

WORDS = ["animal", "street", "tired", "cross", "it"]
SCORES = np.array([1.9, 1.3, 0.6, 0.2, -0.4])
READ = """(figure) => [...figure.querySelectorAll("[data-value]")].map(({ dataset }) =>
  [dataset.name, Number(dataset.row), Number(dataset.col ?? 0), dataset.value.split(" ").map(Number)])"""


def sharpness(beta=1.0, scaled=True):
    """How much does a better score count?"""
    weights = softmax(beta * SCORES * (1 if scaled else 3))
    return [
        marks.bars(weights, WORDS, columns={"score": SCORES}, axis="share", limits=(0, 1), reference=0.2),
        marks.answer(f"“animal” gets {weights[0]:.2f}.", "✓" if weights[0] > 0.5 else "×"),
    ]


def sharpness_figure(**options):
    return interact(sharpness, beta=(0, 4, 0.1), scaled=True, names={"beta": "β"}, **options)


def every_mark(size=3, spread=1.0, kind="a", flipped=False):
    """Every mark, of shapes that depend on the state"""
    rng = np.random.default_rng([size, int(10 * spread), ord(kind), flipped])
    names = [f"row {i}" for i in range(size)]

    def random(*shape):
        return spread * rng.standard_normal(shape)

    plane = marks.lines(np.arange(size + 2.0), {"one": random(size + 2), "two": random(size + 2)}, actor={"one": "key"})
    plane += marks.points(random(size, 2), names, actor="value") + marks.arrows(random(2, 2), tails=random(2, 2))
    return [
        marks.bars({"before": random(size), "after": random(size)}, names, columns={"score": random(size)}),
        plane,
        marks.heat_map(random(size, size + 1), names),
        marks.table({"number": random(size), "word": names}),
        marks.answer(f"{size}, {spread}, {kind}, {flipped}", "=" if flipped else None),
    ]


def test_columns_keep_their_order_and_decimals_through_a_notebook_that_sorts_names(mount):
    def tables(on=True):
        """Two marks with columns."""
        columns = {"step": [2_359_296, 12], "loss": [0.5, 0.25], "accuracy": ["poor", "fair"], "share": [0.125, 1]}
        return [
            marks.table(columns, digits={"step": 0, "share": 3}),
            marks.bars([1.0, 2.0], columns={"step": ["one", "two"], "loss": [3.0, 4.0]}, axis="share"),
        ]

    figure = interact(tables, on=True)
    figure.set_trait("tree", json.loads(json.dumps(figure.tree, sort_keys=True)))
    mounted = mount(figure)
    heads = mounted.figure.get_by_role("columnheader").all_inner_texts()
    assert [head for head in heads if head] == ["step", "loss", "accuracy", "share", "step", "loss", "share"]
    rows = mounted.figure.locator(".inorder-table tbody tr").all_inner_texts()
    assert [row.split() for row in rows] == [["2359296", "0.50", "poor", "0.125"], ["12", "0.25", "fair", "1.000"]]
    assert "2359296.00" not in interact(tables, on=True)._repr_mimebundle_()[0]["image/svg+xml"]


def test_words_without_arcs_stand_above_the_rest_and_are_their_own_list(mount):
    orders = {" ".join(order): order for order in itertools.permutations(["dog", "bites", "man"])}

    def line_and_maps(order, n=2):
        "Drag a word."
        words = ["dog", "bites", "man"]
        line = marks.sentence(list(order), order=[words.index(word) for word in order], drag="order")
        return [marks.heat_map([[0.5, 1]]), line, *(marks.heat_map([[0.5, n]]) for _ in range(2))]

    mounted = mount(interact(line_and_maps, order=orders, n=(1, 3), play=False))
    assert mounted.figure.get_by_label("order", exact=True).is_hidden()
    mounted.figure.locator(".inorder-tile", has_text="man").press("Home")
    assert mounted.sync().order == "man dog bites"


def numbers_of(returned):
    """Every number that the marks draw, by the names that the page gives them."""
    result = {}

    def put(name, array):
        for (row, column), value in np.ndenumerate(np.atleast_2d(array)):
            result[name, row, column] = [value]

    for place, mark in enumerate(returned):
        parts = mark.parts
        if mark.kind in ("bars", "heat_map"):
            put(f"{place}.values", parts["values"])
        for name, column in parts.get("columns", {}).items() if mark.kind in ("bars", "table") else ():
            if isinstance(column, np.ndarray):
                put(f"{place}.{name}", column[:, None])
        for layer_place, layer in enumerate(parts.get("layers", [])):
            name = "y" if layer["kind"] == "lines" else "xy"
            for row, values in enumerate(layer[name]):
                result[f"{place}.{layer_place}.{name}", row, 0] = list(values)
    return result


def assert_shows(figure, returned, **tolerance):
    display = {(name, row, column): values for name, row, column, values in figure.evaluate(READ)}
    expected = numbers_of(returned)
    assert display.keys() == expected.keys()
    for key, values in expected.items():
        np.testing.assert_allclose(display[key], values, err_msg=str(key), **tolerance)
    answer = next((mark.parts for mark in returned if mark.kind == "answer"), None)
    if answer:
        assert figure.locator(".inorder-summary").text_content() == answer["words"]


# -------------------------------------------------------------------------------------------------------- parity


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    low=st.integers(1, 3),
    count=st.integers(1, 3),
    spreads=st.lists(st.integers(1, 40), min_size=3, max_size=4, unique=True),
    kinds=st.lists(st.sampled_from("abcd"), min_size=2, max_size=3, unique=True),
    picks=st.lists(st.tuples(*[st.integers(0, 100)] * 4), min_size=3, max_size=3),
    precision=st.sampled_from(["float32", "uint16"]),
)
def test_at_random_states_the_page_shows_what_the_function_returns(mount, low, count, spreads, kinds, picks, precision):
    choices = {
        "size": list(range(low, low + count + 1)),
        "spread": sorted(spread / 10 for spread in spreads),
        "kind": kinds,
        "flipped": [False, True],
    }
    start = {name: states[0] for name, states in choices.items()}
    controls = choices | {"size": (low, low + count), "flipped": False}
    mounted = mount(interact(every_mark, start=start, precision=precision, **controls))
    tolerance = {"rtol": 1e-6} if precision == "float32" else {"rtol": 1e-6, "atol": 20 * max(spreads) / 655_350}
    for pick in picks:
        state = {name: states[i % len(states)] for (name, states), i in zip(choices.items(), pick, strict=True)}
        mounted.drive(**state)
        assert_shows(mounted.figure, every_mark(**state), **tolerance)


def test_a_large_map_reads_its_cells_to_the_reader(mount):
    def waves(n=30):
        """Waves"""
        return marks.heat_map(np.sin(np.outer(np.arange(n), np.arange(20))), axes=("position", "column"))

    mounted = mount(interact(waves, n=(25, 30)))
    canvas = mounted.figure.get_by_role("application", name="30 × 20 cells, rows: position, columns: column")
    assert mounted.figure.locator(".inorder-readout").text_content() == "rows: position, columns: column"
    canvas.focus()
    for key in ["ArrowRight", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"]:
        canvas.press(key)
    display = mounted.figure.locator(".inorder-readout [data-value]")
    np.testing.assert_allclose(float(display.get_attribute("data-value")), np.sin(2 * 2), rtol=1e-6)
    assert mounted.figure.locator(".inorder-readout").text_content() == "position 2, column 2: −0.76"
    box = canvas.bounding_box()
    mounted.page.mouse.move(box["x"] + box["width"] * 4.5 / 20, box["y"] + box["height"] * 1.5 / 30)
    assert "position 1, column 4" in mounted.figure.locator(".inorder-readout").text_content()


def test_where_no_cell_has_its_number_a_scale_tells_the_shades(mount):
    def cells(n=0):
        """Two maps"""
        return [
            marks.heat_map([[n, 0.25]], limits=(0, 0.5), digits=None, axes=("layer", "head")),
            marks.heat_map([[n, 0.25]], limits=(0, 0.5), digits=2),
        ]

    mounted = mount(interact(cells, n=(0, 1)))
    (shades,) = mounted.figure.locator(".inorder-scale").all()  # the other map has its numbers
    assert shades.text_content() == "0.000.50"
    colours = "e => getComputedStyle(e).backgroundImage.match(/rgb\\([^)]*\\)/g)"
    lightest, _, darkest = shades.locator("i").evaluate(colours)
    fill = "document.querySelector('.inorder-cell-of').style.backgroundColor"
    assert mounted.page.evaluate(fill) == lightest
    mounted.figure.get_by_role("slider").fill("1")
    wait_until(mounted.page, f"(darkest) => {fill} === darkest", darkest)


def test_infinity_is_drawn_where_it_can_be(mount):
    def masked(n=1):
        """A mask"""
        return marks.heat_map([[0.5, -np.inf], [n, 1]]), marks.table({"length": [np.inf, n]})

    mounted = mount(interact(masked, n=(1, 3)))
    hatched = mounted.figure.locator(".is-infinite")
    assert hatched.all_text_contents() == ["−∞"]
    assert mounted.figure.locator(".inorder-table td").first.text_content() == "∞"


# ------------------------------------------------------------------------------------------------------ controls


def test_every_control_by_keyboard(mount):
    mounted = mount(interact(every_mark, size=(2, 4), spread=[0.5, 1.0, 2.0], kind=["a", "b", "c"], flipped=False))
    figure, page = mounted.figure, mounted.page
    slider = figure.get_by_role("slider", name="size")
    assert slider.get_attribute("aria-valuetext") == "3"
    slider.press("ArrowRight")
    assert (mounted.sync().size, slider.get_attribute("aria-valuetext")) == (4, "4")
    figure.get_by_role("slider", name="spread").press("Home")
    figure.get_by_role("radio", name="a", exact=True).press("ArrowRight")
    figure.get_by_role("switch", name="flipped").press("Space")
    python = mounted.sync()
    state = {name: getattr(python, name) for name in python.state_names}
    assert state == {"size": 4, "spread": 0.5, "kind": "b", "flipped": True}
    assert_shows(figure, every_mark(**state), rtol=1e-6)
    assert figure.locator(".inorder-sign").get_attribute("aria-label") == "equal"
    mounted.press("Reset")
    assert mounted.sync().size == 3
    assert_shows(figure, every_mark(), rtol=1e-6)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_long_list_of_choices_is_a_list(mount):
    def shown(word="one"):
        """Choices"""
        return marks.bars([len(word)])

    mounted = mount(interact(shown, word=["one", "a rather long choice", "another that is as long"]))
    mounted.figure.get_by_label("word").select_option("a rather long choice")
    assert mounted.sync().word == "a rather long choice"
    assert_shows(mounted.figure, [shown("a rather long choice")])


def test_play_walks_the_slider_to_its_end_and_can_be_stopped(mount):
    mounted = mount(sharpness_figure(start={"beta": 3.5}), reduced_motion="no-preference")
    button = mounted.figure.get_by_role("button", name="Play β")
    button.click()
    mounted.page.wait_for_function("model.get('beta') === 4")
    assert button.text_content() == "Play"
    button.click()
    mounted.page.wait_for_function("model.get('beta') > 0.3")
    mounted.figure.get_by_role("button", name="Pause β").click()
    held = mounted.page.evaluate("model.get('beta')")
    mounted.page.wait_for_timeout(350)
    assert mounted.page.evaluate("model.get('beta')") == held < 4


def test_play_rests_where_less_motion_is_asked_for(mount):
    mounted = mount(sharpness_figure(), reduced_motion="reduce")
    assert not mounted.figure.get_by_role("button", name="Play β").is_visible()


# ------------------------------------------------------------------------------------------- as every figure is


def test_no_name_of_a_curve_is_cut_and_none_touches_another(mount):
    names = ["W_Q", "ceiling without direction", "Reformer, sorted chunks"]

    def curves(spread=1):
        """What is each curve called?"""
        return marks.lines(np.arange(3.0), {name: [0, 0, 0.1 * spread * i] for i, name in enumerate(names)})

    mounted = mount(interact(curves, spread=(0, 9)), **PHONE)
    for _ in range(2):
        written = mounted.figure.locator(".inorder-labels text")
        assert sorted(" ".join(written.all_text_contents()).split()) == sorted(" ".join(names).split())
        boxes = [text.bounding_box() for text in written.all()]
        plane = mounted.figure.locator(".inorder-plane").bounding_box()
        halo = 2  # pixels around each letter
        assert all(box["x"] + box["width"] <= plane["x"] + plane["width"] + halo for box in boxes)
        assert all(plane["y"] - 1 <= box["y"] for box in boxes)
        tops = [box["y"] for box in boxes]
        assert min(np.diff(tops)) > 15
        mounted.figure.get_by_role("slider").press("Home")  # all end in one place


def test_what_changed_while_it_was_hidden_is_drawn_once_it_is_shown(mount):
    mounted = mount(interact(every_mark, size=(2, 4)))
    mounted.page.evaluate("document.querySelector('main').style.display = 'none'")
    mounted.page.wait_for_timeout(100)  # a frame without it
    mounted.drive(size=4)
    mounted.page.evaluate("document.querySelector('main').style.display = ''")
    mounted.figure.locator('[data-name="2.values"][data-row="3"]').first.wait_for()
    assert_shows(mounted.figure, every_mark(size=4), rtol=1e-6)


def test_a_linked_widget_may_stand_between_two_states(mount):
    mounted = mount(sharpness_figure())
    mounted.drive(beta=2.34)
    assert_shows(mounted.figure, sharpness(2.3), rtol=1e-6)
    mounted.drive(beta="no number")
    assert_shows(mounted.figure, sharpness(2.3), rtol=1e-6)
