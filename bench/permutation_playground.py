"""PermutationPlayground with twelve tokens and four layers on a phone, four times slower: a step, and the frames.

A step is what one press of an arrow key costs: the model run again on the moved tokens, the answer, the numbers of the
rows that move, and the layout. A frame is one picture of the animation that follows; in the first ones, the other rows
have their new numbers, too. Aim: 16 ms each, so that 60 of them fit in a second; where a series misses it, the fastest
of three counts.

Run it on an otherwise idle machine: make bench BENCHES=bench/permutation_playground.py
"""

import sys

from harness.aims import Aims
from harness.stopwatch import Times, opened, report, timed
from inorder.widgets import PermutationPlayground

WARM_UP, STEPS = 50, 40  # in the first, the browser compiles what it runs
WORDS = "the quick brown fox jumps over the lazy dog and runs away"
# Frames come one at a time, when asked for.
HOLD_FRAMES = """() => {
  let held = [];
  window.requestAnimationFrame = (frame) => held.push(frame);
  document.addEventListener("frame", () => {
    const now = performance.now();
    for (const frame of held.splice(0)) frame(now);
  });
  window.isStill = () => held.length === 0;
}"""
PRESS = """(step) => {
  const tile = document.querySelector(".inorder-tile[data-token='0']");
  tile.focus();
  const key = Math.floor(step / 11) % 2 ? "ArrowLeft" : "ArrowRight";
  const start = performance.now();
  tile.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""
FRAME = """() => {
  const start = performance.now();
  document.dispatchEvent(new Event("frame"));
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""


def measure(position: str) -> dict[str, Times]:
    widget = PermutationPlayground(WORDS, position=position, mask="causal", depth=4, order=range(12))
    steps: Times = []
    frames: Times = []
    with opened(widget) as (page, tools):
        page.evaluate(HOLD_FRAMES)
        for step in range(WARM_UP + STEPS):
            steps.append(timed(page, tools, PRESS, step))
            frames += [timed(page, tools, FRAME, step) for _ in range(3)]
            while not page.evaluate("() => isStill()"):
                page.evaluate(FRAME)
    return {
        f"positions {position}, a step": steps[WARM_UP:],
        f"positions {position}, a frame": frames[3 * WARM_UP :],
    }


def main() -> Aims:
    aims = Aims()
    for position in ("none", "sinusoidal", "shaw"):
        report(lambda position=position: measure(position), aims)
    return aims


if __name__ == "__main__":
    sys.exit(main().exit_status())
