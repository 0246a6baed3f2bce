"""One notebook, made a page by a Sphinx of its own: no theme, only the extensions that are asked for."""

import io
from pathlib import Path
from typing import Any

import nbformat
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils


def page_of(notebook: dict[str, Any], folder: Path, **settings: Any) -> tuple[str, str]:
    """The page that the notebook makes, and the warnings. Nothing is executed."""
    nbformat.write(nbformat.from_dict(notebook), folder / "index.ipynb")
    warnings = io.StringIO()
    folders = (folder, None, folder / "out", folder / "trees")
    with patch_docutils(), docutils_namespace():  # else what it registers would be there for the next test's book
        Sphinx(*folders, "html", settings | {"nb_execution_mode": "off"}, io.StringIO(), warnings).build()
    return (folder / "out" / "index.html").read_text(encoding="utf8"), warnings.getvalue()
