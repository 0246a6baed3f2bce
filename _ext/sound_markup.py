"""Mends markup of the extensions that a validator or a screen reader stumbles over."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

REPEATED = {"proof", "proof-content", "exercise-content", "solution-content"}  # by sphinx-proof and sphinx-exercise


class DropRepeatedIds(SphinxPostTransform):
    default_priority = 900

    def run(self, **kwargs) -> None:
        for element in self.document.findall(nodes.Element):
            if REPEATED.intersection(element.get("ids", ())):
                element["ids"] = [name for name in element["ids"] if name not in REPEATED]


def drop_deprecated_roles(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Docutils still gives the entries of a bibliography a role that ARIA has dropped, in a list without list items."""
    if "body" in context:
        for role in (' role="doc-biblioentry"', ' role="list"'):
            context["body"] = context["body"].replace(role, "")


def setup(app: Sphinx):
    app.add_post_transform(DropRepeatedIds)
    app.connect("html-page-context", drop_deprecated_roles)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
