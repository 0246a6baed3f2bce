"""Little moves when the figures come to life, whichever way the reader goes."""

import pytest

from harness.site import page_with_most

MOST = 0.02  # the largest layout shift allowed
SCREENS = {
    "narrow": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "wide": {"viewport": {"width": 1280, "height": 900}},
}
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) => entry.value)))
  .observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("path", ["index.html", page_with_most('class="inorder-view"')])
def test_little_moves_while_figures_come_to_life(browser, origins, screen, path):
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
