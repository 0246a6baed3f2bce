"""Which notebooks a change executes again."""

import shutil

import nbformat
import pytest

from _ext import execution
from _ext.execution import Chapter, NotebookError, execute, read_chapter
from harness.site import ROOT


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of the package, the pins and a notebook."""
    shutil.copytree(ROOT / "code" / "inorder", tmp_path / "code" / "inorder")
    for name in ("requirements.txt", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "chapters").mkdir()
    monkeypatch.setattr(execution, "ROOT", tmp_path)
    cell = nbformat.v4.new_code_cell("%matplotlib inline\nfrom inorder.circuits import head_weights", id="0")
    text = nbformat.v4.new_markdown_cell("Text.", id="1")
    nbformat.write(nbformat.v4.new_notebook(cells=[text, cell]), tmp_path / "chapters" / "circuits.ipynb")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "executed"),
    [
        ("code/inorder/widgets/kit/style.css", False),
        ("code/inorder/widgets/kit/shell.js", False),
        ("code/inorder/attention/scores.py", True),
        ("code/inorder/stored/alice.txt", True),
        ("constraints.txt", True),
    ],
)
def test_what_a_change_executes(project, name, executed):
    path = project / "chapters" / "circuits.ipynb"
    before = read_chapter(path).result
    changed = project / name
    changed.write_text(changed.read_text() + " ")
    assert (read_chapter(path).result != before) == executed


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


def test_a_notebook_without_an_end_is_named(project, monkeypatch):
    monkeypatch.setattr(execution, "TIME_LIMIT", 1)
    path = project / "chapters" / "circuits.ipynb"
    notebook = nbformat.read(path, 4)
    notebook.cells[1].source = "import time\ntime.sleep(60)"
    with pytest.raises(NotebookError, match=r"circuits\.ipynb: took longer than its limit of 1 s, in code cell 1"):
        execute(Chapter(path, notebook))
