"""The front page says what is there: the title, the figure, the way to scale, how to cite. The status is true."""

import re
from importlib.metadata import version

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup

from _ext.execution import documents
from harness.site import PAGES, ROOT, html

THE_BUTTON = "The whole argument"


def built(path: str) -> BeautifulSoup:
    return BeautifulSoup(html(path), "html.parser")


@pytest.fixture(scope="module")
def front() -> BeautifulSoup:
    return built("index.html").find("article")


def chapters() -> list[str]:
    return [document for document in documents() if document.startswith("chapters/ch")]


def metadata(chapter: str) -> dict:
    return nbformat.read(ROOT / f"{chapter}.ipynb", 4).metadata


def minutes(text: str) -> int:
    hours, rest = re.search(r"(?:(\d+)\sh)?\s*(?:(\d+)(?:\smin)?)?$", text.strip()).groups()
    return 60 * int(hours or 0) + int(rest or 0)


def test_every_chapter_has_its_stop_and_its_time(front):
    stops = front.select(".strip li")
    assert [stop.a["href"].removesuffix(".html") for stop in stops] == chapters()
    for number, (stop, chapter) in enumerate(zip(stops, chapters(), strict=True), 1):
        stated = metadata(chapter)
        display = minutes(stop.select_one(".t small").text)
        assert stop.select_one(".n").text == str(number)
        assert (
            display == stated["minutes"] if "minutes" in stated else display > 0 == display % 5
        )  # counted in steps of five
        heading = BeautifulSoup(re.search("(?s)<h1>.*?</h1>", html(f"{chapter}.html"))[0], "html.parser")
        heading.select_one(".headerlink").decompose()
        heading.select_one(".section-number").decompose()
        assert stop.select_one(".t").contents[0].strip() == heading.text.strip()
        assert stop.select_one("svg[aria-hidden] path") or stop.select_one("svg[aria-hidden] circle")


def test_a_part_takes_as_long_as_its_chapters(front):
    parts = front.select(".strip")
    assert parts
    for part in parts:
        stated = part.select_one("header p span:last-child").text
        assert minutes(stated) == sum(minutes(stop.text) for stop in part.select(".t small"))
    total = sum(minutes(stop.text) for stop in front.select(".strip .t small"))
    assert minutes(re.search(r", (.*?) in all", front.select_one(".the-way > p").text)[1]) == total


def test_the_words_of_the_title_know_their_places(front):
    title = re.search(r"^# (.*)$", (ROOT / "index.md").read_text(encoding="utf8"), re.MULTILINE)[1]
    assert [word.text for word in front.h1.select(".w")] == title.split()
    assert front.h1.text.replace(front.h1.select_one(".headerlink").text, "") == title


def test_the_first_button_says_how_long_the_whole_argument_takes(front):
    button, *_ = front.select("a[href^='chapters/']")
    address = "chapters/the_whole_argument"
    assert button["href"] == f"{address}.html"
    assert button.text == f"{THE_BUTTON} · {metadata(address)['minutes']} minutes"


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=str)
def test_the_button_is_in_the_first_screen(browser, origins, size):
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(f"{origins['server']}/index.html")
    box = page.get_by_role("link", name=re.compile(THE_BUTTON)).first.bounding_box()
    assert 0 < box["y"] < size[1] - box["height"] and box["height"] >= 44
    page.close()


def test_one_screen(browser, origins):
    """At 1280 × 900: the question, and the figure with its verdict."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{origins['server']}/index.html")
    page.get_by_text("All 16 numbers stay the same.").first.wait_for()
    for selector in ("article h1", "article h1 + p", ".inorder-answer"):
        box = page.locator(selector).first.bounding_box()
        assert box["y"] > 0 and box["y"] + box["height"] < 900, selector
    page.get_by_label("Give it the positions").check()
    page.get_by_text("All 16 numbers change.").first.wait_for()
    page.close()


def test_a_link_opens_the_figure_in_its_state(browser, origins):
    page = browser.new_page()
    state = "%7B%22words%22%3A%5B%22a%22%2C%22b%22%5D%2C%22order%22%3A%5B1%2C0%5D%2C%22positions%22%3Atrue%7D"
    page.goto(f"{origins['disk']}/index.html#same-or-not-1?{state}")
    assert page.get_by_label("Sentence", exact=True).input_value() == "a b"
    page.get_by_text("All 16 numbers change.").first.wait_for()
    page.close()


def test_the_citation_is_that_of_the_citation_file(front):
    cff = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    fields = dict(re.findall(r'^(?:  - )?([\w-]+): "?(.+?)"?$', cff, re.MULTILINE))
    display = front.find(string=re.compile("@misc")).find_parent("pre").text
    year = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))["copyright"]
    for field in (fields["title"], fields["name"], year, f"Version {fields['version']}"):
        assert f"{{{field}" in display, field


def test_the_dictionary_of_words_is_linked(front):
    assert front.select_one('a[href^="chapters/glossary.html#term-"]')
    glossary = built("chapters/glossary.html")
    for term in glossary.select("dl.glossary dt"):
        assert term["id"].startswith("term-")
        assert term.find_next_sibling("dd").text.strip().endswith((".", ".)")), term.text


def test_every_axis_word_is_in_the_notation():
    words = {code.text for code in built("chapters/notation.html").find("table").select("tbody td:first-child code")}
    assert words == {"batch", "head", "layer", "query", "key", "position", "d_model", "d_head", "d_value"}


def test_status_lists_what_ran_and_with_what():
    executed, versions, *_ = built("chapters/status.html").find("article").find_all("table")
    rows = {row.a["href"]: [cell.text for cell in row.find_all("td")] for row in executed.select("tbody tr")}
    links = {"../index.html", "#", *(f"{chapter.removeprefix('chapters/')}.html" for chapter in chapters())}
    assert links <= set(rows)
    for _, when, seconds, result in rows.values():
        assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d", when)
        assert 0 < float(seconds) < 300
        assert result == "passed"
    used = dict([cell.text for cell in row.find_all("td")] for row in versions.select("tbody tr"))
    for package in ("inorder", "numpy", "torch", "jupyter-book"):
        assert used[package] == version(package)


def test_every_page_is_built():
    assert {"index.html", "search.html", "chapters/notation.html", "chapters/glossary.html"} <= set(PAGES)


def test_no_room_is_kept_where_no_figure_will_come(browser, origins):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{origins['server']}/index.html")
    assert [view.bounding_box()["height"] for view in page.locator(".inorder-view").all()] == [0, 0]
    context.close()
