"""What is missing is named: a newer Python, packages, a browser, room on the disk."""

import os
import re
import resource
import shutil
import subprocess
import sys

import pytest

from harness.browser import chromium
from harness.site import ROOT
from harness.small_book import environment, make_small_book, write_chapter

FILES = ["requirements.txt", "requirements-pretrained.txt", "requirements-dev.txt", "constraints.txt", "Makefile"]
OLD_PYTHON = f"""#!{sys.executable}
import sys
sys.version_info, sys.version = (3, 9, 1), "3.9.1 (old)"
exec(sys.argv[2])
"""
NO_PIP = "#!/bin/sh\necho no connection; exit 1\n"


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
    said = make_book(fresh, "PYTHON=./old")
    assert "Python 3.11 or newer is needed, this is 3.9.1. Name another: make PYTHON=python3.12" in said
    assert not (fresh / ".venv").exists()


def test_packages_that_cannot_be_had(fresh):
    write_program(fresh / ".venv" / "bin" / "python", NO_PIP)
    said = make_book(fresh)
    assert "The packages could not be installed. Is there a network, and room on the disk?" in said
    assert not (fresh / ".venv" / ".reader").exists()


def test_pip_does_what_uv_cannot(fresh):
    write_program(fresh / ".venv" / "bin" / "python", '#!/bin/sh\necho "$@" >> asked\n')
    write_program(fresh / ".venv" / "bin" / "uv", "#!/bin/sh\nexit 2\n")
    done = subprocess.run(["make", ".venv/.developer"], cwd=fresh, env=os.environ | {"MAKEFLAGS": ""}, check=False)
    assert done.returncode == 0
    asked = re.findall(r"-r (\S+)", (fresh / "asked").read_text())
    assert asked == ["requirements.txt", "requirements-pretrained.txt", "requirements-dev.txt"]


def test_a_browser_that_is_not_there(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(SystemExit, match="No browser can be started at /nowhere/chromium, and the tests need Chromium"):
        chromium()


def test_a_disk_that_takes_no_more(fresh):
    """A limit on the size of files stands in for a full disk."""
    book = make_small_book(fresh / "book")
    write_chapter(book, "Text.", "print('words ' * 1000)")
    done = subprocess.run(
        [sys.executable, "-m", "_ext.build"],
        cwd=book,
        env=environment(book),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "The book was not built: File too large: " in done.stderr
    assert "Traceback" not in done.stderr
