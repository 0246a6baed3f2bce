"""What a step of a figure costs, also on a CPU slowed down."""

import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from anywidget import AnyWidget
from playwright.sync_api import CDPSession, Page

from harness.aims import Aims
from harness.browser import launched
from harness.figure import MountedFigure

SLOWDOWN = 4
AIM = 16  # milliseconds: 60 steps fit in a second
MOST_SERIES = 3
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


def median_by_clock(times: Times) -> float:
    return statistics.median(time for time, _ in times)


def report(measure: Callable[[], dict[str, dict[int, Times]]], aims: Aims) -> None:
    """What each kind of step costs, from a series of steps by name and slow-down.

    Where one misses the aim, two more series at most. The fastest counts: whatever else the machine, or its neighbours,
    have to do lengthens a step, and nothing shortens it.
    """
    series = [measure()]
    while len(series) < MOST_SERIES and any(median_by_clock(one[SLOWDOWN]) > AIM for one in series[-1].values()):
        series.append(measure())
    for name in series[0]:
        times = min((found[name] for found in series), key=lambda times: median_by_clock(times[SLOWDOWN]))
        median, slow = median_by_clock(times[SLOWDOWN]), statistics.quantiles([t for t, _ in times[SLOWDOWN]], n=20)[-1]
        work = SLOWDOWN * statistics.median(work for _, work in times[1])
        others = ", ".join(f"{median_by_clock(found[name][SLOWDOWN]):.1f}" for found in series)
        print(
            f"{name:38}{median:6.1f} ms median, {slow:6.1f} ms at the 95th percentile; work {work:5.1f} ms   "
            f"{aims.verdict(name, median, at_most=AIM)}{f'   (series: {others})' if len(series) > 1 else ''}",
            flush=True,
        )
