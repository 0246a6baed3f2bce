"""Links that were shared when pages had other addresses: they lead to the place, from a server and from the disk."""

import json
import re
import subprocess
from urllib.parse import urldefrag

import pytest
from bs4 import BeautifulSoup

from _ext.moved import moved
from _ext.way import slug
from harness.site import FORMER_PAGES, PAGES, ROOT, SITE, html

STATE = "?%7B%22row%22%3A1%7D"


@pytest.fixture(scope="module")
def page(browser):
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_every_former_page_leads_to_a_place_there_is():
    for path in FORMER_PAGES:
        link = BeautifulSoup(html(path), "html.parser").find("a")
        for goal in (link["href"], *json.loads(link["data-places"]).values()):
            target, place = urldefrag(goal)
            assert f"chapters/{target}" in PAGES, f"{path} leads to {goal}"
            assert not place or f'id="{place}"' in html(f"chapters/{target}"), f"{path} leads to {goal}: no such place"


# What was shared, and the page without its number, the place and the state to which it leads.
SHARED = {
    "ch04_the_permutation_proof.html": "the_permutation_proof.html",
    "ch04_the_permutation_proof.html?solutions=none": "the_permutation_proof.html?solutions=none",
    "ch02_softmax_qk_v.html#what-it-costs": "the_block.html#sec-cost",
    "ch02_softmax_qk_v.html#sec-masks": "softmax_qk_v.html#sec-masks",
    f"ch02_softmax_qk_v.html#attention-calculator-1{STATE}": f"softmax_qk_v.html#attention-calculator-1{STATE}",
    f"ch03_is_a_query_different_from_a_key.html#attention-calculator-1{STATE}": (
        f"softmax_qk_v.html#attention-calculator-1{STATE}"
    ),
    "ch01_what_are_q_k_and_v.html#__proto__": "what_are_q_k_and_v.html#__proto__",
}


@pytest.mark.parametrize("origin", ["server", "disk"])
def test_a_shared_link_leads_on(page, origins, origin):
    for shared, expected in SHARED.items():
        page.goto("about:blank")
        page.goto(f"{origins[origin]}/chapters/{shared}", wait_until="commit")
        page.locator("article").wait_for()
        assert re.sub(r"^.*/ch\d+_", "", page.url).rstrip("#") == expected


def test_it_leads_on_without_a_script(browser, origins):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{origins['server']}/{FORMER_PAGES[0]}", wait_until="commit")
    page.wait_for_url(re.compile("what_are_q_k_and_v"))
    page.locator("article").wait_for()
    assert page.url.rpartition("/")[2] != FORMER_PAGES[0].rpartition("/")[2]
    context.close()


def test_no_page_is_lost():
    """Who renames a chapter says so in ``moved.yml``."""
    log = ["git", "log", "--format=", "--name-only", "--diff-filter=A", "--no-renames", "--", "chapters/*.ipynb"]
    done = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    once = {name.removeprefix("chapters/").removesuffix(".ipynb") for name in done.stdout.split()}
    there = {path.stem for path in (ROOT / "chapters").glob("*.ipynb")}
    assert once - there <= set(moved())
    assert {entry["to"] for entry in moved().values()} <= {slug(name) for name in there}
    assert not {name for name in moved() if (SITE / "_sources" / "chapters" / f"{name}.ipynb").exists()}
