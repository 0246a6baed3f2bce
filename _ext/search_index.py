"""The book's search: an index of its sections, so that a result leads to the passage itself.

``searchindex.js`` is a classic script, loaded when a search begins, and so works from the disk. Formulas are indexed as
people type them (√d for ``\\sqrt{d}``), code is not.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from _ext.way import number_of, title_of

SYMBOLS = {"alpha": "α", "beta": "β", "gamma": "γ", "theta": "θ", "lambda": "λ", "mu": "μ", "pi": "π", "sigma": "σ"}
SYMBOLS |= {"omega": "ω", "top": "ᵀ", "cdot": "·", "le": "≤", "ge": "≥", "ne": "≠", "to": "→", "infty": "∞", "in": "∈"}
LEFT_OUT = (nodes.literal_block, nodes.raw, nodes.comment, nodes.substitution_definition)


def plain(tex: str) -> str:
    """A formula as people type it: ``\\textcolor{query}{Q}\\sqrt{d}`` is ``Q√d``."""
    tex = re.sub(r"\\textcolor\{\w+\}|\\[!,;:]|\\(text|operatorname|mathrm|mathbf|left|right|frac)\b", "", tex)
    tex = tex.replace(r"\sqrt", "√").replace(r"\softmax", "softmax ")
    tex = re.sub(r"\\([a-zA-Z]+)", lambda command: SYMBOLS.get(command[1], " "), tex)
    return " ".join(re.sub(r"[{}\\^_&$]", "", tex).split())


def text_of(node: nodes.Node) -> str:
    """The text of a node without code, and with its formulas written plainly."""
    if isinstance(node, LEFT_OUT):
        return ""
    if isinstance(node, (nodes.math, nodes.math_block)):
        return plain(node.astext())
    if isinstance(node, nodes.Text):
        return node.astext()
    space = "" if isinstance(node, (nodes.TextElement, nodes.Inline)) else " "
    return space.join(
        text_of(child) for child in node.children if not isinstance(child, nodes.section) or not child["names"]
    )


def collect(app: Sphinx, doctree: nodes.document) -> None:
    """One entry for each section, and for each definition of a glossary or of the reference: place, title, text."""
    entries = []
    for section in doctree.findall(nodes.section):
        if section["names"] and section["ids"] and isinstance(section[0], nodes.title):
            text = " ".join(text_of(section).split())
            entries.append([section["ids"][0], text_of(section[0]), text.removeprefix(text_of(section[0])).strip()])
    for item in doctree.findall(nodes.definition_list_item):
        if item[0]["ids"]:
            name = text_of(item[0])
            if isinstance(item[0][0], nodes.literal):  # of a function, not how it is called
                name = name.partition("(")[0]
            entries.append([item[0]["ids"][0], name, " ".join(text_of(item[-1]).split())])
    sections = getattr(app.env, "searched_sections", {})
    app.env.searched_sections = sections | {app.env.docname: entries}


def add_page(app: Sphinx):
    yield "search", {}, "search.html"


def leave_out_sphinxs_own(app: Sphinx) -> None:
    app.builder.search = False


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    pages = []
    for docname in app.env.found_docs:
        title = f"{number_of(app.env, docname)} {title_of(app.env, docname)}".strip()
        address = app.builder.get_target_uri(docname)
        pages.append([address, title, app.env.searched_sections.get(docname, [])])
    text = json.dumps(sorted(pages), ensure_ascii=False, separators=(",", ":"))
    (Path(app.outdir) / "searchindex.js").write_text(f"bookIndex({text})", encoding="utf8")


def setup(app: Sphinx):
    app.connect("builder-inited", leave_out_sphinxs_own)
    app.connect("doctree-read", collect)
    app.connect("html-collect-pages", add_page)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
