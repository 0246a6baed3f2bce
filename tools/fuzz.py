"""Hostile states against the figures and their host: seeded, thousands of them, in one browser.

    make fuzz                                      ten thousand
    PYTHONPATH=tests python -m tools.fuzz --cases 500 --seed 7

They come in through four doors: the page's **address**, a **link** in the page that sets traits unasked, **Python**,
and the **page** itself. After each, the figure shows a state that Python, too, considers valid, or says that something
does not fit; the other figures are unchanged and still answer; nothing of the input was executed, no prototype was
changed, and no error went uncaught.
"""

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any
from urllib.parse import quote

import numpy as np
from playwright.sync_api import Page, sync_playwright

import inorder.widgets
from _ext.light_widgets import state_script
from harness.figure import ADDRESS, figure_of, page_html
from inorder.widgets import marks
from inorder.widgets.kit.figure import InteractiveFigure
from inorder.widgets.kit.state import brief
from tools.browser import FLAGS, chromium

SHOWN = 5  # wrong cases of a figure
MANY_ADDRESSES = "--disable-ipc-flooding-protection"  # Chromium takes no more than 200 in ten seconds without it
EXECUTES = [  # if any of these is ever run, `canary` is set
    "<img src=x onerror='window.canary=1'>",
    "<script>window.canary=1</script>",
    "\"><svg onload='window.canary=1'>",
    "</script><script>window.canary=1</script>",
    "javascript:window.canary=1",
    "';window.canary=1;//",
    "${window.canary=1}",
    "]]><!--<iframe srcdoc='<script>parent.canary=1</script>'>",
    "url(javascript:window.canary=1)",
]
TEXTS = [
    *EXECUTES,
    "",
    " ",
    "a\x00b",
    "\ufeff",
    "\u202eevil",
    "é" * 300,
    "🐈" * 20,
    "NaN",
    "none",
    "toString",
    "\ud800",
]
NAMES = [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "length",
    "",
    "limits",
    "data",
]
NUMBERS = [-1, 0, -0.0, 1, 0.5, 1.5, 7, 64, 1000, 2**31, 2**53 + 2, -(10**9), 1e308, -1e308, 5e-324, 0.1 + 0.2]
NOT_IN_JSON = [float("nan"), float("inf"), -float("inf")]
DEEP: Any = []
for _ in range(60):
    DEEP = [DEEP]


class Odd:
    """What Python code may pass by mistake: an object whose every answer is an error."""

    def __index__(self) -> int:
        raise RuntimeError("no index")

    __float__ = __len__ = __iter__ = __index__

    def __repr__(self) -> str:
        return "Odd()"


FROM_PYTHON = [
    object(), Odd(), Odd, lambda: 1, b"bytes", {1, 2}, range(3), iter([1]), 10**400, 2 + 1j, Decimal("0.5"),
    Fraction(1, 2), np.array([1, 2]), np.array("x"), np.array([[np.nan]]), np.zeros((0, 3)), np.zeros((2, 2, 2)),
    np.array([object()]), np.datetime64("2020-01-01"), np.float64("nan"), np.bool_(True), ["a"] * 5000,
]  # fmt: skip


def hostile_words(constructor: int = 1, toString: str = "none", valueOf: bool = True) -> list[marks.Mark]:
    """<img src=x onerror='window.canary=1'> and names that every object has."""
    rows = [*EXECUTES[:2], toString]
    bars = marks.bars([constructor, 1, 1 + valueOf], rows, axis=EXECUTES[2])
    return [
        bars,
        marks.text(EXECUTES[3]),
        marks.answer(f"{constructor} {EXECUTES[0]} {toString} {valueOf}.", "✓"),
    ]


def figures() -> dict[str, Callable[[], InteractiveFigure]]:
    """How to make one of each, and `interact` with the names and words of an enemy."""
    choices = {"constructor": (0, 3), "toString": ["none", *EXECUTES[:2], "__proto__"], "valueOf": True}
    own = {"hostile words": partial(inorder.widgets.interact, hostile_words, **choices)}
    return {name: partial(figure_of, name) for name in inorder.widgets.__all__} | own


# ------------------------------------------------------------------------------------------------- what comes


class Enemy:
    """Makes states up: of junk, of what nearly fits, and of what fits alone but not together."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)

    def junk(self, depth: int = 2) -> Any:
        pick = self.rng.random()
        if pick < 0.3:
            return self.rng.choice(TEXTS)
        if pick < 0.6:
            return self.rng.choice(NUMBERS)
        if pick < 0.75 or depth == 0:
            return self.rng.choice([None, True, False, [], {}, DEEP])
        if pick < 0.9:
            return [self.junk(depth - 1) for _ in range(self.rng.randrange(6))]
        return {self.rng.choice(NAMES): self.junk(depth - 1) for _ in range(self.rng.randrange(3))}

    def fitting(self, limit: dict[str, Any], start: Any) -> Any:
        """A value that its own limits allow, as far as they are known."""
        rng, low, high = self.rng, limit.get("low", 0), limit.get("high", 12)
        long = len(start) if isinstance(start, list) and rng.random() < 0.7 else rng.randrange(1, 7)
        match limit.get("kind"):
            case "boolean":
                return rng.random() < 0.5
            case "integer":
                return rng.randrange(low, high + 1, limit.get("step", 1))
            case "real":
                return rng.choice([low, high, rng.uniform(low, high)])
            case "choice":
                return rng.choice(limit["options"])
            case "texts":
                return ["".join(rng.choices("ab<é中🐈&", k=rng.randint(1, limit["longest"]))) for _ in range(long)]
            case "integers":
                return [rng.randint(low, high) for _ in range(long)]
            case "permutation":
                return rng.sample(range(long), long)
            case "matrix":
                wide = len(start[0]) if rng.random() < 0.7 else rng.randrange(1, 5)
                return [[rng.uniform(low, high) for _ in range(wide)] for _ in range(long)]
        return start

    def value(self, limit: dict[str, Any], start: Any) -> Any:
        if self.rng.random() < 0.4:
            return self.junk()
        value = self.fitting(limit, start)
        if isinstance(value, list) and value and self.rng.random() < 0.6:  # one entry is wrong, missing or twice
            place = self.rng.randrange(len(value))
            value = [*value[:place], *self.rng.choice([[self.junk(1)], [], [value[place]] * 2]), *value[place + 1 :]]
        return value

    def state(self, figure: InteractiveFigure) -> dict[str, Any]:
        names = self.rng.sample(figure.state_names, self.rng.randint(1, min(3, len(figure.state_names))))
        return {name: self.value(figure.limits.get(name, {}), figure.initial_state[name]) for name in names}

    def query(self, figure: InteractiveFigure) -> str:
        """What stands in the address after `#figure-1?`."""
        state = self.state(figure) | {self.rng.choice(NAMES): self.junk() for _ in range(self.rng.randrange(2))}
        text = json.dumps(self.junk() if self.rng.random() < 0.1 else state)
        if self.rng.random() < 0.03:
            text = text.replace(":", ":" + "[" * 3000, 1).replace("}", "]" * 3000 + "}", 1)
        if self.rng.random() < 0.2:
            place = self.rng.randrange(len(text))
            text = text[:place] + self.rng.choice(["", "}", '"', ",", "1e999", "\x00", "\\ud800"]) + text[place + 1 :]
        text = text if self.rng.random() < 0.3 else quote(text)
        if self.rng.random() < 0.1:
            place = self.rng.randrange(len(text))
            text = text[:place] + self.rng.choice(["%", "%E0%A4%A", "%00", "#", "?", "&", "\n"]) + text[place:]
        return text if self.rng.random() < 0.95 else text[: self.rng.randrange(len(text))]

    def spoil(self, page: dict[str, Any], model: str) -> str:
        """The text of a page's state, with some of that model's swapped, left out, or not readable any more."""
        text = json.dumps(page)
        if self.rng.random() < 0.05:
            return text[: self.rng.randrange(len(text))]
        spoiled = json.loads(text)
        node, name = spoiled["models"], model
        while isinstance(node[name], dict | list) and node[name] and self.rng.random() < 0.85:
            node = node[name]
            name = self.rng.choice(list(node)) if isinstance(node, dict) else self.rng.randrange(len(node))
        match self.rng.randrange(5):
            case 0:
                del node[name]
            case 1 if isinstance(node, dict):
                node[self.rng.choice(NAMES)] = node.pop(name)
            case 2:
                path = [self.rng.choice(NAMES), "polluted"]
                buffers = [{"path": path, "data": self.rng.choice(["AAAA", "?"])}]
                spoiled["models"].get(model, {}).update(buffers=buffers)
            case _:
                node[name] = self.junk()
        if self.rng.random() < 0.1:
            ends = [[self.rng.choice([model, *NAMES]), self.rng.choice(NAMES)] for _ in range(2)]
            spoiled["links"] = [{"ends": ends, "both": True}, self.junk()][: self.rng.randint(1, 2)]
        return json.dumps(spoiled)


# ------------------------------------------------------------------------------------------------- the page

# Between the modules and the host: the model of each view, and what went wrong.
ARENA = r"""(() => {
  window.uncaught = [];
  addEventListener("error", ({ message, error }) => uncaught.push(error?.stack ?? message));
  addEventListener("unhandledrejection", ({ reason }) => uncaught.push(`unhandled: ${reason?.stack ?? reason}`));
  window.modelOf = {};
  for (const name of Object.keys(window.inorderWidgets)) {
    const { default: widget } = window.inorderWidgets[name];
    const render = (context) => {
      modelOf[context.page.id] = context.model;
      return widget.render(context);
    };
    window.inorderWidgets[name] = { default: { ...widget, render } };
  }
  const own = (prototype) => Object.getOwnPropertyNames(prototype).join();
  const prototypes = [Object, Array, Function, String, Number].map(({ prototype }) => prototype);
  const before = prototypes.map(own);
  const [view, other] = document.querySelectorAll(".inorder-view");
  const summary = (of) => of.querySelector(".inorder-summary")?.textContent ?? "";
  const visible = (node) => (node?.checkVisibility() ? node.textContent : "");
  const settled = async () => {
    for (let i = 0; i < 50; i += 1) {
      await new Promise((resolve) => setTimeout(resolve));
      if (view.querySelector(".inorder-summary, :scope > [role=alert]")) break;
    }
  };
  const seen = () => {
    const model = modelOf[view.id];
    const names = Object.keys(model?.get("initial_state") ?? {});
    const says = view.querySelector(":scope > [role=alert]") ?? view.querySelector(".inorder-notice");
    const word = (_, x) => (typeof x === "number" && !Number.isFinite(x) ? `number ${x}` : x); // or JSON makes it null
    const state = names.map((name) => [name, model.get(name)]);
    return { says: visible(says), summary: summary(view), state: JSON.stringify(state, word) };
  };
  const wrong = () => {
    const found = uncaught.splice(0);
    if (window.canary !== undefined) found.push("executed: the canary is set");
    if (prototypes.some((prototype, i) => own(prototype) !== before[i])) found.push("a prototype is polluted");
    const planted = document.querySelectorAll(".inorder-view :is(img, script, iframe, object, [onerror], [onload])");
    if (planted.length) found.push(`in the figure: ${planted[0].outerHTML.slice(0, 99)}`);
    return found;
  };
  const reset = (id) => {
    const model = modelOf[id];
    for (const [name, value] of Object.entries(model.get("initial_state"))) model.set(name, value);
  };
  const answers = () => {
    const before = summary(other);
    modelOf[other.id].set("positions", !modelOf[other.id].get("positions"));
    const found = summary(other) === before ? ["the neighbour does not answer"] : [];
    reset(other.id);
    return found;
  };
  const missed = () => {
    try {
      const asked = Object.entries(JSON.parse(decodeURIComponent(location.hash.replace(/^[^?]*\?/s, ""))));
      return asked.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(modelOf[view.id].get(name)));
    } catch {
      return []; // no JSON: a message is due
    }
  };
  window.arena = {
    answers,
    async standing() {
      await settled();
      return { ...seen(), wrong: wrong() };
    },
    async one(door, what, expected) {
      const before = summary(other);
      let found = { state: "[]", says: "", missed: [], wrong: [] };
      try {
        if (door === "address") {
          history.replaceState(null, "", `#${view.id}?${what}`);
          dispatchEvent(new HashChangeEvent("hashchange"));
          await settled();
          found.missed = missed().map(([name]) => name);
        } else {
          for (const [name, value] of what) modelOf[view.id].set(name, value);
          for (let i = 0; i < 100 && expected && summary(view) !== expected; i += 1) await settled(); // unpacks
        }
        found = { ...found, ...seen() };
        if (summary(other) !== before) found.wrong.push("the neighbour has changed");
        if (door === "address") view.querySelector("[aria-label='Reset']").click();
        else reset(view.id);
        if (seen().says) found.wrong.push(`at the end it says ${seen().says}`);
        found.wrong.push(...answers());
      } catch (error) {
        uncaught.push(error.stack ?? String(error));
      }
      found.wrong.push(...wrong());
      return found;
    },
  };
})();"""


def from_page(text: str) -> dict[str, Any]:
    """A state as `arena` gives it, with the numbers that JSON does not have."""

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(entry) for entry in value]
        if isinstance(value, dict):
            return {name: plain(entry) for name, entry in value.items()}
        if isinstance(value, str) and (result := re.fullmatch(r"number (NaN|-?Infinity)", value)):
            return float(result[1].replace("Infinity", "inf"))
        return value

    return {name: plain(value) for name, value in json.loads(text)}


def whole(value: Any) -> Any:
    """As JavaScript has it, in which -0.0 and 1.0 are whole numbers."""
    if isinstance(value, list):
        return [whole(entry) for entry in value]
    if isinstance(value, dict):
        return {name: whole(entry) for name, entry in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Arena:
    """A figure on a page with a neighbour; `case(number)` says what one hostile state has done that it should not."""

    def __init__(self, page: Page, figure: InteractiveFigure, seed: int) -> None:
        self.page, self.figure, self.seed = page, figure, seed
        self.neighbour = inorder.widgets.SameOrNot("a b c")
        self.html = page_html(figure, beside=[self.neighbour], scripts=[ARENA])
        self.shown = ""  # of the page that is open
        page.unroute_all()
        page.route("**/*", lambda route: route.fulfill(content_type="text/html", body=self.shown))

    def open(self, html: str) -> None:
        self.shown = html
        self.page.goto("about:blank")
        self.page.goto(ADDRESS)

    def case(self, number: int) -> list[str]:
        enemy = Enemy(f"{self.seed}-{number}")
        (door,) = enemy.rng.choices([self.address, self.link, self.python, self.saved], [36, 36, 25, 3])
        try:
            came, wrong = door(enemy)
        except Exception as error:  # the page hangs, or is gone
            came, wrong = "", [repr(error)]
            self.shown = ""
        return [f"case {number}, {self.figure.name}, {door.__name__}: {what:.900}\n    {came:.900}" for what in wrong]

    def send(self, door: str, what: Any, expected: str | None = None) -> dict[str, Any]:
        if self.shown != self.html:
            self.open(self.html)
            for _ in range(100):  # weights are unpacked, workers answer
                if self.page.evaluate("() => arena.standing()")["summary"] == self.figure.summary():
                    break
                self.page.wait_for_timeout(50)
            else:
                raise AssertionError("the figure does not start")
        result = self.page.evaluate("what => arena.one(...what)", [door, what, expected])
        return result | {"state": from_page(result["state"])}

    def judge(self, state: dict[str, Any]) -> str | None:
        """What Python says of a state: its summary, "" if it takes it for another that is near, None if it refuses."""
        if any(state.get(part, now) != now for part, now in self.figure.state.items() if part in self.needs_kernel):
            return ""
        try:
            with self.figure.hold_trait_notifications():
                for name, value in state.items():
                    setattr(self.figure, name, value)
            return self.figure.summary() if all(getattr(self.figure, name) == state[name] for name in state) else ""
        except ValueError:
            return None
        finally:
            self.figure.reset()

    @property
    def needs_kernel(self) -> list[str]:
        """The parts whose numbers Python computes: the page says that it has none."""
        return ["words"] if self.figure.name == "order-audit" else []

    def address(self, enemy: Enemy) -> tuple[str, list[str]]:
        query = enemy.query(self.figure)
        result = self.send("address", query)
        wrong, state = result["wrong"], result["state"]
        if self.judge(state) is None:
            wrong.append(f"not a valid state: {brief(state)}")
        if not result["says"] and result["missed"]:
            wrong.append(f"no message, but {result['missed']} is not as asked: {brief(state)}")
        return query, wrong

    def link(self, enemy: Enemy) -> tuple[str, list[str]]:
        return self.set(whole(enemy.state(self.figure)))

    def python(self, enemy: Enemy) -> tuple[str, list[str]]:
        figure, state = self.figure, enemy.state(self.figure)
        if enemy.rng.random() < 0.5:
            state[enemy.rng.choice([*state])] = enemy.rng.choice(FROM_PYTHON)
        before, wrong = figure.state, []
        try:
            with figure.hold_trait_notifications():
                for part, value in state.items():
                    setattr(figure, part, value)
            taken = figure.state
            figure.reset()
            return self.set(taken)
        except ValueError as error:
            if len(str(error)) > 1000 or not any(part in str(error) for part in figure.state_names):
                wrong.append(f"unclear: {error}")
            if figure.state != before:
                wrong.append(f"refused, but the state is {figure.state}")
        except Exception as error:
            wrong.append(f"no ValueError: {error!r}")
        figure.reset()
        return brief(state), wrong

    def set(self, state: dict[str, Any]) -> tuple[str, list[str]]:
        summary = self.judge(state)
        result = self.send("link", [*state.items()], summary)
        wrong = result["wrong"]
        if summary is None and not result["says"]:
            wrong.append("neither a valid state nor a message")
        if summary and result["says"]:
            wrong.append(f"valid, but it says {result['says']!r}")
        if summary and result["summary"] != summary:
            wrong.append(f"it says {result['summary']!r}, Python {summary!r}")
        return brief(state), wrong

    def saved(self, enemy: Enemy) -> tuple[str, list[str]]:
        opening = '<script id="state">'
        before, script = self.html.split(opening)
        script, after = script.split("</script>", maxsplit=1)
        state = json.loads(json.loads(script.partition("=")[2]))
        spoiled = enemy.spoil(state, self.figure.model_id).replace("</", "<\\/").replace("<!--", "<\\!--")
        self.open(f"{before}{opening}{state_script(spoiled)}</script>{after}")
        result = self.page.evaluate("() => arena.standing()")
        wrong = result["wrong"]
        if not result["says"] and not result["summary"]:
            wrong.append("neither a figure nor a message")
        with suppress(ValueError):
            if self.neighbour.model_id in json.loads(spoiled)["models"]:
                wrong += self.page.evaluate("() => arena.answers()")
        return spoiled, wrong


def main() -> None:
    every = figures()
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="by default another each time")
    parser.add_argument("--figures", nargs="+", choices=every, default=[*every], metavar="NAME", help=", ".join(every))
    arguments = parser.parse_args()
    print(f"{arguments.cases} hostile states. Again: --seed {arguments.seed}", flush=True)
    start, wrong, done = time.monotonic(), [], 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*FLAGS, MANY_ADDRESSES])
        page = browser.new_page(viewport={"width": 1008, "height": 900})
        page.set_default_timeout(20_000)
        for i, name in enumerate(arguments.figures):
            arena = Arena(page, every[name](), arguments.seed)
            result = [one for number in range(i, arguments.cases, len(arguments.figures)) for one in arena.case(number)]
            print(*result[:SHOWN], sep="\n", end="\n" * bool(result))
            wrong += result
            done += len(range(i, arguments.cases, len(arguments.figures)))
            print(f"{done:7d}  {time.monotonic() - start:5.0f} s  {name:22}{len(result):5d} wrong", flush=True)
        browser.close()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
