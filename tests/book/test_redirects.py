"""An old address leads to where its chapter is now, and keeps the place and the figure's state that it asks for."""

import json
from urllib.parse import quote

import pytest

from _ext.redirects import FORMER, MOVED, redirects
from _ext.way import slug
from harness.site import PAGES, REDIRECTS, html


def test_a_chapter_that_has_moved_is_led_to_and_one_that_has_not_is_not():
    book = ["index", "chapters/ch04_the_permutation_proof", "chapters/ch05_the_block", "chapters/the_block"]
    assert redirects(book) == {"chapters/ch06_the_permutation_proof": "chapters/ch04_the_permutation_proof"}


def test_every_former_address_still_answers():
    left = [f"chapters/{name}.html" for name in FORMER]
    slugs = {slug(path) for path in PAGES}
    assert [path for path in left if path not in PAGES and path not in REDIRECTS and slug(path) in slugs] == []
    for old, new in REDIRECTS.items():  # without a script, the page itself leads on
        name = new.rpartition("/")[2]
        assert f'content="0; url={name}"' in html(old) and f'<a href="{name}">' in html(old)


def address_of(place: str, old: str) -> str:
    """Where a place of an old page is now."""
    to = MOVED.get(slug(old.removesuffix(".html")), {}).get(place)
    return next(path for path in PAGES if slug(path) == f"{to}.html") if to else REDIRECTS[old]


@pytest.mark.parametrize("origin", ["server", "disk"])
def test_the_place_is_kept(browser, origins, origin):
    page = browser.new_page()
    old, places = next((path, places) for path in REDIRECTS if (places := MOVED.get(slug(path.removesuffix(".html")))))
    for asked in ("?solutions=none#further-reading", *(f"#{place}" for place in places)):
        page.goto(f"{origins[origin]}/{old}{asked}", wait_until="commit")
        page.wait_for_url(f"{origins[origin]}/{address_of(asked.partition('#')[2], old)}{asked}")
    page.close()


FIGURE = "ch13_relative_position#interact-two-arrows-1"
STRANGE = {"query_at": "far", "wings": 2}


def test_the_state_of_a_figure_is_kept_and_what_it_no_longer_knows_is_said(browser, origins):
    page, says = browser.new_page(), "their raw score is 2.31"
    view = page.locator(f"#{FIGURE.partition('#')[2]}")
    page.goto(old_address(origins["server"], {"query_at": 12, "distance": -1}), wait_until="commit")
    view.get_by_text(says).first.wait_for()
    page.goto("about:blank")
    page.goto(old_address(origins["server"], STRANGE), wait_until="commit")
    view.get_by_text("Part of the link doesn’t belong to this figure").wait_for()
    assert says not in view.inner_text()
    page.close()


def old_address(origin: str, state: dict) -> str:
    page, place = FIGURE.split("#")
    return f"{origin}/chapters/{page}.html#{place}?{quote(json.dumps(state))}"
