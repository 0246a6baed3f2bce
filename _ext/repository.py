"""Takes the repository's address from ``BOOK_REPOSITORY_URL`` or the git remote: a fork's buttons open the fork.

Where neither is known, the buttons are absent. So are the launch buttons of a page that is no ``.ipynb``, which
neither Binder nor Colab would open as a notebook.
"""

import os
import re
import subprocess
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent
ADDRESS = re.compile(r"(?:https://(?:[^@/]*@)?|git@|ssh://git@)([\w.-]+)[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/?")
LAUNCH = {
    "binderhub_url": "https://mybinder.org",
    "colab_url": "https://colab.research.google.com",
    "notebook_interface": "jupyterlab",
}


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def repository_url() -> str:
    """``https://host/owner/name``, or an empty string where it is not known."""
    address = os.environ.get("BOOK_REPOSITORY_URL") or git("remote", "get-url", "origin")
    match = ADDRESS.fullmatch(address)
    return "https://{}/{}/{}".format(*match.groups()) if match else ""


def repository_branch() -> str:
    return os.environ.get("BOOK_REPOSITORY_BRANCH") or git("branch", "--show-current") or "main"


def package_address() -> str:
    """How pip installs the package from the repository, or an empty string where that is not known."""
    url = repository_url()
    return f"inorder @ git+{url}@{repository_branch()}#subdirectory=code" if url else ""


def configure(app: Sphinx, config) -> None:
    url = repository_url()
    if not url:
        return
    config.html_theme_options |= {
        "repository_url": url,
        "repository_branch": repository_branch(),
        "use_repository_button": True,
        "use_issues_button": True,
        "launch_buttons": LAUNCH if url.startswith("https://github.com/") else {},
    }


def drop_launch_buttons(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    if not app.env.doc2path(pagename).endswith(".ipynb"):
        buttons = context.get("header_buttons", [])
        buttons[:] = [button for button in buttons if button.get("label") != "launch-buttons"]


def setup(app: Sphinx):
    app.connect("config-inited", configure, priority=100)
    app.connect("html-page-context", drop_launch_buttons, priority=950)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
