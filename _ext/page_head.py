"""What a page's template needs beside the text: description, address, the names of sections, and the ways to run it."""

import re
from pathlib import Path

from docutils import nodes
from markupsafe import Markup
from sphinx.application import Sphinx

from _ext.repository import site_address

LONGEST = 160
ICONS = Path(__file__).parent / "lean_page" / "icons"


def shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rpartition(" ")[0] + "…"


def icon(name: str) -> Markup:
    return Markup((ICONS / f"{name}.svg").read_text(encoding="utf8").strip())


def sections_of(doctree) -> list[tuple[str, str]]:
    """The place and the name of the page's title and of each of its sections."""
    top = next(doctree.findall(nodes.section), None) if doctree is not None else None
    if top is None:
        return []
    below = [section for section in top.children if isinstance(section, nodes.section)]
    return [(section["ids"][0], section.next_node(nodes.title).astext()) for section in [top, *below]]


def ways_in(context: dict) -> list[tuple[str, str]]:
    """The words and address of each way to run a chapter: its notebook, and the sites that open it."""
    source = context.get("sourcename", "")
    if not source.endswith(".ipynb"):
        return []
    download = ("Download notebook", f"{context['pathto']('_sources', 1)}/{source}")
    groups = [group for group in context.get("header_buttons", ()) if group.get("label") == "launch-buttons"]
    buttons = [button for group in groups for button in group["buttons"]]  # the theme's
    return [download, *((f"Open it in {button['text']}", button["url"]) for button in buttons)]


def fill_in(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    paragraphs = doctree.findall(nodes.paragraph) if doctree is not None else ()
    first = next((p.astext() for p in paragraphs if len(p.astext()) > 40), None)
    title = re.sub("<[^>]*>", "", context.get("title", "A page"))
    context["description"] = shortened(first or f"{title} of the book {app.config.html_title}.")
    context["sections"] = sections_of(doctree)
    if context.get("here") and context["sections"]:
        context["sections"][0] = (context["sections"][0][0], "The question")
    context["ways_in"] = ways_in(context)
    context["has_code"] = 'class="code' in context.get("body", "")
    context["icon"] = icon
    site = site_address(app)
    context["page_address"] = f"{site}{pagename}.html" if site else ""


def setup(app: Sphinx):
    app.connect("html-page-context", fill_in, priority=600)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
