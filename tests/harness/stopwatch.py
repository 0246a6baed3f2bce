"""What a step of a figure costs, also on a CPU slowed down."""

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anywidget import AnyWidget
from playwright.sync_api import CDPSession, Page

from harness.aims import Aims
from harness.browser import launched
from harness.figure import MountedFigure

SLOWDOWN = 4
AIM = 16  # milliseconds: 60 steps fit in a second
Times = list[tuple[float, float]]
# Each step begins a frame; once that is painted, the message of the channel comes.
UNTIL_PAINTED = """async (items) => {{
  const act = {act};
  const untilPainted = (item) => new Promise((done) => requestAnimationFrame(() => {{
    const start = performance.now();
    act(item);
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now() - start);
    channel.port2.postMessage(null);
  }}));
  const times = [];
  for (const item of items) times.push(await untilPainted(item));
  return times;
}}"""


@contextmanager
def opened(widget: AnyWidget) -> Iterator[tuple[Page, CDPSession]]:
    """The figure on a page, and the line to the browser's developer tools."""
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        MountedFigure(page, widget)
        tools = page.context.new_cdp_session(page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})
        yield page, tools


def slow_down(tools: CDPSession, rate: int) -> None:
    tools.send("Emulation.setCPUThrottlingRate", {"rate": rate})


def until_painted(page: Page, act: str, items: list[Any]) -> list[float]:
    """Milliseconds from ``act(item)``, a call of a script, until what it changed is painted, for each item."""
    return page.evaluate(UNTIL_PAINTED.format(act=act), items)


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


def report(name: str, slowed: Times, unslowed: Times, aims: Aims) -> None:
    clock, work = [time for time, _ in slowed], SLOWDOWN * statistics.median(work for _, work in unslowed)
    median, slow = statistics.median(clock), statistics.quantiles(clock, n=20)[-1]
    verdict = aims.verdict(name, median, at_most=AIM)
    print(f"{name:38}{median:6.1f} ms median, {slow:6.1f} ms at the 95th percentile; work {work:5.1f} ms   {verdict}")
