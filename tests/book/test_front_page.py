"""The front page says what is there: chapters with question and time, the figure, how to cite. The status is true."""

import re
from importlib.metadata import version

import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx_external_toc.parsing import parse_toc_yaml

from built_site import PAGES, ROOT, SITE


def built(path: str) -> BeautifulSoup:
    return BeautifulSoup((SITE / path).read_text(encoding="utf8"), "html.parser")


@pytest.fixture(scope="module")
def front() -> BeautifulSoup:
    return built("index.html").find("article")


def chapters() -> list[str]:
    documents = parse_toc_yaml(ROOT / "_toc.yml").as_json()["documents"]
    return [document for document in documents if document.startswith("chapters/ch")]


def minutes(text: str) -> int:
    hours, rest = re.search(r"· (?:(\d+) h ?)?(?:(\d+) min)?$", text.strip()).groups()
    return 60 * int(hours or 0) + int(rest or 0)


def test_every_chapter_has_its_line_and_its_time(front):
    lines = [item for item in front.select("li") if item.find("a", href=re.compile("^chapters/ch"))]
    assert [line.a["href"].removesuffix(".html") for line in lines] == chapters()
    for line, chapter in zip(lines, chapters(), strict=True):
        cells = nbformat.read(ROOT / f"{chapter}.ipynb", 4).cells
        stated = re.search(r"\*\*Time:\*\* about (\d+) minutes to read", "\n".join(cell.source for cell in cells))
        assert minutes(line.text) == int(stated[1]), chapter
        assert "?" in line.a.text


def test_a_part_takes_as_long_as_its_chapters(front):
    parts = [item for item in front.select(".sd-col") if item.find("li")]
    assert parts
    for part in parts:
        assert minutes(part.p.text) == sum(minutes(line.text) for line in part.select("li")), part.p.text


def test_one_screen(browser, origins):
    """At 1280 × 900: the question, the figure with its verdict, what the reader will be able to answer."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{origins['server']}/index.html")
    page.get_by_text("= The model cannot tell them apart").wait_for()
    for selector in ("article p", ".inorder-verdict", "article h2", "article li a"):
        box = page.locator(selector).first.bounding_box()
        assert box["y"] > 0 and box["y"] + box["height"] < 900, selector
    page.get_by_label("Tell the model the positions").check()
    page.get_by_text("≠ The model tells them apart").wait_for()
    page.close()


def test_a_link_opens_the_figure_in_its_state(browser, origins):
    page = browser.new_page()
    state = "%7B%22words%22%3A%5B%22a%22%2C%22b%22%5D%2C%22order%22%3A%5B1%2C0%5D%2C%22positions%22%3Atrue%7D"
    page.goto(f"{origins['disk']}/index.html#same-or-not-1?{state}")
    assert page.get_by_label("Sentence").input_value() == "a b"
    page.get_by_text("≠ The model tells them apart").wait_for()
    page.close()


def test_the_citation_is_that_of_the_citation_file(front):
    cff = (ROOT / "CITATION.cff").read_text(encoding="utf8")
    fields = dict(re.findall(r'^(?:  - )?([\w-]+): "?(.+?)"?$', cff, re.MULTILINE))
    shown = front.find(string=re.compile("@misc")).find_parent("pre").text
    for field in (fields["title"], fields["name"], fields["date-released"][:4], f"Version {fields['version']}"):
        assert f"{{{field}" in shown, field


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
    executed, versions = built("chapters/status.html").find("article").find_all("table")
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
    assert {"index.html", "chapters/notation.html", "chapters/glossary.html", "chapters/status.html"} <= set(PAGES)


@pytest.mark.parametrize("size", [(1280, 900), (412, 823), (390, 844)], ids=str)
def test_nothing_moves_when_the_figure_comes_to_life(browser, origins, size):
    width, height = size
    phone = {"is_mobile": width < 500, "has_touch": width < 500}
    context = browser.new_context(viewport={"width": width, "height": height}, **phone)
    page = context.new_page()
    page.route("**/host.js*", lambda route: route.abort())
    page.goto(f"{origins['server']}/index.html", wait_until="load")
    before = page.locator("article h2").first.bounding_box()["y"]
    assert page.locator(".inorder-figure").count() == 0
    page.unroute("**/host.js*")
    page.reload()
    page.locator(".inorder-figure").wait_for()
    assert page.locator("article h2").first.bounding_box()["y"] == pytest.approx(before, abs=10)
    context.close()


def test_no_room_is_kept_where_no_figure_will_come(browser, origins):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{origins['server']}/index.html")
    assert page.locator(".inorder-view").bounding_box()["height"] == 0
    context.close()
