"""PromptOrderLab on a CPU slowed down four times: a step, from the reader's hand to the figure laid out again.

A step runs the model anew and brings every number, bar and strip up to date. Two kinds: on A B C against B A C, the
switches from one causal layer to two, to no mask, to a prefix mask, and back; and one press of an arrow key on a token
of a prompt of eight, with four layers. Time by the clock with the slow-down; and, without it, the time that the page's
thread worked, times four, which other programs hardly lengthen. Aim: 16 ms, so that nothing seems to wait.

Run it on an otherwise idle machine: python bench/prompt_order_lab.py
"""

import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / "widgets"), str(ROOT / "tests")]

from browser import FLAGS, chromium  # noqa: E402, the paths above come first
from conftest import Mounted, answer  # noqa: E402
from inorder.widgets import PromptOrderLab  # noqa: E402
from inorder.widgets.base import InteractiveFigure  # noqa: E402

SLOWDOWN = 4
AIM = 16
WARM_UP, STEPS = 15, 40  # in the first, the browser compiles what it runs
SWITCH = """(step) => {
  const setting = ["2", "none", "prefix", "causal", "1"][step % 5];
  const start = performance.now();
  document.querySelector(`input[value="${setting}"]`).click();
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""
PRESS = """(step) => {
  const chip = document.activeElement.closest(".inorder-lab-chip") ?? document.querySelector(".inorder-lab-chip");
  chip.focus();
  const key = Math.floor(step / 7) % 2 ? "ArrowLeft" : "ArrowRight";
  const start = performance.now();
  chip.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""


@contextmanager
def opened(widget: InteractiveFigure) -> Iterator[tuple[Page, CDPSession]]:
    """The figure on a page, and the line to the browser's developer tools."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.route("**/*", answer)
        Mounted(page, widget, [True], None)
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})
        yield page, tools
        browser.close()


def slow_down(tools: CDPSession, rate: int) -> None:
    tools.send("Emulation.setCPUThrottlingRate", {"rate": rate})


def timed(page: Page, tools: CDPSession, script: str, step: int) -> tuple[float, float]:
    """Milliseconds of one step: by the clock, as `script` returns them, and of the page's own thread."""

    def worked() -> float:
        metrics = {metric["name"]: metric["value"] for metric in tools.send("Performance.getMetrics")["metrics"]}
        return 1000 * sum(metrics[part] for part in ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration"))

    before = worked()
    page.evaluate("() => 0")
    asking = worked() - before  # what the question itself costs
    before = worked()
    clock = page.evaluate(script, step)
    return clock, worked() - before - asking


def report(name: str, slowed: list[tuple[float, float]], unslowed: list[tuple[float, float]]) -> None:
    clock, work = [time for time, _ in slowed], SLOWDOWN * statistics.median(work for _, work in unslowed)
    median, slow = statistics.median(clock), statistics.quantiles(clock, n=20)[-1]
    verdict = "ok" if median < AIM else f"MISSED, the aim is {AIM} ms"
    print(f"{name:38}{median:6.1f} ms median, {slow:6.1f} ms at the 95th percentile; work {work:5.1f} ms   {verdict}")


def main() -> None:
    largest = PromptOrderLab("A B C D E F A B", depth=4, position="sinusoidal")
    for name, widget, script in (
        ("A B C against B A C, a switch", PromptOrderLab(), SWITCH),
        ("eight tokens, four layers, a press", largest, PRESS),
    ):
        with opened(widget) as (page, tools):
            times: dict[int, list[tuple[float, float]]] = {1: [], SLOWDOWN: []}
            for rate, found in times.items():
                slow_down(tools, rate)
                for step in range(WARM_UP + STEPS):
                    found.append(timed(page, tools, script, step))
                    page.wait_for_timeout(300)  # the animation has ended
            report(name, times[SLOWDOWN][WARM_UP:], times[1][WARM_UP:])


if __name__ == "__main__":
    main()
