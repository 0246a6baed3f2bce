"""Words that point at their figure and numbers that set it, on the page of the whole argument."""

import pytest

from harness.site import PAGES
from harness.waiting import wait_for_figures

CHAPTER = "chapters/the_whole_argument.html"
pytestmark = pytest.mark.skipif(CHAPTER not in PAGES, reason="the whole argument is not in the book")
LIT = "() => document.querySelectorAll('[data-lit]').length"
LIT_AND_BEFORE = """(word) => {
  const lit = [...document.querySelectorAll("[data-lit]")];
  const views = new Set(lit.map((part) => part.closest(".inorder-view")));
  const [view] = views;
  return lit.length > 0 && views.size === 1 && !!(view.compareDocumentPosition(word) & 4);
}"""


@pytest.fixture
def page(browser, origins):
    page = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce").new_page()
    trouble = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto(f"{origins['disk']}/{CHAPTER}")
    wait_for_figures(page)
    yield page
    page.context.close()
    assert trouble == []


def test_each_word_that_points_lights_parts_of_the_figure_before_it(page):
    words = page.locator(".pointer[data-part]")
    assert words.count() >= 12
    for word in words.all():
        target = word.locator("a") if word.locator("a").count() else word
        target.focus()
        assert word.evaluate(LIT_AND_BEFORE), word.get_attribute("data-part")
        target.blur()
        assert page.evaluate(LIT) == 0
    words.first.hover()
    assert page.evaluate(LIT) > 0


def test_a_number_follows_its_figure_and_sets_it_by_hand_and_by_keys(page):
    words = page.locator(".pointer[data-sets]")
    assert words.count() >= 5
    for word in words.all():
        assert word.get_attribute("role") == "slider" and word.get_attribute("aria-label")
    word = page.locator('.pointer[data-sets="position"]')
    figure = page.locator(".inorder-view", has_text="Slide the text").first
    assert word.inner_text() == "21"
    word.press("ArrowRight")
    assert word.inner_text() == "22" == word.get_attribute("aria-valuetext")
    handle = figure.locator(".inorder-handle").first
    handle.press("ArrowRight")
    assert word.inner_text() == "23"
    handle.press("ArrowLeft")
    handle.press("ArrowLeft")
    assert word.inner_text() == "21"
    word.scroll_into_view_if_needed()
    box = word.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 5 + 36, box["y"] + 8, steps=4)
    page.mouse.up()
    assert word.inner_text() == "25"
    word.press("End")
    assert word.inner_text() == "59"
