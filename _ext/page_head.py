"""Gives each page the description that search engines and link previews show: its first paragraph."""

import re

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 160


def shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rpartition(" ")[0] + "…"


def add_description(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    paragraphs = doctree.findall(nodes.paragraph) if doctree is not None else ()
    first = next((p.astext() for p in paragraphs if len(p.astext()) > 40), None)
    title = re.sub("<[^>]*>", "", context.get("title", "A page"))
    context["description"] = shortened(first or f"{title} of the book {app.config.html_title}.")


def setup(app: Sphinx):
    app.connect("html-page-context", add_description)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
