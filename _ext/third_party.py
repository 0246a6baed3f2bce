"""Names of other people's libraries that may be gone tomorrow: those they do not document, and those the book replaces.

They are here under names of the book's own, and nowhere else in ``_ext`` and in ``tools/browser.py``.
``tests/ext/test_third_party.py`` has a test for each: when an upgrade breaks one, that test names the library and says
what to do. Each library is imported where it is used, so that one that has changed breaks what needs it, and nothing
else.
"""

import functools
import re
import socket
import sys
import time
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, NamedTuple

from docutils import nodes

# ----------------------------------------------------------------------------------------------------------- jsonschema


def skip_address_grammar() -> None:
    """Keep jsonschema from spending a second on a grammar of web addresses at its import; no notebook needs it."""
    sys.modules.setdefault("rfc3987_syntax", None)


# --------------------------------------------------------------------------------------------- Jupyter Book, with Click


def run_jupyter_book(*arguments: str) -> None:
    """Run the command ``jupyter-book`` in this process; an error is an exception, not an exit."""
    from jupyter_book.cli.main import main

    main(list(arguments), standalone_mode=False)


# --------------------------------------------------------------------------------------------------------------- Sphinx


class PageFiles(NamedTuple):
    """The style sheets and scripts of one page, besides those that all pages have."""

    styles: list
    scripts: list
    figure_scripts: list  # in the folder ``widgets``


def page_files(builder) -> PageFiles:
    """What extensions have added to the page that is being written."""
    styles = [file for file in builder._css_files if file not in builder._orig_css_files]
    scripts = [file for file in builder._js_files if file not in builder._orig_js_files]
    scripts = [file for file in scripts if "DOCUMENTATION_OPTIONS" not in str(file.attributes)]
    figure_scripts = [file for file in scripts if "/widgets/" in str(file.filename)]
    return PageFiles(styles, [file for file in scripts if file not in figure_scripts], figure_scripts)


def leave_out_search(builder) -> None:
    """Write neither Sphinx's index of words nor its page of results."""
    builder.search = False


def image_sources(builder) -> dict[str, str]:
    """For each name in the folder ``_images`` of the site the picture that it copies, by its path in the sources."""
    return {name: source for source, name in builder.images.items()}


def curly(text: str) -> str:
    """With curly quotation marks and apostrophes, for words that reach a page outside the text that Sphinx curls."""
    from docutils.utils.smartquotes import smartyPants

    return smartyPants(text, "q")


def image_size(path: Path) -> tuple[int, int] | None:
    """Width and height in pixels; None for a format that Sphinx does not know."""
    from sphinx.util.images import get_image_size

    return get_image_size(path)


def title_of(env, docname: str) -> str | None:
    """The title of a page; None for a page that was not read."""
    return env.titles[docname].astext() if docname in env.titles else None


def number_of(env, docname: str) -> str:
    """The number of a chapter, as "7"; an empty string for a page that has none."""
    return ".".join(map(str, env.toc_secnumbers.get(docname, {}).get("", ())))


# -------------------------------------------------------------------------------------------------------------- MyST-NB


def read_notebook(path: Path, text: str):
    """The notebook that a file holds, ``.ipynb`` or Markdown; None for a page that is no notebook."""
    from myst_nb.core.config import NbParserConfig
    from myst_nb.core.read import create_nb_reader
    from myst_parser.config.main import MdParserConfig

    reader = create_nb_reader(str(path), MdParserConfig(), NbParserConfig(), text)
    return None if reader is None else reader.read(text)


def give_results(fill_in: Callable[[Path, Any], dict]) -> None:
    """Make MyST-NB ask ``fill_in(path, notebook)``, and not its cache, for the outputs, and keep what that returns."""
    from myst_nb.core import execute
    from myst_nb.core.execute.base import NotebookClientBase

    class KnownResult(NotebookClientBase):
        def start_client(self) -> None:
            self.exec_metadata = fill_in(self.path, self.notebook)

    execute.NotebookClientCache = KnownResult


def run_of(env, docname: str) -> dict | None:
    """What ``fill_in`` returned for a page; None for a page that is no notebook."""
    from myst_nb.sphinx_ import NbMetadataCollector

    return NbMetadataCollector.get_exec_data(env, docname)


def name_columns_of_runs(titles: dict[str, str], passed: Callable[[bool], str]) -> None:
    """Set the columns of the directive ``nb-exec-table`` and its words for whether a notebook passed."""
    from myst_nb.ext import execution_tables

    execution_tables._key2header = titles
    execution_tables._key2transform["succeeded"] = passed


def widget_models_script(env, docname: str) -> str:
    """The state of all widget models of a page, as JSON."""
    from myst_nb.sphinx_ import NbMetadataCollector

    if not hasattr(env, "nb_metadata"):
        return "{}"
    _, script = NbMetadataCollector.get_js_files(env, docname).get("ipywidgets_state", (None, {"body": "{}"}))
    return script["body"]


def drop_widget_models(context: dict) -> None:
    """Take that state out of the page, where MyST-NB puts it."""
    context["script_files"][:] = [f for f in context["script_files"] if "widget-state+json" not in str(f.attributes)]


# Priorities of post-transforms: what must come before one runs at a smaller number.
MIME_TYPES_CHOSEN = 4  # one of each output
CELLS_HIDDEN = 199  # those that are hidden at first become toggles


def mime_bundles(document: nodes.document) -> list[nodes.container]:
    """The outputs of cells, each with a container for each of its mime types."""
    return [node for node in document.findall(nodes.container) if node.get("nb_element") == "mime_bundle"]


def mime_type(node: nodes.Element) -> str:
    """The mime type of a container in such an output; an empty string for anything else."""
    return node.get("mime_type", "")


def bundle_around(node: nodes.Node) -> nodes.container:
    """The output that a node is part of."""
    while node.get("nb_element") != "mime_bundle":
        node = node.parent
    return node


def cells_with_code(document: nodes.document) -> Iterator[tuple[nodes.container, nodes.container]]:
    """Each code cell whose code is shown, with the container of the code."""
    for cell in list(document.findall(nodes.container)):
        if cell.get("nb_element") == "cell_code" and cell.children:
            source = cell[0]
            if source.get("nb_element") == "cell_code_source":
                yield cell, source


def tags_of_cell(cell: nodes.container) -> list[str]:
    """The tags of a cell in the notebook; none for a container that is no cell."""
    return cell.get("cell_metadata", {}).get("tags", [])


def take_hide_mode(cell: nodes.container) -> str:
    """What a cell hides at first (``input``, ``output``, ``all``, … or nothing). MyST-NB then no longer hides it."""
    return cell.attributes.pop("hide_mode", "")


# ---------------------------------------------------------------------------------------------------------- MyST-Parser

LINKS_RESOLVED = 9  # the priority at which Markdown links find their pages


def link_targets(env, docname: str) -> dict[str, tuple[int, str, str]]:
    """What a link may name after ``#``, slug -> (line, id, title); extensions may add to it."""
    return env.metadata[docname].setdefault("myst_slugs", {})


# -------------------------------------------------------------------------------------------------- sphinx-external-toc


def read_site_map(path: Path):
    """The table of contents in a file: its ``root`` has a ``docname`` and ``subtrees``, the parts."""
    from sphinx_external_toc.parsing import parse_toc_yaml

    return parse_toc_yaml(path)


def site_map_of(env):
    """The table of contents of the book that is being built."""
    return env.external_site_map


# ------------------------------------------------------------------------- sphinx-design, sphinx-exercise, sphinx-proof

SOLUTION_GATES_CLOSED = 10  # the priority of the transform that joins what stands between the gates of a solution
SOLUTIONS_NAMED = 22  # the priority at which sphinx-exercise has given all solutions their titles
DROPDOWNS_MADE = 199  # and that at which sphinx-design makes its own of dropdowns
REPEATED_IDS = {"proof", "proof-content", "exercise-content", "solution-content"}  # the same for each on a page


def is_dropdown(node: nodes.Node) -> bool:
    """Whether it is a dropdown: a title, then its content; the attribute ``opened``."""
    from sphinx_design.shared import is_component

    return is_component(node, "dropdown")


def is_solution(node: nodes.Node) -> bool:
    from sphinx_exercise.nodes import solution_node

    return isinstance(node, solution_node)


def is_proof(node: nodes.Node) -> bool:
    from sphinx_proof.nodes import proof_node

    return isinstance(node, proof_node)


def is_theorem(node: nodes.Node) -> bool:
    """A theorem, a definition, or another block of sphinx-proof that isn't a proof."""
    from sphinx_proof.nodes import NODE_TYPES, unenumerable_node

    return isinstance(node, (*NODE_TYPES.values(), unenumerable_node))


# ----------------------------------------------------------------------------------------------------- KaTeX for Sphinx

# The TeX comes along once more, a tenth of a page with many formulas, and no browser shows it.
TEX = re.compile(r"<annotation .*?</annotation>", re.DOTALL)
PATIENCE = 60.0  # seconds: a busy machine is no error


def katex_version() -> str:
    """The version of KaTeX itself that sphinxcontrib-katex brings along."""
    from sphinxcontrib import katex

    return katex.katex_version


def use_katex(node: str, options: dict) -> None:
    """Typeset with this Node and these options; TeX that fails ends the build with an error that names it."""
    from sphinx.errors import ExtensionError
    from sphinxcontrib import katex

    katex.NODEJS_BINARY = node
    katex.KATEX_DEFAULT_OPTIONS = options
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = PATIENCE
    katex.KaTeXServer.start_server_process = classmethod(_start_katex)
    render = katex.render_latex

    def render_or_name_it(latex: str, options: dict | None = None) -> str:
        try:
            return TEX.sub("", render(latex, options))
        except katex.KaTeXError as error:
            raise ExtensionError(f"this TeX does not typeset: {latex}\n{error}") from error

    katex.render_latex = render_or_name_it


def _start_katex(server, rundir: Path, timeout: float) -> tuple[Popen, socket.socket]:
    """As the extension does, but it would connect once the socket exists, which can be before the server listens.

    Its network socket, which tries again, takes 100 ms for each formula, a Unix socket less than one.
    """
    address = rundir / "katex.sock"
    process = Popen(server.build_command(socket=address), stdin=PIPE, stdout=PIPE, cwd=rundir)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        try:
            connection.connect(str(address))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.01)
    process.kill()
    raise server.timeout_error(timeout)


def stop_katex() -> None:
    """End the server: after a failed build it would live on and keep the output of the build open."""
    from sphinxcontrib import katex

    if katex.KaTeXServer.katex_server:
        katex.KaTeXServer.katex_server.process.kill()


# ---------------------------------------------------------------------------------------------------------------- pypdf


def add_to_pdf(writer, part):
    """The reference of an object of its own in the file that is written; pypdf has no public name for it."""
    return writer._add_object(part)


# ----------------------------------------------------------------------------------------------------------- Playwright


def trust_what_pages_return() -> None:
    """Playwright would check each number that a page returns against its protocol, twenty microseconds for each."""
    from playwright._impl.protocol import validator_primitives

    validator_primitives.scheme["SerializedValue"] = validator_primitives.t_any


# --------------------------------------------------------------------------------------------------- Python before 3.12


def list_a_protocols_attributes_once() -> None:
    """Each ``isinstance`` of a protocol lists its attributes twice there, at each of a million checks of the tests."""
    if sys.version_info < (3, 12):
        typing._get_protocol_attrs = functools.cache(typing._get_protocol_attrs)


# ------------------------------------------------------------------------------------------------------------ the theme


def launch_buttons(context: dict) -> list[tuple[str, str]]:
    """The words and the address of each button that opens the page's notebook somewhere."""
    groups = [group for group in context.get("header_buttons", ()) if group.get("label") == "launch-buttons"]
    return [(button["text"], button["url"]) for group in groups for button in group["buttons"]]
