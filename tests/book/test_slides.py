"""The slides: the key parts of each chapter, live figures from the disk, keys, and no slide that is off the screen."""

import pytest
from bs4 import BeautifulSoup

from _ext.execution import documents
from _ext.slides import make_slides
from harness.site import SITE, html
from harness.waiting import wait_for_figures, wait_until

CHAPTERS = [f"{document}.html" for document in documents() if document.startswith("chapters/ch")]
PROOF = next((path for path in CHAPTERS if path.endswith("_the_permutation_proof.html")), None)
PLACE = "place => document.querySelector('body > nav output').textContent === place"
CHOICE = ".inorder-controls .inorder-select > select"
pytestmark = pytest.mark.skipif(PROOF is None, reason="the permutation proof is not in the book")


@pytest.fixture(scope="module")
def slides(tmp_path_factory):
    """The decks, in a folder of their own, away from the site."""
    folder = tmp_path_factory.mktemp("slides") / "made"
    assert [f"{name}.html" for name in make_slides(SITE, folder)] == CHAPTERS
    links = BeautifulSoup((folder / "index.html").read_text(encoding="utf8"), "html.parser").select("a")
    assert [link["href"] for link in links] == CHAPTERS and all(link.get_text() for link in links)
    return folder


@pytest.fixture
def page(request, browser, slides):
    page, trouble = browser.new_page(viewport={"width": 1280, "height": 720}), []
    page.on("console", lambda message: trouble.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    # A test that reloads cuts the icon short, which Chromium fetches at each change of the address.
    page.on("requestfailed", lambda r: None if r.url.endswith("favicon.svg") else trouble.append(r.url))
    page.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else trouble.append(r.url))
    page.goto((slides / getattr(request, "param", PROOF)).as_uri())
    wait_for_figures(page)
    yield page
    assert trouble == []
    page.close()


# Every fourth chapter each day: each goes the same way through the same script.
DECKS = [pytest.param(path, marks=[pytest.mark.nightly] if i % 4 else []) for i, path in enumerate(CHAPTERS)]


@pytest.mark.parametrize(
    ("page", "path"), [pytest.param(*(2 * deck.values), marks=deck.marks) for deck in DECKS], indirect=["page"]
)
def test_a_deck_has_the_key_parts_of_its_chapter_in_their_order(page, path):
    chapter = BeautifulSoup(html(path), "html.parser").select_one("article > section")
    made = BeautifulSoup(page.locator("article").inner_html(), "html.parser")
    assert made.select_one(".slide blockquote").get_text() == chapter.select_one("blockquote").get_text()
    for selector in (".predict", "section > .proof", "section > .cell > .cell_output > figure", "section > .math"):
        on_the_way = [tag for tag in chapter.select(selector) if not tag.find_parent(["details", "li"])]
        on_the_way = [
            tag for tag in on_the_way if not tag.find_parent(id="exercises") and not tag.find_parent(class_="proof")
        ]
        on_slides = made.select(selector.replace("section", ".slide"))
        assert [tag.get("id") for tag in on_slides] == [tag.get("id") for tag in on_the_way], selector
    assert not made.select(".solution, .exercise, a")
    assert not made.select("details[open]:not(.code)"), "answers are closed"
    assert made.select(".slide")[-1].h2.get_text().endswith("What we settled")


def test_every_slide_is_on_the_screen(page):
    n = page.locator(".slide").count()
    for number in range(n):
        wait_until(page, PLACE, arg=f"{number + 1} / {n}")
        assert page.locator(".slide:not([inert])").count() == 1
        box = page.locator(".slide:not([inert])").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
        assert box["y"] >= 0 and box["y"] + box["height"] <= 690
        letters = page.locator(".slide:not([inert])").evaluate(
            "e => parseFloat(getComputedStyle(e).fontSize) * e.getBoundingClientRect().width / e.offsetWidth"
        )
        assert letters >= 18, "text of a projector"
        page.keyboard.press("ArrowRight")


def test_a_figure_answers_and_keeps_its_keys(page):
    figure = page.locator(".slide", has=page.locator(CHOICE)).first
    number = page.locator(".slide").evaluate_all("(all, one) => all.indexOf(one)", figure.element_handle())
    page.goto(f"{page.url.partition('#')[0]}#{number + 1}")
    numbers = "[...document.querySelectorAll('.slide:not([inert]) [data-value]')].map((e) => e.dataset.value).join()"
    wait_until(page, numbers)
    before, place = page.evaluate(numbers), page.locator("nav output").inner_text()
    choice = figure.locator(CHOICE).first
    choice.focus()
    page.keyboard.press("ArrowDown")
    choice.select_option(index=1)
    wait_until(page, f"before => {numbers} !== before", arg=before)
    assert page.locator("nav output").inner_text() == place
    page.keyboard.press("PageDown")  # what a clicker sends
    wait_until(page, PLACE, arg=place.replace(str(number + 1), str(number + 2), 1))


def test_keys_move_and_the_address_says_where(page):
    n = page.locator(".slide").count()
    for key, expected in ((" ", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("ArrowUp", 1), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        wait_until(page, PLACE, arg=f"{expected} / {n}")
        assert page.url.endswith(f"#{expected}")
    page.get_by_role("button", name="Next").click()
    wait_until(page, PLACE, arg=f"2 / {n}")
    page.goto(f"{page.url.partition('#')[0]}#{n}")
    page.keyboard.press("ArrowRight")
    page.reload()
    wait_until(page, PLACE, arg=f"{n} / {n}")
