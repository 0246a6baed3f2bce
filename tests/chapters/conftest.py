"""Each other file of this folder checks the numbers of a chapter, after its notebook has run: see `harness.chapter`."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest

from harness.chapter import CHECKS, ChapterError, Run, names_of_checks, run_chapter


class ChapterFile(pytest.File):
    """The checks of a chapter, whose notebook runs once, when the first of them is wanted."""

    def collect(self) -> Iterator[pytest.Item]:
        for name in names_of_checks(self.path):
            yield Check.from_parent(self, name=name)

    @cached_property
    def run(self) -> Run | ChapterError:
        try:
            return run_chapter(self.path.stem)
        except ChapterError as error:  # kept, or each check would run the notebook once more
            return error


class Check(pytest.Item):
    """One check of a chapter: its top-level statements, or a function."""

    def __init__(self, **given: object) -> None:
        super().__init__(**given)
        self.add_marker(pytest.mark.timeout(0))  # no machine is too slow
        self.fixturenames: list[str] = []  # the other conftest asks every item for those

    def runtest(self) -> None:
        run = self.parent.run
        if isinstance(run, ChapterError):
            raise run
        if message := run.results[self.name]:
            raise ChapterError(message)

    def repr_failure(self, excinfo: pytest.ExceptionInfo) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.stem}: {self.name}"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    """A chapter's file is no module: it is read with the names of a notebook, not imported."""
    others = yield
    is_chapter = file_path.parent == CHECKS and file_path.suffix == ".py" and file_path.name != "conftest.py"
    return [ChapterFile.from_parent(parent, path=file_path)] if is_chapter else others


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return False if collection_path.parent == CHECKS and collection_path.name != "conftest.py" else None
