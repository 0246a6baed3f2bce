"""AttentionMap beside BertViz's head_view, in one run, in the same Chromium, every script served from this machine.

Both show the same random weights: one layer of 8 heads, 64, 128 and 256 tokens; AttentionMap alone also 1,024 tokens,
and 12 layers × 12 heads × 256 tokens, all of them. Each is a page of its own:

* bytes: of the HTML, with all that the figure needs but BertViz's libraries (jquery, d3, require.js), which are counted
  separately. For AttentionMap: its state as the built page carries it (base64), its module and its style.
* first drawing: from the request to the picture, the median of RUNS. It stands when the last line of BertViz's SVG is
  there, or AttentionMap's canvas is painted, and the browser has then painted twice. Beside the time by the clock, the
  time that the page's main thread worked, which other programs on the machine lengthen less.
* hover: from the mouse event to the end of the frame that shows what it changed, the median of 14 places; the event is
  sent as the frame begins, so that waiting for the screen (up to 16.7 ms) does not count.
* memory: resident in the renderer's process, after a collection (on Linux), and the number of nodes in the document.

Run it on an otherwise idle machine: make bench BENCHES=bench/attention_map.py
"""

import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from aims import Aims
from playwright.sync_api import Browser, CDPSession, Page

from harness.figure import page_html
from harness.site import ROOT
from inorder.widgets import AttentionMap
from tools.browser import launched

BERTVIZ = "bertviz==1.4.1"  # without its dependencies: head_view needs torch and IPython, which are here
PACKAGES = ROOT / "_build" / "bertviz"
MODULES = ROOT / "node_modules"
LIBRARIES = {"require": "requirejs/require.js", "d3": "d3/dist/d3.min.js", "jquery": "jquery/dist/jquery.min.js"}
RUNS = 3
PLACES = {"lines": ".inorder-scroller", "matrix": ".inorder-heat"}  # to hover over
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
DRAWN = {
    "bertviz": "document.querySelectorAll('#bertviz svg line').length >= LINES",
    "ours": "document.isPainted && document.querySelector('.inorder-summary').textContent.includes('gives')",
}
PAINTED = """
// A canvas is 300 wide until it is first painted, a row of small heads 0.
const seen = () => [...document.querySelectorAll(".inorder-stage canvas")].filter((canvas) => canvas.offsetParent);
const isPainted = () => seen().length && seen().every((canvas) => canvas.width && canvas.width !== 300);
(function wait() { if (isPainted()) document.isPainted = true; else setTimeout(wait, 2); })();"""
# Each hover begins a frame; once that is painted, the message of the channel comes.
HOVER = """async (places) => {
  const hover = ([x, y]) => {
    const target = document.elementFromPoint(x, y);
    const at = { bubbles: true, clientX: x, clientY: y, pointerType: "mouse" };
    for (const type of ["pointermove", "mousemove", "mouseover", "mouseenter"]) {
      target.dispatchEvent(type.startsWith("p") ? new PointerEvent(type, at) : new MouseEvent(type, at));
    }
  };
  const untilPainted = (place) => new Promise((done) => requestAnimationFrame(() => {
    const start = performance.now();
    hover(place);
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now() - start);
    channel.port2.postMessage(null);
  }));
  const times = [];
  for (const place of places) times.push(await untilPainted(place));
  return times;
}"""


def random_weights(layers: int, heads: int, n: int) -> np.ndarray:
    scores = 2 * np.random.default_rng(0).standard_normal((layers, heads, n, n), dtype=np.float32)
    exps = np.exp(scores)
    return exps / exps.sum(axis=-1, keepdims=True)


def bertviz_page(weights: np.ndarray, tokens: list[str]) -> str:
    if not PACKAGES.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(PACKAGES), BERTVIZ]
        subprocess.run(command, check=True)
    sys.path.append(str(PACKAGES))
    from bertviz import head_view

    attention = [torch.from_numpy(layer)[None] for layer in weights]
    html = head_view(attention, tokens, html_action="return", layer=0)
    return f'<!doctype html><meta charset="utf-8"><title>BertViz</title><div id="bertviz">{html.data}</div>'


def our_page(figure: AttentionMap) -> str:
    """One page as the book builds it: state, module, style and host in the HTML."""
    return page_html(figure, scripts=[PAINTED])


def serve(page: Page, html: str) -> None:
    def answer(route) -> None:
        address = route.request.url
        name = next((name for name in LIBRARIES if name in address.split("/")[-1]), None)
        if address.endswith("/figure"):
            route.fulfill(content_type="text/html", body=html)
        elif name:
            route.fulfill(content_type="text/javascript", path=MODULES / LIBRARIES[name])
        else:
            route.fulfill(content_type="text/html", body="<!doctype html>")

    page.route("**/*", answer)


def measure(browser: Browser, html: str, drawn: str, places: Callable[[Page], list[list[float]]]) -> dict[str, float]:
    seconds, work = [], []
    for _ in range(RUNS):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.set_default_timeout(300_000)
        serve(page, html)
        page.wait_for_timeout(500)  # a new window first loads what the browser itself shows in it, as its address bar
        devtools = context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto("http://localhost/figure", wait_until="commit")
        page.wait_for_function(drawn, polling=10)
        seconds.append(page.evaluate(FRAMES) / 1000)
        work.append(metric(devtools, "TaskDuration"))
        if len(seconds) < RUNS:
            context.close()
    nodes = page.evaluate("document.querySelectorAll('*').length")
    hover = statistics.median(page.evaluate(HOVER, places(page))[2:])
    devtools.send("HeapProfiler.collectGarbage")
    memory = resident(browser)
    context.close()
    times = {"s": statistics.median(seconds), "work s": statistics.median(work), "ms": hover}
    return {"MB": len(html.encode()) / 1e6} | times | {"memory": memory, "nodes": nodes}


def resident(browser: Browser) -> float:
    """MB of the largest renderer: that of the page, not the spare one."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    files = [Path(f"/proc/{process['id']}/statm") for process in processes if process["type"] == "renderer"]
    return max((4096e-6 * int(file.read_text().split()[1]) for file in files if file.exists()), default=float("nan"))


def metric(devtools: CDPSession, name: str) -> float:
    return next(m["value"] for m in devtools.send("Performance.getMetrics")["metrics"] if m["name"] == name)


def places_on(selector: str) -> Callable[[Page], list[list[float]]]:
    """Sixteen points down the left fifth of what is there."""

    def places(page: Page) -> list[list[float]]:
        box = page.locator(selector).first.bounding_box()
        height = min(box["height"], 800 - box["y"])
        return [[box["x"] + 0.1 * box["width"], box["y"] + height * (i + 0.5) / 16] for i in range(16)]

    return places


def token_places(page: Page) -> list[list[float]]:
    """BertViz's tokens on the left."""
    find = """() => [...document.querySelectorAll("#bertviz #left .background")].map((r) => r.getBoundingClientRect())
      .filter((box) => box.y > 20 && box.y < 850).slice(0, 16).map((box) => [box.x + 60, box.y + box.height / 2])"""
    return page.evaluate(find)


def row(name: str, result: dict[str, float]) -> None:
    size, seconds, work, hover, memory, nodes = result.values()
    print(f"{name:34}{size:9.2f}{seconds:10.3f}{work:10.3f}{hover:10.1f}{memory:10.1f}{nodes:10,.0f}", flush=True)


def main() -> Aims:
    aims = Aims()

    def verdict(what: str, value: float, **aim: float) -> None:
        print(f"    {what}: {value:.3g}   {aims.verdict(what, value, **aim)}", flush=True)

    libraries = sum((MODULES / path).stat().st_size for path in LIBRARIES.values())
    print(f"BertViz's libraries, not counted below: {libraries / 1e6:.2f} MB")
    print(f"{'':34}{'page MB':>9}{'drawn s':>10}{'work s':>10}{'hover ms':>10}{'memory MB':>10}{'nodes':>10}")
    with launched() as browser:
        for n in (64, 128, 256):
            weights, tokens = random_weights(1, 8, n), [f"token{i}" for i in range(n)]
            drawn = DRAWN["bertviz"].replace("LINES", str(8 * n * n))
            theirs = measure(browser, bertviz_page(weights, tokens), drawn, token_places)
            row(f"BertViz head_view, 8 × {n}", theirs)
            for view, place in PLACES.items():
                figure = AttentionMap(weights, tokens, view=view)
                ours = measure(browser, our_page(figure), DRAWN["ours"], places_on(place))
                row(f"AttentionMap {view}, 8 × {n}", ours)
                if n == 256 and view == "lines":
                    verdict("times as fast to the first drawing", theirs["s"] / ours["s"], at_least=50)
                    verdict("times as small", theirs["MB"] / ours["MB"], at_least=20)
        weights = random_weights(1, 8, 1024)
        for view in ("lines", "matrix"):
            page = our_page(AttentionMap(weights, view=view))
            ours = measure(browser, page, DRAWN["ours"], places_on(PLACES[view]))
            row(f"AttentionMap {view}, 8 × 1024", ours)
            verdict("seconds to the first drawing", ours["s"], at_most=1.5)
            verdict("milliseconds from hover to paint", ours["ms"], at_most=16)
        figure = AttentionMap(random_weights(12, 12, 256))
        ours = measure(browser, our_page(figure), DRAWN["ours"], places_on(".inorder-heads"))
        row("AttentionMap, 12 × 12 × 256", ours)
        verdict("seconds to the first drawing", ours["s"], at_most=1.0)
    return aims


if __name__ == "__main__":
    sys.exit(main().exit_status())
