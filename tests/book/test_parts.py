"""The parts of a page at work: code switch, folds, predictions, contents, sections, colours; also without a script.

The page under test is that of the permutation proof, which has one of each, from the disk, where less is allowed.
"""

import pytest
from playwright.sync_api import expect

from harness.site import PAGES
from harness.waiting import wait_until

CHAPTER = next((path for path in PAGES if path.endswith("_the_permutation_proof.html")), None)
pytestmark = pytest.mark.skipif(CHAPTER is None, reason="the permutation proof is not in the book")


@pytest.fixture
def page(browser, origins):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(f"{origins['disk']}/{CHAPTER}")
    yield page
    context.close()


@pytest.fixture
def plain_page(browser, origins):
    """Without JavaScript."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{origins['server']}/{CHAPTER}")
    yield page
    context.close()


def test_code_is_hidden_and_shown_and_that_is_remembered(page):
    switch = page.get_by_role("switch", name="Code")
    cells, results = page.locator("details.code[open]"), page.locator(".cell_output pre:visible")
    display, n_results = cells.count(), results.count()
    assert switch.get_attribute("aria-checked") == "true"
    assert display > 5 and n_results > 5
    switch.focus()
    page.keyboard.press("Space")
    assert switch.get_attribute("aria-checked") == "false"
    assert cells.count() == 0
    assert results.count() == n_results, "the results stay"
    page.reload()
    expect(switch).to_have_attribute("aria-checked", "false")
    wait_until(page, "document.querySelectorAll('details.code[open]').length === 0")
    first = page.locator("details.code", has_text="def attention")
    first.locator("summary").click()
    assert first.locator("pre").is_visible(), "each cell still opens by itself"
    switch.click()
    assert cells.count() == display


def test_a_link_opens_the_fold_in_which_its_place_is(page):
    page.evaluate("location.hash = 'sol-which-step'")
    solution = page.locator("#sol-which-step")
    solution.locator("> .in").wait_for()
    page.evaluate(
        """() => {
          const place = document.querySelector('#sol-which-step .in');
          place.id = 'inside';
          location.hash = 'inside';
        }"""
    )
    page.locator("#inside").wait_for(state="visible")
    assert page.locator("#inside").bounding_box()["y"] < 800


def test_folds_are_read_without_a_script(plain_page):
    fold = plain_page.locator("details.fold").first
    fold.locator("> summary").click()
    assert fold.locator("> .in").is_visible()
    assert plain_page.locator("details.code[open] pre").first.is_visible()
    assert not plain_page.locator("#code-switch").is_visible(), "a switch that does nothing"
    plain_page.locator("#contents-open").click()
    assert plain_page.url.endswith("index.html#the-way")


def test_a_prediction_answers_with_both_reasons(page):
    frame = page.get_by_role("group", name="Predict")
    options = frame.locator("details.option")
    assert [option.locator(".number").inner_text() for option in options.all()] == ["1", "2", "3", "4"]
    assert frame.locator(".in:visible").count() == 0
    options.nth(0).locator("summary").click()
    assert options.nth(0).locator(".verdict").inner_text().split("\n") == ["×", "No"]
    assert "The answer is 2." in options.nth(0).locator(".in").inner_text()
    assert page.locator("#announcer").inner_text() == "×No"
    options.nth(1).locator("summary").click()
    assert options.nth(1).locator(".verdict").inner_text().split("\n") == ["✓", "Right"]
    assert not options.nth(0).evaluate("option => option.open"), "one answer at a time"


def test_a_prediction_by_number_key_and_nothing_is_remembered(page):
    options = page.locator("details.option")
    page.keyboard.press("2")
    assert page.locator("details.option[open]").count() == 0, "the reader is elsewhere"
    options.nth(0).locator("summary").focus()
    page.keyboard.press("2")
    assert options.nth(1).evaluate("option => option.open")
    assert page.evaluate("document.activeElement.textContent").startswith("2")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert options.nth(0).evaluate("option => option.open")
    assert "predict" not in page.evaluate("JSON.stringify(Object.entries(localStorage))").lower()
    page.reload()
    assert page.locator("details.option[open]").count() == 0


def test_contents_from_the_keyboard(page):
    opener = page.get_by_role("button", name="Contents")
    dialog = page.get_by_role("dialog", name="Contents")
    opener.focus()
    page.keyboard.press("Enter")
    dialog.wait_for()
    here = dialog.get_by_role("link", name="The permutation proof")
    assert here.get_attribute("aria-current") == "page"
    box = here.bounding_box()
    assert 0 < box["y"] < 800, "where the reader is, is in sight"
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert opener.evaluate("e => e === document.activeElement")
    page.keyboard.press("/")
    assert dialog.get_by_role("searchbox").evaluate("e => e === document.activeElement")
    page.keyboard.type("causal mask")
    first = dialog.locator(".results a").first
    first.wait_for()
    assert "causal" in first.inner_text().lower()
    address = first.evaluate("link => link.href")
    first.click()
    page.wait_for_url(address)


def test_colours_are_announced_and_keep_the_focus(browser, origins):
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(f"{origins['server']}/{CHAPTER}")
    button = page.locator("#colours")
    button.focus()
    for mode, theme in (("light", "light"), ("dark", "dark"), ("auto", "light"), ("light", "light"), ("dark", "dark")):
        page.keyboard.press("Enter")
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        assert page.locator("#announcer").inner_text() == f"Colours: {mode}"
        assert button.evaluate("e => e === document.activeElement")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 21, 27)"
    context.close()
