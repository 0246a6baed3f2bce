"""Addresses that pages once had: at each a small page that leads to where its chapter is now.

``chapters/data/moved.yml`` names them. A link that somebody shared keeps its place and the state of its figure, which
``moved.js`` takes along; without a script it leads to the top of the chapter. A chapter is named by its slug, so that
chapters can change their numbers; what leads to a chapter that the book does not have is left out.
"""

import json
from pathlib import Path

import yaml
from sphinx.application import Sphinx

from _ext.way import slug

HERE = Path(__file__).parent
FILE = HERE.parents[1] / "chapters" / "data" / "moved.yml"


def moved() -> dict[str, dict]:
    """For each former page of ``chapters/`` the slug of its chapter, ``to``, and its renamed ``places``."""
    return yaml.safe_load(FILE.read_text(encoding="utf8")) if FILE.exists() else {}


def old_pages(app: Sphinx):
    pages = {slug(docname): docname for docname in app.env.found_docs}
    for name, entry in moved().items():
        if entry["to"] not in pages or f"chapters/{name}" in app.env.found_docs:
            continue
        places = {}
        for place, goal in entry.get("places", {}).items():
            to, _, new = goal.partition("#")
            if (to or entry["to"]) in pages:
                places[place] = f"{pages[to or entry['to']].rpartition('/')[2]}.html#{new}"
        docname = pages[entry["to"]]
        context = {
            "title": app.env.titles[docname].astext(),
            "address": f"{docname.rpartition('/')[2]}.html",
            "places": json.dumps(places, separators=(",", ":")),
        }
        yield f"chapters/{name}", context, "moved.html"


def add_script(app: Sphinx) -> None:
    app.config.html_static_path.append(str(HERE / "static"))


def setup(app: Sphinx):
    app.connect("builder-inited", add_script)
    app.connect("html-collect-pages", old_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
