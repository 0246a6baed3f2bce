"""The map of `_ext`, its README, names every extension with its events and every command, and no other."""

import importlib
import re
from pathlib import Path

import pytest

from _ext import EXTENSIONS
from _ext.way import EMBLEMS, slug
from harness.site import ROOT

FOLDER = ROOT / "_ext"
MAP = (FOLDER / "README.md").read_text(encoding="utf8")
USUAL = 500  # Sphinx's own priority


def rows(heading: str) -> dict[str, list[str]]:
    """The rows of the table under a heading: the name, without its quotes, and the other cells."""
    part = MAP.partition(f"## {heading}")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in re.findall(r"^\| `.*$", part, re.M)]
    return {name.strip("`"): others for name, *others in cells}


class Recorder:
    """What `setup` is given in place of Sphinx: it writes down when the extension will act."""

    def __init__(self) -> None:
        self.steps: set[str] = set()

    def connect(self, event: str, function, priority: int = USUAL) -> None:
        self.steps.add(event if priority == USUAL else f"{event} {priority}")

    def add_directive(self, name: str, directive: type) -> None:
        self.steps.add(f"directive {name}")

    def add_transform(self, transform: type) -> None:
        self.steps.add(f"transform {transform.default_priority}")

    def add_post_transform(self, transform: type) -> None:
        self.steps.add(f"post-transform {transform.default_priority}")

    def __getattr__(self, name: str):
        return lambda *arguments, **options: None  # nodes, lexers and settings act when others ask


def test_every_extension_has_its_row():
    assert sorted(rows("The extensions")) == sorted(EXTENSIONS)
    assert f"{len(EXTENSIONS)} extensions" in MAP


@pytest.mark.parametrize("name", EXTENSIONS)
def test_the_map_says_when_an_extension_acts(name, monkeypatch):
    from _ext import typeset_math

    monkeypatch.setattr(typeset_math, "use_katex", lambda *arguments: None)
    for function in ("give_results", "name_columns_of_runs"):
        monkeypatch.setattr(importlib.import_module("_ext.execution"), function, lambda *arguments: None)
    recorder = Recorder()
    importlib.import_module(f"_ext.{name}").setup(recorder)
    _, when, *_ = rows("The extensions")[name]
    assert set(when.split(", ")) == recorder.steps


def test_every_command_is_named():
    modules = [path for path in FOLDER.rglob("*.py") if "__main__" in path.read_text(encoding="utf8")]
    modules += FOLDER.rglob("__main__.py")
    names = {".".join(path.relative_to(FOLDER).with_suffix("").parts) for path in modules}
    names = {name.removesuffix(".__main__").removesuffix(".__init__") for name in names}
    assert set(rows("Commands")) == names


def test_every_module_is_named():
    modules = {path.stem if path.suffix == ".py" else path.name for path in FOLDER.iterdir() if is_module(path)}
    assert {name for name in modules if f"`{name}`" not in MAP and f"`{name}.py`" not in MAP} == set()


def is_module(path: Path) -> bool:
    return not path.name.startswith("__") and (path.suffix == ".py" or (path / "__init__.py").exists())


def test_every_emblem_is_that_of_a_chapter():
    chapters = {slug(path.stem) for path in (ROOT / "chapters").glob("ch*.ipynb")}
    assert {path.stem for path in EMBLEMS.glob("*.svg")} - chapters == {"any_chapter"}
