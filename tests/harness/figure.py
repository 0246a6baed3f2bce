"""One interactive figure on a page of its own, as the site makes it: its state, its module, and the site's host."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
from anywidget import AnyWidget
from ipywidgets.embed import dependency_state
from playwright.sync_api import Page, Route, expect

import inorder.widgets
import inorder.widgets.marks
from _ext.light_widgets import browser_text, front_end, host, page_state, state_script
from harness.site import ROOT
from inorder.widgets.kit.compose import kit_module, kit_style, kits_of, palette_module
from inorder.widgets.kit.figure import InteractiveFigure

WIDGETS = ROOT / "code" / "inorder" / "widgets"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
TOOLS = {"Reset", "Copy link", "Full screen", "Leave full screen", "Save picture"}  # of the menu
REFUSED = "Part of the link doesn’t belong to this figure, so it was left out."
ADDRESS = "http://localhost/"
PLACES = count()
PAGE = """<!doctype html><html lang="en" data-laid-out>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>test</title>
<style>body {{ margin: 16px; font-family: sans-serif }} html[data-theme=dark] body {{ background: #111 }}</style>
<style>{style}</style><body><main>{views}</main>
<script id="state">{state}</script>
{scripts}</body></html>"""
# Between the module and the host: the model's listeners, and what it would save and send, for the tests to see; the
# views whose id begins with "notebook" do not learn that they are on a page of the book.
WATCH = """(() => {
  const { promise, resolve, reject } = Promise.withResolvers();
  setTimeout(reject, 60_000, new Error("the figure does not stand after a minute"));
  const nViews = document.querySelectorAll(".inorder-view").length;
  let nDone = 0;
  window.stops = [];
  window.standing = promise;
  const watched = (model) => {
    const { set, on, off, save_changes } = model;
    const unsaved = new Set();
    return Object.assign(model, {
      saved: [],
      sent: [],
      listeners: {},
      send: (content) => model.sent.push(content),
      set(name, value) {
        if (!Object.is(model.get(name), value)) unsaved.add(name);
        set(name, value);
      },
      save_changes() {
        model.saved.push(Object.fromEntries([...unsaved].map((name) => [name, model.get(name)])));
        unsaved.clear();
        save_changes();
      },
      on(event, listener) {
        (model.listeners[event] ??= []).push(listener);
        on(event, listener);
      },
      off(event, listener) {
        model.listeners[event] = model.listeners[event].filter((other) => other !== listener);
        off(event, listener);
      },
    });
  };
  for (const [name, { default: widget }] of Object.entries(window.inorderWidgets)) {
    const initialize = (context) => {
      const model = watched(context.model);
      window.model ??= model; // of the first figure
      return widget.initialize?.(context);
    };
    const render = async ({ page, ...context }) => {
      try {
        const stop = await widget.render(page.id.startsWith("notebook") ? context : { ...context, page });
        window.stops.push(stop);
        return stop;
      } finally {
        window.nMounted = ++nDone;
        if (nDone === nViews) resolve();
      }
    };
    window.inorderWidgets[name] = { default: { ...widget, initialize, render } };
  }
})();"""

FOLLOW = """async (place) => {
  const before = window.nMounted;
  location.hash = place;
  while (window.nMounted === before) await new Promise((done) => setTimeout(done));
}"""
PARTS_OF_STATE = "(names) => Object.fromEntries(names.map((name) => [name, model.get(name)]))"


def shares(beta: float = 1.0, scaled: bool = True) -> list[inorder.widgets.marks.Mark]:
    """How much does a better score count?"""
    weights = np.array([0.5, 0.3, 0.2]) ** (beta if scaled else 3 * beta)
    bars = inorder.widgets.marks.bars(weights / weights.sum(), ["animal", "street", "it"], axis="share", limits=(0, 1))
    return [bars, inorder.widgets.marks.answer(f"At {beta:g}, “animal” is ahead.", "✓")]


def figure_of(name: str) -> InteractiveFigure:
    """The figure of that name as it is first shown."""
    if name == "interact":
        return inorder.widgets.interact(shares, beta=(0, 4, 0.2), scaled=True)
    if name != "AttentionMap":
        return getattr(inorder.widgets, name)()
    weights = np.random.default_rng(0).dirichlet(np.ones(9), size=(2, 4, 9))
    return inorder.widgets.AttentionMap(weights, "the animal did not cross because it was tired")


def page_html(
    widget: AnyWidget,
    *,
    on_book_page: Sequence[bool] = (True,),
    beside: Sequence[AnyWidget] = (),
    scripts: Sequence[str] = (),
) -> str:
    """A page with views of a widget, and others below. ``scripts`` run before the host mounts them."""
    widgets = [widget, *beside]
    saved = dependency_state(widgets, drop_defaults=False)  # of no other widget that a test has made
    display = [(widget, on_page) for on_page in on_book_page] + [(other, True) for other in beside]
    names = [f"{'figure' if on_page else 'notebook'}-{i}" for i, (_, on_page) in enumerate(display, 1)]
    views = [
        f'<div class="inorder-view" id="{name}" data-model="{one.model_id}"></div>'
        for name, (one, _) in zip(names, display, strict=True)
    ]
    parts = dict.fromkeys(part for one in widgets for part in front_end(saved[one.model_id]))
    modules, styles = zip(*parts, strict=True)
    kit = [browser_text("js", kit_module(name), name) for name in kits_of(modules)]
    texts = [*kit, *(browser_text("js", module) for module in modules), *scripts, host()]
    code = [text.replace("</script", "<\\/script") for text in texts]
    return PAGE.format(
        style="".join(browser_text("css", style) for style in [kit_style(), *styles]),
        views="".join(views),
        state=state_script(page_state(saved)),
        scripts="".join(f"<script>{text}</script>" for text in code),
    )


def answer(route: Route) -> None:
    """Every address is an empty page, but for the modules of the widgets, which tests import by themselves.

    ``kit.js`` stands for all modules of the kit.
    """
    path = route.request.url.removeprefix(ADDRESS)
    if path == "kit.js":
        files = sorted((WIDGETS / "kit").glob("**/*.js"))
        modules = "".join(f'export * from "./{path.relative_to(WIDGETS)}";' for path in files)
        route.fulfill(content_type="text/javascript", body=modules)
    elif path == "kit/palette.js":
        route.fulfill(content_type="text/javascript", body=palette_module())
    elif path.endswith(".js"):
        route.fulfill(content_type="text/javascript", path=WIDGETS / path)
    else:
        route.fulfill(content_type="text/html", body="<!doctype html><title>test</title>")


class MountedFigure:
    """A widget on a page. `python` follows what the reader does, as it would in a notebook.

    ``views``: for each view, whether it is on a page of the book. ``beside``: other widgets below it.
    ``initial_state``: what the page's address asks for.
    """

    def __init__(
        self,
        page: Page,
        widget: AnyWidget,
        views: Sequence[bool] = (True,),
        beside: Sequence[AnyWidget] = (),
        initial_state: Any = None,
    ) -> None:
        self.page, self.python = page, widget
        html = page_html(widget, on_book_page=views, beside=beside, scripts=[WATCH])
        address = f"{ADDRESS}{next(PLACES)}"  # a different one each time: a fragment of the same one would load nothing
        page.route(address, lambda route: route.fulfill(content_type="text/html", body=html))
        asked = "" if initial_state is None else f"#figure-1?{quote(json.dumps(initial_state))}"
        page.goto(address + asked)
        page.unroute(address)
        page.mouse.move(0, 0)
        page.evaluate("standing")
        self.figure = page.locator(".inorder-figure").first
        self.notice = self.figure.locator(".inorder-notice")
        self.summary = self.figure.locator(".inorder-summary")

    def cell(self, name, row, column):
        return self.figure.locator(f'[data-name="{name}"][data-row="{row}"][data-col="{column}"]')

    def middle(self, selector, at=(0.5, 0.5)):
        """Where an element is on the screen; ``at``: a place in it other than its middle, in shares of its sides."""
        box = self.figure.locator(selector).first.bounding_box()
        return np.array([box["x"] + at[0] * box["width"], box["y"] + at[1] * box["height"]])

    def drag(self, start, end, steps=8):
        """By the mouse, from one place on the screen to another."""
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=steps)
        self.page.mouse.up()

    def numbers(self, name, view=0):
        """The full-precision numbers of one matrix on the page."""
        result = self.page.locator(".inorder-figure").nth(view).locator(f'[data-name="{name}"]')
        triples = result.evaluate_all("cells => cells.map((c) => [+c.dataset.row, +c.dataset.col, +c.dataset.value])")
        matrix = np.full((1 + max(t[0] for t in triples), 1 + max(t[1] for t in triples)), np.nan)
        for row, column, value in triples:
            matrix[row, column] = value
        return matrix

    def sync(self):
        """Send to Python what the page saved."""
        for changes in self.page.evaluate("model.saved.splice(0)"):
            self.python.set_state(changes)
        return self.python

    def drive(self, **state):
        """Python changes the state, and the page hears of it one trait at a time."""
        self.page.evaluate("state => Object.entries(state).forEach(([name, value]) => model.set(name, value))", state)

    def follow(self, link):
        """The reader follows a link to this figure on the page that is open: the host mounts the figure anew."""
        self.page.evaluate(FOLLOW, f"figure-1?{quote(json.dumps(link))}")

    def assert_refuses(self, links):
        """Nothing of these links fits: each is left out, which the figure says, and changes nothing."""
        expected = json.loads(json.dumps(self.python.state))
        for link in links:
            self.follow(link)
            assert self.notice.inner_text() == REFUSED, link
            assert self.page.evaluate(PARTS_OF_STATE, list(expected)) == expected, link
            expect(self.summary, str(link)).to_have_text(self.python.summary())

    def press(self, label):
        """Press the button of that name, one of the menu of tools, too."""
        if label in TOOLS:
            self.figure.locator(".inorder-tools > summary").click()
        self.figure.get_by_role("button", name=label, exact=True).click()

    def copied_state(self):
        """The state in the link that the figure copies; the page needs the permissions of the clipboard."""
        self.press("Copy link")
        self.figure.get_by_text("Link copied").wait_for()
        return json.loads(unquote(self.page.evaluate("navigator.clipboard.readText()").partition("?")[2]))
