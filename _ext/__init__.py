"""The Sphinx extensions of the book. What each one does stands at its top."""

import sys

from sphinx.application import Sphinx

# jsonschema would make a parser of web addresses at its import, in a second; no notebook is checked for any.
sys.modules.setdefault("rfc3987_syntax", None)

EXTENSIONS = [
    "alt_texts",
    "api",
    "card",
    "code_cells",
    "execution",
    "folds",
    "lean_page",
    "licences",
    "light_widgets",
    "links",
    "moved",
    "package_wheel",
    "page_head",
    "predict",
    "questions",
    "repository",
    "search_index",
    "section_times",
    "solution_cells",
    "valid_markup",
    "typeset_math",
    "way",
]


def setup(app: Sphinx):
    for name in EXTENSIONS:
        app.setup_extension(f"_ext.{name}")
    return {"version": "1", "parallel_read_safe": True}
