"""Every page of the built site in a real browser: light and dark, wide and narrow, from a server and from the disk."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from harness.browser import wait_until
from harness.contrast import contrast
from harness.site import PAGES, SITE, html, page_with_most

WIDTHS = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}


LOOKS = {
    f"{theme}, {name}": {"color_scheme": theme, "viewport": viewport, "has_touch": name == "narrow"}
    for theme in ("light", "dark")
    for name, viewport in WIDTHS.items()
}
UNFOLD = "document.querySelectorAll('details:not([name])').forEach(fold => { fold.open = true })"
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
    wait_until(page, "document.querySelectorAll('.inorder-view:empty').length === 0")
    assert trouble == []
    for state in ("folded", "unfolded"):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            f"the page scrolls sideways, {state}"
        )
        page.evaluate(UNFOLD)
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
    page.evaluate(UNFOLD)
    # sections out of sight are laid out when they come near; until then their parts have places that nobody sees
    page.evaluate("document.documentElement.dataset.laidOut = ''")
    # thousands of elements: formulas are hidden from screen readers, code has a test of its own
    without = {"exclude": [[".katex-html"], ["pre span"]]}
    rules = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
    results = Axe().run(page, context=without, options={"runOnly": rules})
    found = [
        f"{violation['id']}: {violation['help']}: {node['target']} {node['failureSummary']}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
    assert found == []
    page.close()


@pytest.mark.parametrize("look", OPPOSITES, indirect=True)
def test_code_stands_out_from_its_ground(look, origins):
    page = look.new_page()
    page.goto(f"{origins['server']}/{page_with_most('<details class=')}")
    pairs = page.evaluate("""() => {
      const background = (element) => getComputedStyle(element).backgroundColor;
      const ground = (element) => background(element) === "rgba(0, 0, 0, 0)" && element.parentElement
        ? ground(element.parentElement) : background(element);
      const spans = [...document.querySelectorAll("article pre span")];
      return [...new Set(spans.map((span) => `${getComputedStyle(span).color} on ${ground(span)}`))];
    }""")
    assert len(pairs) > 3
    assert [pair for pair in pairs if contrast(*pair.split(" on ")) < 4.5] == []
    page.close()


@pytest.mark.parametrize("path", PAGES)
def test_html_is_sound(path):
    text = html(path)
    soup = BeautifulSoup(text, "html.parser")
    ids = [tag["id"] for tag in soup.find_all(id=True)]
    assert sorted(i for i in set(ids) if ids.count(i) > 1) == []
    assert soup.title.text.strip()
    assert len(soup.find("meta", attrs={"name": "description"})["content"]) > 20
    for image in soup.select("article img"):
        alt = image.get("alt", "")
        assert len(alt) > 20 and not re.search(r"\.(png|svg)|_images|object at 0x", alt), f"alt text: {alt!r}"
    for forbidden in (
        "require.min.js",
        "html-manager",
        "mathjax",
        "MathJax",
        "thebe",
        "fontawesome",
        "bootstrap",
        "pydata",
    ):
        assert forbidden not in text.replace("mathjax_ignore", ""), forbidden


@cache
def places(page: Path) -> set[str]:
    return set(re.findall(r'\sid="([^"]+)"', page.read_text(encoding="utf8")))


@pytest.mark.parametrize("path", PAGES)
def test_internal_links_lead_somewhere(path):
    soup = BeautifulSoup(html(path), "html.parser")
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
        assert ("_static/widgets/" in html(path)) == ("inorder-view" in html(path)), path


def test_twin_shows_without_javascript(browser, origins):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in PAGES:
        views = html(path).count('class="inorder-view"')
        if not views:
            continue
        page.goto(f"{origins['server']}/{path}", wait_until="load")
        twins = page.locator(".inorder-view + noscript img")
        assert twins.count() == views
        for twin in twins.all():
            twin.scroll_into_view_if_needed()
            assert twin.evaluate("image => image.decode().then(() => image.naturalWidth > 100)")
    context.close()


def test_a_page_runs_no_script_but_the_sites_own(browser, origins):
    page = browser.new_page()
    for origin in origins.values():
        page.goto(f"{origin}/index.html")
        page.evaluate("""() => {
          const script = document.createElement("script");
          script.textContent = "window.hostile = 'a script in the page'";
          document.body.append(script);
          const box = document.createElement("div");
          box.innerHTML = "<img src='data:,' onerror='window.hostile = `a handler`'>";
          document.body.append(box);
        }""")
        page.wait_for_timeout(200)
        assert page.evaluate("window.hostile") is None
        assert page.evaluate("document.documentElement.dataset.mode") == "auto", "the head's own script runs"
    page.close()


@pytest.mark.parametrize("look", ["light, narrow"], indirect=True)
def test_boxes_that_scroll_are_tab_stops(look, origins):
    page = look.new_page()
    page.goto(f"{origins['server']}/{page_with_most('<pre')}")
    scrolling = 0
    for box in page.locator("article :is(pre, .katex-display, .wide-table):visible").all():
        box.scroll_into_view_if_needed()
        overflows = box.evaluate("box => box.scrollWidth > box.clientWidth + 1")
        wait_until(page, "([box, stop]) => box.tabIndex === stop", arg=[box.element_handle(), overflows - 1])
        shadow = box.evaluate("box => getComputedStyle(box).backgroundImage !== 'none'")
        assert shadow == overflows, "a box that scrolls says so, and no other does"
        scrolling += overflows
    assert 5 < scrolling < page.locator("article pre").count()
    page.close()


@pytest.mark.parametrize("look", OPPOSITES, indirect=True)
def test_reload_keeps_the_place(look, origins):
    page = look.new_page()
    page.goto(f"{origins['server']}/{page_with_most('<section')}")
    page.evaluate("scrollTo({ top: 0.8 * document.body.scrollHeight, behavior: 'instant' })")
    page.wait_for_selector("html[data-laid-out]")
    page.wait_for_timeout(500)
    before = page.evaluate("scrollY")
    page.reload(wait_until="load")
    page.wait_for_timeout(500)
    assert page.evaluate("scrollY") == pytest.approx(before, abs=4)
    page.close()


@pytest.mark.parametrize("look", OPPOSITES, indirect=True)
def test_link_to_the_last_section_shows_it(look, origins):
    page = look.new_page()
    address = f"{origins['server']}/{page_with_most('<section')}"
    page.goto(address)
    place = page.locator("article > section > section").last.get_attribute("id")
    heading = page.locator(f"#{place} > h2")
    for way in ("in the page", "from elsewhere"):
        if way == "from elsewhere":
            page.goto("about:blank")
        page.goto(f"{address}#{place}")
        page.wait_for_timeout(300)
        below_header = 48 <= heading.bounding_box()["y"] < page.viewport_size["height"] / 2
        at_the_end = page.evaluate("scrollY + innerHeight >= document.body.scrollHeight - 2")
        assert below_header or at_the_end, way
    page.close()


@pytest.mark.parametrize(
    ("words", "address"),
    [
        ("softmax", "softmax_qk_v"),
        ("causal mask", "what_a_causal_mask_knows"),
        ("why add", "add_or_concatenate"),
        ("permutation proof", "the_permutation_proof"),
        ("rope", "relative_position"),
        ("alibi", "relative_position"),
        ("permutation invariant", "the_permutation_proof"),
        ("kv cache", "what_a_causal_mask_knows"),
    ],
)
@pytest.mark.parametrize("origin", ["server", "disk"])
def test_search_leads_to_the_place(browser, origins, origin, words, address):
    if not any(address in path for path in PAGES):
        pytest.skip(f"{address} is not in the book")
    page = browser.new_page()
    trouble = listen(page, origins[origin])
    page.goto(f"{origins[origin]}/search.html?q={words.replace(' ', '+')}")
    results = page.locator("#search-page .results li")
    results.first.wait_for()
    first = [link.get_attribute("href") for link in results.locator("a").all()[:3]]
    assert any(address in link or "glossary" in link for link in first), first
    marked = {mark.lower() for mark in results.locator("mark").all_inner_texts()}
    assert marked <= set(words.split())
    assert "\\" not in results.first.inner_text(), "TeX in an excerpt"
    assert trouble == []
    page.close()


def test_search_says_when_it_finds_nothing(browser, origins):
    page = browser.new_page()
    page.goto(f"{origins['server']}/search.html")
    field = page.get_by_role("searchbox", name="Search this book")
    field.fill("flamingo")
    page.get_by_text("No section of the book has “flamingo”.").wait_for()
    field.fill("√d")
    page.locator("#search-page .results li").first.wait_for()
    assert "√d" in page.locator("#search-page .results mark").all_inner_texts()
    page.close()
