"""Predictions that answer: choose an option, and read the reason for it and for the right one.

An ``admonition`` with the class ``predict`` holds the question and, as a ``dropdown`` each, the options with their
reasons. The first paragraph of the right option ends in ``<!-- right -->``, as that of a fold in ``<!-- fold -->``; the
words are free. Its title stands above the question.
In a notebook the options unfold; on the page each is a ``<details>`` of one group, so that it works without a script,
by keyboard and in a screen reader.
"""

import html
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from _ext.folds import MakeFolds, comment_says, fold, fold_body, fold_title, is_dropdown

NUMBER = re.compile(r"^\d+[.)]\s+")
SIGNS = {"Right": "✓", "No": "×"}
logger = logging.getLogger(__name__)


class predict(nodes.Element):
    pass


def take_off_number(title: nodes.Element) -> None:
    first = next(title.findall(nodes.Text), nodes.Text(""))
    if first.parent:
        first.parent.replace(first, nodes.Text(NUMBER.sub("", first)))


def is_right(option: nodes.Element) -> bool:
    """Whether this is the right option; its mark is taken off."""
    last = option[1][-1] if option[1].children else option[1]
    if not comment_says(last, "right"):
        return False
    option[1].remove(last)
    if isinstance(end := option[1][-1], nodes.Text):
        option[1].replace(end, nodes.Text(end.rstrip()))
    return True


def without_ids(children: list[nodes.Node]) -> list[nodes.Node]:
    """Copies that can stand on the page beside the originals."""
    copies = [child.deepcopy() for child in children]
    for copy in copies:
        for element in copy.findall(nodes.Element):
            element["ids"] = []
    return copies


class MakePredictions(SphinxPostTransform):
    default_priority = MakeFolds.default_priority - 1  # before the options are taken for folds
    formats = ("html",)

    def run(self, **kwargs) -> None:
        frames = [box for box in self.document.findall(nodes.admonition) if "predict" in box["classes"]]
        for number, frame in enumerate(frames, 1):
            self.make(frame, f"predict-{number}")

    def make(self, frame: nodes.admonition, name: str) -> None:
        options = [child for child in frame.children if is_dropdown(child)]
        for option in options:
            take_off_number(option[0])
        verdicts = [len(option) > 1 and is_right(option) for option in options]
        if len(options) < 2 or any(len(option) < 2 for option in options) or sum(verdicts) != 1:
            message = (
                "a prediction needs two options or more, each with its reason, and one whose first paragraph ends in "
                "'<!-- right -->', not %d"
            )
            logger.warning(message, sum(verdicts), location=frame)
            return
        right = verdicts.index(True)
        question = [child for child in frame.children[1:] if child not in options]
        listed = nodes.enumerated_list(classes=["options"])
        for i, option in enumerate(options):
            reason = option[1:]
            if i != right:
                answer = nodes.inline("", f"The answer is {right + 1}.", classes=["right-is"])
                also = without_ids(options[right][1:])
                also[0].insert(0, [answer, nodes.Text(" ")])
                reason = [*reason, nodes.container("", *also, classes=["also"])]
            listed += nodes.list_item("", self.option(i, option[0], "Right" if i == right else "No", reason, name))
        frame.replace_self(predict("", *question, listed, ids=[*frame["ids"], name], title=frame[0].astext()))

    def option(self, i: int, title: nodes.Element, verdict: str, reason: list, name: str) -> fold:
        sign = nodes.inline("", SIGNS[verdict], classes=["mark", verdict.lower()])
        heading = fold_title(
            "",
            "",
            nodes.inline("", str(i + 1), classes=["number"]),
            nodes.inline("", "", *title.children),
            nodes.inline("", "", sign, nodes.Text(verdict), classes=["verdict"]),
        )
        return fold("", heading, fold_body("", *reason), classes=["option"], group=name)


def visit_predict(self, node: predict) -> None:
    title = f"{node['ids'][-1]}-title"
    self.body.append(self.starttag(node, "div", CLASS="predict", role="group", **{"aria-labelledby": title}))
    words = html.escape(node["title"])
    self.body.append(f'<p class="predict-title"><span id="{title}">{words}</span> <span>choose one</span></p>')


def depart_predict(self, node: predict) -> None:
    self.body.append("</div>\n")


def setup(app: Sphinx):
    app.add_node(predict, html=(visit_predict, depart_predict))
    app.add_post_transform(MakePredictions)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
