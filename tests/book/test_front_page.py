"""The Loom on the front page: its acts open from the chapters, and its trained model comes when it is asked for."""

import pytest

from harness.site import PAGES, SITE


def test_a_chapter_opens_its_act_of_the_loom(browser, origins):
    act, says = "mask", "Now a word sees only itself and the words before it."
    (path,) = [page for page in PAGES if page.endswith("what_a_causal_mask_knows.html")]
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
