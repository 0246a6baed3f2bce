"""Puts the package's wheel on the site, and its address into the notebooks that readers download from there.

That address is the site's; else the repository's, where that is known; else what the stored notebook says
(`set_up_cell`). On the front page, ``{{ package_download }}`` is a link to the wheel.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import nbformat
from sphinx.application import Sphinx

from _ext import repository
from _ext.set_up_cell import set_up_cells, with_address

PROJECT = Path(__file__).parent.parent / "code"


def wheel_name() -> str:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    return f"{project['name']}-{project['version']}-py3-none-any.whl"


def package_address(site: str) -> str:
    """What pip should install; an empty string where neither the site's address nor the repository's is known."""
    return f"inorder[book,lab] @ {site}_static/{wheel_name()}" if site else repository.package_address()


def build_wheel(folder: Path) -> Path:
    """Build the wheel into ``folder``. The same sources give the same bytes, and the file keeps its time."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", scratch]
        subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
        built, target = Path(scratch) / wheel_name(), folder / wheel_name()
        if not target.exists() or target.read_bytes() != built.read_bytes():
            target.write_bytes(built.read_bytes())
    return target


def link_to_wheel(app: Sphinx, config) -> None:
    link = f'<a class="reference download" href="_static/{wheel_name()}" download>the book\'s package</a>'
    config.myst_substitutions |= {"package_download": link}


def write_wheel(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    build_wheel(out / "_static")
    address = package_address(repository.site_address(app))
    for path in (out / "_sources").rglob("*.ipynb") if address else ():
        notebook = nbformat.read(path, 4)
        for cell in set_up_cells(notebook):
            cell.source = with_address(cell.source, address)
        nbformat.write(notebook, path)


def setup(app: Sphinx):
    app.connect("config-inited", link_to_wheel, priority=100)
    app.connect("build-finished", write_wheel)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
