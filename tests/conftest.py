"""Settings for every test.

Types are checked while the tests run: `--jaxtyping-packages` in pyproject.toml installs the jaxtyping/beartype import
hook before anything imports what computes, doctests included (a hook installed here would miss `pytest code/inorder`).
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import jaxtyping
import pytest
import torch
from hypothesis import settings
from playwright.sync_api import Browser

from pretrained_files import why_missing
from tools.browser import launched

# The arrays of the tests are small, and there is a worker for each core: a second thread costs more than it saves.
# NumPy's threads wait by spinning: for the pretrained models they took up to six times as long. NumPy reads this as it
# is imported, which the workers do after this line, as does whatever else the tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")
torch.set_num_threads(1)

# What a module of tests makes as it is imported, in each worker, is made without the check of types, which
# `pytest_runtest_setup` switches on.
jaxtyping.config.update("jaxtyping_disable", True)

# The same examples in every run. To look for new ones: pytest --hypothesis-profile=explore
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("repeatable")


TESTS = Path(__file__).parent
NOT_OF_THE_PACKAGE = {"jupyter", "book", "ext"}  # folders
UNCHECKED = {"book_package", "ext", "lab"}  # folders


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The doctests are the package's: here, only test modules are collected; for `-m package` none that need a site."""
    if "package" in config.option.markexpr.replace("not package", "") and collection_path.name in NOT_OF_THE_PACKAGE:
        return True
    return True if collection_path.suffix == ".py" and not collection_path.name.startswith("test_") else None


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a worker waits for its browser a good part of the time."""
    return (os.cpu_count() or 1) + 1


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Seed torch, and leave types unchecked where `inorder` is called time and again.

    What a test draws does not depend on the tests that its worker ran before. The check takes three quarters of
    Python's time: it is left out in the tests of figures and pages, exercises and trained models, whose code names few
    shapes. All that this calls has tests of its own, with the check.
    """
    torch.manual_seed(0)
    in_figures = "widgets" in item.path.parts or not {"browser", "node"}.isdisjoint(item.fixturenames)
    in_folder = item.path.is_relative_to(TESTS) and item.path.parent.name in UNCHECKED
    jaxtyping.config.update("jaxtyping_disable", in_figures or in_folder)


SLOW_FIRST = ["jupyter", "book", "widgets"]  # folders


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, so that no worker is left with one at the end (with `--no-loadscope-reorder`).

    A test is of the package if it needs no browser, no built site and nothing that builds it. A test that may run again
    says why. The examples of `inorder.pretrained` read the trained models, too.
    """
    items.sort(key=lambda item: SLOW_FIRST.index(name) if (name := item.path.parent.name) in SLOW_FIRST else 99)
    for item in items:
        if "browser" not in item.fixturenames and item.path.parent.name not in NOT_OF_THE_PACKAGE:
            item.add_marker(pytest.mark.package)
        if any(not mark.kwargs.get("reason") for mark in item.iter_markers("flaky")):
            raise pytest.UsageError(f"{item.nodeid}: a flaky test needs its reason, flaky(reruns=1, reason=…)")
        *_, folder, file = item.path.parts
        for model in ("encoder", "decoder"):
            reads_it = folder == f"trained_{model}" or (folder, file) == ("pretrained", f"{model}.py")
            if reads_it and why_missing(model) is not None:
                item.add_marker(pytest.mark.skip(reason=why_missing(model)))


@pytest.fixture
def types_unchecked() -> Iterator[None]:
    """Run as a reader does, without the type checker, so that bad input meets our own errors."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture
def imports_unchecked(monkeypatch) -> None:
    """What is imported from now on has no type checker: two classes of one name would be one to it.

    Nor is it stored: runpy asks the checker's own loader, whose code would then be imported where there is no checker.
    """
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    finders = [finder for finder in sys.meta_path if "jaxtyping" not in type(finder).__module__]
    monkeypatch.setattr(sys, "meta_path", finders)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole session."""
    with launched() as browser:
        yield browser
