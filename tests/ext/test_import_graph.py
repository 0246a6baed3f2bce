"""What a piece of Python can see: on a made-up package, and for the chapters against what importing really brings."""

import ast
import importlib
from functools import cache
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

from _ext.execution import PACKAGE, inputs
from _ext.import_graph import ImportGraph
from harness.site import ROOT

FILES = {
    "pkg/__init__.py": "",
    "pkg/low.py": "x = 1",
    "pkg/other.py": "y = 2",
    "pkg/high.py": "def f():\n    from .low import x\n    return x",
    "pkg/exports/__init__.py": '"""A."""\nfrom pkg.exports.a import fa\nfrom .b import fb as g\n__all__ = ["fa", "g"]',
    "pkg/exports/a.py": "from ..low import x as fa",
    "pkg/exports/b.py": "import pkg.high\nfb = pkg.high.f",
    "pkg/works/__init__.py": "from pkg.works.part import p\nq = p + 1",
    "pkg/works/part.py": "p = 1",
    "pkg/works/rest.py": "r = 1",
    "pkg/own/__init__.py": "from pkg.own import part",
    "pkg/own/part.py": "import pkg.low",
    "pkg/named.py": "import importlib\nm = importlib.import_module('pkg.' + 'low')",
    "elsewhere.py": "from pkg.other import y",
}


@pytest.fixture
def graph(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return ImportGraph((tmp_path,))


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("import numpy", ""),
        ("import pkg", "pkg/__init__"),
        ("import pkg.low as low", "pkg/__init__ pkg/low"),
        ("from pkg import low", "pkg/__init__ pkg/low"),
        ("from pkg.high import f", "pkg/__init__ pkg/high pkg/low"),
        ("def late():\n    import elsewhere", "elsewhere pkg/__init__ pkg/other"),
        # an __init__ of imports alone passes names on: only where they come from counts
        ("from pkg.exports import fa", "pkg/__init__ pkg/exports/__init__ pkg/exports/a pkg/low"),
        ("from pkg.exports import g", "pkg/__init__ pkg/exports/__init__ pkg/exports/b pkg/high pkg/low"),
        ("from pkg.exports import a", "pkg/__init__ pkg/exports/__init__ pkg/exports/a pkg/low"),
        *(
            (s, "pkg/__init__ pkg/exports/__init__ pkg/exports/a pkg/exports/b pkg/high pkg/low")
            for s in ("from pkg.exports import *", "from pkg import exports", "import pkg.exports")
        ),
        ("from pkg.own import part", "pkg/__init__ pkg/low pkg/own/__init__ pkg/own/part"),
        # one that computes is followed, whatever is imported through it
        ("from pkg.works.rest import r", "pkg/__init__ pkg/works/__init__ pkg/works/part pkg/works/rest"),
        ("from pkg.works import q", "pkg/__init__ pkg/works/__init__ pkg/works/part"),
    ],
)
def test_made_up(graph, source, seen):
    (folder,) = graph.folders
    assert {path.relative_to(folder).with_suffix("").as_posix() for path in graph.reached(source)} == set(seen.split())


@pytest.mark.parametrize(
    "source",
    ["from pkg.named import m", "__import__('pkg')", "get_ipython().run_line_magic('run', 'x.py')", "no Python"],
)
def test_a_computed_name_may_be_any_module(graph, source):
    (folder,) = graph.folders
    assert graph.reached(source) == {folder / name for name in FILES}


def test_pip_imports_nothing(graph):
    assert graph.reached("get_ipython().run_line_magic('pip', 'install x')") == set()


def modules_behind(namespace: dict) -> set[str]:
    """The modules of the package that what is named here was defined in, and what is named in those, and so on."""
    result: set[str] = set()
    waiting = [namespace]
    while waiting:
        for value in waiting.pop().values():
            name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(name, str) and name.split(".")[0] == "inorder" and name not in result:
                result.add(name)
                waiting.append(vars(importlib.import_module(name)))
    return result


@cache
def everything() -> set[Path]:
    return PACKAGE.reached("__import__('inorder')")


@pytest.mark.parametrize("path", sorted((ROOT / "chapters").glob("*.ipynb")), ids=lambda path: path.stem)
def test_nothing_that_a_chapter_uses_is_missed(path):
    code = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    statements = [
        ast.unparse(node)
        for cell in code
        if "%" not in cell.source
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.ImportFrom) and node.module.startswith("inorder")
    ]
    assert statements or not any("from inorder" in cell.source for cell in code if "%" not in cell.source)
    namespace: dict = {}
    exec("\n".join(statements), namespace)
    seen = inputs(code)
    for name in modules_behind(namespace):
        assert Path(importlib.import_module(name).__file__) in seen, name
    assert len(seen) < len(everything()), "it sees everything"
