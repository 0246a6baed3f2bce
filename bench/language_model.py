"""A language model in JavaScript: tokens a second, time to the first token, memory, in the engine of `LanguageModel`.

First through the page that has the figure, in Chromium: bytes before anything is fetched, gzipped (the figure's state,
module and style, beside what all figures share); the seconds from a press until the model is there; the time to read
two prompts, of which one has so many tokens; tokens and frames a second while it generates; and what the page's process
holds more than before. Memory is that of a second visit, whose model comes from the browser's cache: of what the
network brings, Playwright has Chromium keep a copy. For comparison: Transformer Explainer (https://arxiv.org/abs/2408.04619)
fetches 600 MB of GPT-2.

Then in Node, whose V8 is Chromium's: SmolLM2, 98 MB of 4-bit weights. A prompt is random tokens, read in one batch;
then tokens are added one by one. Each is done ROUNDS times, and the median counts. Memory: what the process holds
resident, Node itself and the file's weights included. With the plain kernel, too, for browsers without WebAssembly or
its SIMD.

The time of the one thread is given beside that of the clock: on a busy machine it is the one to go by. V8 compiles in
threads of its own, which the time of the process includes.

Run it on an otherwise idle machine: make bench BENCHES=bench/language_model.py
"""

import gzip
import json
import re
import statistics
import subprocess
import sys
import time
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page

from _ext.light_widgets import browser_text, front_end
from _ext.toolchain import NODE
from harness.aims import Aims
from harness.site import PAGES, ROOT, html, served, widget_state
from harness.waiting import wait_until
from inorder.pretrained import decoder
from inorder.widgets import LanguageModel
from tools.browser import launched

ENGINE = ROOT / "tests" / "widgets" / "language_model" / "engine.mjs"
ROUNDS, N_NEW = 5, 40
PROMPTS = (16, 64)
AIMS = {"tokens a second": 12.0, "seconds to the first token of 16": 1.5, "MB": 350.0}


def measured(name: str, simd: bool, n_tokens: int, n_new: int, rounds: int) -> list[dict[str, Any]]:
    """What `time` of engine.mjs says in each round, in a fresh process, after a round that is not counted."""
    ids = np.random.default_rng(0).integers(20, decoder.CONFIG.vocabulary_size, n_tokens).tolist()
    opening = {"do": "open", "path": str(decoder.find_file()), "name": name, "simd": simd}
    requests = [opening, *[{"do": "time", "name": name, "ids": ids, "n": n_new}] * (rounds + 1)]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(
        [NODE, "--no-warnings", str(ENGINE)], input=lines, capture_output=True, text=True, encoding="utf-8", check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [answer["result"] for answer in answers[2:]]


FRAMES = """() => new Promise((resolve) => {
  const button = [...document.querySelectorAll(".inorder-figure.is-language-model button")];
  const writes = () => button.find((one) => one.ariaLabel === "Pause");
  const times = [];
  const frame = (time) => {
    times.push(time);
    if (writes() || times.length < 10) return requestAnimationFrame(frame);
    const gaps = times.slice(1).map((at, i) => at - times[i]).sort((a, b) => a - b);
    const seconds = (time - times[0]) / 1000;
    resolve({ rate: gaps.length / seconds, late: gaps[Math.floor(0.95 * gaps.length)], seconds });
  };
  button.find((one) => one.ariaLabel === "Continue").click();
  requestAnimationFrame(frame);
})"""
READY = (
    "[...document.querySelectorAll('.inorder-note')].some((one) => one.textContent.includes('Computed by the model'))"
)
IDLE = "[...document.querySelectorAll('button[aria-label=\"Continue\"]')].some((one) => !one.hidden)"
# Until the bars of another prompt stand; the sentence says meanwhile that the model reads.
FIRST_TOKEN = """(text) => new Promise((resolve) => {
  const root = document.querySelector(".inorder-figure.is-language-model");
  root.querySelector('[aria-label="Edit the first prompt"]').click();
  root.querySelector("textarea").value = text;
  const start = performance.now();
  root.querySelector('[aria-label="Read the first prompt"]').click();
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
            page.get_by_role("button", name="Fetch the model").click()
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


def main() -> None:
    aims = Aims()
    through_the_page(aims)
    print(f"{'kernel':8} {'prompt':>6} {'first token':>14} {'each':>10} {'a second':>9} {'its work':>13} {'memory':>8}")
    for simd in (True, False):
        for n_tokens in PROMPTS if simd else PROMPTS[:1]:
            rounds = measured("bench", simd, n_tokens, N_NEW if simd else 3, ROUNDS if simd else 1)
            first, each, busy, memory = (
                statistics.median(one[name] for one in rounds) for name in ("first", "each", "busy", "megabytes")
            )
            print(
                f"{'SIMD' if simd else 'plain':8} {n_tokens:6} {first:11.0f} ms {each:7.1f} ms {1000 / each:9.1f} "
                f"{busy:10.1f} ms {memory:5.0f} MB"
            )
            if simd and n_tokens == PROMPTS[0]:
                values = (1000 / each, first / 1000, memory)
                for (what, aim), value in zip(AIMS.items(), values, strict=True):
                    bound = {"at_least": aim} if what == "tokens a second" else {"at_most": aim}
                    print(f"         {what}: {value:.2f}, {aims.verdict(what, value, **bound)}")
    sys.exit(aims.exit_status())


if __name__ == "__main__":
    main()
