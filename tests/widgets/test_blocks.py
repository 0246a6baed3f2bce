"""The mark `blocks`: what it refuses and shows, and how its block is moved."""

import numpy as np
import pytest

from harness.accessibility import violations
from harness.figure import in_opposite_looks
from inorder.widgets import interact, marks

PLACES = {f"{i + 1} of 6": i for i in range(6)}
KEPT = np.arange(12.0).reshape(2, 6) - 3


def table(block=0):
    """Where is it?"""
    row, column = divmod(block, 2)
    values = np.array([[1.0, 0.5], [0.25, 0.0]]) / (block + 1)
    kept = {"m": KEPT[0], "sum": KEPT[1] + column}
    return marks.blocks(values, (row, column), (3, 2), kept, drag="block"), marks.answer(f"At {row}, {column}.")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"values": [1.0]}, "blocks: values must have 2 axes"),
        ({"values": [[-1.0]]}, "values must be 0 or more, got -1"),
        ({"at": (0, 2)}, r"at must be one of 2 × 2 blocks, got \(0, 2\)"),
        ({"counts": (2.5, 2)}, "counts must be whole numbers, got 2.5"),
        ({"counts": (30, 30)}, "expected up to 400 cells, got 30 × 30"),
        ({"kept": {}}, "expected 1 to 3 numbers kept, got 0"),
        ({"kept": {"m": [1.0]}}, "expected 2 numbers"),
        ({"drag": ("a", "b")}, "drag must name up to 1 arguments"),
    ],
)
def test_what_cannot_be_drawn_is_named(types_unchecked, parts, message):
    whole = {"values": [[1.0]], "at": (0, 0), "counts": (2, 2), "kept": {"m": [1.0, 2.0]}}
    with pytest.raises(ValueError, match=message):
        marks.blocks(**whole | parts)


def test_the_page_shows_one_block_and_what_is_kept_of_the_rows_that_have_begun(mount):
    figure = mount(interact(table, block=PLACES, start={"block": "4 of 6"}))
    np.testing.assert_allclose(figure.numbers("0.values"), np.array([[1, 0.5], [0.25, 0]]) / 4)
    np.testing.assert_allclose(figure.numbers("0.kept"), np.add(KEPT, [[0], [1]])[:, :4])
    cells = [cell.bounding_box() for cell in figure.figure.locator('[data-name="0.values"]').all()]
    whole = figure.figure.locator(".is-table").bounding_box()
    assert cells[0]["x"] == pytest.approx(whole["x"] + whole["width"] / 2, abs=1)
    assert cells[0]["y"] == pytest.approx(whole["y"] + whole["height"] / 3, abs=1)
    assert figure.figure.locator("select:visible, input:visible").count() == 0  # the block is moved by hand


def test_the_block_is_dragged_and_moved_by_keys(mount):
    figure = mount(interact(table, block=PLACES), reduced_motion="reduce")
    handle, lit = figure.figure.locator(".inorder-handle"), figure.figure.locator("rect.is-lit")
    whole = figure.figure.locator(".is-table").bounding_box()
    start = handle.bounding_box()
    middle = [start["x"] + start["width"] / 2, start["y"] + start["height"] / 2]
    figure.page.mouse.move(*middle)
    figure.page.mouse.down()
    figure.page.mouse.move(whole["x"] + 0.8 * whole["width"], whole["y"] + 0.8 * whole["height"], steps=6)
    assert handle.bounding_box()["x"] > start["x"] + 0.3 * whole["width"]
    figure.page.mouse.up()
    assert figure.sync().block == "6 of 6"
    right, bottom = whole["x"] + whole["width"], whole["y"] + whole["height"]
    box = lit.bounding_box()
    assert [box["x"] + box["width"], box["y"] + box["height"]] == pytest.approx([right, bottom], abs=2)
    handle.press("ArrowLeft")
    assert figure.sync().block == "5 of 6"
    handle.press("Home")
    assert figure.sync().block == "1 of 6"


def test_the_still_tells_and_draws_it():
    figure = interact(table, block=PLACES, start={"block": "3 of 6"})
    assert "only the block of 2 × 2 in row 1 and column 0 is there" in figure.alt_text()
    [axes] = figure.figure().axes
    assert [text.get_text() for text in axes.texts] == [
        *("m", "−3.00", "−2.00", "−1.00", "0.00"),
        *("sum", "3.00", "4.00", "5.00", "6.00"),
    ]
    assert len(axes.patches) == 4 + 2


@in_opposite_looks
def test_accessible(mount, device, look):
    figure = mount(interact(table, block=PLACES), color_scheme=look, **device)
    assert violations(figure.page, ".inorder-figure") == []
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture = figure.figure.get_by_role("application")
    assert "a table of 6 queries and 4 keys, of which only block 0, 0 is there" in picture.get_attribute("aria-label")
