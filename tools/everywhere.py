"""Every page in Chromium and Firefox, wide and narrow, light and dark, from a server and from files.

    make everywhere
    PYTHONPATH=tests python -m tools.everywhere index.html    these pages alone

Each figure is operated in both browsers and says the same in both; a reload and the way back keep the reader's place.
Firefox is Playwright's own (`python -m playwright install firefox`): Debian's speaks an older protocol. Without it,
only Chromium is checked, and the exit status is 1.
"""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

from playwright.sync_api import Browser, Error, Page, Playwright, sync_playwright

from harness.aims import Aims
from harness.site import PAGES, SITE, served
from tools.browser import FLAGS, chromium

LOOKS = [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]
HALF_READ = "Invalid markup: Incorrect number of children for <m"  # Firefox, of a formula of which only a half has come
PLACE = 50  # pixels: how far a reload, or the way back, may move the words
MAX_CONTROLS = 12  # of one figure
# A page that is kept whole in memory cannot lose its place, so Firefox lets go of it. Chromium does, for Playwright.
NOT_KEPT = {"browser.sessionhistory.max_total_viewers": 0}

THEME = """(() => {
  try {
    localStorage.setItem("mode", "THEME");
  } catch {} // the empty page before it has none
})()"""
# Scrolls through the page, so that all that starts late has started. A busy machine may leave out frames.
WALK = """async () => {
  const frame = () =>
    new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve));
      setTimeout(resolve, 1000);
    });
  document.documentElement.dataset.laidOut = "";
  for (let y = 0; y < document.body.scrollHeight; y += 700) {
    scrollTo({ top: y, behavior: "instant" });
    await frame();
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
}"""
# What each figure says, and the numbers it shows, by matrix, row and column. JSON has no infinity: it becomes null.
READ = """() => JSON.stringify([...document.querySelectorAll(".inorder-figure")].map((figure) => ({
  summary: figure.querySelector(".inorder-summary")?.textContent ?? "",
  numbers: Object.fromEntries(
    [...figure.querySelectorAll("[data-value]")].map(({ dataset: { name, row, col, value } }, i) => [
      [name, row ?? i, col].join(" "),
      Number(value),
    ]),
  ),
})))"""
# Moves every visible control of every figure by one step; how many it moved.
WORK = """(most) => {
  const controls = "input[type=range], input[type=checkbox], input[type=radio]:not(:checked), select";
  let moved = 0;
  for (const figure of document.querySelectorAll(".inorder-figure")) {
    const visible = [...figure.querySelectorAll(controls)].filter((control) => control.getClientRects().length);
    for (const control of visible.slice(0, most)) {
      if (!control.isConnected || control.disabled) continue;
      if (control.type === "range") {
        const step = control.step === "any" ? (control.max - control.min) / 20 : Number(control.step || 1);
        const up = control.valueAsNumber + step <= Number(control.max || 100);
        control.valueAsNumber += up ? step : -step;
        for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
      } else if (control.tagName === "SELECT") {
        control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
        for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
      } else control.click();
      moved += 1;
    }
  }
  return moved;
}"""
# The words half-way down the window, and their height there; or the height of those that are asked for.
WORDS = """(index) => {
  const all = [...document.querySelectorAll("article p")].filter((p) => !p.closest("details, .inorder-view"));
  const height = (p) => p.getBoundingClientRect().top;
  const at = index ?? Math.max(0, all.findIndex((p) => height(p) > innerHeight / 2));
  return [at, all[at] ? height(all[at]) : -scrollY];
}"""
FACTS = """() => ({
  themeShown: document.documentElement.dataset.theme,
  // A scroll bar that takes room is no overflow.
  sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  brokenImages: [...document.images].filter((i) => i.complete && !i.naturalWidth).length,
  waiting: document.querySelectorAll(".inorder-view").length,
})"""


def settled(page: Page) -> list[dict[str, Any]]:
    """What the figures of a page say once that stays: a worker, or what comes late, may need its time."""
    before, now = None, page.evaluate(READ)
    for turn in range(40):
        if turn and now == before:
            break
        page.wait_for_timeout(500)
        before, now = now, page.evaluate(READ)
    return json.loads(now)


def moved_words(page: Page) -> dict[str, float]:
    """How far the words, three fifths down, move in the window by a reload, and on the way back to the page."""
    page.evaluate("scrollTo({ top: 0.6 * document.body.scrollHeight, behavior: 'instant' })")
    page.wait_for_timeout(400)
    index, before = page.evaluate(WORDS)

    def off() -> float:
        page.wait_for_timeout(600)
        return abs(page.evaluate(WORDS, index)[1] - before)

    page.reload(wait_until="load")
    by_reload = off()
    page.goto("about:blank")
    page.go_back(wait_until="load")
    return {"byReload": by_reload, "byBack": off()}


def look_at(browser: Browser, address: str, width: int, theme: str) -> dict[str, Any]:
    """What there is on a page, before and after its controls are worked, and what went wrong."""
    page = browser.new_page(viewport={"width": width, "height": 844 if width < 600 else 800})
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(f"exception: {error.message}"))
    page.on("console", lambda m: trouble.append(f"console: {m.text}") if m.type == "error" else None)
    page.add_init_script(THEME.replace("THEME", theme))
    page.goto(address, wait_until="load")
    page.evaluate(WALK)
    facts = page.evaluate(FACTS) | {"width": width, "theme": theme, "trouble": trouble, "atFirst": settled(page)}
    facts["moved"] = page.evaluate(WORK, MAX_CONTROLS)
    if facts["moved"]:
        page.evaluate(WALK)  # what is out of sight may wait with its drawing
    facts |= {"atLast": settled(page), "off": moved_words(page)}
    page.close()
    return facts


def start(playwright: Playwright, name: str) -> Browser:
    if name == "chromium":
        return playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
    return playwright.firefox.launch(firefox_user_prefs=NOT_KEPT)


def visit(name: str, origin: str, pages: list[str]) -> dict[tuple[str, int, str], dict[str, Any]]:
    """What was seen in that browser, by page, width and theme."""
    seen = {}
    with sync_playwright() as playwright:
        browser = start(playwright, name)
        for path, (width, theme) in product(pages, LOOKS):
            seen[path, width, theme] = look_at(browser, f"{origin}/{path}", width, theme) | {"browser": name}
            if len(seen) % 10 == 0:
                print(f"{name:8} {origin[:4]} {len(seen):4} of {len(pages) * len(LOOKS)}", file=sys.stderr)
        browser.close()
    return seen


def close(x: float | None, y: float | None) -> bool:
    """Equal up to the last digits of a sine. JSON has no infinity: a number that is not finite comes as None."""
    return x == y or (x is not None and y is not None and abs(x - y) <= 1e-9 * max(1, abs(x)))


def difference(a: dict, b: dict) -> str:
    """Where two figures do not say the same sentence or show the same numbers; empty if they do.

    A narrow figure shows as many columns as the browser's letters leave room for: those that both show are compared.
    """
    if a["summary"] != b["summary"]:
        return f"{a['summary'][:80]!r}, {b['summary'][:80]!r}"
    both = a["numbers"].keys() & b["numbers"].keys()
    if not both and (a["numbers"] or b["numbers"]):
        return f"no number in common: {len(a['numbers'])}, {len(b['numbers'])}"
    unlike = [key for key in both if not close(a["numbers"][key], b["numbers"][key])]
    return ", ".join(f"{key}: {a['numbers'][key]}, {b['numbers'][key]}" for key in sorted(unlike)[:3])


def faults(page: dict) -> Iterator[str]:
    """What is wrong with a page in one browser."""
    yield from (trouble for trouble in page["trouble"] if HALF_READ not in trouble)
    if page["themeShown"] != page["theme"]:
        yield f"shown in {page['themeShown']}"
    if page["sideways"] > 0:
        yield f"{page['sideways']} pixels wider than the window"
    if page["brokenImages"]:
        yield f"{page['brokenImages']} images do not load"
    if len(page["atFirst"]) != page["waiting"]:
        yield f"{len(page['atFirst'])} of {page['waiting']} figures are alive"
    if page["atFirst"] and page["atFirst"] == page["atLast"]:
        yield "no control changes anything"
    for what, way in (("byReload", "a reload"), ("byBack", "the way back")):
        if page["off"][what] > PLACE:
            yield f"{way} moves the words by {page['off'][what]:.0f} pixels"


def differences(page: dict, other: dict) -> Iterator[str]:
    """Where the figures of a page differ between the browsers."""
    for when in ("atFirst", "atLast"):
        if len(page[when]) != len(other[when]):
            yield f"{len(page[when])} figures, in the other browser {len(other[when])}"
        for i, (mine, theirs) in enumerate(zip(page[when], other[when], strict=False)):
            if unlike := difference(mine, theirs):
                yield f"figure {i} differs ({when}): {unlike}"


def browsers_here(aims: Aims) -> list[str]:
    with sync_playwright() as playwright:
        try:
            start(playwright, "firefox").close()
        except Error:
            aims.missed.append("Firefox is not here: python -m playwright install firefox")
            return ["chromium"]
    return ["chromium", "firefox"]


def main(pages: list[str]) -> Aims:
    aims = Aims()
    names = browsers_here(aims)
    with served() as address, ThreadPoolExecutor() as both:
        for origin in (address, SITE.as_uri()):
            results = list(both.map(lambda name, origin=origin: visit(name, origin, pages), names))
            print(f"{'page':58}{'figures':>9}{'controls moved':>16}{'off by reload, back':>22}")
            for path, (width, theme) in product(pages, LOOKS):
                seen = [result[path, width, theme] for result in results]
                off = " ".join(f"{off:.0f}" for page in seen for off in page["off"].values())
                print(f"{path:44}{width:6} {theme:6} {len(seen[0]['atFirst']):9}{seen[0]['moved']:16}{off:>22}")
                wrong = [f"{page['browser']}: {fault}" for page in seen for fault in faults(page)]
                wrong += [f"both: {unlike}" for unlike in (differences(*seen) if len(seen) == 2 else ())]
                print(*(f"    {fault}" for fault in wrong), sep="\n", end="\n" * bool(wrong))
                aims.missed += [f"{path} {width} {theme}: {len(wrong)} faults"] * bool(wrong)
    return aims


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or PAGES).exit_status())
