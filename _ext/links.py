"""Links between pages that work in a notebook too: ``[words](ch05_ab_against_ba.ipynb#sec-last-token)``.

MyST-Parser resolves the fragment of such a link if it is a heading's slug. Here every other id of a page is offered
too: labels of sections, theorems, exercises, equations and figures, ``glossary.md#term-softmax``,
``bibliography.md#vaswani2017attention``, and a live figure in a state, as its "Copy link" has it. A link to a chapter
that was dropped from the table of contents becomes its words.
"""

import re
from collections.abc import Collection
from urllib.parse import urljoin

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

LINKS_RESOLVED = 9  # the priority at which MyST-Parser finds the pages of Markdown links
CHAPTER_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((\w+\.ipynb)(?:#[^()\s]*)?\)")
FILE_LINK = re.compile(r"(?<=\]\()([\w./-]+)\.(?:ipynb|md)(?=[#)])")


def offer_every_id(app: Sphinx, doctree: nodes.document) -> None:
    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})  # slug -> (line, id, title)
    in_tree = [name for element in doctree.findall(nodes.Element) for name in element["ids"]]
    for name in (*in_tree, *doctree.ids):  # the entries of a bibliography join the tree later
        slugs.setdefault(name, (0, name, ""))
        slugs.setdefault(name.removeprefix("equation-"), (0, name, ""))  # which Sphinx puts before a label


class PrepareLinks(SphinxPostTransform):
    """Unlinks dropped chapters, and offers the states of figures: ``index.md#loom-1?%7B%22mask%22:true%7D``.

    MyST-Parser finds the page, and the widgets' host the figure.
    """

    default_priority = LINKS_RESOLVED - 1

    def run(self, **kwargs) -> None:
        for link in list(self.document.findall(pending_xref)):
            place = link.get("reftargetid") or ""
            if link["refdomain"] == "doc" and link["reftarget"] not in self.env.found_docs:
                link.replace_self(link.children)
            elif "?" in place:
                self.env.metadata[link["reftarget"]].setdefault("myst_slugs", {})[place] = (0, place, "")


def without_dropped(markdown: str, names: Collection[str]) -> str:
    """The text, with plain words in place of each link to a chapter that is not among these files."""
    return CHAPTER_LINK.sub(lambda match: match[0] if match[2] in names else match[1], markdown)


def linked_to_site(markdown: str, page: str) -> str:
    """The text of a notebook's cell with links to the pages of a site instead of files; ``page`` is the cell's own."""
    return FILE_LINK.sub(lambda match: urljoin(page, f"{match[1]}.html"), markdown)


def setup(app: Sphinx):
    app.connect("doctree-read", offer_every_id)
    app.add_post_transform(PrepareLinks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
