"""The picture that other sites show beside a link to the book, ``_static/card.png``: its title, as on the front page.

``python -m _ext.card`` draws it again. Pages name it only where the site's address is known, because such a link must
be absolute.
"""

import base64

from sphinx.application import Sphinx

from _ext.lean_page import SERIF, UPRIGHT
from _ext.page_head import icon
from _ext.repository import site_address
from _ext.toolchain import ROOT
from inorder.palette import LIGHT, css_variables

CARD = ROOT / "_static" / "card.png"
ALT = "Attention, in Order: each word of the title stands over its position, 0, 1 and 2."
PAGE = """<!doctype html><style>
@font-face {{ font-family: serif4; src: url(data:font/woff2;base64,{font}) }}
:root {{ {colours} }}
body {{ margin: 0; width: 1200px; height: 630px; background: var(--paper); color: var(--ink); font: 40px/1.3 serif4 }}
main {{ padding: 84px 90px }}
svg {{ width: 120px; height: 88px; fill: none; stroke: var(--ink); stroke-width: 2.2 }}
.rail {{ stroke: var(--position) }}
h1 {{ font: 116px/1 serif4; letter-spacing: -.012em; margin: 54px 0 40px; white-space: nowrap; color: var(--ink) }}
span {{ position: relative; display: inline-block; padding-bottom: 56px }}
span::before {{ content: ""; position: absolute; inset: auto 4px 38px; height: 14px; border: solid var(--position);
               border-width: 0 3px 3px }}
span::after {{ content: attr(title); position: absolute; inset: auto 0 -4px; text-align: center; font: 30px/1 serif4;
              color: var(--position) }}
</style><main>{mark}<h1><span title="0">Attention,</span> <span title="1">in</span> <span title="2">Order</span></h1>
How does a transformer know the order of its words?</main>"""


def name_card(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    site = site_address(app)
    if site:
        context["card"], context["card_alt"] = f"{site}_static/{CARD.name}", ALT
        context["page_address"] = f"{site}{pagename}.html"


def setup(app: Sphinx):
    app.connect("html-page-context", name_card)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def draw(executable: str, flags: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    font = base64.b64encode((SERIF / "files" / f"{UPRIGHT}.woff2").read_bytes()).decode()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        page.set_content(PAGE.format(font=font, colours=css_variables(LIGHT), mark=icon("mark")))
        page.evaluate("document.fonts.ready")
        page.screenshot(path=str(CARD))
        browser.close()


if __name__ == "__main__":
    from tools.browser import FLAGS, chromium

    draw(chromium(), FLAGS)
