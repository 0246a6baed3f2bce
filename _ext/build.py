"""Builds the site: ``python -m _ext.build``, which is ``make book``.

The notebooks are executed, then Jupyter Book makes all pages in a folder of its own, and a site that is whole replaces
the last one in ``_build/html``. A build that fails or is interrupted leaves that site as it was. Nothing that Sphinx
made is kept for the next build, in which it would not repeat its warnings.

The terminal shows the notebooks, the warnings, and where the site is; everything else is in ``_build/book.log``.
A warning is an error. With ``LENIENT=1`` in the environment it is not.
"""

import contextlib
import os
import re
import shutil
import sys
import time
from typing import TextIO

from _ext.execution import ROOT, NotebookError, not_written, run_all

BUILD = ROOT / "_build"
SITE = BUILD / "html"
UNFINISHED = BUILD / ".pages"  # what Sphinx is making
LOG = BUILD / "book.log"
COLOURS = re.compile(r"\x1b\[[\d;]*m")


class Log:
    """A stream that writes to the log, and to the terminal too if it has one."""

    def __init__(self, log: TextIO, terminal: TextIO | None = None) -> None:
        self.log, self.terminal = log, terminal

    def write(self, text: str) -> int:
        plain = COLOURS.sub("", text)
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

    shutil.rmtree(UNFINISHED, ignore_errors=True)
    UNFINISHED.mkdir(parents=True)
    strict = [] if lenient else ["-W"]
    with LOG.open("w", encoding="utf8") as file:
        try:
            with contextlib.redirect_stdout(Log(file)), contextlib.redirect_stderr(Log(file, sys.stderr)):
                arguments = ["build", str(ROOT), "--path-output", str(UNFINISHED), *strict, "-n", "--keep-going"]
                jupyter_book(arguments, standalone_mode=False)  # an error is an exception, not an exit
        except OSError:
            raise
        except Exception as error:
            file.write(f"\n{type(error).__name__}: {error}\n")
            return False
    return True


def publish() -> None:
    """Replace the last site by the new one."""
    if SITE.exists():
        SITE.rename(UNFINISHED / "last")
    (UNFINISHED / "_build" / "html").rename(SITE)
    shutil.rmtree(UNFINISHED)


def main() -> None:
    lenient = os.environ.get("LENIENT", "") not in ("", "0")
    last = "The site of the last whole build is still in _build/html." if SITE.exists() else "There is no site yet."
    try:
        run_all()
    except NotebookError as error:
        sys.exit(f"\n{error}\n\nThe book was not built. {last}")
    print("Pages: warnings are shown, the rest is in _build/book.log", flush=True)
    start = time.monotonic()
    if not make_pages(lenient=lenient):
        sys.exit(f"\nThe book was not built: see above, and _build/book.log. {last}")
    publish()
    print(f"  {time.monotonic() - start:6.1f} s  the site is in _build/html, its front page is _build/html/index.html")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. The next build starts again; notebooks that were executed are kept.")
    except OSError as error:
        sys.exit(f"\nThe book was not built: {not_written(error)}. A site that was there is still there.")
