"""Fixes markup of the extensions that a validator, a screen reader or a narrow screen stumbles over."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

# Of sphinx-proof and sphinx-exercise: the same for each of these on a page.
REPEATED_IDS = {"proof", "proof-content", "exercise-content", "solution-content"}
REPLACEMENTS = {
    # Docutils gives the entries of a bibliography a role that ARIA has dropped, in a list without list items.
    ' role="doc-biblioentry"': "",
    ' role="list"': "",
    # A table can be wider than its place, whether it comes from the text or from a cell.
    "<table": '<div class="wide-table"><table',
    "</table>": "</table></div>",
}

PUNCTUATION = re.compile(r"[.,;:!?)\]]+")
SIGN = re.compile(r"\\[a-zA-Z]+|\\.|[^{}^_\s]")
FORMULA = re.compile(r"[^\s<>]*\([^\s<>]*/[^\s<>]*|\[[^\]<>]*\]")  # softmax(a/b)c; [A, B]
LONGEST_UNBROKEN = 12  # characters of a formula that fits a line on a phone


class DropRepeatedIds(SphinxPostTransform):
    default_priority = 900

    def run(self, **kwargs) -> None:
        for element in self.document.findall(nodes.Element):
            if REPEATED_IDS.intersection(element.get("ids", ())):
                element["ids"] = [name for name in element["ids"] if name not in REPEATED_IDS]


class KeepPunctuationWithItsFormula(SphinxPostTransform):
    """A line may break before and after a formula, so that a full stop would begin the next one."""

    default_priority = 900

    def run(self, **kwargs) -> None:
        for formula in list(self.document.findall(nodes.math)):
            text = formula.next_node(descend=False, siblings=True)
            found = PUNCTUATION.match(text) if isinstance(text, nodes.Text) else None
            if not found:
                continue
            text.parent.replace(text, nodes.Text(text[found.end() :]))
            if len(SIGN.findall(formula.astext())) > LONGEST_UNBROKEN:  # it may break, but its last part has the sign
                formula.replace_self(nodes.math("", rf"{formula.astext()}\text{{{found[0]}}}"))
            else:
                formula.replace_self(
                    nodes.inline("", "", formula.deepcopy(), nodes.Text(found[0]), classes=["unbroken"])
                )


class KeepFormulaOfATitleWhole(SphinxPostTransform):
    """A title writes its formula in plain characters, and a line may break after a slash or between brackets."""

    default_priority = 900

    def run(self, **kwargs) -> None:
        for title in self.document.findall(nodes.title):
            for text in [child for child in title if isinstance(child, nodes.Text)]:
                if FORMULA.search(text):
                    parts = [
                        nodes.inline("", part, classes=["unbroken"]) if FORMULA.match(part) else nodes.Text(part)
                        for part in re.split(rf"({FORMULA.pattern})", text)
                        if part
                    ]
                    title.replace(text, parts)


def replace_markup(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    for markup, replacement in REPLACEMENTS.items():
        context["body"] = context.get("body", "").replace(markup, replacement)
    for neighbour in ("prev", "next"):  # their titles are those of the sources, before any transform
        if context.get(neighbour):
            title = FORMULA.sub(r'<span class="unbroken">\g<0></span>', context[neighbour]["title"])
            context[neighbour]["title"] = title


def setup(app: Sphinx):
    app.add_post_transform(DropRepeatedIds)
    app.add_post_transform(KeepPunctuationWithItsFormula)
    app.add_post_transform(KeepFormulaOfATitleWhole)
    app.connect("html-page-context", replace_markup)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
