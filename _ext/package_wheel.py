"""Puts the package's wheel on the site, and its address into the notebooks that readers download from there.

The first code cell of a stored notebook, tagged ``set-up``, installs the wheel that lies beside it. In the copies of a
site that knows its address, or its repository's, it installs from there. Where the site knows its address, these copies
link to its pages, for no other chapter lies beside them. On the front page, ``{{ package_download }}`` is a link to the
wheel.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
from sphinx.application import Sphinx

from _ext.links import linked_to_site, without_dropped
from _ext.repository import repository_branch, repository_url, site_address

PROJECT = Path(__file__).parent.parent / "code"
SET_UP = "set-up"  # the tag of the first code cell
WHEEL = re.compile(r'"inorder-[^"]+\.whl\[([a-z,]+)\]"')


def wheel_name() -> str:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    return f"{project['name']}-{project['version']}-py3-none-any.whl"


def package_address(site: str) -> str:
    """What pip installs the package from; empty where neither the site's address nor the repository's is known."""
    url = repository_url()
    from_repository = f"git+{url}@{repository_branch()}#subdirectory=code" if url else ""
    return f"{site}_static/{wheel_name()}" if site else from_repository


def with_address(source: str, address: str) -> str:
    """The set-up cell's text, installing from an address, if there is one, and not from a file."""
    return WHEEL.sub(lambda match: f'"inorder[{match[1]}] @ {address}"', source) if address else source


def build_wheel(folder: Path) -> Path:
    """Build the wheel into ``folder``: the same sources give the same bytes."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder.absolute())]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    return folder / wheel_name()


def link_to_wheel(app: Sphinx, config) -> None:
    link = f'<a class="reference download" href="_static/{wheel_name()}" download>the book\'s package</a>'
    config.myst_substitutions |= {"package_download": link}


def write_downloads(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    static, sources, site = Path(app.outdir) / "_static", Path(app.outdir) / "_sources", site_address(app)
    build_wheel(static)
    address = package_address(site)
    names = {f"{document.rpartition('/')[2]}.ipynb" for document in app.env.found_docs}
    for path in sources.rglob("*.ipynb") if address else ():
        notebook = nbformat.read(path, 4)
        for cell in notebook.cells:
            if SET_UP in cell.metadata.get("tags", []):
                cell.source = with_address(cell.source, address)
            elif site and cell.cell_type == "markdown":
                page = f"{site}{path.relative_to(sources).as_posix()}"
                cell.source = linked_to_site(without_dropped(cell.source, names), page)
        nbformat.write(notebook, path)


def setup(app: Sphinx):
    app.connect("config-inited", link_to_wheel, priority=100)
    app.connect("build-finished", write_downloads)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
