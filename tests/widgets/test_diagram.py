"""The mark `diagram`: what it refuses, where it draws red, and how its doors are opened."""

import pytest

from harness.accessibility import violations
from harness.figure import in_opposite_looks
from inorder.widgets import interact, marks

BOXES = {"X": (10, 50), "W/keys": (30, 50), "K": (50, 50), "V": (50, 90), "Y": (90, 50)}
ARROWS = [("X", "W/keys"), ("W/keys", "K"), ("X", "V"), ("K", "Y"), ("V", "Y")]
DOORS = {"rows": (10, 90, ["X"]), "keys": (50, 10, ["K"]), "matrix": (30, 10, ["W/keys"])}
DEPTHS = {
    "shut": ([-1, -1, -1, -1, -1], [-1, -1, -1, -1, -1]),
    "rows": ([0, -1, 2, 1, 2], [0, 1, 0, 2, 1]),
    "keys": ([-1, -1, 0, -1, 1], [-1, -1, -1, 0, -1]),
    "matrix": ([-1, 0, 1, -1, 2], [-1, 0, -1, 1, -1]),
}


def layer(door="shut"):
    """How far does it get?"""
    opened = door if door in DOORS else ""
    drawing = marks.diagram(
        BOXES, ARROWS, DOORS, opened=opened, details={"X": "the rows"}, small=["W/keys"], drag="door"
    )
    return drawing, marks.answer("So.")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"arrows": [("X", "Z")]}, r"must lead to boxes, X, W/keys, K, V, Y, got \['Z'\]"),
        ({"doors": {"rows": (1, 1, ["Q"])}}, r"got \['Q'\]"),
        ({"opened": "cellar"}, "opened must be one of rows, keys, matrix, or empty, got 'cellar'"),
    ],
)
def test_what_cannot_be_drawn_is_named(types_unchecked, changed, message):
    parts = {"arrows": ARROWS, "doors": DOORS} | changed
    with pytest.raises(ValueError, match=message):
        marks.diagram(BOXES, **parts)


@pytest.mark.parametrize("door", DEPTHS)
def test_red_goes_along_the_arrows_and_through_small_boxes(mount, door):
    boxes, ways = DEPTHS[door]
    parts = layer(door)[0].parts
    assert (parts["box_depths"], parts["way_depths"]) == (boxes, ways)
    figure = mount(interact(layer, door=list(DEPTHS), start={"door": door}))
    for name, depths in (("boxes", boxes), ("ways", ways)):
        drawn = figure.figure.locator(f'[data-name="0.{name}"]')
        assert drawn.evaluate_all("all => all.map((one) => Number(one.dataset.value))") == depths
        red = drawn.evaluate_all("all => all.map((one) => one.matches('.is-red'))")
        assert red == [depth >= 0 for depth in depths]


def test_a_press_opens_a_door_and_shuts_it_again(mount):
    figure = mount(interact(layer, door=list(DEPTHS)))
    assert figure.figure.locator("select:visible, fieldset:visible").count() == 0  # the doors are in the drawing
    door = figure.figure.get_by_role("button", name="keys")
    door.click()
    assert figure.sync().door == "keys" and door.get_attribute("aria-pressed") == "true"
    figure.figure.get_by_role("button", name="rows").press("Enter")
    assert figure.sync().door == "rows" and door.get_attribute("aria-pressed") == "false"
    figure.figure.get_by_role("button", name="rows").press("Enter")
    assert figure.sync().door == "shut"


def test_the_still_tells_and_draws_it():
    figure = interact(layer, door=list(DEPTHS), start={"door": "keys"})
    assert "The door “keys” is open; what comes in reaches K; Y." in figure.alt_text()
    texts = [text.get_text() for text in figure.figure().axes[0].texts]
    assert {"X\nthe rows", "W", *DOORS} <= set(texts)


@in_opposite_looks
def test_accessible(mount, device, look):
    figure = mount(interact(layer, door=list(DEPTHS), start={"door": "rows"}), color_scheme=look, **device)
    assert violations(figure.page, ".inorder-figure") == []
    assert figure.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
