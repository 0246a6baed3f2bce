"""interact beside what else makes a live figure of a function: the same function, the same 41 × 2 states, in one run.

The function gives five bars and a sentence. It is shown by

* `inorder.widgets.interact`, states packed into the page;
* `ipywidgets.interact` with matplotlib's inline figures, which needs a live kernel;
* Panel's `embed`, a Bokeh figure and a sentence, every state stored in a static page;
* plotly frames in a static page, a frame a state. (Frames know one slider: the second control makes it twice as long.)

Page bytes are all that a static page needs, scripts included, as files and gzipped (level 9), without the frame of a
site. ipywidgets' page is dead without its kernel, so it has none.

A step in the browser is what the page's main thread works from the change of the slider until the picture stands
(Chromium, thread time, the mean of 40 steps); for `interact` also the time by the clock from the slider's event to the
end of the frame that shows it (the median). A step with a kernel is the time by the clock from the slider's message
until the kernel is idle again, its picture sent: the browser's part is not even counted (the median of 40 steps).

Run it on an otherwise idle machine: python bench/interact.py
"""

import gzip
import json
import statistics
import subprocess
import sys
import time

import numpy as np
from jupyter_client.manager import start_new_kernel
from playwright.sync_api import Browser, Page

from harness.aims import Aims
from harness.figure import page_html
from harness.site import ROOT
from harness.stopwatch import until_painted
from inorder.attention import softmax
from inorder.widgets import interact, marks
from tools.browser import launched

OTHERS = ["panel==1.9.4", "bokeh==3.9.2", "plotly==7.1.0"]
PACKAGES = ROOT / "_build" / "bench_interact"
WORDS = ["animal", "street", "tired", "cross", "it"]
SCORES = np.array([1.9, 1.3, 0.6, 0.2, -0.4])
BETAS = [round(0.2 * i, 1) for i in range(41)]
STEPS = 40
AIM = 20  # times smaller, times faster

KERNEL_CODE = f"""%matplotlib inline
import matplotlib.pyplot as plt, numpy as np
from ipywidgets import interact
WORDS, SCORES = {WORDS}, np.array({SCORES.tolist()})
def shares(beta=1.0, scaled=True):
    exps = np.exp(beta * SCORES * (1 if scaled else 2))
    plt.barh(WORDS, exps / exps.sum(), color="black")
    plt.xlim(0, 1)
    plt.title(f"“animal” gets {{exps[0] / exps.sum():.2f}} of the weight.")
    plt.show()
interact(shares, beta=(0.0, 8.0, 0.2), scaled=True);"""

# Each step is a frame of its own; the next begins when the page has nothing more to do.
WALK = """async (steps) => {
  for (let i = 1; i <= steps; i += 1) {
    window.step(i);
    await new Promise((done) => setTimeout(done, 120));
  }
}"""
STEP = {
    "interact": """(i) => {
      const slider = document.querySelector(".inorder-figure input[type=range]");
      slider.value = i;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }""",
    "panel": """(i) => {
      const models = [...Bokeh.documents[0]._all_models.values()];
      models.find((model) => /Slider$/.test(model.type) && !model.disabled).value = i;
    }""",
    "plotly": """(i) => {
      const plot = document.querySelector(".plotly-graph-div");
      Plotly.animate(plot, [String(i)], { mode: "immediate", frame: { duration: 0 }, transition: { duration: 0 } });
    }""",
}
SHOWN = {
    "interact": "document.querySelector('[data-name=\"0.values\"]').textContent",
    "panel": """(() => {
      const models = [...Bokeh.documents[0]._all_models.values()]; // those of earlier steps stay among them
      return models.filter((model) => model.type === "ColumnDataSource").at(-1).data.share[0].toFixed(2);
    })()""",
    "plotly": "document.querySelector('.plotly-graph-div')._fullData[0].x[4].toFixed(2)",
}


def weights(beta: float, scaled: bool) -> np.ndarray:
    return softmax(beta * SCORES * (1 if scaled else 2))


def shares(beta: float = 1.0, scaled: bool = True) -> list[marks.Mark]:
    """How much does a better score count?"""
    share = weights(beta, scaled)
    return [
        marks.bars(share, WORDS, axis="share of the weight", limits=(0, 1)),
        marks.answer(f"“animal” gets {share[0]:.2f} of the weight."),
    ]


def our_page() -> str:
    """One page as the book builds it: state, module, style and host in the HTML."""
    return page_html(interact(shares, beta=(0.0, 8.0, 0.2), scaled=True))


def panel_page() -> str:
    import panel
    from bokeh.plotting import figure

    panel.extension()
    beta = panel.widgets.DiscreteSlider(name="beta", options=BETAS, value=1.0)
    scaled = panel.widgets.Checkbox(name="scaled", value=True)

    def show(beta: float, scaled: bool):
        share = weights(beta, scaled)
        plot = figure(y_range=WORDS[::-1], x_range=(0, 1), height=260, toolbar_location=None)
        plot.hbar(y="word", right="share", height=0.7, source={"word": WORDS, "share": share.tolist()}, color="black")
        return panel.Column(plot, f"“animal” gets {share[0]:.2f} of the weight.")

    path = PACKAGES / "panel.html"
    page = panel.Column(beta, scaled, panel.bind(show, beta, scaled))
    page.save(str(path), embed=True, max_states=1000, max_opts=100, resources="inline", progress=False)
    return path.read_text()


def plotly_page() -> str:
    import plotly.graph_objects as go

    def bars(beta: float, scaled: bool) -> go.Bar:
        return go.Bar(x=weights(beta, scaled)[::-1], y=WORDS[::-1], orientation="h", marker_color="black")

    states = [(beta, scaled) for scaled in (True, False) for beta in BETAS]
    frames = [
        go.Frame(
            data=[bars(*state)],
            name=str(i),
            layout={"title": {"text": f"“animal” gets {weights(*state)[0]:.2f} of the weight."}},
        )
        for i, state in enumerate(states)
    ]
    steps = [
        {"label": f"{beta}, {scaled}", "method": "animate", "args": [[str(i)], {"mode": "immediate"}]}
        for i, (beta, scaled) in enumerate(states)
    ]
    layout = {"sliders": [{"steps": steps}], "xaxis": {"range": [0, 1]}, "height": 360}
    return go.Figure(data=[bars(1.0, True)], frames=frames, layout=layout).to_html(include_plotlyjs=True)


def in_browser(browser: Browser, name: str, html: str) -> dict[str, float]:
    """Milliseconds a step that the main thread works, and by the clock."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.route("**/*", lambda route: route.fulfill(content_type="text/html; charset=utf-8", body=html))
    page.goto("http://localhost/figure", wait_until="load")
    page.wait_for_timeout(3000)
    page.evaluate(f"window.step = {STEP[name]}")
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = task_seconds(devtools)
    page.evaluate(WALK, STEPS)
    work = (task_seconds(devtools) - before) / STEPS * 1000
    check(page, name)
    steps = list(range(1, STEPS + 1)) if name == "interact" else []
    clock = statistics.median(until_painted(page, "window.step", steps)) if steps else float("nan")
    page.close()
    return {"work": work, "clock": clock}


def check(page: Page, name: str) -> None:
    """After the walk the page shows the last state."""
    display = page.evaluate(SHOWN[name])
    if display != f"{weights(BETAS[-1], True)[0]:.2f}":
        raise SystemExit(f"{name} shows {display} after {STEPS} steps, expected {weights(BETAS[-1], True)[0]:.2f}")


def task_seconds(devtools) -> float:
    return next(m["value"] for m in devtools.send("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")


def with_kernel() -> float:
    """Milliseconds from the slider's message until the kernel is idle again."""
    manager, client = start_new_kernel(kernel_name="python3")
    opened = {}

    def watch(message) -> None:
        if message["msg_type"] == "comm_open":
            opened[message["content"]["comm_id"]] = message["content"]["data"]["state"]

    client.execute_interactive(KERNEL_CODE, output_hook=watch, timeout=120)
    slider = next(key for key, state in opened.items() if state.get("_model_name") == "FloatSliderModel")
    times, pictures = [], 0
    for i in range(1, STEPS + 1):
        data = {"method": "update", "state": {"value": BETAS[i]}, "buffer_paths": []}
        message = client.session.msg("comm_msg", {"comm_id": slider, "data": data})
        start = time.perf_counter()
        client.shell_channel.send(message)
        while True:
            reply = client.get_iopub_msg(timeout=60)
            if reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            pictures += "image/png" in json.dumps(reply["content"], default=str)
            if reply["msg_type"] == "status" and reply["content"]["execution_state"] == "idle":
                break
        times.append(1000 * (time.perf_counter() - start))
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    if pictures < STEPS:
        raise SystemExit(f"the kernel sent {pictures} pictures for {STEPS} steps")
    return statistics.median(times)


def row(name: str, html: str | None, step: float, how: str) -> None:
    sizes = ["", ""] if html is None else [f"{size / 1000:,.1f}" for size in (len(html.encode()), gzipped(html))]
    print(f"{name:38}{sizes[0]:>12}{sizes[1]:>12}{step:12.2f}  {how}", flush=True)


def gzipped(html: str) -> int:
    return len(gzip.compress(html.encode(), 9))


def main() -> Aims:
    if not PACKAGES.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(PACKAGES), *OTHERS]
        subprocess.run(command, check=True)
    sys.path.append(str(PACKAGES))
    pages = {"interact": our_page(), "panel": panel_page(), "plotly": plotly_page()}
    with launched() as browser:
        steps = {name: in_browser(browser, name, html) for name, html in pages.items()}
    kernel = with_kernel()
    print(f"{'41 × 2 states':38}{'page kB':>12}{'gzip kB':>12}{'ms a step':>12}")
    row("interact", pages["interact"], steps["interact"]["work"], "work of the main thread")
    row("", None, steps["interact"]["clock"], "by the clock, until painted")
    row("ipywidgets.interact with a live kernel", None, kernel, "by the clock, until the picture is sent")
    row("Panel's embed", pages["panel"], steps["panel"]["work"], "work of the main thread")
    row("plotly frames", pages["plotly"], steps["plotly"]["work"], "work of the main thread")
    smaller = len(pages["panel"].encode()) / len(pages["interact"].encode())
    faster = kernel / steps["interact"]["clock"]
    aims = Aims()
    for what, value in {"smaller than Panel's page": smaller, "faster a step than with a kernel": faster}.items():
        print(f"    {value:.3g} times {what}: {aims.verdict(what, value, at_least=AIM)}")
    return aims


if __name__ == "__main__":
    sys.exit(main().exit_status())
