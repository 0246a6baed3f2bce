"""What is missing is named: a newer Python, packages, a browser."""

import os
import shutil
import subprocess
import sys

import pytest

from harness.site import ROOT
from tools.browser import chromium

FILES = ["requirements.txt", "requirements-pretrained.txt", "requirements-dev.txt", "constraints.txt", "Makefile"]
OLD_PYTHON = f"""#!{sys.executable}
import sys
sys.version_info, sys.version = (3, 9, 1), "3.9.1 (old)"
exec(sys.argv[2])
"""


@pytest.fixture
def fresh(tmp_path):
    """A checkout in which nothing is installed."""
    for name in [*FILES, "code/pyproject.toml"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def make_book(folder, *options):
    command = ["make", *options, "book"]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"MAKEFLAGS": ""}, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    return done.stdout + done.stderr


def test_a_python_that_is_too_old(fresh):
    write_program(fresh / "old", OLD_PYTHON)
    message = make_book(fresh, "PYTHON=./old")
    assert "Python 3.11 or newer is needed, this is 3.9.1. Name another: make PYTHON=python3.12" in message
    assert not (fresh / ".venv").exists()


def test_a_browser_that_is_not_there(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(
        SystemExit, match="No browser can be started at /nowhere/chromium, and tests and printing need Chromium"
    ):
        chromium()
