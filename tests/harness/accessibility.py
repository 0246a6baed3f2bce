"""What axe finds on a page, with the contrast measured once for all texts that look alike."""

import json
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Nine tenths of axe's time went into the contrast of thousands of words. It is a matter of what an element and those
# around it look like, and hundreds look the same: by tag, class and style, all the way up. Of these it takes two.
ONE_OF_A_KIND = """() => {
  const PARTS = ["color", "backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode", "position",
    "zIndex", "fontSize", "fontWeight", "textShadow", "fill", "webkitTextFillColor"];
  const looks = new Map([[null, ""]]);
  const look = (element) => {
    if (!looks.has(element)) {
      const style = getComputedStyle(element);
      const own = [element.localName, element.getAttribute("class"), ...PARTS.map((part) => style[part])];
      looks.set(element, `${look(element.parentElement)} / ${own.join()}`);
    }
    return looks.get(element);
  };
  const hasText = ({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const [first, last] = [new Map(), new Map()];
  for (const element of document.querySelectorAll("[data-one-of-a-kind]")) delete element.dataset.oneOfAKind;
  for (const element of document.querySelectorAll("body, body *")) {
    if (element.matches("input, select, textarea")) element.dataset.oneOfAKind = "";
    if (!hasText(element) || !element.checkVisibility({ visibilityProperty: true })) continue;
    const its = look(element);
    if (!first.has(its)) first.set(its, element);
    last.set(its, element);
  }
  for (const element of [...first.values(), ...last.values()]) element.dataset.oneOfAKind = "";
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-one-of-a-kind]" }] });
}"""


def violations(page: Page, context: Any = None, **options: Any) -> list[str]:
    """Of the page, or of a part of it; ``context`` and ``options`` are those of ``axe.run``."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    page.evaluate(ONE_OF_A_KIND)
    expected = json.dumps(options | {"resultTypes": ["violations"]})
    result = page.evaluate(f"context => axe.run(context ?? document, {expected})", context)["violations"]
    return [
        f"{violation['id']}: {violation['help']}: {node['target']} {node['html']} {node['failureSummary']}"
        for violation in result
        for node in violation["nodes"]
    ]
