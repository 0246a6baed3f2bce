"""Every page in Chromium and Firefox, wide and narrow, light and dark, from a server and from files.

Each figure is worked in both browsers and says the same in both; a reload and the way back keep the reader's place.
With arguments, only these pages.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product, repeat

from _ext.toolchain import NODE
from harness.aims import Aims
from harness.browser import chromium, firefox
from harness.site import PAGES, ROOT, SITE, served

SCRIPT = ROOT / "bench" / "everywhere.mjs"
LOOKS = [[1280, "light"], [390, "dark"], [1280, "dark"], [390, "light"]]
HALF_READ = "Invalid markup: Incorrect number of children for <m"  # Firefox, of a formula of which only a half has come
PLACE = 50  # pixels: how far a reload, or the way back, may move the words


def visit(browser: str, executable: str, origin: str, pages: list[str]) -> dict:
    """What was found, by page, width and theme."""
    order = {"browser": browser, "executablePath": executable, "looks": LOOKS}
    order["addresses"] = [f"{origin}/{path}" for path in pages]
    found = {}
    with subprocess.Popen([NODE, str(SCRIPT), json.dumps(order)], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            page = json.loads(line)
            found[page["address"].removeprefix(f"{origin}/"), page["width"], page["theme"]] = page
            if len(found) % 10 == 0:
                print(f"{browser:8} {origin[:4]} {len(found):4} of {len(pages) * len(LOOKS)}", file=sys.stderr)
    if process.returncode:
        sys.exit(f"{browser} stopped after {len(found)} pages, with exit status {process.returncode}")
    return found


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


def faults(page: dict, other: dict) -> list[str]:
    """What is wrong with a page in one browser, the other beside it."""
    found = [trouble for trouble in page["trouble"] if HALF_READ not in trouble]
    if page["themeShown"] != page["theme"]:
        found.append(f"shown in {page['themeShown']}")
    if page["sideways"] > 0:
        found.append(f"{page['sideways']} pixels wider than the window")
    if page["brokenImages"]:
        found.append(f"{page['brokenImages']} images do not load")
    if len(page["atFirst"]) != page["waiting"]:
        found.append(f"{len(page['atFirst'])} of {page['waiting']} figures are alive")
    for when in ("atFirst", "atLast"):
        if len(page[when]) != len(other[when]):
            found.append(f"{len(page[when])} figures, in the other browser {len(other[when])}")
        for i, (mine, theirs) in enumerate(zip(page[when], other[when], strict=False)):
            if unlike := difference(mine, theirs):
                found.append(f"figure {i} differs ({when}): {unlike}")
    if page["atFirst"] and page["atFirst"] == page["atLast"]:
        found.append("no control changes anything")
    for what, way in (("byReload", "a reload"), ("byBack", "the way back")):
        if page["off"][what] > PLACE:
            found.append(f"{way} moves the words by {page['off'][what]:.0f} pixels")
    return found


def main(pages: list[str]) -> Aims:
    aims = Aims()
    browsers = {"chrome": chromium(), "firefox": firefox()}
    if browsers["firefox"] is None:
        sys.exit("Firefox is not here. Install it (Debian: apt-get install firefox-esr) or set FIREFOX to its path.")
    with served() as address, ThreadPoolExecutor() as both:
        for origin in (address, SITE.as_uri()):
            chrome, fox = both.map(visit, browsers, browsers.values(), repeat(origin), repeat(pages))
            print(f"{'page':58}{'figures':>9}{'controls moved':>16}{'off by reload, back':>22}")
            for path, (width, theme) in product(pages, LOOKS):
                seen = chrome[path, width, theme], fox[path, width, theme]
                off = " ".join(f"{off:.0f}" for page in seen for off in page["off"].values())
                print(f"{path:44}{width:6} {theme:6} {len(seen[0]['atFirst']):9}{seen[0]['moved']:16}{off:>22}")
                for page, other in (seen, seen[::-1]):
                    for fault in faults(page, other):
                        print(f"    {page['browser']}: {fault}")
                        aims.missed.append(f"{path} {width} {theme} {page['browser']}")
    return aims


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or PAGES).exit_status())
