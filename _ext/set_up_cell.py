"""The first code cell of every chapter: it installs the book's package where a notebook runs without it.

As a script (``python _ext/set_up_cell.py``) it puts the cell into the chapters that lack it and renews it in the
others. The stored notebooks name no address, so that a fork needs no edit; `package_wheel` fills it in, in the copies that the site
offers for download.
"""

import json
import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).parent.parent
CELL_ID = "set-up"
TAG = "remove-cell"  # the page says elsewhere how to run it
ADDRESS = re.compile(r'^PACKAGE = ".*"', re.MULTILINE)
SOURCE = """\
# Where the book's package is missing, as on Colab or beside a downloaded notebook, this installs it.
import importlib.util

PACKAGE = ""  # where pip finds it; the published book fills it in
if importlib.util.find_spec("inorder") is None:
    if not PACKAGE:
        raise ModuleNotFoundError(
            "This notebook needs the book's package: download its wheel from the front page of the book, "
            "run %pip install with the path of that file, and run this cell again."
        )
    %pip install --quiet "{PACKAGE}\""""


def with_address(notebook: nbformat.NotebookNode, address: str) -> bool:
    """Let the set-up cell install the package from ``address``; False where the notebook has no such cell."""
    for cell in notebook.cells:
        if cell.get("id") == CELL_ID:
            cell.source = ADDRESS.sub(lambda _: f"PACKAGE = {json.dumps(address)}", cell.source, count=1)
            return True
    return False


def write_into(path: Path) -> bool:
    """Put the cell first among the code cells of a notebook; False where it already stands there."""
    notebook = nbformat.read(path, 4)
    cell = nbformat.v4.new_code_cell(SOURCE, id=CELL_ID, metadata={"tags": [TAG]})
    others = [other for other in notebook.cells if other.get("id") != CELL_ID]
    first = next((i for i, other in enumerate(others) if other.cell_type == "code"), len(others))
    cells = [*others[:first], cell, *others[first:]]
    if cells == notebook.cells:
        return False
    notebook.cells = cells
    nbformat.write(notebook, path)
    return True


if __name__ == "__main__":
    for path in sorted((ROOT / "chapters").glob("ch*.ipynb")):
        print(f"{'written  ' if write_into(path) else 'unchanged'}  {path.relative_to(ROOT)}")
