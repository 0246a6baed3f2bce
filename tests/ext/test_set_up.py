"""What is missing is named: a newer Python, a browser. Packages come from where they can be had."""

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


WITHOUT_WHEEL = '#!/bin/sh\necho pip "$@" >> asked\ncase "$*" in *--no-index*) exit 1;; esac\n'
WITHOUT_PYTORCH = '#!/bin/sh\necho uv "$@" >> asked\ncase "$*" in *--torch-backend*) exit 2;; esac\n'
WORKS = '#!/bin/sh\necho {} "$@" >> asked\n'


@pytest.mark.parametrize(
    ("python", "uv", "options", "steps"),
    [
        (WORKS.format("pip"), WORKS.format("uv"), [], ["wheel"]),
        (WITHOUT_WHEEL, WORKS.format("uv"), [], ["wheel", "ask cpu", "get cpu"]),
        (WITHOUT_WHEEL, WITHOUT_PYTORCH, [], ["wheel", "ask cpu"]),
    ],
    ids=["a wheel on this machine", "PyTorch's index", "neither"],
)
def test_where_torch_comes_from(fresh, python, uv, options, steps):
    write_program(fresh / ".venv" / "bin" / "python", python)
    write_program(fresh / ".venv" / "bin" / "uv", uv)
    command = ["make", *options, ".venv/.reader"]
    environment = os.environ | {"MAKEFLAGS": ""}
    done = subprocess.run(command, cwd=fresh, env=environment, capture_output=True, text=True, check=True)
    before, *_ = (fresh / "asked").read_text().partition("-r requirements.txt")
    asked = [line for line in before.splitlines() if line.endswith("-c constraints.txt torch") or "--dry-run" in line]
    assert len(asked) == len(steps)
    for line, step in zip(asked, steps, strict=True):
        assert ("--no-index" in line) == (step == "wheel")
        assert ("--dry-run" in line) == step.startswith("ask")
        assert step == "wheel" or f"--torch-backend={step.split()[1]}" in line
    assert ("torch comes from PyPI" in done.stdout) == (uv == WITHOUT_PYTORCH)


def test_a_browser_that_is_not_there(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(
        SystemExit, match="No browser can be started at /nowhere/chromium, and tests and printing need Chromium"
    ):
        chromium()
