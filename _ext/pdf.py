"""The book on paper: ``make pdf``; one chapter: ``make pdf CHAPTER=ch06``, or ``CHAPTER='ch06?solutions=none'``.

Both are printed from the built site by Chromium, with the live figures as they are first shown. For the book its pages
are joined to one: so a link leads from sheet to sheet, headings are bookmarks, and a screen reader finds tags. How all
looks is the work of ``lean_page/styles/print.css``. What may follow a chapter's ``?`` is what may follow it in its
address.
"""

import html
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from urllib.parse import parse_qsl, urldefrag, urljoin

import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page
from pypdf import PdfReader
from sphinx_external_toc.parsing import parse_toc_yaml

from _ext.build import BUILD, SITE
from _ext.execution import ROOT, documents
from _ext.way import slug
from tools.browser import launched

PAPERS = {"A4": 673, "Letter": 695}  # the width of the text, in CSS pixels: without the margins of print.css
NAMES = ("id", "aria-labelledby")
IN_ADDRESS = {"solutions": "none", "only": "exercises"}
SET = "settings => Object.assign(document.documentElement.dataset, settings)"
UNMOUNTED = ".inorder-view:not(:has(.inorder-figure))"
STILL = """() => {
  for (const canvas of document.querySelectorAll("canvas")) {
    const image = new Image();
    image.src = canvas.toDataURL();
    image.className = canvas.className;
    image.style.cssText = canvas.style.cssText;
    Object.assign(image.style, { width: `${canvas.offsetWidth}px`, height: `${canvas.offsetHeight}px` });
    canvas.replaceWith(image);
  }
  for (const twin of document.querySelectorAll(".inorder-view + noscript")) twin.remove();
  const sheets = [...document.querySelectorAll('link[rel=stylesheet][href*="/widgets/"]')];
  return [document.querySelector("div.page").outerHTML, sheets.map((sheet) => sheet.getAttribute("href"))];
}"""
BOOK = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title><link rel="stylesheet" href="_static/site.css">{sheets}</head>
<body><div class="page"><main>
<article class="cover"><h1>{title}</h1><p>{author}, {copyright}</p><p><small>{licences}</small></p></article>
<article class="table-of-contents"><h2>Contents</h2>{lines}</article>
</main></div>{pages}</body>
</html>"""


@contextmanager
def opened(browser: Browser, document: str, paper: str, settings: dict[str, str]) -> Iterator[Page]:
    """A page of the site as it will be printed, with all its figures drawn."""
    with browser.new_page(viewport={"width": PAPERS[paper], "height": 1000}, reduced_motion="reduce") as page:
        page.emulate_media(media="print")
        page.goto((SITE / f"{document}.html").as_uri(), wait_until="load")
        page.evaluate(SET, settings)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.locator(UNMOUNTED).first.wait_for(state="detached")
        yield page


def joined(browser: Browser, document: str, paper: str, printed: list[str]) -> tuple[str, list[str]]:
    """A page, with names and links as they are where all ``printed`` pages are one, and its figures' style sheets."""
    with opened(browser, document, paper, {"code": "all"}) as page:
        text, sheets = page.evaluate(STILL)
    page = BeautifulSoup(text, "html.parser").select_one("div.page")
    addresses = {f"{name}.html": slug(name) for name in printed}
    for tag in page.find_all(True):
        for name in [name for name in NAMES if name in tag.attrs]:
            tag[name] = f"{slug(document)}--{tag[name]}"
        if "src" in tag.attrs:
            tag["src"] = urljoin(f"{document}.html", tag["src"])
        if "href" in tag.attrs:
            target, place = urldefrag(urljoin(f"{document}.html", tag["href"]))
            if target in addresses:
                tag["href"] = "#" + "--".join(filter(None, (addresses[target], place)))
    page["id"] = slug(document)
    return str(page), [urljoin(f"{document}.html", sheet) for sheet in sheets]


def contents(parts: list[tuple[str, list[str]]], sheets: dict[str, int]) -> str:
    """The captions of the parts, and their pages, each with the number of its first sheet."""
    lines = []
    for caption, names in parts:
        lines.append(f"<h3>{html.escape(caption)}</h3>")
        for name in names:
            title = re.search(r"<title>(.+) &#8212; ", (SITE / f"{name}.html").read_text("utf8"))[1]
            lines.append(f'<p><a href="#{slug(name)}">{title}</a><span>{sheets.get(name, 0)}</span></p>')
    return "\n".join(lines)


def save(page: Page, paper: str, target: Path) -> None:
    page.pdf(path=target, format=paper, print_background=True, outline=True, tagged=True)


def print_book(browser: Browser, parts: list[tuple[str, list[str]]], paper: str, target: Path) -> None:
    """Printed twice: where a chapter begins is known once all sheets are there."""
    printed = [name for _, names in parts for name in names]
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
    licences = settings["sphinx"]["config"]["html_theme_options"]["extra_footer"]
    pages, styles = zip(*(joined(browser, name, paper, printed) for name in printed), strict=True)
    links = "".join(f'<link rel="stylesheet" href="{style}">' for style in dict.fromkeys(chain(*styles)))
    source = SITE / "paper.html"  # beside the files that it needs
    sheets: dict[str, int] = {}
    try:
        for _ in range(2):
            lines = contents(parts, sheets)
            text = BOOK.format(**settings, sheets=links, licences=licences, lines=lines, pages="".join(pages))
            source.write_text(text, encoding="utf8")
            with opened(browser, source.stem, paper, {"code": "all"}) as page:
                save(page, paper, target)
            book = PdfReader(target)
            places = {name.lstrip("/"): place for name, place in book.named_destinations.items()}
            sheets = {name: book.get_destination_page_number(places[slug(name)]) + 1 for name in printed}
    finally:
        source.unlink()


def print_chapter(browser: Browser, chapter: str, paper: str) -> Path:
    """One page of the book, named as its file, its slug or its number, perhaps with ``?`` and what it leaves out."""
    wanted, _, query = chapter.partition("?")
    known = {document.rpartition("/")[2]: document for document in documents()}
    found = [name for name in known if wanted in (name, slug(name), name.partition("_")[0])]
    if len(found) != 1:
        raise ValueError(f"expected CHAPTER=one of {', '.join(known)}; got {wanted!r}")
    settings = dict(parse_qsl(query))
    if not settings.items() <= IN_ADDRESS.items() or bool(query) > bool(settings):
        raise ValueError(f"expected, after the chapter, ?solutions=none&only=exercises or one of both; got {query!r}")
    target = BUILD / f"{'_'.join([found[0], *settings])}.pdf"
    with opened(browser, known[found[0]], paper, settings) as page:
        save(page, paper, target)
    return target


def main() -> None:
    paper, chapter = os.environ.get("PAPER") or "A4", os.environ.get("CHAPTER")
    if paper not in PAPERS:
        sys.exit(f"expected PAPER={' or '.join(PAPERS)}; got {paper!r}")
    root, target = parse_toc_yaml(ROOT / "_toc.yml").root, BUILD / "book.pdf"
    parts = [("", [root.docname]), *((tree.caption or "", list(tree.files())) for tree in root.subtrees)]
    with launched() as browser:
        if not chapter:
            print_book(browser, parts, paper, target)
        else:
            try:
                target = print_chapter(browser, chapter, paper)
            except ValueError as error:
                sys.exit(str(error))
    print(f"{len(PdfReader(target).pages)} sheets of {paper}: {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
