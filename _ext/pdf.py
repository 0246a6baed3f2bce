"""The book on paper: ``make pdf``; one chapter: ``make pdf CHAPTER=ch06``, or ``CHAPTER='ch06?solutions=none'``.

Both are printed from the built site by Chromium. For the book its pages are joined to one: so a link leads from sheet
to sheet, headings are bookmarks, and a screen reader finds tags. The browser's scripts are off, and each live figure is
there as its static twin; how all looks is the work of ``lean_page/styles/print.css``. What may follow a chapter's ``?``
is what may follow it in its address.
"""

import html
import os
import re
import sys
from pathlib import Path
from urllib.parse import parse_qsl, urldefrag, urljoin

import yaml
from bs4 import BeautifulSoup
from playwright.sync_api import Browser
from pypdf import PdfReader
from sphinx_external_toc.parsing import parse_toc_yaml

from _ext.build import BUILD, SITE
from _ext.execution import ROOT, documents
from _ext.way import slug
from tools.browser import launched

PAPERS = ("A4", "Letter")
NAMES = ("id", "aria-labelledby")
IN_ADDRESS = {"solutions": "none", "only": "exercises"}
SET = "settings => Object.assign(document.documentElement.dataset, settings)"
BOOK = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title><link rel="stylesheet" href="_static/site.css"></head>
<body><div class="page"><main>
<article class="cover"><h1>{title}</h1><p>{author}, {copyright}</p><p><small>{licences}</small></p></article>
<article class="table-of-contents"><h2>Contents</h2>{lines}</article>
</main></div>{pages}</body>
</html>"""


def joined(document: str, printed: list[str]) -> str:
    """A page of the site, with its names and its links as they are where all ``printed`` pages are one."""
    text = (SITE / f"{document}.html").read_text(encoding="utf8")
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
    return str(page)


def contents(parts: list[tuple[str, list[str]]], sheets: dict[str, int]) -> str:
    """The captions of the parts, and their pages, each with the number of its first sheet."""
    lines = []
    for caption, names in parts:
        lines.append(f"<h3>{html.escape(caption)}</h3>")
        for name in names:
            title = re.search(r"<title>(.+) &#8212; ", (SITE / f"{name}.html").read_text("utf8"))[1]
            lines.append(f'<p><a href="#{slug(name)}">{title}</a><span>{sheets.get(name, 0)}</span></p>')
    return "\n".join(lines)


def print_page(browser: Browser, source: Path, settings: dict[str, str], paper: str, target: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(source.as_uri(), wait_until="load")
    page.evaluate(SET, settings)
    page.pdf(path=target, format=paper, print_background=True, outline=True, tagged=True)
    context.close()


def print_book(browser: Browser, parts: list[tuple[str, list[str]]], paper: str, target: Path) -> None:
    """Printed twice: where a chapter begins is known once all sheets are there."""
    printed = [name for _, names in parts for name in names]
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
    licences = settings["sphinx"]["config"]["html_theme_options"]["extra_footer"]
    pages = "".join(joined(name, printed) for name in printed)
    source = SITE / "paper.html"  # beside the files that it needs
    sheets: dict[str, int] = {}
    try:
        for _ in range(2):
            text = BOOK.format(**settings, licences=licences, lines=contents(parts, sheets), pages=pages)
            source.write_text(text, encoding="utf8")
            print_page(browser, source, {"code": "all"}, paper, target)
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
    print_page(browser, SITE / f"{known[found[0]]}.html", settings, paper, target)
    return target


def main() -> None:
    paper, chapter = os.environ.get("PAPER") or PAPERS[0], os.environ.get("CHAPTER")
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
