"""What axe finds on a page, with the contrast measured once for all texts that look alike."""

import json
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# Nine tenths of axe's time went into the contrast of thousands of words and links. It is a matter of what an element
# and those around it look like, and hundreds look the same: by tag, class and style, all the way up. Of these it takes
# two, and none that looks as one on another page did: `known` holds the hashes of such looks.
ONE_OF_A_KIND = """(known) => {
  const PARTS = ["color", "backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode", "position",
    "zIndex", "fontSize", "fontWeight", "textShadow", "fill", "webkitTextFillColor"];
  const hashed = (text) => {
    let [one, other] = [7, 11];
    for (let i = 0; i < text.length; i++) {
      one = Math.imul(one ^ text.charCodeAt(i), 2654435761);
      other = Math.imul(other ^ text.charCodeAt(i), 1597334677);
    }
    return `${one} ${other}`;
  };
  const looks = new Map([[null, ""]]);
  const look = (element) => {
    if (!looks.has(element)) {
      const style = getComputedStyle(element);
      const own = [element.localName, element.getAttribute("class"), ...PARTS.map((part) => style[part])];
      looks.set(element, hashed(`${look(element.parentElement)} / ${own.join()}`));
    }
    return looks.get(element);
  };
  const hasText = ({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const [first, last, seen] = [new Map(), new Map(), new Set(known)];
  for (const element of document.querySelectorAll("[data-one-of-a-kind]")) delete element.dataset.oneOfAKind;
  for (const element of document.querySelectorAll("body, body *")) {
    if (element.matches("input, select, textarea")) element.dataset.oneOfAKind = "";
    if (!hasText(element) || !element.checkVisibility({ visibilityProperty: true })) continue;
    const its = look(element);
    if (seen.has(its)) continue;
    if (!first.has(its)) first.set(its, element);
    last.set(its, element);
  }
  for (const element of [...first.values(), ...last.values()]) element.dataset.oneOfAKind = "";
  const one = "[data-one-of-a-kind]";
  axe.configure({ rules: [
    { id: "color-contrast", selector: one },
    { id: "link-in-text-block", selector: `a[href]:is(${one}, :has(${one}))` },
  ] });
  return [...first.keys()];
}"""


def violations(page: Page, context: Any = None, known: set[str] | None = None, **options: Any) -> list[str]:
    """Of the page, or of a part of it; ``context`` and ``options`` are those of ``axe.run``.

    ``known`` takes what has passed from one page to the next: how texts look whose contrast was enough.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    looks = page.evaluate(ONE_OF_A_KIND, list(known or ()))
    expected = json.dumps(options | {"resultTypes": ["violations"]})
    result = page.evaluate(f"context => axe.run(context ?? document, {expected})", context)["violations"]
    if known is not None and not result:
        known.update(looks)
    return [
        f"{violation['id']}: {violation['help']}: {node['target']} {node['html']} {node['failureSummary']}"
        for violation in result
        for node in violation["nodes"]
    ]
