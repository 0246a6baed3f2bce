"""TrainingPlayground: steps a second in its worker, frames a second of the page meanwhile, and the size of its script.

A step trains one model of width 16, two heads and one layer on 32 texts of 12 letters; the figure trains two at a time,
and draws them. The aim is 100 steps of one model a second, so that which-first is learned in about three seconds.

Run it on an otherwise idle machine: make bench BENCHES=bench/training_playground.py
"""

import gzip
import sys

from _ext.light_widgets import browser_text
from harness.aims import Aims
from harness.figure import MountedFigure, answer
from inorder.widgets import TrainingPlayground
from tools.browser import launched

SECONDS = 5
ALONE = """async ([modules, seconds]) => {
  const [{ library }, { orderOf }] = await Promise.all(modules.map((address) => import(address)));
  const order = orderOf(window.settings.state, window.settings.known);
  const one = library.contest({ ...order, models: order.models.slice(1) });
  for (let step = 0; step < 30; step += 1) one.advance();
  const start = performance.now();
  while (performance.now() - start < 1000 * seconds) one.advance();
  return (1000 * (one.nSteps() - 30)) / (performance.now() - start);
}"""
FRAMES = """(seconds) => new Promise((resolve) => {
  const times = [];
  const frame = (time) => {
    times.push(time);
    if (time - times[0] < 1000 * seconds) return requestAnimationFrame(frame);
    const gaps = times.slice(1).map((at, i) => at - times[i]).sort((a, b) => a - b);
    const steps = model.get("losses")[0].length;
    resolve({ rate: (1000 * gaps.length) / (time - times[0]), late: gaps[Math.floor(0.95 * gaps.length)], steps });
  };
  requestAnimationFrame(frame);
})"""


def main() -> Aims:
    aims = Aims()
    python = TrainingPlayground()
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.route("**/*", answer)
        figure = MountedFigure(page, python)
        page.evaluate("settings => { window.settings = settings }", {"state": python.state, "known": python.known})
        modules = [f"/training_playground/{name}.js" for name in ("library", "run")]
        alone = page.evaluate(ALONE, [modules, SECONDS])
        print(f"steps a second, one model, alone  {alone:6.0f}   {aims.verdict('steps a second', alone, at_least=100)}")
        figure.press("Play")
        result = page.evaluate(FRAMES, SECONDS)
        print(f"steps a second, both, drawn       {result['steps'] / SECONDS:6.0f}")
        verdict = aims.verdict("frames a second", result["rate"], at_least=55)
        print(f"frames a second meanwhile         {result['rate']:6.1f}   {verdict}")
        print(f"95 of 100 frames within           {result['late']:6.1f} ms")
    script = browser_text("js", python._esm).encode()
    size, packed = (len(each) / 1000 for each in (script, gzip.compress(script)))
    verdict = aims.verdict("kB of script", size, at_most=60)
    print(f"script                            {size:6.1f} kB, {packed:.1f} kB gzipped   {verdict}")
    return aims


if __name__ == "__main__":
    sys.exit(main().exit_status())
