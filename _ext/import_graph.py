"""Which files a piece of Python can see: the modules that it imports, those that these import, and so on.

Nothing is imported here: the syntax trees say what is named. Where they leave a doubt, the answer is the larger set: a
module imported by a computed name counts as every module, except those that hold tests. One assumption is made, that
importing a module of ours changes nothing elsewhere: so ``from package import name`` sees the module that the name
comes from, and not the others that an ``__init__.py`` made of imports alone imports too.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

DYNAMIC = {"__import__", "import_module", "reload", "run_module", "run_path", "run_line_magic"}
MAGICS_THAT_IMPORT_NOTHING = {"pip", "matplotlib", "time", "timeit"}


class Import(NamedTuple):
    """``import module`` where ``names`` is empty, else ``from ..module import names``, of ``level`` dots."""

    module: str
    names: tuple[tuple[str, str], ...]  # (name, the name that it gets)
    level: int


class Syntax(NamedTuple):
    imports: tuple[Import, ...]
    computes_names: bool  # of modules
    only_imports: bool


@dataclass(frozen=True)
class ImportGraph:
    """The modules that lie in some folders, as if these stood on ``sys.path``."""

    folders: tuple[Path, ...]

    def reached(
        self, source: str, path: Path | None = None, known: dict[Path, list[tuple[Path, bool]]] | None = None
    ) -> set[Path]:
        """The files that ``source`` can see. ``path`` is where it stands, which relative imports need.

        ``known`` keeps from one call to the next what each file names, for as long as no file changes.
        """
        known = {} if known is None else known
        seen: set[Path] = set()
        followed: set[Path] = set()
        waiting = list(self._named(source, path))
        while waiting:
            file, follow = waiting.pop()
            seen.add(file)
            if follow and file not in followed:
                followed.add(file)
                if file not in known:
                    known[file] = list(self._named(file.read_text(encoding="utf8"), file))
                waiting += known[file]
        return seen

    def _named(self, source: str, path: Path | None) -> Iterator[tuple[Path, bool]]:
        """The files that ``source`` names, and whether to follow what they import in turn."""
        syntax = read_syntax(source)
        if syntax.computes_names:
            yield from ((file, True) for file in self._everything())
        for statement in syntax.imports:
            if not statement.names:
                yield from self._module(statement.module)
            for name, _ in statement.names:
                yield from self._name(self._absolute(statement, path), name)

    def _everything(self) -> Iterator[Path]:
        """Every module but those that hold tests, which nothing imports."""
        for folder in self.folders:
            packages = (package.parent.rglob("*.py") for package in folder.glob("*/__init__.py"))
            yield from (file for file in chain(folder.glob("*.py"), *packages) if not file.name.startswith("test_"))

    def _module(self, module: str) -> Iterator[tuple[Path, bool]]:
        file = self._find(module)
        if file:
            yield file, True
            parts = module.split(".")[:-1]
            for parent in filter(None, (self._find(".".join(parts[: i + 1])) for i in range(len(parts)))):
                yield parent, not read_syntax(parent.read_text(encoding="utf8")).only_imports

    def _name(self, module: str, name: str) -> Iterator[tuple[Path, bool]]:
        """What ``from module import name`` sees."""
        submodule = f"{module}.{name}"
        if self._find(submodule):
            yield from self._module(submodule)
        file = self._find(module)
        if file is None:
            return
        syntax = read_syntax(file.read_text(encoding="utf8"))
        origins = [(s, old) for s in syntax.imports for old, new in s.names if new == name and syntax.only_imports]
        if not origins and not self._find(submodule):
            yield from self._module(module)
        for statement, old in origins:
            yield from ((path, follow and path != file) for path, follow in self._module(module))
            origin = self._absolute(statement, file)
            if (origin, old) != (module, name):  # a package may import its own modules by name
                yield from self._name(origin, old)

    def _absolute(self, statement: Import, path: Path | None) -> str:
        if not statement.level or path is None:
            return statement.module
        folder = next(folder for folder in self.folders if path.is_relative_to(folder))
        package = path.parent.relative_to(folder).parts
        package = package[: len(package) - statement.level + 1]
        return ".".join([*package, *filter(None, [statement.module])])

    def _find(self, module: str) -> Path | None:
        for folder in self.folders:
            place = folder.joinpath(*module.split("."))
            for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
                if file.is_file():
                    return file
        return None


@cache
def read_syntax(source: str) -> Syntax:
    """The imports in a module's text; text that isn't Python may import anything."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return Syntax((), computes_names=True, only_imports=False)
    imports = []
    computes_names = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [Import(alias.name, (), 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple((alias.name, alias.asname or alias.name) for alias in node.names)
            imports.append(Import(node.module or "", names, node.level))
        elif isinstance(node, ast.Call):
            computes_names |= _imports_by_name(node)
    only_imports = all(_is_import_or_text(statement) for statement in tree.body)
    return Syntax(tuple(imports), computes_names, only_imports)


def _imports_by_name(call: ast.Call) -> bool:
    called = getattr(call.func, "id", None) or getattr(call.func, "attr", None)
    if called == "run_line_magic" and isinstance(call.args[0], ast.Constant):
        return call.args[0].value not in MAGICS_THAT_IMPORT_NOTHING
    return called in DYNAMIC


def _is_import_or_text(statement: ast.stmt) -> bool:
    """An import, a docstring, or ``__all__ = […]``."""
    if isinstance(statement, ast.Assign):
        return [getattr(target, "id", "") for target in statement.targets] == ["__all__"]
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, ast.ImportFrom)
