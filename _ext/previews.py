"""What a term or a citation means, for the page that links to it: ``_static/previews.js``.

That file calls ``bookPreviews`` with ``{"chapters/glossary.html#term-softmax": "<p>…</p>", …}``: each definition of the
glossary and each entry of the bibliography, as the built pages have them, without links. A page fetches it when the
reader first points at such a link (``lean_page/scripts/previews.js``), so that no page grows; it is a script, not JSON,
because a page that was opened from a disk may fetch no other file.
"""

import json
from pathlib import Path

from bs4 import BeautifulSoup
from sphinx.application import Sphinx

MARKS = ('<dt id="term-', 'class="citation"')  # of pages that have something to preview


def previews_of(page: str) -> dict[str, str]:
    """The definitions and the entries of a page, by their places on it."""
    soup = BeautifulSoup(page, "html.parser")
    for link in soup.select("a"):
        link.unwrap()  # nobody can get to a link in what closes when the pointer or the focus leaves
    definitions = {term["id"]: term.find_next_sibling("dd") for term in soup.select("dt[id^=term-]")}
    entries = {entry["id"]: entry.find("p", recursive=False) for entry in soup.select("div.citation[id]")}
    return {
        **{place: text.decode_contents().strip() for place, text in definitions.items() if text},
        **{place: str(text) for place, text in entries.items() if text},
    }


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    found = {}
    for path in sorted(site.rglob("*.html")):
        text = path.read_text(encoding="utf8")
        if any(mark in text for mark in MARKS):
            page = path.relative_to(site).as_posix()
            found |= {f"{page}#{place}": preview for place, preview in previews_of(text).items()}
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    (site / "_static" / "previews.js").write_text(f"bookPreviews({text})", encoding="utf8")


def setup(app: Sphinx):
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
