"""Terms and citations say what they mean where they stand: by pointer, focus and tap, without a server."""

import json
import re
from urllib.parse import urlparse

import pytest

from _ext.previews import previews_of
from harness.accessibility import violations
from harness.site import PAGES, SITE, html
from harness.waiting import wait_until

CHAPTER = max(
    (path for path in PAGES if path.startswith("chapters/ch")), key=lambda path: html(path).count("glossary.html#term-")
)
TERM, CITATION = 'article p a[href*="#term-"]', 'article p a[href*="bibliography.html#"]'
OPEN = "!document.querySelector('#preview').hidden"
SIZE_WITH_AND_WITHOUT = """() => {
  const size = () => [document.documentElement.scrollHeight, document.documentElement.scrollWidth];
  const box = document.querySelector("#preview");
  const shown = size();
  box.hidden = true;
  const hidden = size();
  box.hidden = false;
  return [shown, hidden];
}"""
NEAR = 700  # pixels, from a link to its preview


@pytest.fixture
def page(browser, origins):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{origins['disk']}/{CHAPTER}")
    page.evaluate("document.documentElement.dataset.laidOut = ''")
    page.evaluate("document.querySelectorAll('details:not([name])').forEach((fold) => { fold.open = true })")
    yield page
    page.close()


def test_a_definition_and_an_entry_lose_their_links_alone():
    page = """<dl><dt id="term-a">a<a class="headerlink">#</a></dt><dd><p>One <a href="#term-b">b</a>.</p></dd></dl>
    <div class="citation" id="key"><span class="label">[K]</span><p>Author. <em>Title</em>. <a>u</a>.</p></div>"""
    assert previews_of(page) == {"term-a": "<p>One b.</p>", "key": "<p>Author. <em>Title</em>. u.</p>"}


def test_every_link_to_a_term_or_an_entry_has_its_preview():
    text = (SITE / "_static" / "previews.js").read_text(encoding="utf8")
    known = json.loads(text.removeprefix("bookPreviews(").removesuffix(")"))
    for path in PAGES:
        links = re.findall(r'href="((?:\w+\.html)#term-[\w-]+|bibliography\.html#\w+)"', html(path))
        if path.startswith("chapters/ch"):
            assert links, path
            assert sorted({f"chapters/{link}" for link in links} - known.keys()) == [], path


@pytest.mark.parametrize(("link", "width"), [(TERM, 1280), (CITATION, 768)])  # between them both kinds and both widths
def test_the_pointer_opens_it_and_it_moves_nothing(page, link, width):
    page.set_viewport_size({"width": width, "height": 800})
    link = page.locator(link).first
    link.scroll_into_view_if_needed()
    link.hover()
    wait_until(page, OPEN)
    box, word = page.locator("#preview").bounding_box(), link.bounding_box()
    assert len(page.locator("#preview").inner_text()) > 30
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and abs(box["y"] - word["y"]) < NEAR
    shown, hidden = page.evaluate(SIZE_WITH_AND_WITHOUT)
    assert shown == hidden
    page.locator("#preview").hover()
    page.wait_for_timeout(700)
    assert page.evaluate(OPEN), "the pointer may go there"
    page.keyboard.press("Escape")
    assert not page.evaluate(OPEN)


def test_the_keyboard_opens_it_and_a_screen_reader_hears_it(page):
    link = page.locator(TERM).first
    page.keyboard.press("Tab")  # from now on the focus is shown
    link.focus()
    wait_until(page, OPEN)
    assert link.get_attribute("aria-describedby") == page.locator("#preview").get_attribute("id")
    assert violations(page, "#preview", runOnly=["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]) == []
    page.keyboard.press("Escape")
    assert not page.evaluate(OPEN) and link.get_attribute("aria-describedby") is None
    assert link.evaluate("(link) => link === document.activeElement")
    page.emulate_media(media="print")
    assert not page.locator("#preview").is_visible()


def test_the_first_tap_explains_and_the_second_goes_there(browser, origins):
    page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark")
    page.goto(f"{origins['disk']}/{CHAPTER}")
    link = page.locator(TERM).first
    link.tap()
    wait_until(page, OPEN)
    box = page.locator("#preview").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert urlparse(page.url).path.endswith(CHAPTER)
    link.tap()
    page.wait_for_url("**/glossary.html#term-*")
    page.close()
