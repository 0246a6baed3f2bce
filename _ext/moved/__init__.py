"""Where a page is not: ``404.html``, which leads from an address that a page once had to where its chapter is now.

Static hosts (GitHub Pages, GitLab Pages, Netlify and others) answer with this page where they have no other, and so
does ``make serve``. ``chapters/data/moved.yml`` names the former addresses. A link that somebody shared keeps its place
and the state of its figure, which ``not_here.js`` takes along; without a script the reader finds the chapters named. A
chapter is named by its slug, so that chapters can change their numbers; what leads to a chapter that the book does not
have is left out.
"""

import json
from pathlib import Path

import yaml
from sphinx.application import Sphinx

from _ext.lean_page import scripts_in_page
from _ext.repository import site_address
from _ext.way import slug

HERE = Path(__file__).parent
FILE = HERE.parents[1] / "chapters" / "data" / "moved.yml"


def moved() -> dict[str, dict]:
    """For each former page of ``chapters/`` the slug of its chapter, ``to``, and its renamed ``places``."""
    return yaml.safe_load(FILE.read_text(encoding="utf8")) if FILE.exists() else {}


def where_now(docnames: set[str]) -> dict[str, dict]:
    """For each former page the address of its chapter, and the addresses of its renamed places."""
    addresses = {slug(docname): f"{docname}.html" for docname in docnames}
    now = {}
    for name, entry in moved().items():
        if entry["to"] not in addresses or f"chapters/{name}" in docnames:
            continue
        places = {}
        for place, goal in entry.get("places", {}).items():
            to, _, new = goal.partition("#")
            if (to or entry["to"]) in addresses:
                places[place] = f"{addresses[to or entry['to']]}#{new}"
        now[name] = {"to": addresses[entry["to"]], "places": places}
    return now


def page_not_here(app: Sphinx):
    (script,), policy = scripts_in_page(HERE / "not_here.js")
    chapters = sorted(name for name in app.env.found_docs if name.rpartition("/")[2].startswith("ch"))
    context = {
        "moved": json.dumps(where_now(app.env.found_docs), separators=(",", ":")),
        "links": [(f"{name}.html", app.env.titles[name].astext()) for name in chapters],
        "root": site_address(app),
        "own_script": script,
        "own_policy": policy if app.config.content_policy else None,
    }
    yield "404", context, "404.html"


def setup(app: Sphinx):
    app.connect("html-collect-pages", page_not_here)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
