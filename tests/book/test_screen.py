"""Every page as it is seen, at four widths: nothing cut, crossed or torn. A minute for each width, so nightly."""

import pytest

from harness.site import PAGES, SITE
from harness.waiting import wait_for_figures

WIDTHS = [1440, 1280, 768, 390]
SMALLEST = 0.64  # of a still's own size: its type has 10.5 points or more, so that a phone shows 9 pixels
PREPARE = """document.documentElement.dataset.laidOut = ""; dispatchEvent(new Event("scroll"))"""
UNFOLD = "document.querySelectorAll('details:not([name], .code)').forEach(fold => { fold.open = true })"

# Each returns what is wrong, in words. What scrolls sideways hides its end.
SCROLLS = """(selector) => [...document.querySelectorAll(selector)]
  .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
  .map((box) => `${box.clientWidth} of ${box.scrollWidth} px: ${box.textContent.trim().slice(0, 60)}`)"""
# A sign of punctuation that stands on a line below the formula or the code that it belongs to.
LONELY = """() => {
  const range = document.createRange();
  return [...document.querySelectorAll("article :is(.katex, code)")].flatMap((part) => {
    if (part.parentElement.closest(".katex, pre, svg, .inorder-view") || !part.checkVisibility()) return [];
    let last = part;
    while (!last.nextSibling && last.parentElement.matches("span, em, strong, a, code")) last = last.parentElement;
    const next = last.nextSibling;
    if (next?.nodeType !== Node.TEXT_NODE || !/^[.,;:!?)\\]%]/.test(next.data)) return [];
    range.setStart(next, 0);
    range.setEnd(next, 1);
    const sign = range.getBoundingClientRect();
    const own = ([...part.querySelectorAll(".base")].at(-1) ?? part).getBoundingClientRect();
    const isBelow = sign.width && own.width && sign.left < own.left && sign.top > own.bottom - 4;
    return isBelow ? [`${next.data.trim().slice(0, 20)} after ${part.textContent.slice(0, 40)}`] : [];
  });
}"""
TORN = """() => [...document.querySelectorAll("article :is(h1, h2, h3) .katex, .sections .katex")]
  .filter((formula) => {
    const tops = [...formula.querySelectorAll(".base")].map((base) => base.getBoundingClientRect().top / 12);
    return new Set(tops.map(Math.round)).size > 1;
  }).map((formula) => formula.closest("h1, h2, h3, a").textContent)"""
SHRUNK = """(smallest) => [...document.querySelectorAll("article figure img")]
  .filter((image) => image.checkVisibility())
  .map((image) => [image, image.getBoundingClientRect().width / Number(image.getAttribute("width"))])
  .filter(([, share]) => share < smallest)
  .map(([image, share]) => `${image.closest("figure").id} at ${share.toFixed(3)}`)"""
# Words of a live figure that cover each other by more than a halo, or that an arrow runs through.
CROSSED = """() => [...document.querySelectorAll(".inorder-figure svg")].flatMap((drawing) => {
  if (!drawing.checkVisibility() || drawing.ownerSVGElement) return []; // one inside another cuts what it holds
  const where = drawing.closest(".inorder-view").id;
  const seen = { opacityProperty: true, visibilityProperty: true };
  const isSign = ({ textContent }) => /^[+−]?$/.test(textContent.trim()); // of its box, a minus fills little
  const texts = [...drawing.querySelectorAll("text")].filter((text) =>
    text.checkVisibility(seen) && text.ownerSVGElement === drawing && !isSign(text));
  const boxes = texts.map((text) => text.getBoundingClientRect());
  const overlap = (a, b) => [
    Math.min(a.right, b.right) - Math.max(a.left, b.left),
    (Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)) / Math.min(a.height, b.height),
  ];
  const found = [];
  boxes.forEach((box, i) => boxes.slice(0, i).forEach((other, j) => {
    const [wide, high] = overlap(box, other);
    if (wide > 3 && high > 0.4) found.push(`${where}: "${texts[j].textContent}" and "${texts[i].textContent}"`);
  }));
  for (const shaft of drawing.querySelectorAll("line.inorder-shaft")) {
    const length = shaft.getTotalLength(), toScreen = shaft.getScreenCTM();
    const spots = Array.from({ length: 25 }, (_, k) =>
      shaft.getPointAtLength((length * k) / 24).matrixTransform(toScreen));
    boxes.forEach((box, i) => {
      const inside = spots.filter(({ x, y }) =>
        x > box.left + 2 && x < box.right - 2 && y > box.top + 3 && y < box.bottom - 3);
      if (inside.length > 1) found.push(`${where}: an arrow through "${texts[i].textContent}"`);
    });
  }
  return found;
})"""


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_crossed_or_torn(browser, width):
    page = browser.new_page(viewport={"width": width, "height": 844 if width < 500 else 900}, reduced_motion="reduce")
    wrong = []
    for path in PAGES:
        page.goto((SITE / path).as_uri(), wait_until="load")
        page.evaluate(PREPARE)
        wait_for_figures(page)
        as_it_opens = {"code": page.evaluate(SCROLLS, "article .cell pre")}
        page.evaluate(UNFOLD)
        wait_for_figures(page)
        unfolded = {
            "formula": page.evaluate(SCROLLS, "article .katex-display"),
            "punctuation": page.evaluate(LONELY),
            "title": page.evaluate(TORN),
            "still": page.evaluate(SHRUNK, SMALLEST),
            "labels": page.evaluate(CROSSED),
        }
        wrong += [f"{path}, {what}: {each}" for what, all_of in (as_it_opens | unfolded).items() for each in all_of]
    page.close()
    assert wrong == [], "\n".join([f"{len(wrong)} at {width}:", *wrong])
