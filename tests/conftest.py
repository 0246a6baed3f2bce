"""Settings for every test.

Types are checked while the tests run: `--jaxtyping-packages` in pyproject.toml installs the jaxtyping/beartype import
hook before anything imports `inorder`, doctests included (a hook installed here would miss `pytest code/inorder`).
"""

from collections.abc import Iterator
from pathlib import Path

import jaxtyping
import pytest
import torch
from hypothesis import Phase, settings
from playwright.sync_api import Browser, sync_playwright

from browser import FLAGS, chromium

# The arrays of the tests are small: a second thread costs more than it saves.
torch.set_num_threads(1)

# The same examples in every run. To look for new ones: pytest --hypothesis-profile=explore
WITHOUT_SHRINKING = [Phase.explicit, Phase.generate]
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.register_profile("mutants", deadline=None, derandomize=True, max_examples=25, phases=WITHOUT_SHRINKING)
settings.load_profile("repeatable")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """The doctests are the package's: here, only test modules are collected."""
    return True if collection_path.suffix == ".py" and not collection_path.name.startswith("test_") else None


@pytest.fixture
def types_unchecked() -> Iterator[None]:
    """Run as a reader does, without the type checker, so that bad input meets our own errors."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole session: a second Playwright cannot run beside the first."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()
