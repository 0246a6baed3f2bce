"""Lecture slides: ``python -m _ext.slides``, which is ``make slides``, makes a deck of each chapter of the built site.

What is on the slides follows from the chapter (`key_parts`): its question, the prediction, the answer in one sentence,
what we settled, and from each section between them, on a slide each, its theorems, figures, tables, formulas and lists,
the last three after the sentences that lead to them. A step of a proof, a paragraph that begins in bold with *Step*,
has a slide of its own. A section with none of these gives its first paragraph. Before what we settled stands the first
exercise that takes pen and paper. Folds, the other exercises, long tables and further reading stay in the book. A code
cell tagged ``slide`` gets a slide with its code and its result, and one tagged ``no-slide`` gets none. The paragraphs
that are on no slide are the notes of the slide that they follow.

A deck is a page of its own, without a framework: the live figures are the site's, mounted as on the site, and need the
keys and the space that a framework would take. The folder holds all that its pages need, and can be carried on a disk.
"""

import html
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from _ext.build import BUILD, SITE
from _ext.execution import ROOT, documents

HERE = Path(__file__).parent
SLIDES = BUILD / "slides"
NO_SLIDES = {"exercises", "further-reading"}
SETTLED = "what-we-settled"
MOST_ROWS = 16  # of a table that can be read from the last row of seats; a longer one stays in the book
PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light" data-laid-out>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: slides</title>
<link rel="icon" href="_static/favicon.svg">
{styles}
<link rel="stylesheet" href="_static/slides.css">
<noscript><style>.slide {{ position: static; visibility: visible }}</style></noscript>
</head>
<body class="slides">
<main>
{slides}
</main>
<aside id="notes" aria-label="Notes" hidden></aside>
<nav aria-label="Slides"><a href="index.html">All slides</a><button type="button" id="before">Previous</button>
<output id="place"></output><button type="button" id="next">Next</button>
<button type="button" id="show-notes" aria-pressed="false">Notes</button></nav>
{scripts}
<script src="_static/slides.js"></script>
</body>
</html>
"""
INDEX = """<!DOCTYPE html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Slides</title>
<link rel="icon" href="_static/favicon.svg">
<link rel="stylesheet" href="_static/site.css">
</head>
<body><div class="page"><main><h1>Slides</h1>
<p>A deck opens full screen with F11. The arrow keys, Space and a clicker move through it; inside a figure, the arrow
keys are the figure's. N shows the notes, what the book says beside the slide, and hides them again.</p>
<ul>
{lines}
</ul></main></div></body>
</html>
"""


@dataclass(frozen=True)
class Slide:
    kind: str
    heading: str
    parts: tuple[Tag, ...]
    notes: tuple[Tag, ...] = ()

    def html(self) -> str:
        heading = f"<h2>{self.heading}</h2>" if self.heading else ""
        notes = f'<template class="notes">{"".join(map(str, self.notes))}</template>' if self.notes else ""
        sheet = f'<div class="sheet">{heading}{"".join(map(str, self.parts))}</div>'
        return f'<div class="slide {self.kind}">{sheet}{notes}</div>'


def classes(tag: Tag) -> list[str]:
    return tag.get("class") or []


def key_parts(chapter: Tag) -> Iterator[Slide]:
    """The slides of a chapter, given the section of its page that holds it all."""
    opening = [tag for tag in chapter.find_all(recursive=False) if tag.name in ("h1", "blockquote")]
    where = chapter.find_previous(class_="where")
    yield Slide("title", "", tuple(filter(None, (where, *opening))))
    for part in chapter.find_all(recursive=False):
        if "predict" in classes(part):
            yield Slide("words", "", (part,))
        elif "fold" in classes(part) and "code" not in classes(part):
            yield Slide("words", part.summary.span.decode_contents(), (part.find(class_="in"),))
        elif "cell" in classes(part) and (figure := part.find("figure")):
            yield Slide("figure", "", (figure,))
        elif part.name == "section" and part.get("id") not in NO_SLIDES:
            if part.get("id") == SETTLED:
                yield from exercise_slide(chapter)
            yield from slides_of_section(part)


def exercise_slide(chapter: Tag) -> Iterator[Slide]:
    """The first exercise without code and figure: one that a class can do at once."""
    section = chapter.find("section", id="exercises", recursive=False)
    exercise = None
    for part in [*section.find_all(recursive=False), None] if section else []:
        if part is None or "exercise" in classes(part):
            if exercise is not None:
                yield Slide("words", "", (exercise,))
                return
            exercise = part
        elif "cell" in classes(part):
            exercise = None


def slides_of_section(section: Tag) -> Iterator[Slide]:
    heading = section.find(["h2", "h3", "h4"]).decode_contents()
    parts = section.find_all(recursive=False)
    if section.get("id") == SETTLED:
        yield Slide("words", heading, (next(part for part in parts if part.name in ("p", "ul", "ol")),))
        return
    slides = list(slides_of_parts(heading, parts))
    first = next((part for part in parts if part.name == "p"), None)
    slides = slides or ([Slide("words", heading, (first,))] if first else [])
    yield from with_notes(slides, parts)


def with_notes(slides: list[Slide], parts: list[Tag]) -> list[Slide]:
    """Each slide with the paragraphs that follow it and are on none; the first one with those before it, too."""
    number, notes = 0, [()] * len(slides)
    place_of = {id(part): i for i, slide in enumerate(slides) for part in slide.parts}
    for part in parts:
        figure = part if id(part) in place_of else part.find(["figure", "table"])
        if id(figure) in place_of:
            number = place_of[id(figure)]
        elif part.name == "p" and slides:
            notes[number] = (*notes[number], part)
    return [replace(slide, notes=slide.notes or own) for slide, own in zip(slides, notes, strict=True)]


def slides_of_parts(heading: str, parts: list[Tag]) -> Iterator[Slide]:
    for i, (before, part) in enumerate(zip([None, *parts], parts, strict=False)):
        lead = (before,) if before is not None and before.name == "p" else ()
        names = classes(part)
        if "tag_no-slide" in names or ("math" in names and lead and is_step(before)):
            continue
        if is_step(part):
            formulas = takewhile(lambda each: "math" in classes(each), parts[i + 1 :])
            yield Slide("words", heading, (part, *formulas))
            continue
        if part.name == "section":
            yield from slides_of_section(part)
        elif "tag_slide" in names:
            yield Slide("words", heading, (*lead, part))
        elif {"proof", "predict"} & set(names):
            yield Slide("words", heading, (part,))
        elif figure := part if part.name == "figure" else "cell" in names and part.find("figure"):
            yield Slide("figure", heading, (figure,))
        elif part.name in ("ul", "ol") or "math" in names:
            yield Slide("words", heading, (*lead, part))
        elif part.name not in ("details", "p") and (table := part.find("table")) and len(table("tr")) <= MOST_ROWS:
            yield Slide("words", heading, (*lead, table))


def is_step(part: Tag) -> bool:
    return part.name == "p" and bool(re.match(r"<p><strong>Step ", str(part)))


def deck(page: str) -> tuple[str, str]:
    """Title and HTML of the deck of a chapter's page, whose HTML is given."""
    soup = BeautifulSoup(page, "html.parser")
    chapter = soup.select_one("article > section")
    for link in chapter.select(".headerlink, .copy"):
        link.decompose()
    for link in chapter.select("a"):  # a lecture follows no links, and their places may not be here
        link.unwrap()
    slides = "\n".join(slide.html() for slide in key_parts(chapter))
    title = " ".join(chapter.h1.get_text().split())
    styles = soup.find_all("link", rel="stylesheet")  # these see into the page's <template> of files
    own = soup.find_all("script", src=re.compile("_static/widgets/"))
    text = PAGE.format(
        title=html.escape(title), styles="\n".join(map(str, styles)), slides=slides, scripts="\n".join(map(str, own))
    )
    return title, re.sub(r'(["(])(?:\.\./)+(_static|_images)/', r"\1\2/", text)


def make_slides(site: Path, target: Path) -> list[tuple[str, str]]:
    """A deck of each chapter of the site, and a page that lists them; their titles and file names."""
    shutil.rmtree(target, ignore_errors=True)
    (target / "_static").mkdir(parents=True)
    decks = []
    chapters = [site / f"{document}.html" for document in documents() if document.startswith("chapters/ch")]
    for path in chapters:
        title, text = deck(path.read_text(encoding="utf8"))
        (target / path.name).write_text(text, encoding="utf8")
        decks.append((title, path.name))
        for address in re.findall(r'"((?:_static|_images)/[^"?#]+)', text):
            copy(site, target, address)
    for address in ("_static/site.css", "_static/favicon.svg"):
        copy(site, target, address)
    static = site / "_static"
    for font in (*static.glob("*.woff2"), *(static / "fonts").glob("*")):
        copy(site, target, font.relative_to(site).as_posix())
    for name in ("slides.css", "slides.js"):
        shutil.copy(HERE / name, target / "_static" / name)
    lines = "\n".join(f'<li><a href="{name}">{html.escape(title)}</a></li>' for title, name in decks)
    (target / "index.html").write_text(INDEX.format(lines=lines), encoding="utf8")
    return decks


def copy(site: Path, target: Path, address: str) -> None:
    source, place = site / address, target / address
    if source.exists() and not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place)


def main() -> None:
    decks = make_slides(SITE, SLIDES)
    print(f"Slides of {len(decks)} chapters: {(SLIDES / 'index.html').relative_to(ROOT)}")
