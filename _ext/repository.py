"""Where the book and its repository stand, by ``_config.yml``: ``html: baseurl`` and ``repository: url``.

``BOOK_URL`` stands before the first, and the git remote behind the second: a fork's buttons open the fork. Where no
repository is known, the buttons are absent. Binder and Colab are offered for GitHub; ``launch_buttons:
jupyterhub_url`` is the address of a JupyterHub with nbgitpuller, which opens a repository of any host.
"""

import os
import re
import subprocess
from functools import cache
from pathlib import Path

import yaml
from sphinx.application import Sphinx

CONFIGURATION = Path(__file__).parent.parent / "_config.yml"
REMOTE = re.compile(r"(?:(?:https?|ssh)://)?(?:[^@/]+@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[:/]/?([^/]+/.+?)(?:\.git)?/?")
GITHUB = {"binderhub_url": "https://mybinder.org", "colab_url": "https://colab.research.google.com"}


@cache
def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf8"))


def settings(group: str) -> dict:
    return read(CONFIGURATION).get(group) or {}


def site_address(app: Sphinx | None = None) -> str:
    """Where the book will be read, ``https://…/``, or an empty string where that is not known."""
    address = os.environ.get("BOOK_URL") or settings("html").get("baseurl")
    return f"{address.rstrip('/')}/" if address else ""


def repository_url() -> str:
    """The page of the repository, ``https://host/owner/name``, or an empty string where it is not known."""
    command = ["git", "remote", "get-url", "origin"]
    remote = subprocess.run(command, cwd=CONFIGURATION.parent, capture_output=True, text=True, check=False).stdout
    return settings("repository").get("url") or web_address(remote.strip())


def web_address(remote: str) -> str:
    """The page of a repository, given its address in git; empty for a folder.

    >>> web_address("git@gitlab.example:group/subgroup/book.git")
    'https://gitlab.example/group/subgroup/book'
    """
    match = REMOTE.fullmatch(remote)
    return f"https://{match[1]}/{match[2]}" if match else ""


def repository_branch() -> str:
    """The branch that is published, whatever branch is checked out."""
    return settings("repository").get("branch", "main")


def configure(app: Sphinx, config) -> None:
    url = repository_url()
    if not url:
        return
    launch = {"notebook_interface": "jupyterlab"} | settings("launch_buttons")
    config.html_theme_options |= {
        "repository_url": url,
        "repository_branch": repository_branch(),
        "launch_buttons": launch | GITHUB if url.startswith("https://github.com/") else launch,
    }
    if not any(provider in url for provider in ("github", "gitlab", "bitbucket")):
        config.html_theme_options["repository_provider"] = "gitlab"  # what most who host their own have


def setup(app: Sphinx):
    app.connect("config-inited", configure, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
