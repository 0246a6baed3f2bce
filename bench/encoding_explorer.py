"""EncodingExplorer at 2,048 positions × 512 dimensions: what a step costs, and what matplotlib takes for the heat map.

A step is one movement of a slider: what has changed recomputed, every picture and number on the page brought up to
date, and the layout. The CPU is not slowed down. Aim: 16 ms, so that 60 steps fit in a second. matplotlib draws the
same heat map, of the same cells, into a picture of the same size.

Run it on an otherwise idle machine: make bench BENCHES=bench/encoding_explorer.py
"""

import statistics
import sys
import time

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from harness.aims import Aims
from harness.figure import MountedFigure
from inorder.encodings import sinusoidal_encoding
from inorder.widgets import EncodingExplorer
from tools.browser import launched

AIM, WARM_UP, STEPS = 16, 40, 60
LENGTH, D_MODEL = 2048, 512
MEASURE = """async ([label, values, warmUp]) => {
  const box = document.querySelector(`[aria-label="${label}, as a number"]`);
  const times = [];
  for (const value of values) {
    box.value = value;
    const start = performance.now();
    box.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
    await new Promise((wake) => setTimeout(wake, 20));
  }
  return times.slice(warmUp);
}"""
SLIDERS = {  # every value differs from the one before
    "Position": [17 * step % LENGTH for step in range(WARM_UP + STEPS)],
    "Column": [7 * step % D_MODEL for step in range(WARM_UP + STEPS)],
    "Base": [5000 + 100 * step for step in range(WARM_UP + STEPS)],
    "d_model": [D_MODEL - 2 * (step % 2) for step in range(WARM_UP + STEPS)],
    "Length": [LENGTH - step % 2 for step in range(WARM_UP + STEPS)],
}


def measure() -> dict[str, list[float]]:
    """Milliseconds of each step, by slider; and of drawing the heat map alone, size of its canvas included."""
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        MountedFigure(page, EncodingExplorer(length=LENGTH, d_model=D_MODEL))
        return {label: page.evaluate(MEASURE, [label, values, WARM_UP]) for label, values in SLIDERS.items()}


def matplotlib_times(width: int = 1200, height: int = 360, repeats: int = 9) -> list[float]:
    """Milliseconds to draw the same cells with imshow: the encoding computed, a new figure, its picture rendered."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        encoding = sinusoidal_encoding(np.arange(LENGTH), D_MODEL)
        figure = Figure(figsize=(width / 100, height / 100), dpi=100)
        figure.add_subplot().imshow(encoding, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
        FigureCanvasAgg(figure).draw()
        times.append(1000 * (time.perf_counter() - start))
    return times


def main() -> Aims:
    aims = Aims()
    for label, times in measure().items():
        median, slow = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        verdict = aims.verdict(label, median, at_most=AIM)
        print(f"{label:11}{median:6.1f} ms median, {slow:6.1f} ms at the 95th percentile   {verdict}")
    print(f"matplotlib {statistics.median(matplotlib_times()):6.1f} ms median, the heat map alone")
    return aims


if __name__ == "__main__":
    sys.exit(main().exit_status())
