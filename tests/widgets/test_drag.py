"""Tiles under the hand, in every figure that has them: they follow it, stay under it, and land where it lets go."""

import numpy as np
import pytest
from playwright.sync_api import expect

from harness.figure import PHONE
from inorder.widgets import Loom, OrderAudit, PermutationPlayground, PromptOrderLab, SameOrNot, interact, marks

ORDERS = {"A B C D": (0, 1, 2, 3), "B A C D": (1, 0, 2, 3), "B C A D": (1, 2, 0, 3), "B C D A": (1, 2, 3, 0)}


def line(order=(0, 1, 2, 3)):
    """Which stands where?"""
    words = ["ABCD"[token] for token in order]
    return marks.sentence(words, np.eye(4), order=order, drag="order"), marks.answer(" ".join(words))


# A figure, its tile to drag, and along which axis.
FIGURES = {
    "Loom": (lambda: Loom("A B C D"), "A", "x"),
    "SameOrNot": (lambda: SameOrNot("A B C D", order=range(4)), "A", "x"),
    "OrderAudit": (lambda: OrderAudit(order=range(5)), "dogs", "x"),
    "PromptOrderLab": (lambda: PromptOrderLab("A B C D", "A B C D"), "A", "x"),
    "PermutationPlayground": (lambda: PermutationPlayground("A B C D", order=range(4)), "A", "y"),
    "sentence": (lambda: interact(line, order=ORDERS, play=False), "A", "x"),
}
# At each frame, after whatever else is done in it: how far the middle of the tile is from where the pointer carried it.
WATCH = """(tile, axis) => {
  const middle = () => {
    const { x, y, width, height } = tile.getBoundingClientRect();
    return axis === "x" ? x + width / 2 : y + height / 2;
  };
  const pointer = (event) => (axis === "x" ? event.clientX : event.clientY);
  const from = middle();
  let start = null, gone = 0, request = 0;
  const arm = () => {
    cancelAnimationFrame(request);
    request = requestAnimationFrame(look);
  };
  const look = () => {
    if (start !== null) away.push(middle() - from - gone);
    if (isWatching) setTimeout(arm);
  };
  Object.assign(window, { away: [], isWatching: true });
  addEventListener("pointerdown", (event) => { start = pointer(event); }, { once: true });
  addEventListener("pointermove", (event) => {
    gone = start === null ? 0 : pointer(event) - start;
    arm();
  });
  arm();
}"""
REST = """async (tile) => {
  for (let before = null, now = 0; before !== now;) {
    before = now;
    await new Promise((wake) => setTimeout(wake, 120));
    now = JSON.stringify(tile.getBoundingClientRect());
  }
}"""


@pytest.mark.parametrize("hand", ["mouse", "touch"])
@pytest.mark.parametrize("name", FIGURES)
def test_the_tile_follows_the_hand_and_stays_under_one_that_holds_still(mount, name, hand):
    make, word, axis = FIGURES[name]
    figure = mount(make(), reduced_motion="no-preference", **(PHONE if hand == "touch" else {}))
    tile = figure.figure.locator(".inorder-tile", has_text=word).last
    tile.scroll_into_view_if_needed()
    tile.evaluate(REST)
    axis = axis if name != "sentence" else tile.evaluate("t => t.closest('.is-column') ? 'y' : 'x'")
    row = figure.figure.locator(".inorder-tile").evaluate_all(
        "(tiles, axis) => tiles.map((tile) => tile.getBoundingClientRect()[axis]).sort((a, b) => a - b)", axis
    )
    pitch = np.diff(sorted(set(np.round(row, 3)))).max()
    box = tile.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    along = np.array([1, 0] if axis == "x" else [0, 1])
    touch = figure.page.context.new_cdp_session(figure.page) if hand == "touch" else None

    def send(kind, by):
        at = np.array([x, y]) + by * along
        if touch:
            points = [] if kind == "up" else [{"x": float(at[0]), "y": float(at[1])}]
            kinds = {"down": "touchStart", "move": "touchMove", "up": "touchEnd"}
            touch.send("Input.dispatchTouchEvent", {"type": kinds[kind], "touchPoints": points})
        elif kind == "move":
            figure.page.mouse.move(float(at[0]), float(at[1]))
        else:
            figure.page.mouse.move(float(at[0]), float(at[1]))
            getattr(figure.page.mouse, kind)()

    tile.evaluate(WATCH, axis)
    send("down", 0)
    for by in np.linspace(0, 1.3 * pitch, 20):
        send("move", by)
    figure.page.wait_for_timeout(500)  # holding still, with the neighbours gliding
    figure.page.evaluate("window.isWatching = false")
    away = np.abs(figure.page.evaluate("away"))
    assert len(away) > 10 and away.max() <= 8, (np.median(away), away.max())
    assert figure.page.evaluate("String(getSelection())") == ""
    held = tile.bounding_box()
    send("up", 1.3 * pitch)
    tile.evaluate(REST)
    landed = tile.bounding_box()
    assert abs(landed[axis] - held[axis]) < 0.5 * pitch, "it lands where it was let go"
    assert abs(landed[axis] - box[axis]) > 0.5 * pitch
    expect(figure.figure.locator(".is-dragged")).to_have_count(0)
