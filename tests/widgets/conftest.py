"""Widgets in a real browser without Jupyter, mounted by the host of the site, or one of their modules alone."""

from collections.abc import Callable, Iterator

import pytest

from harness.figure import ADDRESS, MountedFigure, answer
from harness.functions import Node


@pytest.fixture(scope="module")
def module_page(browser) -> Iterator[Callable]:
    """module_page("kit/heat_map.js", …): a page, in a context with these options, whose `js` is that module."""
    opened = []

    def open_page(name, **options):
        page = browser.new_context(**options).new_page()
        opened.append(page)
        page.route("**/*", answer)
        page.goto(ADDRESS)
        page.evaluate("address => import(address).then((module) => { window.js = module; })", f"/{name}")
        return page

    yield open_page
    for page in opened:
        page.context.close()


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    process = Node()
    yield process
    process.close()


@pytest.fixture(scope="session")
def functions(node) -> Callable[..., Callable]:
    """call = functions("kit/words.js"); call("tidy", 0.3) calls that function in Node, call.each one by one.

    call.script("(x) => js.tidy(x)", 0.3) calls a function of the test's own; `js` has those of all the modules named.
    """

    def functions_of(*paths):
        def each(function, firsts, *rest):
            calls = [[first, *rest] for first in firsts]
            return node.evaluate(paths, f"(calls) => calls.map((call) => js.{function}(...call))", calls)

        def call(function, *arguments):
            return node.evaluate(paths, f"(call) => js.{function}(...call)", arguments)

        call.each = each
        call.script = lambda script, argument=None: node.evaluate(paths, script, argument)
        return call

    return functions_of


@pytest.fixture(scope="session")
def kit(functions) -> Callable:
    """kit("matmul", a, b) calls the function of that name of any module of the kit, in Node."""
    return functions("kit.js")


@pytest.fixture(scope="module")
def pages(browser) -> Iterator[Callable]:
    """pages(has_touch=True, …): a page in a context with these options, kept for the other tests of the module."""
    opened, trouble = {}, []

    def page_with(**options):
        key = repr(sorted(options.items()))
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options
        if key not in opened:
            page = browser.new_context(**options).new_page()
            page.set_default_timeout(5000)
            page.on("console", lambda message: trouble.append(message.text))
            page.on("pageerror", lambda error: trouble.append(str(error)))
            page.route("**/*", answer)
            opened[key] = page
        elif opened[key].viewport_size != options["viewport"]:  # a test has changed it
            opened[key].set_viewport_size(options["viewport"])
        return opened[key]

    page_with.trouble = trouble
    yield page_with
    for page in opened.values():
        page.context.close()


@pytest.fixture
def mount(pages) -> Iterator[Callable[..., MountedFigure]]:
    """mount(widget, views=…, beside=…, initial_state=…, and what Playwright's new_context takes): a `MountedFigure`

    Nothing moves by itself unless a test asks for it with ``reduced_motion="no-preference"``. Each call starts from an
    empty page. At the end of the test, no page may have complained.
    """

    def mount_one(widget, *, views=(True,), beside=(), initial_state=None, **options) -> MountedFigure:
        return MountedFigure(pages(**options), widget, views, beside, initial_state)

    pages.trouble.clear()
    yield mount_one
    assert pages.trouble == []
