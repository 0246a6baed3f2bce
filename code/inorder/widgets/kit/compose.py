"""A figure's folder as one ES module and one style sheet, which is how Jupyter and the built page take it.

There is no bundler: only ``import { a, b } from "./file.js"``, ``"./folder/file.js"``, ``"../kit/file.js"`` and
``"../kit/vendor/file.js"`` are understood. Each file becomes a function that is called once and returns what the file
exports, so a name belongs to its own file alone.

In Jupyter each figure brings the kit with it. A page of the book has several figures, but only one kit: `kit_style`, a
`kit_module` for each of `kits_of`, and for each figure whatever remains, ``with_kit=False``. The same goes for
**extras**, files of a figure's folder that not every such figure needs: ``("sentence",)`` stands for ``sentence.js``
and ``sentence.css``. In Jupyter a figure brings its own; a page has each extra of its figures once, as a module and a
sheet of its own. Nobody imports what an extra exports: it puts something into the kit (`marks.js`), where the figure
finds it.
"""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from inorder.palette import DARK, LIGHT, css_variables

KIT = Path(__file__).parent
PALETTE = KIT / "palette.js"
KIT_NAME = "inorderKit"  # of the global variable that is `kit_module` on a page
# Files of the kit that few pages need: each of these groups is a module of its own, under its own name.
GROUPS = {
    "inorderMaps": ("heat_map", "heat_map_view", "legend", "map"),
    "inorderModels": ("in_python", "pictures", "transformer"),
}

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\./(?:[\w-]+/)?|\.\./kit/(?:vendor/)?)([\w-]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function\*? |const |let |class )(\w+)", re.MULTILINE)


def compose_module(folder: Path, name: str = "view.js", *, extras: Sequence[str] = (), with_kit: bool = True) -> str:
    """One ES module out of ``folder/name``, the extras and all that they import, each file once, the imported first.

    Its default export is that of ``folder/name``. ``../kit/`` is this folder, wherever ``folder`` lies; without the
    kit, the page must have it as `KIT_NAME`.

    Raises ValueError: an import or an export that is not understood, files that import each other in a circle.
    """
    files = [folder / name, *(folder / f"{extra}.js" for extra in extras)]
    modules, (entry, *_) = _scopes(files, None if with_kit else "")
    return f"{modules}export default {entry}.default;\n"


def compose_script(folder: Path, *, extras: Sequence[str] = ()) -> str:
    """A classic script that leaves what the module of `compose_module` exports where the host looks for it.

    Raises ValueError: as `compose_module`.
    """
    files = [folder / "view.js", *(folder / f"{extra}.js" for extra in extras)]
    modules, (entry, *_) = _scopes(files)
    return f"{{\n{modules}window.inorderWidgets = {{ {figure_name(folder)!r}: {entry} }};\n}}\n"


def compose_worker(folder: Path, name: str = "worker.js") -> str:
    """A classic script for a Web Worker, which a Blob can hold: it calls the default export with the worker's `self`.

    Raises ValueError: as `compose_module`.
    """
    modules, (entry,) = _scopes([folder / name])
    return f"{modules}{entry}.default(self);\n"


def kit_module(name: str = KIT_NAME) -> str:
    """One ES module out of the kit's files, or of those of a group; it exports ``words.js`` as ``words``."""
    files = [file for file in [*sorted(KIT.glob("**/*.js")), PALETTE] if _home(file) == name]
    modules, scopes = _scopes(files, name)
    names = ", ".join(f"{scope} as {file.stem}" for scope, file in zip(scopes, files, strict=True))
    return f"{modules}export {{ {names} }};\n"


def kits_of(modules: Sequence[str]) -> list[str]:
    """The names of the modules of the kit that a page with these needs, in their order."""
    return [KIT_NAME, *(name for name in GROUPS if any(f" = {name}." in module for module in modules))]


def _home(file: Path) -> str:
    return next((name for name, stems in GROUPS.items() if file.stem in stems), KIT_NAME)


def _scopes(files: list[Path], kit: str | None = None) -> tuple[str, list[str]]:
    """The files and all that they import, each as a function that is called; the variables that hold their exports.

    Of the kit, the files of that name alone: the others are those of its modules on the page. None: all of it.
    """
    folders = {KIT, *(file.parent for file in files)}
    states = [(str(path), path.stat()) for folder in folders for path in sorted(folder.rglob("*.js"))]
    versions = tuple((name, state.st_mtime_ns, state.st_size) for name, state in states)
    modules, included = _scopes_of(tuple(files), kit, versions)
    return modules, list(included)


@lru_cache(maxsize=64)
def _scopes_of(
    files: tuple[Path, ...], kit: str | None, versions: tuple[tuple[str, int, int], ...]
) -> tuple[str, tuple[str, ...]]:
    """`_scopes` for files in these versions: a figure is made in a tenth of the time while none of them changes."""
    scopes: dict[Path, str] = {}
    modules: list[str] = []

    def include(path: Path) -> str:
        """The variable that holds the exports of that file."""
        if path.is_relative_to(KIT) and kit is not None and kit != (home := _home(path)):
            return f"{home}.{path.stem}"
        if path in scopes:
            if not scopes[path]:
                raise ValueError(f"{path.name}: imports a file that imports it")
            return scopes[path]
        scopes[path] = ""
        source = palette_module() if path == PALETTE else path.read_text(encoding="utf-8")

        def take(match: re.Match[str]) -> str:
            names, where, file = match.groups()
            folder = KIT / where.removeprefix("../kit/") if where.startswith("../") else path.parent / where
            return f"const {{{names.replace(' as ', ': ')}}} = {include(folder / file)};"

        body = _IMPORT.sub(take, source)
        exported = [name for _, name in _EXPORT.findall(body)]
        body = _EXPORT.sub(r"\1\2", body)
        if re.search(r"^export default\b", body, re.MULTILINE):
            body = re.sub(r"^export default\b", "const _default =", body, flags=re.MULTILINE)
            exported.append("default: _default")
        if re.search(r"^import\b", body, re.MULTILINE):
            raise ValueError(f'{path.name}: the only import understood is `import {{ a, b }} from "./file.js";`')
        if re.search(r"^export\b", body, re.MULTILINE):
            raise ValueError(f"{path.name}: exports understood: a function, a class, a constant, the default")
        scopes[path] = f"scope{len(modules)}"
        head = f"const {scopes[path]} = (() => {{ // {path.parent.name}/{path.name}"
        modules.append(f"{head}\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n")
        return scopes[path]

    included = tuple(include(file) for file in files)
    return "".join(modules), included


def compose_style(folder: Path, name: str = "style.css", *, extras: Sequence[str] = (), with_kit: bool = True) -> str:
    """The kit's style sheet, then the figure's own and those of the extras, which apply inside that figure alone.

    A sheet is nested in the root that the figure's shell makes, ``.inorder-figure.is-<name of the folder>``: its rules
    need no prefix, ``&`` is that root, and by the root's two classes they outweigh the kit's, in whatever order the
    sheets of a page come.
    """
    sheets = [kit_style()] if with_kit else []
    for file in (folder / name, *(folder / f"{extra}.css" for extra in extras)):
        if file.exists():
            own = file.read_text(encoding="utf-8")
            sheets.append(f".inorder-figure.is-{figure_name(folder)} {{\n{own}}}\n")
    return "".join(sheets)


def kit_style() -> str:
    """The colours of the book, and what all figures look like."""
    colours = f".inorder-figure {{ {css_variables(LIGHT)} }}\n.inorder-figure.is-dark {{ {css_variables(DARK)} }}\n"
    return colours + (KIT / "style.css").read_text(encoding="utf-8")


def palette_module() -> str:
    """``kit/palette.js``, which is no file: the colours of `inorder.palette` for what JavaScript paints."""
    return f"export const LIGHT = {json.dumps(LIGHT)};\nexport const DARK = {json.dumps(DARK)};\n"


def figure_name(folder: Path) -> str:
    """``soft_lookup`` -> ``soft-lookup``, as in the class of its root and in the addresses of pages."""
    return folder.name.replace("_", "-")
