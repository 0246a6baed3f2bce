"""Links that were shared when pages had other addresses lead to the place; any other address names the chapters."""

import re
import subprocess
from urllib.parse import urldefrag

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect

from _ext.moved import moved, where_now
from _ext.way import slug
from harness.accessibility import violations
from harness.site import NOT_HERE, PAGES, ROOT, SITE, html, served

STATE = "?%7B%22row%22%3A1%7D"
CHAPTERS = [path for path in PAGES if path.startswith("chapters/ch")]


@pytest.fixture(scope="module")
def page(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_every_former_page_leads_to_a_place_there_is():
    now = where_now({path.removesuffix(".html") for path in PAGES})
    assert now
    for name, entry in now.items():
        for goal in (entry["to"], *entry["places"].values()):
            target, place = urldefrag(goal)
            assert target in PAGES, f"{name} leads to {goal}"
            assert not place or f'id="{place}"' in html(target), f"{name} leads to {goal}: no such place"


# What was shared, and the page without its number, the place and the state to which it leads.
SHARED = {
    "ch04_the_permutation_proof.html": "the_permutation_proof.html",
    "ch04_the_permutation_proof": "the_permutation_proof.html",
    "ch04_the_permutation_proof.html?solutions=none": "the_permutation_proof.html?solutions=none",
    "ch02_softmax_qk_v.html#what-it-costs": "the_block.html#sec-cost",
    "ch02_softmax_qk_v.html#sec-masks": "softmax_qk_v.html#sec-masks",
    f"ch02_softmax_qk_v.html#attention-calculator-1{STATE}": f"softmax_qk_v.html#attention-calculator-1{STATE}",
    f"ch03_is_a_query_different_from_a_key.html#attention-calculator-1{STATE}": (
        f"softmax_qk_v.html#attention-calculator-1{STATE}"
    ),
    "ch01_what_are_q_k_and_v.html#__proto__": "what_are_q_k_and_v.html#__proto__",
}


@pytest.fixture(scope="module", params=["", "a-course/"])
def root(request, tmp_path_factory):
    """The site at the root of its host, and in a folder of it, as on GitHub Pages."""
    folder = tmp_path_factory.mktemp("host")
    (folder / (request.param or "site/").rstrip("/")).symlink_to(SITE)
    if request.param:  # there, too, the host answers with the page of the site
        (folder / NOT_HERE).symlink_to(SITE / NOT_HERE)
    with served(folder if request.param else SITE) as address:
        yield f"{address}/{request.param}"


def test_a_shared_link_leads_on(page, root):
    for shared, expected in SHARED.items():
        page.goto("about:blank")
        page.goto(f"{root}chapters/{shared}", wait_until="commit")
        page.locator("article").wait_for()
        assert page.url.startswith(f"{root}chapters/")
        assert re.sub(r"^.*/ch\d+_", "", page.url).rstrip("#") == expected


@pytest.mark.parametrize("address", ["no-such-page.html", "chapters/ch77_nothing.html", "chapters/__proto__.html"])
def test_any_other_address_names_the_chapters(page, root, address):
    answer = page.goto(f"{root}{address}")
    assert answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no page at this address")
    links = page.get_by_role("link").evaluate_all("all => all.map((link) => link.href)")
    assert links == [f"{root}{path}" for path in ["index.html", *CHAPTERS]]
    assert violations(page) == []


def test_it_names_them_without_a_script():
    links = [link["href"] for link in BeautifulSoup(html(NOT_HERE), "html.parser").find_all("a")]
    assert links == ["index.html", *CHAPTERS]


def test_no_page_is_lost():
    """Who renames a chapter says so in ``moved.yml``."""
    log = ["git", "log", "--format=", "--name-only", "--diff-filter=A", "--no-renames", "--", "chapters/*.ipynb"]
    done = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    once = {name.removeprefix("chapters/").removesuffix(".ipynb") for name in done.stdout.split()}
    there = {path.stem for path in (ROOT / "chapters").glob("*.ipynb")}
    assert once - there <= set(moved())
    assert {entry["to"] for entry in moved().values()} <= {slug(name) for name in there}
    assert not {name for name in moved() if (SITE / "_sources" / "chapters" / f"{name}.ipynb").exists()}
