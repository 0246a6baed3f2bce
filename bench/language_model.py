"""The live model: how quick and how heavy `LanguageModel` is on its page, in Chromium.

Bytes before anything is fetched, gzipped (the figure's state, module and style, beside what all figures share); the
seconds from a press until the model is there; the time to read two prompts, of which one has so many tokens; tokens and
frames a second while it generates; and what the page's process holds more than before. Memory is that of a second
visit, whose model comes from the browser's cache: of what the network brings, Playwright has Chromium keep a copy. For
comparison: Transformer Explainer (https://arxiv.org/abs/2408.04619) fetches 600 MB of GPT-2.

Run it on an otherwise idle machine: make bench BENCHES=bench/language_model.py
"""

import gzip
import json
import re
import sys
import time

from aims import Aims
from playwright.sync_api import Browser, Page

from _ext.light_widgets import browser_text, front_end
from harness.site import PAGES, ROOT, html, served, widget_state
from harness.waiting import wait_until
from inorder.widgets import LanguageModel
from tools.browser import launched

PROMPTS = (16, 64)  # tokens
FRAMES = """() => new Promise((resolve) => {
  const button = document.querySelector(".is-language-model button[aria-label=Continue]");
  const writes = () => button.ariaDisabled === "true";
  const times = [];
  const frame = (time) => {
    times.push(time);
    if (writes() || times.length < 10) return requestAnimationFrame(frame);
    const gaps = times.slice(1).map((at, i) => at - times[i]).sort((a, b) => a - b);
    const seconds = (time - times[0]) / 1000;
    resolve({ rate: gaps.length / seconds, late: gaps[Math.floor(0.95 * gaps.length)], seconds });
  };
  button.click();
  requestAnimationFrame(frame);
})"""
READY = (
    "[...document.querySelectorAll('.inorder-note')].some((one) => one.textContent.includes('Computed by the model'))"
)
IDLE = "document.querySelector('button[aria-label=Continue]:not([aria-disabled])') !== null"
# Until the bars of another prompt stand; the sentence says meanwhile that the model reads.
FIRST_TOKEN = """(text) => new Promise((resolve) => {
  const root = document.querySelector(".inorder-figure.is-language-model");
  root.querySelector(".inorder-lm-own input").value = text;
  const start = performance.now();
  root.querySelector(".inorder-lm-own").requestSubmit();
  const look = () => {
    if (!root.querySelector('[aria-busy="true"]')) return resolve((performance.now() - start) / 1000);
    requestAnimationFrame(look);
  };
  look();
})"""


def bytes_before() -> int:
    """Of the figure, gzipped, before the reader asks for the model."""
    figure = LanguageModel()
    state = {"state": figure.get_state() | {"_esm": "", "_anywidget_id": f"{LanguageModel.__module__}.LanguageModel"}}
    ((module, style),) = front_end(state)
    plain = {k: v for k, v in figure.get_state().items() if not k.startswith("_") and k not in ("layout",)}
    texts = (json.dumps(plain), browser_text("js", module), browser_text("css", style))
    return sum(len(gzip.compress(text.encode())) for text in texts)


def resident(browser: Browser) -> float:
    """Megabytes that the renderers of the browser hold."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    total = 0.0
    for process in processes:
        if process["type"] == "renderer":
            with open(f"/proc/{process['id']}/status", encoding="utf8") as file:
                total += int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1000  # type: ignore[index]
    return total


def through_the_page(aims: Aims) -> None:
    def line(what: str, value: float, unit: str, **aim: float) -> None:
        print(f"{what:44} {value:7.1f} {unit:8} {aims.verdict(what, value, **aim) if aim else ''}")

    line("before the click", bytes_before() / 1000, "kB", at_most=25)
    path = next((p for p in PAGES if "language-model-1" in html(p) and "gallery" not in p), None)
    if path is None or not any(one["state"].get("published") for one in widget_state(path)["models"].values()):
        print("The built site has no page with the model on it: make book, with its package installed.")
        return
    with launched() as browser, served() as address:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        for visit in ("there", "there again, from the cache"):
            page: Page = context.new_page()
            page.goto(f"{address}/{path}#language-model-1")
            page.locator(".is-language-model").wait_for()
            before = resident(browser)
            start = time.perf_counter()
            page.get_by_text("A prompt of your own").click()
            page.get_by_role("button", name="Download the model").click()
            wait_until(page, READY)
            line(f"the model is {visit}", time.perf_counter() - start, "s")
            wait_until(page, IDLE)
            if visit == "there":
                page.close()
        for n in PROMPTS:
            text = " ".join(["one two six ten"] * (n // 4))  # a token each
            line(
                f"both prompts read, one of {n} tokens",
                page.evaluate(FIRST_TOKEN, text),
                "s",
                **{"at_most": 1.5} if n == 16 else {},
            )
            wait_until(page, IDLE)
        result = page.evaluate(FRAMES)
        line("tokens a second, both prompts in turn", 2 * 24 / result["seconds"], "", at_least=12)
        line("frames a second while it writes", result["rate"], "", at_least=55)
        line("95 of 100 frames within", result["late"], "ms")
        line("memory of the page's process, more than before", resident(browser) - before, "MB", at_most=350)
        size = sum((ROOT / "_build" / "html" / "chapters" / part).stat().st_size for part in published_parts(path))
        line("fetched for it (Transformer Explainer: 600)", size / 1e6, "MB")


def published_parts(path: str) -> list[str]:
    models = widget_state(path)["models"].values()
    return next(one["state"]["published"]["parts"] for one in models if one["state"].get("published"))


if __name__ == "__main__":
    aims = Aims()
    through_the_page(aims)
    sys.exit(aims.exit_status())
