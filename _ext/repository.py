"""Where the book and its repository stand.

The book's address is ``BOOK_URL`` or ``html_baseurl`` of ``_config.yml``.

The repository's is ``BOOK_REPOSITORY_URL`` or the git remote: a fork's buttons open the fork. Where neither is known,
the buttons are absent, as they are on a page that is no ``.ipynb`` (`page_head`). Two settings of ``_config.yml``
count, named as Jupyter Book names them: ``repository: branch``, which ``BOOK_REPOSITORY_BRANCH`` overrides, and
``launch_buttons: jupyterhub_url``, the address of a JupyterHub with nbgitpuller, which opens a repository of any host.
Binder and Colab are offered for GitHub.
"""

import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent
CONFIGURATION = ROOT / "_config.yml"
DEFAULT_BRANCH = "main"
SHORT = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!//)(.+)")  # git@host:owner/name
PATH = re.compile(r"[\w.~-]+(?:/[\w.~-]+)+")  # GitLab has groups in groups
SSH_HOSTS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}  # for networks that close port 22
GITHUB = {"binderhub_url": "https://mybinder.org", "colab_url": "https://colab.research.google.com"}


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def repository_url() -> str:
    """The page of the repository, ``https://host/owner/name``, or an empty string where it is not known."""
    return web_address(os.environ.get("BOOK_REPOSITORY_URL") or git("remote", "get-url", "origin"))


def web_address(remote: str) -> str:
    """The page of a repository, given any address that git takes; empty for one that has no page.

    >>> web_address("ssh://git@gitlab.example:2222/group/subgroup/book.git")
    'https://gitlab.example/group/subgroup/book'
    """
    short = SHORT.fullmatch(remote)
    if short:
        host, path = short.groups()
    else:
        parts = urlsplit(remote)
        if parts.scheme not in ("https", "http", "ssh", "git+ssh"):
            return ""
        host, path = parts.hostname or "", parts.path
        if parts.port and parts.scheme.startswith("http"):  # a port of SSH is none of the page's
            host += f":{parts.port}"
    path = path.strip("/").removesuffix(".git")
    return f"https://{SSH_HOSTS.get(host, host)}/{path}" if host and PATH.fullmatch(path) else ""


def site_address(app: Sphinx) -> str:
    """Where the book will be read, ``https://…/``, or an empty string where that is not known."""
    address = os.environ.get("BOOK_URL") or app.config.html_baseurl
    return f"{address.rstrip('/')}/" if address else ""


def repository_branch() -> str:
    """The branch that is published, whatever branch is checked out."""
    settings = yaml.safe_load(CONFIGURATION.read_text(encoding="utf8"))
    return os.environ.get("BOOK_REPOSITORY_BRANCH") or settings.get("repository", {}).get("branch") or DEFAULT_BRANCH


def package_address() -> str:
    """How pip installs the package from the repository, or an empty string where that is not known."""
    url = repository_url()
    return f"inorder[book,lab] @ git+{url}@{repository_branch()}#subdirectory=code" if url else ""


def configure(app: Sphinx, config) -> None:
    url = repository_url()
    if not url:
        return
    on_github = url.startswith("https://github.com/")
    launch = {"notebook_interface": "jupyterlab"} | config.html_theme_options.get("launch_buttons", {})
    config.html_theme_options |= {
        "repository_url": url,
        "repository_branch": repository_branch(),
        "launch_buttons": launch | GITHUB if on_github else launch,
    }
    if not any(provider in url for provider in ("github", "gitlab", "bitbucket")):
        config.html_theme_options["repository_provider"] = "gitlab"  # what most who host their own have


def setup(app: Sphinx):
    app.connect("config-inited", configure, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
