"""Which notebooks a change executes again."""

import shutil

import nbformat
import pytest

from _ext import execution
from _ext.execution import Chapter, read_chapter
from _ext.import_graph import ImportGraph
from harness.site import ROOT


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of the package, the pins and three notebooks."""
    shutil.copytree(ROOT / "code" / "inorder", tmp_path / "code" / "inorder")
    for name in ("requirements.txt", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "chapters").mkdir()
    monkeypatch.setattr(execution, "ROOT", tmp_path)
    monkeypatch.setattr(execution, "PACKAGE", ImportGraph((tmp_path / "code",)))
    monkeypatch.setattr(execution, "PINS", [tmp_path / "requirements.txt", tmp_path / "constraints.txt"])
    cells = {
        "figure": "from inorder.widgets import SoftLookup\nSoftLookup()",
        "circuits": "%matplotlib inline\nfrom inorder.circuits import head_weights",
        "data": "from inorder.stored import stored\nstored('alice.txt').read_text()",
    }
    for name, source in cells.items():
        cell = nbformat.v4.new_code_cell(source, id="0")
        text = nbformat.v4.new_markdown_cell("Text.", id="1")
        nbformat.write(nbformat.v4.new_notebook(cells=[text, cell]), tmp_path / "chapters" / f"{name}.ipynb")
    return tmp_path


def results(project) -> dict[str, str]:
    paths = (project / "chapters").glob("*.ipynb")
    return {path.stem: read_chapter(path).result.name for path in paths}


def append(path, text):
    path.write_text(path.read_text() + text)


@pytest.mark.parametrize(
    ("glob", "comment", "executed"),
    [
        ("code/inorder/widgets/**/*.css", "/* */", ""),
        ("code/inorder/widgets/**/*.js", "// no", ""),
        ("code/inorder/widgets/**/*soft_lookup*.py", "#", "figure"),
        ("code/inorder/circuits.py", "#", "circuits"),
        ("code/inorder/attention/scores.py", "#", "figure circuits"),
        ("code/inorder/symmetry.py", "#", ""),
        ("code/inorder/py.typed", "#", "figure circuits data"),
        ("code/inorder/stored/alice.txt", " ", "data"),
        ("constraints.txt", "#", "figure circuits data"),
    ],
)
def test_what_a_change_executes(project, glob, comment, executed):
    before = results(project)
    changed = list(project.glob(glob))
    if "soft_lookup" in glob:  # a file, or every module of its folder
        changed += project.glob("code/inorder/widgets/soft_lookup/*.py")
    assert changed
    for path in changed:
        append(path, comment)
    after = results(project)
    assert {name for name in before if before[name] != after[name]} == set(executed.split())


def test_prose_and_looks_execute_nothing_but_code_does(project):
    path = project / "chapters" / "circuits.ipynb"
    notebook = nbformat.read(path, 4)
    before = Chapter(path, notebook).result
    notebook.cells[0].source = "Other text."
    notebook.cells[1].metadata["tags"] = ["hide-input"]
    assert Chapter(path, notebook).result == before
    notebook.cells[1].metadata["tags"] = ["raises-exception"]
    assert Chapter(path, notebook).result != before
    notebook.cells[1].metadata["tags"] = []
    notebook.cells[1].source += "\n1"
    assert Chapter(path, notebook).result != before


def test_the_last_results_are_kept(project, monkeypatch):
    monkeypatch.setattr(execution, "RESULTS", project / "results")
    path = project / "chapters" / "circuits.ipynb"
    notebook = nbformat.read(path, 4)
    for number in range(execution.RESULTS_KEPT + 1):
        notebook.cells[1].source = f"{number} + 1"
        execution.execute(Chapter(path, nbformat.from_dict(notebook)))
    rest = sorted((project / "results" / "circuits").iterdir())
    assert len(rest) == execution.RESULTS_KEPT
    assert {nbformat.read(result, 4).cells[1].outputs[0].data["text/plain"] for result in rest} == {"2", "3", "4"}
