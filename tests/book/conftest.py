"""The built site, from a server and from the disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.site import PAGES, SITE, served


def pytest_collect_file(file_path: Path) -> None:
    assert PAGES, "the site is not built: run `make book` first"


@pytest.fixture(scope="session")
def origins() -> Iterator[dict[str, str]]:
    """Where the site can be read: an http server of this machine, and the folder itself."""
    with served() as address:
        yield {"server": address, "disk": SITE.as_uri()}
