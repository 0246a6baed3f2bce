"""The reference of the package: ``{api} inorder.attention`` shows a module's public functions and classes.

Docstrings are plain text, written for ``help()``: paragraphs, blocks under a line such as ``Args:``, and examples. They
are shown as that, with ``code`` and *stress*, one star or two; nothing in them is taken for markup by accident. A
signature is shown as it stands in the source, shapes included.
"""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

INLINE = re.compile(
    r"``(?P<double>[^`]+)``|`(?P<code>[^`]+)`"
    r'|(?P<setting>\b\w+="[^"]*")'  # as code, where quotation marks stay straight
    r"|(?<![\w*/])\*\*(?P<strong>\w[^*\n]*?[\w.:?!])\*\*(?!\w)"
    r"|(?<![\w*/])\*(?P<stress>\w[^*\n]*?[\w.:?!]|\w)\*(?!\w)"
)
EXAMPLE = ">>>"
ITEM = re.compile(r"- |\[\d+\] |(?P<term>\w+(?:, \w+)*) {2,}")  # how the lines of a list begin


def signature_of(name: str, thing: Any) -> str:
    """The signature of a function as its source has it; for a class, that of its constructor."""
    if inspect.isclass(thing):
        fields = getattr(thing, "_fields", None) or getattr(thing, "__dataclass_fields__", ())
        return f"{name}({', '.join(fields)})" if fields else name
    if not inspect.isfunction(inspect.unwrap(thing)):
        return name
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(thing)))
    function = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    header = " ".join(" ".join(source.splitlines()[function.lineno - 1 : function.body[0].lineno - 1]).split())
    return header.removeprefix("def ").removesuffix(":").replace("( ", "(").replace(", )", ")")


def inline(text: str) -> Iterator[nodes.Node]:
    """The text, with `code`, word="code", *stress* and **strong stress** marked up and everything else left alone."""
    rest = 0
    for match in INLINE.finditer(text):
        yield nodes.Text(text[rest : match.start()])
        if match["strong"]:
            yield nodes.strong("", match["strong"])
        elif match["stress"]:
            yield nodes.emphasis("", match["stress"])
        else:
            code = match["double"] or match["code"] or match["setting"]
            yield nodes.literal("", code)
        rest = match.end()
    yield nodes.Text(text[rest:])


def paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", *inline(" ".join(text.split())))


def parts_of(docstring: str) -> list[nodes.Node]:
    """The parts of a docstring."""
    parts: list[nodes.Node] = []
    for block in re.split(r"\n[ \t]*\n", inspect.cleandoc(docstring)):
        lines = block.splitlines()
        if block.lstrip().startswith(EXAMPLE):
            code = textwrap.dedent(block)
            parts.append(nodes.literal_block(code, code, language="pycon"))
        elif lines[0].startswith((" ", "==")):
            parts.append(nodes.literal_block("", textwrap.dedent(block), language="text"))
        elif ITEM.match(lines[0]) and all(ITEM.match(line) or line.startswith(" ") for line in lines):
            parts.append(list_of(block))
        elif len(lines) > 1 and lines[0].endswith(":") and all(line.startswith(" ") for line in lines[1:]):
            inner = textwrap.dedent("\n".join(lines[1:]))
            parts += [paragraph(lines[0]), *(parts_of(inner) if inner.startswith(EXAMPLE) else [list_of(inner)])]
        else:
            parts.append(paragraph(block))
    return parts


def list_of(text: str) -> nodes.bullet_list:
    """One item for each line that is not indented; a term before two spaces is code."""
    items = []
    for item in re.split(r"\n(?! )", text):
        match = ITEM.match(item)
        term = match["term"] if match else None
        rest = paragraph(item[match.end() :] if term else item.removeprefix("- "))
        if term:
            rest.insert(0, [nodes.literal("", term), nodes.Text(" ")])
        items.append(nodes.list_item("", rest))
    return nodes.bullet_list("", *items, bullet="-")


class Api(SphinxDirective):
    """The directive: a module's own docstring, then its functions and classes in the order of `__all__`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        module = importlib.import_module(self.arguments[0])
        parts = parts_of(module.__doc__ or "")
        entries = nodes.definition_list(classes=["api"])
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if not callable(thing):
                continue
            self.env.note_dependency(inspect.getsourcefile(inspect.unwrap(thing)))
            term = nodes.term("", "", nodes.literal("", signature_of(name, thing)), ids=[f"{module.__name__}.{name}"])
            body = nodes.definition("", *parts_of(inspect.getdoc(thing) or ""))
            entries += nodes.definition_list_item("", term, body)
        return [*parts, entries] if len(entries) else parts


def setup(app: Sphinx):
    app.add_directive("api", Api)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
