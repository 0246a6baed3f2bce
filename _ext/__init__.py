"""The Sphinx extensions of the book, and the commands around it: ``README.md`` says which does what."""

from sphinx.application import Sphinx

from _ext.third_party import skip_address_grammar

skip_address_grammar()  # before anything imports nbformat

EXTENSIONS = [
    "alt_texts",
    "api",
    "chapter_times",
    "code_cells",
    "execution",
    "folds",
    "lean_page",
    "light_widgets",
    "links",
    "not_here",
    "package_wheel",
    "page_head",
    "predict",
    "published_model",
    "questions",
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
