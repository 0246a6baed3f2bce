"""At an address without a page, the reader finds the chapters and the search."""

import pytest
from playwright.sync_api import expect

from _ext import not_here
from harness.accessibility import violations
from harness.site import NOT_HERE, PAGES, html

CHAPTERS = [path for path in PAGES if path.startswith("chapters/ch")]


def test_an_address_without_a_page_names_the_chapters_and_searches(browser, origins):
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme="dark")
    address = f"{origins['server']}/chapters/ch77_nothing.html"
    page.route(address, lambda route: route.fulfill(status=404, body=html(NOT_HERE), content_type="text/html"))
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no page at this address")
    links = page.get_by_role("link").evaluate_all("all => all.map((link) => link.href)")
    assert links == [f"{origins['server']}/{path}" for path in ["index.html", *CHAPTERS]]
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("searchbox", name="Search this book").fill("softmax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=softmax")
    page.close()


@pytest.mark.parametrize("site", ["", "https://someone.example/a-course/"])
def test_its_links_begin_where_the_site_does(monkeypatch, site):
    monkeypatch.setattr(not_here, "site_address", lambda app: site)
    ((name, context, template),) = not_here.page_not_here(None)
    assert (name, context["root"], template) == ("404", site or "/", NOT_HERE)
