"""The directive ``{questions} data/questions.yml``: every question and claim of the sources, with its verdict.

An entry links to the chapter of its slug, if the book has that chapter.
"""

import re
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.way import slug, title_of

VERDICTS = {
    "question": "answered",
    "true": "true",
    "conditional": "on a condition",
    "false": "false",
    "opinion": "opinion",
}
FIELDS = {"id", "source", "verdict", "chapter", "asked", "answer"}
CONDITION = re.compile(r"\*\*(.+?)\*\*")


def read(path: Path) -> dict:
    """The file's sources and entries; ValueError where an entry lacks a field or names what is not known."""
    catalogue = yaml.safe_load(path.read_text(encoding="utf8"))
    seen = set()
    for entry in catalogue["entries"]:
        name = f"{path.name}, entry {entry.get('id', '?')}"
        if set(entry) != FIELDS:
            raise ValueError(f"{name}: expected the fields {sorted(FIELDS)}, got {sorted(entry)}")
        if entry["verdict"] not in VERDICTS:
            raise ValueError(f"{name}: expected a verdict of {', '.join(VERDICTS)}, got {entry['verdict']!r}")
        if (entry["verdict"] == "conditional") != bool(CONDITION.match(entry["answer"])):
            raise ValueError(f"{name}: expected a **condition** first in a conditional answer, and in no other")
        if entry["source"] not in catalogue["sources"]:
            raise ValueError(f"{name}: expected a source of {', '.join(catalogue['sources'])}, got {entry['source']!r}")
        if entry["id"] in seen:
            raise ValueError(f"{name}: this id is used twice")
        seen.add(entry["id"])
    return catalogue


class Questions(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        relative, absolute = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        try:
            catalogue = read(Path(absolute))
        except (OSError, ValueError, KeyError, yaml.YAMLError) as error:
            raise self.error(str(error)) from error
        sections: list[nodes.Node] = []
        for key, source in catalogue["sources"].items():
            section = nodes.section(ids=[f"source-{key}"], classes=["inorder-source"])
            section += nodes.title("", source["name"])
            if "address" in source:
                link = nodes.reference("", source["address"], refuri=source["address"])
                section += nodes.paragraph("", "", link)
            entries = nodes.bullet_list(classes=["inorder-questions"], bullet="-")
            entries += [self.entry(entry) for entry in catalogue["entries"] if entry["source"] == key]
            section += entries
            sections.append(section)
        return sections

    def entry(self, entry: dict) -> nodes.Node:
        verdict = entry["verdict"]
        item = nodes.list_item(ids=[f"q{entry['id'].replace('.', '-')}"], classes=["inorder-question", f"is-{verdict}"])
        asked = nodes.paragraph("", "", nodes.emphasis("", entry["asked"]))
        text = entry["answer"]
        if verdict != "conditional":
            text = f"**{VERDICTS[verdict].capitalize()}.** {text}"
        first = CONDITION.match(text)
        answer = nodes.paragraph("", "", nodes.strong("", first[1]), nodes.Text(f"{text[first.end() :]} "))
        answer += ChapterLink(slug=entry["chapter"])
        item += [asked, answer]
        return item


class ChapterLink(nodes.Inline, nodes.Element):
    """A link to the chapter of `slug`, made when all titles are known."""


def link_chapters(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    by_slug = {slug(name): name for name in app.env.found_docs}
    for link in list(doctree.findall(ChapterLink)):
        target = by_slug.get(link["slug"])
        if target is None:
            link.replace_self([])
            continue
        reference = nodes.reference("", title_of(app.env, target), internal=True)
        reference["refuri"] = app.builder.get_relative_uri(docname, target)
        link.replace_self([reference])


def setup(app: Sphinx):
    app.add_node(ChapterLink)
    app.add_directive("questions", Questions)
    app.connect("doctree-resolved", link_chapters)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
