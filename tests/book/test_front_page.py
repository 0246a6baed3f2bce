"""The front page is built and its figure answers. The status is true."""

import re
from importlib.metadata import version

import pytest
from bs4 import BeautifulSoup

from _ext.execution import documents
from harness.site import PAGES, SITE, html

THE_BUTTON = "The whole argument"


def built(path: str) -> BeautifulSoup:
    return BeautifulSoup(html(path), "html.parser")


def chapters() -> list[str]:
    return [document for document in documents() if document.startswith("chapters/ch")]


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=str)
def test_the_button_is_in_the_first_screen(browser, origins, size):
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(f"{origins['server']}/index.html")
    box = page.get_by_role("link", name=re.compile(THE_BUTTON)).first.bounding_box()
    assert 0 < box["y"] < size[1] - box["height"] and box["height"] >= 44
    page.close()


def test_a_link_opens_the_figure_in_its_state(browser, origins):
    page = browser.new_page()
    state = "%7B%22words%22%3A%5B%22a%22%2C%22b%22%5D%2C%22order%22%3A%5B1%2C0%5D%2C%22positions%22%3Atrue%7D"
    page.goto(f"{origins['disk']}/index.html#loom-1?{state}")
    assert page.get_by_label("Your own words", exact=True).input_value() == "a b"
    page.get_by_text("All 32 numbers changed: “b” and “a” from the start.").first.wait_for()
    page.close()


ACTS = {
    "the_permutation_proof": ("words only", "The rows moved with their words; none of the 80 numbers changed."),
    "what_a_causal_mask_knows": ("mask", "Now a word sees only itself and the words before it."),
    "counters_and_waves": ("positions", "Now each place adds its mark to the word that stands there."),
}


@pytest.mark.parametrize("chapter", ACTS)
def test_a_chapter_opens_its_act_of_the_loom(browser, origins, chapter):
    act, says = ACTS[chapter]
    (path,) = [page for page in PAGES if page.endswith(f"{chapter}.html")]
    page = browser.new_page()
    page.goto(f"{origins['disk']}/{path}")
    page.get_by_role("link", name="the Loom").click()
    loom = page.locator(".inorder-figure.is-loom")
    loom.get_by_text(says).first.wait_for()
    assert loom.get_by_role("radio", name=act).is_checked()
    top = loom.locator(".inorder-tile").first.bounding_box()["y"]
    assert 0 < top < page.viewport_size["height"]
    page.close()


@pytest.mark.parametrize("origin", ["server", "disk"])
def test_the_trained_model_comes_when_it_is_asked_for(browser, origins, origin):
    page = browser.new_page()
    scripts = []
    page.on("request", lambda request: scripts.append(request.url))
    page.goto(f"{origins[origin]}/index.html")
    act = page.get_by_role("radio", name="trained").first
    act.wait_for()
    n_before = len(scripts)
    act.check(force=True)
    page.get_by_text("A trained model of six layers has read these words").first.wait_for()
    (record,) = [url for url in scripts[n_before:] if "/widgets/" in url]
    assert (SITE / "_static" / "widgets" / record.rpartition("/")[2]).stat().st_size < 40_000
    page.close()


def test_status_lists_what_ran_and_with_what():
    executed, versions, *_ = built("chapters/status.html").find("article").find_all("table")
    rows = {row.a["href"]: [cell.text for cell in row.find_all("td")] for row in executed.select("tbody tr")}
    links = {"../index.html", "#", *(f"{chapter.removeprefix('chapters/')}.html" for chapter in chapters())}
    assert links <= set(rows)
    for _, when, seconds, result in rows.values():
        assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d", when)
        assert float(seconds) > 0
        assert result == "passed"
    used = dict([cell.text for cell in row.find_all("td")] for row in versions.select("tbody tr"))
    for package in ("inorder", "numpy", "torch", "jupyter-book"):
        assert used[package] == version(package)


def test_no_room_is_kept_where_no_figure_will_come(browser, origins):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{origins['server']}/index.html")
    assert [view.bounding_box()["height"] for view in page.locator(".inorder-view").all()] == [0, 0]
    context.close()
