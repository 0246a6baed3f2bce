"""PromptOrderLab on a phone, four times slower: a step, from the reader's hand to the figure laid out again.

A step runs the model again and brings every number, bar and strip up to date. Two kinds: on A B C against B A C, the
switches from one causal layer to two, to no mask, to a prefix mask, and back; and one press of an arrow key on a token
of a prompt of eight, with four layers. Time by the clock; and the time that the page's thread worked, which other
programs hardly lengthen. Aim: 16 ms, so that nothing seems to wait; where a series misses it, the fastest of three
counts.

Run it on an otherwise idle machine: make bench BENCHES=bench/prompt_order_lab.py
"""

import sys

from harness.aims import Aims
from harness.stopwatch import Times, opened, report, timed
from inorder.widgets import PromptOrderLab

WARM_UP, STEPS = 50, 40  # in the first, the browser compiles what it runs
SWITCH = """(step) => {
  const setting = ["2", "none", "prefix", "causal", "1"][step % 5];
  const start = performance.now();
  document.querySelector(`input[value="${setting}"]`).click();
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""
PRESS = """(step) => {
  const chip = document.activeElement.closest(".inorder-tile") ?? document.querySelector(".inorder-tile");
  chip.focus();
  const key = Math.floor(step / 7) % 2 ? "ArrowLeft" : "ArrowRight";
  const start = performance.now();
  chip.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""


def measure(widget: PromptOrderLab, script: str) -> Times:
    times: Times = []
    with opened(widget) as (page, tools):
        for step in range(WARM_UP + STEPS):
            times.append(timed(page, tools, script, step))
            page.wait_for_timeout(300)  # the animation has ended
    return times[WARM_UP:]


def main() -> Aims:
    aims = Aims()
    largest = PromptOrderLab("A B C D E F A B", depth=4, position="sinusoidal")
    report(lambda: {"A B C against B A C, a switch": measure(PromptOrderLab(), SWITCH)}, aims)
    report(lambda: {"eight tokens, four layers, a press": measure(largest, PRESS)}, aims)
    return aims


if __name__ == "__main__":
    sys.exit(main().exit_status())
