"""PermutationPlayground with twelve tokens and four layers on a CPU slowed down four times: a step, and the frames.

A step is what one press of an arrow key costs: the model run again on the moved tokens, every number and picture on
the page brought up to date, and the layout. A frame is one picture of the animation that follows. Aim: 16 ms, so that
60 of them fit in a second.

Run it on an otherwise idle machine: python bench/permutation_playground.py
"""

import statistics
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / "widgets"), str(ROOT / "tests")]

from browser import FLAGS, chromium  # noqa: E402, the paths above come first
from conftest import Mounted, answer  # noqa: E402
from inorder.widgets import PermutationPlayground  # noqa: E402

SLOWDOWN = 4
AIM = 16
WORDS = "the quick brown fox jumps over the lazy dog and runs away"
MEASURE = """async () => {
  const steps = [], frames = [];
  const nextFrame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => nextFrame((now) => {
    const start = performance.now();
    callback(now);
    document.body.getBoundingClientRect();
    frames.push(performance.now() - start);
  });
  const chip = document.querySelector(".inorder-moved-row .inorder-chip");
  chip.focus();
  for (let step = 0; step < 88; step += 1) {
    const key = Math.floor(step / 11) % 2 ? "ArrowLeft" : "ArrowRight";
    const start = performance.now();
    chip.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.body.getBoundingClientRect();
    steps.push(performance.now() - start);
    if (step === 21) steps.length = frames.length = 0; // the browser has compiled what it runs
    await new Promise((wake) => setTimeout(wake, 120));
  }
  return [steps, frames];
}"""


def measure(widget: PermutationPlayground) -> tuple[list[float], list[float]]:
    """(milliseconds of each step, milliseconds of each frame of the animation)."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.route("**/*", answer)
        Mounted(page, widget, [True], None)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        steps, frames = page.evaluate(MEASURE)
        browser.close()
    return steps, frames


def main() -> None:
    for position in ("none", "sinusoidal", "Shaw"):
        widget = PermutationPlayground(WORDS, position=position, mask="causal", depth=4, order=range(12))
        for name, times in zip(("step", "frame"), measure(widget), strict=True):
            median, slow = statistics.median(times), statistics.quantiles(times, n=20)[-1]
            verdict = "ok" if median < AIM else f"MISSED, the aim is {AIM} ms"
            print(f"{position:12}{name:7}{median:6.1f} ms median, {slow:6.1f} ms at the 95th percentile   {verdict}")


if __name__ == "__main__":
    main()
