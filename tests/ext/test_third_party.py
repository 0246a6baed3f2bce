"""Each name of somebody else's library on which `_ext` leans is still there and still does what the book needs.

A test that fails here after an upgrade says which library has changed and what to do. Many of them look at one small
book, which the libraries make alone: none of the book's own extensions is in it.
"""

import ast
import contextlib
import functools
import io
import re
import subprocess
import sys
import typing
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
import pytest
from docutils import nodes
from pypdf import PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject, TextStringObject
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import docutils_namespace, patch_docutils

from _ext import third_party
from _ext.toolchain import NODE
from harness.site import ROOT
from inorder._arrays import Array

EXTENSIONS = ["myst_nb", "sphinx_external_toc", "sphinx_design", "sphinx_exercise", "sphinx_proof", "sphinx_book_theme"]
TOC = """\
format: jb-book
root: index
parts:
  - caption: Part I
    numbered: true
    chapters:
      - file: one
  - caption: More
    chapters:
      - file: two
"""
TEXT = """\
# The first chapter

[Elsewhere](two.md#a-place)

:::{prf:theorem}
:label: thm
It holds.
:::

:::{prf:proof}
It is clear.
:::

:::{prf:proof}
It is clear, again.
:::

:::{dropdown} Words
:open:
Inside.
:::

:::{exercise} Try it
:label: ex
Do.
:::

:::{solution} ex
:label: sol
Done.
:::

![A square](square.png)
"""
PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xdc\xccY\xe7\x00\x00\x00\x00IEND\xaeB`\x82"
)
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


def needs(library: str, advice: str):
    """The test is of that library; where it fails, it says so, and what is to be done."""

    def wrap(test):
        @functools.wraps(test)
        def look(*arguments, **keywords):
            try:
                test(*arguments, **keywords)
            except Exception as error:
                what = f"{library} {version(library)} has changed what _ext/third_party.py needs of it. {advice}"
                raise AssertionError(f"{what}\n{type(error).__name__}: {error}") from error

        return look

    return wrap


def notebook_of_one_cell() -> nbformat.NotebookNode:
    data = {"text/plain": "a figure", "image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg'/>"}
    view = {VIEW: {"model_id": "abc", "version_major": 2, "version_minor": 0}}
    output = nbformat.v4.new_output("display_data", data | view)
    cell = nbformat.v4.new_code_cell("1 + 1", outputs=[output], metadata={"tags": ["hide-input", "mark"]})
    models = {"abc": {"model_name": "AnyModel", "state": {"_esm": ""}}}
    widgets = {STATE: {"version_major": 2, "version_minor": 0, "state": models}}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(TEXT), cell], metadata=kernel | {"widgets": widgets}
    )


def write_sources(folder: Path) -> None:
    (folder / "_toc.yml").write_text(TOC)
    (folder / "index.md").write_text("# Front\n\nWords.\n")
    (folder / "two.md").write_text("# The second page\n\n:::{note}\nNothing.\n:::\n\n```{nb-exec-table}\n```\n")
    (folder / "square.png").write_bytes(PIXEL)
    nbformat.write(notebook_of_one_cell(), folder / "one.ipynb")


class Book:
    """The small book while it is made: what can be read of its pages before the libraries have done with them.

    What went wrong then is raised in the test that asks for it: the others go on.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.documents: dict[str, nodes.document] = {}  # before one mime type is chosen
        self.results: dict[tuple[str, str], Any] = {}
        self.warnings = io.StringIO()
        settings = {
            "extensions": EXTENSIONS,
            "external_toc_path": "_toc.yml",
            "myst_enable_extensions": ["colon_fence"],
            "nb_execution_mode": "cache",
            "html_theme": "sphinx_book_theme",
            "html_theme_options": {
                "repository_url": "https://github.com/someone/book",
                "launch_buttons": {"binderhub_url": "https://mybinder.org"},
            },
        }
        with patch_docutils(), docutils_namespace():
            folders = (folder, None, folder / "out", folder / "trees")
            self.app = Sphinx(*folders, "html", settings, io.StringIO(), self.warnings)
            self.attempt("search", "", third_party.leave_out_search, self.app.builder)
            self.app.connect("doctree-read", self.offer_a_place)
            self.app.connect("html-page-context", self.add_files, priority=800)
            self.app.connect("html-page-context", self.read_context, priority=900)
            self.app.add_post_transform(self.reader())
            self.transforms = {one.__name__: one for one in self.app.registry.get_post_transforms()}
            self.transforms |= {one.__name__: one for one in self.app.registry.get_transforms()}
            self.app.build()

    def attempt(self, what: str, docname: str, function: Callable, *arguments: Any) -> None:
        try:
            self.results[what, docname] = function(*arguments)
        except Exception as error:
            self.results[what, docname] = error

    def result(self, what: str, docname: str) -> Any:
        result = self.results[what, docname]
        if isinstance(result, Exception):
            raise result
        return result

    def reader(self) -> type[SphinxPostTransform]:
        book = self

        class Reader(SphinxPostTransform):
            default_priority = third_party.MIME_TYPES_CHOSEN - 1

            def run(self, **keywords) -> None:
                book.documents[self.env.docname] = self.document.deepcopy()

        return Reader

    def offer_a_place(self, app: Sphinx, doctree: nodes.document) -> None:
        if app.env.docname == "two":
            doctree.next_node(nodes.note)["ids"].append("a-place")
            self.attempt("targets", "two", third_party.link_targets, app.env, "two")
            with contextlib.suppress(Exception):
                self.result("targets", "two")["a-place"] = (0, "a-place", "")

    def add_files(self, app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
        if pagename == "one":
            app.add_css_file("own.css")
            app.add_js_file("own.js")
            app.add_js_file("widgets/figure.js")

    def read_context(self, app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
        self.attempt("models", pagename, third_party.drop_widget_models, context)
        self.attempt("files", pagename, third_party.page_files, app.builder)
        self.attempt("context", pagename, dict, context)

    def page(self, name: str) -> str:
        return (self.folder / "out" / f"{name}.html").read_text(encoding="utf8")


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Book:
    from myst_nb.core import execute
    from myst_nb.ext import execution_tables

    folder = tmp_path_factory.mktemp("book")
    write_sources(folder)

    def fill_in(path: Path, notebook: nbformat.NotebookNode) -> dict:
        assert path.name == "one.ipynb"
        notebook.cells[-1].outputs.append(nbformat.v4.new_output("stream", text="Filled in.\n"))
        keys = {"mtime": 0, "runtime": 0.5, "method": "cache", "succeeded": True, "error": None, "traceback": None}
        return keys | {"result": "known"}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execute, "NotebookClientCache", execute.NotebookClientCache)
        patch.setattr(execution_tables, "_key2header", execution_tables._key2header)
        patch.setattr(execution_tables, "_key2transform", dict(execution_tables._key2transform))
        third_party.give_results(fill_in)
        third_party.name_columns_of_runs({"succeeded": "How it went"}, lambda passed: "well" if passed else "badly")
        yield Book(folder)


def chapter(book: Book) -> nodes.document:
    return book.documents["one"]


# --------------------------------------------------------------------------------------------- jsonschema, Jupyter Book


@needs("jsonschema", "If it no longer imports rfc3987_syntax, drop skip_address_grammar: it only saves a second.")
def test_no_grammar_of_addresses_is_made():
    source = "import _ext, jsonschema, sys; print('uri' in jsonschema.FormatChecker.checkers, 'lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


@needs(
    "jupyter-book", "Its command has moved, or lost an option: see jupyter_book/cli, and _ext/build.py, which calls it."
)
def test_jupyter_book_is_a_function_with_the_options_that_the_build_gives(capsys):
    third_party.run_jupyter_book("build", "--help")
    options = re.findall(r"(?<!\S)--?[\w-]+", capsys.readouterr().out)
    assert {"--path-output", "-W", "-n", "--keep-going"} <= set(options)


@needs(
    "click", "Jupyter Book 1 needs click.BaseCommand, gone in Click 9: stay below 9, and see Jupyter Book's own pin."
)
def test_a_wrong_command_is_an_exception_and_no_exit():
    import click

    assert issubclass(click.Group, click.BaseCommand)
    with pytest.raises(click.UsageError, match="no-such-option"):
        third_party.run_jupyter_book("build", "--no-such-option")


# --------------------------------------------------------------------------------------------------------------- Sphinx


@needs(
    "sphinx",
    "See how HTMLPageContext's builder keeps the files of one page apart, once _css_files and _orig_css_files.",
)
def test_files_of_one_page(book):
    files = book.result("files", "one")
    names = [[str(file.filename).removeprefix("_static/") for file in kind] for kind in files]
    assert names[0] == ["own.css"]
    assert "own.js" in names[1]
    assert names[2] == ["widgets/figure.js"]
    assert not any("DOCUMENTATION_OPTIONS" in str(file.attributes) for file in files.scripts)
    others = book.result("files", "two")
    assert not others.styles and not others.figure_scripts


@needs(
    "sphinx", "See StandaloneHTMLBuilder.search, and find another way to keep Sphinx's search index from being made."
)
def test_sphinx_makes_no_search(book):
    book.result("search", "")
    assert not list((book.folder / "out").glob("search*"))


@needs("sphinx", "See ImageCollector and StandaloneHTMLBuilder.images: sources of pictures by their names in _images.")
def test_pictures_and_their_sizes(book):
    assert third_party.image_sources(book.app.builder)["square.png"] == "square.png"
    assert third_party.image_size(book.folder / "square.png") == (1, 1)
    assert third_party.image_size(book.folder / "index.md") is None


@needs("docutils", "See docutils.utils.smartquotes.smartyPants and its attribute q.")
def test_quotation_marks_and_apostrophes_are_curled():
    assert third_party.curly('The query\'s "own" key -- 1...') == "The query’s “own” key -- 1..."


@needs("sphinx", "See TitleCollector and TocTreeCollector: env.titles and env.toc_secnumbers.")
def test_titles_and_numbers_of_pages(book):
    env = book.app.env
    assert [third_party.title_of(env, name) for name in ("one", "two", "three")] == [
        "The first chapter",
        "The second page",
        None,
    ]
    assert [third_party.number_of(env, name) for name in ("one", "two", "three")] == ["1", "", ""]


# -------------------------------------------------------------------------------------------------------------- MyST-NB


@needs("myst-nb", "See myst_nb.core.read.create_nb_reader, and the settings that it takes.")
def test_notebooks_are_read(book):
    path = book.folder / "one.ipynb"
    assert third_party.read_notebook(path, path.read_text()).cells[1].source == "1 + 1"
    page = book.folder / "two.md"
    assert third_party.read_notebook(page, page.read_text()) is None
    header = "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n\n```{code-cell}\n2 + 2\n```\n"
    assert third_party.read_notebook(page, header).cells[-1].source == "2 + 2"


@needs("myst-nb", "See myst_nb.core.execute.create_client: give_results replaces the client that it takes for a cache.")
def test_results_come_from_the_book(book):
    assert "Filled in." in book.page("one")
    assert third_party.run_of(book.app.env, "one")["result"] == "known"
    assert third_party.run_of(book.app.env, "two") is None


@needs("myst-nb", "See myst_nb.ext.execution_tables, once _key2header and _key2transform; the page of status shows it.")
def test_the_table_of_runs_has_the_books_words(book):
    assert "How it went" in book.page("two") and "well" in book.page("two")
    assert "Run Time" not in book.page("two")


@needs("myst-nb", "See NbMetadataCollector.get_js_files, and where MyST-NB adds ipywidgets_state to a page.")
def test_the_state_of_widgets_is_read_and_taken_out(book):
    book.result("models", "one")
    assert '"abc"' in third_party.widget_models_script(book.app.env, "one")
    assert third_party.widget_models_script(book.app.env, "two") == "{}"
    assert "widget-state+json" not in book.page("one")


@needs("myst-nb", "See myst_nb.core.render: how an output's mime types are marked in the tree, once by nb_element.")
def test_outputs_and_their_mime_types(book):
    (bundle,) = [one for one in third_party.mime_bundles(chapter(book)) if len(one) > 1]
    types = {third_party.mime_type(child) for child in bundle}
    assert {"text/plain", "image/svg+xml", VIEW} <= types
    assert third_party.bundle_around(bundle[0].next_node(nodes.Element)) is bundle
    assert third_party.mime_type(nodes.paragraph()) == ""


@needs("myst-nb", "See myst_nb.core.render: how code cells are marked in the tree, once by nb_element and hide_mode.")
def test_cells_and_what_they_hide(book):
    ((cell, source),) = third_party.cells_with_code(chapter(book))
    assert source.astext() == "1 + 1"
    assert third_party.tags_of_cell(cell) == ["hide-input", "mark"] and third_party.tags_of_cell(source) == []
    assert [third_party.take_hide_mode(cell) for _ in range(2)] == ["input", ""]


# ------------------------------------------------------------------------------ MyST-Parser, sphinx-external-toc, theme


@needs("myst-parser", "See myst_parser.sphinx_ext.myst_refs: where it looks what a link's fragment may name.")
def test_a_link_leads_to_a_place_that_the_book_offers(book):
    assert 'href="two.html#a-place"' in book.page("one")
    assert "myst.xref_missing" not in book.warnings.getvalue()


@needs("sphinx-external-toc", "See its parsing.parse_toc_yaml and where it keeps the site map in the environment.")
def test_the_table_of_contents(book):
    for site_map in (third_party.site_map_of(book.app.env), third_party.read_site_map(book.folder / "_toc.yml")):
        assert site_map.root.docname == "index"
        parts = [(part.caption, list(part.files())) for part in site_map.root.subtrees]
        assert parts == [("Part I", ["one"]), ("More", ["two"])]
        assert list(site_map) == ["index", "one", "two"]


@needs("sphinx-book-theme", "See sphinx_book_theme/header_buttons/launch.py: how it tells the template of its buttons.")
def test_launch_buttons(book):
    ((name, address),) = third_party.launch_buttons(book.result("context", "one"))
    assert name == "Binder" and address.startswith("https://mybinder.org/v2/gh/someone/book")
    assert third_party.launch_buttons(book.result("context", "two")) == []


# ------------------------------------------------------------------------- sphinx-design, sphinx-exercise, sphinx-proof


@needs("sphinx-design", "See sphinx_design.shared.is_component, and dropdown.py: title first, then the content.")
def test_dropdowns(book):
    (dropdown,) = chapter(book).findall(third_party.is_dropdown)
    title, content = dropdown.children
    assert (title.astext(), content.astext(), bool(dropdown["opened"])) == ("Words", "Inside.", True)


@needs("sphinx-exercise", "See sphinx_exercise.nodes: what a solution is in the tree. A title first, then a section.")
def test_solutions(book):
    (solution,) = chapter(book).findall(third_party.is_solution)
    assert isinstance(solution[0], nodes.title) and solution[1].astext() == "Done."


@needs("sphinx-proof", "See sphinx_proof.nodes: what theorems and proofs are in the tree.")
def test_theorems_and_proofs(book):
    assert [node["ids"] for node in chapter(book).findall(third_party.is_theorem)] == [["thm"]]
    assert "It is clear." in next(chapter(book).findall(third_party.is_proof))[0].astext()


@needs(
    "sphinx-proof", "If ids no longer repeat, take them out of REPEATED_IDS, and drop DropRepeatedIds when it is empty."
)
def test_ids_that_repeat(book):
    ids = [name for node in chapter(book).findall(nodes.Element) for name in node["ids"]]
    assert {name for name in ids if name in third_party.REPEATED_IDS} == third_party.REPEATED_IDS


@pytest.mark.parametrize(
    ("library", "transform", "priority"),
    [
        ("myst-nb", "SelectMimeType", third_party.MIME_TYPES_CHOSEN),
        ("myst-nb", "HideInputCells", third_party.CELLS_HIDDEN),
        ("myst-parser", "MystReferenceResolver", third_party.LINKS_RESOLVED),
        ("sphinx-design", "DropdownHtmlTransform", third_party.DROPDOWNS_MADE),
        ("sphinx-exercise", "MergeGatedSolutions", third_party.SOLUTION_GATES_CLOSED),
        ("sphinx-exercise", "ResolveLinkTextToSolutions", third_party.SOLUTIONS_NAMED),
    ],
)
def test_what_comes_before_what(book, library, transform, priority):
    look = needs(library, f"{transform} runs at another priority, or under another name: see who comes before it.")
    look(lambda: assert_equal(book.transforms[transform].default_priority, priority))()


def assert_equal(value, expected) -> None:
    assert value == expected


# ---------------------------------------------------------------------------------------------------------------- KaTeX


@pytest.fixture
def katex(monkeypatch):
    """The extension, as it will be again when the test is done."""
    from sphinxcontrib import katex

    for name in ("NODEJS_BINARY", "KATEX_DEFAULT_OPTIONS", "STARTUP_TIMEOUT", "RENDER_TIMEOUT", "render_latex"):
        monkeypatch.setattr(katex, name, getattr(katex, name))
    monkeypatch.setattr(katex.KaTeXServer, "start_server_process", katex.KaTeXServer.start_server_process)
    monkeypatch.setattr(katex.KaTeXServer, "katex_server", None)
    return katex


@needs("sphinxcontrib-katex", "See render_latex, the constants above it and KaTeXServer, which use_katex replaces.")
def test_formulas_are_typeset_by_the_books_own_node(katex, monkeypatch):
    started = []
    start = third_party._start_katex
    monkeypatch.setattr(third_party, "_start_katex", lambda *arguments: started.append(1) or start(*arguments))
    third_party.use_katex(NODE, {"throwOnError": True, "macros": {r"\half": r"\frac{1}{2}"}})
    try:
        html = katex.render_latex(r"\half")
        assert "<mfrac>" in html and "<annotation" not in html
        assert "displaystyle" not in html and 'display="block"' in katex.render_latex(r"\half", {"displayMode": True})
        with pytest.raises(ExtensionError, match=r"does not typeset: \\nosuch"):
            katex.render_latex(r"\nosuch")
        process = katex.KaTeXServer.katex_server.process
        assert process.args[0] == NODE and started == [1]
    finally:
        third_party.stop_katex()
    assert process.wait(timeout=10) is not None


@needs("sphinxcontrib-katex", "Pin in package.json the version of katex that it names, and see katex_version.")
def test_the_version_of_katex_is_that_of_the_style_sheet():
    package = (ROOT / "node_modules" / "katex" / "package.json").read_text(encoding="utf8")
    assert f'"version": "{third_party.katex_version()}"' in package


# ----------------------------------------------------------------------------------------------------- and nowhere else

ELSEWHERE = sorted(path for path in (ROOT / "_ext").rglob("*.py") if path.name != "third_party.py")
ELSEWHERE.append(ROOT / "tools" / "browser.py")
LIBRARIES = {
    *("click", "jupyter_book", "jsonschema", "myst_nb", "myst_parser", "pydata_sphinx_theme", "rfc3987_syntax"),
    *("sphinx_book_theme", "sphinx_design", "sphinx_exercise", "sphinx_external_toc", "sphinx_proof", "sphinxcontrib"),
}
DOCUMENTED = {
    *("sphinx.addnodes", "sphinx.application", "sphinx.errors", "sphinx.transforms", "sphinx.util"),
    *("sphinx.transforms.post_transforms", "sphinx.util.docutils"),
}
HIDDEN = {
    *("all_docs", "current_docname", "external_site_map", "header_buttons", "hide_mode", "launch-buttons", "mime_type"),
    *("myst_slugs", "nb_element", "nb_metadata", "titles", "toc_secnumbers", "cell_metadata", "design_component"),
}


def test_pypdf_adds_an_object_of_its_own():
    writer = PdfWriter()
    part = DictionaryObject({NameObject("/Lang"): TextStringObject("en-GB")})
    reference = third_party.add_to_pdf(writer, part)
    assert reference.get_object() is part, "pypdf: find the new name of PdfWriter._add_object"
    writer.root_object[NameObject("/Part")] = reference
    file = io.BytesIO()
    writer.write(file)
    assert PdfReader(file).trailer["/Root"]["/Part"]["/Lang"] == "en-GB"


@needs("playwright", "Without trust_what_pages_return the tests are slower, and no less right: drop it.")
def test_playwright_takes_what_a_page_returns_unchecked():
    from playwright._impl.protocol.validator_primitives import scheme, t_any

    assert "SerializedValue" in scheme
    third_party.trust_what_pages_return()
    assert scheme["SerializedValue"] is t_any


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python lists them once by itself")
def test_a_protocols_attributes_are_listed_once():
    third_party.list_a_protocols_attributes_once()
    assert typing._get_protocol_attrs(Array) is typing._get_protocol_attrs(Array) == {"shape", "dtype"}


def private_names(source: str) -> list[str]:
    """What a module takes from these libraries that they do not promise to keep."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            for module in modules:
                top = module.partition(".")[0]
                if top in LIBRARIES or (top == "sphinx" and module not in DOCUMENTED):
                    names.append(module)
        elif isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            is_private = node.attr.startswith("_") and not node.attr.startswith("__") and not own
            if is_private or (node.attr in HIDDEN and not own):
                names.append(node.attr)
        elif isinstance(node, ast.Constant) and node.value in HIDDEN:
            names.append(node.value)
    return names


@pytest.mark.parametrize("path", ELSEWHERE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_other_module_leans_on_what_may_change(path):
    assert private_names(path.read_text(encoding="utf8")) == [], "move it to _ext/third_party.py, with a test"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("from myst_nb.core import execute", ["myst_nb.core"]),
        ("import click", ["click"]),
        ("from sphinx.util.images import get_image_size", ["sphinx.util.images"]),
        ("app.builder._css_files", ["_css_files"]),
        ("env.titles['index']", ["titles"]),
        ("node.get('nb_element')", ["nb_element"]),
        ("from sphinx.util.docutils import SphinxDirective\nself._named()\nx.__name__", []),
    ],
)
def test_the_look_at_other_modules_sees(source, names):
    assert private_names(source) == names


def test_every_name_here_has_a_test():
    tree = ast.parse(Path(third_party.__file__).read_text(encoding="utf8"))
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    tested = set(re.findall(r"third_party\.(\w+)", Path(__file__).read_text(encoding="utf8")))
    assert names - tested == {"PageFiles", "skip_address_grammar"}, (
        "what page_files returns, and what importing _ext runs"
    )
