"""EncodingExplorer: its arithmetic against inorder; in a real browser its controls, words, picture and link."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from harness.figure import PHONE
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
    return functions(*(f"encoding_explorer/{file}.js" for file in ("encoding", "live")))


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize(("length", "d_model", "base"), [(300, 64, 1e4), (129, 6, 1.0), (2, 2, 7.5)])
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


@pytest.mark.parametrize("seed", range(3))
def test_the_part_in_view_is_pythons(js, seed):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = rng.integers(2, 300, size=2).tolist()
    state = {"zoom": float(rng.uniform(1, 20)), "top": int(rng.integers(300)), "left": int(rng.integers(300))}
    view = js("viewOf", {"nRows": n_rows, "nColumns": n_columns}, state)
    explorer = EncodingExplorer(np.zeros((n_rows, n_columns)), **state)
    assert explorer.window == (view["row"], view["column"], view["nRows"], view["nColumns"])


def shown(figure) -> tuple[int, int, float]:
    number = figure.figure.locator('[data-name="0.chosen"]')
    return number.evaluate("cell => [+cell.dataset.row, +cell.dataset.col, +cell.dataset.value]")


def assert_page_shows(figure, explorer):
    assert figure.summary.inner_text() == explorer.summary()
    assert figure.figure.locator(".inorder-answer .inorder-note").inner_text() == explorer.note()
    row, column, value = shown(figure)
    assert (row, column) == (explorer.position, explorer.column)
    np.testing.assert_allclose(value, explorer.value, **CLOSE)


def unfold(figure, *names):
    for name in names:
        figure.figure.locator(".inorder-fold > summary", has_text=name).click()
    return figure


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
    figure = unfold(mount(explorer), "Dot products", "Length")
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


def test_keyboard_moves_and_zooms(mount):
    explorer = EncodingExplorer(length=256, d_model=64, position=100, column=8)
    figure = mount(explorer)
    figure.figure.locator(".inorder-heat").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowRight"):
        figure.page.keyboard.press(key)
    assert (figure.sync().position, explorer.column) == (101, 9)
    for _ in range(3):
        figure.page.keyboard.press("+")
    assert figure.sync().window[2:] == (32, 8)
    row, column, rows, columns = explorer.window
    assert row <= 101 < row + rows and column <= 9 < column + columns
    figure.page.keyboard.press("PageDown")
    assert figure.sync().position == 111
    figure.page.keyboard.press("End")  # the view follows the cell
    assert (figure.sync().position, explorer.column) == (111, 63)
    assert explorer.window[1] == 56
    for _ in range(4):
        figure.page.keyboard.press("-")
    assert figure.sync().window == (0, 0, 256, 64)
    assert_page_shows(figure, explorer)


def test_mouse_reads_chooses_and_drags(mount):
    explorer = EncodingExplorer(length=20, d_model=30)
    figure = unfold(mount(explorer), "Zoom")
    canvas = figure.figure.locator(".inorder-heat")
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
    figure.figure.locator(".inorder-heat").hover()
    figure.page.mouse.wheel(0, -100)
    assert figure.sync().zoom == 1
    figure.page.keyboard.down("Control")
    figure.page.mouse.wheel(0, -100)
    figure.page.wait_for_function("model.get('zoom') > 1")
    figure.page.keyboard.up("Control")
    assert figure.sync().window[2:] == (51, 13)
    figure.figure.get_by_role("button", name="Whole table").click()
    assert figure.sync().window == (0, 0, 64, 16)


def test_touch_and_a_dial(mount):
    explorer = EncodingExplorer(length=10, d_model=12)
    figure = mount(explorer, **PHONE)
    canvas = figure.figure.locator(".inorder-heat")
    box = canvas.bounding_box()
    canvas.tap(position={"x": 6.5 / 12 * box["width"], "y": 8.5 / 10 * box["height"]})
    assert (figure.sync().position, explorer.column) == (8, 6)
    figure.drive(position=0)
    dial = figure.figure.locator(".inorder-clock").first.locator("circle").first.bounding_box()
    middle = dial["x"] + dial["width"] / 2, dial["y"] + dial["height"] / 2
    figure.page.mouse.move(middle[0], middle[1] - 10)
    figure.page.mouse.down()
    for quarter in (1, 2, 3, 4, 5):  # the fastest hand turns by a radian a position: 5 quarters of a turn are 7.9
        angle = quarter * np.pi / 2
        figure.page.mouse.move(middle[0] + 12 * np.sin(angle), middle[1] - 12 * np.cos(angle))
    figure.page.mouse.up()
    assert figure.sync().position == 8


def test_a_table_of_ones_own(mount):
    explorer = EncodingExplorer(TABLE, position=19, column=29)
    figure = unfold(mount(explorer), "Dot products", "Length")
    assert_page_shows(figure, explorer)
    np.testing.assert_array_equal(explorer.encoding, TABLE)
    np.testing.assert_allclose(explorer.products, TABLE @ TABLE[19])
    for label in ("d_model", "Base", "all sin, then all cos", "the sines only"):
        assert figure.figure.get_by_label(label, exact=True).count() == 0
    assert figure.figure.locator(".inorder-clocks").count() == 0
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
