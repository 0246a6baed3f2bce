"""The book and its chapters on paper: ``make pdf``, ``make handout``, ``make worksheet``, printed from the built site.

Chromium prints, and its scripts are off, so that each live figure is there as its static twin; the rest is the work of
``lean_page/styles/print.css``. The book has all folds open, code included, page numbers that go on from chapter to
chapter, a table of contents and bookmarks, links that lead from page to page of it, and tags for screen readers.
Nothing may be cut: what does not fit on the sheet stops the printing and is named.
"""

import html
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import yaml
from playwright.sync_api import Browser, Page
from pypdf import PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    Destination,
    DictionaryObject,
    FloatObject,
    NameObject,
    NumberObject,
    TextStringObject,
)

from _ext.build import BUILD, SITE
from _ext.execution import ROOT, documents
from _ext.third_party import add_to_pdf, read_site_map
from tools.browser import launched

BOOK = BUILD / "book.pdf"
LANGUAGE = "en"
WIDTHS = {"A4": 673, "Letter": 695}  # of the text, in CSS pixels: the sheet without the margins of print.css
CUT = """() => {
  const edge = document.documentElement.clientWidth + 1, range = document.createRange();
  const runsOff = ({ width, left, right }) => width && (left < -1 || right > edge);
  const cut = (element) => {
    if (element.closest(".katex-mathml, .unseen, svg") || !element.checkVisibility()) return false;
    const clips = getComputedStyle(element).overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
    if (clips || runsOff(element.getBoundingClientRect())) return true;
    return [...element.childNodes].some((node) => {
      if (node.nodeType !== Node.TEXT_NODE) return false;
      range.selectNodeContents(node);
      return runsOff(range.getBoundingClientRect());
    });
  };
  const description = (element) => `<${element.localName} class="${element.className}"> ${element.textContent.trim()}`;
  return [...document.querySelectorAll("article *")].filter(cut).map((element) => description(element).slice(0, 120));
}"""
SET = "settings => Object.assign(document.documentElement.dataset, settings)"
# Chromium keeps the place of an anchor only if the document itself links there.
MARK = """names => {
  const links = names.map((name) => Object.assign(document.createElement("a"), { href: `#${name}`, textContent: "." }));
  const box = document.createElement("p");
  box.style = "position: absolute; top: 0; left: 0; margin: 0; font-size: 1px; line-height: 0; opacity: 0.01";
  box.append(...links);
  document.querySelector("main").append(box);
}"""
ADD_STYLE = """text => {
  document.head.append(Object.assign(document.createElement("style"), { textContent: text }));
}"""
TITLE = """() => {
  const title = document.querySelector("h1").cloneNode(true);
  title.querySelector(".headerlink")?.remove();
  return title.textContent.replace(/\\s+/g, " ").trim();
}"""
# Of the chapter nothing but its exercises, without hints, solutions and results; lines to write on after each.
WORKSHEET = """() => {
  const exercises = document.querySelector("#exercises");
  if (!exercises) return 0;
  for (const part of [...exercises.parentElement.children]) {
    if (part !== exercises && part.localName !== "h1") part.remove();
  }
  exercises.querySelectorAll("details.fold:not(.code), .cell_output").forEach((part) => part.remove());
  const tasks = exercises.querySelectorAll(".exercise");
  const lines = () => Object.assign(document.createElement("div"), { className: "lines", innerHTML: "<hr>".repeat(7) });
  for (const task of [...tasks].slice(1)) task.before(lines());
  exercises.append(lines());
  exercises.parentElement.querySelector("h1").insertAdjacentHTML("afterend", "<p>Name:</p>");
  return tasks.length;
}"""
WORKSHEET_STYLE = """
.lines { break-inside: avoid; margin-bottom: 8mm }
.lines hr { height: 11mm; margin: 0; border: solid #888; border-width: 0 0 1px }
.exercise, #exercises pre { break-inside: avoid }
.exercise, #exercises .cell { break-after: avoid }
"""
COVER = """<main class="page">
<article class="title"><h1>{title}</h1><p>{author}</p><p><small>{licences}</small></p></article>
<article><h2>Contents</h2>{contents}</article></main>"""
COVER_STYLE = """
@page { @bottom-right { content: counter(page, lower-roman) } }
@page :first { @bottom-right { content: none } }
.title { height: 300mm; align-content: center; break-after: page }
.title h1 { font-size: 5rem }
.line { display: flex; justify-content: space-between; margin: 0 0 4px }
"""


class CutError(Exception):
    """Something does not fit on the sheet."""


@dataclass
class Printed:
    """One page of the site on paper."""

    document: str
    title: str
    pdf: PdfReader
    first: int = 0  # the index of its first sheet in the book
    places: dict[str, Destination] = field(init=False)

    def __post_init__(self) -> None:
        self.places = {name.lstrip("/"): place for name, place in self.pdf.named_destinations.items()}

    def sheet(self, place: Destination) -> int:
        return self.first + self.pdf.get_destination_page_number(place)

    def sections(self) -> list[Destination]:
        """The entries one level below the title in Chromium's outline."""
        lists = [item for item in self.pdf.outline if isinstance(item, list)]
        return [item for below in lists for item in below if isinstance(item, Destination)]


@contextmanager
def press(browser: Browser, paper: str) -> Iterator[Page]:
    """A browser page as wide as the text on a sheet of paper, without scripts."""
    size = {"width": WIDTHS[paper], "height": 1000}
    context = browser.new_context(java_script_enabled=False, color_scheme="light", viewport=size)
    page = context.new_page()
    page.emulate_media(media="print")
    yield page
    context.close()


def open_page(page: Page, document: str, *, code: str, solutions: str = "folded") -> None:
    page.goto(address(document), wait_until="load")
    page.evaluate(SET, {"code": code, "solutions": solutions})
    if cut := page.evaluate(CUT):
        raise CutError(f"{document}: does not fit on the sheet:\n  " + "\n  ".join(cut))


def print_page(page: Page, paper: str) -> bytes:
    return page.pdf(format=paper, prefer_css_page_size=True, print_background=True, outline=True, tagged=True)


def linked_places(page: Page, order: list[str]) -> dict[str, set[str]]:
    """For each document the anchors to which other pages link."""
    known = {address(document): document for document in order}
    anchors: dict[str, set[str]] = {document: set() for document in order}
    for here in known:
        page.goto(here, wait_until="domcontentloaded")
        for link in page.evaluate("[...document.querySelectorAll('article a[href]')].map((a) => a.href)"):
            target, name = urldefrag(link)
            if target in known and target != here and name:
                anchors[known[target]].add(unquote(name))
    return anchors


def print_book(browser: Browser, paper: str, contents: list[tuple[str, list[str]]], target: Path) -> None:
    """Print the pages of ``contents``, captions with documents under them, and bind them."""
    with press(browser, paper) as page:
        anchors = linked_places(page, [document for _, under in contents for document in under])
        first, parts = 0, []
        for caption, under in contents:
            parts.append((caption, []))
            for document in under:
                open_page(page, document, code="all")
                page.evaluate(MARK, sorted(anchors[document]))
                page.evaluate(ADD_STYLE, f"html {{ counter-reset: page {first} }}")
                chapter = Printed(document, page.evaluate(TITLE), reader(print_page(page, paper)), first)
                parts[-1][1].append(chapter)
                first += len(chapter.pdf.pages)
                print(f"  {len(chapter.pdf.pages):4d} sheets  {chapter.title}", flush=True)
        cover = print_cover(page, paper, parts)
    bind(cover, parts, target)


def print_cover(page: Page, paper: str, parts: list[tuple[str, list[Printed]]]) -> Printed:
    """The title page and the contents. Their links name pages of the site, as all links do until the book is bound."""
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
    lines = []
    for caption, chapters in parts:
        lines.append(f"<h3>{html.escape(caption)}</h3>" if caption else "")
        lines += [
            f'<p class="line"><a href="{address(chapter.document)}">{html.escape(chapter.title)}</a>'
            f"<span>{chapter.first + 1}</span></p>"
            for chapter in chapters
        ]
    text = COVER.format(
        title=html.escape(settings["title"]),
        author=html.escape(f"{settings['author']}, {settings['copyright']}"),
        licences=settings["sphinx"]["config"]["html_theme_options"]["extra_footer"],
        contents="".join(lines),
    )
    page.goto(address(parts[0][1][0].document), wait_until="load")  # for its style sheet
    page.evaluate("text => { document.body.innerHTML = text }", text)
    page.evaluate(ADD_STYLE, COVER_STYLE)
    return Printed("", settings["title"], reader(print_page(page, paper)))


def address(document: str) -> str:
    return (SITE / f"{document}.html").as_uri()


def contents_of_the_book() -> list[tuple[str, list[str]]]:
    """The captions of ``_toc.yml`` with the pages under them; first, under none, the front page."""
    root = read_site_map(ROOT / "_toc.yml").root
    return [("", [root.docname]), *((tree.caption or "", list(tree.files())) for tree in root.subtrees)]


def reader(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf))


def bind(cover: Printed, parts: list[tuple[str, list[Printed]]], target: Path) -> None:
    """Join the sheets, give them bookmarks and numbers, and let links lead from sheet to sheet."""
    writer, front = PdfWriter(), len(cover.pdf.pages)
    chapters = [chapter for _, under in parts for chapter in under]
    for chapter in chapters:
        chapter.first += front
    for one in (cover, *chapters):
        for sheet in one.pdf.pages:
            writer.add_page(sheet)
    by_address = {address(chapter.document): chapter for chapter in chapters}
    for one in (cover, *chapters):
        for number in range(one.first, one.first + len(one.pdf.pages)):
            for annotation in writer.pages[number].get("/Annots", []):
                lead(writer, annotation.get_object(), one, by_address)
    for caption, under in parts:
        above = writer.add_outline_item(title=caption, page_number=under[0].first) if caption else None
        for chapter in under:
            item = writer.add_outline_item(title=chapter.title, page_number=chapter.first, parent=above)
            for section in chapter.sections():
                writer.add_outline_item(title=str(section.title), page_number=chapter.sheet(section), parent=item)
    writer.set_page_label(0, front - 1, style=PageLabelStyle.LOWERCASE_ROMAN)
    writer.set_page_label(front, len(writer.pages) - 1, style=PageLabelStyle.DECIMAL)
    writer.add_metadata({"/Title": cover.title})
    tag(writer, [cover, *chapters])
    writer.compress_identical_objects()
    writer.write(target)


def tag(writer: PdfWriter, printed: list[Printed]) -> None:
    """Say the language, and join the trees of tags: by these a screen reader knows headings, lists, tables, figures."""
    root = writer.root_object
    whole = DictionaryObject(
        {NameObject("/Type"): NameObject("/StructElem"), NameObject("/S"): NameObject("/Document")}
    )
    whole_reference = add_to_pdf(writer, whole)
    tops, numbers = ArrayObject(), ArrayObject()
    for one in printed:
        first = len(numbers) // 2  # each page counts its keys from 0
        tree = one.pdf.trailer["/Root"]["/StructTreeRoot"].clone(writer)
        entries = sorted(numbers_of(tree["/ParentTree"]))
        for i, (_, elements) in enumerate(entries):
            numbers += [NumberObject(first + i), elements]
        place_of = {key: first + i for i, (key, _) in enumerate(entries)}
        for source, sheet in zip(one.pdf.pages, writer.pages[one.first :], strict=False):
            if "/StructParents" in source:  # which pypdf does not copy
                sheet[NameObject("/StructParents")] = NumberObject(place_of[source["/StructParents"]])
            for note in [note.get_object() for note in sheet.get("/Annots", [])]:
                if "/StructParent" in note:
                    note[NameObject("/StructParent")] = NumberObject(place_of[note["/StructParent"]])
        top = tree["/K"]
        for each in top if isinstance(top, ArrayObject) else [tree.raw_get("/K")]:
            each.get_object()[NameObject("/P")] = whole_reference
            tops.append(each)
    whole[NameObject("/K")] = tops
    parents = DictionaryObject({NameObject("/Nums"): numbers})
    structure = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/StructTreeRoot"),
            NameObject("/K"): whole_reference,
            NameObject("/ParentTree"): add_to_pdf(writer, parents),
            NameObject("/ParentTreeNextKey"): NumberObject(len(numbers) // 2),
        }
    )
    whole[NameObject("/P")] = root[NameObject("/StructTreeRoot")] = add_to_pdf(writer, structure)
    root[NameObject("/MarkInfo")] = DictionaryObject({NameObject("/Marked"): BooleanObject(True)})
    root[NameObject("/Lang")] = TextStringObject(LANGUAGE)


def numbers_of(tree: DictionaryObject) -> Iterator[tuple[int, Any]]:
    """The entries of a number tree: key, value as it stands there."""
    for below in tree.get("/Kids", []):
        yield from numbers_of(below.get_object())
    flat = list(tree.get("/Nums", []))
    yield from zip(map(int, flat[::2]), flat[1::2], strict=True)


def lead(writer: PdfWriter, link: DictionaryObject, here: Printed, by_address: dict[str, Printed]) -> None:
    """Make a link of one printed page a link of the book. One that leads out of the book stays as it is."""
    if "/Dest" in link:
        goal, name = here, str(link["/Dest"]).lstrip("/")
    else:
        target, name = urldefrag(str(link.get("/A", {}).get("/URI", "")))
        if target not in by_address:
            return
        goal, name = by_address[target], unquote(name)
        del link["/A"]
    place = goal.places.get(name)
    sheet = writer.pages[goal.sheet(place) if place else goal.first].indirect_reference
    top = FloatObject(place.top if place and place.top is not None else 842)
    link[NameObject("/Dest")] = ArrayObject([sheet, NameObject("/XYZ"), FloatObject(0), top, FloatObject(0)])


def print_handout(browser: Browser, paper: str, chapter: str, *, solutions: bool) -> Path:
    """One chapter, named as its file, its slug or its number."""
    document = document_of(chapter)
    target = BUILD / f"handout_{Path(document).name}{'' if solutions else '_without_solutions'}.pdf"
    with press(browser, paper) as page:
        open_page(page, document, code="shown", solutions="folded" if solutions else "none")
        target.write_bytes(print_page(page, paper))
    return target


def print_worksheet(browser: Browser, paper: str, chapter: str) -> Path:
    """The exercises of a chapter, with room to write."""
    document = document_of(chapter)
    target = BUILD / f"worksheet_{Path(document).name}.pdf"
    with press(browser, paper) as page:
        open_page(page, document, code="shown", solutions="none")
        if not page.evaluate(WORKSHEET):
            raise ValueError(f"expected CHAPTER=a chapter with exercises; got {chapter!r}")
        page.evaluate(ADD_STYLE, WORKSHEET_STYLE)
        target.write_bytes(print_page(page, paper))
    return target


def document_of(chapter: str) -> str:
    matches = [document for document in documents() if chapter in names_of(document)]
    if len(matches) != 1:
        known = ", ".join(document.removeprefix("chapters/") for document in documents())
        raise ValueError(f"expected CHAPTER=one of {known}; got {chapter!r}")
    return matches[0]


def names_of(document: str) -> set[str]:
    name = Path(document).name
    start, _, slug = name.partition("_")
    return {name, start, slug} - {""}


def main() -> None:
    paper, chapter = os.environ.get("PAPER") or "A4", os.environ.get("CHAPTER", "")
    try:
        if paper not in WIDTHS:
            raise ValueError(f"expected PAPER={' or '.join(WIDTHS)}; got {paper!r}")
        with launched() as browser:
            if chapter and os.environ.get("WORKSHEET"):
                target = print_worksheet(browser, paper, chapter)
            elif chapter:
                solutions = os.environ.get("SOLUTIONS", "1") not in ("", "0")
                target = print_handout(browser, paper, chapter, solutions=solutions)
            else:
                target = BOOK
                print_book(browser, paper, contents_of_the_book(), target)
    except (CutError, ValueError) as error:
        sys.exit(str(error))
    print(f"{len(PdfReader(target).pages)} sheets of {paper}, {target.stat().st_size / 1e6:.1f} MB: ", end="")
    print(target.relative_to(ROOT))


if __name__ == "__main__":
    main()
