"""Widgets in a real browser without Jupyter: a bare page, a model made from the Python widget's state, its module."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import inorder.widgets

FOLDER = Path(inorder.widgets.__file__).parent
PAGE = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>test</title>
<style>body { margin: 16px; font-family: sans-serif } html[data-theme=dark] body { background: #111 }</style>
<body><main></main></body></html>"""
# Like the model that Jupyter gives a widget: `set` reports a change, `save_changes` sends what changed to Python.
MODEL = """(state) => {
  const listeners = {}, unsaved = new Set();
  return {
    saved: [], sent: [], listeners,
    send(content) { this.sent.push(content); },
    get: (name) => state[name],
    set(name, value) {
      if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
      state[name] = value;
      unsaved.add(name);
      for (const listener of [...(listeners[`change:${name}`] ?? [])]) listener();
    },
    on: (event, listener) => (listeners[event] ??= []).push(listener),
    off: (event, listener) => (listeners[event] = listeners[event].filter((other) => other !== listener)),
    save_changes() {
      this.saved.push(Object.fromEntries([...unsaved].map((name) => [name, state[name]])));
      unsaved.clear();
    },
  };
}"""
MOUNT = """async ([module, state, model, views, initialState]) => {
  const revive = (value) => { // bytes arrive as Jupyter hands them over
    if (typeof value?.base64 === "string") {
      const text = atob(value.base64);
      const bytes = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
      return new DataView(bytes.buffer);
    }
    if (value && typeof value === "object") for (const key of Object.keys(value)) value[key] = revive(value[key]);
    return value;
  };
  const source = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const { default: widget } = await import(source);
  window.model = (0, eval)(model)(revive(state));
  const link = (state) => `${location.origin}/#figure-1?${encodeURIComponent(JSON.stringify(state))}`;
  window.stops = views.map((onBookPage) => {
    const el = document.querySelector("main").appendChild(document.createElement("div"));
    const page = onBookPage ? { id: "figure-1", link, initialState } : undefined;
    return widget.render({ model: window.model, el, page });
  });
}"""


def with_bytes(value):
    """The same, in what JSON can hold."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return {key: with_bytes(part) for key, part in value.items()} if isinstance(value, dict) else value


class Mounted:
    """A widget on a page. `python` follows what the reader does, as it would in a notebook."""

    def __init__(self, page, widget, views, initial_state):
        self.page, self.python = page, widget
        state = {key: value for key, value in widget.get_state().items() if not key.startswith("_")}
        for name in ("layout", "tabbable", "tooltip"):
            del state[name]
        page.goto("http://localhost/")
        page.mouse.move(0, 0)
        page.add_style_tag(content=widget._css)
        page.evaluate(MOUNT, [widget._esm, with_bytes(state), MODEL, views, initial_state])
        self.figure = page.locator(".inorder-figure").first
        self.notice = self.figure.locator(".inorder-notice")
        self.summary = self.figure.locator(".inorder-summary")

    def cell(self, name, row, column):
        return self.figure.locator(f'[data-name="{name}"][data-row="{row}"][data-col="{column}"]')

    def numbers(self, name, view=0):
        """The full-precision numbers of one matrix on the page."""
        found = self.page.locator(".inorder-figure").nth(view).locator(f'[data-name="{name}"]')
        triples = found.evaluate_all("cells => cells.map((c) => [+c.dataset.row, +c.dataset.col, +c.dataset.value])")
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

    def press(self, label):
        self.figure.get_by_role("button", name=label, exact=True).click()


def answer(route):
    """Every address is the bare page, but for kit.js, which tests import by itself."""
    if route.request.url.endswith("/kit.js"):
        route.fulfill(content_type="text/javascript", path=FOLDER / "kit.js")
    else:
        route.fulfill(content_type="text/html", body=PAGE)


@pytest.fixture(scope="module")
def kit(browser) -> Iterator[Callable]:
    """kit("matmul", a, b) calls the function of kit.js of that name, in the browser."""
    page = browser.new_page()
    page.route("**/*", answer)
    page.goto("http://localhost/")
    page.evaluate("import('/kit.js').then((kit) => { window.kit = kit; })")

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(entry) for key, entry in value.items()}
        return value.tolist() if isinstance(value, np.ndarray) else value

    def call(name, *arguments):
        return page.evaluate("([name, args]) => kit[name](...args)", [name, [plain(a) for a in arguments]])

    yield call
    page.close()


@pytest.fixture(scope="module")
def pages(browser) -> Iterator[Callable]:
    """pages(has_touch=True, …): a page in a context with these options, kept for the other tests of the module."""
    opened, trouble = {}, []

    def page_with(**options):
        key = repr(sorted(options.items()))
        if key not in opened:
            page = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options).new_page()
            page.set_default_timeout(5000)
            page.on("console", lambda message: trouble.append(message.text))
            page.on("pageerror", lambda error: trouble.append(str(error)))
            page.route("**/*", answer)
            opened[key] = page
        return opened[key]

    page_with.trouble = trouble
    yield page_with
    for page in opened.values():
        page.context.close()


@pytest.fixture
def mount(pages) -> Iterator[Callable[..., Mounted]]:
    """mount(widget, views=[on a page of the book?, …], initial_state=…, and what Playwright's new_context takes)

    Each call starts from an empty page. At the end of the test, no page may have complained.
    """

    def mount_one(widget, *, views=(True,), initial_state=None, **options) -> Mounted:
        return Mounted(pages(**options), widget, list(views), initial_state)

    pages.trouble.clear()
    yield mount_one
    assert pages.trouble == []
