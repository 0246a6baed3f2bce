"""A hash of the code that something executes: the same on every Python, and no wider than what it can reach by name.

A definition at the top of a module reaches every definition of the package that its code names, these reach others,
and so on. What is reached of a class is its head, its fields, and those of its methods that reached code names; or all
of them if it has a base outside the package, which may call them (torch calls `forward`). Their tokens are hashed,
without comments, docstrings and line breaks inside brackets, so neither wording nor layout counts, nor where a
definition stands. It needs only the standard library.
"""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterable, Iterator
from copy import copy
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1]
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
MARKED = {tokenize.NEWLINE: "⏎", tokenize.INDENT: "→", tokenize.DEDENT: "←"}
# From 3.12 on, an f-string comes in pieces; before, as one token.
STARTS = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")} - {-1}
ENDS = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")} - {-1}

Definition = tuple[str, str]  # module and name


def code_hash(*roots: str, leave_out: Iterable[str] = (), package: Path = PACKAGE) -> str:
    """The first 12 digits of the hash of what the roots reach, each "module:name"; `leave_out` is not followed.

    Raises ValueError: a root that is not defined there.

    >>> len(code_hash("inorder.lab.code_hash:tokens_of"))
    12
    >>> code_hash("inorder.lab.code_hash:nothing")
    Traceback (most recent call last):
    ...
    ValueError: expected a definition of the package, got inorder.lab.code_hash:nothing
    """
    parts = sorted(" ".join(tokens_of(part)) for part in _reached(roots, frozenset(leave_out), package))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def tokens_of(source: str) -> list[str]:
    """The tokens of some lines of code, without comments and docstrings; a block of lines may be indented.

    >>> tokens_of('def f(x):\\n    "Words."\\n    return f"{x}"  # more')
    ['def', 'f', '(', 'x', ')', ':', '⏎', '→', 'return', 'f"{x}"', '⏎', '←']
    """
    lines = source.splitlines(keepends=True)
    tokens: list[str] = []
    depth, begin, pending = 0, (0, 0), ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in STARTS:
            begin = begin if depth else token.start
            depth += 1
        elif token.type in ENDS:
            depth -= 1
            if not depth:
                tokens.append(_between(lines, begin, token.end))
        elif depth or token.type in LAYOUT:
            continue
        elif token.type == tokenize.STRING and (not tokens or tokens[-1] in MARKED.values()):
            pending = token.string  # a docstring, if nothing follows it on its line
        elif pending:
            if token.type != tokenize.NEWLINE:
                tokens += [pending, MARKED.get(token.type, token.string)]
            pending = ""
        else:
            tokens.append(MARKED.get(token.type, token.string))
    return tokens


def _between(lines: list[str], begin: tuple[int, int], end: tuple[int, int]) -> str:
    (first, left), (last, right) = begin, end
    if first == last:
        return lines[first - 1][left:right]
    return "".join([lines[first - 1][left:], *lines[first : last - 1], lines[last - 1][:right]])


class _Module(NamedTuple):
    lines: list[str]
    definitions: dict[str, list[ast.stmt]]
    imports: dict[str, str]  # {name here: "module:name", or "module:" of a module itself}


@cache
def _module(name: str, package: Path) -> _Module | None:
    """A module of the package; None for any other."""
    if name.split(".")[0] != package.name:
        return None
    path = package.parent.joinpath(*name.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not file.exists():
        return None
    source = file.read_text(encoding="utf8")
    tree = ast.parse(source)
    imports: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            imports |= {alias.asname or alias.name: f"{node.module}:{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            imports |= {alias.asname: f"{alias.name}:" for alias in node.names if alias.asname}
    definitions: dict[str, list[ast.stmt]] = {}
    for statement in _statements(tree.body):
        for defined in _names_defined(statement):
            definitions.setdefault(defined, []).append(statement)
    return _Module(source.splitlines(keepends=True), definitions, imports)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those at the top of a module, also under `if` and `try`."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try):
            yield from _statements([*statement.body, *statement.orelse, *getattr(statement, "finalbody", [])])
            for handler in getattr(statement, "handlers", []):
                yield from _statements(handler.body)
        else:
            yield statement


def _names_defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    nodes = [node for target in targets if target is not None for node in ast.walk(target)]
    return [node.id for node in nodes if isinstance(node, ast.Name)]


def _reached(roots: tuple[str, ...], leave_out: frozenset[str], package: Path) -> list[str]:
    """The source of everything that is reached: of each definition, or of each part of a class, once."""
    reached: set[Definition] = set()
    names: set[str] = set()  # that reached code names anywhere
    for root in roots:
        module, _, name = root.partition(":")
        definition = _defined(module, name, package)
        if definition is None:
            raise ValueError(f"expected a definition of the package, got {root}")
        reached.add(definition)
    while True:
        before = len(reached), len(names)
        for module, name in sorted(reached):
            for node in _parts(module, name, names, package):
                names |= _mentioned(node)
                reached |= {each for each in _followed(node, module, package) if ":".join(each) not in leave_out}
        if before == (len(reached), len(names)):
            break
    return [
        _source(node, _module(module, package))
        for module, name in reached
        for node in _parts(module, name, names, package)
    ]


def _defined(module: str, name: str, package: Path) -> Definition | None:
    """Where it is defined, if some modules only pass it on."""
    there = _module(module, package)
    if there is None:
        return None
    if name in there.definitions:
        return module, name
    target, _, other = there.imports.get(name, ":").partition(":")
    return _defined(target, other, package) if other and (target, other) != (module, name) else None


def _parts(module: str, name: str, names: set[str], package: Path) -> Iterator[ast.AST]:
    """The statements of a definition; of a class its head and those of its members that count."""
    there = _module(module, package)
    for node in there.definitions[name] if there else []:
        if not isinstance(node, ast.ClassDef):
            yield node
            continue
        yield _head(node)
        outside = any(_is_foreign(base, module, package) for base in node.bases)
        for member in node.body:
            defined = _names_defined(member)
            special = any(each.startswith("__") for each in defined)
            field = isinstance(member, ast.AnnAssign) and "ClassVar" not in ast.dump(member.annotation)
            if outside or not defined or special or field or names & set(defined):
                yield member


def _is_foreign(base: ast.expr, module: str, package: Path) -> bool:
    """Is it a class of another library? Those of `typing` call nothing."""
    if not isinstance(base, ast.Name):
        return True
    return base.id not in ("NamedTuple", "Protocol") and _defined(module, base.id, package) is None


@cache
def _head(node: ast.ClassDef) -> ast.ClassDef:
    """A class without its body."""
    head = copy(node)
    head.body = []
    head.end_lineno = _first_line(node.body[0]) - 1
    return head


def _first_line(node: ast.AST) -> int:
    return min([node.lineno, *(each.lineno for each in _decorators(node))])  # type: ignore[attr-defined]


def _decorators(node: ast.AST) -> list[ast.expr]:
    return getattr(node, "decorator_list", [])


@cache
def _mentioned(node: ast.AST) -> frozenset[str]:
    every = list(ast.walk(node))
    return frozenset(
        {each.id for each in every if isinstance(each, ast.Name)}
        | {each.attr for each in every if isinstance(each, ast.Attribute)}
        | {each.arg for each in every if isinstance(each, ast.keyword) and each.arg}
    )


@cache
def _followed(node: ast.AST, module: str, package: Path) -> frozenset[Definition]:
    """The definitions that it names: of its own module, imported, or of a module that is imported whole."""
    there = _module(module, package)
    imports = there.imports if there else {}
    definitions = {_defined(module, name, package) for name in _mentioned(node)}
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in imports:
            target = imports[each.value.id].rstrip(":").replace(":", ".")
            definitions.add(_defined(target, each.attr, package))
    return frozenset(definition for definition in definitions if definition is not None)


def _source(node: ast.AST, module: _Module | None) -> str:
    return "".join(module.lines[_first_line(node) - 1 : node.end_lineno]) if module else ""  # type: ignore[attr-defined]
