"""Every page of the built site in a real browser: light and dark, wide and narrow, from a server and from the disk."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pytest
from bs4 import BeautifulSoup

from harness.accessibility import violations
from harness.contrast import contrast
from harness.site import PAGES, SITE, html, page_with_most, widget_state
from harness.waiting import wait_for_figures, wait_until

WIDTHS = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}


LOOKS = {
    f"{theme}, {name}": {"color_scheme": theme, "viewport": viewport, "has_touch": name == "narrow"}
    for theme in ("light", "dark")
    for name, viewport in WIDTHS.items()
}
UNFOLD = "document.querySelectorAll('details:not([name]):not(.inorder-tools)').forEach(fold => { fold.open = true })"
FIGURE, FOLD = 'class="inorder-view"', 'class="fold'
FITS = "document.documentElement.scrollWidth <= innerWidth"
ZOOMED = {"width": 320, "height": 256}  # 1280 x 1024 at 400%
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


# thousands of elements: screen readers do not see pictures of formulas, the colours of code have a test of their own
LEAVE_OUT = """() => {
  for (const formula of document.querySelectorAll(".katex-html")) formula.remove();
  for (const code of document.querySelectorAll("pre")) code.textContent = code.textContent;
}"""

# Of a closed fold there is its summary; so that axe has to walk through the page but once, one stands by each fold.
CLOSED_COPIES = """() => {
  for (const fold of document.querySelectorAll("details")) {
    const copy = fold.cloneNode();
    copy.append(fold.querySelector(":scope > summary").cloneNode(true));
    copy.removeAttribute("open");
    for (const element of [copy, ...copy.querySelectorAll("[id]")]) element.removeAttribute("id");
    fold.after(copy);
  }
}"""


KNOWN_LOOKS: defaultdict[str, set[str]] = defaultdict(set)  # of each look, those of texts that have passed
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
# Nearly all of the time of axe, and pages are made of the same few parts: each day some pages, weekly all of them.
SLOW_RULES = ("color-contrast", "target-size")


def accessibility_faults(page, look: str, without: Sequence[str]) -> list[str]:
    # sections out of sight are laid out when they come near; until then their parts have places that nobody sees
    page.evaluate("document.documentElement.dataset.laidOut = ''")
    page.evaluate(LEAVE_OUT)
    # also those of which, by their name, only one at a time is open
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.removeAttribute('name'))")
    page.evaluate(UNFOLD)
    page.evaluate(CLOSED_COPIES)
    rules = {rule: {"enabled": False} for rule in without}
    return violations(page, known=None if without else KNOWN_LOOKS[look], runOnly=RULES, rules=rules)


SHOWCASES = {"index.html", page_with_most(FIGURE)}  # between them they show most of what has a colour of its own
FROM_DISK = {"index.html", "search.html", page_with_most("language-model-1")}
# Each page from the server, light; the rest of what it may be opened as, of some every day, of all weekly.
OPENED = [("server", "light, wide", path) for path in PAGES] + [
    pytest.param(origin, look, path, marks=[] if path in by_day else pytest.mark.nightly)
    for origin, look, by_day in (("disk", "dark, narrow", FROM_DISK), ("server", "dark, wide", ()))
    for path in PAGES
]


@pytest.mark.parametrize(("origin", "look", "path"), OPENED, indirect=["look"])
def test_page_opens_cleanly(look, origins, origin, path, pytestconfig):
    """As it is opened, at the other width, unfolded, at a zoom of 400%, and under the eyes of axe."""
    page = look.new_page()
    size = page.viewport_size
    other = WIDTHS["narrow" if size == WIDTHS["wide"] else "wide"]
    trouble = listen(page, origins[origin])
    page.goto(f"{origins[origin]}/{path}", wait_until="load")
    wait_for_figures(page)
    assert trouble == []
    views, tools = page.locator(".inorder-view").all(), look.new_cdp_session(page)
    wait_until(page, FITS)
    tools.send("Emulation.setTouchEmulationEnabled", {"enabled": other == WIDTHS["narrow"]})
    page.set_viewport_size(other)
    wait_until(page, FITS)  # figures follow the width a moment later
    page.evaluate(UNFOLD)
    for screen in (other, ZOOMED, size):
        page.set_viewport_size(screen)
        wait_until(page, FITS)
    for view in views:
        box = view.bounding_box()
        assert box["width"] > 200 and box["height"] > 100, "a widget without a size"
        assert view.locator("[role=alert]").count() == 0, view.inner_text()
    is_weekly = not pytestconfig.option.markexpr
    without = () if is_weekly or path in SHOWCASES | FROM_DISK else SLOW_RULES
    assert accessibility_faults(page, page.evaluate("document.documentElement.dataset.theme"), without) == []
    page.close()


@pytest.mark.parametrize("look", OPPOSITES, indirect=True)
def test_code_stands_out_from_its_ground(look, origins):
    page = look.new_page()
    page.goto(f"{origins['server']}/{page_with_most('highlight-ipython3')}")
    pairs = page.evaluate("""() => {
      const background = (element) => getComputedStyle(element).backgroundColor;
      const ground = (element) => background(element) === "rgba(0, 0, 0, 0)" && element.parentElement
        ? ground(element.parentElement) : background(element);
      const spans = [...document.querySelectorAll("article pre, article pre span")];
      return [...new Set(spans.map((span) => `${getComputedStyle(span).color} on ${ground(span)}`))];
    }""")
    assert len(pairs) > 3
    assert [pair for pair in pairs if contrast(*pair.split(" on ")) < 4.5] == []
    page.close()


@pytest.fixture(scope="module", params=PAGES)
def path(request):
    return request.param


@pytest.fixture(scope="module")
def soup(path):
    """The tree of that page, for all tests of it: no page is parsed twice."""
    return BeautifulSoup(html(path), "html.parser")


def test_html_is_sound(path, soup):
    ids = Counter(tag["id"] for tag in soup.find_all(id=True))
    assert sorted(i for i, times in ids.items() if times > 1) == []
    assert soup.title.text.strip()
    assert len(soup.find("meta", attrs={"name": "description"})["content"]) > 20
    for image in soup.select("article img"):
        alt = image.get("alt", "")
        assert len(alt) > 20 and not re.search(r"\.(png|svg)|_images|object at 0x", alt), f"alt text: {alt!r}"
    for output in soup.select(".output"):
        assert not re.search(r"<mark: |<[\w.]+ at 0x", output.text), "a picture is shown, not what Python calls it"


@cache
def places(page: Path) -> set[str]:
    return set(re.findall(r'\sid="([^"]+)"', page.read_text(encoding="utf8")))


def test_internal_links_lead_somewhere(path, soup):
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
                place = unquote(fragment.partition("?")[0])  # then comes the state of a figure
                assert place in places(target), f"{path} links to {element[attribute]}: no such place"


def test_only_pages_with_the_language_model_may_run_webassembly():
    policies = {path: re.search(r'Content-Security-Policy" content="([^"]+)"', html(path))[1] for path in PAGES}
    plain = policies["index.html"]
    assert "wasm" not in plain and "worker-src blob:" in plain
    for path, policy in policies.items():
        has_model = "inorder-view" in html(path) and any(
            one["state"].get("published") for one in widget_state(path)["models"].values()
        )
        more = plain.replace("; style-src", " &#39;wasm-unsafe-eval&#39;; style-src")
        assert policy == (more if has_model else plain)


def test_figures_far_below_come_when_the_reader_begins_or_prints(browser, origins):
    waiting = "document.querySelectorAll('.inorder-view:empty').length"
    for event in ("keydown", "beforeprint"):
        page = browser.new_page()
        page.goto(f"{origins['disk']}/{page_with_most(FIGURE)}")
        wait_until(page, "'inorderHost' in window")
        page.wait_for_timeout(200)
        assert page.evaluate(waiting) > 3
        page.evaluate("(event) => { dispatchEvent(new Event(event)) }", event)
        if event == "keydown":
            wait_until(page, f"{waiting} === 0")
        assert page.evaluate(waiting) == 0, event
        page.close()


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


UNFOLD_ABOVE = """for (const fold of document.querySelectorAll("article details:not([name]):not(.inorder-tools)"))
  if (fold.getBoundingClientRect().bottom < 0) fold.open = true"""
# The words half-way down the window, and their height there; or the height of those that are asked for.
WORDS = """(index) => {
  const all = [...document.querySelectorAll("article p")].filter((p) => !p.closest("details, .inorder-view"));
  const at = index ?? all.findIndex((p) => p.getBoundingClientRect().top > innerHeight / 2);
  return [at, all[at].getBoundingClientRect().top];
}"""


@pytest.mark.parametrize("look", ["dark, narrow"], indirect=True)
def test_reload_and_back_keep_the_place(look, origins):
    page = look.new_page()
    page.goto(f"{origins['server']}/{page_with_most('<section')}")
    page.evaluate("scrollTo({ top: 0.8 * document.body.scrollHeight, behavior: 'instant' })")
    page.wait_for_timeout(200)
    page.wait_for_selector("html[data-laid-out]")
    wait_for_figures(page)
    page.evaluate(UNFOLD_ABOVE)  # and a reload folds them again
    page.wait_for_timeout(300)
    index, before = page.evaluate(WORDS)
    page.reload(wait_until="load")
    page.wait_for_timeout(400)
    assert page.evaluate(WORDS, index)[1] == pytest.approx(before, abs=4)
    page.goto(f"{origins['server']}/chapters/notation.html")
    page.go_back(wait_until="load")
    page.wait_for_timeout(400)
    assert page.evaluate(WORDS, index)[1] == pytest.approx(before, abs=4)
    page.close()


def test_nothing_moves_by_itself_where_motion_is_reduced(browser, origins):
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{origins['server']}/{page_with_most(FIGURE)}")
    wait_for_figures(page)
    moving = """[...document.querySelectorAll("body, body *")].filter((element) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
      return /[1-9]/.test(transitionDuration) || animationName !== "none" || scrollBehavior === "smooth";
    }).map((element) => `${element.tagName} ${element.className}`)"""
    assert page.evaluate(moving) == []
    assert page.evaluate("document.getAnimations().length") == 0
    context.close()


FETCHED = """(images) => Promise.all(images.map((image) => {
  image.loading = "eager"; // also far below
  return image.decode().then(() => image.naturalWidth > 100);
}))"""


def test_twin_shows_without_javascript(browser, origins):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    path = page_with_most(FIGURE)
    page.goto(f"{origins['server']}/{path}", wait_until="load")
    twins = page.locator(".inorder-view + noscript img")
    assert twins.count() == html(path).count('class="inorder-view"')
    assert all(twins.evaluate_all(FETCHED))
    context.close()


@pytest.mark.parametrize("machine", ["light", "dark"])
def test_forced_colours_show_what_is_on_and_what_is_open(browser, origins, machine):
    context = browser.new_context(forced_colors="active", color_scheme=machine)
    other = {"light": "dark", "dark": "light"}[machine]
    context.add_init_script(f"try {{ localStorage.setItem('mode', '{other}') }} catch {{}}")
    page = context.new_page()
    page.goto(f"{origins['server']}/{page_with_most(FOLD)}")
    assert page.locator("html").get_attribute("data-theme") == machine, "the machine's colours, whatever is stored"
    switch, track = page.get_by_role("switch", name="Show code"), page.locator("#code-switch .track")
    grounds = set()
    for _ in range(2):
        page.mouse.move(0, 0)
        grounds.add(track.evaluate("e => getComputedStyle(e).backgroundColor"))
        switch.click()
    assert len(grounds) == 2
    arrow = "e => getComputedStyle(e, '::before').borderTopColor"
    assert page.locator(".fold > summary").first.evaluate(arrow) == "rgba(0, 0, 0, 0)", "a triangle, not a box"
    context.close()


# What a reader types, and where it should lead: one of the first three results.
SEARCHES = {
    "softmax": "softmax_qk_v",
    "why divide by sqrt(d_k)": "softmax_qk_v",
    "queries, keys and values": "what_are_q_k_and_v",
    "kv cache": "what_does_attention_cost",
    "permutation invariant": "the_permutation_proof",
    "rope": "rotary_position",
    "causal_mask": "api.html#inorder.attention.causal_mask",
    "nn.MultiheadAttention": "what_are_q_k_and_v",
    "0.955": "counters_and_waves",
    "rotate_half": "glossary.html#term-rotary-encoding",
}


@pytest.mark.parametrize("origin", ["server", "disk"])
def test_search_leads_to_the_place(browser, origins, origin):
    page = browser.new_page()
    trouble = listen(page, origins[origin])
    page.goto(f"{origins[origin]}/search.html?q=softmax")
    results = page.locator("#search-page .results li")
    results.first.wait_for()
    field = page.get_by_role("searchbox", name="Search this book")
    missed = []
    for words, chapter in list(SEARCHES.items())[: None if origin == "server" else 5]:
        if not any(chapter in path for path in PAGES):
            continue
        field.fill(words)
        page.evaluate("new Promise((done) => setTimeout(done))")
        first = [link.get_attribute("href") for link in results.locator("a").all()[:3]]
        if not any(chapter in link for link in first):
            missed.append(f"{words}: expected {chapter}, got {first}")
        assert "\\" not in results.first.inner_text(), "TeX in an excerpt"
    assert missed == []
    field.fill("permutation invariances")
    page.evaluate("new Promise((done) => setTimeout(done))")
    marked = {mark.lower() for mark in results.locator("mark").all_inner_texts()}
    assert "permutations" in marked, "whole words"
    assert all(word.startswith(("permut", "invarian")) for word in marked), marked
    assert trouble == []
    page.close()


def test_search_says_when_it_finds_nothing(browser, origins):
    page = browser.new_page()
    page.goto(f"{origins['server']}/search.html")
    field = page.get_by_role("searchbox", name="Search this book")
    field.fill("flamingo")
    page.get_by_text("No section of the book contains “flamingo”.").wait_for()
    field.fill("√d")
    page.locator("#search-page .results li").first.wait_for()
    assert "√d" in page.locator("#search-page .results mark").all_inner_texts()
    page.close()
