"""EncodingExplorer: its arithmetic against inorder; in a real browser its controls, words, picture and link."""

import json
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from harness.accessibility import violations
from harness.figure import PHONE, in_opposite_looks
from harness.waiting import wait_until
from inorder.encodings import frequencies, sinusoidal_encoding
from inorder.widgets import EncodingExplorer
from inorder.widgets.kit.state import InvalidState

LARGEST = {"length": 2048, "d_model": 512}
CLOSE = {"rtol": 0, "atol": 1e-9}
rng = np.random.default_rng(7)
TABLE = rng.normal(0, 0.02, (20, 30))


@pytest.fixture(scope="module")
def js(functions) -> Callable:
    """js("encodingTable", 3, 4, {...}) calls the function of that name of the figure's modules."""
    return functions(*(f"encoding_explorer/{file}.js" for file in ("encoding", "hands", "curve")))


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize(
    ("length", "d_model", "base"), [(2048, 512, 1e4), (300, 6, 1e6), (129, 48, 1.0), (2, 2, 7.5), (65, 10, 100.0)]
)
def test_the_table_is_inorders(js, length, d_model, base, layout):
    table = js("encodingTable", length, d_model, {"base": base, "layout": layout})
    expected = sinusoidal_encoding(np.arange(length), d_model, base=base, layout=layout)
    np.testing.assert_allclose(np.reshape(table, (length, d_model)), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(js("waveFrequencies", d_model, base), frequencies(d_model, base=base), rtol=1e-12)


def test_products_are_numpys(js):
    values = np.random.default_rng(0).normal(size=(20, 30))
    matrix = {"values": values.ravel().tolist(), "nRows": 20, "nColumns": 30}
    np.testing.assert_allclose(js("rowProducts", matrix, 3), values @ values[3], **CLOSE)
    some = js("rowProducts", matrix, 19, {"first": 1, "step": 3, "count": 5})
    np.testing.assert_allclose(some, values[:, 1:16:3] @ values[19, 1:16:3], **CLOSE)


def test_the_nearest_row(js):
    values = np.random.default_rng(0).normal(size=(20, 3))
    values[17] = values[4]
    matrix = {"values": values.ravel().tolist(), "nRows": 20, "nColumns": 3}
    for row in range(20):
        distances = np.linalg.norm(values - values[row], axis=1)
        distances[row] = np.inf
        result = js("nearestRow", matrix, row)
        assert result["nearest"] == EncodingExplorer(values, position=row).nearest[0] == distances.argmin()
        np.testing.assert_allclose(
            [result["distance"], EncodingExplorer(values, position=row).nearest[1]], distances.min()
        )


def test_zooming_keeps_the_cell_in_view(js):
    rng = np.random.default_rng(2)
    for _ in range(50):
        n_rows, n_columns = rng.integers(2, 300, size=2).tolist()
        at = {"row": int(rng.integers(n_rows)), "column": int(rng.integers(n_columns))}
        matrix, state = {"nRows": n_rows, "nColumns": n_columns}, {"zoom": 1, "top": 0, "left": 0}
        asked = rng.integers(7)
        for step, factor in enumerate((2, 2, 1.3, 2, 0.5, 2, 0.1)):
            state = js("zoomedBy", factor, at, matrix, state)
            view = js("viewOf", matrix, state)
            assert view["row"] <= at["row"] < view["row"] + view["nRows"] <= n_rows
            assert view["column"] <= at["column"] < view["column"] + view["nColumns"] <= n_columns
            if step == asked:  # of Python, which takes a tenth of a second
                explorer = EncodingExplorer(np.zeros((n_rows, n_columns)), **state)
                assert explorer.window == (view["row"], view["column"], view["nRows"], view["nColumns"])
        assert state["zoom"] >= 1


def test_dials_fill_their_box(js):
    for width, height in ((326, 160), (326, 40), (342, 90)):
        for n in range(1, 257):
            dials = js("dialsIn", width, height, n)
            assert dials["across"] * dials["side"] <= width
            assert -(-n // dials["across"]) * dials["side"] <= height
            assert dials["side"] >= min(0.9 * min(width, height), 0.6 * (width * height / n) ** 0.5)


def test_a_thinned_curve_keeps_every_peak(js):
    ys = np.random.default_rng(1).normal(size=2000)
    places = js("placesToDraw", ys.tolist(), 100, 1899, 300)
    assert len(places) < 400 and places == sorted(set(places))
    assert min(places) >= 100 and max(places) <= 1899
    for start in range(100, 1900, 12):  # 1800 places, two or more to a pixel
        inside = [ys[i] for i in places if start <= i < start + 12]
        assert {ys[start : start + 12].min(), ys[start : start + 12].max()} == set(inside)
    assert js("placesToDraw", ys.tolist(), 5, 64, 300) == list(range(5, 65))


def shown(figure) -> tuple[int, int, float]:
    number = figure.figure.locator('[data-name="encoding"]')
    return number.evaluate("cell => [+cell.dataset.row, +cell.dataset.col, +cell.dataset.value]")


def assert_page_shows(figure, explorer):
    assert figure.summary.inner_text() == explorer.summary()
    assert figure.figure.locator(".inorder-answer .inorder-note").inner_text() == explorer.note()
    assert figure.figure.locator(".inorder-sign").first.inner_text() == "≠="[explorer.nearest[1] == 0]
    assert figure.figure.locator(".inorder-readout").inner_text() == explorer.cell()
    row, column, value = shown(figure)
    assert (row, column) == (explorer.position, explorer.column)
    np.testing.assert_allclose(value, explorer.value, **CLOSE)
    like = figure.figure.locator(".inorder-likeness .inorder-plot")
    if like.is_visible():
        np.testing.assert_allclose(json.loads(like.get_attribute("data-value")), explorer.products, **CLOSE)
        assert figure.figure.locator(".inorder-likeness-words").inner_text() == explorer.likeness()


def unfold(figure, *names):
    for name in names:
        figure.figure.locator(".inorder-fold > summary", has_text=name).click()
    return figure


def random_explorer(seed: int) -> EncodingExplorer:
    rng = np.random.default_rng(seed)
    length, d_model = int(rng.integers(2, 2049)), 2 * int(rng.integers(1, 257))
    return EncodingExplorer(
        length=length,
        d_model=d_model,
        base=float(10 ** rng.uniform(0, 6)),
        position=int(rng.integers(length)),
        column=int(rng.integers(d_model)),
        column_layout=str(rng.choice(["interleaved", "halves"])),
        product=str(rng.choice(["all", "sines"])),
    )


@pytest.mark.parametrize("seed", range(5))
def test_words_and_number_of_random_states(mount, seed):
    explorer = random_explorer(seed)
    figure = unfold(mount(explorer), "Similarity", "Length")
    assert_page_shows(figure, explorer)
    assert figure.figure.get_by_text("The fastest hand").inner_text() == explorer.speeds()


def test_ten_random_cells_of_the_largest_table(mount):
    explorer = EncodingExplorer(**LARGEST)
    figure = mount(explorer)
    expected = sinusoidal_encoding(np.arange(2048), 512)
    rng = np.random.default_rng(1)
    for row, column in zip(rng.integers(2048, size=10).tolist(), rng.integers(512, size=10).tolist(), strict=True):
        figure.drive(position=row, column=column)
        assert shown(figure)[:2] == [row, column]
        assert abs(shown(figure)[2] - expected[row, column]) < 1e-9


def fill(figure, label, value):
    figure.figure.get_by_label(f"{label}, as a number").fill(str(value))
    return figure.sync()


def test_controls(mount):
    explorer = EncodingExplorer()
    figure = unfold(mount(explorer), "Similarity", "Length")
    assert fill(figure, "Length", 100).length == 100
    assert fill(figure, "Position", 90).position == 90
    assert fill(figure, "d_model", 32).d_model == 32
    assert fill(figure, "Base", 500).base == 500.0
    assert fill(figure, "Column", 20).column == 20
    assert_page_shows(figure, explorer)
    figure.figure.get_by_label("all sin, then all cos").check()
    figure.figure.get_by_label("the sines only").check()
    assert (figure.sync().column_layout, explorer.product) == ("halves", "sines")
    assert_page_shows(figure, explorer)
    fill(figure, "Length", 10)  # what was chosen beyond the end moves to it
    assert (fill(figure, "d_model", 12).position, explorer.column) == (9, 11)
    assert_page_shows(figure, explorer)


def test_what_does_not_fit_is_ignored(mount):
    explorer = EncodingExplorer()
    figure = unfold(mount(explorer), "Length")
    for label, wrong in (
        ("d_model", [31, 9999, 0]),
        ("Length", [1, 1.5, 4000]),
        ("Position", [999, -1, 0.5]),
        ("Column", [16]),
        ("Base", [0, -5, 1e9]),
    ):
        box = figure.figure.get_by_label(f"{label}, as a number")
        before = box.input_value()
        for value in wrong:
            assert fill(figure, label, value).state == explorer.initial_state
        box.blur()
        assert box.input_value() == before
    assert_page_shows(figure, explorer)


def test_a_number_can_be_typed_digit_by_digit(mount):
    figure = unfold(mount(EncodingExplorer()), "Length")
    box = figure.figure.get_by_label("Length, as a number")
    box.press("Control+a")
    box.press_sequentially("100")  # 1 is none that fits
    assert figure.sync().length == 100


def test_the_longest_base_fits_its_box(mount):
    figure = unfold(mount(EncodingExplorer(base=999_999)), "Length")
    free = figure.figure.get_by_label("Base, as a number").evaluate(
        """box => {
          const style = getComputedStyle(box);
          const pen = document.createElement("canvas").getContext("2d");
          pen.font = style.font;
          const text = pen.measureText(box.value).width;
          return box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - text;
        }"""
    )
    assert free > 20  # the arrows that Firefox always shows


def test_the_base_slider_is_logarithmic(mount):
    explorer = EncodingExplorer(base=100.0)
    figure = unfold(mount(explorer), "Length")
    slider = figure.figure.get_by_label("Base", exact=True)
    assert float(slider.input_value()) == pytest.approx(2, abs=0.005)
    assert slider.get_attribute("aria-valuetext") == "100"
    slider.focus()
    figure.page.keyboard.press("End")
    assert figure.sync().base == 1e6
    figure.page.keyboard.press("Home")
    assert figure.sync().base == 1
    assert_page_shows(figure, explorer)


def test_keyboard_moves_and_zooms(mount):
    explorer = EncodingExplorer(length=256, d_model=64, position=100, column=8)
    figure = mount(explorer)
    figure.figure.locator(".inorder-encoding-map").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowRight"):
        figure.page.keyboard.press(key)
    assert (figure.sync().position, explorer.column) == (101, 9)
    for _ in range(3):
        figure.page.keyboard.press("+")
    assert figure.sync().window[2:] == (32, 8)
    row, column, rows, columns = explorer.window
    assert row <= 101 < row + rows and column <= 9 < column + columns
    figure.page.keyboard.press("PageDown")
    assert figure.sync().position == 105
    figure.page.keyboard.press("End")  # the view follows the cell
    assert (figure.sync().position, explorer.column) == (105, 63)
    assert explorer.window[1] == 56
    for _ in range(4):
        figure.page.keyboard.press("-")
    assert figure.sync().window == (0, 0, 256, 64)
    assert_page_shows(figure, explorer)


def test_mouse_reads_chooses_and_drags(mount):
    explorer = EncodingExplorer(length=20, d_model=30)
    figure = unfold(mount(explorer), "Zoom")
    canvas = figure.figure.locator(".inorder-encoding-map")
    box = canvas.bounding_box()

    def place(row, column):
        return box["x"] + (column + 0.5) / 30 * box["width"], box["y"] + (row + 0.5) / 20 * box["height"]

    figure.page.mouse.move(*place(4, 7))
    assert shown(figure)[:2] == [4, 7]
    assert abs(shown(figure)[2] - explorer.encoding[4, 7]) < 1e-9
    assert figure.sync().state == explorer.initial_state  # only looked at
    figure.page.mouse.move(0, 0)
    assert shown(figure)[:2] == [0, 0]
    figure.page.mouse.click(*place(4, 7))
    assert (figure.sync().position, explorer.column) == (4, 7)
    figure.page.mouse.move(*place(4, 7))
    figure.page.mouse.down()
    figure.page.mouse.move(*place(9, 12), steps=4)
    assert (figure.sync().position, explorer.column) == (9, 12)  # while the drag lasts
    figure.page.mouse.move(*place(4, 7), steps=4)
    figure.page.mouse.up()
    figure.press("Zoom in")
    before = figure.sync().window
    figure.page.mouse.move(*place(4, 7))
    figure.page.mouse.down()
    figure.page.mouse.move(*place(4 - 0.3 * 20, 7 - 0.2 * 30), steps=4)
    figure.page.mouse.up()
    after = figure.sync().window
    assert (after[0] - before[0], after[1] - before[1], after[2:]) == (3, 3, before[2:])
    assert (explorer.position, explorer.column) == (4, 7)
    figure.press("Zoom out")
    assert figure.sync().window == (0, 0, 20, 30)
    assert figure.figure.get_by_role("button", name="Whole table").is_disabled()


def test_two_fingers_zoom_and_one_scrolls(mount):
    explorer = EncodingExplorer()
    figure = unfold(mount(explorer), "Zoom")
    figure.figure.locator(".inorder-encoding-map").hover()
    figure.page.mouse.wheel(0, -100)
    assert figure.sync().zoom == 1
    figure.page.keyboard.down("Control")
    figure.page.mouse.wheel(0, -100)
    figure.page.wait_for_function("model.get('zoom') === 2")
    figure.page.keyboard.up("Control")
    assert figure.sync().window[2:] == (32, 8)
    figure.figure.get_by_role("button", name="Whole table").click()
    assert figure.sync().window == (0, 0, 64, 16)


def test_touch_and_a_dial(mount):
    explorer = EncodingExplorer(length=10, d_model=12)
    figure = mount(explorer, **PHONE)
    canvas = figure.figure.locator(".inorder-encoding-map")
    box = canvas.bounding_box()
    canvas.tap(position={"x": 6.5 / 12 * box["width"], "y": 8.5 / 10 * box["height"]})
    assert (figure.sync().position, explorer.column) == (8, 6)
    dials = figure.figure.locator(".inorder-hands canvas")
    side = (
        dials.bounding_box()["width"] / 6 if dials.bounding_box()["height"] < 60 else dials.bounding_box()["width"] / 3
    )
    dials.tap(position={"x": 1.5 * side, "y": 0.5 * side})
    assert figure.sync().column == 2
    assert_page_shows(figure, explorer)


@pytest.mark.parametrize("device", [{"viewport": {"width": 1008, "height": 900}}, PHONE], ids=["wide", "phone"])
def test_all_hands_are_in_sight(mount, device):
    figure = mount(EncodingExplorer(), **device)
    for parts in ({"d_model": 512}, {"d_model": 2}, {"d_model": 48, "length": 2048}):
        figure.drive(**parts)
        room = figure.figure.locator(".inorder-hands").bounding_box()
        dials = figure.figure.locator(".inorder-hands canvas").bounding_box()
        assert dials["y"] + dials["height"] <= room["y"] + room["height"] + 0.5
        assert dials["x"] + dials["width"] <= room["x"] + room["width"] + 0.5


def test_an_open_fold_leaves_the_map_in_sight(mount):
    figure = mount(EncodingExplorer(), viewport={"width": 1008, "height": 900})
    size = "canvas => canvas.getBoundingClientRect().height"
    canvas = figure.figure.locator(".inorder-encoding-map")
    closed = canvas.evaluate(size)
    has_room_for = (
        "([open, closed]) => document.querySelector('.inorder-encoding-map').clientHeight < closed - 80 === open"
    )
    unfold(figure, "Similarity")
    wait_until(figure.page, has_room_for, [True, closed])
    assert canvas.evaluate(size) > 250
    unfold(figure, "Similarity")
    wait_until(figure.page, has_room_for, [False, closed])
    assert canvas.evaluate(size) == closed >= 380


def test_a_table_of_ones_own(mount):
    explorer = EncodingExplorer(TABLE, position=19, column=29)
    figure = unfold(mount(explorer), "Similarity", "Length")
    assert_page_shows(figure, explorer)
    np.testing.assert_array_equal(explorer.encoding, TABLE)
    np.testing.assert_allclose(explorer.products, TABLE @ TABLE[19])
    for label in ("d_model", "Base", "all sin, then all cos", "the sines only"):
        assert figure.figure.get_by_label(label, exact=True).count() == 0
    assert figure.figure.locator(".inorder-hands").count() == 0
    for row, column in np.ndindex(3, 3):
        figure.drive(position=int(row), column=int(column))
        assert shown(figure)[2] == TABLE[row, column]
    fill(figure, "Length", 5)
    assert explorer.encoding.shape == (5, 30)
    fill(figure, "Length", 50)
    assert explorer.length == 5
    figure.press("Reset")
    figure.sync()
    assert_page_shows(figure, explorer)


def test_a_table_with_two_rows_alike(mount):
    table = TABLE.copy()
    table[7] = table[3]
    explorer = EncodingExplorer(table, position=3)
    assert explorer.summary() == "Position 7 has the same row."
    assert_page_shows(mount(explorer), explorer)


def test_a_table_from_torch_and_lists():
    table = torch.tensor(TABLE, requires_grad=True)
    np.testing.assert_array_equal(EncodingExplorer(table).encoding, TABLE)
    np.testing.assert_array_equal(EncodingExplorer(TABLE.tolist(), length=4).encoding, TABLE[:4])


def test_a_link_for_waves_does_not_reshape_a_table(mount):
    explorer = EncodingExplorer(TABLE)
    figure = mount(explorer, initial_state={"d_model": 32, "length": 21, "product": "sines", "position": 2})
    assert "was left out" in figure.notice.inner_text()
    explorer.position = 2
    assert_page_shows(figure, explorer)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"encoding": np.zeros((1, 4))}, r"encoding must have 2 to 2048 rows .*, got shape \(1, 4\)"),
        ({"encoding": np.zeros((4, 600))}, r"encoding must have .* up to 512 columns, got shape \(4, 600\)"),
    ],
)
def test_bad_values_are_named(wrong, message):
    with pytest.raises(InvalidState, match=message):
        EncodingExplorer(**wrong)


def test_what_python_computes():
    explorer = EncodingExplorer(length=50, d_model=20, base=100.0, position=49, column=3, column_layout="halves")
    expected = sinusoidal_encoding(np.arange(50), 20, base=100.0, layout="halves")
    np.testing.assert_array_equal(explorer.encoding, expected)
    assert explorer.value == expected[49, 3]
    np.testing.assert_array_equal(explorer.wave, expected[:, 3])
    np.testing.assert_allclose(explorer.products, expected @ expected[49])
    np.testing.assert_allclose(explorer.wavelengths[1], 2 * np.pi * 100 ** (1 / 10))
    explorer.product = "sines"
    np.testing.assert_allclose(explorer.products, expected[:, :10] @ expected[49, :10])
    explorer.column_layout = "interleaved"
    waves = explorer.encoding[:, ::2]
    np.testing.assert_allclose(explorer.products, waves @ waves[49])
    explorer.zoom, explorer.top, explorer.left = 5, 45, 18
    assert explorer.window == (40, 16, 10, 4)
    nearest, distance = explorer.nearest
    assert nearest == 48
    np.testing.assert_allclose(distance, np.linalg.norm(expected[49] - expected[48]))


@pytest.mark.parametrize(
    "explorer",
    [
        EncodingExplorer(length=40, d_model=8, position=3),
        EncodingExplorer(**LARGEST, zoom=100, top=1000, left=100),
        EncodingExplorer(TABLE),
        EncodingExplorer(length=2, d_model=2),
    ],
    ids=["small", "zoomed", "table", "smallest"],
)
def test_twin_and_alternative_text(explorer):
    figure = explorer.figure()
    rows, columns = explorer.window[2:]
    assert figure.axes[0].images[0].get_array().shape == (rows, columns)
    assert f"{rows} positions down and {columns} columns across" in explorer.alt_text()
    assert explorer.summary() in explorer.alt_text() and explorer.likeness() in explorer.alt_text()
    assert ElementTree.fromstring(explorer._repr_mimebundle_()[0]["image/svg+xml"]).tag.endswith("svg")


def test_hands_of_the_twin_point_where_the_pairs_do():
    explorer = EncodingExplorer(length=40, d_model=8, position=3)
    dial = next(axes for axes in explorer.figure().axes if "hands" in axes.get_title(loc="left"))
    hands = [line.get_xydata() for line in dial.lines if len(line.get_xdata()) == 2]
    tips = np.array([(end - start) / 0.42 for start, end in hands])
    np.testing.assert_allclose(tips, explorer.encoding[3].reshape(4, 2))


@in_opposite_looks
def test_a_table_fits_and_is_accessible(mount, device, look):
    figure = mount(EncodingExplorer(TABLE), color_scheme=look, **device)
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert ("is-dark" in figure.figure.get_attribute("class")) == (look == "dark")
    assert violations(figure.page, ".inorder-figure") == []


def test_made_narrow_it_is_as_high_as_if_it_had_always_been_narrow(mount):
    table = np.sin(np.arange(96.0)).reshape(16, 6)
    plot = mount(EncodingExplorer(table)).page.locator(".inorder-wave .inorder-plot")
    plot.page.set_viewport_size(PHONE["viewport"])
    plot.page.wait_for_timeout(200)
    narrowed = plot.bounding_box()["height"]
    fresh = mount(EncodingExplorer(table), viewport=PHONE["viewport"]).page.locator(".inorder-wave .inorder-plot")
    assert narrowed == pytest.approx(fresh.bounding_box()["height"])
