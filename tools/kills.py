"""Unbreakable builds: kill the notebook run, the build and the sweep at random moments, run them again, and compare.

Each is run whole once. Then, ten times: started again, killed with all its processes at a random moment, and run to
its end. It must give the same result, keep what was finished, and do nothing twice.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.aims import Aims
from harness.small_book import CHAPTER, WIDGET, environment, make_small_book, write_chapter

KILLS = int(os.environ.get("KILLS", "10"))
SEED = 18
MODEL_ID = re.compile(rb"[0-9a-f]{32}")  # of a widget: another one each time that its notebook runs
SWEEP = "--tasks copy-left which-first --schemes none rotary learned-concatenated --seeds 4 --steps 30 --d-model 16"


@dataclass
class Victim:
    """What is killed: ``prepare`` undoes what it has made, ``outcome`` is the result that it should give every time.

    ``kept`` says right after a kill what is wrong with what is there, ``twice`` afterwards what was done twice.
    """

    name: str
    command: list[str]
    folder: Path
    prepare: Callable[[], None]
    outcome: Callable[[], Any]
    kept: Callable[[], str]
    twice: Callable[[str], str]

    def start(self) -> subprocess.Popen[str]:
        pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        command = [sys.executable, "-m", *self.command]
        return subprocess.Popen(command, cwd=self.folder, env=environment(self.folder), start_new_session=True, **pipe)

    def finish(self) -> str:
        process = self.start()
        said, _ = process.communicate()
        if process.returncode:
            sys.exit(f"{self.name} failed:\n{said}")
        return said

    def kill_after(self, seconds: float) -> None:
        process = self.start()
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def kill_again_and_again(victim: Victim, rng: random.Random, aims: Aims) -> None:
    victim.prepare()
    start = time.monotonic()
    victim.finish()
    whole = time.monotonic() - start
    wanted = victim.outcome()
    wrong = []
    for _ in range(KILLS):
        victim.prepare()
        moment = rng.uniform(0, whole)
        victim.kill_after(moment)
        found = [victim.kept()]
        said = victim.finish()
        found += ["" if victim.outcome() == wanted else "gave another result", victim.twice(said)]
        wrong += [f"killed after {moment:.1f} s: {what}" for what in found if what]
    print(f"{victim.name:14} {whole:5.1f} s whole, {KILLS} kills   {aims.verdict(victim.name, len(wrong), at_most=0)}")
    for what in wrong:
        print(f"    {what}")


# ------------------------------------------------------------------------------------------------- what is killed


def files(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): MODEL_ID.sub(b"id", path.read_bytes()) for path in paths}


def three_notebooks(folder: Path) -> Path:
    book = make_small_book(folder)
    names = [CHAPTER, "chapters/two", "chapters/three"]
    for number, name in enumerate(names):
        write_chapter(book, "Text.", f"print({number})", *([WIDGET] if number == 0 else []), name=name)
    toc = "".join(f"  - file: {name}\n" for name in names)
    (book / "_toc.yml").write_text(f"format: jb-book\nroot: index\nchapters:\n{toc}")
    return book


def notebook_run(book: Path) -> Victim:
    results = book / "_build" / ".executed"
    done: list[str] = []

    def outputs() -> list[Any]:
        cells = [json.loads(path.read_text())["cells"] for path in sorted(results.rglob("*.ipynb"))]
        return json.loads(MODEL_ID.sub(b"id", json.dumps(cells).encode()))

    def kept() -> str:
        done[:] = [str(path) for path in results.rglob("*.ipynb")]
        return "" if all(json.loads(Path(path).read_text())["cells"] for path in done) else "a result is not whole"

    def twice(said: str) -> str:
        return "" if f"{3 - len(done)} to execute" in said else "ran again what had been run"

    return Victim(
        "notebooks", ["_ext.execution"], book, lambda: shutil.rmtree(book / "_build", True), outputs, kept, twice
    )


def build(book: Path) -> Victim:
    made, before = book / "_build", book.parent / "before"
    page = made / "html" / "index.html"

    def prepare() -> None:
        """The site as it was, and a front page that has changed since."""
        if not before.exists():
            victim.finish()
            shutil.copytree(made, before, symlinks=True)
        shutil.rmtree(made)
        shutil.copytree(before, made, symlinks=True)
        shutil.rmtree(made / ".pages")  # so that all pages are made again
        (book / "index.md").write_text(f"# Front\n\nChanged. A page with a link to [the only chapter]({CHAPTER}).\n")

    def kept() -> str:
        there = page if page.exists() else made / ".old" / "index.html"  # for a moment it is there
        return "" if there.exists() and there.read_bytes().rstrip().endswith(b"</html>") else "there is no site"

    def twice(said: str) -> str:
        left = [path.name for path in made.iterdir() if path.name in (".new", ".old", ".doomed")]
        return "ran notebooks again" if "0 to execute" not in said else f"left behind: {left}" if left else ""

    victim = Victim("build", ["_ext.build"], book, prepare, lambda: files(made / "html"), kept, twice)
    return victim


def lab_sweep(folder: Path) -> Victim:
    out = folder / "found.json"
    n_runs = [0]

    def runs() -> list[dict[str, Any]]:
        return json.loads(out.read_text())["runs"] if out.exists() else []

    def outcome() -> Any:
        with np.load(out.with_suffix(".npz")) as kept:
            models = {name: kept[name].tobytes() for name in kept}
        return [{name: value for name, value in run.items() if name != "seconds"} for run in runs()], models

    def kept() -> str:
        n_runs[0] = len(runs())
        return ""

    def twice(said: str) -> str:
        return "" if f"{24 - n_runs[0]}/{24 - n_runs[0]}" in said or n_runs[0] == 24 else "ran again what had been run"

    def prepare() -> None:
        for path in folder.iterdir():
            path.unlink()

    command = ["inorder.lab.sweep", *SWEEP.split(), "--keep", "--out", str(out)]
    return Victim("sweep", command, folder, prepare, outcome, kept, twice)


if __name__ == "__main__":
    aims, rng = Aims(), random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        book, lab = Path(folder) / "book", Path(folder) / "lab"

        lab.mkdir()
        three_notebooks(book)
        for victim in (notebook_run(book), build(book), lab_sweep(lab)):
            kill_again_and_again(victim, rng, aims)
    sys.exit(aims.exit_status())
