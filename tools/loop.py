"""Ten seconds of PermutationPlayground for README.md and for sharing: ``python -m tools.loop``, which is ``make loop``.

Its page is the gallery of the built site. A hand drags words to other places: their rows travel with them, to the last
digit. Then the model is given the positions, and all numbers are new.
"""

import io
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Page

from tools.browser import launched

ROOT = Path(__file__).parent.parent
GALLERY = ROOT / "_build" / "html" / "chapters" / "gallery.html"
LOOP = ROOT / "_static" / "permutation_playground.webp"
FRAMES_PER_SECOND = 10
SIZE = {"width": 720, "height": 900}
HIDDEN = ".inorder-folds, .inorder-toolbar, .inorder-notice { display: none !important }"
MOVES = [(0, 2), (1, 0), (2, 0)]  # from which place to which
TOLD_BEFORE = 2  # the move before which the model is given the positions
REST, GLIDE = 6, 16  # frames


def hand(picture: Image.Image, at: tuple[float, float], down: bool) -> Image.Image:
    pen, (x, y), radius = ImageDraw.Draw(picture, "RGBA"), at, 9 if down else 12
    pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=(40, 40, 40, 130 if down else 60))
    return picture


def frames_of(page: Page) -> list[Image.Image]:
    figure = page.locator(".inorder-figure.is-permutation-playground").first
    figure.scroll_into_view_if_needed()
    page.add_style_tag(content=HIDDEN)
    box, rows = figure.bounding_box(), figure.locator(".inorder-moved-rows").bounding_box()
    assert box and rows
    step, x = rows["height"] / 3, rows["x"] + 24
    switch = figure.get_by_role("switch", name="Give it the positions").bounding_box()
    assert switch
    at_switch = switch["x"] + switch["width"] / 2, switch["y"] + switch["height"] / 2
    page.mouse.click(*at_switch)
    figure.get_by_role("button", name="Back in order").click()
    page.wait_for_timeout(500)  # until all have glided back
    frames: list[Image.Image] = []

    def take(at: tuple[float, float], down: bool = False, times: int = 1) -> None:
        for _ in range(times):
            picture = Image.open(io.BytesIO(page.screenshot(clip=box))).convert("RGB")
            frames.append(hand(picture, (at[0] - box["x"], at[1] - box["y"]), down))

    for move, (start, end) in enumerate(MOVES):
        if move == TOLD_BEFORE:
            page.mouse.click(*at_switch)
            take(at_switch, down=True, times=2)
            take(at_switch, times=2 * REST)
        begin, stop = (rows["y"] + step * (place + 0.5) for place in (start, end))
        page.mouse.move(x, begin)
        take((x, begin), times=REST)
        page.mouse.down()
        for i in range(1, GLIDE + 1):
            share = i / GLIDE
            y = begin + (stop - begin) * share * share * (3 - 2 * share)  # slow at both ends
            page.mouse.move(x, y)
            take((x, y), down=True)
        page.mouse.up()
    take((x, stop), times=2 * REST)
    return frames


def main() -> None:
    if not GALLERY.exists():
        raise SystemExit(f"expected the built site, got no {GALLERY.relative_to(ROOT)}: run make book")
    with launched() as browser:
        page = browser.new_page(viewport=SIZE, reduced_motion="no-preference")
        page.goto(GALLERY.as_uri())
        page.locator(".inorder-figure.is-permutation-playground .inorder-moved-rows").wait_for()
        first, *others = frames_of(page)
    duration = round(1000 / FRAMES_PER_SECOND)
    first.save(LOOP, save_all=True, append_images=others, duration=duration, loop=0, quality=60, method=6)
    seconds = (1 + len(others)) / FRAMES_PER_SECOND
    print(
        f"{LOOP.relative_to(ROOT)}: {seconds:.1f} s, {first.width} × {first.height}, {LOOP.stat().st_size / 1e3:.0f} kB"
    )


if __name__ == "__main__":
    main()
