"""A fork: its buttons open it, whatever host it is on, and its notebooks install from it."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from _ext import package_wheel, repository
from _ext.set_up_cell import SOURCE, address_in, set_up_cells, with_address, write_into

LONG = "inorder @ git+https://gitlab.example.edu/faculty-of-science/machine-learning/2027-spring/attention-in-order"
LONG += "@a-branch-with-a-long-name#subdirectory=code"


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://github.com/someone/book", "https://github.com/someone/book"),
        ("https://user:secret@github.com/someone/book.git", "https://github.com/someone/book"),
        ("git@github.com:someone/book.git", "https://github.com/someone/book"),
        ("ssh://git@ssh.github.com:443/someone/book.git", "https://github.com/someone/book"),
        ("ssh://git@gitlab.com/someone/book/", "https://gitlab.com/someone/book"),
        ("git@gitlab.com:group/subgroup/team/book.git", "https://gitlab.com/group/subgroup/team/book"),
        ("https://gitlab.com/group/subgroup/book.git", "https://gitlab.com/group/subgroup/book"),
        ("ssh://git@git.example.edu:2222/group/book.git", "https://git.example.edu/group/book"),
        ("https://git.example.edu:8443/group/book", "https://git.example.edu:8443/group/book"),
        ("/home/someone/book", ""),
        ("../book", ""),
        ("file:///home/someone/book", ""),
        ("https://example.edu/book", ""),
        ("", ""),
    ],
)
def test_the_repository_from_its_remote(monkeypatch, remote, url):
    assert repository.web_address(remote) == url
    monkeypatch.setenv("BOOK_REPOSITORY_URL", remote)
    monkeypatch.setattr(repository, "git", lambda *arguments: "")
    monkeypatch.setenv("BOOK_REPOSITORY_BRANCH", "trunk")
    from_git = f"inorder[book,lab] @ git+{url}@trunk#subdirectory=code" if url else ""
    assert package_wheel.package_address("") == from_git
    site = "inorder[book,lab] @ https://book.example/_static/" + package_wheel.wheel_name()
    assert package_wheel.package_address("https://book.example/") == site
    config = SimpleNamespace(html_theme_options={})
    repository.configure(None, config)
    assert config.html_theme_options.get("repository_url", "") == url
    launch = config.html_theme_options.get("launch_buttons", {})
    assert ("binderhub_url" in launch) == ("colab_url" in launch) == url.startswith("https://github.com")


@pytest.mark.parametrize(
    ("variable", "setting", "address"),
    [
        ("", "", ""),
        ("", "https://book.example", "https://book.example/"),
        ("https://fork.example/book/", "https://book.example", "https://fork.example/book/"),
        ("https://fork.example/book", "", "https://fork.example/book/"),
    ],
)
def test_where_the_book_will_be_read(monkeypatch, variable, setting, address):
    monkeypatch.setenv("BOOK_URL", variable)
    app = SimpleNamespace(config=SimpleNamespace(html_baseurl=setting))
    assert repository.site_address(app) == address


def test_a_host_that_the_theme_does_not_know(monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY_URL", "git@git.example.edu:group/book.git")
    config = SimpleNamespace(html_theme_options={})
    repository.configure(None, config)
    assert config.html_theme_options["repository_provider"] == "gitlab"


def test_a_jupyterhub_is_a_setting(monkeypatch):
    hub = {"launch_buttons": {"jupyterhub_url": "https://hub.example.edu"}}
    for address, others in (("https://github.com/a/book", 2), ("https://gitlab.com/a/b/book", 0)):
        monkeypatch.setenv("BOOK_REPOSITORY_URL", address)
        config = SimpleNamespace(html_theme_options=dict(hub))
        repository.configure(None, config)
        launch = config.html_theme_options["launch_buttons"]
        assert launch["jupyterhub_url"] == "https://hub.example.edu"
        assert len([name for name in launch if name.endswith("_url")]) == 1 + others


def test_the_branch_is_a_setting(monkeypatch, tmp_path):
    monkeypatch.delenv("BOOK_REPOSITORY_BRANCH", raising=False)
    monkeypatch.setattr(repository, "git", lambda *arguments: "the-branch-that-one-is-on")
    monkeypatch.setattr(repository, "CONFIGURATION", tmp_path / "_config.yml")
    for text, branch in (("repository: {branch: spring}", "spring"), ("title: Book", "main")):
        (tmp_path / "_config.yml").write_text(text)
        assert repository.repository_branch() == branch
    monkeypatch.setenv("BOOK_REPOSITORY_BRANCH", "trunk")
    assert repository.repository_branch() == "trunk"


ADDRESSES = ["", "inorder @ git+https://host/a/b@main#subdirectory=code", LONG]


def written_with(address: str, path: Path) -> Path:
    cells = [nbformat.v4.new_markdown_cell("# Chapter"), nbformat.v4.new_code_cell("1 + 1")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    assert write_into(path, address)
    return path


@pytest.mark.parametrize("address", ADDRESSES)
def test_writing_the_cell_twice_changes_nothing(tmp_path, address):
    assert address_in(with_address(SOURCE, address)) == address
    assert with_address(with_address(SOURCE, address), "") == SOURCE
    path = written_with(address, tmp_path / "chapter.ipynb")
    text = path.read_text()
    assert [cell.cell_type for cell in nbformat.read(path, 4).cells] == ["markdown", "code", "code"]
    assert not write_into(path)  # the address is kept where none is known
    assert path.read_text() == text
    (cell,) = set_up_cells(nbformat.read(path, 4))
    assert address_in(cell.source) == address


def test_the_cell_passes_lint(tmp_path):
    paths = [written_with(address, tmp_path / f"{i}.ipynb") for i, address in enumerate(ADDRESSES)]
    configuration = ["--config", str(repository.ROOT / "pyproject.toml")]
    for command in (["ruff", "check"], ["ruff", "format", "--check"], ["nbstripout", "--verify"]):
        options = configuration if command[0] == "ruff" else []
        done = subprocess.run([sys.executable, "-m", *command, *options, *paths], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
