"""``{licences}``: the packages and fonts that the book is made with, each with its version and its licence.

The packages are those that requirements.txt names, the licences what their own metadata say; so the list can't be out
of date.
"""

import json
import re
from email.message import Message
from importlib.metadata import metadata

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.toolchain import NODE_MODULES, ROOT

REQUIREMENTS = ROOT / "requirements.txt"
FONTS = {
    "Source Serif 4": "@fontsource/source-serif-4",
    "Source Sans 3": "@fontsource-variable/source-sans-3",
    "KaTeX, for formulas": "katex",
}
MIT_TEXT = "Permission is hereby granted, free of charge, to any person"
LONGEST = 60  # characters; what is longer is the licence itself, not its name


def licence_of(package: Message) -> str:
    """What a package's metadata say, in the newer way or in an older one.

    >>> package = Message()
    >>> package["Classifier"] = "License :: OSI Approved :: MIT License"
    >>> licence_of(package)
    'MIT License'
    """
    named = package.get("License-Expression") or package.get("License") or ""
    classifiers = [line for line in package.get_all("Classifier", []) if line.startswith("License ::")]
    if classifiers and (not named or len(named) > LONGEST) and "License-Expression" not in package:
        named = ", ".join(line.rpartition(" :: ")[2] for line in classifiers)
    return "MIT" if MIT_TEXT in " ".join(named.split()) else named or "not stated"


def rows() -> list[tuple[str, str, str]]:
    """(name, version, licence) of each package, then of each font."""
    names = re.findall(r"^([\w.-]+)==", REQUIREMENTS.read_text(encoding="utf8"), re.MULTILINE)
    packages = [(name, metadata(name)["Version"].partition("+")[0], licence_of(metadata(name))) for name in names]
    fonts = [(name, json.loads((NODE_MODULES / path / "package.json").read_text())) for name, path in FONTS.items()]
    return [*packages, *((name, font["version"], font["license"]) for name, font in fonts)]


class Licences(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(REQUIREMENTS))
        head, *body = [
            nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in row))
            for row in [("package or font", "version", "licence"), *rows()]
        ]
        columns = [nodes.colspec(colwidth=width) for width in (30, 15, 55)]
        group = nodes.tgroup("", *columns, nodes.thead("", head), nodes.tbody("", *body), cols=len(columns))
        return [nodes.table("", group)]


def setup(app: Sphinx):
    app.add_directive("licences", Licences)
    return {"version": "1", "parallel_read_safe": True}
