"""``pytest --touched``: only the tests that a change touches, and no longer than two and a half minutes.

Where that is too short for them, it says so and its exit status is 6. Where nothing has changed, it says that, and its
exit status is 5, pytest's for no tests: a commit on main isn't green before `make test` was. A change that no test sees
passes.

The change is what differs from the merge base with main (or with ``--touched=REF``), committed or not. It touches the
tests of a file if that, a `conftest.py` above it, or a module that these import, directly or not, has changed; a style
sheet or script of a figure counts as the modules of its folder. The tests of the built site are touched by what only
the site is made of, and not by the package, for which it isn't built anew; those that take one page run on the pages
that changed. Tests that see little run first.
"""

import os
import subprocess
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from _ext.import_graph import ImportGraph
from harness.site import ROOT

SECONDS = float(os.environ.get("CHECK_SECONDS", "150"))
TIME_IS_UP = 6  # an exit status; pytest's own end at 5
TOO_LATE = "the time is up"
TESTS = ROOT / "tests"
MODULES = ImportGraph((ROOT, ROOT / "code", TESTS))
FILES = sorted({*TESTS.rglob("test_*.py"), *(ROOT / "code" / "inorder").rglob("*.py")})  # that hold tests
PACKAGE = frozenset((ROOT / "code").rglob("*.py"))
KNOWN: dict[Path, list[tuple[Path, bool]]] = {}
PAGES = ("chapters/", "index.md")
WHOLE_SITE = ("_ext/", "_static/", "_templates/", "_config.yml", "_toc.yml", "references.bib", "package")
READS = {  # folders of tests, and what they read without importing it
    TESTS / "book": (*PAGES, *WHOLE_SITE, ".binder/", "Makefile"),
    TESTS / "jupyter": ("chapters/",),
    TESTS / "ext": ("chapters/",),
    TESTS / "book_package" / "test_every_exercise.py": ("chapters/", "code/inorder/book/checks/"),
}


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed_files(since: str) -> set[str]:
    """What differs from where this branch left ``since``, or from the last commit where there is no ``since``."""
    (base,) = git("merge-base", since, "HEAD") or ["HEAD"]
    return {*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")}


@cache
def seen_by(path: Path) -> frozenset[Path]:
    """The file, the `conftest.py` that apply to it, and all that these import."""
    above = [folder / "conftest.py" for folder in path.parents if folder.is_relative_to(TESTS)]
    files = [path, *(conftest for conftest in above if conftest.exists())]
    return frozenset(files).union(*(MODULES.reached(file.read_text(encoding="utf8"), file, KNOWN) for file in files))


class Touched:
    def __init__(self, since: str, changed: Iterable[str] | None = None) -> None:
        self.since = since
        self.changed = changed_files(since) if changed is None else set(changed)
        modules = {ROOT / name for name in self.changed if name.endswith(".py")}
        self.modules = modules.union(*(self._beside(name) for name in self.changed if name.startswith("code/")))
        self.all_pages = any(name.startswith(WHOLE_SITE) for name in self.changed)
        self.pages = {str(Path(name).with_suffix(".html")) for name in self.changed if name.startswith(PAGES)}
        self.start = time.monotonic()
        self.waiting: dict[str, None] = {}  # tests that have not begun, in their order

    @staticmethod
    def _beside(name: str) -> set[Path]:
        """The modules that a file of another kind belongs to."""
        if name.endswith(".py"):
            return set()
        folders = [folder for folder in (ROOT / name).parents if list(folder.glob("*.py"))]
        return set(folders[0].glob("*.py")) if folders else set()

    @property
    def site(self) -> bool:
        """Whether the site has to be built for these tests."""
        return self.all_pages or bool(self.pages)

    def touches(self, path: Path) -> bool:
        reads = next((names for folder, names in READS.items() if path.is_relative_to(folder)), ())
        modules = self.modules - PACKAGE if path.is_relative_to(TESTS / "book") else self.modules  # it isn't built anew
        return not modules.isdisjoint(seen_by(path)) or any(name.startswith(reads) for name in self.changed if reads)

    @property
    def files(self) -> list[Path]:
        """Those whose tests are touched."""
        return [path for path in FILES if self.touches(path)]

    def pytest_report_header(self) -> list[str]:
        chosen = [str(path.relative_to(ROOT)) for path in self.files]
        if not self.changed:
            return [f"touched: nothing has changed since {self.since}"]
        return [
            f"touched: {len(self.changed)} files changed since {self.since}",
            f"  of {len(FILES)} files with tests {len(chosen)} run, the others are skipped: {' '.join(chosen)}",
        ]

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        skipped = collection_path.suffix == ".py" and not self.touches(collection_path)
        return True if skipped and collection_path.name != "conftest.py" else None

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        parameters = {item: getattr(item, "callspec", None) for item in items}
        pages = {item: str(spec.params.get("path", "")) for item, spec in parameters.items() if spec}
        other = {item for item, page in pages.items() if page.endswith(".html") and page not in self.pages}
        if not self.all_pages:
            config.hook.pytest_deselected(items=[item for item in items if item in other])
            items[:] = [item for item in items if item not in other]
        items.sort(key=lambda item: (item.path not in self.modules, len(seen_by(item.path))))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.waiting = dict.fromkeys(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)  # of xdist, which tells of its workers' tests
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self.waiting = self.waiting or dict.fromkeys(ids)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.waiting.pop(nodeid, None)

    @property
    def late(self) -> list[str]:
        """The tests for which there was no time."""
        return list(self.waiting) if time.monotonic() - self.start > SECONDS else []

    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        if nextitem is not None and self.late:
            item.session.shouldstop = TOO_LATE

    @pytest.hookimpl(tryfirst=True)  # the summary is a part of it
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.changed:
            session.exitstatus = pytest.ExitCode.OK
        elif session.exitstatus == pytest.ExitCode.INTERRUPTED and self.late:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED if session.testsfailed else TIME_IS_UP

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        outcomes = terminalreporter.stats
        if self.late:
            files = sorted({name.partition("::")[0] for name in self.late})
            terminalreporter.section("NOT ALL WAS TESTED", "!", red=True, bold=True)
            tests = f"{len(self.late)} test{'s' * (len(self.late) > 1)}"
            terminalreporter.line(
                f"{tests} had not begun after {SECONDS:g} s: `make test` runs all. Left out, or cut short:"
            )
            for file in files:
                terminalreporter.line(f"  {file}")
        elif not any(outcomes.get(outcome) for outcome in ("passed", "failed", "error", "skipped")):
            why = "no test sees what has changed" if self.changed else f"nothing has changed since {self.since}"
            terminalreporter.section(f"NOTHING WAS TESTED: {why}", "!", yellow=True, bold=True)


if __name__ == "__main__":
    raise SystemExit(0 if Touched("main").site else 1)
