"""Every page of the built site in a real browser: light and dark, wide and narrow, from a server and from the disk."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from built_site import PAGES, SITE

WIDTHS = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}


LOOKS = {
    f"{theme}, {name}": {"color_scheme": theme, "viewport": viewport, "has_touch": name == "narrow"}
    for theme in ("light", "dark")
    for name, viewport in WIDTHS.items()
}
WHOLE = ".bd-article section { content-visibility: visible !important }"  # also what is far from the reader
OPPOSITES = ["light, wide", "dark, narrow"]  # between them every theme and every width


@pytest.fixture
def look(request, browser):
    context = browser.new_context(**LOOKS[request.param])
    yield context
    context.close()


def listen(page, origin: str) -> list[str]:
    """What must not happen on a page: console errors, exceptions, failed requests, requests to another site."""
    trouble: list[str] = []

    def hear(message):
        if message.type in ("error", "warning"):
            trouble.append(f"console {message.type}: {message.text}")

    page.on("console", hear)
    page.on("pageerror", lambda error: trouble.append(f"exception: {error}"))
    page.on("requestfailed", lambda r: trouble.append(f"failed: {r.url}"))
    page.on("response", lambda r: trouble.append(f"{r.status}: {r.url}") if r.status >= 400 else None)

    def same_site(request):
        if not request.url.startswith((origin, "data:", "blob:")):
            trouble.append(f"foreign request: {request.url}")

    page.on("request", same_site)
    return trouble


@pytest.mark.parametrize(
    ("origin", "look"),
    [*(("server", look) for look in LOOKS), *(("disk", look) for look in OPPOSITES)],
    indirect=["look"],
)
@pytest.mark.parametrize("path", PAGES)
def test_page_opens_cleanly(look, origins, origin, path):
    page = look.new_page()
    trouble = listen(page, origins[origin])
    page.goto(f"{origins[origin]}/{path}", wait_until="load")
    page.wait_for_function("document.querySelectorAll('.inorder-view:empty').length === 0")
    assert trouble == []
    page.add_style_tag(content=WHOLE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    for view in page.locator(".inorder-view").all():
        box = view.bounding_box()
        assert box["width"] > 200 and box["height"] > 100, "a widget without a size"
        assert view.locator("[role=alert]").count() == 0, view.inner_text()
    page.close()


@pytest.mark.parametrize("look", OPPOSITES, indirect=True)
@pytest.mark.parametrize("path", PAGES)
def test_page_is_accessible(look, origins, path):
    page = look.new_page()
    page.goto(f"{origins['server']}/{path}", wait_until="load")
    page.add_style_tag(content=WHOLE)
    outside_formulas = {"exclude": [[".katex-html"]]}  # hidden from screen readers, and thousands of elements
    rules = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
    results = Axe().run(page, context=outside_formulas, options={"runOnly": rules})
    found = [
        f"{violation['id']}: {violation['help']}: {node['target']} {node['failureSummary']}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
    assert found == []
    page.close()


@pytest.mark.parametrize("path", PAGES)
def test_html_is_sound(path):
    html = (SITE / path).read_text(encoding="utf8")
    soup = BeautifulSoup(html, "html.parser")
    ids = [tag["id"] for tag in soup.find_all(id=True)]
    assert sorted(i for i in set(ids) if ids.count(i) > 1) == []
    assert soup.title.text.strip()
    assert len(soup.find("meta", attrs={"name": "description"})["content"]) > 20
    for image in soup.select("article img"):
        alt = image.get("alt", "")
        assert len(alt) > 20 and not re.search(r"\.(png|svg)|_images|object at 0x", alt), f"alt text: {alt!r}"
    for forbidden in ("require.min.js", "html-manager", "mathjax", "MathJax", "thebe", "fontawesome.js"):
        assert forbidden not in html.replace("mathjax_ignore", ""), forbidden


@cache
def places(page: Path) -> set[str]:
    return set(re.findall(r'\sid="([^"]+)"', page.read_text(encoding="utf8")))


@pytest.mark.parametrize("path", PAGES)
def test_internal_links_lead_somewhere(path):
    soup = BeautifulSoup((SITE / path).read_text(encoding="utf8"), "html.parser")
    for tag, attribute in (("a", "href"), ("link", "href"), ("script", "src"), ("img", "src")):
        for element in soup.find_all(tag, **{attribute: True}):
            address, fragment = urldefrag(element[attribute])
            address = address.partition("?")[0]  # style sheets carry a ?v=… against old caches
            if urlparse(address).scheme:
                continue
            target = SITE / unquote(urlparse(urljoin(f"/{path}", address)).path.lstrip("/"))
            if target.is_dir():
                target /= "index.html"
            assert target.exists(), f"{path} links to {element[attribute]}"
            if fragment and tag == "a":
                assert unquote(fragment) in places(target), f"{path} links to {element[attribute]}: no such place"


def test_pages_without_widgets_load_no_widget_code():
    for path in PAGES:
        html = (SITE / path).read_text(encoding="utf8")
        assert ("_static/widgets/" in html) == ("inorder-view" in html), path


def test_twin_shows_without_javascript(browser, origins):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in PAGES:
        views = (SITE / path).read_text(encoding="utf8").count('class="inorder-view"')
        if not views:
            continue
        page.goto(f"{origins['server']}/{path}", wait_until="load")
        twins = page.locator(".inorder-view + noscript img")
        assert twins.count() == views
        for twin in twins.all():
            twin.scroll_into_view_if_needed()
            assert twin.evaluate("image => image.decode().then(() => image.naturalWidth > 100)")
    context.close()


@pytest.mark.parametrize("look", ["light, narrow"], indirect=True)
def test_boxes_that_scroll_are_tab_stops(look, origins):
    page = look.new_page()
    page.goto(f"{origins['server']}/chapters/ch02_softmax_qk_v.html")
    scrolling = 0
    for box in page.locator("article pre:visible").all():
        box.scroll_into_view_if_needed()
        overflows = box.evaluate("box => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight")
        page.wait_for_function("([box, stop]) => box.tabIndex === stop", arg=[box.element_handle(), overflows - 1])
        scrolling += overflows
    assert 5 < scrolling < page.locator("article pre").count()
    page.close()


@pytest.mark.parametrize("look", OPPOSITES, indirect=True)
def test_link_to_the_last_section_shows_it(look, origins):
    """Sections far from the reader have a height that is only guessed."""
    page = look.new_page()
    address = f"{origins['server']}/chapters/ch02_softmax_qk_v.html"
    page.goto(address)
    place = page.locator("article > section > section").last.get_attribute("id")
    heading = page.locator(f"#{place} > h2")
    for way in ("in the page", "from elsewhere"):
        if way == "from elsewhere":
            page.goto("about:blank")
        page.goto(f"{address}#{place}")
        page.wait_for_timeout(300)
        assert 0 <= heading.bounding_box()["y"] < page.viewport_size["height"] / 2, way
    page.close()


def test_search_finds_a_word_of_a_chapter(browser, origins):
    for origin in origins.values():
        page = browser.new_page()
        trouble = listen(page, origin)
        page.goto(f"{origin}/search.html?q=softmax")
        page.locator("#search-results li a").first.wait_for()
        assert page.locator("#search-results li a[href*=ch02]").count()
        assert trouble == []
        page.close()
