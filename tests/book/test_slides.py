"""The slides: the key parts of each chapter, live figures from the disk, keys, and no slide that is off the screen."""

from collections import Counter
from functools import cache

import pytest
from bs4 import BeautifulSoup

from _ext import slides as slides_module
from _ext.execution import documents
from chapter_tests import whole_chapters
from harness.site import SITE, html
from harness.waiting import wait_for_figures, wait_until

CHAPTERS = [f"{document}.html" for document in documents() if document.startswith("chapters/ch")]
deck = cache(slides_module.deck)  # each is made once, for the tests of its text and for those in the browser
PROOF = next((path for path in CHAPTERS if path.endswith("_the_permutation_proof.html")), None)
CHOICE = ".inorder-setting.is-list:not([hidden]) > select"  # a list with only one option is hidden
pytestmark = pytest.mark.skipif(PROOF is None, reason="the permutation proof is not in the book")


@pytest.fixture(scope="module")
def slides(tmp_path_factory):
    """The decks, in a folder of their own, away from the site."""
    folder = tmp_path_factory.mktemp("slides")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(slides_module, "deck", deck)
        made = slides_module.make_slides(SITE, folder)
    assert [name for _, name in made] == [path.rpartition("/")[2] for path in CHAPTERS]
    return folder


@pytest.fixture
def page(browser, slides):
    page, trouble = browser.new_page(viewport={"width": 1280, "height": 720}), []
    page.on("console", lambda message: trouble.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("requestfailed", lambda request: trouble.append(request.url))
    page.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else trouble.append(r.url))
    page.goto((slides / PROOF.rpartition("/")[2]).as_uri())
    wait_for_figures(page)
    yield page
    assert trouble == []
    page.close()


# Every second chapter each day: each goes the same way through the same function.
WHOLE = [f"chapters/{path.stem}.html" for path in whole_chapters()]
DECKS = [pytest.param(path, marks=[pytest.mark.nightly] if i % 2 else []) for i, path in enumerate(WHOLE)]


@pytest.mark.parametrize("path", DECKS)
def test_a_deck_has_the_key_parts_of_its_chapter_in_their_order(path):
    page, made = (BeautifulSoup(text, "html.parser") for text in (html(path), deck(html(path))[1]))
    chapter = page.select_one("article > section")
    assert made.select_one(".slide.title blockquote").get_text() == chapter.select_one("blockquote").get_text()
    for selector in (".predict", "section > .proof", "section > .cell > .cell_output > figure", "section > .math"):
        on_the_way = [tag for tag in chapter.select(selector) if not tag.find_parent(["details", "li"])]
        on_the_way = [
            tag for tag in on_the_way if not tag.find_parent(id="exercises") and not tag.find_parent(class_="proof")
        ]
        rest = [tag for tag in made.select(selector.split(" > ")[-1]) if tag.parent.get("class") == ["sheet"]]
        assert [tag.get("id") for tag in rest] == [tag.get("id") for tag in on_the_way], selector
    ids = Counter(tag["id"] for tag in made.find_all(id=True))
    assert [name for name, count in ids.items() if count > 1] == []
    assert not made.select(".solution, article a")
    assert all(tag.parent.get("class") == ["sheet"] for tag in made.select(".exercise")) and made.select(".exercise")
    assert made.select(".slide")[-1].h2.get_text().endswith("What we settled")


def test_each_step_of_a_proof_is_a_slide_with_its_formula():
    chapter = BeautifulSoup(html(PROOF), "html.parser").select_one("article > section")
    steps = [each.get_text() for each in chapter.select("section > p") if each.get_text().startswith("Step ")]
    made = BeautifulSoup(deck(html(PROOF))[1], "html.parser")
    slides = [each for each in made.select(".sheet") if (each.p or each).get_text().startswith("Step ")]
    assert [each.p.get_text() for each in slides] == steps and len(steps) == 7
    assert sum(len(each.select(".sheet > .math")) for each in slides) == 2


def words_of(tag) -> str:
    text = BeautifulSoup(str(tag), "html.parser").get_text()  # by itself: a template's is left out
    return " ".join(text.split())


def test_no_paragraph_between_the_slides_is_lost():
    """It is on a slide or in the notes."""
    chapter = BeautifulSoup(html(PROOF), "html.parser").select_one("article > section")
    outside = {"exercises", "further-reading", "what-we-settled"}
    sections = [each for each in chapter.find_all("section", recursive=False) if each["id"] not in outside]
    paragraphs = [each for section in sections for each in section.find_all("p", recursive=False)]
    made = BeautifulSoup(deck(html(PROOF))[1], "html.parser")
    notes = [each for aside in made.select(".notes") for each in aside.find_all("p")]
    texts = {words_of(each) for each in [*made.select(".sheet > p"), *notes]}
    for paragraph in paragraphs:
        for link in paragraph.select(".headerlink"):
            link.decompose()
        assert words_of(paragraph) in texts
    assert notes


def test_notes_on_demand(page):
    page.goto(f"{page.url.partition('#')[0]}#4")
    notes, sheet = page.locator("#notes"), page.locator(".slide.here > .sheet")
    high = sheet.bounding_box()["height"]
    assert not notes.is_visible()
    page.keyboard.press("n")
    assert notes.is_visible() and notes.inner_text().strip()
    box = sheet.bounding_box()
    assert box["height"] <= high and box["y"] + box["height"] <= notes.bounding_box()["y"]
    before = notes.inner_text()
    while notes.inner_text() == before:
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Notes").click()
    assert not notes.is_visible()


def test_tags_of_cells_choose():
    cell = '<div class="cell {}"><details class="fold code"></details><div class="cell_output"><p>shown</p></div></div>'
    figure = '<div class="cell {}"><div class="cell_output"><figure id="{}"></figure></div></div>'
    page = (
        '<head></head><main><article><section><h1>Chapter</h1><section id="one"><h2>One</h2><p>Lead.</p>'
        f"{cell.format('tag_slide')}{cell.format('')}{figure.format('', 'a')}{figure.format('tag_no-slide', 'b')}"
        '</section><section id="two"><h2>Two</h2><p>First.</p><p>Second.</p></section>'
        '<section id="three"><h2>Three</h2><p>Long.</p>'
        f"<div><table>{'<tr><td>row</td></tr>' * 17}</table></div></section>"
        "</section></article></main>"
    )
    _, one, other, two, three = BeautifulSoup(deck(page)[1], "html.parser").select(".slide")
    assert one.p.get_text() == "Lead." and "shown" in one.get_text()
    assert other.figure["id"] == "a"
    assert two.get_text() == "TwoFirst."
    assert three.get_text() == "ThreeLong.", "nobody can read a long table from a seat"


def test_every_slide_is_on_the_screen(page):
    for number in range(page.locator(".slide").count()):
        assert page.locator("#place").inner_text().startswith(f"{number + 1} /")
        assert page.locator(".slide.here").count() == 1
        box = page.locator(".slide.here > .sheet").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
        assert box["y"] >= 0 and box["y"] + box["height"] <= 690
        letters = page.locator(".slide.here .sheet").evaluate(
            "e => parseFloat(getComputedStyle(e).fontSize) * e.getBoundingClientRect().width / e.offsetWidth"
        )
        assert letters >= 19, "text of a projector"
        page.keyboard.press("ArrowRight")


def test_a_figure_answers_and_keeps_its_keys(page):
    figure = page.locator(".slide.figure", has=page.locator(CHOICE)).first
    number = page.locator(".slide").evaluate_all("(all, one) => all.indexOf(one)", figure.element_handle())
    page.goto(f"{page.url.partition('#')[0]}#{number + 1}")
    numbers = "[...document.querySelectorAll('.here [data-value]')].map((e) => e.dataset.value).join()"
    wait_until(page, numbers)
    before, place = page.evaluate(numbers), page.locator("#place").inner_text()
    choice = figure.locator(CHOICE).first
    choice.focus()
    page.keyboard.press("ArrowDown")
    choice.select_option(index=1)
    wait_until(page, f"before => {numbers} !== before", arg=before)
    assert page.locator("#place").inner_text() == place
    page.keyboard.press("PageDown")  # what a clicker sends
    assert page.locator("#place").inner_text() != place


def test_a_dragged_token_follows_the_pointer(page):
    """The sheet is scaled, and what the hand moves with it."""
    name = page.locator("[id^=permutation-playground]").get_attribute("id")
    page.goto(f"{page.url.partition('#')[0]}#{name}")
    rows = page.locator(f"#{name} .inorder-moved-rows").bounding_box()
    tiles = page.locator(f"#{name} .inorder-tile")
    height = rows["height"] / tiles.count()
    y = "getBoundingClientRect().y"
    order = f"tiles => tiles.sort((a, b) => a.{y} - b.{y}).map(tile => tile.dataset.token)"
    first, *others = tiles.evaluate_all(order)
    tile = page.locator(f'#{name} .inorder-tile[data-token="{first}"]')
    page.mouse.move(rows["x"] + 20, rows["y"] + height / 2)
    page.mouse.down()
    page.mouse.move(rows["x"] + 20, rows["y"] + height * 2.5, steps=8)
    middle = "tile => { const box = tile.getBoundingClientRect(); return box.y + box.height / 2 }"
    assert abs(tile.evaluate(middle) - (rows["y"] + height * 2.5)) < 3
    page.mouse.up()
    assert tiles.evaluate_all(order) == [*others[:2], first, *others[2:]]


def test_keys_move_and_the_address_says_where(page):
    place = page.locator("#place")
    n = page.locator(".slide").count()
    for key, expected in ((" ", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", n), ("ArrowRight", n), ("Home", 1)):
        page.keyboard.press(key)
        assert place.inner_text() == f"{expected} / {n}"
        assert page.url.endswith(f"#{expected}")
    with page.expect_request("**/favicon.svg") as icon:  # Chromium fetches it at each change of the address
        page.get_by_role("button", name="Next").click()
    icon.value.response().finished()  # a reload would cut it short
    assert place.inner_text() == f"2 / {n}"
    page.reload()
    assert place.inner_text() == f"2 / {n}"
