"""Typesets the mathematics at build time: a page ships no math engine, and TeX that does not typeset is an error."""

import json
import re
from functools import cache
from pathlib import Path
from subprocess import PIPE, Popen

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number

from _ext.toolchain import NODE

# The TeX comes along once more, a tenth of a page with many formulas, and no browser shows it.
TEX = re.compile(r"<annotation .*?</annotation>", re.DOTALL)


@cache
def typesetter() -> Popen:
    """KaTeX in a process of its own, which ends with this one."""
    return Popen([NODE, str(Path(__file__).with_suffix(".mjs"))], stdin=PIPE, stdout=PIPE, text=True, encoding="utf8")


@cache
def typeset(tex: str, *, block: bool = False) -> str:
    """The HTML of a formula; TeX that fails ends the build with an error that names it."""
    process = typesetter()
    process.stdin.write(f"{json.dumps([tex, block])}\n")
    process.stdin.flush()
    html, *error = json.loads(process.stdout.readline())
    if error:
        raise ExtensionError(f"this TeX does not typeset: {tex}\n{error[0]}")
    return TEX.sub("", html)


def visit_formula(self, node: nodes.math) -> None:
    self.body.append(f"{self.starttag(node, 'span', '', CLASS='math')}{typeset(node.astext())}</span>")
    raise nodes.SkipNode


def visit_block(self, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Permalink to this equation")
        self.body.append("</span>")
    self.body.append(f"{typeset(node.astext(), block=True)}</div>")
    raise nodes.SkipNode


def setup(app: Sphinx):
    app.add_html_math_renderer("katex", (visit_formula, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}  # one process answers all
