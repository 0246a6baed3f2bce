"""Settings for every test.

Types are checked while the tests run: `--jaxtyping-packages` in pyproject.toml installs the jaxtyping/beartype import
hook before anything imports `inorder`, doctests included (a hook installed here would miss `pytest code/inorder`).
"""

import os
from collections.abc import Iterator
from pathlib import Path

import jaxtyping
import pytest
import torch
from hypothesis import Phase, settings
from playwright.sync_api import Browser

from harness.browser import launched
from harness.touched import Touched
from pretrained_files import why_missing

# The arrays of the tests are small: a second thread costs more than it saves.
torch.set_num_threads(1)

# The same examples in every run. To look for new ones: pytest --hypothesis-profile=explore
WITHOUT_SHRINKING = [Phase.explicit, Phase.generate]
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.register_profile("mutants", deadline=None, derandomize=True, max_examples=25, phases=WITHOUT_SHRINKING)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--touched", nargs="?", const="main", metavar="REF", help="only what has changed since main, or REF, touches"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("touched"):
        config.pluginmanager.register(Touched(config.getoption("touched")))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """The doctests are the package's: here, only test modules are collected."""
    return True if collection_path.suffix == ".py" and not collection_path.name.startswith("test_") else None


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a worker waits for its browser a good part of the time."""
    return (os.cpu_count() or 1) + 1


def pytest_runtest_setup(item: pytest.Item) -> None:
    """In a browser, types are not checked: there `inorder` makes what a page is compared with, time and again.

    The check took most of Python's time there. The figures' code names no shapes, mypy reads its types, and all that it
    calls has tests of its own, with the check.
    """
    jaxtyping.config.update("jaxtyping_disable", "browser" in item.fixturenames)


SLOW_FIRST = ["jupyter", "book", "widgets"]  # folders


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, so that no worker is left with one at the end (with `--no-loadscope-reorder`).

    The examples of `inorder.pretrained` read the trained model, too. A test in a browser that fails is run once more: a
    page has its own pace, on a busy machine another one. The report names what was run again.
    """
    items.sort(key=lambda item: SLOW_FIRST.index(name) if (name := item.path.parent.name) in SLOW_FIRST else 99)
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker(pytest.mark.flaky(reruns=1))
        if (
            item.path.name == "pretrained.py" or item.path.parent.name == "trained_encoder"
        ) and why_missing() is not None:
            item.add_marker(pytest.mark.skip(reason=why_missing()))


@pytest.fixture
def types_unchecked() -> Iterator[None]:
    """Run as a reader does, without the type checker, so that bad input meets our own errors."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole session."""
    with launched() as browser:
        yield browser
