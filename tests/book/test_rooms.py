"""The page keeps the room of a figure until it stands: nothing moves when it does, whichever way the reader goes."""

import re

import pytest

from _ext.light_widgets.rooms import SCREENS, measured, room_of, stored_rooms
from _ext.way import slug
from harness.site import PAGES, html, page_with_most

FIGURE = re.compile(r'class="inorder-view" id="([^"]+)"')
MOST = 0.02  # the largest layout shift allowed
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) => entry.value)))
  .observe({ type: "layout-shift", buffered: true });
"""


def test_every_figure_has_its_room_and_every_room_its_figure():
    figures = {slug(path.removesuffix(".html")): set(FIGURE.findall(html(path))) for path in PAGES}
    rooms_of_pages = {name: set(heights) for name, heights in stored_rooms().items()}
    assert rooms_of_pages == {name: places for name, places in figures.items() if places}, "run `make rooms`"


def test_a_figure_that_was_not_measured_has_none():
    assert room_of("chapters/ch99_no_such_chapter", "same-or-not-1") == room_of("index", "same-or-not-99") == ""


@pytest.mark.parametrize("screen", ["wide", "narrow"])
@pytest.mark.parametrize("path", ["index.html", page_with_most('class="inorder-view"')])
def test_nothing_moves_while_figures_come_to_life(browser, origins, screen, path):
    page = browser.new_page(**SCREENS[screen])
    page.add_init_script(SHIFTS)
    page.goto(f"{origins['server']}/{path}", wait_until="load")
    page.locator(".inorder-figure").first.wait_for()
    n_views = page.locator(".inorder-view").count()
    while page.locator(".inorder-view .inorder-figure").count() < n_views:
        page.mouse.wheel(0, page.viewport_size["height"])  # a screen at a time, faster than one reads
        page.wait_for_timeout(200)
    page.wait_for_timeout(300)
    assert sum(page.evaluate("shifts")) <= MOST
    page.close()


def test_the_rooms_are_measured_on_the_site(browser, tmp_path):
    """On a site of one page, with a figure as high as the window is wide."""
    page = '<meta name="viewport" content="width=device-width"><body style="margin: 0">'
    view = '<div class="inorder-view" id="one-1" style="aspect-ratio: 1"><p></p></div>'
    (tmp_path / "index.html").write_text(page + view, encoding="utf8")
    for path in PAGES:
        if path != "index.html":
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text("", encoding="utf8")
    widths = [screen["viewport"]["width"] for screen in SCREENS.values()]
    assert dict(measured(browser, tmp_path)) == {"index": {"one-1": widths}}
