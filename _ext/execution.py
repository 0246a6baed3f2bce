"""Runs the chapters before Sphinx reads them: fresh kernels, in parallel, results kept.

As a script (``python -m _ext.execution``) it executes every notebook of ``_toc.yml`` whose result is not known and says
which one runs and how long it took; a cell that raises ends it with the notebook, the cell and the error. As a Sphinx
extension it hands the results to MyST-NB.

A result belongs to the notebook's code, to the package with its records, and to the pinned versions. Style sheets and
scripts are not part of it: `light_widgets` takes them from the package when the pages are made.
"""

import hashlib
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from myst_nb.core import execute as myst_nb_execute
from myst_nb.core.config import NbParserConfig
from myst_nb.core.execute.base import NotebookClientBase
from myst_nb.core.read import create_nb_reader
from myst_nb.ext import execution_tables
from myst_parser.config.main import MdParserConfig
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "_build" / ".executed"
RESULTS_KEPT = 3  # of each notebook
TIME_LIMIT = 3600  # seconds a notebook: only an endless loop takes that long, however slow or busy the machine
KERNEL_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "INORDER_EVERY_STATE": "1"}
WITHOUT_EFFECT = {".pyc", ".js", ".css"}
SAVED = "inorder-saved"  # in the metadata of an output: see `InteractiveFigure`
TAGS_WITH_EFFECT = {"raises-exception", "skip-execution"}


class NotebookError(Exception):
    """A notebook that could not be executed; the message names it, the cell and what went wrong."""


@dataclass(frozen=True)
class Chapter:
    path: Path
    notebook: nbformat.NotebookNode

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def code(self) -> list[nbformat.NotebookNode]:
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    @cached_property
    def result(self) -> Path:
        """Where the executed notebook is kept, named by a hash of all that the result depends on."""
        digest = hashlib.sha256(repr(self.notebook.metadata.get("kernelspec", {}).get("name")).encode())
        for cell in self.code:
            tags = sorted(TAGS_WITH_EFFECT.intersection(cell.metadata.get("tags", ())))
            digest.update(repr((cell.source, tags)).encode())
        for path in inputs():
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        return RESULTS / self.path.stem / f"{digest.hexdigest()[:16]}.ipynb"


def inputs() -> list[Path]:
    """What every notebook can see: the pins, and the package but for what the pages take from it."""
    package = (path for path in (ROOT / "code" / "inorder").rglob("*") if path.is_file())
    pins = [ROOT / "requirements.txt", ROOT / "constraints.txt"]
    return [*pins, *sorted(path for path in package if path.suffix not in WITHOUT_EFFECT)]


def read_chapter(path: Path) -> Chapter | None:
    """The notebook in this file, ``.ipynb`` or Markdown; None for a page that is no notebook."""
    text = path.read_text(encoding="utf8")
    reader = create_nb_reader(str(path), MdParserConfig(), NbParserConfig(), text)
    return None if reader is None else Chapter(path, reader.read(text))


def documents() -> list[str]:
    """The pages of the table of contents, in its order: ``chapters/ch01_…`` and so on."""
    return list(parse_toc_yaml(ROOT / "_toc.yml"))


def chapters() -> list[Chapter]:
    """The pages of the table of contents that are notebooks."""
    paths = [ROOT / f"{document}{suffix}" for document in documents() for suffix in (".ipynb", ".md")]
    pages = [read_chapter(path) for path in paths if path.exists()]
    return [page for page in pages if page is not None]


def execute(chapter: Chapter) -> float:
    """Run ``chapter.notebook`` in a kernel of its own, keep the result, and return the seconds it took."""
    result = chapter.result  # of the files as they are now: they may change while the notebook runs
    start = time.monotonic()
    client = NotebookClient(
        chapter.notebook,
        timeout_func=lambda cell: max(1, TIME_LIMIT - (time.monotonic() - start)),
        extra_arguments=["--log-level=ERROR"],  # or each kernel warns that it speaks TCP
        coalesce_streams=True,  # what a cell prints arrives in pieces
        record_timing=False,
        allow_error_names=["RecordError", "NameError", "ValueError"],  # see `say_what_is_missing`
        resources={"metadata": {"path": str(chapter.path.parent)}},
    )
    try:
        client.execute(env=os.environ | KERNEL_ENVIRONMENT)
    except CellTimeoutError as error:
        raise NotebookError(
            f"{chapter.name}: took longer than its limit of {TIME_LIMIT} s, in code cell {_failed_cell(chapter)}"
        ) from error
    except (CellExecutionError, DeadKernelError) as error:
        raise NotebookError(f"{chapter.name}, code cell {_failed_cell(chapter)}:\n{error}") from error
    seconds = time.monotonic() - start
    say_what_is_missing(chapter)
    leave_out_saved_pictures(chapter)
    chapter.notebook.metadata["executed"] = {"at": time.time(), "seconds": seconds}
    _keep(chapter.notebook, result)
    return seconds


def say_what_is_missing(chapter: Chapter) -> None:
    """Put a sentence in place of what needs a record that isn't there: the page is built with the rest.

    A cell that raises RecordError leaves its names undefined, so the cells after it that use them raise NameError, or a
    ValueError that says so, if a live figure uses them. Raises NotebookError for any other error.
    """
    missing = ""
    for cell in chapter.code:
        for error in [output for output in cell.outputs if output.output_type == "error"]:
            if "raises-exception" in cell.metadata.get("tags", ()):
                continue
            if error.ename == "RecordError":
                missing = error.evalue
            elif not missing or "NameError" not in f"{error.ename} {error.evalue}":
                trace = "\n".join(error.traceback)
                raise NotebookError(f"{chapter.name}, code cell {_failed_cell(chapter)}:\n{trace}")
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/plain": f"Not shown here: {missing}."})]
    if missing:
        print(f"  {chapter.name}: {missing}", flush=True)


def leave_out_saved_pictures(chapter: Chapter) -> None:
    """Take out what a figure shows in a notebook only: on a page it is there without a kernel."""
    for cell in chapter.code:
        cell.outputs = [output for output in cell.outputs if SAVED not in output.get("metadata", {})]


def _failed_cell(chapter: Chapter) -> str:
    """Number and id of the last code cell that was started."""
    code = chapter.code
    number = max((i for i, cell in enumerate(code, 1) if cell.get("execution_count")), default=1)
    failed = [i for i, cell in enumerate(code, 1) if any(o.output_type == "error" for o in cell.get("outputs", []))]
    number = failed[0] if failed else number
    return f"{number} (id {code[number - 1].get('id', '?')})"


def _keep(notebook: nbformat.NotebookNode, result: Path) -> None:
    result.parent.mkdir(parents=True, exist_ok=True)
    unfinished = result.with_suffix(f".{os.getpid()}")  # nobody reads half a result
    nbformat.write(notebook, unfinished)
    unfinished.replace(result)
    results = sorted(result.parent.glob("*.ipynb"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in results[RESULTS_KEPT:]:
        old.unlink(missing_ok=True)


def run_all() -> None:
    """Execute what has no result, one notebook for each core; raise ``NotebookError`` once all have been tried."""
    everything = chapters()
    waiting = [chapter for chapter in everything if not chapter.result.exists()]
    print(f"Notebooks: {len(waiting)} to execute, {len(everything) - len(waiting)} unchanged", flush=True)
    errors = []

    def start(chapter: Chapter) -> float:
        print(f"  running   {chapter.name}", flush=True)
        return execute(chapter)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        jobs = {pool.submit(start, chapter): chapter for chapter in waiting}
        for job in as_completed(jobs):
            chapter = jobs[job]
            try:
                print(f"  {job.result():6.1f} s  {chapter.name}", flush=True)
            except NotebookError as error:
                errors.append(error)
                print(f"  FAILED    {chapter.name}", flush=True)
    for chapter in everything:
        if chapter.result.exists():
            chapter.result.touch()  # the oldest are forgotten first
    if errors:
        raise NotebookError("\n\n".join(str(error) for error in errors))


def not_written(error: OSError) -> str:
    """The system's own message: "No space left on device: _build/.executed"."""
    return f"{error.strerror or error}: {error.filename or '_build'}"


def fill_in(path: Path, notebook: nbformat.NotebookNode) -> dict:
    """Fill in a notebook's stored outputs, or execute it, and return what MyST-NB keeps about the run."""
    chapter = Chapter(path, notebook)
    if not chapter.result.exists():
        try:
            execute(Chapter(path, nbformat.from_dict(notebook)))
        except NotebookError as error:
            raise ExtensionError(str(error)) from error
    executed = nbformat.read(chapter.result, 4)
    for cell, done in zip(chapter.code, Chapter(path, executed).code, strict=True):
        cell.outputs, cell.execution_count = done.outputs, done.execution_count
    for name in ("widgets", "language_info"):
        if name in executed.metadata:
            notebook.metadata[name] = executed.metadata[name]
    return {
        "mtime": executed.metadata["executed"]["at"],
        "runtime": executed.metadata["executed"]["seconds"],
        "method": "cache",
        "succeeded": True,
        "error": None,
        "traceback": None,
    }


class KnownResult(NotebookClientBase):
    """What MyST-NB asks for the outputs of a notebook, in the place of its own cache."""

    def start_client(self) -> None:
        self.exec_metadata = fill_in(self.path, self.notebook)


def setup(app: Sphinx):
    # the columns of the status page: words, because not every font has MyST-NB's signs, and nothing that never varies
    execution_tables._key2header = {"mtime": "Executed (UTC)", "runtime": "Seconds", "succeeded": "Result"}
    execution_tables._key2transform["succeeded"] = lambda succeeded: "passed" if succeeded else "failed"
    myst_nb_execute.NotebookClientCache = KnownResult
    return {"version": "2", "parallel_read_safe": True}


if __name__ == "__main__":
    try:
        run_all()
    except NotebookError as error:
        sys.exit(f"\n{error}")
    except OSError as error:
        sys.exit(f"\nNot all notebooks were executed: {not_written(error)}.")
