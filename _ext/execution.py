"""Runs the chapters before Sphinx reads them: fresh kernels, in parallel, results kept.

As a script (``python _ext/execution.py``) it executes every notebook of ``_toc.yml`` whose result is not in the cache
and says which one runs and how long it took; a cell that raises ends it with the notebook, the cell and the error.
As a Sphinx extension it points MyST-NB to that cache.

The cache's folder is named by a hash of the package and the pinned versions, so a changed function runs the chapters
again; jupyter-cache alone sees only the notebook's own cells.
"""

import hashlib
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.config import NbParserConfig
from myst_nb.core.read import create_nb_reader
from myst_nb.ext import execution_tables
from myst_parser.config.main import MdParserConfig
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).parent.parent
CACHES = ROOT / "_build" / ".executed"
CACHES_KEPT = 3
TIME_LIMIT = 120  # seconds a notebook, unless its metadata has execution.timeout
KERNEL_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


class NotebookError(Exception):
    """A notebook that could not be executed; the message names it, the cell and what went wrong."""


@dataclass(frozen=True)
class Chapter:
    path: Path
    notebook: nbformat.NotebookNode

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))


def cache_folder() -> Path:
    """The cache that belongs to today's package and pins."""
    digest = hashlib.sha256()
    package = (ROOT / "code" / "inorder").rglob("*")
    inputs = [p for p in package if p.is_file() and "__pycache__" not in p.parts]
    for path in sorted([*inputs, ROOT / "requirements.txt", ROOT / "constraints.txt"]):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    folder = CACHES / digest.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def chapters() -> list[Chapter]:
    """The pages of the table of contents that are notebooks, as ``.ipynb`` or as Markdown."""
    found = []
    for document in parse_toc_yaml(ROOT / "_toc.yml").as_json()["documents"]:
        for path in (ROOT / f"{document}.ipynb", ROOT / f"{document}.md"):
            if not path.exists():
                continue
            text = path.read_text(encoding="utf8")
            reader = create_nb_reader(str(path), MdParserConfig(), NbParserConfig(), text)
            if reader is not None:
                found.append(Chapter(path, reader.read(text)))
            break
    return found


def execute(chapter: Chapter) -> float:
    """Run ``chapter.notebook`` in place, in a kernel of its own, and return the seconds it took."""
    limit = chapter.notebook.metadata.get("execution", {}).get("timeout", TIME_LIMIT)
    start = time.monotonic()
    client = NotebookClient(
        chapter.notebook,
        timeout_func=lambda cell: max(1, limit - (time.monotonic() - start)),
        extra_arguments=["--log-level=ERROR"],  # or each kernel warns that it speaks TCP
        coalesce_streams=True,  # what a cell prints arrives in pieces
        record_timing=False,  # the cells' metadata is part of what the cache compares
        resources={"metadata": {"path": str(chapter.path.parent)}},
    )
    try:
        client.execute(env=os.environ | KERNEL_ENVIRONMENT)
    except CellTimeoutError as error:
        raise NotebookError(
            f"{chapter.name}: took longer than its limit of {limit} s, in code cell {_failed_cell(chapter)}"
        ) from error
    except (CellExecutionError, DeadKernelError) as error:
        raise NotebookError(f"{chapter.name}, code cell {_failed_cell(chapter)}:\n{error}") from error
    return time.monotonic() - start


def _failed_cell(chapter: Chapter) -> str:
    """Number and id of the last code cell that was started."""
    code = [cell for cell in chapter.notebook.cells if cell.cell_type == "code"]
    number = max((i for i, cell in enumerate(code, 1) if cell.get("execution_count")), default=1)
    failed = [i for i, cell in enumerate(code, 1) if any(o.output_type == "error" for o in cell.get("outputs", []))]
    number = failed[0] if failed else number
    return f"{number} (id {code[number - 1].get('id', '?')})"


def run_all() -> None:
    """Execute what the cache lacks, two at a time on two cores; raise ``NotebookError`` after all have been tried."""
    cache = get_cache(cache_folder())
    waiting = []
    for chapter in chapters():
        try:
            cache.match_cache_notebook(chapter.notebook)
        except KeyError:
            waiting.append(chapter)
    print(f"Notebooks: {len(waiting)} to execute, {len(chapters()) - len(waiting)} unchanged", flush=True)
    errors = []

    def start(chapter: Chapter) -> float:
        print(f"  running   {chapter.name}", flush=True)
        return execute(chapter)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        jobs = {pool.submit(start, chapter): chapter for chapter in waiting}
        for job in as_completed(jobs):
            chapter = jobs[job]
            try:
                seconds = job.result()
            except NotebookError as error:
                errors.append(error)
                print(f"  FAILED    {chapter.name}", flush=True)
                continue
            bundle = CacheBundleIn(chapter.notebook, str(chapter.path), data={"execution_seconds": seconds})
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
            print(f"  {seconds:6.1f} s  {chapter.name}", flush=True)
    _forget_old_caches()
    if errors:
        raise NotebookError("\n\n".join(str(error) for error in errors))


def _forget_old_caches() -> None:
    cache_folder().touch()
    for old in sorted(CACHES.iterdir(), key=lambda p: p.stat().st_mtime, reverse=True)[CACHES_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def setup(app):
    # the columns of the status page: words, because not every font has MyST-NB's signs, and nothing that never varies
    execution_tables._key2header = {"mtime": "Executed (UTC)", "runtime": "Seconds", "succeeded": "Result"}
    execution_tables._key2transform["succeeded"] = lambda succeeded: "passed" if succeeded else "failed"

    def use_cache(app, config):
        config.nb_execution_cache_path = str(cache_folder())

    app.connect("config-inited", use_cache, priority=100)
    return {"version": "1", "parallel_read_safe": True}


if __name__ == "__main__":
    try:
        run_all()
    except NotebookError as error:
        sys.exit(f"\n{error}")
