"""Folds: what not everyone reads is one click away, closed by default and printed open.

A fold is a ``dropdown`` or a solution. One that holds cells is everything between a paragraph that ends in
``<!-- fold -->`` and ``<!-- end of fold -->``. All of these read well in a notebook, too. What follows the last `` · ``
of its title is its cost ("four lines, 2 minutes"). A dropdown called *Proof* directly after a theorem becomes the
theorem's last row.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx_design.shared import is_component
from sphinx_exercise.nodes import solution_node
from sphinx_proof.nodes import NODE_TYPES, unenumerable_node

COST = " · "
DROPDOWNS_MADE = 199  # the priority at which sphinx-design makes its own of dropdowns
THEOREMS = (*NODE_TYPES.values(), unenumerable_node)
logger = logging.getLogger(__name__)


class fold(nodes.Element):
    """``<details>``. The attribute ``opened`` says whether it is open; opening one closes others of its ``group``."""


class fold_title(nodes.TextElement):
    pass


class fold_body(nodes.Element):
    pass


def make_fold(title: list[nodes.Node], body: list[nodes.Node], **attributes) -> fold:
    name, cost = split_cost(title)
    heading = fold_title("", "", nodes.inline("", "", *name))
    if cost:
        heading += nodes.inline("", cost, classes=["cost"])
    return fold("", heading, fold_body("", *body), **({"classes": ["fold"]} | attributes))


def split_cost(title: list[nodes.Node]) -> tuple[list[nodes.Node], str]:
    """The title without its cost, and the cost."""
    if len(title) == 1 and isinstance(title[0], nodes.strong):
        title = title[0].children
    if title and isinstance(title[-1], nodes.Text) and COST in title[-1]:
        name, _, cost = title[-1].rpartition(COST)
        return [*title[:-1], nodes.Text(name)], cost
    return list(title), ""


def is_dropdown(node: nodes.Node) -> bool:
    """Whether it is sphinx-design's: a title, then its content; the attribute ``opened``."""
    return is_component(node, "dropdown")


def comment_says(node: nodes.Node, text: str) -> bool:
    return isinstance(node, nodes.raw) and node.astext().strip() == f"<!-- {text} -->"


class MakeFolds(SphinxPostTransform):
    default_priority = DROPDOWNS_MADE - 4  # long after solutions got their titles
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for paragraph in list(self.document.findall(nodes.paragraph)):
            if paragraph.children and comment_says(paragraph[-1], "fold"):
                self.fold_what_follows(paragraph)
        for solution in list(self.document.findall(solution_node)):
            inner = [child for part in solution[1:] for child in (part if isinstance(part, nodes.section) else [part])]
            replacement = make_fold([nodes.Text("Solution")], inner, ids=solution["ids"], classes=["fold", "solution"])
            solution.replace_self(replacement)
        for dropdown in list(self.document.findall(is_dropdown)):
            title, *body = dropdown.children
            ids = [*dropdown["ids"], *title["ids"]]
            dropdown.replace_self(make_fold(title.children, body, ids=ids, opened=dropdown["opened"]))
        for one in list(self.document.findall(fold)):
            if one[0].astext().startswith("Proof"):
                self.give_to_theorem(one)

    def fold_what_follows(self, paragraph: nodes.paragraph) -> None:
        siblings, start = paragraph.parent.children, paragraph.parent.index(paragraph)
        for end in range(start + 1, len(siblings)):
            if comment_says(siblings[end], "end of fold"):
                title = [node for node in paragraph[:-1] if node.astext().strip()]
                replacement = make_fold(title, siblings[start + 1 : end])
                paragraph.parent.children[start : end + 1] = []
                paragraph.parent.insert(start, replacement)
                return
        what = "a fold needs its '<!-- end of fold -->' in the section in which it begins, a paragraph of its own: %s"
        logger.warning(what, paragraph.astext(), location=paragraph)

    def give_to_theorem(self, proof: fold) -> None:
        siblings, place = proof.parent.children, proof.parent.index(proof)
        if place and isinstance(siblings[place - 1], THEOREMS):
            siblings[place - 1].append(proof.parent.children.pop(place))


def visit_fold(self, node: fold) -> None:
    attributes = {"open": ""} if node.get("opened") else {}
    if node.get("group"):
        attributes["name"] = node["group"]
    self.body.append(self.starttag(node, "details", **attributes))


def visit_title(self, node: fold_title) -> None:
    self.body.append("<summary>")


def visit_body(self, node: fold_body) -> None:
    self.body.append('<div class="in">')


def closing(tag: str):
    return lambda self, node: self.body.append(f"</{tag}>\n")


def setup(app: Sphinx):
    app.add_node(fold, html=(visit_fold, closing("details")))
    app.add_node(fold_title, html=(visit_title, closing("summary")))
    app.add_node(fold_body, html=(visit_body, closing("div")))
    app.add_post_transform(MakeFolds)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
