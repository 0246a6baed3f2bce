"""Waiting for a page of ours, whose policy forbids what Playwright waits with."""

from playwright.sync_api import Page


def wait_until(page: Page, expression: str, arg: object = None) -> None:
    """Wait until an expression of the page is true: ``wait_for_function``, which our pages' policy forbids its eval."""
    for _ in range(300):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(100)
    raise TimeoutError(f"after 30 seconds still not true: {expression}")


def wait_for_figures(page: Page) -> None:
    """Wait until all figures stand, those far below too: they come once the reader does something."""
    wait_until(page, "dispatchEvent(new Event('scroll')) && !document.querySelector('.inorder-view:empty')")
