"""The alternative text of a cell's image is the text/plain that its own code gave with it."""

from harness.page_of_cells import page_of

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>'


def build(tmp_path, text: str) -> tuple[str, str]:
    """The page and the warnings of a book of one notebook, whose one cell has shown an image with that text."""
    display = {"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": SVG, "text/plain": text}}
    cell = {"cell_type": "code", "id": "a", "execution_count": 1, "source": "f()", "outputs": [display]}
    cell["metadata"] = {"mystnb": {"figure": {"name": "fig-one", "caption": "**One.** What to see."}}}
    title = {"cell_type": "markdown", "id": "b", "metadata": {}, "source": "# Title"}
    notebook = {"cells": [title, cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return page_of(notebook, tmp_path, extensions=["myst_nb", "_ext.alt_texts"])


def test_text_of_the_output_is_the_alt_text(tmp_path):
    page, warnings = build(tmp_path, 'A triangle that points "down".')
    assert 'alt="A triangle that points &quot;down&quot;."' in page
    assert "alternative text" not in warnings


def test_an_image_without_a_text_of_its_own_is_a_warning(tmp_path):
    _, warnings = build(tmp_path, "<Figure size 640x480 with 1 Axes>")
    assert "an image has no alternative text: its text/plain is '<Figure size 640x480 with 1 Axes>'" in warnings
