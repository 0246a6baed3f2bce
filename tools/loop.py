"""Ten seconds of the Loom for README.md and for sharing: ``python -m tools.loop``, which is ``make loop``.

Its page is the front page of the built site. A hand drags a word through the others: the rows travel, and no stripe
changes. Then the model is given a mask, then positions, and the cloth is woven anew.
"""

import io
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Page

from tools.browser import launched

ROOT = Path(__file__).parent.parent
FRONT = ROOT / "_build" / "html" / "index.html"
LOOP = ROOT / "_static" / "loom.webp"
FRAMES_PER_SECOND = 10
SIZE = {"width": 800, "height": 900}
HIDDEN = ".inorder-folds, .inorder-tools, .inorder-notice { display: none !important }"
LET_DOWN = "loom => Promise.all(loom.getAnimations({ subtree: true }).map(({ finished }) => finished))"
GLIDE, LOOK = 16, 25  # frames
WIDTH = 560  # pixels of the loop


def hand(picture: Image.Image, at: tuple[float, float], down: bool) -> Image.Image:
    pen, (x, y), radius = ImageDraw.Draw(picture, "RGBA"), at, 9 if down else 12
    pen.ellipse([x - radius, y - radius, x + radius, y + radius], fill=(40, 40, 40, 130 if down else 60))
    return picture


def frames_of(page: Page) -> list[Image.Image]:
    figure = page.locator(".inorder-figure.is-loom").first
    page.add_style_tag(content=HIDDEN)
    figure.scroll_into_view_if_needed()
    figure.evaluate(LET_DOWN)  # in true time
    box = figure.bounding_box()
    assert box
    frames: list[Image.Image] = []

    def middle(name: str, role: str = "radio") -> tuple[float, float]:
        place = figure.get_by_role(role, name=name).bounding_box()  # type: ignore[arg-type]
        assert place
        return place["x"] + place["width"] / 2, place["y"] + place["height"] / 2

    def take(at: tuple[float, float], down: bool = False, times: int = 1) -> None:
        for _ in range(times):
            page.clock.run_for(1000 // FRAMES_PER_SECOND)
            picture = Image.open(io.BytesIO(page.screenshot(clip=box))).convert("RGB")
            frames.append(hand(picture, (at[0] - box["x"], at[1] - box["y"]), down))

    def press(name: str) -> None:
        at = middle(name)
        page.mouse.click(*at)
        take(at, down=True, times=2)
        take(at, times=LOOK)

    def carry(word: str, onto: str) -> None:
        (x, y), (end, _) = middle(f"“{word}”", "button"), middle(f"“{onto}”", "button")
        page.mouse.move(x, y)
        take((x, y), times=4)
        page.mouse.down()
        for i in range(1, GLIDE + 1):
            share = i / GLIDE
            at = x + (end - x) * share * share * (3 - 2 * share)  # slow at both ends
            page.mouse.move(at, y)
            take((at, y), down=True)
        page.mouse.up()
        take((end, y), times=LOOK)

    carry("only", "said")
    press("mask")
    press("positions")
    return [frame.resize((WIDTH, round(frame.height * WIDTH / frame.width))) for frame in frames]


def main() -> None:
    if not FRONT.exists():
        raise SystemExit(f"expected the built site, got no {FRONT.relative_to(ROOT)}: run make book")
    with launched() as browser:
        page = browser.new_page(viewport=SIZE, reduced_motion="no-preference")
        page.clock.install()
        page.goto(FRONT.as_uri())
        page.clock.run_for(1000)
        page.locator(".inorder-figure.is-loom .inorder-tile").first.wait_for()
        first, *others = frames_of(page)
    duration = round(1000 / FRAMES_PER_SECOND)
    first.save(LOOP, save_all=True, append_images=others, duration=duration, loop=0, quality=30, method=6)
    seconds = (1 + len(others)) / FRAMES_PER_SECOND
    print(
        f"{LOOP.relative_to(ROOT)}: {seconds:.1f} s, {first.width} × {first.height}, {LOOP.stat().st_size / 1e3:.0f} kB"
    )


if __name__ == "__main__":
    main()
