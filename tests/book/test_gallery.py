"""The gallery, the page with every figure: light enough, and each looks as it does with its own style sheet alone."""

import gzip

import pytest

from harness.waiting import wait_for_figures, wait_until
from looks import DIFFERENCES

# Switches the sheets of the other figures off; says how many there were, how many were its own, and how many all share.
ONLY_OWN = """(root) => {
  const name = [...root.classList].find((one) => one.startsWith("is-") && one !== "is-dark");
  const sheets = [...document.styleSheets].filter((sheet) => sheet.href?.includes("/widgets/"));
  const says = (sheet, what) => [...sheet.cssRules].some((rule) => rule.cssText.includes(what));
  const own = sheets.filter((sheet) => says(sheet, `.${name}`));
  const kit = sheets.filter((sheet) => says(sheet, ".inorder-figure:fullscreen"));
  const others = sheets.filter((sheet) => !own.includes(sheet) && !kit.includes(sheet));
  for (const sheet of others) sheet.disabled = true;
  return [own.length, others.length, kit.length];
}"""

# Small heads are painted, a few a frame, once they are near.
PAINTED = """(figure) => [...figure.querySelectorAll(".inorder-thumbnails")].every((one) => {
  const { width, height } = one;
  return width && one.getContext("2d").getImageData(0, height - 30, 60, 30).data.some((value) => value);
})"""

COMPRESSED = ("text/", "application/javascript")  # by what serves the site
HEADERS = 150  # bytes of an answer, roughly


def test_with_every_figure_it_weighs_no_more_than_a_page_may(browser, origins):
    """320 kB without images, fifteen figures of a design of their own, as `bench/pages.py` measures it."""
    page = browser.new_page()
    answers = []
    page.on("response", lambda answer: answers.append(answer))  # Playwright takes no method of a list
    page.goto(f"{origins['server']}/chapters/gallery.html")
    wait_for_figures(page)
    sizes = {}
    for answer in answers:
        if answer.request.resource_type == "image" or not answer.url.startswith("http"):
            continue
        body = answer.body()
        is_text = answer.headers["content-type"].startswith(COMPRESSED)
        sizes[answer.url] = HEADERS + len(gzip.compress(body, 6) if is_text else body)
    page.close()
    assert sum(sizes.values()) < 320_000, sizes


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.nightly)])  # the same rules at both
def test_every_figure_looks_as_it_does_alone(browser, origins, width):
    page = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce").new_page()
    page.goto(f"{origins['server']}/chapters/gallery.html")
    figures = page.locator(".inorder-view .inorder-figure")
    n_views = page.locator(".inorder-view").count()
    wait_for_figures(page)
    wait_until(page, "n => document.querySelectorAll('.inorder-figure .inorder-stage > *').length >= n", arg=n_views)
    page.locator(".inorder-view .inorder-end").first.wait_for()  # a worker has tested its models
    kinds = figures.evaluate_all(
        "all => new Set(all.map((one) => [...one.classList].find((c) => /^is-(?!dark)/.test(c)))).size"
    )
    page.wait_for_timeout(500)  # weights are unpacked, what follows the width has followed
    for i in range(n_views):
        figure = figures.nth(i)
        figure.scroll_into_view_if_needed()
        wait_until(page, PAINTED, arg=figure.element_handle())
        assert figure.evaluate(DIFFERENCES) == []  # and is remembered
        n_own, n_others, n_shared = figure.evaluate(ONLY_OWN)  # of `interact`, its marks have sheets of their own
        assert n_own >= 1 and n_own + n_others >= kinds and n_shared == 1
        assert figure.evaluate(DIFFERENCES) == []
        page.evaluate("for (const sheet of document.styleSheets) sheet.disabled = false")
    page.context.close()
