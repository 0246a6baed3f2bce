"""The first code cell of every chapter: it installs the book's package where a notebook runs without it.

As a script (``python -m _ext.set_up_cell``) it puts the cell into the chapters that lack it and renews it in the
others. The stored cell installs from the repository, if its address is known when the script runs. To publish
or fork the book, run it once, so that Colab, which opens the stored notebooks, installs from there. In the copies
that a site offers for download, `package_wheel` names the wheel of that site.
"""

import ast
import json
import re
import textwrap
from pathlib import Path

import nbformat

from _ext import repository

ROOT = Path(__file__).parent.parent
TAG = "set-up"
FOLDED = {"source_hidden": True}  # in JupyterLab; the page leaves the cell out
TAGS = [TAG, "remove-cell"]  # the page itself has no use for it
ADDRESS = re.compile(r"""^PACKAGE = ("[^"\n]*"|\((?:\n    ".*")+\n\))""", re.MULTILINE)
WIDTH = 76  # of a notebook's lines, as chapters/ruff.toml has it
LONGEST = WIDTH - len('PACKAGE = ""')
SOURCE = """\
# Where the book's package is missing, as on Colab or beside a downloaded
# notebook, this installs it.
import importlib.util

# What pip installs; the published book fills it in.
PACKAGE = ""
if importlib.util.find_spec("inorder") is None:
    if not PACKAGE:
        raise ModuleNotFoundError(
            "This notebook needs the book's package: download its wheel "
            "from the front page of the book, run "
            "%pip install 'inorder[book,lab] @ file://' with that file's "
            "path at the end, and run this cell again."
        )
    %pip install --quiet "{PACKAGE}\""""


def set_up_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if TAG in cell.metadata.get("tags", [])]


def with_address(source: str, address: str) -> str:
    """The text of the cell, installing from ``address``."""
    written = json.dumps(address)
    if len(address) > LONGEST:
        parts = textwrap.wrap(address, WIDTH - 6, drop_whitespace=False, break_on_hyphens=False)
        written = "(\n" + "".join(f"    {json.dumps(part)}\n" for part in parts) + ")"
    return ADDRESS.sub(lambda _: f"PACKAGE = {written}", source, count=1)


def address_in(source: str) -> str:
    """What the cell installs."""
    return ast.literal_eval(ADDRESS.search(source)[1])


def write_into(path: Path, address: str = "") -> bool:
    """Put the cell first among the code cells of a notebook; False where it already stands there.

    Without an ``address``, one that the notebook names is kept.
    """
    notebook = nbformat.read(path, 4)
    old = set_up_cells(notebook)
    if not address and old:
        address = address_in(old[0].source)
    cells = [cell for cell in notebook.cells if cell not in old]
    first = next((i for i, cell in enumerate(cells) if cell.cell_type == "code"), len(cells))
    cells.insert(
        first, nbformat.v4.new_code_cell(with_address(SOURCE, address), metadata={"jupyter": FOLDED, "tags": TAGS})
    )
    for i, cell in enumerate(cells):
        cell.id = str(i)  # as nbstripout leaves them
    text = nbformat.writes(nbformat.from_dict(notebook | {"cells": cells})) + "\n"
    changed = text != path.read_text(encoding="utf8")
    if changed:
        path.write_text(text, encoding="utf8")
    return changed


if __name__ == "__main__":
    for path in sorted((ROOT / "chapters").glob("ch*.ipynb")):
        done = "written  " if write_into(path, repository.package_address()) else "unchanged"
        print(f"{done}  {path.relative_to(ROOT)}")
