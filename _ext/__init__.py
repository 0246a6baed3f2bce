"""The Sphinx extensions of the book, and the commands around it: ``README.md`` says which does what."""

import sys

from sphinx.application import Sphinx

# For jsonschema, which nbformat imports: a grammar of web addresses that takes a second, and that no notebook needs.
sys.modules.setdefault("rfc3987_syntax", None)

EXTENSIONS = [
    "alt_texts",
    "api",
    "code_cells",
    "execution",
    "folds",
    "lean_page",
    "light_widgets",
    "links",
    "not_here",
    "package_wheel",
    "page_head",
    "pointers",
    "predict",
    "published_model",
    "redirects",
    "repository",
    "search_index",
    "solution_cells",
    "valid_markup",
    "typeset_math",
    "way",
]


def setup(app: Sphinx):
    for name in EXTENSIONS:
        app.setup_extension(f"_ext.{name}")
    return {"version": "1", "parallel_read_safe": True}
