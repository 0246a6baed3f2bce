"""A book of a few pages, built as the whole one is: a copy of the project, with notebooks to be filled."""

import os
import shutil
import subprocess
from pathlib import Path

import nbformat

from harness.site import ROOT

SET_UP_DONE = ["-o", ".venv/.reader", "-o", "node_modules/.installed"]  # or pip would point the environment at the copy
CHAPTER = "chapters/ch03_softmax_qk_v"
WIDGET = "from inorder.widgets import AttentionCalculator\nAttentionCalculator()"


def make_small_book(folder: Path) -> Path:
    """A front page and one chapter, still to be written. Times are kept, so that make finds its set-up done."""
    folder.mkdir(exist_ok=True)
    for name in ("Makefile", "_config.yml", "package.json", "package-lock.json", "requirements.txt", "constraints.txt"):
        shutil.copy2(ROOT / name, folder)
    for name in ("_ext", "_static", "_templates", "code"):
        shutil.copytree(ROOT / name, folder / name)
    for name in (".venv", "node_modules"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "chapters").mkdir()
    (folder / "references.bib").touch()
    (folder / "index.md").write_text(f"# Front\n\nA page with a link to [the only chapter]({CHAPTER}).\n")
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: index\nchapters:\n  - file: {CHAPTER}\n")
    return folder


def write_chapter(book: Path, *cells: str) -> None:
    """A notebook of these cells: the first is text, the others are code."""
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    notebook.cells = [nbformat.v4.new_markdown_cell("# Chapter\n\n" + cells[0])]
    notebook.cells += [nbformat.v4.new_code_cell(source) for source in cells[1:]]
    nbformat.write(notebook, book / f"{CHAPTER}.ipynb")


def environment(book: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(book / "code"), "MAKEFLAGS": ""}


def make_book(book: Path) -> tuple[int, str]:
    """The exit status of `make book`, and what it said."""
    command = ["make", *SET_UP_DONE, "book"]
    done = subprocess.run(command, cwd=book, env=environment(book), capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
