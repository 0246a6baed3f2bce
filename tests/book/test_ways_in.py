"""The ways into the book: its package as a wheel, a notebook run elsewhere, Binder, and the launch buttons."""

import os
import re
import subprocess
import sysconfig
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement

from _ext import package_wheel, repository
from _ext.course_notebooks import chapter_paths
from harness.site import PAGES, ROOT, SITE

NOTEBOOKS = chapter_paths()
RUN = """import sys, nbformat
from nbclient import NotebookClient
NotebookClient(nbformat.read(sys.argv[1], 4), timeout=120).execute()"""


# The wheel


def package_files() -> set[str]:
    """Without types that only a checker of this repository reads."""
    files = [p for p in (ROOT / "code" / "inorder").rglob("*") if p.is_file() and not p.name.endswith(".d.ts")]
    return {str(p.relative_to(ROOT / "code")) for p in files if "__pycache__" not in p.parts}


def test_wheel_holds_the_package_and_nothing_else():
    with zipfile.ZipFile(SITE / "_static" / package_wheel.wheel_name()) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        assert names == package_files()
        for name in names:
            assert wheel.read(name) == (ROOT / "code" / name).read_bytes(), (
                f"{name}: the site is older than the package"
            )


# A notebook elsewhere


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_first_code_cell_does_nothing_or_installs_the_wheel(path):
    cells = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    assert cells[0].metadata.tags == [package_wheel.SET_UP, "remove-cell"]
    trains = re.search(r"^(?:import|from) (?:torch|sklearn|inorder\.lab)\b", "\n".join(c.source for c in cells), re.M)
    name = f"{package_wheel.wheel_name()}[{'book,lab' if trains else 'book'}]"
    first, *rest, install = cells[0].source.splitlines()
    assert first == "try:" and len(rest) == 2
    assert install.strip() == f'%pip install --quiet "{name}"', "lab, with torch, only where the chapter needs it"


@pytest.fixture
def empty_environment(tmp_path) -> Path:
    """The Python of a new environment that has this one's packages, pip among them, but not ours."""
    installed = Path(sysconfig.get_path("purelib"))
    shared = tmp_path / "shared"
    shared.mkdir()
    for entry in installed.iterdir():
        if "inorder" not in entry.name and entry.suffix != ".pth":
            (shared / entry.name).symlink_to(entry)
    venv.create(tmp_path / "venv", with_pip=False)
    (site_packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site_packages / "shared.pth").write_text(str(shared))
    python = tmp_path / "venv" / "bin" / "python"
    assert subprocess.run([python, "-c", "import inorder"], cwd=tmp_path, capture_output=True).returncode == 1
    return python


def run_elsewhere(python: Path, notebook: nbformat.NotebookNode) -> str:
    """Execute a notebook with that Python in a folder with the wheel, without a network; return what went wrong."""
    folder = python.parents[2] / "elsewhere"
    folder.mkdir()
    package_wheel.build_wheel(folder)
    own = f"import inorder; assert inorder.__file__.startswith({str(python.parents[1])!r})"
    notebook.cells.append(nbformat.v4.new_code_cell(own))
    nbformat.write(notebook, folder / "notebook.ipynb")
    environment = os.environ | {
        "PIP_NO_INDEX": "1",
        "OMP_NUM_THREADS": "1",
        "JUPYTER_DATA_DIR": str(folder / "jupyter"),
    }
    environment.pop("PYTHONPATH", None)
    command = [python, "-c", RUN, "notebook.ipynb"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def test_a_downloaded_notebook_runs_beside_the_wheel_in_an_empty_environment(empty_environment):
    downloaded = sorted((SITE / "_sources" / "chapters").glob("ch*.ipynb"))[0]
    assert run_elsewhere(empty_environment, nbformat.read(downloaded, 4)) == ""


# Binder


def pins(path: Path) -> dict[str, str]:
    lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    required = [Requirement(line) for line in lines if line and not line.startswith("-")]
    return {requirement.name: str(requirement.specifier) for requirement in required}


def test_binder_has_the_pins_of_the_book():
    binder, book = pins(ROOT / ".binder" / "requirements.txt"), pins(ROOT / "requirements.txt")
    assert binder.pop("torch") == f"{book['torch']}+cpu"
    assert {name: book[name] for name in binder} == binder
    project = package_wheel.tomllib.loads((ROOT / "code" / "pyproject.toml").read_text())["project"]
    extras = {name: lines for name, lines in project["optional-dependencies"].items() if name != "cluster"}
    expected = [project["dependencies"], *extras.values()]
    needed = {Requirement(line).name for lines in expected for line in lines} - {
        project["name"]
    }  # which names an extra
    assert {*binder, "torch"} == needed | {"jupyterlab", "jupyterlab-myst"}


# Launch buttons


def test_no_launch_buttons_where_the_repository_is_unknown():
    known = repository.repository_url().startswith("https://github.com/")
    for path in PAGES:
        has = "mybinder.org" in (SITE / path).read_text(encoding="utf8")
        assert has == (known and (ROOT / path).with_suffix(".ipynb").exists()), path
