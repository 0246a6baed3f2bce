"""The room that a page keeps for each figure until it stands, so that no words move: ``make rooms`` measures it.

``rooms.json`` holds, for each page by its slug and each figure by its place on the page, the figure's height in pixels
on a phone, on a tablet and on a wide screen. They are stored, and not measured by each build: the book is built without
a browser, and the same sources make the same site. The tests of the site compare them with the figures.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from _ext.execution import documents
from _ext.way import slug

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOMS = Path(__file__).parent / "rooms.json"
# How each is measured; styles/page.css says which counts where.
SCREENS: dict[str, dict] = {
    "narrow": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "middle": {"viewport": {"width": 768, "height": 900}},
    "wide": {"viewport": {"width": 1280, "height": 900}},
}
HEIGHTS = "all => all.map((view) => [view.id, Math.round(view.getBoundingClientRect().height)])"
SETTLED = 500  # milliseconds that figures may take to follow the width, once they all stand


@cache
def stored_rooms() -> dict[str, dict[str, list[int]]]:
    return json.loads(ROOMS.read_text(encoding="utf8"))


def room_of(docname: str, figure: str) -> str:
    """The style of a figure's mount: ``--room-narrow: 586px; …``, or nothing for a figure that was not measured."""
    heights = stored_rooms().get(slug(docname), {}).get(figure, [])
    return "; ".join(f"--room-{name}: {height}px" for name, height in zip(SCREENS, heights, strict=False))


def measured(browser: "Browser", site: Path) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """For each page of the site with figures its slug, and their heights at each width."""
    for docname in documents():
        path = site / f"{docname}.html"
        if 'class="inorder-view"' not in path.read_text(encoding="utf8"):
            continue
        heights: dict[str, list[int]] = {}
        for screen in SCREENS.values():
            page = browser.new_page(**screen, reduced_motion="reduce")
            page.goto(f"{path.as_uri()}#all-at-once")  # where a place is asked for, all figures come at once
            page.locator(".inorder-view:empty").first.wait_for(state="detached")
            page.wait_for_timeout(SETTLED)
            for figure, height in page.locator(".inorder-view").evaluate_all(HEIGHTS):
                heights.setdefault(figure, []).append(height)
            page.close()
        yield slug(docname), heights


def main() -> None:
    from _ext.build import SITE
    from tools.browser import launched

    lines = []
    with launched() as browser:
        for name, heights in measured(browser, SITE):
            figures = ",\n".join(f"    {json.dumps(figure)}: {row}" for figure, row in heights.items())
            lines.append(f"  {json.dumps(name)}: {{\n{figures}\n  }}")
            print(f"{len(heights):4d} figures  {name}", flush=True)
    ROOMS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf8")


if __name__ == "__main__":
    main()
