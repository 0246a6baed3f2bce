"""The way through the book: its parts and chapters, with their minutes, as the pages show them.

What there is comes from ``_toc.yml``, what a chapter is called from its heading, and how long it takes from its
metadata (``"minutes": 40`` in a notebook's, beside ``"kernelspec"``). Chapters can be added, dropped and renumbered:
all pages follow.
On the front page, the directive ``the-way`` lists them; its lines give the question of each part.
"""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from docutils import nodes
from docutils.utils.smartquotes import smartyPants
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

EMBLEMS = Path(__file__).parent / "emblems"
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def slug(docname: str) -> str:
    """The name of a page without folder and number: it stays when chapters are renumbered."""
    return re.sub(r"^ch\d+_", "", docname.rpartition("/")[2])


@dataclass(frozen=True)
class Chapter:
    docname: str
    title: str
    number: str = ""
    minutes: int = 0
    part: str = ""
    total: int = 0

    @property
    def slug(self) -> str:
        return slug(self.docname)

    @property
    def emblem(self) -> Markup:
        path = EMBLEMS / f"{self.slug}.svg"
        return Markup((path if path.exists() else EMBLEMS / "any_chapter.svg").read_text(encoding="utf8").strip())


@dataclass(frozen=True)
class Part:
    caption: str
    chapters: tuple[Chapter, ...]

    @property
    def label(self) -> str:
        return self.caption.partition(" · ")[0]

    @property
    def title(self) -> str:
        return self.caption.rpartition(" · ")[2]

    @property
    def minutes(self) -> int:
        return sum(chapter.minutes for chapter in self.chapters)


def duration(minutes: int) -> str:
    """``45 min``, ``2 h`` or ``2 h 5 min``, with spaces that do not break."""
    hours, rest = divmod(minutes, 60)
    parts = [f"{hours}\N{NBSP}h"] * bool(hours) + [f"{rest}\N{NBSP}min"] * bool(rest or not hours)
    return "\N{NBSP}".join(parts)


def curly(text: str) -> str:
    """With curly quotation marks and apostrophes, for words that reach a page outside the text that Sphinx curls."""
    return smartyPants(text, "q")


def title_of(env, docname: str) -> str | None:
    """The title of a page; None for a page that was not read."""
    return env.titles[docname].astext() if docname in env.titles else None


def number_of(env, docname: str) -> str:
    """The number of a chapter, as "7"; an empty string for a page that has none."""
    return ".".join(map(str, env.toc_secnumbers.get(docname, {}).get("", ())))


def in_words(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else str(number)


def table_of_contents(env) -> list[Part]:
    """All parts with their pages; those of a numbered part are chapters."""
    parts = []
    for tree in env.external_site_map.root.subtrees:
        pages = []
        for docname in tree.files():
            title = title_of(env, docname)
            if title is None:
                continue
            metadata = env.metadata[docname]
            pages.append(Chapter(docname, title, number_of(env, docname), int(metadata.get("minutes", 0))))
        parts.append(Part(tree.caption or "", tuple(pages)))
    return parts


def the_way(contents: list[Part]) -> list[Part]:
    """The parts with numbered chapters, which know their place among all."""
    total = sum(bool(chapter.number) for part in contents for chapter in part.chapters)
    way = []
    for part in contents:
        chapters = [chapter for chapter in part.chapters if chapter.number]
        if chapters:
            placed = tuple(replace(chapter, part=part.caption, total=total) for chapter in chapters)
            way.append(replace(part, chapters=placed))
    return way


def tell_the_template(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    contents = table_of_contents(app.env)
    way = the_way(contents)
    context["contents"], context["way"] = contents, way
    context["front"] = pagename == app.config.root_doc
    context["here"] = next((c for part in way for c in part.chapters if c.docname == pagename), None)


# -------------------------------------------------------------------------------------------------------- the list


class list_of_parts(nodes.Element):
    pass


class TheWay(SphinxDirective):
    """The parts with their chapters and minutes. A line ``Part I: its question`` says what a part asks."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        questions = dict(curly(line).split(": ", 1) for line in self.content if line.strip())
        return [list_of_parts(questions=questions, docname=self.env.docname)]


def visit_list(self, node: list_of_parts) -> None:
    contents = the_way(table_of_contents(self.builder.env))
    if not contents:
        raise nodes.SkipNode
    count, minutes = sum(len(part.chapters) for part in contents), sum(part.minutes for part in contents)
    title = f"{in_words(len(contents)).capitalize()} part{'s' * (len(contents) > 1)}"
    sentence = f"{in_words(count).capitalize()} chapter{'s' * (count > 1)}, {duration(minutes)} in all."
    address_of = partial(self.builder.get_relative_uri, node["docname"])
    strips = "".join(strip(part, node["questions"].get(part.label, ""), address_of) for part in contents)
    self.body.append(f'<section id="the-way" class="the-way"><h2>{title}</h2><p>{sentence}</p>')
    self.body.append(f'<div class="strips">{strips}</div></section>')
    raise nodes.SkipNode


def strip(part: Part, question: str, address_of: Callable[[str], str]) -> str:
    """One part of the list."""
    items = [
        f'<li><span class="n">{c.number}</span><a href="{address_of(c.docname)}">'
        f'<span class="t">{html.escape(c.title)} <small>{c.minutes} min</small></span>{c.emblem}</a></li>'
        for c in part.chapters
    ]
    return (
        f'<section class="strip"><header><p><span>{html.escape(part.label)}</span><span>{duration(part.minutes)}</span>'
        f"</p><h3>{html.escape(part.title)}</h3>{f'<q>{html.escape(question)}</q>' if question else ''}</header>"
        f'<ol start="{part.chapters[0].number}">{"".join(items)}</ol></section>'
    )


def number_the_words(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """In the title of the front page, the book does what it is about: each word is given its position."""
    if docname != app.config.root_doc or app.builder.format != "html":
        return
    title = next(doctree.findall(nodes.title))
    words = [nodes.inline("", word, classes=["w"]) for word in title.astext().split()]
    spaced = [node for word in words for node in (word, nodes.Text(" "))]
    title.clear()
    title += spaced[:-1]


def skip(self, node: list_of_parts) -> None:
    raise nodes.SkipNode


def setup(app: Sphinx):
    app.add_node(list_of_parts, html=(visit_list, None), latex=(skip, None), text=(skip, None))
    app.add_directive("the-way", TheWay)
    app.connect("doctree-resolved", number_the_words)
    app.connect("html-page-context", tell_the_template, priority=400)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
