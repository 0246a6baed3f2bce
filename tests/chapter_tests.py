"""What the tests know of the chapters in the book."""

import ast
import json
from pathlib import Path

from harness.chapter import run_chapter

CHAPTERS = Path(__file__).parents[1] / "chapters"


def code_cells(path: Path) -> list[dict]:
    """The code cells of a notebook."""
    cells = json.loads(path.read_text(encoding="utf8"))["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in cells if cell["cell_type"] == "code"]


def imports(path: Path) -> dict:
    """What a notebook imports, by name."""
    scope: dict = {}
    for cell in code_cells(path):
        if "%pip" not in cell["source"]:
            nodes = [node for node in ast.parse(cell["source"]).body if isinstance(node, ast.Import | ast.ImportFrom)]
            exec("\n".join(map(ast.unparse, nodes)), scope)
    return scope


HIDDEN_PACKAGE = """\
from importlib import metadata

distribution_of = metadata.distribution


def distribution(name):
    if name == {package!r}:
        raise metadata.PackageNotFoundError(name)
    return distribution_of(name)


metadata.distribution = distribution
"""


def printed_without(package: str, slug: str) -> str:
    """What a chapter prints where ``package`` isn't found; its checks hold there, too."""
    done = run_chapter(slug, HIDDEN_PACKAGE.format(package=package))
    assert not any(done.results.values()), done.results
    return done.printed
