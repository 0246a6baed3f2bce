"""What a step of a figure costs.

Aims are for a phone, four times slower than a computer. Times are taken at full speed and multiplied: on one machine,
steps of 1 to 4 ms took five to nine times as long where Chromium's own slow-down was asked for four.
"""

import statistics
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from anywidget import AnyWidget
from playwright.sync_api import CDPSession, Page

from harness.aims import Aims
from harness.figure import MountedFigure
from tools.browser import launched

PHONE = 4  # times slower
AIM = 16  # milliseconds on it: 60 steps fit in a second
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


def on_a_phone(times: Iterable[float]) -> float:
    return PHONE * statistics.median(times)


def report(measure: Callable[[], dict[str, Times]], aims: Aims) -> None:
    """What each kind of step costs on a phone, by the clock, from a series of steps by name; and the thread's own work.

    Where one misses the aim, two more series at most. The fastest counts: whatever else the machine, or its neighbours,
    have to do lengthens a step, and nothing shortens it.
    """
    series = [measure()]
    while len(series) < MOST_SERIES and any(on_a_phone(by_clock(times)) > AIM for times in series[-1].values()):
        series.append(measure())
    for name in series[0]:
        medians = [on_a_phone(by_clock(result[name])) for result in series]
        times = series[medians.index(min(medians))][name]
        slow = PHONE * statistics.quantiles(by_clock(times), n=20)[-1]
        print(
            f"{name:38}{min(medians):6.1f} ms median, {slow:6.1f} ms at the 95th percentile; "
            f"work {on_a_phone(work for _, work in times):5.1f} ms   {aims.verdict(name, min(medians), at_most=AIM)}"
            f"   (series: {', '.join(f'{median:.1f}' for median in medians)})",
            flush=True,
        )


def by_clock(times: Times) -> list[float]:
    return [time for time, _ in times]
