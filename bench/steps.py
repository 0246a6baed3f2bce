"""Every figure, as it is first shown: what a step costs on a phone, four times slower than this machine.

A step is one movement of what the reader's hand is on most, a slider, a tile, a point or a switch: all that follows
computed again, every number and picture brought up to date, and the layout. Times are taken at full speed and
multiplied: on one machine, steps of 1 to 4 ms took five to nine times as long where Chromium's own slow-down was asked
for four. Aim: 16 ms, so that 60 steps fit in a second. Where a series misses it, the fastest of three counts: whatever
else the machine has to do lengthens a step, and nothing shortens it. Workers make the steps of TrainingPlayground and
LanguageModel, so they are left out. Marks that not every figure has are timed in the chapters' figures.

Run it on an otherwise idle machine: make bench BENCHES=bench/steps.py
"""

import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations

from aims import Aims

import inorder.widgets
from harness.figure import MountedFigure, figure_of
from inorder.book.figures import add_or_concatenate, counters_and_waves, the_permutation_proof, what_a_causal_mask_knows
from inorder.widgets import interact
from inorder.widgets.kit.figure import InteractiveFigure
from tools.browser import launched

WARM_UP, STEPS = 45, 30  # in the first, the browser compiles what it runs
PHONE = 4  # times slower
AIM, MOST_SERIES = 16, 3
RANGE, TILE, SWITCH = "input[type=range]", ".inorder-tile", "input[type=radio]"
CONTROLS = {
    "AddOrConcatenate": RANGE,
    "AttentionCalculator": SWITCH,
    "AttentionMap": ".inorder-scroller",
    "EncodingExplorer": RANGE,
    "InductionHeads": SWITCH,
    "Loom": TILE,
    "OrderAudit": TILE,
    "PermutationPlayground": TILE,
    "PromptOrderLab": TILE,
    "RelativeBiasExplorer": RANGE,
    "SameOrNot": TILE,
    "SchemeExplorer": SWITCH,
    "SoftLookup": ".inorder-handle",
    "interact": RANGE,
}
WORDS = the_permutation_proof.WORDS
MARKS = {  # mark: (a figure with it, what the hand is on)
    "clocks": (lambda: interact(counters_and_waves.wall_of_clocks, position=(4, 59), steps=(-4, 4)), RANGE),
    "sentence": (
        lambda: interact(
            the_permutation_proof.values_meet,
            order=[" ".join(words) for words in permutations(WORDS)],
            columns=list(the_permutation_proof.SHUFFLES),
        ),
        TILE,
    ),
    "space": (
        lambda: interact(add_or_concatenate.plane_and_line, around=(-90, 90, 15), above=(0, 90, 5)),
        ".inorder-space",
    ),
    "stream": (
        lambda: interact(what_a_causal_mask_knows.light_cone, word=["dog", "bites", "man", "today"]),
        ".inorder-handle",
    ),
}
# There and back, so that each step differs from the one before.
STEP = """([selector, step]) => {
  const focused = document.activeElement.closest(selector);
  const control = focused ?? document.querySelector(selector);
  control.focus();
  const isBack = step % 2 === 1;
  const tell = (event) => control.dispatchEvent(event);
  const ways = {
    range: () => {
      control.valueAsNumber += (isBack ? -1 : 1) * (Number(control.step) || (control.max - control.min) / 20);
      tell(new Event("input", { bubbles: true }));
    },
    radio: () => {
      const group = [...document.getElementsByName(control.name)];
      group[(group.findIndex((one) => one.checked) + 1) % group.length].click();
    },
    key: () => {
      const key = control.matches(".inorder-scroller") ? ["ArrowDown", "ArrowUp"] : ["ArrowRight", "ArrowLeft"];
      tell(new KeyboardEvent("keydown", { key: key[Number(isBack)], bubbles: true }));
    },
  };
  const act = ways[control.type] ?? ways.key;
  document.body.getBoundingClientRect();
  const start = performance.now();
  act();
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""
ANSWER = "() => document.querySelector('.inorder-figure').innerHTML"


def measure(name: str, figure: Callable[[], InteractiveFigure], selector: str) -> float:
    """Milliseconds of a step on a phone, the median of a series."""
    times = []
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        MountedFigure(page, figure())
        page.wait_for_timeout(500)  # what arrives late is here
        for step in range(WARM_UP + STEPS):
            before = page.evaluate(ANSWER)
            times.append(page.evaluate(STEP, [selector, step]))
            page.wait_for_timeout(50)  # marks glide: the next frame shows the first change
            if page.evaluate(ANSWER) == before:
                sys.exit(f"{name}: {selector} changes nothing at step {step}")
    return PHONE * statistics.median(times[WARM_UP:])


def cases() -> Iterator[tuple[str, Callable[[], InteractiveFigure], str]]:
    for name in inorder.widgets.__all__:
        if name not in ("LanguageModel", "TrainingPlayground"):
            yield name, partial(figure_of, name), CONTROLS[name]
    for name, (figure, selector) in MARKS.items():
        yield f"interact with {name}", figure, selector


def main() -> Aims:
    aims = Aims()
    for case in cases():
        medians = [measure(*case)]
        while min(medians) > AIM and len(medians) < MOST_SERIES:
            medians.append(measure(*case))
        verdict = aims.verdict(case[0], min(medians), at_most=AIM)
        print(f"{case[0]:28}{min(medians):6.1f} ms a step   {verdict}", flush=True)
    return aims


if __name__ == "__main__":
    sys.exit(main().exit_status())
