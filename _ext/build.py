"""Builds the site: ``python -m _ext.build``, which is ``make book``.

The notebooks are executed, then Jupyter Book makes the pages in a folder of its own, and a site that is whole replaces
the last one in ``_build/html``. A build that fails or is interrupted leaves that site as it was. The next build
throws away what it had made, because Sphinx would not repeat its warnings.

The terminal shows the notebooks, the warnings, and where the site is; everything else is in ``_build/book.log``.
A warning is an error. With ``LENIENT=1`` in the environment it is not.
"""

import contextlib
import os
import re
import shutil
import sys
import time
from pathlib import Path
from typing import TextIO

from _ext.execution import ROOT, NotebookError, documents, not_written, run_all
from _ext.redirects import redirects

BUILD = ROOT / "_build"
SITE = BUILD / "html"
OLD_SITE = BUILD / ".old"
STATE = BUILD / ".pages"  # what Sphinx keeps from one build to the next, and the site that it is making
UNFINISHED = STATE / "unfinished"
LOG = BUILD / "book.log"
FULL = 10_000_000  # free bytes: below that the disk is full, about which Sphinx writes a hundred lines
COLOURS = re.compile(r"\x1b\[[\d;]*m")


class Log:
    """A stream that writes to the log, and to the terminal too if it has one."""

    def __init__(self, log: TextIO, terminal: TextIO | None = None) -> None:
        self.log, self.terminal = log, terminal
        self.n_warnings = 0

    def write(self, text: str) -> int:
        plain = COLOURS.sub("", text)
        self.n_warnings += len(re.findall(r"\b(?:WARNING|ERROR|CRITICAL):", plain))
        for stream in filter(None, (self.log, self.terminal)):
            stream.write(plain)
        return len(text)

    def flush(self) -> None:
        for stream in filter(None, (self.log, self.terminal)):
            stream.flush()

    def isatty(self) -> bool:
        return False


def make_pages(*, lenient: bool) -> bool:
    """Let Jupyter Book make the pages, and return whether the site is whole. Warnings go to the terminal."""
    from jupyter_book.cli.main import main as jupyter_book  # not for those who only ask where the site is

    if UNFINISHED.exists():
        remove(STATE)
    STATE.mkdir(parents=True, exist_ok=True)
    UNFINISHED.touch()
    strict = [] if lenient else ["-W"]
    with LOG.open("w", encoding="utf8") as file:
        messages = Log(file, sys.stderr)
        try:
            with contextlib.redirect_stdout(Log(file)), contextlib.redirect_stderr(messages):
                arguments = ["build", str(ROOT), "--path-output", str(STATE), *strict, "-n", "--keep-going"]
                jupyter_book(arguments, standalone_mode=False)  # an error is an exception, not an exit
        except OSError:
            raise
        except Exception as error:
            file.write(f"\n{type(error).__name__}: {error}\n")
            return False
    if not messages.n_warnings:
        UNFINISHED.unlink()
    return True


def drop_pages_without_source() -> None:
    """Remove chapters that left the table of contents from the site, too: Sphinx keeps every page it once made.

    Where one has moved, its old address keeps the page that leads on.
    """
    book = documents()
    moved = redirects(book)
    site = STATE / "_build" / "html"
    for source in (site / "_sources").rglob("*.*"):
        document = source.relative_to(site / "_sources").with_suffix("").as_posix()
        if document not in book:
            source.unlink()
            if document not in moved:
                (site / f"{document}.html").unlink(missing_ok=True)


def remove(folder: Path) -> None:
    """Remove a folder in one step: if half of Sphinx's state were left, the next build would take it for the whole."""
    doomed = BUILD / ".doomed"
    shutil.rmtree(doomed, ignore_errors=True)
    folder.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def restore_site() -> None:
    """Undo what `publish` leaves behind if it is interrupted between its two steps."""
    if OLD_SITE.exists() and not SITE.exists():
        OLD_SITE.rename(SITE)


def publish() -> None:
    """Replace the old site by the new one in two renames, so that there is always a whole site."""
    new = BUILD / ".new"
    for folder in (new, OLD_SITE):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(STATE / "_build" / "html", new)
    if SITE.exists():
        SITE.rename(OLD_SITE)
    new.rename(SITE)
    shutil.rmtree(OLD_SITE, ignore_errors=True)


def main() -> None:
    lenient = os.environ.get("LENIENT", "") not in ("", "0")
    restore_site()
    last = "The site of the last whole build is still in _build/html." if SITE.exists() else "There is no site yet."
    try:
        run_all()
    except NotebookError as error:
        sys.exit(f"\n{error}\n\nThe book was not built. {last}")
    print("Pages: warnings are shown, the rest is in _build/book.log", flush=True)
    start = time.monotonic()
    if not make_pages(lenient=lenient):
        full = shutil.disk_usage(BUILD).free < FULL
        why = "the disk is full" if full else "see above, and _build/book.log"
        sys.exit(f"\nThe book was not built: {why}. {last}")
    drop_pages_without_source()
    publish()
    print(f"  {time.monotonic() - start:6.1f} s  the site is in _build/html, its front page is _build/html/index.html")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. The next build starts again; notebooks that were executed are kept.")
    except OSError as error:
        sys.exit(f"\nThe book was not built: {not_written(error)}. A site that was there is still there.")
